"""Expressions."""

from __future__ import annotations

from support.rules import (
    MATRIX,
    OF_N,
    Row,
    all_of,
    attrs,
    body,
    chain,
    each,
    emits,
    first,
    makes,
    no_value,
    refused,
    row,
    rule,
    table,
    told,
    top,
    value,
)

# A row of a table that is in no axis, records and lists to look into.
MORE = """
facts t (a: int, note: string?) { one { a = 1 }, three { a = 3, note = "x" } }
let record = { one = "I", two = "II" }
let some = [10, 20, 30]
"""
T = "let flagged = n == 1\n"
FAILS = "some[9]"


def expr(name: str, expression: str, shown: str) -> Row:
    return value(name, expression, shown, MORE)


def bad(name: str, expression: str, code: str, at: str) -> Row:
    return no_value(name, expression, code, at, MORE)


def same_thing(name: str, condition: str, at: str, more: str = "") -> Row:
    text = body(
        f"flag f: bool = true\nattrs {{ x = {condition}, y = f, z = 1 }}", MORE + more, MATRIX
    )
    return row(name, text, refused("E212", at))


TABLES = (
    table(
        "Expressions",
        *told(
            "With this page you can compare values, look up a row of a table, and find out what a name means.",
            "**Comparisons.",
            "**`is`.",
        ),
        *told(
            "The table lists the forms, from loosest to tightest binding:",
            "**Names.",
            "A bare name means the first thing in this list that exists:",
            "**Looking up by an axis.",
        ),
        rule(
            "`if c then a else b` | only the chosen side is evaluated |",
            expr("if-true", "if n == 1 then 1 else 2", "1"),
            expr("if-false", "if n == 2 then 1 else 2", "2"),
            expr("if-else-unasked", f"if n < 9 then 1 else {FAILS}", "1"),
            expr("if-then-unasked", f"if n > 8 then {FAILS} else 2", "2"),
            bad("if-chosen-fails", f"if n == 1 then {FAILS} else 2", "E305", "9"),
            bad("if-without-else", "if n == 1 then 1", "E101", "}"),
            bad("if-no-boolean", "if n then 1 else 2", "E301", "n"),
            expr("if-loosest", "if n == 1 then false else false or true", "false"),
            expr("if-in-else", "if n == 2 then 1 else if n == 1 then 2 else 3", "2"),
        ),
        rule(
            "`a or b` | |",
            expr("or-false", "n == 2 or n == 3", "false"),
            expr("or-first", f"n < 9 or {FAILS} == 1", "true"),
            expr("or-second", "n == 2 or n == 1", "true"),
            bad("or-asks-second", f"n == 2 or {FAILS} == 1", "E305", "9"),
            expr("or-looser-than-and", "n == 1 or n == 1 and n == 2", "true"),
        ),
        rule(
            "`a and b` | |",
            expr("and-true", "n == 1 and row == one", "true"),
            expr("and-first", f"n > 8 and {FAILS} == 1", "false"),
            expr("and-second", "n == 1 and row == two", "false"),
            expr("and-tighter-than-or", "n == 2 and n == 1 or n == 1", "true"),
            bad("and-no-boolean", "n and n == 1", "E301", "n"),
        ),
        rule(
            "`not a` | |",
            expr("not-true", "not n == 1", "false"),
            expr("not-false", "not n == 2", "true"),
            expr("not-looser-than-comparison", "not n == 2 and n == 1", "true"),
            expr("not-not", "not not n == 1", "true"),
            bad("not-no-boolean", "not n", "E301", "n"),
        ),
        rule(
            "`a == b` `!=` `<` `<=` `>` `>=` `in` `not in` `is` `is not` | one comparison; comparisons do not chain |",
            *[
                expr(
                    f"compare-{name}-{left}-{right}",
                    f"{left} {op} {right}",
                    "true" if holds else "false",
                )
                for op, name, answers in (
                    ("==", "eq", (False, True, False)),
                    ("!=", "ne", (True, False, True)),
                    ("<", "lt", (True, False, False)),
                    ("<=", "le", (True, True, False)),
                    (">", "gt", (False, False, True)),
                    (">=", "ge", (False, True, True)),
                )
                for (left, right), holds in zip(((1, 2), (2, 2), (3, 2)), answers, strict=True)
            ],
            bad("no-chain", "1 < n < 3", "E101", "<"),
            bad("no-chain-equal", "n == 1 == true", "E101", "=="),
            expr("chain-in-parentheses", "(n == 1) == true", "true"),
        ),
        rule(
            "a field, a key, an attribute; `a[x]` also an element of a list, counted from 0 |",
            expr("field", "row.text", '"I"'),
            expr("field-quoted", 'row."text"', '"I"'),
            expr("field-computed", 'row["te{{"xt"}}"]', '"I"'),
            expr("key", "record.one", '"I"'),
            expr("key-computed", 'record["{{row}}"]', '"I"'),
            expr("element-first", "some[0]", "10"),
            expr("element-last", "some[2]", "30"),
            bad("element-over", "some[3]", "E305", "3"),
            bad("field-missing", "row.gone", "E207", "gone"),
            bad("key-missing", "record.gone", "E207", "gone"),
            row("attribute", attrs('x = pkgs.a["b"]'), emits("x = pinned.a.b;")),
        ),
        rule(
            "`(a)` | |",
            expr("parentheses", "not (n == 1 and n == 2)", "true"),
            expr("parentheses-field", "({ a = 1 }).a", "1"),
        ),
        rule(
            "A comparison needs two values of one kind.",
            bad("kinds-string-int", 'n == "1"', "E303", "n"),
            bad("kinds-bool-int", "true == 1", "E303", "true"),
            bad("kinds-list-record", "[] == { }", "E303", "[]"),
            bad("kinds-less", "1 < 2.0", "E303", "1"),
        ),
        rule(
            '`13.0 == "13.0"` and `13 == 13.0` are errors (E303), never false.',
            bad("kinds-version-string", '13.0 == "13.0"', "E303", "13.0"),
            bad("kinds-int-version", "13 == 13.0", "E303", "13"),
            bad("kinds-unequal", "13 != 13.0", "E303", "13"),
            bad("kinds-in", '13.0 in ["13.0"]', "E303", "13.0"),
        ),
        rule(
            "`==` and `!=` may compare `null` with anything.",
            expr("null-int", "n == null", "false"),
            expr("null-not-int", "null != n", "true"),
            expr("null-null", "t.one.note == null", "true"),
            expr("null-list", "[] == null", "false"),
            expr("null-in", "null in [1, null]", "true"),
            bad("null-less", "null < 1", "E303", "null"),
        ),
        rule(
            "`<`, `<=`, `>` and `>=` compare versions, integers and strings.",
            expr("order-versions", "2.9 < 2.10", "true"),
            expr("order-integers", "9 < 10", "true"),
            expr("order-strings", '"9" < "10"', "false"),
            expr("order-strings-less", '"a" < "b"', "true"),
            expr("order-strings-equal", '"a" < "a"', "false"),
            expr("order-strings-equal-at-most", '"a" <= "a"', "true"),
            bad("order-booleans", "true > false", "E303", "true > false"),
            bad("order-lists", "[1] < [2]", "E303", "[1] < [2]"),
        ),
        rule(
            "Axis values have no order: compare a field of them.",
            bad("order-axis-values", "row < two", "E303", "row < two"),
            expr("order-field", "row.size < 2", "true"),
        ),
        rule(
            '`x in list` looks for an element, `"a" in "abc"` for a part of a string, and `"k" in record` for a key.',
            expr("in-list", "n in [1, 3]", "true"),
            expr("in-list-not", "n in [2, 3]", "false"),
            expr("not-in-list", "n not in [2, 3]", "true"),
            expr("in-empty-list", "n in []", "false"),
            expr("in-string", '"b" in "abc"', "true"),
            expr("in-string-whole", '"abc" in "abc"', "true"),
            expr("in-string-not", '"ac" in "abc"', "false"),
            expr("in-record", '"one" in record', "true"),
            expr("in-record-value", '"I" in record', "false"),
            expr("not-in-record", '"three" not in record', "true"),
            bad("in-integer", "1 in 12", "E301", "12"),
        ),
        rule(
            "For a record, a value of an axis means its name: `gpu in record`.",
            expr("axis-in-record", "row in record", "true"),
            expr("axis-in-record-not", "row in { two = 1 }", "false"),
            bad("axis-in-names", 'row in ["one"]', "E303", "row"),
            expr("axis-in-rows", "row in [one]", "true"),
        ),
        rule(
            "`table[gpu]` is the row of that table that has the name of the axis's value. `record[gpu]` is the entry of that record with this name. Any text works as well.",
            value(
                "table-by-axis",
                "u[row].a",
                "1",
                "facts u (a: int) { one { a = 1 }, two { a = 2 } }",
            ),
            expr("record-by-axis", "record[row]", '"I"'),
            expr("table-by-text", 't["three"].a', "3"),
            expr("record-by-text", 'record["two"]', '"II"'),
            bad("table-by-integer", "t[n].a", "E301", "n"),
        ),
        rule(
            "`gpu in table` is true if the table has that row. To look up a row that is not there",
            expr("axis-in-table", "row in t", "true"),
            row(
                "axis-in-table-each",
                body("attrs { x = row in t }", MORE, MATRIX),
                each("attrs.x", "true", "false", "true", "false"),
            ),
            row(
                "axis-missing-in-table",
                body("attrs { x = t[row].a }", MORE, MATRIX),
                refused("E207", "row"),
            ),
            row(
                "axis-asked-first",
                body("attrs { x = if row in t then t[row].a else 0 }", MORE, MATRIX),
                each("attrs.x", "1", "0", "1", "0"),
            ),
            expr("text-in-table", '"three" in t', "true"),
            row(
                "axis-missing-in-record",
                body("attrs { x = { one = 1 }[row] }", MORE, MATRIX),
                refused("E207"),
            ),
        ),
        rule(
            "`recipe is X` is true if the variant's recipe is `X` or extends it, directly or not.",
            row(
                "recipe-is-itself",
                chain("", "attrs { x = recipe is child }"),
                first("attrs.x", "true"),
            ),
            row(
                "recipe-is-parent",
                chain("", "attrs { x = recipe is base }"),
                first("attrs.x", "true"),
            ),
            row(
                "recipe-is-grandparent",
                chain("", "attrs { x = recipe is base }").replace("extends base", "extends middle")
                + "recipe middle extends base { }\n",
                first("attrs.x", "true"),
            ),
            row(
                "recipe-is-no-child",
                chain("attrs { x = recipe is grandchild }", "")
                + "recipe grandchild extends child { }\n",
                first("attrs.x", "false"),
            ),
            row(
                "recipe-is-not",
                chain("", "attrs { x = recipe is not base }"),
                first("attrs.x", "false"),
            ),
        ),
        rule(
            "`matrix is X` is true in matrix `X` and in the matrices that extend it. `pin is p` is true if `p` is the variant's pin. `pin is none` is true if the variant has no pin.",
            row(
                "matrix-is",
                body(
                    "attrs { x = matrix is m }",
                    "",
                    OF_N + 'matrix k extends m { name = "k{{n}}" }\n',
                ),
                each("attrs.x", "true", "true", "true", "true"),
            ),
            row(
                "matrix-is-child",
                body(
                    "attrs { x = matrix is k }",
                    "",
                    OF_N + 'matrix k extends m { name = "k{{n}}" }\n',
                ),
                each("attrs.x", "false", "false", "true", "true"),
            ),
            row("pin-is", body("attrs { x = pin is p }"), first("attrs.x", "true")),
            row("pin-is-none-not", body("attrs { x = pin is none }"), first("attrs.x", "false")),
            row(
                "pin-is-none",
                body("pin = none\nattrs { x = pin is none }"),
                first("attrs.x", "true"),
            ),
            row(
                "none-is-no-pin",
                body("pin = none\nattrs { x = pin is p }"),
                first("attrs.x", "false"),
            ),
        ),
        rule(
            "Equality is narrower: `recipe == X` is true for `X` only.",
            row(
                "recipe-equals",
                chain("", "attrs { x = recipe == child }"),
                first("attrs.x", "true"),
            ),
            row(
                "recipe-equals-no-parent",
                chain("", "attrs { x = recipe == base }"),
                first("attrs.x", "false"),
            ),
            row(
                "matrix-equals-no-parent",
                body(
                    "attrs { x = matrix == m }",
                    "",
                    OF_N + 'matrix k extends m { name = "k{{n}}" }\n',
                ),
                each("attrs.x", "true", "true", "false", "false"),
            ),
        ),
        rule(
            "A comparison of a thing with itself is an error (E212), because it cannot decide anything. Examples are `gpu == gpu`, `gpu in [sm80, gpu]` and `gpu.capability == gpu.capability`. The same holds for a flag, a setting",
            same_thing("itself-axis", "row == row", "row == row"),
            same_thing("itself-in-list", "row in [one, row]", "row in [one, row]"),
            same_thing("itself-field", "row.text == row.text", "row.text == row.text"),
            same_thing("itself-flag", "f == f", "f == f"),
            same_thing("itself-setting", "attrs.z == attrs.z", "attrs.z == attrs.z"),
            same_thing("itself-let", "flagged == flagged", "flagged == flagged", T),
            same_thing("itself-other-name", "n == other", "n == other", "let other = n\n"),
            same_thing("itself-less", "n <= n", "n <= n"),
            value("not-itself-value", "row.size == n", "true"),
        ),
        rule(
            'Declared names are bare, text is quoted: `gpu == sm90`, but `isa.arch == "aarch64"`.',
            expr("bare-row", "row == one", "true"),
            bad("quoted-row", 'row == "one"', "E303", "row"),
            expr("quoted-text", 'row.text == "I"', "true"),
            bad("bare-text", "row.text == I", "E201", "I"),
        ),
        rule(
            "within `where`, a field of the current row;",
            row(
                "where-field-before-let",
                top(
                    'facts u (size: int) { a { size = 1 }, b { size = 2 } }\nlet size = 2\naxis k = u[where size == 1]\nrecipe child { package = pkgs.hello, attrs { x = size } }\nmatrix m { recipe = child, axes = k, name = "{{k}}" }'
                ),
                all_of(makes("a"), first("attrs.x", "2")),
            ),
        ),
        rule(
            "a `let` or a `flag` of the recipe or of a recipe that it extends;",
            row(
                "name-let-of-recipe", body("let one = 5\nattrs { x = one }"), first("attrs.x", "5")
            ),
            row(
                "name-flag-of-parent",
                chain("flag zlib: int = 7", "attrs { x = zlib }"),
                first("attrs.x", "7"),
            ),
            row(
                "name-let-before-root",
                body("let old = 5\nattrs { x = old }"),
                first("attrs.x", "5"),
            ),
        ),
        rule(
            "a declaration of this file, else an imported one;",
            row("name-declaration", attrs("x = k", "let k = 3\n"), first("attrs.x", "3")),
            row(
                "name-imported",
                attrs("x = k", 'use "./lib.tvar"'),
                first("attrs.x", "4"),
                files={"lib.tvar": "let k = 4\n"},
            ),
            row(
                "name-caller-declared",
                attrs("x = caller", "let caller = 3\n"),
                first("attrs.x", "3"),
            ),
        ),
        rule(
            "in a comparison with an axis, a row of that axis's table;",
            row(
                "name-row-of-compared",
                body(
                    "attrs { x = row == one, y = k == one }",
                    "axis k { one { }, other { } }",
                    MATRIX.replace("n * row", "n * row * k").replace("{{row}}", "{{row}}-{{k}}"),
                ),
                all_of(first("attrs.x", "true"), first("attrs.y", "true")),
            ),
            row(
                "name-row-before-variant",
                top(
                    'axis k { variant { }, pkgs { } }\nrecipe child { package = pkgs.hello, attrs { x = k == variant, y = k == pkgs } }\nmatrix m { recipe = child, axes = k, name = "v-{{k}}" }'
                ),
                all_of(each("attrs.x", "true", "false"), each("attrs.y", "false", "true")),
            ),
        ),
        rule(
            "`variant`, `recipe`, `matrix`, `package`, `pin`, `overlays`;",
            value("name-variant", "variant", '"v1-one"'),
            value("name-recipe", '"{{recipe}}"', '"child"'),
            row(
                "name-recipe-declared",
                attrs("x = recipe", "let recipe = 3\n"),
                first("attrs.x", "3"),
            ),
        ),
        rule(
            "a root: `pkgs`, `caller`, `needs`, `final`, `prev`, `old`;",
            row("name-root", attrs("x = pkgs.zlib"), emits("x = pinned.zlib;")),
            row("name-old", attrs("x = old.y"), emits("x = old.y;")),
        ),
        rule(
            "a row of any table in scope, when only one table has it.",
            expr("name-row-anywhere", "three.a", "3"),
            row(
                "name-row-of-two-tables",
                attrs("x = three.a", MORE + "facts u (a: int) { three { a = 4 } }"),
                refused("E206", "three"),
            ),
            row(
                "name-row-after-root",
                attrs("x = pkgs.a", "facts u (a: int) { pkgs { a = 4 } }"),
                emits("x = pinned.a;"),
            ),
        ),
        rule(
            "A name that may mean several things is an error (E206).",
            row(
                "name-of-two-imports",
                attrs("x = k", 'use "./a.tvar"\nuse "./b.tvar"'),
                refused("E206", "k"),
                files={"a.tvar": "let k = 4\n", "b.tvar": "let k = 5\n"},
            ),
        ),
        rule(
            "`nvidia.sm90` names a row and its table.",
            expr("row-of-table", "t.one.a", "1"),
            row(
                "row-of-table-among-two",
                attrs("x = u.three.a", MORE + "facts u (a: int) { three { a = 4 } }"),
                first("attrs.x", "4"),
            ),
        ),
        rule(
            "A declaration (3) comes before a row (4). So a bare name could never mean a row that has the name of an axis. Such a row is an error (E202). The error is at the declaration",
            row(
                "row-like-its-axis", top("axis lto { lto { }, nolto { } }"), refused("E202", "lto")
            ),
            row(
                "row-like-other-axis",
                top("axis a { b { }, c { } }\naxis b = [1, 2]"),
                refused("E202", "b"),
            ),
            row(
                "row-like-imported-axis",
                top('use "./lib.tvar"\naxis a { b { }, c { } }'),
                refused("E202"),
                files={"lib.tvar": "axis b = [1]\n"},
            ),
        ),
        rule(
            "The rule holds for each row that is a value of an axis in scope, or of an axis of a module imported `as NAME`. If an axis names a table and does",
            row(
                "row-of-module-as",
                top('use "./lib.tvar" as lib\naxis b = [1]'),
                refused("E202"),
                files={"lib.tvar": "axis a { b { }, c { } }\n"},
            ),
            row(
                "row-of-named-axis",
                top("facts u () { b { }, c { } }\naxis a: u\naxis b = [1]"),
                refused("E202"),
            ),
        ),
        rule(
            "Any other row of a table, which no axis takes, may have any name: write `T.row` for it.",
            row(
                "row-that-no-axis-takes",
                top(
                    'facts u (v: int) { b { v = 7 }, c { v = 8 } }\naxis a = u[c]\naxis b = [1]\nrecipe child { package = pkgs.hello, attrs { x = u.b.v, y = b } }\nmatrix m { recipe = child, axes = a * b, name = "{{a}}-{{b}}" }'
                ),
                all_of(first("attrs.x", "7"), first("attrs.y", "1")),
            ),
        ),
    ),
)
