"""How a value is decided."""

from __future__ import annotations

from support.rules import (
    AXES,
    MATRIX,
    OF_N,
    PIN,
    Expectation,
    Made,
    Row,
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
    says,
    shown_setting,
    table,
    told,
    top,
)


def layers(parent: str, child: str, matrix: str, more: str = "") -> str:
    """Attributes written in a recipe, in one that extends it, in a matrix, in one that extends that."""
    lower = (
        f'matrix low {{ recipe = child, axes = n, name = "low{{{{n}}}}", attrs {{ {matrix} }} }}\n'
    )
    upper = f'matrix m extends low {{ name = "v{{{{n}}}}", attrs {{ {more} }} }}\n'
    return over(parent, child).replace(OF_N, lower + upper)


def of_m(shown: str) -> Expectation:
    """In matrix `m` of `layers`, `attrs.x`."""

    def expect(made: Made) -> None:
        made.good()
        (found,) = {shown_setting(one, "attrs.x") for one in made.recipes if one.matrix == "m"}
        assert found == shown, f"{found}, not {shown}{made.report}"

    return expect


def wins(name: str, parent: str, child: str, shown: str, other: str = "") -> Row:
    """`attrs.x` of what a recipe and one that extends it write; *other* in the second variant, where
    `n == 1` does not hold."""
    return row(name, over(parent, child), each("attrs.x", shown, other or shown))


def one(name: str, items: str, shown: str, other: str = "") -> Row:
    return row(name, attrs(items), each("attrs.x", shown, other or shown))


def bad(name: str, parent: str, child: str, code: str, *at: str) -> Row:
    return row(name, over(parent, child), refused(code, *at))


def given(name: str, parent: str, child: str, value: str, shown: str) -> Row:
    return row(name, over(parent, child), first("attrs.x", shown), sets=f"attrs.x={value}")


STRUCTURED = "assert (old.__structuredAttrs or false) || throw"
ALWAYS_FAILS = "[1][7]"

