"""What the compiler knows, and what only Nix knows."""

from __future__ import annotations

from support.rules import (
    HASH,
    MATRIX,
    OF_N,
    Row,
    all_of,
    attrs,
    body,
    chain,
    each,
    emits,
    fine,
    first,
    no_value,
    over,
    refused,
    row,
    rule,
    says,
    speaks,
    table,
    told,
    value,
)

LISTED = "overlay o { y = 1 }\n"


def late(name: str, items: str, at: str, more: str = "") -> Row:
    return row(name, body(items, more), refused("E302", at))


OLD_Y = (
    'toString (map (x: if builtins.isPath x then "${x}" else x) (pinned.lib.toList (old.y or "")))'
)
OLD_X = "pinned.lib.remove null (pinned.lib.toList (old.x or [ ]))"

TABLES = (
    table(
        "What the compiler knows, and what only Nix knows",
        *told(
            "Some values exist when tvarc runs, others only when Nix runs. This page says which values you can use where.",
            "**Roots.** A root is a name under which Nix",
            "**`caller`.** A recipe with a pin has `caller`",
            "**`old`.",
            "**`{{…}}` and `${…}`.",
            "**Decisions.** A value of type nix cannot decide anything.",
        ),
        *told(
            "**Declarations have no form in Nix.** These are declarations: a recipe, a matrix, a variant, an overlay, a patch and a pin. The settings `recipe`, `matrix`,",
            "**Settings that read settings.",
        ),
        rule(
            "The types are string, int, bool, null, version, list, record, path, an axis value, a declaration, and *nix*. A value of type nix exists only when Nix runs.",
            value("type-string", '"a"', '"a"'),
            value("type-int", "1", "1"),
            value("type-bool", "true", "true"),
            value("type-null", "null", "null"),
            value("type-version", "1.0", "1.0"),
            value("type-list", "[1]", "[1]"),
            value("type-record", "{ a = 1 }", "{ a = 1 }"),
            value("type-path", 'path("./a.patch")', 'path("a.patch")'),
            value("type-axis-value", "row", "one"),
            value("type-nix", "pkgs.zlib", "pkgs.zlib"),
        ),
        rule(
            "Known values and nix values are interpolated in the same way.",
            row("interpolate-known", attrs('x = "a{{n}}"'), emits('x = "a1";')),
            row("interpolate-nix", attrs('x = "a{{pkgs.zlib}}"'), emits('x = "a${pinned.zlib}";')),
        ),
        rule(
            "A declaration is an error wherever Nix gets a value (E306): in a block, an overlay or a field of a patch; at any depth of lists and records; in a branch that no variant takes; behind a `let` or a flag; as an argument of a function.",
            *[
                row(
                    f"declaration-in-{block}",
                    body(f"{block} {{ x = child }}"),
                    refused("E306", "child"),
                )
                for block in ("args", "attrs", "env", "passthru", "meta", "config")
            ],
            row(
                "declaration-in-overlay",
                body("overlays = [o]", "overlay o { y = child }\n"),
                refused("E306", "child"),
            ),
            row(
                "declaration-in-patch",
                body(
                    "overlays = [o]",
                    f'patch o for hello {{ url = "https://a.org/b", hash = "{HASH}", name = child }}\n',
                ),
                refused("E306", "child"),
            ),
            row("declaration-in-list", attrs("x = [[child]]"), refused("E306", "child")),
            row(
                "declaration-in-record",
                attrs("x = { a = { b = child } }"),
                refused("E306", "child"),
            ),
            row(
                "declaration-in-branch",
                attrs("x = if n < 9 then 1 else child"),
                refused("E306", "child"),
            ),
            row("declaration-behind-let", attrs("x = k", "let k = child\n"), refused("E306", "k")),
            row("declaration-in-function", attrs("x = upper(child)"), refused("E306", "child")),
            row("declaration-added", attrs("x += [child]"), refused("E306", "child")),
            *[
                row(
                    f"setting-{name}",
                    body(f"overlays = [o]\nattrs {{ x = {name} }}", LISTED),
                    refused("E306", name),
                )
                for name in ("recipe", "matrix", "overlays")
            ],
            row("setting-pin", attrs("x = pin"), refused("E306", "pin")),
            *[
                row(
                    f"kind-{name}",
                    body(
                        f"overlays = [o]\nattrs {{ x = {name} }}",
                        LISTED + "variant other { recipe = child }\n",
                    ),
                    refused("E306", name),
                )
                for name in ("o", "p", "m", "other")
            ],
        ),
        rule(
            'Text prints the name of a declaration: `"{{recipe}}"`.',
            row(
                "declaration-name",
                attrs('x = "{{recipe}} {{p}} {{m}}"'),
                first("attrs.x", '"child p m"'),
            ),
        ),
        rule(
            "Use declarations in `pin`, `overlays`, `extends`, flags and conditions.",
            row("declaration-as-pin", body("pin = p"), first("pin", "p")),
            row("declaration-as-overlay", body("overlays = [o]", LISTED), first("overlays", "o")),
            row(
                "declaration-as-condition",
                body("overlays = [o]\nwhen o in overlays { attrs { x = 1 } }", LISTED),
                first("attrs.x", "1"),
            ),
        ),
        rule(
            "`needs.NAME` | what the recipe [needs](#what-a-recipe-needs) | recipes, except in `config`, and overlays |",
            row(
                "needs-root",
                body("needs a = pkgs.zlib\nattrs { x = needs.a }"),
                emits("x = needs.a;"),
            ),
            row(
                "needs-in-when",
                body("needs a = pkgs.zlib\nwhen needs.a { attrs { x = 1 } }"),
                refused("E302", "needs.a"),
            ),
        ),
        rule(
            "`pkgs` | nixpkgs with overlays, as the [scope](#scopes-what-pkgsname-means) passes it | recipes,",
            row("pkgs-in-recipe", attrs("x = pkgs.zlib"), emits("x = pinned.zlib;")),
            row("pkgs-in-let", attrs("x = z", "let z = pkgs.zlib\n"), emits("x = pinned.zlib;")),
            row(
                "pkgs-in-overlay",
                body("overlays = [o]", "overlay o { x = pkgs.zlib }\n"),
                emits("x = final.zlib;"),
            ),
            late("pkgs-in-config", "config { x = pkgs.zlib }", "pkgs"),
            late("pkgs-in-config-part", 'config { x { part a "{{pkgs.zlib}}" } }', "pkgs"),
            row(
                "pkgs-in-part-called-config",
                body('attrs { config { part a "{{pkgs.zlib}}" } }'),
                emits('config = "${pinned.zlib}";'),
            ),
        ),
        rule(
            "the nixpkgs with which the recipe is called | the same places as `pkgs`, and `config` |",
            row(
                "caller-in-recipe",
                attrs("x = caller.zlib"),
                emits("x = pkgs.zlib;", "pkgs ? import <nixpkgs> { }"),
            ),
            row("caller-in-config", body("config { x = caller.zlib }"), emits("x = pkgs.zlib;")),
        ),
        rule(
            "the package's own attributes, before this change | `attrs`, `env`, `script`, `passthru`, `meta`,",
            *[
                row(f"old-in-{block}", body(f"{block} {{ x = old.y }}"), emits("x = old.y;"))
                for block in ("attrs", "passthru", "meta", "env")
            ],
            row("old-in-script", body('script s { part a "{{old.y}}" }'), emits("old.y")),
            row(
                "old-in-overlay-for",
                body("overlays = [o]", "overlay o for hello { x = old.y }\n"),
                emits("x = old.y;"),
            ),
            late("old-in-args", "args { x = old.y }", "old"),
            row(
                "old-in-overlay",
                body("overlays = [o]", "overlay o { x = old.y }\n"),
                refused("E302", "old"),
            ),
        ),
        rule(
            "the same as in any Nix overlay; in an overlay of a package set, they are that set, so a package",
            row(
                "prev-in-overlay",
                body("overlays = [o]", "overlay o { x = prev.y, z = final.y }\n"),
                emits("x = prev.y;", "z = final.y;"),
            ),
            row(
                "prev-in-set",
                body("overlays = [o]", "overlay o in python3Packages { x = prev.y }\n"),
                fine,
            ),
            row(
                "final-in-args-of-set",
                body(
                    "overlays = [o]",
                    "overlay o for python3Packages.a { args { m = final.b, k = pkgs.mkl } }\n",
                ),
                emits("m = pyFinal.b;", "k = final.mkl;"),
            ),
            late("final-in-recipe", "attrs { x = final.y }", "final"),
            late("prev-in-recipe", "attrs { x = prev.y }", "prev"),
        ),
        rule(
            "`pkgs.a[expr]` chooses an attribute by a string that the compiler knows.",
            row(
                "attribute-by-text",
                body('attrs { x = pkgs.a["b{{n}}"] }'),
                emits("x = pinned.a.b1;"),
            ),
            row(
                "attribute-by-field",
                body("attrs { x = pkgs[row.text] }", "", MATRIX),
                emits("x = pinned.I;"),
            ),
            late("attribute-by-nix", "attrs { x = pkgs.a[pkgs.b] }", "pkgs.b"),
        ),
        rule(
            "`attrs { buildInputs += [caller.zlib] }` takes one package from the nixpkgs of the caller,",
            row(
                "caller-beside-pin",
                attrs("buildInputs += [caller.zlib, pkgs.zlib]"),
                emits("pkgs.zlib pinned.zlib"),
            ),
        ),
        rule(
            "With `pin = none`, `caller.zlib` is the argument `zlib` that the caller's callPackage passes.",
            row(
                "caller-without-pin",
                body("pin = none\nattrs { x = caller.zlib, y = pkgs.zlib }"),
                emits("{ hello, zlib }:", "x = zlib;", "y = zlib;"),
            ),
        ),
        rule(
            "The name `caller` is not reserved: a declaration of that name comes first.",
            row("caller-declared", attrs("x = caller", "let caller = 1\n"), first("attrs.x", "1")),
        ),
        rule(  # what Nix makes of these forms: nix/test_forms.py
            "In a string or script, `{{old.x}}` is the package's own value as its builder gets it. A list has blanks between its elements. A missing value is empty text.",
            row("old-in-string", attrs('x = "a{{old.y}}"'), emits(f'x = "a${{{OLD_Y}}}";')),
            row(
                "old-in-part",
                body('script s { part old = none, part a "{{old.y}}" }'),
                emits(f's = "${{{OLD_Y}}}";'),
            ),
            row("old-script", body('script y { part a "A" }'), emits(f'y = {OLD_Y} + "A";')),
            *[
                row(
                    f"old-holds-no-path-{name}",
                    attrs(f'x = "{{{{old.{name}}}}}"'),
                    emits(f'x = "${{toString (old.{name} or "")}}";'),
                )
                for name in ("cmakeFlags", "NIX_CFLAGS_COMPILE", "preBuild", "meta.y", "env.Y")
            ],
            *[
                row(
                    f"old-may-be-path-{name}",
                    attrs(f'x = "{{{{old.{name}}}}}"'),
                    emits("builtins.isPath", f"(pinned.lib.toList (old.{name} or"),
                )
                for name in ("buildPhase", "present", "src", "patches", "passthru.y")
            ],
            *[
                row(
                    f"old-text-{name}",
                    attrs(f'x = "{{{{old.{name}}}}}"'),
                    emits(f'x = "${{old.{name} or ""}}";', never=("toString",)),
                )
                for name in ("version", "pname", "name")
            ],
        ),
        rule(
            "`old` itself, `old.env`, `old.meta` and `old.passthru` have no text (E301).",
            *[
                no_value(f"no-text-{name}", f'"{{{{{name}}}}}"', "E301", name)
                for name in ("old", "old.env", "old.meta", "old.passthru")
            ],
            row("text-in-meta", attrs('x = "{{old.meta.y.z}}"'), fine),
            row("set-itself", attrs("x = old.meta"), emits("x = old.meta;")),
        ),
        rule(
            "`+=` with a list adds to the package's own value, which may be a list, one value or null. If the package has no value, `+=`",
            row(
                "added-to-list",
                attrs("x += [1]"),
                all_of(first("attrs.x", "old ++ [1]"), emits(f"x = {OLD_X} ++ [ 1 ];")),
            ),
            *[
                row(
                    f"added-to-list-in-{block}",
                    body(f"{block} {{ x += [1] }}"),
                    emits(f"x = {OLD_X.replace('old.x', f'old.{block}.x')} ++ [ 1 ];"),
                )
                for block in ("meta", "passthru")
            ],
            row(
                "added-to-patches",
                attrs("patches += [1]"),
                emits(f"{OLD_X.replace('.x', '.patches')} ++"),
            ),
            *[
                row(
                    f"added-to-{name}",
                    attrs(f'{name} += ["/a"]'),
                    emits(f'{name} = (old.{name} or [ ]) ++ [ "/a" ];', never=("remove null",)),
                )
                for name in ("buildInputs", "cmakeFlags", "hardeningDisable")
            ],
            row(
                "added-to-outputs",
                attrs('outputs += ["a"]'),
                emits('(old.outputs or [ "out" ]) ++'),
            ),
            row(
                "added-to-default",
                attrs('phases += ["a"]'),
                emits(
                    "phases = assert old ? phases || throw", f"{OLD_X.replace('.x', '.phases')} ++"
                ),
            ),
            row(
                "added-to-no-default",
                attrs('phasez += ["a"]'),
                emits("remove", never=("old ? phasez",)),
            ),
            row(
                "removed-from-text",
                attrs("x -= [1]"),
                emits("x = assert !builtins.isString (old.x or [ ]) || throw", OLD_X),
            ),
            row(
                "removed-from-list",
                attrs("buildInputs -= [1]"),
                emits("(old.buildInputs or [ ])", never=("isString",)),
            ),
        ),
        rule(
            "`+=` with a record adds to the package's own set, or to an empty one.",
            row(
                "added-to-record",
                attrs("x += { a = 1 }"),
                all_of(
                    first("attrs.x", "old // { a = 1 }"),
                    emits(
                        "assert (builtins.isAttrs (old.x or { }) && !(old ? x.outPath)) || throw",
                        "(old.x or { }) // { a = 1; };",
                    ),
                ),
            ),
            row(
                "added-to-record-in-passthru",
                body("passthru { x += { a = 1 } }"),
                emits(
                    "assert builtins.isAttrs (old.passthru.x or { }) || throw",
                    "(old.passthru.x or { }) // { a = 1; };",
                    never=("outPath",),
                ),
            ),
        ),
        *told("[nixpkgs.md](nixpkgs.md#what-a-package-has) has all the details."),
        rule(
            "Everywhere else `old.x` is that attribute, unchanged. Nix fails if the attribute is missing.",
            row(
                "old-as-it-is",
                attrs("x = old.y, z = [old.y]"),
                emits("x = old.y;", "z = [ old.y ];"),
            ),
        ),
        rule(
            "In text of the language, `{{pkgs.zlib}}` becomes `${…}` of Nix.",
            row("text-mark", attrs('x = """{{pkgs.zlib}}"""'), emits('x = "${pinned.zlib}";')),
        ),
        rule(
            "`${pkgs.zlib}` itself is plain text there, like `${CFLAGS}` of a shell. The [lint](#lints) `nix-mark-in-text`",
            row(
                "text-dollar",
                attrs('x = "${pkgs.zlib}"'),
                all_of(
                    first("attrs.x", '"${pkgs.zlib}"'),
                    emits('x = "\\${pkgs.zlib}";'),
                    speaks("nix-mark-in-text", "same-build"),
                ),
            ),
            row(
                "text-shell",
                attrs('x = "${CFLAGS}"'),
                all_of(emits('x = "\\${CFLAGS}";'), speaks("same-build")),
            ),
        ),
        rule(
            "In [Nix text](#2-files-names-and-literals), `${…}` is Nix and `{{…}}` is a value that the compiler knows.",
            row(
                "nix-text-marks",
                attrs('x = nix""" "${pkgs.zlib} {{n}}" """'),
                emits('"${pkgs.zlib} 1"'),
            ),
        ),
        rule(
            "It is an error (E302) in `when`, `if`, `exclude`, `require`, `warn`, a comparison, a flag, a name or a file.",
            late("nix-in-when", "when pkgs.a { attrs { x = 1 } }", "pkgs.a"),
            late("nix-in-if", "attrs { x = if pkgs.a then 1 else 2 }", "pkgs.a"),
            row("nix-in-exclude", body("") + "exclude pkgs.a\n", refused("E302", "pkgs.a")),
            late("nix-in-require", 'require pkgs.a because "x"', "pkgs.a"),
            late("nix-in-warn", 'warn w = pkgs.a because "x"', "pkgs.a"),
            late("nix-in-comparison", 'attrs { x = pkgs.a == "1" }', "pkgs.a"),
            late("nix-in-not", "attrs { x = not pkgs.a }", "pkgs.a"),
            late("nix-in-flag", "flag f: string = pkgs.a\nattrs { x = f }", "pkgs.a"),
            row(
                "nix-in-name",
                body("", "", OF_N.replace("v{{n}}", "v{{pkgs.a}}")),
                refused("E302", "pkgs.a"),
            ),
            row(
                "nix-in-file",
                body("").replace("{{variant}}.nix", "{{pkgs.a}}.nix"),
                refused("E302", "pkgs.a"),
            ),
            late("nix-text-in-when", 'when nix"""true""" { attrs { x = 1 } }', 'nix"""true"""'),
        ),
        *told("For example, no one knows whether a package has an attribute before Nix runs."),
        rule(
            "Within a recipe, an expression may read other settings of the same variant: a setting by its path: `meta.description`, `attrs.pname`, `env.X`, `args.x`, `config.x`, `passthru.x`, `script.preConfigure`, `overlays`; a flag; `variant`, the variant's name.",
            *[
                row(
                    f"read-{path}",
                    body(
                        f'{path.split(".")[0]} {{ {path.split(".")[1]} = "s" }}\npassthru {{ r = {path} }}'
                    ),
                    first("passthru.r", '"s"'),
                )
                for path in ("meta.a", "attrs.pname", "env.X", "args.x", "config.x")
            ],
            row(
                "read-passthru",
                body('passthru { a = "s" }\nmeta { r = passthru.a }'),
                first("meta.r", '"s"'),
            ),
            row("read-flag", body('flag f: string = "s"\nmeta { r = f }'), first("meta.r", '"s"')),
            row("read-variant", body("meta { r = variant }"), each("meta.r", '"v1"', '"v2"')),
            row(
                "read-overlays",
                body('overlays = [o]\nmeta { r = "{{overlays}}" }', LISTED),
                first("meta.r", '"o"'),
            ),
            row(
                "read-script",
                body('script s { part old = none, part a "A" }\nmeta { r = script.s }'),
                first("meta.r", '"A"'),
            ),
        ),
        rule(
            "Text can also print `recipe` and `matrix`, by their names.",
            row(
                "read-recipe-matrix",
                body('meta { r = "{{recipe}} {{matrix}}" }'),
                first("meta.r", '"child m"'),
            ),
        ),
        rule(
            "Such a read gets the final value, after every setting is decided.",
            row(
                "read-after-child",
                chain("attrs { a = 1 }\nmeta { r = attrs.a }", "attrs { a = 2 }"),
                first("meta.r", "2"),
            ),
            row(
                "read-before-written",
                body("meta { r = attrs.a }\nattrs { a = 1 }"),
                first("meta.r", "1"),
            ),
            row(
                "read-after-command-line",
                body("meta { r = attrs.a }\nattrs { a = 1 }"),
                first("meta.r", "7"),
                sets="attrs.a=7",
            ),
            row(
                "read-after-unset-key",
                chain(
                    "attrs { a = { b = 1, c = 2 } }\nmeta { r = attrs.a.c }", "attrs { a.b = none }"
                ),
                first("meta.r", "2"),
            ),
        ),
        rule(
            "A circle of reads is an error that prints the circle (E205).",
            row("circle", attrs("a = attrs.b, b = attrs.a"), says("E205", "attrs.a", "attrs.b")),
            row("circle-of-one", attrs("a = attrs.a"), refused("E205")),
            row(
                "circle-by-condition",
                body("when attrs.a == 1 { attrs { b = 1 } }\nattrs { a = attrs.b }"),
                refused("E205"),
            ),
        ),
        rule(
            "A path that is not set, or is unset, is an error (E201).",
            row("read-not-set", attrs("a = attrs.gone"), refused("E201", "attrs.gone")),
            row("read-unset", over("a = attrs.b, b = 1", "b = none"), refused("E201", "attrs.b")),
            row(
                "read-set-conditionally",
                body("attrs { a = attrs.b\nwhen n == 1 { b = 1 } }"),
                refused("E201", "attrs.b"),
            ),
        ),
        rule(
            "A setting that has only additions (`+=`) cannot be read (E302), because the rest of it belongs to the package.",
            row("read-added", attrs("a = attrs.b, b += [1]"), refused("E302", "attrs.b")),
            row(
                "read-set-and-added",
                attrs("a = attrs.b, b = [0], b += [1]"),
                first("attrs.a", "[0, 1]"),
            ),
        ),
        rule(
            "A list that contains a list [from Nix text](#lists-from-nix-text) cannot be read either.",
            row(
                "read-nix-list",
                attrs('a = attrs.b, b = [0], b += nix"""[ 1 ]"""'),
                refused("E302", "attrs.b"),
            ),
        ),
        rule(
            "`pin` can be read even if no one wrote it: then it is the only pin.",
            row("read-only-pin", attrs('x = "{{pin}}"'), first("attrs.x", '"p"')),
        ),
    ),
)
