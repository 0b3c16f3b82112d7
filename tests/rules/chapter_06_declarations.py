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
        "Declarations",
        *told(
            "With declarations you name values, import modules, describe axes and their facts, choose a"
        ),
        rule(
            "Declarations are at top level, in any order.",
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
            "A file declares a name once (E202). It may not declare a name again",
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
            "Without `as`, the module's own declarations become names in this file.",
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
            "Names that the module itself imports do not: `use` that other module too.",
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
            "The path of a file is relative. An absolute path, or one that begins",
            row("use-absolute", top('use "/a.tvar"'), refused("E203", '"/a.tvar"')),
            row("use-of-home", top('use "~/a.tvar"'), refused("E203", '"~/a.tvar"')),
            row("use-relative", top('use "./a.tvar"'), fine, files={"a.tvar": "let k = 1\n"}),
        ),
        rule(
            "Two imports may bring the same name. Only a use of this name is an error (E206).",
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
            "Pins, outputs, matrices, `exclude`, `require` and `warn` of an imported module take effect, also if you import it with `as`. You can [choose](#exclusions-of-a-module)",
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
            "[stdlib.md](stdlib.md) lists the contents of the standard library.",
        ),
    ),
    table(
        "`let`",
        rule(
            "`let n = expr` names a value, at top level or in a recipe or matrix.",
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
            "It may read axes, because each use evaluates it.",
            row("let-axis", attrs("x = k", "let k = n"), each("attrs.x", "1", "2")),
            row(
                "let-axis-that-lacks",
                body("attrs { x = k }", "axis other = [1]\nlet k = other"),
                refused("E304"),
            ),
            row("let-unused", attrs("x = 1", "axis other = [1]\nlet k = other"), fine),
        ),
        rule(
            "Nothing shadows it. A second `let n` is an error, also",
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
            "A top-level `let` that reads a setting is for recipes and checks. A name or an `exclude` cannot use",
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
        *told("**`facts T += (column: type) { … }`**", "**`facts T override { … }`**"),
        *told(
            "`facts` declares a typed table.",
            "There is one table `T` in the whole program. The additions become part of that table:",
        ),
        rule(
            "Each row is a name and its facts.",
            axis("rows", "axis k = board", "a", "b", "c", "d"),
            row("row-twice", top("facts t () { a { }, a { } }"), refused("E202")),
        ),
        rule(
            "These types exist: | `string` `int` `bool` `version` `path` `record` `list` | values of that type | | `[T]` | a list of `T` | | `T?` | a `T` that may be missing | | `one_of(a, b)` | one of the values named |",
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
            "A fact may read `let`s, and a row of a table that is above it: `t.v.a`.",
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
            "It may read a `let` only if that `let` reads no axis.",
            row(
                "fact-of-axis",
                top("axis n = [1]\nlet three = n\nfacts u (v: int) { r { v = three } }"),
                refused("E304"),
            ),
        ),
        rule(
            "adds to a table, which may be from another file or from the standard library. It can add rows, facts that a row leaves out, and columns. The types of new columns are in",
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
            "An addition takes effect everywhere: above its line, in the imported files, and in the files that import this one. So `axis gpu = T` and `T[where",
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
            "There is one exception: a fact of another table sees only the additions above it.",
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
            "An addition cannot replace a fact of the table or of another module (E202). A column is declared once (E202).",
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
            "A fact without a column is an error (E207).",
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
            "Write `T` as you would for an axis, without a module before it: `use` the module of the table without `as`.",
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
            "corrects facts of a table, when something else is true on your machines.",
            corrects("a { cores = 2 }", first("attrs.x", "2")),
        ),
        rule(
            "Like an addition, a correction takes effect wherever `T` is read:",
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
            "`tvarc facts` shows where a row is added. The date of the addition is the comment `# As of 2026-11-30.` above that `facts`. Without this line the date is unknown,",
        ),
        *held(
            "unit/test_corrected_tables.py",
            "`explain` and `tvarc facts` print the reason, and they show the table's own fact as shadowed. The sources that the row names",
        ),
        rule(
            "You can also correct a fact that is null or that a module adds. A correction may be null if the",
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
            "A correction that says the same as the table is an error (E607). So you find out that it is no longer needed when the table is corrected. A correction that corrects no fact",
            corrects("a { cores = 1 }", refused("E607", "cores = 1")),
            corrects("a { }", refused("E607", "a")),
            corrects("", refused("E607", "board")),
        ),
        rule(
            "A row or a table that does not exist is an error (E201). A column that does not exist is",
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
            "Two corrections of one fact that disagree are an error (E202). Two that agree are not an error.",
            corrects("a { cores = 2 }", refused("E202", "cores = 3"), more="a { cores = 3 }"),
            corrects("a { cores = 7 }", first("attrs.x", "7"), more="a { cores = 7 }"),
        ),
    ),
    table(
        "`axis`",
        rule(
            "An axis is one dimension: values in an order.",
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
            "`axis a = T` | every row of the table |",
            axis("table", "axis k = board", "a", "b", "c", "d"),
        ),
        rule(
            "the rows named, in this order |",
            axis("named", "axis k = board[c, a]", "c", "a"),
            bad_axis("named-unknown", "axis k = board[z]", "E406", "z"),
        ),
        rule(
            "from one row to another, in the table's order |",
            axis("range", "axis k = board[b..d]", "b", "c", "d"),
            axis("range-of-one", "axis k = board[b..b]", "b"),
            bad_axis("range-backwards", "axis k = board[d..b]", "E406"),
        ),
        rule(
            "the rows for which the condition is true; the condition names fields |",
            axis("where", "axis k = board[where cores >= 8]", "c", "d"),
            axis("where-equal", 'axis k = board[where arch == "arm"]', "a", "c"),
            bad_axis("where-no-field", "axis k = board[where kores >= 8]", "E201", "kores"),
        ),
        rule(
            "versions, strings, integers or rows |",
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
            'a switch: `when a { … }`; a name puts it into words, `{{if a then "lto" else "plain"}}` |',
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
            "its own rows, in this order; each row has the same fields |",
            axis("own-rows", "axis k { z { f = 1 }, y { f = 2 } }", "z", "y"),
            bad_axis("own-rows-other-fields", "axis k { z { f = 1 }, y { g = 2 } }", "E208"),
            bad_axis("own-rows-other-kind", 'axis k { z { f = 1 }, y { f = "x" } }', "E301"),
        ),
        rule(
            "`axis a: T` | none: it names the axis only, see below |",
            row("named-axis", top(BOARD + "axis k: board\nlet big = k.cores > 8"), fine),
        ),
        rule(
            "You may mix picks: `T[v, where cores >= 8]`.",
            axis("mixed", "axis k = board[b, where cores >= 8]", "b", "c", "d"),
            axis("mixed-range", "axis k = board[c..d, a]", "c", "d", "a"),
        ),
        rule(
            "To pick a value twice is an error (E202). A pick that picks nothing is an error too (E406).",
            bad_axis("picked-twice", "axis k = board[a, a]", "E202"),
            bad_axis("picked-twice-mixed", "axis k = board[d, where cores >= 8]", "E202"),
            bad_axis("listed-twice", "axis k = [1, 1]", "E202"),
            bad_axis("listed-twice-as-version", "axis k = [2.10, 2.10.0]", "E202"),
            bad_axis("picked-nothing", "axis k = board[where cores > 16]", "E406"),
            axis("picked-something", "axis k = board[where cores >= 16]", "d"),
            bad_axis("empty-list", "axis k = []", "E406"),
        ),
        rule(
            "**`axis gpu: nvidia`** names an axis and the table of its values, and chooses no values.",
            row(
                "named-needs-values",
                top(BOARD + "axis k: board\n" + OF_K.format("")),
                refused("E304"),
            ),
        ),
        rule(
            "A library writes this, so that its own `let`s, recipes and checks may read `gpu`.",
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
            "The file that you build gives the axis its values: `axis gpu = nvidia[sm90]`.",
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
            "A matrix over an axis without values is a [pattern](#matrices-that-extend-others) in a library. In the file that you build it is an error (E304).",
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
            "If a matrix lacks an axis that a declaration reads, the use of that declaration in the matrix",
            row(
                "axis-missing",
                attrs("x = other", "axis other = [1]"),
                says("E304", "`other`", "`m`"),
            ),
        ),
    ),
    table(
        "`pin`",
        *told(
            "A pin is a nixpkgs, with its configuration.",
            "**Which forms are written.** nixpkgs has changed the forms of `env`, tags, hashes and package",
        ),
        rule(
            "owner and name, and a whole commit id: 40 digits in lower case |",
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
            "the address of a tarball, in place of `github`; `rev` may name its commit |",
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
            "the SRI hash of the unpacked tarball, SHA-256, or `unlocked`; without it, or if it is null,",
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
            "the release of this nixpkgs, from 20.09 on, a version: `release = 24.11`; for a commit of the",
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
            "Null, or leave it out, if it is not known |",
            row("pin-release-null", pin(f"{LOCKED}, release = null"), fine),
        ),
        rule(
            'the day of the commit, `"2026-02-17"`; for a commit of the development branch, whose release',
            row("pin-date", pin(f'{LOCKED}, release = 25.05, date = "2025-02-17"'), fine),
            row(
                "pin-date-no-day",
                pin(f'{LOCKED}, release = 25.05, date = "2025-02-30"'),
                refused("E704"),
            ),
            row("pin-date-last-day", pin(f'{LOCKED}, release = 25.05, date = "2025-02-28"'), fine),
        ),
        rule(
            "`path` | a folder with a nixpkgs, in place of `github` and `url`: [below](#a-folder-as-the-pin) |",
            row("pin-path", pin('path = "../nixpkgs"'), fine, files=FOLDER),
        ),
        rule(
            "nixpkgs' `config`; the package set is made with it, so it cannot read `pkgs` (E302) |",
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
            "the machine that builds, and the machine for which it builds: [below](#machines) |",
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
            "From `release` and `date` the compiler knows which forms the pinned nixpkgs has, and writes the recipe in them. The recipe checks that the stated release is true.",
            row("release-checked", pin(f"{LOCKED}, release = 24.11"), emits("24.11")),
        ),
        *held(
            "nix/test_ages.py",
            'If the release is not known, the compiler writes the newest form with a guard, `assert … || throw "…"`. The guard says in words what this nixpkgs lacks.',
        ),
        *held("unit/test_nixpkgs_ages.py", "[nixpkgs.md](nixpkgs.md) has the table of forms."),
        rule(
            "A value out of range is an error (E704). Something for which an older nixpkgs",
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
            "A `date` alone says nothing, because older releases get commits after newer ones appear. So a `date` without a `release`",
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
            "If the program has one pin, every recipe uses it.",
            row("one-pin", body(""), first("pin", "p")),
        ),
        rule(
            "If it has several pins or none, a recipe says which one it uses (E506): `pin = stable`.",
            row("several-pins", body("", TWO_PINS), refused("E506", "child")),
            row("several-pins-chosen", body("pin = q", TWO_PINS), first("pin", "q")),
            row(
                "no-pin",
                "recipe child { package = pkgs.hello }\nvariant v { recipe = child }\n" + OUTPUT,
                refused("E506", "child"),
            ),
        ),
        rule(
            "The fields of a pin may read axes, except `path`.",
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
            "**`pin = none`** emits a function for `callPackage`. Its arguments are what the recipe uses.",
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
            '`path = "../nixpkgs"` takes a checkout of nixpkgs in its present state. Use it, for example, to try a change',
            "Flox builds from a clone, and sees only what is committed.",
        ),
        rule(
            "The path is a plain string. It is relative to the `.tvar` file",
            row("folder", pin('path = "../nixpkgs"'), fine, files=FOLDER),
            row(
                "folder-computed",
                pin("path = k", 'let k = "../nixpkgs"\n'),
                refused("E305", "k"),
                files=FOLDER,
            ),
        ),
        rule(
            "In the recipe, the path is relative to the recipe.",
            row(
                "folder-relative",
                pin('path = "../nixpkgs"').replace("{{variant}}.nix", "a/b/{{variant}}.nix"),
                emits("nixpkgs = ../../../nixpkgs;"),
                files=FOLDER,
            ),
        ),
        rule(
            "A pin has exactly one of `github`, `url` and `path` (E209).",
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
            "Nothing states the contents of a folder. So a `path` has no `rev` and no",
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
            "An absolute path is an error (E703), because others could not use the recipes. A folder that does not exist, or",
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
            "The folder may be outside of the repository, and git need not track it. But then everyone who uses the",
            "tvarc never writes into that folder (E803).",
            "`diff` compares the paths, not the contents of the folders. `diff --nix` asks Nix, which reads the folders.",
        ),
    ),
    table(
        "Machines",
        rule(
            "`localSystem { }` and `crossSystem { }` go to nixpkgs unchanged.",
            row(
                "machines",
                pin(f'{LOCKED}\nlocalSystem {{ system = "x86_64-linux", a.b = 1 }}'),
                emits('localSystem = { system = "x86_64-linux"; a = { b = 1; }; };'),
            ),
        ),
        rule(
            "Without them, a recipe is for the system of its caller.",
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
            "Their values may read axes and `let`s, and may be under a `when`. They cannot be values that only",
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
        *told("`system` or `config` names a machine."),
        rule(
            "A `localSystem` that has neither is the system of the caller, with the other values added. A `crossSystem` that has neither",
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
            "`gcc.arch` changes every package of the set. So none of them comes from a binary",
            "A nixpkgs before 21.05 has `gcc` in another place, and ignores it in this one.",
            "A pin that states such a `release` gets the older form. If no release is known, the recipe",
        ),
    ),
    table(
        "Unlocked hashes",
        rule(
            "A pin, a patch or a source may have `hash = unlocked`. It then takes the hash from `tvar.lock`, in the folder of the program. `tvarc lock` fills this file in,",
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
            "You may also use `unlocked` in the arguments of `call` and among the attributes of a package,",
            row(
                "unlocked-in-a-call",
                attrs('src = call(pkgs.f, { url = "u", sha256 = unlocked })'),
                says("W002", "`sha256` of call(pkgs.f"),
            ),
            row(
                "unlocked-elsewhere-in-a-call",
                attrs("src = call(pkgs.f, { url = unlocked })"),
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
            "The same holds for a written hash that no content can have: an empty text, all `A`, all zeros, `lib.fakeHash`.",
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
            "If the lock has no hash for a source, the recipe is built with a fake hash. `build` and `check` then give the",
            row(
                "fake-once",
                attrs('src = github("a/b", tag = "v1", hash = unlocked)'),
                says("W002", "a/b"),
            ),
        ),
        *held(
            "lock/test_hashes.py",
            "A written hash needs no lock. If the lock has another hash, it",
        ),
    ),
    table(
        "`input`",
        *told(
            "An input is another repository from which recipes take files. They take its builds, or functions that build."
        ),
        rule(
            "owner and name, and a whole commit id |",
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
            "the address of a tarball, in place of `github` |",
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
            "the SRI hash of the unpacked tarball, SHA-256, or `unlocked`; an input that is fetched must have one (E208) |",
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
            "a folder near this one, in place of `github` and `url`: a checkout of the other repository |",
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
            "A recipe that takes a file of an input has an argument for that input. The argument's name is the name of the input with `-input` after it, so callPackage never fills it with a package of that name. Its default is the input that the program states.",
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
            "`nix-build app-sm90.nix --arg cuda-packages-input ../cuda-packages` uses a checkout instead.",
        ),
        *held(
            "cli/test_inputs.py",
            "`tvarc build --input cuda-packages=../cuda-packages` changes no recipe. It checks that the files named in the program are in that checkout (E106), for a fetched input as well. It also prints how to pass the checkout to Nix.",
            "For `build`, a folder of the program's own repository that git does not track is an error, too.",
        ),
        rule(
            "A file that Nix imports ends in `.nix` (E301), or is a folder with a `default.nix` (E106).",
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
            "In Nix text an input has no name, and `{{…}}` cannot put one there (E302). Write it in a value next to the text.",
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
            '`file(input, "…")` names one file by its path in the input. The path may be computed (`"pkgs/{{gpu}}.nix"`),',
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
            "By itself the file is a path. As a `package`, and in `call`,",
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
            "If the input has a `path`, the file must exist (E106).",
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
            "A `path` is relative to the `.tvar` file that has it.",
            row(
                "input-relative",
                of_input('path = "../b"').replace("{{variant}}.nix", "x/{{variant}}.nix"),
                emits("i-input ? ../../b,"),
                files=BESIDE,
            ),
        ),
        rule(
            "An absolute path is an error (E703). A path through a link, such as the `result` of a build, is the same error. These paths are not the same for",
            row("input-absolute", of_input('path = "/b"'), refused("E703", '"/b"')),
            row("input-missing", of_input('path = "../c"'), refused("E703", '"../c"')),
        ),
        *held("cli/test_inputs.py", "tvarc never writes into that folder (E803)."),
        rule(
            "The fields of an input may read axes, except `path`.",
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
            "Two modules of a program may not have inputs of the same name (E202).",
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
        "Outputs",
        *told(
            "With outputs you choose which files `build` writes: a recipe for each variant, one file for"
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
            "Each variant has its own file (E402). The file is below that folder and",
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
            "If there are several outputs, `build` writes each variant to each of them.",
            row(
                "outputs",
                body("") + 'output more { file = "a/{{variant}}.nix" }\n',
                writes("v1.nix", "a/v1.nix", "v2.nix", "a/v2.nix"),
            ),
        ),
        *held(
            "cli/test_build.py", "If there is no output, `build` has no place to write to (E507)."
        ),
    ),
    table(
        "All variants in one file",
        *held(
            "unit/test_questions_end.py",
            "`limit` is the largest number of bytes that the recipes of an output may have together: `limit = 5000000000`.",
            "The default is 1,073,741,824. If all recipes are in one file",
            "A program that exceeds the limit is refused before anything is written (E812).",
            "`tvarc build --dry-run` prints the size if it is a mebibyte or more.",
        ),
        rule(
            "The `form` of an output is one of these: | `recipes` | a file for each variant | | `all` | one file with a set of all variants | | `flake` | one file that is a flake of all variants | | [`flox-manifest`](#entries-of-a-manifest) | entries of a manifest of Flox | | `jobs`, `github`, `hydra` | jobs for [other systems](#jobs-for-other-systems) | | [`docs`](#pages-about-the-matrix)",
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
            "Without a `form`, an output whose name is a form has that form. Every other output has the form `recipes`.",
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
            "An unknown form is an error (E201).",
            row("form-unknown", one_file("form = sets"), refused("E201", "sets")),
            row("form-text", one_file('form = "all"'), refused("E201", '"all"')),
        ),
        rule(
            "In `all` and `flake`, each variant is an attribute by its name.",
            row(
                "all-by-name",
                one_file("form = all"),
                emits("{ v1 = pinned.hello; v2 = pinned.hello; };"),
            ),
        ),
        rule(
            "It is also an attribute by its axes. Each axis of the matrix that has",
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
            'A version has `_` for its dots, as in names of nixpkgs: `"13_0"`.',
            row(
                "all-version",
                one_file("form = all")
                .replace("[1, 2]", "[12.9, 13.0]")
                .replace("v{{n}}", "v{{under(n)}}"),
                emits('"12_9" = variants.v12_9; "13_0" = variants.v13_0;'),
            ),
        ),
        rule(
            "`prefix` is the first step of the names by axes. It is a text that may read axes",
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
            "Nix recognises some sets by an attribute, such as `outPath`, `type` or `__functor`. A name, step or prefix with the",
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
            'A name for two variants, or for a variant and a set of others, is an error (E402). `prefix = "{{matrix}}"` separates',
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
            "The `file` of `all` and `flake` is plain text: it reads nothing (E403).",
            row("all-computed", one_file("form = all", "{{n}}.nix"), refused("E403")),
        ),
        rule(
            "It is not in `.flox/pkgs`, where each file is one package (E403). It is not the file of another output",
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
            "A flake is called `flake.nix`, because Nix reads no other name, and nothing else may have this name (E403).",
            row("flake-name", one_file("form = flake", "flakes.nix"), refused("E403")),
            row("flake-below", one_file("form = flake", "a/flake.nix"), fine),
            row("all-flake-name", one_file("form = all", "flake.nix"), refused("E403")),
        ),
        *held(
            "nix/test_needs_in_one_file.py",
            "Overlays that read `needs` count as the same if the variants need the same.",
        ),
        *told(
            "If a recipe that others need has another nixpkgs than they have, it imports its nixpkgs once for each of them."
        ),
        *held(
            "nix/test_collections.py",
            "All variants with the same pin, `config`, overlays and machines share one import of nixpkgs. So the evaluation of all of them",
            "Each variant has the derivation that its own file has.",
            "A set of all variants is a function of `pkgs` and of inputs, like a recipe. Like a recipe, it is pure if the",
            "The `callPackage` of that `pkgs` fills a recipe with `pin = none`. If a package set of `pkgs` is the",
        ),
        rule(
            "Such a file needs no other recipe, and no other `output` in the program.",
            row("all-alone", one_file("form = all"), writes("default.nix")),
        ),
        *told("A pinned recipe imports a nixpkgs by itself. So a file that only named the other"),
        *held("cli/test_collections.py", "`build --only` does not change files of all variants."),
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
            "If one pin means several commits, as when its `rev` reads an axis, the commit follows the name.",
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
            "Nix locks a `github` without a hash, in `flake.lock`.",
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
            "The flake itself fetches an `input` of the program, by the hash of that input.",
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
            "`packages` and `hydraJobs` have the variants by name, and `legacyPackages` has them by axes. Each variant is there for the systems of its `meta.platforms`. If the program does not state these",
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
            "A `system` in `localSystem` is the only system.",
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
            "`nix-eval-jobs` finds each variant once in a `default.nix`, in `packages.SYSTEM` of a flake, and, with `--force-recurse`, in `hydraJobs`. A test checks this by the rules of `nix-eval-jobs`. It has not been tried with the program itself.",
        ),
        rule(
            "A flake sees its inputs and its own folder only. So these variants are an error",
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
            "The form `flox-manifest` puts an entry for each variant into the `[install]` table of a Flox manifest.",
            "The file belongs to a person: everything else in it stays as it is, with its comments and its order.",
            '`catalog` | where you published the packages: `pkg-path = "CATALOG/PACKAGE"` |',
            '`flake` | a flake that has the packages instead, such as `"github:me/builds"`: `flake = "FLAKE#VARIANT"` |',
            "`group` | their `pkg-group` |",
            "`only` | which variants: a condition |",
            "Write one of `catalog` and `flake` (E208), not both (E202).",
            "All fields except `file` may read axes and settings. A value that Flox cannot read is an error (E403).",
            "In an output of another form, these fields are an error (E209).",
            "`file` is plain text, which reads nothing, and ends in `.toml` (E403).",
            "If the file does not exist, `build` makes it.",
            "An entry has the name of the variant.",
            "Its package has the name that Flox gives to the file below `.flox/pkgs`. If there is no such file, the package",
            "`systems` are the `meta.platforms`, if the program states these as values.",
            "Each entry ends with a comment that names the program and has a digest of the entry.",
            "The build stops before it writes anything if someone changed an entry by hand, or if a person",
            "`--adopt` and `--force` replace such an entry, as they replace a recipe.",
            "An entry that says the same without such a comment stays as it is.",
            "A manifest that is not TOML, or whose `install` is not a table, is an error at its place (E805).",
            "tvarc writes nothing through a link (E803).",
            "`build --prune` removes the entries of variants that no longer exist, except entries that were",
            "`build --only` writes the entries of the chosen variants and leaves the others.",
            "`--dry-run` prints what would happen to each entry. `--check` fails if an entry would change. `diff` shows the entries that differ",
            "A program with this output needs an output of recipes as well, because the manifest does not",
        ),
    ),
    table(
        "Jobs for other systems",
        *told(
            "Three forms list the builds for other systems.",
            "A *job* is a variant for one system.",
        ),
        *held(
            "ci/test_lines.py",
            "`jobs` | a line of JSON for each job, as `nix-eval-jobs` prints them |",
        ),
        *held(
            "ci/test_github.py",
            "`github` | a workflow of GitHub Actions |",
        ),
        *held(
            "ci/test_files.py",
            "`hydra` | a declarative project of Hydra: `spec.json`, with one jobset |",
        ),
        *held(
            "ci/test_lines.py",
            "`only` | `jobs`, `github` | which variants: a condition |",
        ),
        *held(
            "ci/test_github.py",
            "`runners` | `github` | a record: for a system or a feature, the label of a runner, or several labels |",
            "`matrix` | `github` | one more file, with the matrices as JSON |",
        ),
        *held(
            "ci/test_good_commit.py",
            '`tvarc` | `github` | where a machine of GitHub gets tvarc: `"github:OWNER/tvarc/REV"` with',
            "`before`, `after` | `github` | steps of your own before and after each build: a list of records |",
        ),
        *held(
            "ci/test_files.py",
            '`flake` | `hydra` | where Hydra finds the flake, such as `"github:me/builds"` |',
            "`jobset` | `hydra` | its name, by default that of the program |",
            "`interval`, `keep` | `hydra` | the seconds between two checks of the flake, by default 300,",
        ),
        *held(
            "ci/test_lines.py",
            "A variant is a job for each system of its `meta.platforms`, if the program states these as values.",
            "If it does not, the variant is a job for each system for which the flake of the program has it. Without a flake it is one job,",
            "Jobs build from the flake of the program, else from its file of all variants, else from the recipes.",
        ),
        *held(
            "ci/test_files.py",
            "The names of these files are plain text, which reads nothing. The files are below the folder (E403). A workflow is a `.yml` or `.yaml` file in `.github/workflows`, because GitHub looks for it only there. Jobs are in a `.jsonl` or `.json`",
            "No two outputs have the same file (E402).",
            "`build`, `--check`, `--prune`, `--adopt` and `--force` treat these files like recipes.",
            "A digest marks the file as written by tvarc. A workflow has it in its head. JSON has it in a string: in `extraValue`",
            "`build --only` does not change these files.",
            "A program with these outputs needs an output of recipes as well, because they do not say where",
        ),
        *told(
            "**Lines.",
        ),
        *held(
            "ci/test_lines.py",
            "Each line has these fields: `attr` and `attrPath`, in a flake those of `hydraJobs`; `system`; `requiredSystemFeatures`, as far as the program states them; `extraValue`, with the axes of",
        ),
        *held(
            "nix/test_jobs.py",
            "Only Nix knows `drvPath` and `name`: `tvarc jobs --eval` asks it.",
        ),
        *held(
            "ci/test_lines.py",
            "`outputs` and `inputDrvs` are left out.",
        ),
        *told(
            "**The workflow.",
        ),
        *told("Its first job plans, the other jobs build."),
        *held(
            "ci/test_good_commit.py",
            "It plans the variants that changed since the last good commit. This is the commit of the last",
            "So the next push plans a failed variant again, whatever that push changes.",
            "If there is no such run, or if you start the workflow by hand, it plans all variants.",
            "It asks GitHub for its runs with `gh`, and needs `actions: read` for that.",
            "Runs of pull requests do not count, because they build the result of a merge.",
            "It ignores a commit that the checkout does not have.",
            "A push and the pull request that it belongs to share one run: that of the push.",
            "A pull request from another repository has its own run, and compares with its target branch.",
            "A newer run of a branch or a pull request cancels the older one.",
            "A run on the default branch always continues to its end, because other runs compare with it.",
            "The name of the workflow is the path of the program. If there are several outputs, the",
            "If the output of the same name left a variant out in the older state, by `only`, the variant",
            "`tvarc` says where the workflow gets tvarc, because no one else can know that (E809). It is a commit, or a file with its hash. It is never a name that may be",
            "The steps of `before` come after the checkout and the installation of Nix. The steps of `after` come after the build.",
            "A step has the keys that GitHub defines (`name`, `id`, `if`, `uses`, `run`, `with`, `env`,",
            'The text of a step is yours, and goes into the workflow unchanged: `"$\\{{ secrets.TOKEN }}"`',
            "Steps are the same for all variants, so they read no axis and no setting. To call a file of your repository,",
        ),
        *held(
            "ci/test_repository.py",
            "In a repository, tvarc writes the workflow at the top of the repository or not at all (E808). For a program in a deeper folder,",
            "The workflow calls the program by its path from the top. Paths of recipes begin there as well.",
            "If the output folder is not in a repository, the workflow calls the program by its path from the top of the program's own repository. If the program is not in a repository either, the path begins at the output folder. If the program is not below that",
        ),
        *held(
            "ci/test_github.py",
            "A matrix of GitHub has at most 256 jobs, so the workflow has as many matrices as it needs.",
            "One job of GitHub can pass at most 1 MiB to another. More is an error (E806).",
            "The runner comes from `runners`, for the first of the `requiredSystemFeatures` that `runners` has. Else it comes from `runners` for the system. Else it is GitHub's own runner for the system. If there is none, it is an error (E403).",
            "`runners` may read axes and settings.",
            "A job with an unknown system gets a runner for x86_64-linux.",
            "Values of a program reach a shell only through variables, never as a part of a command. Your own steps are the exception.",
        ),
        *held(
            "ci/test_files.py",
            "**The jobset** builds `hydraJobs`, so the program must have a flake (E208).",
            "The fields of the jobset are plain values, which read nothing (E403).",
        ),
        *held(
            "ci/test_lines.py",
            "**`tvarc jobs`** prints the same for any selector, on any machine. It prints lines. With `--as github` it prints the",
            "`--output NAME` selects the output of the program. The default is the first output of the form. An unknown name is an error (E915).",
            "`--changed-since REV` leaves out the variants that have not changed since a commit, a folder or another file. It compares the recipe, its needs,",
        ),
        *held(
            "ci/test_named_files.py",
            "For a folder it compares everything in it except `.git`. For a file of Nix (`NAME.nix`,",
            "If tvarc cannot know what is read, the variant counts as changed. For a path that continues with",
        ),
        *told(
            "tvarc does not compare what Nix looks up (`<nixpkgs>`), fetches or takes from the environment,",
        ),
        *held(
            "ci/test_lines.py",
            "A state that does not exist is an error (E911). For a state with errors, all variants",
        ),
        *held(
            "nix/test_jobs.py",
            "`--eval` prints `drvPath` and `name` as well, for the one system that Nix evaluates.",
        ),
        *held(
            "ci/test_lines.py",
            "It works with lines only.",
        ),
    ),
    table(
        "Pages about the matrix",
        *held(
            "cli/test_pages.py",
            "The form `docs` fills in parts of a Markdown page, so you type no number in it by hand.",
            "The page belongs to a person: everything that is not between marks stays as it is.",
            "`counts` | how many variants there are, and how many for each value of each axis |",
            "`variants`, `variants MATRIX` | a table of the variants, with what they need |",
            "`choosing` | which value is for what: labels, and products if rows name them |",
            "`axis NAME`, `axis NAME FACT FACT` | a table of the values of an axis with these facts, or",
            "`names` | the meaning of each part of a variant's name |",
            "`dropped` | how many cells each exclusion leaves out, and why |",
            "A part begins with a line `<!-- tvarc: PART -->` and ends with `<!-- tvarc: end -->`.",
            "In fenced code these lines mean nothing.",
            "The line that ends a part gets a digest of the part.",
            "The build stops before it writes anything if someone has written into a part, or if a part",
            "`--adopt` and `--force` replace the part, as they replace a recipe.",
            "If the page does not exist, `build` makes it, with all parts.",
            "These pages are an error at their place (E807): one without any mark, one with an unknown part,",
            "`file` is plain text, which reads nothing, and ends in `.md` or `.markdown` (E403).",
            "`--check` fails if a part would change, and `--dry-run` prints which part.",
            "With `--only`, pages do not change.",
        ),
        *told(
            "Other pages describe the other declarations of the top level: [`overlay` and `patch`](#10-overlays-and-patches),"
        ),
    ),
)