TABLES = (
    table(
        "How a value is decided",
        *told(
            "Use this page to find out which value a setting gets when several lines write it, and how",
            "**What `+=` adds to.",
            "**Kinds of attributes.",
        ),
        *told(
            "**Which `=` wins.** The strongest comes first:",
            "**Where `+=` and `-=` apply.",
            "**Keys of records.",
        ),
        rule(
            "`=` sets, `+=` adds to a list or a record, and `-=` removes from a list.",
            one("set", "x = 1", "1"),
            one("add", "x = [1], x += [2]", "[1, 2]"),
            one("add-to-record", "x = { a = 1 }, x += { b = 2 }", "{ a = 1, b = 2 }"),
            one("remove", "x = [1, 2], x -= [1]", "[2]"),
            one("remove-one-alone", "x = [1, 2], x -= 1", "[2]"),
            one("remove-all-that-are-equal", "x = [1, 2, 1], x -= [1]", "[2]"),
            one("remove-then-add", "x = [1, 2], x -= [1], x += [1]", "[2, 1]"),
            bad("add-to-integer", "x = 1", "x += [2]", "E301"),
            bad("add-no-list", "x = [1]", "x += 2", "E301"),
            bad("remove-from-record", "x = { a = 1 }", 'x -= ["a"]', "E301"),
        ),
        rule(
            "the command line: `--set PATH=VALUE`, `--flag F=VALUE`;",
            given("set-over-plain", "x = 1", "x = 2", "3", "3"),
            given("set-over-force", "x = 1", "force x = 2", "3", "3"),
            given("set-over-added", "x = [1]", "x += [2]", "[3]", "[3]"),
            given("set-where-nothing-is", "", "y = 1", "3", "3"),
            row(
                "flag-over-force",
                chain("flag f: bool = true\nattrs { x = f }", "flag f = true"),
                first("attrs.x", "false"),
                flag="f=false",
            ),
        ),
        rule(
            "`force x = …`;",
            wins("force-over-child", "force x = 1", "x = 2", "1"),
            wins("force-over-conditional", "force x = 1", "when n == 1 { x = 2 }", "1"),
            wins("force-of-child", "x = 1", "force x = 2", "2"),
            row(
                "force-over-matrix",
                layers("force x = 1", "x = 2", "x = 3", "x = 4"),
                of_m("1"),
            ),
            wins("force-holds-conditionally", "when n == 1 { force x = 1 }", "x = 2", "1", "2"),
        ),
        rule(
            "depth in the chain: the matrix, then each matrix that it extends, then the recipe, then each",
            wins("depth-child", "x = 1", "x = 2", "2"),
            wins("depth-child-alone", "", "x = 2", "2"),
            wins("depth-parent-alone", "x = 1", "y = 2", "1"),
            row("depth-matrix-over-recipe", layers("x = 1", "x = 2", "x = 3"), of_m("3")),
            row(
                "depth-matrix-over-matrix",
                layers("x = 1", "x = 2", "x = 3", "x = 4"),
                of_m("4"),
            ),
            row(
                "depth-upper-matrix-over-recipe",
                layers("x = 1", "x = 2", "y = 3", "x = 4"),
                of_m("4"),
            ),
            row(
                "depth-recipe-where-matrix-is-silent",
                layers("x = 1", "x = 2", "y = 3", "y = 4"),
                of_m("2"),
            ),
            row(
                "depth-not-order",
                top(
                    AXES
                    + "recipe child extends base { attrs { x = 2 } }\nrecipe base { package = pkgs.hello, attrs { x = 1 } }\n"
                    + OF_N
                ),
                first("attrs.x", "2"),
            ),
            row(
                "depth-grandparent",
                over("x = 1", "").replace("extends base", "extends mid")
                + "recipe mid extends base { attrs { x = 2 } }\n",
                first("attrs.x", "2"),
            ),
        ),
        rule(
            "A child's `=` shadows everything that its ancestors wrote, conditional or not;",
            wins("child-over-conditional", "when n == 1 { x = 1 }", "x = 2", "2"),
            wins("child-over-both", "x = 0, when n == 1 { x = 1 }", "x = 2", "2"),
            wins("child-conditional", "x = 1", "when n == 1 { x = 2 }", "2", "1"),
            wins("child-over-added", "x = [1], x += [2]", "x = [3]", "[3]"),
            wins("child-over-removed", "x += [1], x -= [2]", "x = [3]", "[3]"),
            wins("child-over-key", "x.a = 1", "x = { b = 2 }", "{ b = 2 }"),
        ),
        rule(
            "within one recipe, a `when` whose condition is true wins over settings outside of any `when`;",
            one("when-over-plain", "x = 1, when n == 1 { x = 2 }", "2", "1"),
            one("when-before-plain", "when n == 1 { x = 2 }\nx = 1", "2", "1"),
            one("when-not-deeper", "x = 1, when n < 9 { when n == 1 { x = 2 } }", "2", "1"),
            row(
                "when-two-deep-is-no-stronger",
                attrs("when n < 9 { x = 1, when n == 1 { x = 2 } }"),
                refused("E501", "x = 2"),
            ),
        ),
        rule(
            "`default x = …`, which is weaker than any plain `=`, even that of an ancestor.",
            wins("default-under-ancestor", "x = 1", "default x = 2", "1"),
            wins("default-under-child", "default x = 1", "x = 2", "2"),
            wins("default-alone", "default x = 1", "", "1"),
            one("default-in-one", "default x = 1, x = 2", "2"),
            wins("default-under-conditional", "when n == 1 { x = 1 }", "default x = 2", "1", "2"),
            row("default-of-matrix", layers("x = 1", "y = 2", "default x = 3"), of_m("1")),
            row(
                "default-under-option",
                attrs("default x = 1"),
                first("attrs.x", "2"),
                sets="attrs.x=2",
            ),
        ),
        rule(
            "Rules 3 and 4 decide between several `force`, and between several `default`.",
            wins("force-depth", "force x = 1", "force x = 2", "2"),
            one("force-when", "force x = 1, when n == 1 { force x = 2 }", "2", "1"),
            wins("force-depth-over-when", "when n == 1 { force x = 1 }", "force x = 2", "2"),
            wins("default-depth", "default x = 1", "default x = 2", "2"),
            one("default-when", "default x = 1, when n == 1 { default x = 2 }", "2", "1"),
            wins("default-depth-over-when", "when n == 1 { default x = 1 }", "default x = 2", "2"),
            bad("force-equal", "", "force x = 1, force x = 2", "E501", "force x = 2"),
            bad("default-equal", "", "default x = 1, default x = 2", "E501", "default x = 2"),
            wins("default-equal-loses", "default x = 1, default x = 2", "x = 3", "3"),
        ),
        rule(
            "Two `=` of equal rank may have the same value.",
            one("equal-same", "x = 1, x = 1", "1"),
            one("equal-same-list", "x = [1], x = [1]", "[1]"),
            one(
                "equal-same-record",
                "x = { a = 1, b = 2 }, x = { b = 2, a = 1 }",
                "{ a = 1, b = 2 }",
            ),
            one(
                "equal-same-conditional",
                "when n == 1 { x = 1 }\nwhen n < 2 { x = 1 }",
                "1",
                "absent",
            ),
            one("equal-same-force", "force x = 1, force x = 1", "1"),
        ),
        rule(
            "If their values differ, it is the error E501, which shows both.",
            row("equal-different", attrs("x = 1, x = 2"), says("E501", "sets 2", "sets 1")),
            bad("equal-other-kind", "", 'x = 1, x = "1"', "E501", 'x = "1"'),
            bad("equal-true-is-not-one", "", "x = 1, x = true", "E501", "x = true"),
            bad("equal-spelling-of-version", "", "x = 2.10, x = 2.10.0", "E501", "x = 2.10.0"),
            bad(
                "equal-conditional",
                "",
                "when n == 1 { x = 1 }\nwhen n < 2 { x = 2 }",
                "E501",
                "x = 2",
            ),
            one("never-both", "when n == 1 { x = 1 }\nwhen n == 2 { x = 2 }", "1", "2"),
            wins("equal-that-lose", "x = 1, x = 2", "x = 3", "3"),
            bad("equal-in-parent", "x = 1, x = 2", "y = 3", "E501", "x = 2"),
            wins("loser-fails", f"x = {ALWAYS_FAILS}", "x = 1", "1"),
            wins("loser-fails-in-one", "default x = [1][7]", "x = 1", "1"),
            wins("loser-of-force-fails", "force x = 1", f"x = {ALWAYS_FAILS}", "1"),
            wins("loser-conditional-fails", f"when n == 1 {{ x = {ALWAYS_FAILS} }}", "x = 1", "1"),
            wins("loser-that-adds-fails", f"x += {ALWAYS_FAILS}", "x = [1]", "[1]"),
            row(
                "loser-to-option-fails",
                attrs(f"x = {ALWAYS_FAILS}"),
                first("attrs.x", "1"),
                sets="attrs.x=1",
            ),
            bad("winner-fails", "x = 1", f"x = {ALWAYS_FAILS}", "E305", "7"),
            bad("equal-fails", "", f"x = 1, x = {ALWAYS_FAILS}", "E305", "7"),
            bad("what-adds-beside-fails", "", f"x = [1], x += {ALWAYS_FAILS}", "E305", "7"),
            bad("what-adds-after-fails", "x = [1]", f"x += {ALWAYS_FAILS}", "E305", "7"),
            bad(
                "what-adds-to-default-fails", f"x += {ALWAYS_FAILS}", "default x = [1]", "E305", "7"
            ),
            bad(
                "condition-of-loser-fails",
                f"when {ALWAYS_FAILS} == 1 {{ x = 1 }}",
                "x = 1",
                "E305",
                "7",
            ),
        ),
        rule(
            "They apply in the order written: from the root recipe to the matrix that is built, and in each of these from top to bottom. The ones in a `when` apply in their place.",
            wins("order-chain", "x = [1], x += [2]", "x += [3]", "[1, 2, 3]"),
            row(
                "order-layers",
                layers("x = [1]", "x += [2]", "x += [3]", "x += [4]"),
                of_m("[1, 2, 3, 4]"),
            ),
            one(
                "order-when",
                "x = [1], x += [2], when n == 1 { x += [3] }\nx += [4]",
                "[1, 2, 3, 4]",
                "[1, 2, 4]",
            ),
            one("order-remove-before", "x = [1], x -= [1], x += [1]", "[1]"),
            one("order-remove-after", "x = [1], x += [2], x -= [2]", "[1]"),
            bad("order-remove-too-early", "", "x = [1], x -= [2], x += [2]", "E502", "x -= [2]"),
            wins("order-child-removes", "x = [1], x += [2]", "x -= [1]", "[2]"),
        ),
        rule(
            "They apply after the `=` that wins, wherever that `=` is in its recipe.",
            one("after-set", "x += [2], x = [1]", "[1, 2]"),
            one(
                "after-set-conditional",
                "x += [2], when n == 1 { x = [1] }\nx = [0]",
                "[1, 2]",
                "[0, 2]",
            ),
            wins("after-set-of-child", "y = 1", "x += [2], x = [1]", "[1, 2]"),
            wins(
                "after-conditional-set-of-same",
                "y = 1",
                "x = [0], x += [2], when n == 1 { x = [1] }",
                "[1, 2]",
                "[0, 2]",
            ),
        ),
        rule(
            "A `=` deeper in the chain shadows the additions of ancestors. A `default` shadows no additions.",
            wins("shadows-additions", "x += [1]", "x = [2]", "[2]"),
            wins(
                "shadows-additions-conditionally",
                "x += [1]",
                "when n == 1 { x = [2] }",
                "[2]",
                "old ++ [1]",
            ),
            wins("force-shadows-additions", "x += [1]", "force x = [2]", "[2]"),
            wins(
                "force-of-ancestor-shadows-none", "force x = [1], x += [2]", "x += [3]", "[1, 2, 3]"
            ),
            wins("default-shadows-none", "x += [1]", "default x = [0]", "[0, 1]"),
            wins("same-depth-shadows-none", "y = 1", "x = [0], x += [1]", "[0, 1]"),
            row(
                "option-shadows-additions",
                layers("x = [1]", "x += [2]", "x += [3]", "x += [4]"),
                of_m("[9]"),
                sets="attrs.x=[9]",
            ),
        ),
        rule(
            "Additions have no rank: `default` and `force` go with `=` only.",
            bad("default-add", "", "default x += [1]", "E209"),
            bad("force-add", "", "force x += [1]", "E209"),
            bad("force-remove", "", "force x -= [1]", "E209"),
        ),
        rule(
            "the block decides what `+=` adds to: | `attrs`, `passthru`, `meta` | the package's own value (`old.x`), or an empty one | | `config`, and `overlays` | an empty value | | `args` | nothing: it is an error",
            *[
                row(
                    f"ground-{block}",
                    body(f"{block} {{ x += [1] }}"),
                    first(f"{block}.x", "old ++ [1]"),
                )
                for block in ("attrs", "passthru", "meta")
            ],
            row(
                "ground-attrs-emitted",
                attrs("x += [1]"),
                emits("x = pinned.lib.remove null (pinned.lib.toList (old.x or [ ])) ++ [ 1 ];"),
            ),
            row(
                "ground-config",
                body("config { x += [1] }"),
                all_of(first("config.x", "[1]"), emits("x = [ 1 ];")),
            ),
            row(
                "ground-overlays",
                body("overlays += [o]", "overlay o { x = 1 }"),
                first("overlays", "o"),
            ),
            row("ground-args", body("args { x += [1] }"), refused("E504", "x += [1]")),
            row(
                "ground-args-set",
                chain("args { x = [1] }", "args { x += [2] }"),
                first("args.x", "[1, 2]"),
            ),
            row("ground-args-record", body("args { x += { a = 1 } }"), refused("E504")),
            row(
                "ground-args-record-unset",
                chain("args { x = { a = 1 } }", "args { x = none, x += { a = 1 } }"),
                refused("E504", "x += { a = 1 }"),
            ),
            row("ground-args-key-record", body("args { x.y += { a = 1 } }"), refused("E504")),
            row(
                "ground-args-record-set",
                chain("args { x = { a = 1 } }", "args { x += { b = 2 } }"),
                first("args.x", "{ a = 1, b = 2 }"),
            ),
            row("ground-args-remove", body("args { x -= [1] }"), refused("E504")),
        ),
        rule(
            "A variable of `env` holds text, and nothing can be added to it (E301).",
            row("env-add-list", body("env { X += [1] }"), refused("E301", "X += [1]")),
            row("env-add-text", body('env { X += "a" }'), refused("E301", 'X += "a"')),
            row("env-list", body('env { X = ["a"] }'), refused("E301", '["a"]')),
            row("env-record", body("env { X = { a = 1 } }"), refused("E301", "{ a = 1 }")),
            row("env-key", body("env { X.a = 1 }"), refused("E301", "X.a = 1")),
            row("env-text", body('env { X = "a", Y = "{{n}}" }'), first("env.Y", '"1"')),
        ),
        rule(
            'A list of packages such as `buildInputs` holds no text except an absolute path. `patches` holds no text that begins with `./` or `../`, or that names a file next to the program (E301). Write `path("./x.patch")` for it.',
            *[
                row(
                    f"text-in-{key}", attrs(f'{key} += [pkgs.a, "zlib"]'), refused("E301", '"zlib"')
                )
                for key in ("buildInputs", "propagatedBuildInputs", "nativeCheckInputs")
            ],
            row("text-as-inputs", attrs('buildInputs += ["a b"]'), refused("E301", '"a b"')),
            row("version-in-inputs", attrs("checkInputs = [1.2]"), refused("E301", "1.2")),
            row("number-in-inputs", attrs("depsBuildBuild = [1]"), refused("E301", "1")),
            row("text-in-let", attrs("buildInputs = l", 'let l = ["z"]'), refused("E301", "l")),
            row(
                "text-in-inputs-of-overlay",
                body("overlays = [o]", 'overlay o for a { buildInputs = ["z"] }'),
                refused("E301", '"z"'),
            ),
            row("store-in-inputs", attrs('buildInputs += ["/nix/store/a"]'), fine),
            row("text-of-nix-in-inputs", attrs('buildInputs += ["{{pkgs.a}}/b"]'), fine),
            row("nothing-in-inputs", attrs("buildInputs += [null, pkgs.a]"), fine),
            row("file-in-inputs", attrs('buildInputs += [path("./a.patch")]'), fine),
            row("text-out-of-inputs", attrs('buildInputs -= ["zlib"]'), fine),
            row("text-in-list-of-words", attrs('outputs += ["doc"]'), fine),
            row("text-of-patch", attrs('patches += ["./x.patch"]'), refused("E301", '"./x.patch"')),
            row("text-of-patch-above", attrs('patches = "../x"'), refused("E301", '"../x"')),
            row("patch-of-source", attrs('patches += ["debian/x.patch"]'), fine),
            row(
                "text-of-patch-beside",
                attrs('patches += [if true then "debian/x.patch" else "y.patch"]'),
                refused("E301", 'if true then "debian/x.patch" else "y.patch"'),
                files={"debian/x.patch": ""},
            ),
            row(
                "text-of-patch-elsewhere",
                attrs('patches += ["x.patch"]'),
                fine,
                files={"debian/x.patch": ""},
            ),
            row("patch-of-nix", attrs('patches += ["{{pkgs.a}}/x.patch"]'), fine),
        ),
        rule(
            "If the compiler knows a list, to remove an element that the list does not hold is an error (E502). From the package's own list, Nix",
            bad("remove-missing", "x = [1]", "x -= [2]", "E502", "x -= [2]"),
            one("remove-there", "x = [1, 2], x -= [2]", "[1]"),
            one("remove-from-own", "x -= [2]", "old ++ [] - [2]"),
            one("remove-added-from-own", "x += [1], x -= [1]", "old ++ []"),
            one("remove-other-from-own", "x += [1], x -= [2]", "old ++ [1] - [2]"),
            bad("remove-twice", "x = [1]", "x -= [1], x -= [1]", "E502", "x -= [1]"),
            bad("remove-other-kind", 'x = ["1"]', "x -= [1]", "E502", "x -= [1]"),
            bad("remove-pname-from-known", "x = [pkgs.zlib]", 'x -= pname("z*")', "E502"),
        ),
        rule(
            "Some attributes of a package are read by nixpkgs, and each of these has one kind. `doCheck` and `meta.broken` are",
            *[
                row(f"kind-{name}", body(f"{block} {{ {items} }}", matrix=MATRIX), fine)
                for name, block, items in (
                    ("truth", "attrs", "doCheck = true, doInstallCheck = n == 1"),
                    ("structured", "attrs", "__structuredAttrs = true"),
                    ("list", "attrs", 'buildInputs = [], outputs = ["out"]'),
                    ("list-made", "attrs", 'hardeningDisable = split("a b", " ")'),
                    ("list-added", "attrs", "buildInputs += [pkgs.zlib], outputs -= [pkgs.zlib]"),
                    ("list-of-nix", "attrs", 'buildInputs += nix"""[ ]"""'),
                    ("text", "attrs", 'pname = "a", version = "1"'),
                    ("version", "attrs", "version = 1.0"),
                    ("axis-value", "attrs", "version = row"),
                    ("text-of-own", "attrs", 'version = "{{old.version}}a"'),
                    ("meta", "meta", 'broken = true, platforms = ["x86_64-linux"]'),
                    ("others", "attrs", 'doChek = "yes", broken = 1, platforms = "x"'),
                    ("others-in-meta", "meta", "doCheck = 1, version = 2"),
                    ("passthru", "passthru", 'doCheck = "yes", buildInputs = 1, broken = 2'),
                    ("args", "args", 'doCheck = "yes", version = 1'),
                )
            ],
            row(
                "kind-unset",
                over("doCheck = true", "doCheck = none"),
                first("attrs.doCheck", "absent"),
            ),
            row("kind-of-nixpkgs", body("overlays = [o]", "overlay o { version = 1 }"), fine),
            row("kind-of-set", body("overlays = [o]", "overlay o in qt5 { version = 1 }"), fine),
        ),
        rule(
            "A value of another kind is an error (E301), in parts and as a script too. A value that only Nix knows may be of any kind.",
            *[
                row(f"no-kind-{name}", body(f"{block} {{ {items} }}"), refused("E301", at))
                for name, block, items, at in (
                    ("text", "attrs", 'doCheck = "yes"', '"yes"'),
                    ("integer", "attrs", "doCheck = 1", "1"),
                    ("null", "attrs", "doCheck = null", "null"),
                    ("list", "attrs", "doCheck = [true]", "[true]"),
                    ("key", "attrs", "doCheck.a = true", "doCheck.a = true"),
                    ("text-of-own", "attrs", 'doCheck = "{{old.x}}"', '"{{old.x}}"'),
                    ("no-list", "attrs", 'buildInputs = "a"', '"a"'),
                    ("no-list-added", "attrs", 'buildInputs += "a"', '"a"'),
                    ("no-list-null", "attrs", "buildInputs = null", "null"),
                    ("key-of-list", "attrs", "buildInputs.a = 1", "buildInputs.a = 1"),
                    ("version-integer", "attrs", "version = 1", "1"),
                    ("version-list", "attrs", 'version = ["1"]', '["1"]'),
                    ("version-added", "attrs", 'version += ["a"]', '["a"]'),
                    ("version-path", "attrs", "version = null", "null"),
                    ("meta-truth", "meta", 'broken = "yes"', '"yes"'),
                    ("meta-list", "meta", 'platforms = "x86_64-linux"', '"x86_64-linux"'),
                    ("by-condition", "attrs", "when n == 2 { doCheck = 1 }", "1"),
                    ("record", "attrs", "doCheck = { a = 1 }", "doCheck = { a = 1 }"),
                    ("part", "attrs", 'doCheck { part a "yes" }', '"yes"'),
                    ("part-of-list", "attrs", 'buildInputs { part a "x" }', '"x"'),
                    ("part-of-meta", "meta", 'broken { part a "x" }', '"x"'),
                    ("script", "script doCheck", 'part a "x"', 'part a "x"'),
                    ("script-of-list", "script buildInputs", 'part a "x"', 'part a "x"'),
                )
            ],
            *[
                row(
                    f"no-kind-in-overlay-{name}",
                    body("overlays = [o]", f"overlay o for zlib {{ {items} }}"),
                    refused("E301", at),
                )
                for name, items, at in (
                    ("plain", "doCheck = 1", "1"),
                    ("meta", "meta { broken = 1 }", "1"),
                    ("part", 'doCheck { part a "x" }', '"x"'),
                    ("script", 'script doCheck { part a "x" }', 'part a "x"'),
                )
            ],
            row(
                "kind-parts-of-text",
                body('attrs { version { part a "1" } }\nscript pname { part a "x" }'),
                fine,
            ),
            *[
                row(f"kind-of-nix-{name}", attrs(items), fine)
                for name, items in (
                    ("truth", "doCheck = pkgs.x.doCheck"),
                    ("list", "buildInputs = old.buildInputs"),
                    ("text", 'version = nix"""1"""'),
                )
            ],
        ),
        rule(
            "A variable in `env` cannot have the name of such an attribute. It cannot be called `env`, `meta`",
            *[
                row(
                    f"no-variable-{name}",
                    body(f'env {{ {name} = "x" }}'),
                    refused("E301", f'{name} = "x"'),
                )
                for name in ("doCheck", "buildInputs", "version", "env", "meta", "passthru")
            ],
            row("no-variable-in-parts", body('env { version { part a "x" } }'), refused("E301")),
            row(
                "no-variable-in-overlay",
                body("overlays = [o]", 'overlay o for zlib { env { version = "1" } }'),
                refused("E301", 'version = "1"'),
            ),
            *[
                row(
                    f"variable-{name}", body(f'env {{ {name} = "x" }}'), first(f"env.{name}", '"x"')
                )
                for name in ("DOCHECK", "broken", "platforms", "cmakeFlags", "config", "args")
            ],
        ),
        rule(
            "`stdenv`, `system` and `userHook` would change nothing in `env` or in `attrs`, so they are",
            *[
                row(
                    f"overwritten-{name}-in-{block}",
                    body(f'{block} {{ {name} = "x" }}'),
                    refused("E210", f'{name} = "x"'),
                )
                for name in ("stdenv", "system", "userHook")
                for block in ("attrs", "env")
            ],
            *[
                row(
                    f"overwritten-{name}-elsewhere",
                    body(
                        f'args {{ {name} = "x" }}\nmeta {{ {name} = 1 }}\npassthru {{ {name} = 2 }}'
                    ),
                    all_of(first(f"args.{name}", '"x"'), first(f"meta.{name}", "1")),
                )
                for name in ("stdenv", "system", "userHook")
            ],
            row("overwritten-key", attrs("stdenv.cc = 1"), refused("E210", "stdenv.cc = 1")),
            row("overwritten-nix", attrs("stdenv = pkgs.clangStdenv"), refused("E210")),
            row("overwritten-added", attrs("system += [1]"), refused("E210", "system += [1]")),
            row("overwritten-part", attrs('system { part a "x" }'), refused("E210", 'part a "x"')),
            row(
                "overwritten-script",
                body('script system { part a "x" }'),
                refused("E210", 'part a "x"'),
            ),
            row(
                "overwritten-in-overlay",
                body("overlays = [o]", "overlay o for zlib { stdenv = 1 }"),
                refused("E210", "stdenv = 1"),
            ),
            row("stdenv-of-nixpkgs", body("overlays = [o]", "overlay o { stdenv = prev.x }"), fine),
        ),
        rule(
            "`r.a = 1` writes one key and keeps the others, including the package's own. In `args` and `config`, only the",
            row("key-of-args", body("args { x.a = 1 }"), emits("x = { a = 1; };")),
            row("key-of-config", body("config { x.a = 1 }"), emits("x = { a = 1; };")),
            wins("key-keeps-own", "", "x.a = 1", "old // { a = 1 }"),
            wins("key-keeps-others", "x.b = 2", "x.a = 1", "old // { b = 2, a = 1 }"),
            wins("key-of-record", "x = { a = 0, b = 2 }", "x.a = 1", "{ a = 1, b = 2 }"),
            wins(
                "key-of-key",
                "x = { a = { b = 1, c = 2 } }",
                "x.a.b = 3",
                "{ a = { b = 3, c = 2 } }",
            ),
            wins(
                "key-conditional",
                "x = { a = 0 }",
                "when n == 1 { x.a = 1 }",
                "{ a = 1 }",
                "{ a = 0 }",
            ),
            row("key-emitted", attrs("x.a = 1"), emits("(old.x or { }) // { a = 1; };")),
            row(
                "key-of-meta", body("meta { x.a = 1 }"), emits("(old.meta.x or { }) // { a = 1; };")
            ),
            bad("key-equal", "", "x.a = 1, x.a = 2", "E501", "x.a = 2"),
            wins("key-default", "x = { a = 1 }", "default x.a = 2", "{ a = 1 }"),
            wins("key-force", "force x.a = 1", "x.a = 2", "old // { a = 1 }"),
            bad("key-of-integer", "x = 1", "x.a = 2", "E301", "x.a = 2"),
            wins("key-added-to", "x = { a = [1] }", "x.a += [2]", "{ a = [1, 2] }"),
        ),
        rule(
            "`r = { … }` replaces the record and shadows the keys that ancestors wrote.",
            wins("record-replaces", "x = { a = 1 }", "x = { b = 2 }", "{ b = 2 }"),
            wins("record-shadows-keys", "x.a = 1", "x = { b = 2 }", "{ b = 2 }"),
            wins("record-shadows-added", "x += { a = 1 }", "x = { b = 2 }", "{ b = 2 }"),
            wins("record-then-key-of-same", "y = 1", "x = { b = 2 }, x.a = 1", "{ b = 2, a = 1 }"),
            wins("record-under-force", "force x.a = 1", "x = { b = 2 }", "{ b = 2, a = 1 }"),
            wins("record-default", "x.a = 1", "default x = { b = 2 }", "{ b = 2, a = 1 }"),
            wins(
                "record-then-key-added-to", "y = 1", "x = { a = [1] }, x.a += [2]", "{ a = [1, 2] }"
            ),
            wins("record-shadows-key-added-to", "x.a += [2]", "x = { a = [1] }", "{ a = [1] }"),
            wins(
                "record-default-shadows-no-addition",
                "x.a += [2]",
                "default x = { a = [1] }",
                "{ a = [1, 2] }",
            ),
            wins(
                "record-conditional",
                "x = { a = 1 }",
                "when n == 1 { x = { b = 2 } }",
                "{ b = 2 }",
                "{ a = 1 }",
            ),
        ),
        rule(
            "`r += { b = 2 }` adds keys. A key that is already there with",
            wins("record-adds", "x = { a = 1 }", "x += { b = 2 }", "{ a = 1, b = 2 }"),
            wins("record-adds-to-own", "", "x += { b = 2 }", "old // { b = 2 }"),
            wins("record-adds-same", "x = { a = 1 }", "x += { a = 1 }", "{ a = 1 }"),
            bad("record-adds-other", "x = { a = 1 }", "x += { a = 2 }", "E501"),
            bad("record-adds-other-key", "x.a = 1", "x += { a = 2 }", "E501"),
            bad("record-adds-twice", "x += { a = 1 }", "x += { a = 2 }", "E501"),
            wins("record-adds-shadowed", "x += { a = 1 }", "x = { a = 2 }", "{ a = 2 }"),
        ),
        rule(
            "A record in `attrs`, or a list with a record, is for packages with structured attributes. The builder of any other package gets no set. The recipe of such a package stops",
            *[
                row(f"structured-{name}", attrs(items), emits(f"x = {STRUCTURED}"))
                for name, items in (
                    ("record", "x = { a = 1 }"),
                    ("key", "x.a = 1"),
                    ("added", "x += { a = 1 }"),
                    ("list", "x = [{ a = 1 }]"),
                    ("list-of-lists", "x = [[{ a = 1 }]]"),
                    ("list-added", "x += [{ a = 1 }]"),
                )
            ],
            row(
                "structured-in-overlay",
                body("overlays = [o]", "overlay o for zlib { x = { a = 1 } }"),
                emits(f"x = {STRUCTURED}"),
            ),
            *[
                row(
                    f"structured-not-{name}",
                    body(items),
                    emits("x =", never=("__structuredAttrs ",)),
                )
                for name, items in (
                    ("plain", "attrs { x = [1] }"),
                    ("nix", 'attrs { x = nix"""{ }""" }'),
                    ("passthru", "passthru { x = { a = 1 } }"),
                    ("meta", "meta { x = { a = 1 } }"),
                    ("args", "args { x = { a = 1 } }"),
                )
            ],
            *[
                row(
                    f"structured-{name}",
                    attrs(f"x = {{ a = 1 }}, {items}"),
                    emits("x = { a = 1; };", never=("old.__structuredAttrs",)),
                )
                for name, items in (
                    ("written", "__structuredAttrs = true"),
                    ("written-otherwise", "__structuredAttrs = false"),
                    ("by-condition", "when n == 2 { __structuredAttrs = true }"),
                )
            ],
            row(
                "structured-of-ancestor",
                over("__structuredAttrs = true", "x = { a = 1 }"),
                emits("x = { a = 1; };", never=("old.__structuredAttrs",)),
            ),
        ),
    ),
    table(
        "Unset settings",
        rule(
            "`x = none`, in any block, works as if no weaker layer wrote `x`. The package, or nixpkgs for `config`,",
            *[
                row(
                    f"unset-{block}",
                    chain(f'{block} {{ x = "s", y = 1 }}', f"{block} {{ x = none }}"),
                    all_of(first(f"{block}.x", "absent"), first(f"{block}.y", "1")),
                )
                for block in ("args", "attrs", "passthru", "meta", "config")
            ],
            row(
                "unset-env", chain('env { x = "s" }', "env { x = none }"), first("env.x", "absent")
            ),
            row(
                "unset-pin-config",
                body("config { a = none }", PIN.replace(" }\n", "\nconfig { a = 1, b = 2 } }\n")),
                emits("config = { b = 2; };"),
            ),
            row(
                "unset-emits-nothing",
                over("x = 1", "x = none"),
                emits("in pinned.hello", never=("x =", "overrideAttrs")),
            ),
        ),
        rule(
            "`null` is different: it is Nix's null.",
            row("null-is-emitted", over("x = 1", "x = null"), emits("x = null;")),
        ),
        rule(
            "`none` has the rank of any other `=`: `force x = none`, `default x = none`, in a `when`, `--set attrs.x=none`.",
            wins("unset-under-child", "x = 0", "x = none", "absent"),
            wins("unset-force", "force x = 1", "force x = none", "absent"),
            wins("unset-under-force", "force x = 1", "x = none", "1"),
            wins("unset-default", "default x = 1", "default x = none", "absent"),
            wins("unset-default-under-plain", "x = 1", "default x = none, default x = none", "1"),
            wins("unset-when", "x = 1", "when n == 1 { x = none }", "absent", "1"),
            wins("unset-when-in-one", "x = 1", "x = 2, when n == 1 { x = none }", "absent", "2"),
            given("unset-by-option", "x = 1", "force x = 2", "none", "absent"),
            row("unset-in-matrix", layers("x = 1", "x = 2", "x = none"), of_m("absent")),
            row("unset-then-set-in-matrix", layers("x = 1", "x = none", "x = 3"), of_m("3")),
        ),
        rule(
            "A value may be `none` under a condition, `x = if lto then none else 2`.",
            wins("unset-by-value", "x = 1", "x = if n == 1 then none else 2", "absent", "2"),
        ),
        rule(
            "`none` and a value of equal rank are the error E501. A stronger value wins.",
            bad("unset-equal", "x = 0", "x = none, x = 1", "E501", "x = 1"),
            wins("unset-twice", "x = 0", "x = none, x = none", "absent"),
            wins("unset-stronger", "x = 0", "x = none, force x = 1", "1"),
            wins("unset-stronger-when", "x = 0", "x = none, when n == 1 { x = 1 }", "1", "absent"),
        ),
        rule(
            "It removes what `=` would shadow: a weaker `=`, additions of ancestors, and keys of a record",
            wins("unset-takes-additions", "x += [1]", "x = none", "absent"),
            wins("unset-takes-keys", "x.a = 1", "x = none", "absent"),
            wins("unset-takes-record", "x = { a = 1 }, x.b = 2", "x = none", "absent"),
            wins("unset-takes-conditional", "when n == 1 { x = 1 }\nx = 2", "x = none", "absent"),
        ),
        rule(
            "Additions that apply after it, and keys of the record in the same layer, start as if nothing",
            wins("unset-then-add", "x = [1]", "x = none, x += [2]", "old ++ [2]"),
            wins("add-then-unset", "x = [1]", "x += [2], x = none", "old ++ [2]"),
            wins("unset-then-key", "x = { a = 1 }", "x = none, x.b = 2", "old // { b = 2 }"),
            wins(
                "unset-then-add-key",
                "x = { a = 1 }",
                "x = none, x += { b = 2 }",
                "old // { b = 2 }",
            ),
            row(
                "unset-args-then-add",
                chain("args { x = [1] }", "args { x = none, x += [2] }"),
                refused("E504"),
            ),
            row(
                "unset-config-then-add",
                chain("config { x = [1] }", "config { x = none, x += [2] }"),
                first("config.x", "[2]"),
            ),
        ),
        rule(
            "`r.a = none` removes one key.",
            wins("unset-key", "x = { a = 1, b = 2 }", "x.a = none", "{ b = 2 }"),
            wins("unset-key-written", "x.a = 1, x.b = 2", "x.a = none", "old // { b = 2 }"),
            wins(
                "unset-key-deep",
                "x.a = { b = 1, c = 2 }",
                "x.a.b = none",
                "old // { a = { c = 2 } }",
            ),
        ),
        rule(
            "If no key of the record is left, the record is not emitted. If the record was written whole, `{ }` is left.",
            wins("unset-last-key", "x.a = 1", "x.a = none", "absent"),
            wins("unset-last-key-of-whole", "x = { a = 1 }", "x.a = none", "{}"),
        ),
        rule(
            "To unset something that no one wrote is an error (E502).",
            bad("unset-nothing", "y = 1", "x = none", "E502", "x = none"),
            bad("unset-no-key", "x = { a = 1 }", "x.b = none", "E502", "x.b = none"),
            bad("unset-stronger-only", "", "x = none, x += [1]", "E502"),
            wins("unset-what-is-conditional", "when n == 1 { x = 1 }", "x = none", "absent"),
        ),
        rule(
            "The package's own attributes cannot be removed.",
            bad("unset-own", "", "doCheck = none", "E502", "doCheck = none"),
        ),
        rule(
            "On the command line, a matrix may lack the setting if another matrix has it.",
            row(
                "unset-other-matrix",
                attrs("x = 1")
                + "recipe other { package = pkgs.hello }\nvariant lone { recipe = other }\n",
                each("attrs.x", "absent", "absent", "absent"),
                sets="attrs.x=none",
            ),
            row("unset-no-matrix", attrs("x = 1"), refused("E502"), sets="attrs.y=none"),
        ),
        rule(
            "A list or a record cannot hold `none`, and `none` cannot be added or removed (E301).",
            bad("none-in-list", "", "x = [none]", "E301", "none"),
            bad("none-in-record", "", "x = { a = none }", "E301", "none"),
            bad("none-added", "x = [1]", "x += none", "E301", "none"),
            bad("none-removed", "x = [1]", "x -= none", "E301", "none"),
        ),
        rule(
            "A flag always has a value.",
            row(
                "none-flag",
                chain("flag f: int? = 1\nattrs { x = f }", "flag f = none"),
                refused("E301"),
            ),
        ),
        *held(
            "cli/test_unset_shown.py",
            "`tvarc explain` shows what is unset, the line that did it, and everything that this line removed.",
        ),
    ),
    table(
        "Lists from Nix text",
        rule(
            "`+=` with Nix text adds a whole list that only Nix knows, in its place among the elements. `=` with Nix text sets such a list,",
            one(
                "nix-list-added",
                'x = [1], x += nix"""[ 2 ]"""\nx += [3]',
                '[1, ...nix"""[ 2 ]""", 3]',
            ),
            one("nix-list-set", 'x = nix"""[ 2 ]"""\nx += [3]', 'nix"""[ 2 ]""" ++ [3]'),
            one("nix-list-added-to-own", 'x += nix"""[ 2 ]"""', 'old ++ [...nix"""[ 2 ]"""]'),
        ),
        rule(
            "Nix joins the lists (`++`).",
            row(
                "nix-list-joined",
                attrs('x = [1], x += nix"""[ 2 ]"""\nx += [3]'),
                emits("x = [ 1 ] ++ ([ 2 ]) ++ [ 3 ];"),
            ),
        ),
        rule(
            "`-=` removes from such a list, as from the package's own list, the elements that are there when Nix runs. Elements that are added after the `-=` stay.",
            row(
                "nix-list-removed", attrs('x += nix"""[ 2 ]"""\nx -= [2]'), emits("builtins.filter")
            ),
            row(
                "nix-list-added-after",
                attrs('x = nix"""[ 2 ]"""\nx -= [3], x += [3]'),
                first("attrs.x", 'nix"""[ 2 ]""" ++ [3] - [3]'),
            ),
        ),
        rule(
            "An element that a recipe wrote is removed at its place. The `-=` then does not search any",
            one(
                "nix-list-known-removed",
                'x = [1, 2], x += nix"""[ 2 ]"""\nx -= [2]',
                '[1, ...nix"""[ 2 ]"""]',
            ),
            row(
                "nix-list-not-asked",
                attrs('x = [1, 2], x += nix"""[ 2 ]"""\nx -= [2]'),
                emits("x = [ 1 ] ++ ([ 2 ]);", never=("filter",)),
            ),
        ),
        rule(
            "You see only when Nix runs whether the text makes a list.",
            row("nix-no-list", attrs('x += nix"""1"""'), emits("(old.x or [ ])) ++ 1;")),
        ),
        rule(
            "In `overlays`, Nix text is an error (E301).",
            row("nix-list-of-overlays", body('overlays += nix"""[ ]"""'), refused("E301")),
        ),
    ),
)
