"""Matrices and variants."""

from __future__ import annotations

from support.rules import (
    OF_N,
    Expectation,
    Row,
    all_of,
    body,
    each,
    fine,
    first,
    held,
    makes,
    refused,
    row,
    rule,
    says,
    table,
    told,
    top,
)

HEAD = 'axis k = ["a", "b", "c"]\naxis n = [1, 2]\nrecipe child { package = pkgs.hello }\n'
TABLE = "facts t (v: int) { a { v = 1 }, b { v = 2 }, c { v = 3 } }\n"
LINES = """
recipe base { package = pkgs.hello, flag f: bool = true, attrs { x = k.v, y = f } }
matrix lines {
  recipe = base
  axes   = k[where v >= 2]
  name   = "{{k}}"
  limit  = 5
  let title = "for {{k}}"
  meta { description = title }
  exclude k.v == 4
}
"""
LETS = """
axis k = ["a", "b", "c"]
recipe base { package = pkgs.hello, let r = "r-{{k}}", flag f: bool = true, attrs { y = f } }
recipe child extends base { let b = "b" }
"""
PATTERN = {"lib.tvar": TABLE + "axis k: t\n" + LINES.replace("  exclude k.v == 4\n", "")}
WITH_VALUES = {"lib.tvar": TABLE + "axis k = t\n" + LINES.replace("  exclude k.v == 4\n", "")}


def matrix(name: str, items: str, expect: Expectation, head: str = HEAD) -> Row:
    return row(name, top(f"{head}\nmatrix m {{ {items} }}"), expect)


def named(name: str, text: str, *at: str) -> Row:
    """A variant of that name; refused at *at*."""
    expect = refused("E403", *at) if at else fine
    return row(name, top(f'{HEAD}variant v {{ recipe = child, name = "{text}" }}'), expect)


def upon(
    name: str,
    items: str,
    expect: Expectation,
    files: dict[str, str] = PATTERN,
    axis: str = "axis k = t[a..c]",
    more: str = "",
) -> Row:
    """A matrix that extends the pattern of a library."""
    return row(
        name,
        top(f'use "./lib.tvar"\n{axis}\n{more}\nmatrix m extends lines {{ {items} }}'),
        expect,
        files=files,
    )


