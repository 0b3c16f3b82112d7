"""Declarations: modules, `let`s, tables of facts, axes, pins, outputs."""

from __future__ import annotations

import re

from support.rules import (
    HASH,
    OF_N,
    OUTPUT,
    PIN,
    REV,
    Expectation,
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
    makes,
    refused,
    row,
    rule,
    says,
    selects,
    speaks,
    table,
    told,
    top,
    writes,
)

LIB = {"lib.tvar": "let k = 4\naxis far = [1, 2]\n"}
BOARD = """
facts board (cores: int, arch: one_of("arm", "intel"), note: string?) {
  a { cores = 1, arch = "arm" }
  b { cores = 4, arch = "intel", note = "old" }
  c { cores = 8, arch = "arm" }
  d { cores = 16, arch = "intel" }
}
"""
BOARD_FILE = {"lib.tvar": BOARD + "axis all = board\naxis large = board[where cores >= 8]\n"}
OF_K = 'recipe child {{ package = pkgs.hello, attrs {{ x = "{{{{k}}}}"{} }} }}\nmatrix m {{ recipe = child, axes = k, name = "v{{{{under("{{{{k}}}}")}}}}" }}\n'

SHARED = f'github = "a/b", rev = "{REV}", hash = "{HASH}"'
FILE_OF = 'file(i, "a.nix")'
TAKEN = "attrs {{ x = {} }}"
BESIDE = {"../b/a.nix": ""}


def of_input(fields: str, value: str = FILE_OF) -> str:
    """A recipe that takes something of an input with these *fields*."""
    return body(TAKEN.format(value), f"input i {{ {fields} }}")


def axis(name: str, declared: str, *values: str) -> Row:
    """An axis `k`, and its values in their order."""
    text = top(f"{BOARD}\n{declared}\n" + OF_K.format(""))
    return row(name, text, each("attrs.x", *[f'"{one}"' for one in values]))


def bad_axis(name: str, declared: str, code: str, *at: str) -> Row:
    return row(name, top(f"{BOARD}\n{declared}\n" + OF_K.format("")), refused(code, *at))


def corrects(rows: str, expected: Expectation, before: str = "", more: str = "") -> Row:
    """What comes of correcting the table with *rows*, and once more with *more*."""
    again = f"facts board override {{ {more} }}\n" if more else ""
    text = (
        f'use "./lib.tvar"\n{before}\nfacts board override {{ {rows} }}\n{again}'
        "recipe child { package = pkgs.hello, attrs { x = all.cores, y = all.note } }\n"
        'matrix m { recipe = child, axes = all, name = "{{all}}" }\n'
    )
    name = "-".join(re.findall(r"[a-z0-9]+", f"correct {before} {rows} {more}"))
    return row(name, top(text), expected, files=BOARD_FILE)


def fact(name: str, type: str, good: str, bad: str, shown: str = "") -> tuple[Row, Row]:
    """A fact of that type that is *good*, and one that is not."""
    head = f"facts t (v: {type}) {{ r {{ v = %s }} }}\naxis k = t\n"
    return (
        row(
            f"{name}-good",
            top(head % good + OF_K.format(", y = k.v")),
            first("attrs.y", shown or good),
        ),
        row(
            f"{name}-bad", top(head % bad + OF_K.format(", y = k.v")), refused("E301", f"v = {bad}")
        ),
    )


def adds(name: str, text: str, expect: Expectation, files: dict[str, str] | None = None) -> Row:
    """The table `board` of a module, and what is done with it here."""
    recipe = 'recipe child { package = pkgs.hello, attrs { x = "{{all}}", y = all.cores } }\nmatrix m { recipe = child, axes = all, name = "{{all}}" }\n'
    return row(
        name,
        top(f'use "./lib.tvar"\n{text}\n{recipe}'),
        expect,
        files={**BOARD_FILE, **(files or {})},
    )


def pin(fields: str, more: str = "") -> str:
    return body("attrs { x = n }", f"pin q {{ {fields} }}\n{more}")


FETCHED = f'github = "NixOS/nixpkgs", rev = "{REV}"'
LOCKED = f'{FETCHED}, hash = "{HASH}"'
FOLDER = {"../nixpkgs/default.nix": ""}
TWO_PINS = f"{PIN}pin q {{ {FETCHED} }}\n"

SECOND = 'matrix second { recipe = child, axes = n, name = "w{{n}}" }\n'
TWO_REVS = f"""pin p {{
  github = "NixOS/nixpkgs"
  rev    = if n == 1 then "{REV}" else "0182a361324364ae3f436a63005877674cf45efb"
  hash   = "{HASH}"
}}
"""


def one_file(
    written: str,
    file: str = "default.nix",
    *,
    of: str = "n",
    output: str = "o",
    items: str = "",
    more: str = "",
) -> str:
    """A program with one output, which has *written* beside its *file*, over the axes *of*."""
    name = "v{{n}}-{{row}}" if "row" in of else "v{{n}}"
    matrix = f'matrix m {{ recipe = child, axes = {of}, name = "{name}" }}\n'
    fields = ", ".join([*([written] if written else []), f'file = "{file}"'])
    return body(items, f"{more}output {output} {{ {fields} }}\n", matrix)


