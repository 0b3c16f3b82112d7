"""Recipes."""

from __future__ import annotations

from support.rules import (
    HASH,
    OF_N,
    PIN,
    REV,
    all_of,
    attrs,
    body,
    chain,
    each,
    emits,
    fine,
    first,
    held,
    over,
    refused,
    row,
    rule,
    table,
    told,
    top,
)

FLAG = "flag f: bool = true\nattrs { x = f }"
F = {"f.nix": ""}
INPUT = f'input i {{ github = "a/b", rev = "{REV}", hash = "{HASH}" }}'
PIN_A = PIN.replace(" }\n", "\nconfig { a = 1, b = 2 } }\n")

TABLES = (
    table(
        "7. Recipes",
        rule(
            "A recipe says what one variant is made of.",
            row("recipe", body("attrs { x = 1 }"), emits("pinned.hello.overrideAttrs")),
        ),
        rule(
            "It may extend one other recipe: `extends base`, or `extends shared.base` for one of a module that is imported `as shared`.",
            row(
                "extends",
                chain("attrs { x = 1 }", ""),
                all_of(first("attrs.x", "1"), first("recipes", "base child")),
            ),
            row(
                "extends-of-module",
                top(
                    'use "./lib.tvar" as lib\nrecipe child extends lib.base { }\nvariant v { recipe = child }'
                ),
                first("attrs.x", "1"),
                files={"lib.tvar": "recipe base { package = pkgs.hello, attrs { x = 1 } }\n"},
            ),
            row(
                "extends-two",
                top(
                    "recipe a { package = pkgs.hello }\nrecipe b { package = pkgs.hello }\nrecipe child extends a, b { }"
                ),
                refused("E101", ","),
            ),
            row(
                "extends-itself",
                top("recipe child extends child { package = pkgs.hello }"),
                refused("E205"),
            ),
            row(
                "extends-no-recipe",
                top("let base = 1\nrecipe child extends base { package = pkgs.hello }"),
                refused("E301", "base"),
            ),
        ),
        rule(
            "what is built: `pkgs.NAME`, a [file](#packages-of-files) or a `call`; required, in the recipe or in one that it extends; not the name of a set of packages (E301)",
            *[
                row(f"package-of-set-{number}", body(f"package = {name}"), refused("E301"))
                for number, name in enumerate(
                    (
                        "pkgs",
                        "caller",
                        "pkgs.lib",
                        "pkgs.python3Packages",
                        "pkgs.python38.pkgs",
                        "pkgs.gst_all_1",
                        "pkgs.haskell.packages.ghc88",
                        "caller.perlPackages",
                    )
                )
            ],
            *[
                row(f"package-in-set-{number}", body(f"package = {name}"), fine)
                for number, name in enumerate(
                    (
                        "pkgs.python3",
                        "pkgs.python3Packages.python",
                        "pkgs.gst_all_1.gstreamer",
                        "pkgs.python3Packages.lib",
                        "pkgs.texlive.combined",
                        "pkgs.pkgsStatic.curl",
                        "pkgs.haskell.packages.ghc884.lens",
                    )
                )
            ],
            row("package", body("package = pkgs.zlib"), first("package", "pkgs.zlib")),
            row("package-of-parent", chain("", ""), first("package", "pkgs.hello")),
            row(
                "package-of-child", chain("", "package = pkgs.zlib"), first("package", "pkgs.zlib")
            ),
            row(
                "package-missing",
                top("recipe child { attrs { x = 1 } }\nvariant v { recipe = child }"),
                refused("E507", "child"),
            ),
            row(
                "package-unused-recipe",
                top(
                    "recipe child { package = pkgs.hello }\nrecipe other { attrs { x = 1 } }\nvariant v { recipe = child }"
                ),
                fine,
            ),
        ),
        rule(
            "which nixpkgs",
            row("pin", body("pin = p"), first("pin", "p")),
            row("pin-none", body("pin = none"), first("pin", "none")),
        ),
        rule(
            "overlays and patches, in the order in which they apply",
            row(
                "overlays",
                body("overlays = [b, a]", "overlay a { x = 1 }\noverlay b { y = 1 }"),
                all_of(
                    first("overlays", "b a"),
                    emits("# b (final: prev: { y = 1; }) # a (final: prev: { x = 1; })"),
                ),
            ),
            row(
                "overlays-added",
                chain(
                    "overlays = [a]", "overlays += [b]", "overlay a { x = 1 }\noverlay b { y = 1 }"
                ),
                first("overlays", "a b"),
            ),
        ),
        rule(
            "| `config { }` | added to the pin's `config` |",
            row(
                "config",
                body("config { b = 3, c = 4 }", PIN_A),
                emits("config = { a = 1; b = 3; c = 4; };"),
            ),
        ),
        rule(
            "arguments of the package: `.override`",
            row("args", body("args { x = 1 }"), emits("pinned.hello.override { x = 1; }")),
        ),
        rule(
            "attributes of the derivation: `.overrideAttrs`",
            row("attrs", attrs("x = 1"), emits("pinned.hello.overrideAttrs (_: { x = 1; })")),
        ),
        rule(
            "the derivation's `env`",
            row("env", body('env { A = "1" }'), emits('(old.env or { }) // { A = "1"; }')),
        ),
        rule(
            "a phase, hook or other script, in [parts](#9-scripts)",
            row("script", body('script preConfigure { part a "A" }'), emits("preConfigure = ")),
        ),
        rule(
            "added to the package's own",
            row(
                "passthru",
                body("passthru { a = 1 }"),
                emits("passthru = (old.passthru or { }) // { a = 1; };"),
            ),
            row("meta", body("meta { a = 1 }"), emits("meta = (old.meta or { }) // { a = 1; };")),
        ),
        rule(
            "a name, for this recipe and those that extend it",
            row("let", body("let k = 1\nattrs { x = k }"), first("attrs.x", "1")),
            row("let-of-parent", chain("let k = 1", "attrs { x = k }"), first("attrs.x", "1")),
            row("let-of-child", chain("attrs { x = k }", "let k = 1"), refused("E201", "k")),
        ),
        rule("a switch, see below", row("flag", body(FLAG), first("flags.f", "true"))),
        rule(
            "items for the variants in which `C` holds",
            row("when", body("when n == 1 { attrs { x = 1 } }"), each("attrs.x", "1", "absent")),
        ),
        rule(
            "[checks](#12-checks) on this recipe's variants",
            row("require", body('require n == 1 because "so"'), refused("E405")),
            row(
                "require-of-other",
                body("") + 'recipe other { package = pkgs.hello, require n == 1 because "so" }\n',
                fine,
            ),
        ),
        rule(
            "`env`, `passthru` and `meta` have blocks of their own and do not stand in `attrs`.",
            *[
                row(f"attrs-{block}", attrs(f"{block} = {{ a = 1 }}"), refused("E210"))
                for block in ("env", "passthru", "meta")
            ],
            *[
                row(f"attrs-{block}-key", attrs(f"{block}.a = 1"), refused("E210"))
                for block in ("env", "passthru", "meta")
            ],
        ),
        rule(
            "In all blocks `a.b = x` sets one key of a record, and `x.a = …` in the recipe stands for `x { a = … }`.",
            *[
                row(
                    f"key-in-{block}",
                    body(f"{block} {{ a.b = 1, a.c = 2 }}"),
                    first(
                        f"{block}.a",
                        ("old // " if block in ("attrs", "passthru", "meta") else "")
                        + "{ b = 1, c = 2 }",
                    ),
                )
                for block in ("args", "attrs", "passthru", "meta", "config")
            ],
            row(
                "block-by-path",
                body("attrs.x = 1\nattrs.y.z = 2"),
                all_of(first("attrs.x", "1"), first("attrs.y", "old // { z = 2 }")),
            ),
            row("block-by-path-added", body("attrs.x += [1]"), first("attrs.x", "old ++ [1]")),
            row("block-by-path-unknown", body("atrs.x = 1"), refused("E210")),
        ),
        *told(
            "An argument in `args` that the package does not take is refused by Nix in its own words",
        ),
        rule(
            'A value says why it is there with `because "…"`, at the end of the setting.',
            row("because", attrs('x = 1 because "so it is"'), emits("# so it is")),
            row("because-added", attrs('x += [1] because "so it is"'), emits("# so it is")),
            row("because-of-record-key", attrs('x.y = 1 because "so it is"'), emits("# so it is")),
            row(
                "because-lost",
                over('x = 1 because "so it is"', "x = 2"),
                emits("x = 2;", never=("so it is",)),
            ),
        ),
        rule(
            "The reason is plain text, without interpolation.",
            row("because-interpolated", attrs('x = 1 because "{{n}}"'), refused("E209", "{{n}}")),
        ),
        rule(
            "It becomes a comment in the emitted Nix; elements that follow each other in a list for one reason have one.",
            row("because-once", attrs('x = [1, 2] because "so"'), emits("# so x = [ 1 2 ];")),
            row(
                "because-joined",
                attrs('x = [1] because "so"\nx += [2] because "so"\nx += [3] because "other"'),
                emits("# so x = [ 1 2 # other 3 ];"),
            ),
            row(
                "because-apart",
                attrs('x = [1]\nx += [2, 3] because "so"\nx += [4]\nx += [5] because "so"'),
                emits("x = [ 1 # so 2 3 4 # so 5 ];"),
            ),
        ),
        rule(
            "may stand wherever settings stand: in a recipe, in a block, in a script, in another `when`.",
            row(
                "when-in-recipe",
                body("when n == 1 { attrs { x = 1 } }"),
                each("attrs.x", "1", "absent"),
            ),
            row("when-in-block", attrs("when n == 1 { x = 1 }"), each("attrs.x", "1", "absent")),
            row(
                "when-in-script",
                body('script s { when n == 1 { part a "A" }, part b "B" }'),
                each("script.s", 'old, a "A", b "B"', 'old, b "B"'),
            ),
            row(
                "when-in-when",
                body("when n < 2 { when n > 0 { attrs { x = 1 } } }"),
                each("attrs.x", "1", "absent"),
            ),
            row(
                "when-both-hold",
                body("when n < 9 { when n == 2 { attrs { x = 1 } } }"),
                each("attrs.x", "absent", "1"),
            ),
            row(
                "when-in-matrix",
                body("", "", OF_N.replace(" }", ", when n == 1 { attrs { x = 1 } } }", 1)),
                each("attrs.x", "1", "absent"),
            ),
        ),
        rule(
            "It holds no `let` and declares no `flag`.",
            row("when-let", body("when n == 1 { let k = 1 }"), refused("E209")),
            row("when-flag", body("when n == 1 { flag f: bool = true }"), refused("E209")),
            row(
                "when-sets-flag",
                body("flag f: bool = true\nattrs { x = f }\nwhen n == 1 { flag f = false }"),
                each("attrs.x", "false", "true"),
            ),
        ),
        rule(
            "**Flags** are switches with a computed default.",
            row(
                "flag-default",
                body("flag f: bool = n == 1\nattrs { x = f }"),
                each("attrs.x", "true", "false"),
            ),
            row(
                "flag-reads-setting",
                body('flag f: string = attrs.y\nattrs { x = f, y = "s" }'),
                first("attrs.x", '"s"'),
            ),
            row("flag-no-default", body("flag f: bool\nattrs { x = f }"), refused("E101")),
        ),
        rule(
            "The type is one of those of facts.",
            row("flag-type", body("flag f: int = 1\nattrs { x = f }"), first("attrs.x", "1")),
            row("flag-other-type", body('flag f: int = "s"\nattrs { x = f }'), refused("E301")),
            row(
                "flag-one-of",
                body('flag f: one_of("a", "b") = "b"\nattrs { x = f }'),
                first("attrs.x", '"b"'),
            ),
            row(
                "flag-not-one-of",
                body('flag f: one_of("a", "b") = "c"\nattrs { x = f }'),
                refused("E301"),
            ),
            row("flag-list", body("flag f: [int] = [1]\nattrs { x = f }"), first("attrs.x", "[1]")),
        ),
        rule(
            "sets one that an ancestor declared: in a recipe that extends it, in a matrix, in a `when`, or by `--flag f=value`.",
            row("flag-in-child", chain(FLAG, "flag f = false"), first("attrs.x", "false")),
            row(
                "flag-in-matrix",
                body(FLAG, "", OF_N.replace(" }", ", flag f = false }", 1)),
                first("attrs.x", "false"),
            ),
            row(
                "flag-in-when",
                body(FLAG + "\nwhen n == 2 { flag f = false }"),
                each("attrs.x", "true", "false"),
            ),
            row("flag-by-option", body(FLAG), first("attrs.x", "false"), flag="f=false"),
            row(
                "flag-matrix-over-child",
                chain(FLAG, "flag f = false", "", OF_N.replace(" }", ", flag f = true }", 1)),
                first("attrs.x", "true"),
            ),
            row(
                "flag-option-over-force",
                body(FLAG + "\nforce flag f = true").replace("force flag", "flag"),
                first("attrs.x", "false"),
                flag="f=false",
            ),
            row("flag-unknown", chain("", "flag f = false"), refused("E201", "f")),
            row("flag-of-type", chain(FLAG, "flag f = 1"), refused("E301")),
            row(
                "flag-text-by-option",
                body('flag f: one_of("a", "b") = "a"\nattrs { x = f }'),
                first("attrs.x", '"b"'),
                flag="f=b",
            ),
            *[
                row(
                    f"flag-{kind}-by-word",
                    body(f"flag f: {kind} = {default}\nattrs {{ x = f }}"),
                    refused("E201", "b"),
                    flag="f=b",
                )
                for kind, default in (("bool", "true"), ("int", "1"))
            ],
            row(
                "flag-of-two-types-by-word",
                body(
                    'flag f: string = "a"\nattrs { x = f }',
                    "recipe other { package = pkgs.hello, flag f: int = 1, attrs { x = f } }\n"
                    "variant w { recipe = other }",
                ),
                refused("E201", "b"),
                flag="f=b",
            ),
            row(
                "flag-text-by-let",
                body('flag f: string = "a"\nattrs { x = f }', 'let b = "of b"\n'),
                first("attrs.x", '"of b"'),
                flag="f=b",
            ),
            row("flag-unknown-by-option", body(FLAG), refused("E505"), flag="g=false"),
        ),
        rule(
            "Two declarations of one flag in a chain are an error.",
            row("flag-twice", chain(FLAG, "flag f: bool = false"), refused("E202")),
            row("flag-twice-in-one", body(FLAG + "\nflag f: bool = true"), refused("E202")),
        ),
    ),
    table(
        "Packages of files",
        rule(
            '`package = path("./f.nix")` builds what the function in a file makes, and so does a `file` of an [input](#input).',
            row(
                "of-file",
                body('package = path("./f.nix")'),
                emits("callPackage ./f.nix { }"),
                files=F,
            ),
            row(
                "of-file-of-input",
                body('package = file(i, "f.nix")', INPUT),
                emits('pinned.callPackage (i-input + "/f.nix") { }'),
            ),
        ),
        rule(
            "callPackage fills its arguments; `args { }` says the others, and goes before.",
            row(
                "of-file-args",
                body('package = path("./f.nix")\nargs { a = n }\nattrs { b = 1 }'),
                emits(
                    "(pinned.callPackage ./f.nix { a = 1; }).overrideAttrs", never=(".override {",)
                ),
                files=F,
            ),
            row(
                "of-file-called",
                body('pin = none\npackage = path("./f.nix")\nargs { a = pkgs.zlib }'),
                emits("{ callPackage, zlib }: callPackage ./f.nix { a = zlib; }"),
                files=F,
            ),
        ),
        rule(
            "`package = call(F, a, …)` builds what a function makes of what is written and of nothing else: from scratch, with what `attrs` and `env` add to it by `.overrideAttrs`.",
            row(
                "of-call",
                body("package = call(pkgs.f, { a = n }, 2)\nattrs { b = 1 }"),
                emits("(pinned.f { a = 1; } 2).overrideAttrs (_: { b = 1; })"),
            ),
            row(
                "of-call-args",
                body("package = call(pkgs.f, { a = n })\nargs { b = 1 }"),
                refused("E209", "b = 1"),
            ),
            row("of-input", body("package = i", INPUT), refused("E301", "package = i")),
            row(
                "of-source",
                body(f'package = url("https://a.org/b", hash = "{HASH}")'),
                refused("E301"),
            ),
        ),
    ),
    table(
        "PyTorch",
        *held(
            "unit/test_stdlib_torch_build.py",
            "**`std.torch-build`** has recipes of PyTorch to extend: `torch-cuda`, `torch-rocm`, `torch-cpu` and `torch-mps`.",
        ),
        *held(
            "unit/test_stdlib_docs.py",
            "They read the axes of the library, and their flags follow from its facts; all of them are listed in [stdlib.md](stdlib.md#stdtorch-build).",
        ),
    ),
)