TABLES = (
    table(
        "Matrices and variants",
        *told(
            "With a matrix you build a recipe for all combinations of some axes. With a variant you build it once."
        ),
        rule(
            "`recipe`, `axes` and `name` are required.",
            matrix("no-recipe", 'axes = k, name = "{{k}}"', refused("E208", "m")),
            matrix("no-axes", 'recipe = child, name = "s"', refused("E208", "m")),
            matrix("no-name", "recipe = child, axes = k", refused("E208", "m")),
            matrix("all-three", 'recipe = child, axes = k, name = "{{k}}"', makes("a", "b", "c")),
        ),
        rule(
            "`axes` multiplies axes. `gpu[v, w]`, `gpu[v..w]` and `gpu[where",
            matrix(
                "multiplies",
                'recipe = child, axes = k * n, name = "{{k}}{{n}}"',
                makes("a1", "a2", "b1", "b2", "c1", "c2"),
            ),
            matrix("slice", 'recipe = child, axes = k["c", "a"], name = "{{k}}"', makes("a", "c")),
            matrix(
                "slice-range", 'recipe = child, axes = k["b".."c"], name = "{{k}}"', makes("b", "c")
            ),
            row(
                "slice-where",
                top(
                    TABLE
                    + 'axis k = t\nrecipe child { package = pkgs.hello }\nmatrix m { recipe = child, axes = k[where v != 2], name = "{{k}}" }'
                ),
                makes("a", "c"),
            ),
            row(
                "slice-where-boundary",
                top(
                    TABLE
                    + 'axis k = t\nrecipe child { package = pkgs.hello }\nmatrix m { recipe = child, axes = k[where v >= 3], name = "{{k}}" }'
                ),
                makes("c"),
            ),
            matrix(
                "slice-nothing", 'recipe = child, axes = k["z"], name = "{{k}}"', refused("E406")
            ),
            matrix(
                "slice-twice", 'recipe = child, axes = k["a", "a"], name = "{{k}}"', refused("E202")
            ),
            matrix("axis-twice", 'recipe = child, axes = k * k, name = "{{k}}"', refused("E202")),
        ),
        rule(
            "Cells come in axis order, and the last axis changes fastest.",
            matrix(
                "last-fastest",
                'recipe = child, axes = n * k, name = "{{k}}{{n}}"',
                makes("a1", "b1", "c1", "a2", "b2", "c2"),
            ),
        ),
        rule(
            "`name` may read axes and `let`s of the file, of the matrix and of its recipe.",
            matrix(
                "name-let",
                'recipe = child, axes = k, name = "{{s}}"',
                makes("x-a", "x-b", "x-c"),
                HEAD + 'let s = "x-{{k}}"\n',
            ),
            matrix(
                "name-own-let",
                'recipe = child, axes = k, name = "{{s}}"\nlet s = "x-{{k}}"',
                makes("x-a", "x-b", "x-c"),
            ),
            matrix(
                "name-is-own-let",
                'recipe = child, axes = k, name = s\nlet s = "x-{{k}}"',
                makes("x-a", "x-b", "x-c"),
            ),
            matrix(
                "name-let-of-let",
                'recipe = child, axes = k, name = "{{s}}"\nlet t = k\nlet s = if t == "a" then "a/" else t',
                refused("E403", '"{{s}}"'),
            ),
            matrix(
                "name-let-of-recipe",
                'recipe = child, axes = k, name = "{{r}}-{{b}}"',
                makes("r-a-b", "r-b-b", "r-c-b"),
                LETS,
            ),
            matrix(
                "name-let-of-variant",
                'recipe = child, axes = k, name = "w-{{k}}"\n}\n'
                'variant v { recipe = child, axes = k["b"], name = s, let s = "x-{{r}}"',
                makes("w-a", "w-b", "w-c", "x-r-b"),
                LETS,
            ),
            matrix(
                "name-let-of-other-matrix",
                'recipe = child, axes = k, name = "w-{{k}}", let s = "x" }\n'
                'matrix z { recipe = child, axes = k, name = "z-{{s}}"',
                refused("E201", "s"),
            ),
            matrix(
                "name-let-of-other-recipe",
                'recipe = other, axes = k, name = "{{r}}"',
                refused("E201", "r"),
                LETS + "recipe other { package = pkgs.hello }\n",
            ),
            matrix(
                "name-let-unknown-axis",
                'recipe = child, axes = k, name = "{{s}}", let s = n',
                refused("E304"),
            ),
            matrix(
                "name-let-no-text",
                "recipe = child, axes = k, name = s, let s = 1",
                refused("E301", "s"),
            ),
            matrix(
                "name-let-setting",
                'recipe = child, axes = k, name = "{{k}}{{s}}", let s = attrs.x\nattrs { x = 1 }',
                refused("E302", "attrs.x"),
            ),
            matrix(
                "name-let-flag",
                'recipe = child, axes = k, name = "{{if s then k else "z"}}"\nlet s = f',
                refused("E302", "f"),
                LETS,
            ),
            matrix(
                "name-flag",
                'recipe = child, axes = k, name = "{{if f then k else "z"}}"',
                refused("E302", "f"),
                LETS,
            ),
            matrix(
                "name-let-of-nix",
                'recipe = child, axes = k, name = "{{s}}", let s = pkgs.x',
                refused("E302", "s"),
            ),
            matrix(
                "name-let-declared-twice",
                'recipe = child, axes = k, name = "{{k}}", let k = "x"',
                refused("E202", "k"),
            ),
            matrix(
                "name-let-of-lost-recipe",
                'recipe = gone, axes = k, name = "{{r}}"',
                refused("E201", "gone"),
                LETS,
            ),
            upon("name-let-of-base", 'name = "w-{{title}}"', makes("w-for b", "w-for c")),
            upon(
                "name-let-of-base-and-of-file",
                "name = title",
                makes("x-b", "x-c"),
                {"lib.tvar": PATTERN["lib.tvar"].replace("for {{k}}", "x-{{k}}")},
                more='let title = "mine"',
            ),
            upon("name-let-called-as-table", 'name = "w-{{t}}"\nlet t = k', refused("E202", "t")),
            upon(
                "name-let-beside-base",
                'name = "w-{{z}}"\nlet z = upper(k)',
                makes("w-B", "w-C"),
            ),
            upon(
                "name-of-base-its-let",
                "attrs { z = 1 }",
                makes("x-b", "x-c"),
                {"lib.tvar": PATTERN["lib.tvar"].replace('"{{k}}"', 's\n  let s = "x-{{k}}"', 1)},
            ),
            matrix(
                "name-setting",
                'recipe = child, axes = k, name = "{{k}}{{attrs.x}}"\nattrs { x = 1 }',
                refused("E302"),
            ),
        ),
        rule(
            "It becomes a Nix attribute and the name of a file. So any name that a file can have",
            named("name-letters", "aB-9_"),
            named("name-underscore", "_a"),
            named("name-digit-first", "9a"),
            named("name-digits", "58"),
            named("name-version", "1.13"),
            named("name-dash-first", "-a"),
            named("name-dot", "armv8.2"),
            named("name-dot-first", ".a"),
            named("name-dots", "..."),
            named("name-blank", "a b"),
            named("name-not-ascii", "ä"),
            named("name-plus", "a+b"),
            named("name-word-of-nix", "with"),
            named("name-marks", "a$b#c%d'e"),
        ),
        rule(
            "A name that no file can have is an error (E403): an empty name, `.` and `..`, and a name with",
            named("name-empty", "", '""'),
            named("name-here", ".", '"."'),
            named("name-above", "..", '".."'),
            named("name-slash", "a/b", '"a/b"'),
            named("name-backslash", "a\\\\b", '"a\\\\b"'),
            named("name-line-end", "a\\nb", '"a\\nb"'),
            named("name-direction", "a\\u{202e}b", '"a\\u{202e}b"'),
        ),
        *held(
            "cli/test_any_names.py",
            'If a name needs quotes in Nix, tvarc writes them: `"armv8.2" = …`.',
            "On a command line you write them yourself, as in `nix-build -A '\"armv8.2\"'`, because a dot",
        ),
        *held(
            "lints/test_flox.py",
            "The lint `flox-name` shows how Flox changes a name (W148), and `store-name` reports a name",
        ),
        rule(
            "Two variants of one name are an error that names both cells (E402).",
            matrix(
                "names-alike",
                'recipe = child, axes = k * n, name = "{{k}}"',
                says("E402", "n = 1", "n = 2"),
            ),
            row(
                "names-alike-of-two",
                top(
                    HEAD
                    + 'matrix m { recipe = child, axes = k, name = "{{k}}" }\nvariant a { recipe = child }'
                ),
                says("E402", "`a`"),
            ),
        ),
        rule(
            "A matrix may have settings, `let`s, flags and `when`, like a recipe.",
            matrix(
                "matrix-settings",
                'recipe = child, axes = n, name = "v{{n}}"\nlet s = n\nattrs { x = s }\nwhen n == 1 { attrs { y = 1 } }',
                all_of(each("attrs.x", "1", "2"), each("attrs.y", "1", "absent")),
            ),
            row(
                "matrix-flag",
                body(
                    "flag f: bool = true\nattrs { x = f }",
                    "",
                    OF_N.replace(" }", ", flag f = false }", 1),
                ),
                first("attrs.x", "false"),
            ),
            row(
                "matrix-own-flag",
                body("", "", OF_N.replace(" }", ", flag f: bool = true, attrs { x = f } }", 1)),
                first("attrs.x", "true"),
            ),
        ),
        rule(
            "They are a layer above the recipe.",
            row(
                "matrix-layer",
                body("attrs { x = 1 }", "", OF_N.replace(" }", ", attrs { x = 2 } }", 1)),
                first("attrs.x", "2"),
            ),
        ),
        rule(
            "`variant v { recipe = r }` is one build.",
            row("variant", top("variant v { recipe = child }"), makes("v")),
        ),
        rule(
            "It has no axes, or it has `axes` that leave one cell.",
            row(
                "variant-axes",
                top(HEAD + 'variant v { recipe = child, axes = k["a"] * n[1] }'),
                makes("v"),
            ),
            row(
                "variant-two-cells",
                top(HEAD + 'variant v { recipe = child, axes = k["a", "b"] }'),
                refused("E404", "v"),
            ),
            row(
                "variant-settings",
                top("variant v { recipe = child, attrs { x = 1 } }"),
                first("attrs.x", "1"),
            ),
        ),
        rule(
            "Its name is `v`, unless `name` sets another one.",
            row("variant-name", top('variant v { recipe = child, name = "w" }'), makes("w")),
        ),
    ),
    table(
        "Matrices that extend others",
        rule(
            "is a layer above another matrix. Write `extends shared.n` for a",
            upon(
                "extends",
                "attrs { z = 1 }",
                all_of(makes("b", "c"), first("attrs.z", "1"), first("attrs.x", "2")),
            ),
            row(
                "extends-as",
                top('use "./lib.tvar" as lib\nmatrix m extends lib.lines { }'),
                makes("b", "c"),
                files=WITH_VALUES,
            ),
        ),
        rule(
            "You may write each of `recipe`, `axes`, `name` and `limit` again. The others come from the base.",
            upon("new-name", 'name = "new-{{k}}"', makes("new-b", "new-c")),
            upon(
                "new-axes",
                'axes = k[a] * n, name = "{{k}}{{n}}"',
                makes("a1", "a2"),
                more="axis n = [1, 2]",
            ),
            upon("new-axes-alone", "axes = k[a]", makes("a")),
            upon(
                "new-recipe",
                "recipe = other",
                first("attrs.z", "7"),
                more="recipe other extends base { attrs { z = 7 } }",
            ),
            upon("new-limit", "limit = 1", refused("E404")),
            upon(
                "base-limit",
                'axes = k * n * l, name = "{{k}}{{n}}{{l}}"',
                refused("E404"),
                more="axis n = [1, 2]\naxis l = [1]",
            ),
            upon(
                "own-limit",
                'limit = 6, axes = k * n, name = "{{k}}{{n}}"',
                makes("a1", "a2", "b1", "b2", "c1", "c2"),
                more="axis n = [1, 2]",
            ),
        ),
        rule(
            "You can read and set the `let`s and flags of the base.",
            upon("base-let", "attrs { z = title }", first("attrs.z", '"for b"')),
            upon("base-flag", "flag f = false", first("attrs.y", "false")),
        ),
        rule(
            "If you write another recipe, it must have the flags that the base sets or reads (E201).",
            row(
                "flag-of-base-missing",
                top(
                    'use "./lib.tvar"\nrecipe other { package = pkgs.hello }\nmatrix m extends lines { recipe = other }'
                ),
                refused("E201"),
                files={
                    "lib.tvar": 'axis n = [1, 2]\nrecipe base { package = pkgs.hello, flag f: bool = true, attrs { y = f } }\nmatrix lines { recipe = base, axes = n, name = "v{{n}}", flag f = false }\n'
                },
            ),
        ),
        rule(
            "Its settings are stronger than those of the base, see [section 8](#8-how-a-value-is-decided).",
            upon("stronger", 'meta { description = "mine" }', first("meta.description", '"mine"')),
            upon("stronger-than-when", "attrs { x = 9 }", each("attrs.x", "9", "9")),
        ),
        rule(
            "Exclusions, `require` and `warn` of the base hold as well. The exclusions of the base's file that apply",
            upon(
                "base-exclude",
                "",
                makes("b"),
                {"lib.tvar": PATTERN["lib.tvar"].replace("limit  = 5", "exclude k.v == 3")},
            ),
            upon(
                "base-require",
                "",
                refused("E405"),
                {
                    "lib.tvar": PATTERN["lib.tvar"].replace(
                        "limit  = 5", 'require k.v == 3 because "so"'
                    )
                },
            ),
            upon(
                "base-warn",
                "",
                refused("W001"),
                {
                    "lib.tvar": PATTERN["lib.tvar"].replace(
                        "limit  = 5", 'warn w = k.v == 3 because "so"'
                    )
                },
            ),
            row(
                "base-file-exclude",
                top('use "./lib.tvar" as lib\nmatrix m extends lib.lines { }'),
                makes("b"),
                files={"lib.tvar": WITH_VALUES["lib.tvar"] + "exclude k.v == 3\n"},
            ),
        ),
        rule(
            "**A pattern** is a matrix over axes that its file only names, `axis gpu: nvidia`.",
            row("pattern", top('use "./lib.tvar"'), makes("v"), files=PATTERN),
        ),
        rule(
            "It is not built.",
            row(
                "pattern-not-built",
                top('use "./lib.tvar"\naxis k = t[a..c]'),
                makes("v"),
                files=PATTERN,
            ),
        ),
        rule(
            "A matrix that extends it takes those axes with the values that they have in its own file. The table must be the same. If the pattern takes a slice of",
            upon("pattern-values", "", makes("b", "c")),
            upon("pattern-fewer-values", "", makes("c"), axis="axis k = t[a, c]"),
            upon("pattern-order", "", makes("c", "b"), axis="axis k = t[c, b, a]"),
            upon("pattern-no-value-left", "", refused("E406"), axis="axis k = t[a]"),
            upon(
                "pattern-other-table",
                "",
                refused("E301"),
                axis="axis k = u\nfacts u (v: int) { z { v = 3 } }",
            ),
        ),
        rule(
            "Axes for which the base has values keep these values. `axes` chooses others.",
            upon("keeps-values", "", makes("b", "c"), WITH_VALUES, axis=""),
            upon("chooses-others", "axes = k[a]", makes("a"), WITH_VALUES, axis=""),
        ),
        rule(
            "If an axis still has no values, the matrix is a pattern again.",
            row(
                "pattern-again",
                top('use "./mid.tvar"\nuse "./lib.tvar"\naxis k = t[b]\nmatrix m extends mid { }'),
                makes("x-b"),
                files={
                    **PATTERN,
                    "mid.tvar": 'use "./lib.tvar"\nmatrix mid extends lines { name = "x-{{k}}" }\n',
                },
            ),
        ),
        rule(
            "In the file that you build, a pattern that nothing extends is an error (E304). It is not an error if the file",
            row(
                "pattern-built",
                top(
                    PATTERN["lib.tvar"]
                    + "variant v { recipe = other }\nrecipe other { package = pkgs.hello }\n"
                ),
                refused("E304"),
            ),
            row("pattern-no-output", PATTERN["lib.tvar"], makes()),
            row("pattern-extended", top(TABLE + "axis k: t\n" + LINES), refused("E304")),
        ),
        rule(
            "A matrix with values is built by itself.",
            row(
                "built-by-itself", top('use "./lib.tvar"'), makes("b", "c", "v"), files=WITH_VALUES
            ),
        ),
        rule(
            "A matrix of another file that extends it replaces it: to have both, extend it twice.",
            upon("takes-its-place", 'name = "x-{{k}}"', makes("x-b", "x-c"), WITH_VALUES, axis=""),
            row(
                "extended-twice",
                top(
                    'use "./lib.tvar"\nmatrix m extends lines { name = "x-{{k}}" }\nmatrix q extends lines { }'
                ),
                makes("x-b", "x-c", "b", "c"),
                files=WITH_VALUES,
            ),
        ),
        rule(
            "Within one file both are built, under two names.",
            row(
                "both-in-one-file",
                body("", "", OF_N + 'matrix q extends m { name = "q{{n}}" }\n'),
                makes("v1", "v2", "q1", "q2"),
            ),
            row(
                "both-under-one-name",
                body("", "", OF_N + "matrix q extends m { }\n"),
                refused("E402"),
            ),
        ),
        rule(
            "A `variant` is one build, and cannot be extended (E301).",
            row(
                "extends-variant",
                top(
                    "recipe child { package = pkgs.hello }\nvariant v { recipe = child }\nmatrix m extends v { }"
                ),
                refused("E301", "v"),
            ),
        ),
        rule(
            "Matrices that extend each other in a circle are an error (E205).",
            row(
                "matrix-circle",
                top(HEAD + "matrix a extends b { }\nmatrix b extends a { }"),
                refused("E205"),
            ),
        ),
        rule(
            "An empty matrix is an error that lists what each exclusion drops (E401).",
            matrix(
                "empty",
                'recipe = child, axes = n, name = "v{{n}}"\nexclude n == 1\nexclude n == 2',
                refused("E401"),
            ),
            matrix(
                "not-empty",
                'recipe = child, axes = n, name = "v{{n}}"\nexclude n == 1',
                makes("v2"),
            ),
        ),
        *held(
            "cli/test_build.py",
            "A program without any matrix or variant builds nothing. This is an error of `build` (E407).",
        ),
        *held(
            "cli/test_commands.py",
            "`check` gives the warning W003 for it, because the file may be a library. A file with an output of its own",
        ),
    ),
)