TABLES = (
    table(
        "6. Declarations",
        rule(
            "A declaration stands at top level, in any order.",
            row(
                "any-order",
                "variant v { recipe = child }\nrecipe child { package = pkgs.hello, attrs { x = k } }\nlet k = 1\n"
                + PIN
                + OUTPUT,
                first("attrs.x", "1"),
            ),
            row("not-within", body("axis inner = [1]"), refused("E209")),
        ),
        rule(
            "Names are declared once in a file (E202), and a name that an import brings may not be declared again.",
            row("twice", top("let k = 1\nlet k = 2"), refused("E202", "k")),
            row("twice-of-two-kinds", top("let k = 1\naxis k = [1]"), refused("E202", "k")),
            row("imported-again", top('use "./lib.tvar"\nlet k = 1'), refused("E202"), files=LIB),
            row(
                "imported-as-again",
                top('use "./lib.tvar" as lib\nlet k = 1'),
                fine,
                files={"lib.tvar": "let k = 4\n"},
            ),
        ),
    ),
    table(
        "`use`",
        rule(
            "Without `as`, the module's own declarations become names here.",
            row("use", attrs("x = k", 'use "./lib.tvar"'), first("attrs.x", "4"), files=LIB),
            row(
                "use-as",
                attrs("x = lib.k", 'use "./lib.tvar" as lib'),
                first("attrs.x", "4"),
                files=LIB,
            ),
            row(
                "use-as-not-bare",
                attrs("x = k", 'use "./lib.tvar" as lib'),
                refused("E201", "k"),
                files=LIB,
            ),
            row("use-std", attrs("x = avx2.flags", "use std.cpu"), fine),
        ),
        rule(
            "What that module imports itself does not: `use` it too.",
            row(
                "use-not-further",
                attrs("x = k", 'use "./mid.tvar"'),
                refused("E201", "k"),
                files={**LIB, "mid.tvar": 'use "./lib.tvar"\n'},
            ),
            row(
                "use-too",
                attrs("x = k", 'use "./mid.tvar"\nuse "./lib.tvar"'),
                first("attrs.x", "4"),
                files={**LIB, "mid.tvar": 'use "./lib.tvar"\n'},
            ),
        ),
        rule(
            "The path of a file is relative: an absolute one, or one that begins with `~`, is an error (E203).",
            row("use-absolute", top('use "/a.tvar"'), refused("E203", '"/a.tvar"')),
            row("use-of-home", top('use "~/a.tvar"'), refused("E203", '"~/a.tvar"')),
            row("use-relative", top('use "./a.tvar"'), fine, files={"a.tvar": "let k = 1\n"}),
        ),
        rule(
            "Two imports may bring one name: only its use is an error (E206).",
            row(
                "two-imports-unused",
                attrs("x = 1", 'use "./a.tvar"\nuse "./b.tvar"'),
                fine,
                files={"a.tvar": "let k = 1\n", "b.tvar": "let k = 2\n"},
            ),
            row(
                "two-imports-used",
                attrs("x = k", 'use "./a.tvar"\nuse "./b.tvar"'),
                refused("E206", "k"),
                files={"a.tvar": "let k = 1\n", "b.tvar": "let k = 2\n"},
            ),
        ),
        rule(
            "Pins, outputs, matrices, `exclude`, `require` and `warn` of an imported module take effect, whatever its names are; where its exclusions do can be [chosen](#exclusions-of-a-module).",
            row(
                "module-pin",
                'use "./lib.tvar" as lib\nrecipe child { package = pkgs.hello }\nvariant v { recipe = child }\n'
                + OUTPUT,
                first("pin", "p"),
                files={"lib.tvar": PIN},
            ),
            row(
                "module-output",
                'use "./lib.tvar" as lib\nrecipe child { package = pkgs.hello }\nvariant v { recipe = child }\n'
                + PIN,
                writes("far/v.nix"),
                files={"lib.tvar": 'output o { file = "far/{{variant}}.nix" }\n'},
            ),
            row(
                "module-matrix",
                top('use "./lib.tvar" as lib'),
                makes("w", "v"),
                files={
                    "lib.tvar": "recipe base { package = pkgs.hello }\nvariant w { recipe = base }\n"
                },
            ),
            row(
                "module-exclude",
                body(
                    "attrs { x = far }",
                    'use "./lib.tvar"',
                    'matrix m { recipe = child, axes = far, name = "v{{far}}" }\n',
                ),
                makes("v2"),
                files={"lib.tvar": LIB["lib.tvar"] + "exclude far == 1\n"},
            ),
            row(
                "module-require",
                body(
                    "attrs { x = far }",
                    'use "./lib.tvar"',
                    'matrix m { recipe = child, axes = far, name = "v{{far}}" }\n',
                ),
                refused("E405"),
                files={"lib.tvar": LIB["lib.tvar"] + 'require far == 1 because "so"\n'},
            ),
            row(
                "module-warn",
                body(
                    "attrs { x = far }",
                    'use "./lib.tvar"',
                    'matrix m { recipe = child, axes = far, name = "v{{far}}" }\n',
                ),
                refused("W001"),
                files={"lib.tvar": LIB["lib.tvar"] + 'warn w = far == 1 because "so"\n'},
            ),
        ),
        rule(
            "Modules that import each other are an error that prints the circle (E204).",
            row(
                "circle",
                top('use "./a.tvar"'),
                says("E204", "a.tvar", "b.tvar"),
                files={"a.tvar": 'use "./b.tvar"\n', "b.tvar": 'use "./a.tvar"\n'},
            ),
            row(
                "twice-is-no-circle",
                top('use "./a.tvar"\nuse "./b.tvar"'),
                fine,
                files={"a.tvar": 'use "./b.tvar"\n', "b.tvar": "let k = 1\n"},
            ),
        ),
        *held(
            "unit/test_stdlib_docs.py",
            "What the standard library has is listed in [stdlib.md](stdlib.md).",
        ),
    ),
    table(
        "`let`",
        rule(
            "`let n = expr`, at top level or in a recipe or matrix, names a value.",
            row("let-top", attrs("x = k", "let k = 1"), first("attrs.x", "1")),
            row("let-recipe", body("let k = 1\nattrs { x = k }"), first("attrs.x", "1")),
            row(
                "let-matrix",
                body(
                    "attrs { x = 1 }",
                    "",
                    'matrix m { recipe = child, axes = n, name = "v{{n}}", let k = 2, attrs { y = k } }\n',
                ),
                first("attrs.y", "2"),
            ),
            row("let-block", attrs("let k = 1"), refused("E209")),
        ),
        rule(
            "It may read axes: it is evaluated where it is used.",
            row("let-axis", attrs("x = k", "let k = n"), each("attrs.x", "1", "2")),
            row(
                "let-axis-that-lacks",
                body("attrs { x = k }", "axis other = [1]\nlet k = other"),
                refused("E304"),
            ),
            row("let-unused", attrs("x = 1", "axis other = [1]\nlet k = other"), fine),
        ),
        rule(
            "It is not shadowed: a second `let n` is an error, in a recipe that extends another as well.",
            row("let-twice", body("let k = 1\nlet k = 2\nattrs { x = k }"), refused("E202", "k")),
            row(
                "let-in-child",
                chain("let k = 1\nattrs { x = k }", "let k = 2"),
                refused("E202", "k"),
            ),
            row("let-in-parent", chain("let k = 1", "attrs { x = k }"), first("attrs.x", "1")),
        ),
        rule(
            "A boolean `let` of the file is a selector on the command line.",
            row("let-selects", attrs("x = n", "let newest = n == 2"), selects("newest", "v2")),
        ),
        rule(
            "A top-level `let` that reads a setting is for recipes and checks: a name or an `exclude` cannot use it, and an overlay should not.",
            row("let-setting", attrs("x = k, y = 1", "let k = attrs.y"), first("attrs.x", "1")),
            row(
                "let-setting-in-require",
                attrs("y = 1", 'let k = attrs.y\nrequire k == 1 because "so"'),
                fine,
            ),
            row(
                "let-setting-in-name",
                body("attrs { y = 1 }", "let k = attrs.y", OF_N.replace("v{{n}}", "v{{n}}{{k}}")),
                refused("E302"),
            ),
            row(
                "let-setting-in-exclude",
                attrs("y = 1", "let k = attrs.y\nexclude k == 1"),
                refused("E302"),
            ),
            row(
                "let-setting-in-overlay",
                body("overlays = [o]\nattrs { y = 1 }", "let k = attrs.y\noverlay o { z = k }"),
                refused("E302"),
            ),
        ),
    ),
    table(
        "`facts`",
        *told(
            "A typed table.",
            "There is one table `T` in the whole program, and that is what it holds then:",
        ),
        rule(
            "Each row is a name and its facts.",
            axis("rows", "axis k = board", "a", "b", "c", "d"),
            row("row-twice", top("facts t () { a { }, a { } }"), refused("E202")),
        ),
        rule(
            "`string int bool version path record list`, `[T]` a list of `T`, `T?` for what may be missing, `one_of(a, b)`.",
            *fact("string", "string", '"s"', "1"),
            *fact("int", "int", "1", '"s"'),
            *fact("bool", "bool", "true", "1"),
            *fact("version", "version", "1.0", '"1.0"'),
            *fact("path", "path", 'path("./a.patch")', '"./a.patch"', 'path("a.patch")'),
            *fact("record", "record", "{ a = 1 }", "[1]"),
            *fact("list", "list", '[1, "a"]', "{ a = 1 }"),
            *fact("list-of", "[int]", "[1, 2]", '[1, "a"]'),
            *fact("list-of-lists", "[[int]]", "[[1], []]", "[1]"),
            *fact("optional", "int?", "null", '"s"'),
            *fact("one-of", 'one_of("a", "b")', '"b"', '"c"'),
            *fact("one-of-versions", "one_of(1.0, 2.0)", "2.0.0", "3.0"),
            *fact("not-optional", "int", "1", "null"),
        ),
        rule(
            "A field that is unknown, missing or of another type is an error.",
            row("field-unknown", top("facts t (a: int) { r { a = 1, b = 2 } }"), refused("E207")),
            row("field-missing", top("facts t (a: int, b: int) { r { a = 1 } }"), refused("E208")),
            *[
                row(
                    f"field-{fault}-told-once-{reader}",
                    top(
                        f"facts t (v: int) {{ a {{ v = 1 }}, b {{ {fact} }} }}\n{reads}\n{OF_K.format('')}"
                    ),
                    refused(code, at),
                )
                for fault, fact, code, at in (
                    ("wrong", 'v = "2"', "E301", 'v = "2"'),
                    ("nix", 'v = nix"""2"""', "E302", 'nix"""2"""'),
                    ("unknown", "v = gone", "E201", "gone"),
                    ("missing", "", "E208", "b"),
                )
                for reader, reads in (
                    ("where", "axis k = t[where v >= 2]"),
                    ("wheres", "axis k = t[where v >= 2, where v < 1, a]"),
                    ("exclude", "axis k = t\nexclude k.v > 1"),
                    ("let", "axis k = t\nlet z = t.b.v > 1\nexclude z"),
                )
            ],
            *[
                row(
                    f"added-field-{fault}-told-once-{reader}",
                    top(
                        f"facts t (v: int) {{ a {{ v = 1 }}, b {{ v = 2 }} }}\n{facts}\n{reads}\n"
                        f"{OF_K.format('')}"
                    ),
                    refused(code, at),
                )
                for fault, facts, code, at in (
                    (
                        "wrong",
                        'facts t += (w: int) { a { w = "2" }, b { w = 3 } }',
                        "E301",
                        'w = "2"',
                    ),
                    ("missing", "facts t += (w: int) { b { w = 3 } }", "E208", "w"),
                    (
                        "of-new-row",
                        'facts t += (w: int?) { c { v = 3, w = "2" } }',
                        "E301",
                        'w = "2"',
                    ),
                )
                for reader, reads in (
                    ("where", "axis k = t[where w != null and w >= 3]"),
                    ("exclude", "axis k = t\nexclude k.w != null and k.w > 1"),
                )
            ],
            row(
                "field-optional",
                top(
                    "facts t (a: int, b: int?) { r { a = 1 } }\naxis k = t\n"
                    + OF_K.format(", y = k.b")
                ),
                first("attrs.y", "null"),
            ),
        ),
        rule(
            "A fact may read a row of a table that stands above it, and `let`s: `t.v.a`.",
            row(
                "fact-of-table-above",
                top(
                    "facts t (a: int) { q { a = 3 } }\nfacts u (v: int) { r { v = t.q.a } }\naxis k = u\n"
                    + OF_K.format(", y = k.v")
                ),
                first("attrs.y", "3"),
            ),
            row(
                "fact-of-table-below",
                top(
                    "facts u (v: int) { r { v = t.q.a } }\nfacts t (a: int) { q { a = 3 } }\naxis k = u\n"
                    + OF_K.format(", y = k.v")
                ),
                refused("E205", "t.q"),
            ),
            row(
                "fact-of-let",
                top(
                    "let three = 3\nfacts u (v: int) { r { v = three } }\naxis k = u\n"
                    + OF_K.format(", y = k.v")
                ),
                first("attrs.y", "3"),
            ),
        ),
        rule(
            "It cannot read its own table (E205).",
            row(
                "fact-of-own-table",
                top("facts t (a: int) { q { a = 3 }, r { a = t.q.a } }"),
                refused("E205"),
            ),
        ),
        rule(
            "Facts may read `let`s that no axis takes part in.",
            row(
                "fact-of-axis",
                top("axis n = [1]\nlet three = n\nfacts u (v: int) { r { v = three } }"),
                refused("E304"),
            ),
        ),
        rule(
            "adds to a table, also to one of another file or of the standard library: rows, facts of rows that leave them out, and columns, whose types stand in `( )` as in the table itself.",
            adds(
                "add-row",
                'facts board += { e { cores = 32, arch = "arm" } }',
                makes("a", "b", "c", "d", "e"),
            ),
            adds("add-fact", 'facts board += { a { note = "new" } }\nlet k = board.a.note', fine),
            adds("add-column", 'facts board += (log: string?) { a { log = "A" } }', fine),
            *[
                adds(
                    f"add-column-{name}",
                    'facts board += (log: string?) { a { log = "A" } }\n'
                    f"recipe r {{ package = pkgs.hello, attrs {{ x = board.{name}.log }} }}\n"
                    "variant w { recipe = r }",
                    first("attrs.x", shown),
                )
                for name, shown in (("a", '"A"'), ("b", "null"))
            ],
            row(
                "add-own-table",
                top(
                    BOARD
                    + 'facts board += { e { cores = 32, arch = "arm" } }\naxis k = board\n'
                    + OF_K.format("")
                ),
                makes("va", "vb", "vc", "vd", "ve"),
            ),
            adds(
                "add-type",
                'facts board += { e { cores = 32, arch = "x86" } }',
                refused("E301", 'arch = "x86"'),
            ),
        ),
        rule(
            "It holds above that line, in the files that are imported, and in those that import this one: `axis gpu = T` and `T[where …]` of a library take its rows, lints and `tvarc pick` go by its facts.",
            adds(
                "add-below",
                "",
                makes("a", "b", "c", "d", "e"),
                {
                    "lib.tvar": BOARD_FILE["lib.tvar"]
                    + 'facts board += { e { cores = 32, arch = "arm" } }\n'
                },
            ),
            row(
                "add-where",
                top(
                    'use "./lib.tvar"\nfacts board += { e { cores = 32, arch = "arm" } }\nrecipe child { package = pkgs.hello, attrs { x = large.cores } }\nmatrix m { recipe = child, axes = large, name = "{{large}}" }\n'
                ),
                makes("c", "d", "e"),
                files=BOARD_FILE,
            ),
            row(
                "add-in-the-middle",
                top(
                    'use "./mid.tvar"\nuse "./lib.tvar"\nrecipe child { package = pkgs.hello, attrs { x = all.cores } }\nmatrix m { recipe = child, axes = all, name = "{{all}}" }\n'
                ),
                makes("a", "b", "c", "d", "e"),
                files={
                    **BOARD_FILE,
                    "mid.tvar": 'use "./lib.tvar"\nfacts board += { e { cores = 32, arch = "arm" } }\n',
                },
            ),
        ),
        rule(
            "Only the facts of other tables are read as they were before: they see what stands above them.",
            adds(
                "add-unseen-by-facts",
                'facts u (v: string?) { r { v = board.a.note } }\nfacts board += { a { note = "new" } }\nlet k = u.r.v',
                fine,
            ),
            row(
                "add-unseen-value",
                top(
                    BOARD
                    + 'facts u (v: string?) { r { v = board.a.note } }\nfacts board += { a { note = "new" } }\naxis k = u\n'
                    + OF_K.format(", y = k.v, z = board.a.note")
                ),
                all_of(first("attrs.y", "null"), first("attrs.z", '"new"')),
            ),
            row(
                "add-seen-value",
                top(
                    BOARD
                    + 'facts board += { a { note = "new" } }\nfacts u (v: string?) { r { v = board.a.note } }\naxis k = u\n'
                    + OF_K.format(", y = k.v")
                ),
                first("attrs.y", '"new"'),
            ),
        ),
        rule(
            "Two modules may add to one table, in any order.",
            adds(
                "add-two-modules",
                'use "./x.tvar"\nuse "./y.tvar"',
                makes("a", "b", "c", "d", "e", "f"),
                {
                    f"{one}.tvar": f'use "./lib.tvar"\nfacts board += {{ {row_} {{ cores = 1, arch = "arm" }} }}\n'
                    for one, row_ in (("x", "e"), ("y", "f"))
                },
            ),
        ),
        rule(
            "A fact that is there is not replaced so, nor is one that another module gives (E202); a column is declared once (E202).",
            adds("override-fact", "facts board += { a { cores = 2 } }", refused("E202")),
            adds("override-same-value", "facts board += { a { cores = 1 } }", refused("E202")),
            adds(
                "override-other-module",
                'use "./x.tvar"\nfacts board += { a { note = "y" } }',
                refused("E202"),
                {"x.tvar": 'use "./lib.tvar"\nfacts board += { a { note = "x" } }\n'},
            ),
            adds(
                "column-twice",
                "facts board += (log: int?) { }\nfacts board += (log: int?) { }",
                refused("E202"),
            ),
            adds("column-of-table", "facts board += (cores: int) { }", refused("E202")),
        ),
        rule(
            "A fact of no column is an error (E207).",
            adds("add-no-column", "facts board += { a { log = 1 } }", refused("E207")),
        ),
        rule(
            "A column without `?` needs a fact in each row, whoever adds the row (E208).",
            adds(
                "column-needs-facts", "facts board += (log: int) { a { log = 1 } }", refused("E208")
            ),
            adds(
                "column-has-facts",
                "facts board += (log: int) { a { log = 1 }, b { log = 1 }, c { log = 1 }, d { log = 1 } }",
                fine,
            ),
            adds(
                "column-of-added-row",
                'use "./x.tvar"\nfacts board += (log: int) { a { log = 1 }, b { log = 1 }, c { log = 1 }, d { log = 1 } }',
                refused("E208"),
                {"x.tvar": 'use "./lib.tvar"\nfacts board += { e { cores = 1, arch = "arm" } }\n'},
            ),
        ),
        rule(
            "`T` is named as in an axis, without a module before it: `use` the module of the table without `as`.",
            row(
                "add-through-module",
                top('use "./lib.tvar" as lib\nfacts lib.board += { a { note = "x" } }'),
                refused("E101"),
                files=BOARD_FILE,
            ),
            row(
                "add-after-as",
                top('use "./lib.tvar" as lib\nfacts board += { a { note = "x" } }'),
                refused("E201", "board"),
                files=BOARD_FILE,
            ),
        ),
        rule(
            "corrects facts that a table has, where what holds on your machines is another thing.",
            corrects("a { cores = 2 }", first("attrs.x", "2")),
        ),
        rule(
            "It holds wherever `T` is read, as what is added does:",
            row(
                "correct-where",
                top(
                    'use "./lib.tvar"\nfacts board override { a { cores = 9 }, c { cores = 2 } }\nrecipe child { package = pkgs.hello }\nmatrix m { recipe = child, axes = large, name = "{{large}}" }\n'
                ),
                makes("a", "d"),
                files=BOARD_FILE,
            ),
            row(
                "correct-from-a-module",
                top(
                    'use "./mid.tvar"\nuse "./lib.tvar"\nrecipe child { package = pkgs.hello, attrs { x = all.cores } }\nmatrix m { recipe = child, axes = all, name = "{{all}}" }\n'
                ),
                first("attrs.x", "2"),
                files={
                    **BOARD_FILE,
                    "mid.tvar": 'use "./lib.tvar"\nfacts board override { a { cores = 2 } }\n',
                },
            ),
        ),
        *held(
            "hosts/test_facts_command.py",
            "`tvarc facts` tells where a row is added, and calls it as old as `# As of 2026-11-30.` above that `facts` says; without such a line nobody knows, and `--stale` lists it.",
        ),
        *held(
            "unit/test_corrected_tables.py",
            "`explain` and `tvarc facts` tell the reason, and the fact of the table as shadowed; what the row says of its sources is said of that one alone.",
        ),
        rule(
            "A correction may also be of a fact that is null, or that a module adds, and it may be null where the column may.",
            corrects('a { note = "new" }', first("attrs.y", '"new"')),
            corrects("a { note = null }", refused("E607")),
            corrects("b { note = null }", each("attrs.y", "null", "null", "null", "null")),
            corrects("b { cores = null }", refused("E301", "cores = null")),
            corrects(
                'e { arch = "intel" }',
                makes("a", "b", "c", "d", "e"),
                'facts board += { e { cores = 1, arch = "arm" } }',
            ),
            corrects('a { log = "B" }', fine, 'facts board += (log: string?) { a { log = "A" } }'),
        ),
        rule(
            "One that says what the table says already is an error (E607), so that it goes when the table is mended; so is one that corrects no fact.",
            corrects("a { cores = 1 }", refused("E607", "cores = 1")),
            corrects("a { }", refused("E607", "a")),
            corrects("", refused("E607", "board")),
        ),
        rule(
            "A row or a table that there is not is an error (E201), as are a column that there is not (E207) and a value of another type (E301).",
            corrects("aa { cores = 2 }", refused("E201", "aa")),
            corrects(
                "a { cores = 3 }",
                refused("E201", "bord"),
                "facts bord override { a { cores = 2 } }",
            ),
            corrects("a { core = 2 }", refused("E207", "core = 2")),
            corrects('a { cores = "4" }', refused("E301", 'cores = "4"')),
        ),
        rule(
            "Two corrections of one fact that disagree are an error (E202); two that agree are none.",
            corrects("a { cores = 2 }", refused("E202", "cores = 3"), more="a { cores = 3 }"),
            corrects("a { cores = 7 }", first("attrs.x", "7"), more="a { cores = 7 }"),
        ),
    ),
    table(
        "`axis`",
        rule(
            "One dimension: values in an order.",
            axis("in-order", "axis k = [2, 1, 3]", "2", "1", "3"),
        ),
        rule(
            "All values of an axis are of one kind.",
            bad_axis("kinds", 'axis k = [1, "a"]', "E301", '[1, "a"]'),
            bad_axis("kinds-version", "axis k = [1, 1.0]", "E301", "[1, 1.0]"),
            bad_axis(
                "kinds-rows",
                "facts u () { z { } }\naxis k = [board.a, u.z]",
                "E301",
                "[board.a, u.z]",
            ),
        ),
        rule(
            "| `axis a = T` | every row of the table |",
            axis("table", "axis k = board", "a", "b", "c", "d"),
        ),
        rule(
            "the rows named, in this order",
            axis("named", "axis k = board[c, a]", "c", "a"),
            bad_axis("named-unknown", "axis k = board[z]", "E406", "z"),
        ),
        rule(
            "from one row to another, in the table's order",
            axis("range", "axis k = board[b..d]", "b", "c", "d"),
            axis("range-of-one", "axis k = board[b..b]", "b"),
            bad_axis("range-backwards", "axis k = board[d..b]", "E406"),
        ),
        rule(
            "rows that fit; the condition names fields",
            axis("where", "axis k = board[where cores >= 8]", "c", "d"),
            axis("where-equal", 'axis k = board[where arch == "arm"]', "a", "c"),
            bad_axis("where-no-field", "axis k = board[where kores >= 8]", "E201", "kores"),
        ),
        rule(
            "versions, strings, integers or rows",
            row(
                "versions",
                top("axis k = [12.8, 13.0]\n" + OF_K.format("")),
                each("attrs.x", '"12.8"', '"13.0"'),
            ),
            axis("strings", 'axis k = ["b", "a"]', "b", "a"),
            axis("integers", "axis k = [8, 4]", "8", "4"),
            axis("rows-of-list", "axis k = [board.d, board.a]", "d", "a"),
            bad_axis("lists", "axis k = [[1], [2]]", "E301"),
            bad_axis("nulls", "axis k = [null]", "E301"),
        ),
        rule(
            "a switch: `when a { … }`; a name says it in words",
            row(
                "switch",
                top(
                    'axis lto = [true, false]\nrecipe child { package = pkgs.hello, when lto { attrs { x = 1 } } }\nmatrix m { recipe = child, axes = lto, name = "v-{{if lto then "lto" else "plain"}}" }'
                ),
                all_of(makes("v-lto", "v-plain"), each("attrs.x", "1", "absent")),
            ),
            row(
                "switch-has-no-text",
                top(
                    'axis lto = [true, false]\nrecipe child { package = pkgs.hello, attrs { x = lto } }\nmatrix m { recipe = child, axes = lto, name = "v-{{lto}}" }'
                ),
                refused("E301", "lto"),
            ),
            row(
                "switch-other-order",
                top(
                    'axis lto = [false, true]\nrecipe child { package = pkgs.hello, attrs { x = lto } }\nmatrix m { recipe = child, axes = lto, name = "v-{{if lto then "lto" else "plain"}}" }'
                ),
                makes("v-plain", "v-lto"),
            ),
        ),
        rule(
            "its own rows, in this order; each has the same fields",
            axis("own-rows", "axis k { z { f = 1 }, y { f = 2 } }", "z", "y"),
            bad_axis("own-rows-other-fields", "axis k { z { f = 1 }, y { g = 2 } }", "E208"),
            bad_axis("own-rows-other-kind", 'axis k { z { f = 1 }, y { f = "x" } }', "E301"),
        ),
        rule(
            "| `axis a: T` | named, without values: see below |",
            row("named-axis", top(BOARD + "axis k: board\nlet big = k.cores > 8"), fine),
        ),
        rule(
            "Picks may be mixed: `T[v, where cores >= 8]`.",
            axis("mixed", "axis k = board[b, where cores >= 8]", "b", "c", "d"),
            axis("mixed-range", "axis k = board[c..d, a]", "c", "d", "a"),
        ),
        rule(
            "A value picked twice is an error (E202), as is a pick of nothing (E406).",
            bad_axis("picked-twice", "axis k = board[a, a]", "E202"),
            bad_axis("picked-twice-mixed", "axis k = board[d, where cores >= 8]", "E202"),
            bad_axis("listed-twice", "axis k = [1, 1]", "E202"),
            bad_axis("listed-twice-as-version", "axis k = [2.10, 2.10.0]", "E202"),
            bad_axis("picked-nothing", "axis k = board[where cores > 16]", "E406"),
            axis("picked-something", "axis k = board[where cores >= 16]", "d"),
            bad_axis("empty-list", "axis k = []", "E406"),
        ),
        rule(
            "**`axis gpu: nvidia`** names an axis and the table of its values, without choosing any.",
            row(
                "named-needs-values",
                top(BOARD + "axis k: board\n" + OF_K.format("")),
                refused("E304"),
            ),
        ),
        rule(
            "A library writes it, so that its own `let`s, recipes and checks may read `gpu`.",
            row(
                "named-in-library",
                top(
                    'use "./lib.tvar"\naxis k = board[b]\nmatrix m { recipe = base, axes = k, name = "{{k}}" }'
                ),
                all_of(makes("b"), first("attrs.x", "4")),
                files={
                    "lib.tvar": BOARD
                    + "axis k: board\nlet cores = k.cores\nrecipe base { package = pkgs.hello, attrs { x = cores } }\n"
                },
            ),
        ),
        rule(
            "The file that builds gives it values: `axis gpu = nvidia[sm90]`.",
            row(
                "named-gets-values",
                top(
                    'use "./lib.tvar"\naxis k = board[d, b]\nmatrix m { recipe = base, axes = k, name = "{{k}}" }'
                ),
                makes("d", "b"),
                files={
                    "lib.tvar": BOARD
                    + "axis k: board\nrecipe base { package = pkgs.hello, attrs { x = k.cores } }\n"
                },
            ),
            row(
                "named-of-other-table",
                top(
                    'use "./lib.tvar"\nfacts u (cores: int) { z { cores = 1 } }\naxis k = u\nmatrix m { recipe = base, axes = k, name = "{{k}}" }'
                ),
                refused("E301", "k"),
                files={
                    "lib.tvar": BOARD
                    + "axis k: board\nrecipe base { package = pkgs.hello, attrs { x = k.cores } }\n"
                },
            ),
        ),
        rule(
            "`std.nvidia` names `gpu` and `std.cpu` names `isa` in this way.",
            row(
                "named-by-std",
                top("use std.nvidia\nuse std.cpu\nlet a = gpu.capability\nlet b = isa.flags"),
                fine,
            ),
        ),
        rule(
            "A matrix over an axis without values is a [pattern](#matrices-that-extend-others) in a library, and an error in the file that is built (E304).",
            row(
                "pattern-in-library",
                top('use "./lib.tvar"'),
                makes("v"),
                files={
                    "lib.tvar": BOARD
                    + 'axis k: board\nrecipe base { package = pkgs.hello, attrs { x = k.cores } }\nmatrix lines { recipe = base, axes = k, name = "{{k}}" }\n'
                },
            ),
            row(
                "pattern-that-is-built",
                top(
                    BOARD
                    + 'axis k: board\nrecipe child { package = pkgs.hello }\nmatrix lines { recipe = child, axes = k, name = "{{k}}" }'
                ),
                refused("E304"),
            ),
        ),
        rule(
            "Any declaration may read axes.",
            row(
                "axes-read",
                body('overlays = [o]\nattrs { x = n }\nenv { A = "{{n}}" }', "overlay o { y = n }"),
                fine,
            ),
        ),
        rule(
            "To use it in a matrix that lacks the axis is an error that names both (E304).",
            row(
                "axis-missing",
                attrs("x = other", "axis other = [1]"),
                says("E304", "`other`", "`m`"),
            ),
        ),
    ),
    table(
        "`pin`",
        *told("A nixpkgs, and how it is configured.", "**Which forms are written.**"),
        rule(
            "owner and name, and a whole commit id: 40 digits in lower case",
            row(
                "pin-github",
                body(""),
                emits(f"https://github.com/NixOS/nixpkgs/archive/{REV}.tar.gz"),
            ),
            row("pin-branch", pin('github = "a/b", rev = "main"'), refused("E702", '"main"')),
            row("pin-39", pin(f'github = "a/b", rev = "{"a" * 39}"'), refused("E702")),
            row("pin-no-owner", pin(f'github = "a", rev = "{REV}"'), refused("E703")),
            row("pin-no-rev", pin('github = "a/b"'), refused("E208")),
        ),
        rule(
            "the address of a tarball, in place of `github`; `rev` may say which commit it is",
            row(
                "pin-url",
                pin(f'url = "https://a.org/b.tar.gz", hash = "{HASH}"'),
                emits("https://a.org/b.tar.gz"),
            ),
            row(
                "pin-url-rev",
                pin(f'url = "https://a.org/b.tar.gz", hash = "{HASH}", rev = "{REV}"'),
                fine,
            ),
            row(
                "pin-url-and-github",
                pin(f'url = "https://a.org/b.tar.gz", {LOCKED}'),
                refused("E209"),
            ),
            row("pin-url-bad", pin('url = "a.org/b"'), refused("E703", '"a.org/b"')),
        ),
        rule(
            "the SRI hash of the unpacked tarball, SHA-256, or `unlocked`; without it, or where it is null, that of the lock, and where that has none Nix fetches impurely",
            row("pin-hash", pin(LOCKED), emits(f'sha256 = "{HASH}";')),
            row("pin-no-hash", pin(FETCHED), emits("builtins.fetchTarball", never=("sha256 =",))),
            row(
                "pin-null-hash",
                pin(f"{FETCHED}, hash = null"),
                emits("builtins.fetchTarball", never=("sha256 =",)),
            ),
            row("pin-bad-hash", pin(f'{FETCHED}, hash = "sha256-AA"'), refused("E701")),
            row("pin-other-hash", pin(f'{FETCHED}, hash = "sha512-{"A" * 86}=="'), refused("E701")),
            row("pin-unlocked", pin(f"{FETCHED}, hash = unlocked"), refused("W002")),
        ),
        rule(
            "the release that this nixpkgs is of, from 20.09 on, a version: `release = 24.11`; of a commit of the development branch the coming one.",
            row("pin-release", pin(f"{LOCKED}, release = 24.11"), fine),
            row("pin-release-first", pin(f"{LOCKED}, release = 20.09"), fine),
            row("pin-release-before", pin(f"{LOCKED}, release = 20.03"), refused("E704", "20.03")),
            row(
                "pin-release-string",
                pin(f'{LOCKED}, release = "24.11"'),
                refused("E301", '"24.11"'),
            ),
            row(
                "pin-release-no-month", pin(f"{LOCKED}, release = 24.13"), refused("E704", "24.13")
            ),
        ),
        rule(
            "Null, or nothing, where it is not known |",
            row("pin-release-null", pin(f"{LOCKED}, release = null"), fine),
        ),
        rule(
            'the day of the commit, `"2026-02-17"`; for a commit of the development branch, where its release does not tell all',
            row("pin-date", pin(f'{LOCKED}, release = 25.05, date = "2025-02-17"'), fine),
            row(
                "pin-date-no-day",
                pin(f'{LOCKED}, release = 25.05, date = "2025-02-30"'),
                refused("E704"),
            ),
            row("pin-date-last-day", pin(f'{LOCKED}, release = 25.05, date = "2025-02-28"'), fine),
        ),
        rule(
            "| `path` | a folder with a nixpkgs, in place of both: [below](#a-folder-as-the-pin) |",
            row("pin-path", pin('path = "../nixpkgs"'), fine, files=FOLDER),
        ),
        rule(
            "nixpkgs' `config`; it makes the package set, so it cannot read `pkgs` (E302)",
            row(
                "pin-config",
                pin(f"{LOCKED}\nconfig {{ a = 1 }}"),
                all_of(first("config.a", "1"), emits("config = { a = 1; };")),
            ),
            row(
                "pin-config-pkgs",
                pin(f"{LOCKED}\nconfig {{ a = pkgs.b }}"),
                refused("E302", "pkgs"),
            ),
        ),
        rule(
            "the machine that builds, and the one that it builds for: [below](#machines)",
            row(
                "pin-machines",
                pin(
                    f'{LOCKED}\nlocalSystem {{ system = "x86_64-linux" }}\ncrossSystem {{ system = "aarch64-linux" }}'
                ),
                emits(
                    'localSystem = { system = "x86_64-linux"; };',
                    'crossSystem = { system = "aarch64-linux"; };',
                ),
            ),
        ),
        rule(
            "By `release` and `date` it is known what the pinned one has, and the recipe is written so; what it states of its release, the recipe checks.",
            row("release-checked", pin(f"{LOCKED}, release = 24.11"), emits("24.11")),
        ),
        *held(
            "nix/test_ages.py",
            'Where it is not known, the newest form is written, with a guard, `assert … || throw "…"`, that says in words what this nixpkgs lacks.',
        ),
        *held("unit/test_nixpkgs_ages.py", "[nixpkgs.md](nixpkgs.md) has the table."),
        rule(
            "A value that is not in range is an error (E704), and so is what an older nixpkgs has no form for (E508).",
            row("release-far", pin(f"{LOCKED}, release = 99.99"), refused("E704")),
            row(
                "release-has-no-form",
                body(
                    f'attrs {{ src = github("a/b", tag = "v1", hash = "{HASH}") }}',
                    f"pin q {{ {LOCKED}, release = 20.09 }}\n",
                ),
                fine,
            ),
        ),
        rule(
            "A `date` alone tells nothing, since older releases are kept up beside newer ones: without a `release` it is an error (E208).",
            row("date-alone", pin(f'{LOCKED}, date = "2025-02-17"'), refused("E208")),
        ),
        rule(
            "Both may come from a row of `std.nixpkgs`:",
            row(
                "release-of-row",
                pin(
                    f"{LOCKED}, release = nixos-24_11.release, date = nixos-24_11.announced",
                    "use std.nixpkgs\n",
                ),
                fine,
            ),
        ),
        rule(
            "With one pin in the program every recipe uses it.",
            row("one-pin", body(""), first("pin", "p")),
        ),
        rule(
            "With several, or with none, a recipe says which (E506): `pin = stable`.",
            row("several-pins", body("", TWO_PINS), refused("E506", "child")),
            row("several-pins-chosen", body("pin = q", TWO_PINS), first("pin", "q")),
            row(
                "no-pin",
                "recipe child { package = pkgs.hello }\nvariant v { recipe = child }\n" + OUTPUT,
                refused("E506", "child"),
            ),
        ),
        rule(
            "The fields of a pin may read axes, but for `path`.",
            row(
                "pin-reads-axes",
                pin(
                    f'github = "NixOS/nixpkgs", rev = if n == 1 then "{REV}" else "{"b" * 40}", hash = "{HASH}"'
                ),
                fine,
            ),
            row(
                "pin-path-reads-axes",
                pin('path = "../nixpkgs{{n}}"'),
                refused("E305", '"../nixpkgs{{n}}"'),
                files=FOLDER,
            ),
        ),
        rule(
            "**`pin = none`** emits a function for `callPackage`: its arguments are what the recipe uses.",
            row("pin-none", body("pin = none\nattrs { x = pkgs.zlib }"), emits("{ hello, zlib }:")),
        ),
        rule(
            "The caller chooses nixpkgs, so `config` is an error there (E506).",
            row("pin-none-config", body("pin = none\nconfig { a = 1 }"), refused("E506")),
        ),
    ),
    table(
        "A folder as the pin",
        *told(
            '`path = "../nixpkgs"` takes a checkout of nixpkgs as it lies there: to try a change of nixpkgs itself, say, or one that is a submodule.',
            "Flox builds from a clone, and sees what is committed alone.",
        ),
        rule(
            "The path is a plain string, relative to the `.tvar` that it stands in, and names the folder in which `default.nix` is.",
            row("folder", pin('path = "../nixpkgs"'), fine, files=FOLDER),
            row(
                "folder-computed",
                pin("path = k", 'let k = "../nixpkgs"\n'),
                refused("E305", "k"),
                files=FOLDER,
            ),
        ),
        rule(
            "The recipe has it relative to itself.",
            row(
                "folder-relative",
                pin('path = "../nixpkgs"').replace("{{variant}}.nix", "a/b/{{variant}}.nix"),
                emits("nixpkgs = ../../../nixpkgs;"),
                files=FOLDER,
            ),
        ),
        rule(
            "A pin has a `github`, a `url` or a `path`, and one of them only (E209).",
            row(
                "folder-and-github",
                pin(f'path = "../nixpkgs", {FETCHED}'),
                refused("E209"),
                files=FOLDER,
            ),
            row(
                "folder-and-url",
                pin('path = "../nixpkgs", url = "https://a.org/b"'),
                refused("E209"),
                files=FOLDER,
            ),
            row("nothing-of-three", pin("config { a = 1 }"), refused("E208")),
        ),
        rule(
            "Nothing says what is in a folder, so there is no `rev` and no `hash` beside a `path`, no lint asks for one, and `lock` and `bump` have nothing to do.",
            row(
                "folder-rev",
                pin(f'path = "../nixpkgs", rev = "{REV}"'),
                refused("E209"),
                files=FOLDER,
            ),
            row(
                "folder-hash",
                pin(f'path = "../nixpkgs", hash = "{HASH}"'),
                refused("E209"),
                files=FOLDER,
            ),
            row("folder-no-lint", pin('path = "../nixpkgs"'), speaks(), files=FOLDER),
        ),
        rule(
            "An absolute path is an error (E703), as the recipes could not be shared; so is a folder that is not there, or that has no `default.nix`.",
            row("folder-absolute", pin('path = "/nixpkgs"'), refused("E703", '"/nixpkgs"')),
            row("folder-missing", pin('path = "../nixpkgs"'), refused("E703", '"../nixpkgs"')),
            row(
                "folder-empty",
                pin('path = "../nixpkgs"'),
                refused("E703", '"../nixpkgs"'),
                files={"../nixpkgs/other.nix": ""},
            ),
        ),
        *held(
            "cli/test_pin_folders.py",
            "What git does not track is fine, and so is a folder outside of the repository: but who has the recipes then needs the folder too.",
            "Nothing is ever written into that folder (E803).",
            "`diff` compares the paths, not what is in the folders; `--nix` asks Nix, which reads them.",
        ),
    ),
    table(
        "Machines",
        rule(
            "`localSystem { }` and `crossSystem { }` are handed to nixpkgs as they are.",
            row(
                "machines",
                pin(f'{LOCKED}\nlocalSystem {{ system = "x86_64-linux", a.b = 1 }}'),
                emits('localSystem = { system = "x86_64-linux"; a = { b = 1; }; };'),
            ),
        ),
        rule(
            "Without them a recipe is for the system of its caller.",
            row(
                "no-machines",
                body(""),
                emits(
                    "inherit (pkgs.stdenv.hostPlatform) system;",
                    never=("localSystem", "crossSystem"),
                ),
            ),
        ),
        rule(
            "Their values may read axes and `let`s, and `when` may stand in them; what only Nix knows cannot (E302), since nixpkgs is made by them.",
            row(
                "machine-axis",
                pin(
                    f'{LOCKED}\nlocalSystem {{ system = "x86_64-linux", a = n, when n == 1 {{ b = k }} }}',
                    "let k = 2\n",
                ),
                emits("a = 1; b = 2;"),
            ),
            row(
                "machine-nix",
                pin(f'{LOCKED}\nlocalSystem {{ system = "x86_64-linux", a = pkgs.b }}'),
                refused("E302"),
            ),
        ),
        *told("`system` or `config` name a machine."),
        rule(
            "A `localSystem` without either is the caller's system with what is said of it besides; a `crossSystem` without either is an error (E507).",
            row(
                "local-without-system",
                pin(f"{LOCKED}\nlocalSystem {{ a = 1 }}"),
                emits("localSystem = { inherit (pkgs.stdenv.hostPlatform) system; a = 1; };"),
            ),
            row("cross-without-system", pin(f"{LOCKED}\ncrossSystem {{ a = 1 }}"), refused("E507")),
            row(
                "cross-with-config",
                pin(f'{LOCKED}\ncrossSystem {{ config = "aarch64-unknown-linux-gnu" }}'),
                emits('crossSystem = { config = "aarch64-unknown-linux-gnu"; };'),
            ),
        ),
        *held(
            "nix/test_pins.py",
            "`gcc.arch` reaches every package of the set: nothing of it comes from a binary cache, and Nix builds it on machines that have the feature `gccarch-…` alone.",
            "nixpkgs before 21.05 has `gcc` elsewhere, and passes it over here.",
            "A pin that states such a `release` gets the older form; where no release is known the recipe stops with a sentence instead.",
        ),
    ),
    table(
        "Unlocked hashes",
        rule(
            "`hash = unlocked`, of a pin, a patch or a source, takes the hash from `tvar.lock` beside the program, which `tvarc lock` fills in; [lock.md](lock.md) has the whole of it.",
            row(
                "unlocked-patch",
                body(
                    "overlays = [o]",
                    'patch o for hello { url = "https://a.org/b", hash = unlocked }',
                ),
                refused("W002"),
            ),
            row("unlocked-elsewhere", attrs("x = unlocked"), refused("E201", "unlocked")),
        ),
        rule(
            "`unlocked` may also stand in the arguments of `call` and among the attributes of a package, under [the name of a hash](lock.md#where-a-hash-can-be-left-open), such as `sha256` or `cargoHash`.",
            row(
                "unlocked-in-a-call",
                attrs('src = call(pkgs.f, { url = "u", sha256 = unlocked })'),
                says("W002", "`sha256` of call(pkgs.f"),
            ),
            row(
                "unlocked-elsewhere-in-a-call",
                attrs('src = call(pkgs.f, { url = unlocked })'),
                refused("E201", "unlocked"),
            ),
            row(
                "unlocked-attribute",
                attrs(f'src = github("a/b", tag = "v1", hash = "{HASH}")\ncargoHash = unlocked'),
                says("W002", "`cargoHash` of"),
            ),
            row("unlocked-of-nothing", attrs("cargoHash = unlocked"), refused("E302", "unlocked")),
        ),
        rule(
            "The same holds for a hash that is written and that no content has: an empty text, all `A`, all zeros, `lib.fakeHash`.",
            row("fake-empty", attrs('cargoHash = ""'), says("W002", "cargoHash")),
            row("fake-a", attrs(f'vendorHash = "sha256-{"A" * 43}="'), says("W002", "vendorHash")),
            row("fake-zeros", attrs(f'vendorSha256 = "{"0" * 52}"'), says("W002", "vendorSha256")),
            row("fake-of-lib", attrs("cargoHash = pkgs.lib.fakeHash"), says("W002", "cargoHash")),
            row(
                "fake-in-text",
                attrs('src = nix"""f { hash = lib.fakeHash; }"""'),
                says("W002", "fakeHash"),
            ),
            row("fake-null", attrs("vendorHash = null"), emits("vendorHash = null;")),
        ),
        rule(
            "Where the lock has none, the recipe is built with a fake hash, and the warning W002 says so once for each source, in `build` and `check`; `tvarc build --locked` refuses it (E941).",
            row(
                "fake-once",
                attrs('src = github("a/b", tag = "v1", hash = unlocked)'),
                says("W002", "a/b"),
            ),
        ),
        *held(
            "lock/test_hashes.py",
            "A hash that is written needs no lock, and if the lock has another it is an error (E942).",
        ),
    ),
    table(
        "`input`",
        *told(
            "Another repository, of which recipes take files: what is built there, or functions that build."
        ),
        rule(
            "owner and name, and a whole commit id",
            row(
                "input-github",
                of_input(SHARED),
                emits(f'url = "https://github.com/a/b/archive/{REV}.tar.gz"; sha256 = "{HASH}";'),
            ),
            row(
                "input-github-bad",
                of_input(f'github = "b", rev = "{REV}", hash = "{HASH}"'),
                refused("E703", '"b"'),
            ),
            row(
                "input-branch",
                of_input(f'github = "a/b", rev = "main", hash = "{HASH}"'),
                refused("E702", '"main"'),
            ),
            row("input-no-rev", of_input(f'github = "a/b", hash = "{HASH}"'), refused("E208", "i")),
        ),
        rule(
            "the address of a tarball, in place of `github`",
            row(
                "input-url",
                of_input(f'url = "https://a.org/b.tar.gz", hash = "{HASH}"'),
                emits('url = "https://a.org/b.tar.gz";'),
            ),
            row(
                "input-url-bad",
                of_input(f'url = "a.org/b", hash = "{HASH}"'),
                refused("E703", '"a.org/b"'),
            ),
            row("input-both", of_input(f'url = "https://a.org/b", {SHARED}'), refused("E209")),
        ),
        rule(
            "the SRI hash of the unpacked tarball, SHA-256, or `unlocked`; an input that is fetched has one (E208)",
            row("input-no-hash", of_input(f'github = "a/b", rev = "{REV}"'), refused("E208", "i")),
            row("input-url-no-hash", of_input('url = "https://a.org/b"'), refused("E208", "i")),
            row(
                "input-bad-hash",
                of_input(f'github = "a/b", rev = "{REV}", hash = "abc"'),
                refused("E701", '"abc"'),
            ),
            row(
                "input-unlocked",
                of_input(f'github = "a/b", rev = "{REV}", hash = unlocked'),
                refused("W002", "unlocked"),
            ),
        ),
        rule(
            "a folder beside this one, in place of both: a checkout of the other repository",
            row("input-path", of_input('path = "../b"'), emits("i-input ? ../b,"), files=BESIDE),
            row(
                "input-path-and-rev",
                of_input(f'path = "../b", rev = "{REV}"'),
                refused("E209"),
                files=BESIDE,
            ),
            row("input-nowhere", of_input(""), refused("E208", "i")),
            row(
                "input-unknown-field",
                of_input(f'{SHARED}, branch = "x"'),
                refused("E210", "branch"),
            ),
            row("input-field-twice", of_input(f'{SHARED}, rev = "{REV}"'), refused("E202", "rev")),
            row("input-block", of_input(f"{SHARED}\nconfig {{ }}"), refused("E209", "config { }")),
        ),
        rule(
            "A recipe that takes a file of an input has an argument for it, called like the input with `-input` after it, so that callPackage never fills it with a package of that name; its default is what the program says.",
            row(
                "input-argument",
                of_input(SHARED),
                emits("i-input ? builtins.fetchTarball {", 'x = i-input + "/a.nix";'),
            ),
            row("input-not-taken", of_input(SHARED, "1"), refused("E608", "i")),
            row(
                "input-not-taken-there",
                body(f"when n == 2 {{ {TAKEN.format(FILE_OF)} }}", f"input i {{ {SHARED} }}"),
                emits("pinned.hello", never=("i-input",)),
            ),
            row(
                "input-called",
                body(f"pin = none\n{TAKEN.format(FILE_OF)}", f"input i {{ {SHARED} }}"),
                emits("{ hello, i-input ? builtins.fetchTarball {"),
            ),
        ),
        *held(
            "nix/test_inputs.py",
            "`nix-build app-sm90.nix --arg cuda-packages-input ../cuda-packages` takes a checkout in its place.",
        ),
        *held(
            "cli/test_inputs.py",
            "`tvarc build --input cuda-packages=../cuda-packages` changes no recipe: it looks into that checkout for the files that are named (E106), of an input that is fetched as well, and says how Nix is told of it.",
            "So is, for `build`, a folder of the program's own repository that git does not track.",
        ),
        rule(
            "What Nix is to import ends in `.nix` (E301), or is a folder with a `default.nix` (E106).",
            row(
                "import-no-nix",
                body('package = file(i, "a.patch")', f"input i {{ {SHARED} }}"),
                refused("E301", 'package = file(i, "a.patch")'),
            ),
            row(
                "import-folder",
                body('package = path("./d")'),
                emits("pinned.callPackage ./d { }"),
                files={"d/default.nix": ""},
            ),
            row(
                "import-empty-folder",
                body('package = path("./d")'),
                refused("E106", 'package = path("./d")'),
                files={"d/a.nix": ""},
            ),
            row(
                "import-no-file-needed",
                of_input(SHARED, 'file(i, "a.patch")'),
                emits('x = i-input + "/a.patch";'),
            ),
        ),
        rule(
            "In Nix text an input has no name, and no `{{…}}` puts one there (E302): it stands in a value beside it.",
            row(
                "input-in-nix-text",
                of_input(SHARED, 'nix"""[ {{file(i, "a.nix")}} ]"""'),
                refused("E302", 'file(i, "a.nix")'),
            ),
            row(
                "input-in-text",
                of_input(SHARED, '"{{file(i, "a")}}/b"'),
                emits('x = "${i-input + "/a"}/b";'),
            ),
        ),
        rule(
            '`file(input, "…")` names one file by its steps, which may be computed (`"pkgs/{{gpu}}.nix"`), but lead nowhere else (E703).',
            row("input-steps", of_input(SHARED, 'file(i, "a/{{n}}.nix")'), emits('"/a/1.nix"')),
            *[
                row(
                    f"input-steps-{number}",
                    of_input(SHARED, f'file(i, "{path}")'),
                    refused("E703", f'"{path}"'),
                )
                for number, path in enumerate(
                    ("", "/a", "../a", "a/../b", "a//b", "./a", "a/", "..")
                )
            ],
        ),
        rule(
            "By itself it is a path; as a `package`, and in `call`, it is the function in it.",
            row("input-file", of_input(SHARED), emits('x = i-input + "/a.nix";')),
            row(
                "input-call",
                of_input(SHARED, 'call(file(i, "a.nix"), 1)'),
                emits('x = import (i-input + "/a.nix") 1;'),
            ),
            row(
                "input-package",
                body('package = file(i, "a.nix")', f"input i {{ {SHARED} }}"),
                emits('pinned.callPackage (i-input + "/a.nix") { }'),
            ),
        ),
        rule(
            "Of an input with a `path` the file has to be there (E106).",
            row(
                "input-file-missing",
                of_input('path = "../b"', 'file(i, "c.nix")'),
                refused("E106", '"c.nix"'),
                files=BESIDE,
            ),
            row("input-file-there", of_input('path = "../b"'), fine, files=BESIDE),
        ),
        rule(
            "The input itself is a path too: `src = cuda-packages` builds from its files.",
            row("input-itself", of_input(SHARED, "i"), emits("x = i-input;")),
            row("input-decides", of_input(SHARED, "if i is none then 1 else 2"), refused("E302")),
        ),
        rule(
            "A `path` is relative to the `.tvar` that it stands in.",
            row(
                "input-relative",
                of_input('path = "../b"').replace("{{variant}}.nix", "x/{{variant}}.nix"),
                emits("i-input ? ../../b,"),
                files=BESIDE,
            ),
        ),
        rule(
            "An absolute one is an error (E703), and so is one that leads over a link, such as the `result` of a build: neither is the same for everybody, or tomorrow.",
            row("input-absolute", of_input('path = "/b"'), refused("E703", '"/b"')),
            row("input-missing", of_input('path = "../c"'), refused("E703", '"../c"')),
        ),
        *held("cli/test_inputs.py", "Nothing is ever written into that folder (E803)."),
        rule(
            "Its fields may read axes, but for `path`.",
            row(
                "input-of-axis",
                of_input(f'url = "https://a.org/{{{{n}}}}", hash = "{HASH}"'),
                emits('url = "https://a.org/1";'),
            ),
            row("input-path-of-axis", of_input('path = "../{{n}}"'), refused("E305")),
            row(
                "input-of-nix",
                of_input(f'url = pkgs.a, hash = "{HASH}"'),
                refused("E302"),
            ),
            row("input-of-itself", of_input(f'url = i, hash = "{HASH}"'), refused("E205", "i")),
        ),
        rule(
            "Two modules of a program have no inputs of one name (E202).",
            row(
                "input-of-modules",
                'use "./lib.tvar" as lib\n' + of_input(SHARED),
                refused("E202", "i"),
                files={"lib.tvar": f"input i {{ {SHARED} }}\n"},
            ),
            row(
                "input-of-a-module",
                'use "./lib.tvar" as lib\n' + body('package = file(lib.i, "a.nix")'),
                emits('i-input + "/a.nix"'),
                files={"lib.tvar": f"input i {{ {SHARED} }}\n"},
            ),
        ),
    ),
    table(
        "`output`",
        rule(
            "says where recipes go, relative to the folder of the build.",
            row(
                "output",
                body("").replace("{{variant}}.nix", "a/b/{{variant}}.nix"),
                writes("a/b/v1.nix", "a/b/v2.nix"),
            ),
        ),
        rule(
            "`file` may read axes and settings.",
            row(
                "output-reads",
                body('meta { a = "s" }').replace("{{variant}}.nix", "{{n}}/{{meta.a}}.nix"),
                writes("1/s.nix", "2/s.nix"),
            ),
        ),
        rule(
            "Each variant has its own file below that folder, and the file ends in `.nix` (E403, E402).",
            row("output-alike", body("").replace("{{variant}}.nix", "a.nix"), refused("E402")),
            row(
                "output-above",
                body("").replace("{{variant}}.nix", "../{{variant}}.nix"),
                refused("E403"),
            ),
            row(
                "output-absolute",
                body("").replace("{{variant}}.nix", "/{{variant}}.nix"),
                refused("E403"),
            ),
            row(
                "output-no-nix",
                body("").replace("{{variant}}.nix", "{{variant}}.txt"),
                refused("E403"),
            ),
            row(
                "output-stem",
                body("").replace("{{variant}}.nix", "1.{{variant}}.nix"),
                writes("1.v1.nix", "1.v2.nix"),
            ),
            row(
                "output-stem-200",
                body("").replace("{{variant}}.nix", "a" * 198 + "{{variant}}.nix"),
                fine,
            ),
            row(
                "output-stem-201",
                body("").replace("{{variant}}.nix", "a" * 199 + "{{variant}}.nix"),
                refused("E403"),
            ),
            row("output-stem-good", body("").replace("{{variant}}.nix", "_1{{variant}}.nix"), fine),
        ),
        rule(
            "With several outputs each variant is written to each of them.",
            row(
                "outputs",
                body("") + 'output more { file = "a/{{variant}}.nix" }\n',
                writes("v1.nix", "a/v1.nix", "v2.nix", "a/v2.nix"),
            ),
        ),
        *held("cli/test_build.py", "Without any, `build` has nowhere to write (E507)."),
    ),
    table(
        "All variants in one file",
        *held(
            "unit/test_questions_end.py",
            "`limit` is how many bytes the recipes of an output may take together: `limit = 5000000000`.",
            "By default it is 1,073,741,824, and 134,217,728 where all of them are in one file (`all`, `flake`), which is made in memory.",
            "A program that asks for more is refused before anything is written (E812).",
            "`tvarc build --dry-run` tells how large they are, from a mebibyte on.",
        ),
        rule(
            "The `form` of an output is `recipes`, a file for each variant; `all`, one file with a set of them; `flake`, one file that is a flake of them; [`flox-manifest`](#entries-of-a-manifest); one of those for [other systems](#jobs-for-other-systems); or [`docs`](#pages-about-the-matrix).",
            row(
                "form-recipes",
                body("") + 'output more { form = recipes, file = "a/{{variant}}.nix" }\n',
                writes("v1.nix", "a/v1.nix", "v2.nix", "a/v2.nix"),
            ),
            row(
                "form-all",
                one_file("form = all"),
                emits("{ pkgs ? {", 'variants // { "1" = variants.v1; "2" = variants.v2; }'),
            ),
            row(
                "form-flake",
                one_file("form = flake", "flake.nix"),
                emits("outputs = inputs:", "inherit (x86_64-linux) v1 v2;"),
            ),
        ),
        rule(
            "Where no `form` is written it is what the output is called, and `recipes` for every other name.",
            row("form-by-name", one_file("", output="all"), emits("variants // {")),
            row(
                "form-flake-by-name",
                one_file("", "flake.nix", output="flake"),
                emits("legacyPackages = {"),
            ),
            row(
                "form-against-name",
                body("").replace("output files {", "output all { form = recipes,"),
                writes("v1.nix", "v2.nix"),
            ),
            row("form-other-name", one_file("", output="everything"), refused("E402")),
        ),
        rule(
            "A form that there is not is an error (E201).",
            row("form-unknown", one_file("form = sets"), refused("E201", "sets")),
            row("form-text", one_file('form = "all"'), refused("E201", '"all"')),
        ),
        rule(
            "Each variant is an attribute by its name.",
            row(
                "all-by-name",
                one_file("form = all"),
                emits("{ v1 = pinned.hello; v2 = pinned.hello; };"),
            ),
        ),
        rule(
            "It is one by its axes too, a step for each axis of the matrix that has several values, in the order of `axes`.",
            row(
                "all-by-axes",
                one_file("form = all", of="row * n"),
                emits('one = { "1" = variants.v1-one; "2" = variants.v2-one; };'),
            ),
            row(
                "all-by-axes-order",
                one_file("form = all", of="n * row"),
                emits('"1" = { one = variants.v1-one; two = variants.v1-two; };'),
            ),
            row(
                "all-by-axes-several",
                one_file("form = all", of="n[1] * row"),
                emits("// { one = variants.v1-one; two = variants.v1-two; }", never=('"1" =',)),
            ),
            row(
                "all-without-axes",
                top('output all { file = "default.nix" }\n'),
                emits("in variants", never=("variants //",)),
            ),
        ),
        rule(
            'A version has `_` for its dots, as in nixpkgs\' names: `"13_0"`.',
            row(
                "all-version",
                one_file("form = all")
                .replace("[1, 2]", "[12.9, 13.0]")
                .replace("v{{n}}", "v{{under(n)}}"),
                emits('"12_9" = variants.v12_9; "13_0" = variants.v13_0;'),
            ),
        ),
        rule(
            '`prefix` is the first step of the names by axes, a text that may read axes and settings: `prefix = "cuda{{under(cuda)}}"`.',
            row(
                "prefix",
                one_file('form = all, prefix = "x-{{meta.a}}"', items='meta { a = "s" }'),
                emits('x-s = { "1" = variants.v1; "2" = variants.v2; };'),
            ),
            row(
                "prefix-axis",
                one_file('form = all, prefix = "a{{n}}"'),
                emits('a1 = { "1" = variants.v1; };'),
            ),
            row(
                "prefix-quoted",
                one_file('form = all, prefix = "a b"'),
                emits('"a b" = { "1" = variants.v1; "2"'),
            ),
            row("prefix-name", one_file('form = all, prefix = "a/b"'), refused("E403", '"a/b"')),
            row(
                "prefix-recipes",
                body("").replace("output files {", 'output files { prefix = "a",'),
                refused("E209", "prefix"),
            ),
        ),
        rule(
            "No name, step or prefix is one by which Nix tells what a set is, such as `outPath`, `type` or `__functor` (E403).",
            *[
                row(
                    f"all-called-{name}",
                    one_file("form = all", more=f"variant {name} {{ recipe = child }}\n"),
                    refused("E403"),
                )
                for name in ("outPath", "drvPath", "type", "_type", "recurseForDerivations")
            ],
            *[
                row(
                    f"all-called-{name}",
                    one_file(
                        "form = all", more=f'variant w {{ recipe = child, name = "{name}" }}\n'
                    ),
                    refused("E403"),
                )
                for name in ("__functor", "__functionArgs", "__toString", "__overrides")
            ],
            row(
                "all-prefix-type", one_file('form = all, prefix = "type"', of="n"), refused("E403")
            ),
            row(
                "recipes-called-type",
                top("recipe child { package = pkgs.hello }\nvariant type { recipe = child }\n"),
                fine,
            ),
        ),
        rule(
            'A name that would be two variants, or a variant and a set of others, is an error (E402), and `prefix = "{{matrix}}"` sets matrices over the same axes apart.',
            row("all-alike", one_file("form = all", more=SECOND), refused("E402")),
            row(
                "all-alike-prefix",
                one_file('form = all, prefix = "{{matrix}}"', more=SECOND),
                emits('m = { "1" = variants.v1;', 'second = { "1" = variants.w1;'),
            ),
            row(
                "all-alike-set",
                one_file(
                    "form = all", of="row * n", more='variant w { recipe = child, name = "one" }\n'
                ),
                refused("E402"),
            ),
        ),
        rule(
            "`file` is written out: it reads nothing (E403).",
            row("all-computed", one_file("form = all", "{{n}}.nix"), refused("E403")),
        ),
        rule(
            "It does not stand in `.flox/pkgs`, where each file is one package (E403), nor is it the file of another output (E402).",
            row("all-package", one_file("form = all", ".flox/pkgs/all.nix"), refused("E403")),
            row("all-no-package", one_file("form = all", ".flox/all.nix"), fine),
            row(
                "all-twice",
                one_file("form = all") + 'output b { form = all, file = "Default.nix" }\n',
                refused("E402"),
            ),
            row(
                "all-like-a-variant",
                body("") + 'output b { form = all, file = "V1.nix" }\n',
                refused("E402"),
            ),
        ),
        rule(
            "A flake is called `flake.nix`, since Nix reads no other, and nothing else is (E403).",
            row("flake-name", one_file("form = flake", "flakes.nix"), refused("E403")),
            row("flake-below", one_file("form = flake", "a/flake.nix"), fine),
            row("all-flake-name", one_file("form = all", "flake.nix"), refused("E403")),
        ),
        *held(
            "nix/test_needs_in_one_file.py",
            "Overlays that read `needs` are the same where all is the same that the variants need.",
        ),
        *told(
            "A recipe that is put into others by `needs`, and has another nixpkgs than they have, imports it once for each of them."
        ),
        *held(
            "nix/test_collections.py",
            "A nixpkgs is imported once for all variants with the same pin, `config`, overlays and machines, so all of them are evaluated in little more time than one.",
            "Each variant has the derivation that its own file has.",
            "A set of all variants is a function of `pkgs` and of inputs, like a recipe, and pure like one: where a caller hands it `pkgs`.",
            "A recipe with `pin = none` is filled by the `callPackage` of that `pkgs`, or of the package set of it that is the recipe's scope.",
        ),
        rule(
            "The file needs no other recipe, and no other `output` in the program.",
            row("all-alone", one_file("form = all"), writes("default.nix")),
        ),
        *told(
            "A pinned recipe imports a nixpkgs by itself: a file that only named the others would import one for each variant."
        ),
        *held(
            "cli/test_collections.py", "`build --only` leaves files of all variants as they are."
        ),
        rule(
            "has the pins as inputs, each by its name and with the hash of the pin as `narHash`.",
            row(
                "flake-inputs",
                one_file("form = flake", "flake.nix"),
                emits(
                    f'p = {{ type = "github"; owner = "NixOS"; repo = "nixpkgs"; rev = "{REV}"; narHash = "{HASH}"; flake = false; }};',
                    "nixpkgs = inputs.p;",
                ),
            ),
            row(
                "flake-tarball",
                one_file(
                    "form = flake",
                    "flake.nix",
                    more=f'pin p {{ url = "https://example.org/a.tar.gz", hash = "{HASH}" }}\n',
                ),
                emits(
                    f'p = {{ type = "tarball"; url = "https://example.org/a.tar.gz"; narHash = "{HASH}"; flake = false; }};'
                ),
            ),
        ),
        rule(
            "Where one pin is several nixpkgs, the commit follows the name.",
            row(
                "flake-inputs-several",
                one_file("form = flake", "flake.nix", more=TWO_REVS),
                emits(
                    "p-6a030d5 = {",
                    "p-0182a36 = {",
                    "nixpkgs = inputs.p-6a030d5;",
                    never=("p = {",),
                ),
            ),
        ),
        rule(
            "A `github` that has no hash is locked by Nix, in `flake.lock`.",
            row(
                "flake-unlocked",
                one_file(
                    "form = flake",
                    "flake.nix",
                    more=f'pin p {{ github = "NixOS/nixpkgs", rev = "{REV}" }}\n',
                ),
                emits(f'rev = "{REV}"; flake = false;', never=("narHash",)),
            ),
        ),
        rule(
            "What an `input` of the program is, the flake fetches itself, by its hash.",
            row(
                "flake-program-input",
                one_file(
                    "form = flake",
                    "flake.nix",
                    items="attrs { a = i }",
                    more=f"input i {{ {SHARED} }}\n",
                ),
                emits("let i-input = builtins.fetchTarball {"),
            ),
        ),
        rule(
            "`packages` and `hydraJobs` have the variants by name, `legacyPackages` by axes, each for the systems of its `meta.platforms`; where these are not written out, for x86_64-linux and aarch64-linux.",
            row(
                "flake-platforms",
                one_file(
                    "form = flake", "flake.nix", items='meta { platforms = ["aarch64-darwin"] }'
                ),
                emits(
                    "packages = { aarch64-darwin = { inherit (aarch64-darwin) v1 v2; }; };",
                    "v1.aarch64-darwin = aarch64-darwin.v1;",
                    'legacyPackages = { aarch64-darwin = { "1" = aarch64-darwin.v1; "2" = aarch64-darwin.v2; }; };',
                    never=("x86_64-linux",),
                ),
            ),
            row(
                "flake-platforms-of-nix",
                one_file(
                    "form = flake",
                    "flake.nix",
                    items='meta { platforms = nix"""lib.platforms.linux""" }',
                ),
                emits("inherit (x86_64-linux) v1", "inherit (aarch64-linux) v1"),
            ),
        ),
        rule(
            "A `system` in `localSystem` is the only one.",
            row(
                "flake-system",
                one_file(
                    "form = flake",
                    "flake.nix",
                    more=PIN.replace("}", ', localSystem { system = "riscv64-linux" } }'),
                ),
                emits("inherit (riscv64-linux) v1", never=("x86_64-linux",)),
            ),
        ),
        rule(
            "There are no `checks`: Nix would build every variant to check the flake.",
            row(
                "flake-checks", one_file("form = flake", "flake.nix"), emits("", never=("checks",))
            ),
        ),
        *held(
            "nix/test_needs_in_one_file.py::test_a_walk_over_all_jobs_finds_each_variant_once",
            "`nix-eval-jobs` finds each variant once in a `default.nix`, in `packages.SYSTEM` of a flake, and with `--force-recurse` in `hydraJobs`: by its rules, which a test goes by; with the program itself it was not tried.",
        ),
        rule(
            "A flake sees its inputs and its own folder. So a variant without a pin is an error in it (E509), and so is one that reads `caller`, a file above the folder, or an `url` that has neither `hash` nor `rev`.",
            row(
                "flake-no-pin",
                one_file("form = flake", "flake.nix", items="pin = none"),
                refused("E509", "pin = none"),
            ),
            row(
                "flake-caller",
                one_file("form = flake", "flake.nix", items="attrs { a = caller.system }"),
                refused("E509", "m"),
            ),
            row(
                "flake-above",
                one_file("form = flake", "a/flake.nix", items='attrs { a = path("./f.patch") }'),
                refused("E509", "m"),
            ),
            row(
                "flake-beside",
                one_file("form = flake", "flake.nix", items='attrs { a = path("./f.patch") }'),
                fine,
            ),
            row(
                "flake-mutable",
                one_file(
                    "form = flake",
                    "flake.nix",
                    more='pin p { url = "https://example.org/a.tar.gz" }\n',
                ),
                refused("E509"),
            ),
        ),
    ),
    table(
        "Entries of a manifest",
        *held(
            "cli/test_manifest.py",
            "The form `flox-manifest` puts an entry for each variant into the `[install]` of a manifest of Flox.",
            "The file is a person's: what else is in it stays as it is, with its comments and its order.",
            '| `catalog` | where the packages were published to: `pkg-path = "CATALOG/PACKAGE"` |',
            '| `flake` | or a flake that has them, such as `"github:me/builds"`: `flake = "FLAKE#VARIANT"` |',
            "| `group` | their `pkg-group` |",
            "| `only` | which variants: a condition |",
            "One of `catalog` and `flake` is written (E208), not both (E202).",
            "All fields but `file` may read axes and settings; what Flox cannot read is an error (E403).",
            "In an output of another form they are one (E209).",
            "`file` is written out and ends in `.toml` (E403).",
            "Where it is not there it is made.",
            "An entry is called like the variant.",
            "Its package is called as Flox calls the file below `.flox/pkgs`, and like the variant where there is none.",
            "`systems` are those of `meta.platforms`, where these are written out.",
            "Each entry ends with a comment that names the program, with a digest of what it says.",
            "An entry that was changed by hand, that another program wrote, or a person, stops the build before anything is written (E801).",
            "`--adopt` and `--force` replace it, as they do a recipe.",
            "An entry that says the same without such a comment is left as it is.",
            "A manifest that is no TOML, or of which `install` is no table, is an error at its place (E805).",
            "Nothing is written through a link (E803).",
            "`build --prune` removes the entries of variants that are not there any more, but for those that were changed by hand.",
            "`--only` writes the entries of those variants and leaves the others.",
            "`--dry-run` says what would become of each entry, `--check` fails where any would change, and `diff` shows the entries that differ between two states of the program.",
            "It goes beside an output of recipes: by itself it says nowhere where these go (E507).",
        ),
    ),
    table(
        "Jobs for other systems",
        *told(
            "Three forms tell others what there is to build.",
            "A *job* is a variant for one system.",
        ),
        *held(
            "ci/test_lines.py",
            "| `jobs` | a line of JSON for each job, as `nix-eval-jobs` prints them |",
        ),
        *held(
            "ci/test_github.py",
            "| `github` | a workflow of GitHub Actions |",
        ),
        *held(
            "ci/test_files.py",
            "| `hydra` | a declarative project of Hydra: `spec.json`, with one jobset |",
        ),
        *held(
            "ci/test_lines.py",
            "| `only` | `jobs`, `github` | which variants: a condition |",
        ),
        *held(
            "ci/test_github.py",
            "| `runners` | `github` | a record: the label of a runner, or several, by a system or a feature |",
            "| `matrix` | `github` | one more file, with the matrices as JSON |",
        ),
        *held(
            "ci/test_good_commit.py",
            '| `tvarc` | `github` | where a machine of GitHub gets tvarc: `"github:OWNER/tvarc/REV"` with a whole commit, or the address of a released file with its hash, `"https://…/tvarc-VERSION-py3-none-any.whl#sha256=…"` |',
            "| `before`, `after` | `github` | steps of your own before and after each build: a list of records |",
        ),
        *held(
            "ci/test_files.py",
            '| `flake` | `hydra` | where Hydra finds the flake, such as `"github:me/builds"` |',
            "| `jobset` | `hydra` | its name, by default that of the program |",
            "| `interval`, `keep` | `hydra` | seconds between two looks at the flake, by default 300, and evaluations that it keeps, by default 3 |",
        ),
        *held(
            "ci/test_lines.py",
            "A variant is a job for each system of its `meta.platforms`, where these are written out.",
            "Where they are not, it is one for each system that the flake of the program has it for; without a flake it is one job, of which only Nix knows the system.",
            "Jobs are built from the flake of the program, else from its file of all variants, else from the recipes.",
        ),
        *held(
            "ci/test_files.py",
            "The files are written out and stand below the folder (E403): a workflow is a `.yml` or `.yaml` in `.github/workflows`, where alone GitHub looks for it; jobs are in a `.jsonl` or `.json`, a matrix and a specification in a `.json`.",
            "No two outputs have one file (E402).",
            "`build`, `--check`, `--prune`, `--adopt` and `--force` treat them as they treat recipes.",
            "A workflow has the digest by which it is known in its head, JSON in a string: in `extraValue` of the first job, in `made` of a matrix, in the description of the jobset.",
            "`build --only` leaves them as they are.",
            "They go beside an output of recipes: by themselves they say nowhere where these go (E507).",
        ),
        *told(
            "**Lines.",
        ),
        *held(
            "ci/test_lines.py",
            "Each line has `attr` and `attrPath`, in a flake those of `hydraJobs`; `system`; `requiredSystemFeatures` as far as the program says them; and in `extraValue` the axes of the variant and the file that it is in.",
        ),
        *held(
            "nix/test_jobs.py",
            "`drvPath` and `name` are known to Nix alone: `tvarc jobs --eval` asks it.",
        ),
        *held(
            "ci/test_lines.py",
            "`outputs` and `inputDrvs` are left out.",
        ),
        *told(
            "**The workflow.",
        ),
        *told("Its first job plans, the others build."),
        *held(
            "ci/test_good_commit.py",
            "It plans the variants that changed since the last good commit: the commit of the last successful run of this workflow on the branch, else on the default branch.",
            "So the next push plans a failed variant again, whatever that push changes.",
            "If there is no such run, or if you start the workflow by hand, it plans all variants.",
            "It asks GitHub for its runs with `gh`, and needs `actions: read` for that.",
            "Runs of pull requests do not count: they build what a merge would be.",
            "It ignores a commit that the checkout does not have.",
            "A push and the pull request that it belongs to have one run: that of the push.",
            "A pull request from another repository has its own, and compares with the branch that it is for.",
            "A newer run of a branch or a pull request cancels the older one.",
            "A run on the default branch goes on to its end, since others compare with it.",
            "Its name is the path of the program, with the name of the output where there are several.",
            "What the output of the same name leaves out there by `only` counts as changed: nobody has built it.",
            "`tvarc` says where it gets tvarc, which nobody else can know (E809): a commit or a file by its hash, and never a name that may be another program tomorrow.",
            "The steps of `before` come after the checkout and the installation of Nix, and those of `after` come after the build.",
            "A step has the keys that GitHub has for it (`name`, `id`, `if`, `uses`, `run`, `with`, `env`, `shell`, `working-directory`, `continue-on-error`, `timeout-minutes`), and a `uses` or a `run` (E403).",
            'What a step says is yours, and goes into the workflow as it is: `"$\\{{ secrets.TOKEN }}"` is an expression of GitHub.',
            'Steps read no axis and no setting, as they are the same for all variants; a file of your repository is called by `uses = "./.github/actions/NAME"`.',
        ),
        *held(
            "ci/test_repository.py",
            "In a repository it is written to the top of it or not at all (E808): `build --out` names that folder for a program that lies deeper.",
            "The workflow calls the program by its path from there, and paths of recipes begin there as well.",
            "Where the output folder is in no repository, the workflow calls the program by its path from the top of the one that the program is in, else from the output folder, and by its name alone where it is not below that.",
        ),
        *held(
            "ci/test_github.py",
            "A matrix has at most 256 jobs, so there are as many as it takes.",
            "What one job of GitHub cannot hand to another, more than 1 MiB, is an error (E806).",
            "The runner is that which `runners` has for the first feature of `requiredSystemFeatures` that it has, else for the system, else GitHub's own for it; where there is none, it is an error (E403).",
            "`runners` may read axes and settings.",
            "A job whose system nobody knows gets a runner for x86_64-linux.",
            "What a program says comes to a shell by variables alone, never as a part of a command; your own steps are the exception.",
        ),
        *held(
            "ci/test_files.py",
            "**The jobset** builds `hydraJobs`, so the program has a flake (E208).",
            "What is said of it is written out (E403).",
        ),
        *held(
            "ci/test_lines.py",
            '**`tvarc jobs`** prints the same for any selector, on any machine: lines, or with `--as github` the matrices, as `{"shards": [{"include": […]}, …]}`.',
            "`--output NAME` says for which output of the program, by default for the first one of the form; a name of none is an error (E915).",
            "`--changed-since REV` leaves out those that a commit, a folder or another file has just so: the recipe, what it needs, and the files that it names: by `path(…)`, and by relative paths in Nix text.",
        ),
        *held(
            "ci/test_named_files.py",
            "Of a folder that is all that is in it but `.git`, and of a file of Nix (`NAME.nix`, or a name without a dot) what it names itself.",
            'Where what is read cannot be known, the variant counts as changed rather than not: of a path that goes on with `${…}`, or is put together (`./. + "/x"`), all of the folder is looked at; a path that is absolute, begins with `~` or leads out of the repository always counts as changed against a commit, and so do files that git does not track.',
        ),
        *told(
            "What Nix looks up (`<nixpkgs>`), fetches or takes from the environment is not looked at, nor what a pin by `path` has: `realise --only-changed` asks Nix.",
        ),
        *held(
            "ci/test_lines.py",
            "A state that is not there is an error (E911); of one with errors, all variants count as changed, which is told.",
        ),
        *held(
            "nix/test_jobs.py",
            "`--eval` prints `drvPath` and `name` as well, of the one system that Nix was asked about.",
        ),
        *held(
            "ci/test_lines.py",
            "It goes with lines only.",
        ),
    ),
    table(
        "Pages about the matrix",
        *held(
            "cli/test_pages.py",
            "The form `docs` fills in parts of a page of Markdown, so that no number in it is typed by hand.",
            "The page is a person's: what is not between marks stays as it is.",
            "| `counts` | how many variants there are, and how many of each value of each axis |",
            "| `variants`, `variants MATRIX` | a table of them, with what they need |",
            "| `choosing` | which value is for what: labels, and products where rows name them |",
            "| `axis NAME`, `axis NAME FACT FACT` | a table of the values of an axis with these facts, or with some that are short |",
            "| `names` | what each part of a variant's name says |",
            "| `dropped` | how many cells each exclusion leaves out, and why |",
            "A part begins with a line `<!-- tvarc: PART -->` and ends with `<!-- tvarc: end -->`.",
            "In fenced code these lines mean nothing.",
            "The line that ends a part gets a digest of it.",
            "Where somebody has written into a part, or something stands in one that has no digest, the build stops before anything is written (E801).",
            "`--adopt` and `--force` replace it, as they do a recipe.",
            "A page that is not there is made, with all parts.",
            "One without any mark, with a part that there is not, or with a mark that ends nothing is an error at its place (E807).",
            "`file` is written out and ends in `.md` or `.markdown` (E403).",
            "`--check` fails where a part would change, `--dry-run` says which.",
            "With `--only` pages stay as they are.",
        ),
        *told("Also at top level: [`overlay` and `patch`]"),
    ),
)
