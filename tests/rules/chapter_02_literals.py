"""Files, names and literals."""

from __future__ import annotations

from support.rules import (
    OF_N,
    all_of,
    attrs,
    body,
    chain,
    each,
    emits,
    fine,
    first,
    makes,
    no_value,
    over,
    refused,
    row,
    rule,
    says,
    table,
    told,
    top,
    value,
)

ROOTS = {"pkgs": "pinned", "caller": "pkgs", "lib": "pinned.lib"}
OF_PIN = 'pin q {{ github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211", config {{ x = {} }} }}'
RESERVED = [
    "and",
    "or",
    "not",
    "in",
    "is",
    "if",
    "then",
    "else",
    "true",
    "false",
    "null",
    "none",
    "where",
]
KEYWORDS = (
    "version",
    "name",
    "axis",
    "when",
    "recipe",
    "matrix",
    "pin",
    "force",
    "part",
    "use",
    "language",
)

USES = 'use "./lib.tvar"\n'
NEWER: dict[str, str | bytes] = {"lib.tvar": 'language 2\nlet a = "\nquantum ] {\n'}

TABLES = (
    table(
        "Files, names and literals",
        *told(
            "With this page you can write any value of the language: a string, a version, a list, a record,",
            "**Names.",
            "**Reserved words.",
            "**Versions.",
            '**Text between `"""`.',
            "**Nix text.",
            "These rules hold for a value in Nix text:",
        ),
        rule(
            "A file is UTF-8.",
            row("utf-8", attrs('x = "ä€𝄞"'), first("attrs.x", '"ä€𝄞"')),
            row(
                "not-utf-8",
                top('use "./lib.tvar"'),
                refused("E107"),
                files={"lib.tvar": b'let a = "\xe4"\n'},
            ),
        ),
        rule(
            "`#` begins a comment. The comment ends with the line.",
            row(
                "comment",
                attrs("x = 1 # y = 2\nz = 3"),
                all_of(first("attrs.y", "absent"), first("attrs.z", "3")),
            ),
            row("comment-whole-line", attrs("# x = 1\nz = 3"), first("attrs.x", "absent")),
            row("comment-in-list", attrs("x = [1, # 2,\n3]"), first("attrs.x", "[1, 3]")),
            row("no-comment-in-string", attrs('x = "a # b"'), first("attrs.x", '"a # b"')),
            row("no-comment-in-text", attrs('x = """a # b"""'), first("attrs.x", '"a # b"')),
        ),
        *told("[format.md](format.md) shows the layout that `tvarc fmt` gives a file."),
        *told(
            "**Language.",
            "**Items.",
            "**Data and language.",
            "**Literals.**",
            "**Interpolation.",
            "The form of a value in Nix text depends on the place:",
        ),
        rule(
            "A file may begin with `language 1`. This is the number of the language version in which the file is written. Without this line, the file has",
            row("language", "language 1\n" + attrs("x = n"), first("attrs.x", "1")),
            row("language-left-out", attrs("x = n"), first("attrs.x", "1")),
            row("language-on-one-line", top("language\n1"), refused("E101")),
            row("language-comma", top("language 1, use std.cuda"), refused("E101", ",")),
            row("language-text", top('language "1"'), refused("E101", '"1"')),
            row("language-name", top("language one"), refused("E101", "one")),
            row("language-no-number", top("language"), refused("E101")),
            row(
                "language-declared",
                attrs("x = language", "let language = 1"),
                first("attrs.x", "1"),
            ),
        ),
        rule(
            "A change in the meaning of programs changes the number. A compiler that does not know the",
            *[
                row(
                    f"language-{number}",
                    top(f"language {number}"),
                    refused("E110", f"language {number}"),
                )
                for number in ("0", "01", "2", "10", "1.0", "1.1", "1_0", "999999999999999999999")
            ],
            row("language-newer", top("language 2"), says("E110", "in this version of tvarc")),
            row(
                "language-read-no-more",
                'language 2\nuse "./gone.tvar"\nlet a = "\nquantum ] {',
                refused("E110", "language 2"),
            ),
            row("language-known-read-on", "language 1\nlet a = ]", refused("E101", "]")),
            row("language-of-module", top(USES), refused("E110", "language 2"), files=NEWER),
            row(
                "language-of-module-by-name",
                top('use "./lib.tvar" as lib\nexclude lib\nlet b = lib.a'),
                refused("E110", "language 2"),
                files=NEWER,
            ),
            row(
                "language-of-module-of-module",
                top('use "./mid.tvar"\nlet c = b'),
                refused("E110", "language 2"),
                files={**NEWER, "mid.tvar": USES + "let b = a\n"},
            ),
            row(
                "language-of-two-modules",
                top(USES + 'use "./more.tvar"'),
                refused("E110", "language 2", "language 3"),
                files={**NEWER, "more.tvar": "language 3\n"},
            ),
        ),
        rule(
            "The line holds for its own file only. A file has it at most once, before",
            row("language-after-comment", top("# c\n\nlanguage 1"), fine),
            row(
                "language-of-entry-alone",
                "language 1\n" + attrs("x = a", USES),
                first("attrs.x", "3"),
                files={"lib.tvar": "let a = 3\n"},
            ),
            row(
                "language-of-module-alone",
                attrs("x = a", USES),
                first("attrs.x", "3"),
                files={"lib.tvar": "language 1\nlet a = 3\n"},
            ),
            row(
                "language-after-use", top("use std.cuda\nlanguage 1"), refused("E110", "language 1")
            ),
            row(
                "language-newer-after-let",
                top("let a = 1\nlanguage 2"),
                refused("E110", "language 2"),
            ),
            row("language-twice", top("language 1\nlanguage 1"), says("E110", "stated twice")),
            row("language-two", top("language 1\nlanguage 2"), refused("E110", "language 2")),
            row(
                "language-newer-twice", top("language 2\nlanguage 1"), refused("E110", "language 2")
            ),
            row(
                "language-thrice",
                top("language 1\nlanguage 1\nuse std.cuda\nlanguage 1"),
                refused("E110", "language 1", "language 1"),
            ),
            row(
                "language-misplaced-in-module",
                attrs("x = a", USES),
                refused("E110", "language 1"),
                files={"lib.tvar": "let a = 3\nlanguage 1\n"},
            ),
            row("language-in-recipe", body("language 1"), refused("E209", "language 1")),
            row("language-newer-in-recipe", body("language 2"), refused("E209", "language 2")),
            row("language-in-block", attrs("language 1"), refused("E209", "language 1")),
            row("language-in-when", top("when true { language 1 }"), refused("E209", "language 1")),
            row(
                "language-in-matrix",
                body("", "", OF_N.replace("{ recipe", "{ language 1, recipe")),
                refused("E209", "language 1"),
            ),
            row(
                "language-in-overlay",
                top("overlay o { language 1 }"),
                refused("E209", "language 1"),
            ),
        ),
        rule(
            "Between `{ }`, a newline or one `,` ends an item.",
            row("newline-ends", attrs("x = 1\ny = 2"), first("attrs.y", "2")),
            row("comma-ends", attrs("x = 1, y = 2"), first("attrs.y", "2")),
            row("comma-and-newline", attrs("x = 1,\ny = 2"), first("attrs.y", "2")),
            row("two-commas", attrs("x = 1,, y = 2"), refused("E101", ",")),
            row("neither", attrs("x = 1 y = 2"), refused("E101", "y")),
            row(
                "record-newline",
                attrs("x = {\na = 1\nb = 2 }"),
                first("attrs.x", "{ a = 1, b = 2 }"),
            ),
            row(
                "record-comma", attrs("x = { a = 1, b = 2 }"), first("attrs.x", "{ a = 1, b = 2 }")
            ),
            row("record-neither", attrs("x = { a = 1 b = 2 }"), refused("E101", "b")),
        ),
        rule(
            "The last item may end with a `,` too.",
            row("last-comma", attrs("x = 1,"), first("attrs.x", "1")),
            row("last-comma-of-record", attrs("x = { a = 1, }"), first("attrs.x", "{ a = 1 }")),
        ),
        rule(
            "Between `( )` and `[ ]`, newlines have no meaning and commas separate the items.",
            row("list-over-lines", attrs("x = [\n1,\n2\n,\n3\n]"), first("attrs.x", "[1, 2, 3]")),
            row("list-newline-separates-not", attrs("x = [1\n2]"), refused("E101", "2")),
            row("list-last-comma", attrs("x = [1, 2,]"), first("attrs.x", "[1, 2]")),
            row("parens-over-lines", attrs("x = (\n1\n==\n1\n)"), first("attrs.x", "true")),
            row(
                "call-over-lines",
                attrs('x = join(\n["a", "b"]\n,\n"-"\n)'),
                first("attrs.x", '"a-b"'),
            ),
        ),
        rule(
            'A line continues the line before it when it begins with `because "`, `and`, `or`, `then`, `else` or `{`.',
            row("line-because", attrs('x = 1\nbecause "so"'), emits("# so")),
            row("line-and", attrs("x = n == 1\nand n == 2"), first("attrs.x", "false")),
            row("line-or", attrs("x = n == 2\nor n == 1"), first("attrs.x", "true")),
            row(
                "line-then-else", attrs("x = if n == 1\nthen 1\nelse 2"), each("attrs.x", "1", "2")
            ),
            row("line-brace", body("attrs\n{\nx = 1\n}"), first("attrs.x", "1")),
            row("line-not", attrs("x = n == 1\nnot n == 2"), refused("E105", "not")),
            row("line-in", attrs("x = n\nin [1]"), refused("E105", "in")),
            row("line-equals", attrs("x\n= 1"), refused("E101")),
            row("key-because", attrs("x = 1\nbecause = 2"), first("attrs.because", "2")),
        ),
        rule(
            "`x = { … }` is a value, a record.",
            row("record-value", attrs("x = { a = 1 }"), first("attrs.x", "{ a = 1 }")),
            row(
                "record-replaces",
                over("x = { a = 1 }", "x = { b = 2 }"),
                first("attrs.x", "{ b = 2 }"),
            ),
        ),
        rule(
            "`x { … }` is a block of the language.",
            row(
                "block-adds",
                chain("attrs { a = 1 }", "attrs { b = 2 }"),
                all_of(first("attrs.a", "1"), first("attrs.b", "2")),
            ),
            row("block-unknown", body("atrs { a = 1 }"), refused("E210", "atrs")),
            row("record-is-no-block", body("attrs = { a = 1 }"), refused("E210")),
        ),
        rule(
            "A name holds ASCII letters, digits, `_` and `-`. A `-` is inside the name only,",
            row("name-letters", attrs("aB_9 = 1"), first("attrs.aB_9", "1")),
            row("name-dash", attrs("a-b = 1, a-9 = 2, a-_ = 3"), first("attrs.a-_", "3")),
            row("name-dash-at-end", attrs("a- = 1"), refused("E101")),
            row("name-two-dashes", attrs("a--b = 1"), refused("E101")),
            row("name-not-ascii", attrs("ä = 1"), refused("E101")),
        ),
        rule(
            "A name begins with a letter or `_`.",
            row("name-underscore", attrs("_a = 1"), first("attrs._a", "1")),
            row("name-digit", attrs("9a = 1"), refused("E101", "9a")),
            row("name-begins-with-dash", attrs("-a = 1"), refused("E101")),
        ),
        rule(
            "Names of axis values follow the same rule: `armv8_2`.",
            row(
                "axis-value-name",
                body(
                    "attrs { x = isa }",
                    "axis isa { armv8_2 { } }",
                    'matrix m { recipe = child, axes = isa, name = "{{isa}}" }\n',
                ),
                makes("armv8_2"),
            ),
        ),
        rule(
            'A value that has a dot or begins with a digit is a string or a version: `axis isa = ["armv8.2", "v9"]`.',
            row("axis-value-dot", top("axis isa { armv8.2 { } }"), refused("E101")),
            row(
                "axis-value-string",
                body(
                    "attrs { x = isa }",
                    'axis isa = ["armv8.2", "9"]',
                    'matrix m { recipe = child, axes = isa, name = "{{isa}}" }\n',
                ),
                makes("armv8.2", "9"),
            ),
        ),
        rule(
            "The reserved words are `and or not in is if then else true false null none where`.",
            *[
                row(f"reserved-{word}", attrs(f"{word} = 1"), refused("E105", word))
                for word in RESERVED
            ],
            *[
                row(f"reserved-let-{word}", top(f"let {word} = 1"), refused("E105", word))
                for word in ("in", "null", "where")
            ],
        ),
        rule(
            "They are never names.",
            *[
                row(f"reserved-axis-{word}", top(f"axis {word} = [1]"), refused("E105", word))
                for word in ("true", "none")
            ],
            row("reserved-row", top("axis a { null { } }"), refused("E105", "null")),
        ),
        rule(
            "Every other word is a keyword only in the places where that keyword can be: `version`, `name`,",
            *[
                row(f"key-{word}", attrs(f'{word} = "a"'), first(f"attrs.{word}", '"a"'))
                for word in KEYWORDS
            ],
        ),
        rule(
            "Write a key that is not a name in quotes.",
            row("quoted-reserved", attrs('"if" = 1'), first("attrs.if", "1")),
            row("quoted-blank", attrs('"a b" = 1'), first("attrs.a b", "1")),
            row("quoted-in-record", attrs('x = { "a b" = 1 }'), first("attrs.x", '{ "a b" = 1 }')),
            row(
                "quoted-dot-is-no-step",
                attrs('"a.b" = 1'),
                all_of(first("attrs.a.b", "1"), first("attrs.a", "absent")),
            ),
            row("quoted-name-is-the-name", attrs('"x" = 1, x = 2'), refused("E501", "x = 2")),
        ),
        rule(
            'a string on one line, with the escapes `\\n \\t \\r \\" \\\\ \\u{e9} \\{{` |',
            row(
                "escapes",
                attrs(r'x = "\n\t\r\"\\\u{e9}\{{"'),
                first("attrs.x", '"' + r"\n\t\r\"\\é\{{" + '"'),
            ),
            row("escape-unknown", attrs(r'x = "\a"'), refused("E103", r"\a")),
            row("string-over-lines", attrs('x = "a\nb"'), refused("E102")),
            row("escape-no-character", attrs(r'x = "\u{110000}"'), refused("E103")),
            row("escape-last-character", attrs(r'x = "\u{10ffff}"'), fine),
            row("escape-surrogate", attrs(r'x = "\u{d800}"'), refused("E103")),
            row("escape-nul", attrs(r'x = "\u{0}"'), refused("E103")),
        ),
        rule(
            "text over several lines, explained below |",
            row("text-lines", attrs('x = """\n  a\n  b\n"""'), first("attrs.x", r'"a\nb\n"')),
            row("text-one-line", attrs('x = """a"""'), first("attrs.x", '"a"')),
        ),
        rule(
            "an integer of at most 18 digits, without a sign and without a leading zero |",
            row("integer", attrs("x = 42"), all_of(first("attrs.x", "42"), emits("x = 42;"))),
            row(
                "integer-18",
                attrs("x = 999999999999999999"),
                first("attrs.x", "999999999999999999"),
            ),
            row(
                "integer-19",
                attrs("x = 1000000000000000000"),
                refused("E104", "1000000000000000000"),
            ),
            row("integer-0", attrs("x = 0"), emits("x = 0;")),
            row("integer-00", attrs("x = 007"), refused("E104", "007")),
            row("integer-minus", attrs("x = -1"), refused("E101")),
            row("integer-plus", attrs("x = +1"), refused("E101")),
        ),
        rule(
            "a *version*: a number with a dot; without quotes it has only digits and dots |",
            row("version-kind", attrs('x = 13.0 == version("13.0")'), first("attrs.x", "true")),
            row(
                "version-three",
                attrs("x = 2.10.0"),
                all_of(first("attrs.x", "2.10.0"), emits('x = "2.10.0";')),
            ),
            row("version-letters", attrs("x = 2.11.0rc1"), refused("E104", "2.11.0rc1")),
            row("version-dot-at-end", attrs("x = 13."), refused("E101")),
            row("version-no-integer", attrs("x = 13 == 13.0"), refused("E303", "13")),
        ),
        rule(
            "`true` `false` | booleans |",
            row("booleans", attrs("x = true, y = false"), emits("x = true;", "y = false;")),
        ),
        rule("`null` | Nix's null |", row("null", attrs("x = null"), emits("x = null;"))),
        rule(
            "no pin, no part of a script, or a setting that is [unset](#unset-settings); Nix never gets it as a value |",
            row("none-pin", body("pin = none"), first("pin", "none")),
            row(
                "none-part",
                chain('script s { part a "A" }', 'script s { part a = none, part b "B" }'),
                first("script.s", 'old, b "B"'),
            ),
            row("none-setting", over("x = 1", "x = none"), first("attrs.x", "absent")),
            row("none-in-list", attrs("x = [none]"), refused("E301", "none")),
            row("none-in-record", attrs("x = { a = none }"), refused("E301", "none")),
            row("none-in-flag", body("flag f: int? = none\nattrs { x = f }"), refused("E301")),
            row(
                "none-in-overlay",
                body("overlays = [o]", "overlay o { x = [none] }"),
                refused("E301", "none"),
            ),
        ),
        rule(
            "a list; `...` spreads another list into it |",
            row("list", attrs('x = [1, "a"]'), first("attrs.x", '[1, "a"]')),
            row("spread", attrs("x = [1, ...[2, 3], 4]"), first("attrs.x", "[1, 2, 3, 4]")),
            row("spread-empty", attrs("x = [...[]]"), first("attrs.x", "[]")),
            row("no-spread-nests", attrs("x = [1, [2]]"), first("attrs.x", "[1, [2]]")),
            row("spread-string", attrs('x = [..."ab"]'), refused("E301", '..."ab"')),
        ),
        rule(
            "a record; `b.c` writes a record within it |",
            row(
                "record-path",
                attrs("x = { a = 1, b.c = 2 }"),
                first("attrs.x", "{ a = 1, b = { c = 2 } }"),
            ),
            row(
                "record-paths-join",
                attrs("x = { b.c = 1, b.d = 2 }"),
                first("attrs.x", "{ b = { c = 1, d = 2 } }"),
            ),
            row("record-twice", attrs("x = { a = 1, a = 2 }"), refused("E202", "2")),
            row("record-empty", attrs("x = { }"), first("attrs.x", "{}")),
        ),
        rule(
            "a Nix expression, with values of the program in it |",
            row("nix-text", attrs('x = nix"""1 + {{n}}"""'), emits("(1 + 1);")),
        ),
        rule(
            "There is no arithmetic, and there are no negative numbers.",
            row("no-plus", attrs("x = 1 + 1"), refused("E101", "+")),
            row("no-minus", attrs("x = 2 - 1"), refused("E101", "-")),
            row("no-times", attrs("x = 2 * 2"), refused("E209", "2 * 2")),
            row("no-divide", attrs("x = 2 / 2"), refused("E101", "/")),
            row("no-negative", attrs("x = [1, -1]"), refused("E101")),
        ),
        rule(
            "The compiler compares versions part by part, as numbers: `2.10 > 2.9`.",
            value("version-numbers", "2.10 > 2.9", "true"),
            value("version-numbers-less", "2.10 < 2.9", "false"),
            value("version-equal-not-greater", "2.10 > 2.10", "false"),
            value("version-equal-at-least", "2.10 >= 2.10", "true"),
            value("version-equal-not-less", "2.10 < 2.10", "false"),
            value("version-equal-at-most", "2.10 <= 2.10", "true"),
            value("version-first-part-first", "3.0 > 2.99", "true"),
            value("version-leading-zero", "2.01 == 2.1", "true"),
            value("version-unequal", "2.10 != 2.1", "true"),
        ),
        rule(
            "A missing part counts as zero, so `2.10 == 2.10.0`.",
            value("version-missing-part", "2.10 == 2.10.0", "true"),
            value("version-missing-part-other-side", "2.10.0 == 2.10", "true"),
            value("version-missing-part-not-unequal", "2.10 != 2.10.0", "false"),
            value("version-missing-part-not-less", "2.10 < 2.10.0", "false"),
            value("version-missing-part-at-most", "2.10 <= 2.10.0", "true"),
            value("version-missing-two-parts", "2.0 == 2.0.0.0", "true"),
            value("version-missing-is-less-than-one", "2.10 < 2.10.1", "true"),
            value("version-missing-is-not-one", "2.10 == 2.10.1", "false"),
            value("version-missing-in-list", "2.10 in [2.9, 2.10.0]", "true"),
            value("version-missing-not-in-list", "2.10 not in [2.10.0]", "false"),
            value("version-missing-within-lists", "[2.10] == [2.10.0]", "true"),
            value("version-missing-within-lists-of-lists", "[[2.10]] == [[2.10.0]]", "true"),
            value("version-missing-within-records", "{ a = 2.10 } == { a = 2.10.0 }", "true"),
            value(
                "version-missing-within-records-in-lists",
                "[{ a = 2.10 }] == [{ a = 2.10.0 }]",
                "true",
            ),
            value(
                "version-missing-within-records-unequal", "{ a = 2.10 } != { a = 2.10.0 }", "false"
            ),
            value("version-other-within-records", "{ a = 2.10 } == { a = 2.11 }", "false"),
            row(
                "version-missing-in-condition",
                body(
                    "when k == 2.10.0 { attrs { x = 1 } }",
                    "axis k = [2.10, 2.11]",
                    'matrix m { recipe = child, axes = k, name = "v{{under(k)}}" }\n',
                ),
                each("attrs.x", "1", "absent"),
            ),
        ),
        rule(
            "A version prints as it was written: `13.0` never becomes `13`.",
            value("version-prints", '"{{13.0}} {{2.10.0}} {{2.01}}"', '"13.0 2.10.0 2.01"'),
            row("version-emitted", attrs("x = 13.0"), emits('x = "13.0";')),
        ),
        rule(
            '`version("2.11.0rc1")` makes a version that has letters.',
            value("version-made", 'version("2.11.0rc1")', "2.11.0rc1"),
        ),
        rule(
            "`dev`, `a` or `alpha`, `b` or `beta`, and `rc` come before the release, in this order. `post` comes after the release.",
            value("version-dev-a", 'version("2.0dev9") < version("2.0a1")', "true"),
            value("version-a-b", 'version("2.0a9") < version("2.0b1")', "true"),
            value("version-b-rc", 'version("2.0b9") < version("2.0rc1")', "true"),
            value("version-rc-release", 'version("2.0rc9") < 2.0', "true"),
            value("version-release-post", '2.0 < version("2.0post1")', "true"),
            value("version-post-next", 'version("2.0post9") < 2.1', "true"),
            value("version-alpha-is-a", 'version("2.0alpha1") == version("2.0a1")', "true"),
            value("version-beta-is-b", 'version("2.0beta1") == version("2.0b1")', "true"),
            value("version-alpha-number", 'version("2.0a2") > version("2.0alpha1")', "true"),
            value("version-beta-number", 'version("2.0b2") > version("2.0beta1")', "true"),
            value("version-dev-before-alpha", 'version("2.0dev1") < version("2.0alpha1")', "true"),
            value("version-alpha-before-b", 'version("2.0alpha1") < version("2.0b1")', "true"),
            value("version-beta-before-rc", 'version("2.0beta1") < version("2.0rc1")', "true"),
            value("version-rc-number", 'version("2.0rc2") < version("2.0rc10")', "true"),
            value("version-rc-missing-parts", 'version("2.0rc1") < 2.0.0', "true"),
            value("version-rc-of-a-later-part", 'version("2.1.0rc1") > 2.0', "true"),
        ),
        rule(
            '`{{expression}}` puts a value into a string or into text between `"""`. Write it on one line.',
            value("interpolated", '"a{{n}}b"', '"a1b"'),
            value("interpolated-text", '"""a{{n}}b"""', '"a1b"'),
            value("interpolated-expression", '"{{if n == 1 then "one" else "two"}}"', '"one"'),
            row("interpolated-over-lines", attrs('x = """{{\nn }}"""'), refused("E103", "{{")),
            row("interpolated-empty", attrs('x = "{{}}"'), refused("E103", "{{}}")),
            row("interpolated-unclosed", attrs('x = "{{n"'), refused("E103", '{{n"')),
        ),
        rule(
            "Each kind of value has its text: | a string | the string itself | | an integer, a version | as it is written | | an axis value | its name | | a list | its elements, with blanks between them | | a declaration, such as a recipe",
            value("prints-string", '"{{"a"}}"', '"a"'),
            value("prints-integer", '"{{7}}"', '"7"'),
            value("prints-axis-value", '"{{row}}"', '"one"'),
            value("prints-list", '"{{["a", 1, 2.0]}}"', '"a 1 2.0"'),
            value("prints-empty-list", '"{{[]}}"', '""'),
            value("prints-list-of-lists", '"{{[["a"], ["b", "c"]]}}"', '"a b c"'),
            value("prints-recipe", '"{{recipe}}"', '"child"'),
            value("prints-matrix", '"{{matrix}}"', '"m"'),
            row(
                "prints-overlay",
                body('overlays = [o]\nattrs { x = "{{o}}" }', "overlay o { y = 1 }"),
                first("attrs.x", '"o"'),
            ),
            value("prints-pin", '"{{p}}"', '"p"'),
        ),
        rule(
            "Booleans, `null` and records have no text: to interpolate one is an error.",
            no_value("no-text-true", '"{{true}}"', "E301", "true"),
            no_value("no-text-null", '"{{null}}"', "E301", "null"),
            no_value("no-text-record", '"{{ { a = 1 } }}"', "E301", "{ a = 1 }"),
            no_value("no-text-within-list", '"{{[true]}}"', "E301", "[true]"),
        ),
        rule(
            "`\\{{` writes the two characters `{{`.",
            value("braces-string", r'"\{{x}}"', r'"\{{x}}"'),
            row("braces-emitted", attrs(r'x = "\{{x}}"'), emits('x = "{{x}}";')),
            row("braces-text", attrs(r'x = """\{{x}}"""'), emits('x = "{{x}}";')),
        ),
        rule(
            "Only `{{` and `\\{{` have a meaning in it: `${X}`, `$X`, quotes and backslashes are plain text.",
            row(
                "text-plain",
                attrs('x = """${X} $X "q" \\n \\t."""'),
                first("attrs.x", '"' + r"${X} $X \"q\" \\n \\t." + '"'),
            ),
            row("text-plain-emitted", attrs('x = """${X}"""'), emits('x = "\\${X}";')),
        ),
        rule(
            "The compiler strips the common indentation, exactly as Nix does in `''` strings, and before it interpolates. Only spaces count as indentation. A last line that has only spaces becomes empty.",
            row(
                "text-stripped",
                attrs('x = """\n    a\n      b\n    """'),
                first("attrs.x", r'"a\n  b\n"'),
            ),
            row(
                "text-tab-is-no-indentation",
                attrs('x = """\n  a\n\tb\n"""'),
                first("attrs.x", r'"  a\n\tb\n"'),
            ),
            row(
                "text-empty-line-counts-not",
                attrs('x = """\n  a\n\n  b\n"""'),
                first("attrs.x", r'"a\n\nb\n"'),
            ),
            row("text-last-line", attrs('x = """\n    a\n  """'), first("attrs.x", r'"a\n"')),
            row(
                "text-interpolated-after",
                attrs('x = """\n  {{"  a"}}\n  b\n"""'),
                first("attrs.x", r'"  a\nb\n"'),
            ),
            row("text-first-line", attrs('x = """a\n  b"""'), first("attrs.x", r'"a\n  b"')),
        ),
        rule(
            'To write `"""` within text, use a longer fence: `""""` or `"""""`.',
            row("fence-four", attrs('x = """"a"""b""""'), first("attrs.x", r'"a\"\"\"b"')),
            row("fence-five", attrs('x = """""a""""b"""""'), first("attrs.x", r'"a\"\"\"\"b"')),
            row("fence-three", attrs('x = """a"""b"""'), refused("E101", "b")),
        ),
        rule(
            'The text of `nix"""…"""` goes to Nix unchanged, except for `{{expression}}`.',
            row(
                "nix-as-it-stands", attrs('x = nix"""let a = 1;  in a"""'), emits("let a = 1; in a")
            ),
        ),
        rule(
            "Some names are defined in it: `pkgs`, `caller` and `lib` everywhere; `old` in attributes and scripts; `final` and `prev` in overlays.",
            *[
                row(
                    f"nix-{root}-{block}",
                    body(f'{block} {{ x = nix"""{root}.x""" }}'),
                    emits(f"{root} = {means}; in {root}.x;"),
                )
                for root, means in ROOTS.items()
                for block in ("args", "attrs", "passthru")
            ],
            row(
                "nix-pkgs-in-overlay",
                body("overlays = [o]", 'overlay o { x = nix"""pkgs.y""" }'),
                fine,
            ),
            row(
                "nix-lib-in-overlay",
                body("overlays = [o]", 'overlay o { x = nix"""lib.y""" }'),
                fine,
            ),
            row(
                "nix-final-prev",
                body("overlays = [o]", 'overlay o { x = nix"""final.y prev.z""" }'),
                emits("(final.y prev.z);"),
            ),
            row("nix-old", attrs('x = nix"""old.y"""'), emits("x = old.y;")),
        ),
        rule(
            "The compiler checks only three things in this text: Brackets, strings and comments are closed (E104). Its words are words of Nix, with `${…}` only where Nix reads it (E104). It uses none of the names above in a place where that name is not defined (E302). Any other mistake in the text shows when Nix runs.",
            row("nix-bracket", attrs('x = nix"""(1"""'), refused("E104")),
            row("nix-bracket-other", attrs('x = nix"""(1]"""'), refused("E104")),
            row("nix-string-open", attrs('x = nix"""\'\'a"""'), refused("E104")),
            row("nix-comment-open", attrs('x = nix"""1 /* a"""'), refused("E104")),
            row("nix-no-word", attrs('x = nix"""1 é"""'), refused("E104")),
            row("nix-path-ends-with-slash", attrs('x = nix"""./a/"""'), refused("E104")),
            row("nix-half-a-quote", attrs('x = nix"""1 \'"""'), refused("E104")),
            row("nix-dollar-in-code", attrs('x = nix"""f ${y}"""'), refused("E104")),
            row("nix-dollar-name", attrs('x = nix"""a.${y}"""'), emits("x = (a.${y});")),
            row("nix-mistake", attrs('x = nix"""1 1 +"""'), emits("x = (1 1 +);")),
            row("nix-unknown-name", attrs('x = nix"""nowhere"""'), emits("x = nowhere;")),
            row("nix-prev-in-attrs", attrs('x = nix"""1 + prev.y"""'), refused("E302", "prev")),
            row("nix-final-in-attrs", attrs('x = nix"""final.y"""'), refused("E302", "final")),
            row("nix-old-in-args", body('args { x = nix"""old.y""" }'), refused("E302", "old")),
            row("nix-old-in-config", body('config { x = nix"""old.y""" }'), refused("E302", "old")),
            row("nix-old-as-package", body('package = nix"""old.y"""'), refused("E302", "old")),
            row(
                "nix-old-in-pin", body("", OF_PIN.format('nix"""old.y"""')), refused("E302", "old")
            ),
            row(
                "nix-old-in-overlay",
                body("overlays = [o]", 'overlay o { x = nix"""old.y""" }'),
                refused("E302", "old"),
            ),
            row(
                "nix-old-in-overlay-of-a-set",
                body("overlays = [o]", 'overlay o in gst_all_1 { x = nix"""old.y""" }'),
                refused("E302", "old"),
            ),
            row(
                "nix-old-in-overlay-of-a-package",
                body("overlays = [o]", 'overlay o for hello { x = nix"""old.y""" }'),
                emits("x = old.y;"),
            ),
            row("nix-old-in-a-string", attrs('x = nix""" "prev.y" """'), fine),
            row(
                "nix-prev-in-an-interpolation",
                attrs('x = nix""" "${prev.y}" """'),
                refused("E302", "prev"),
            ),
            row(
                "nix-prev-in-let-of-recipe",
                body('let l = nix"""prev.y"""'),
                refused("E302", "prev"),
            ),
        ),
        rule(
            "The compiler does not report E302 for text that has a `with` or may bind the name itself. It does not report E302 for the",
            *[
                row(f"nix-own-prev-{number}", attrs(f'x = nix"""{text}"""'), fine)
                for number, text in enumerate(
                    (
                        "with x; prev.y",
                        "final: prev: prev.y",
                        "prev @ { y }: prev.y",
                        "{ y, ... }@prev: prev.y",
                        "{ y, prev ? 1 }: prev.y",
                        "{ prev }: prev.y",
                        "let prev = 1; in prev",
                        "let a = 1; prev.y = 1; in prev.y",
                        "let inherit (x) a prev; in prev.y",
                        "rec { prev = 1; x = prev; }",
                        "{ prev = 1; }",
                        "x.prev + x ? prev",
                        "x: # prev.y\n x /* prev.y */",
                    )
                )
            ],
            row("nix-let-anywhere", attrs("x = l", 'let l = nix"""old.y"""'), emits("x = old.y;")),
        ),
        rule(
            "Nix makes `pkgs` with `config`, so Nix text in `config` may use `pkgs` only inside a function (E302).",
            row(
                "nix-pkgs-in-config",
                body('config { x = nix"""pkgs.y""" }'),
                refused("E302", "pkgs"),
            ),
            row(
                "nix-pkgs-in-config-of-pin",
                body("", OF_PIN.format('nix"""pkgs.y"""')),
                refused("E302", "pkgs"),
            ),
            row("nix-pkgs-of-function", body('config { x = nix"""p: pkgs.y""" }'), fine),
            row("nix-pkgs-of-its-own", body('config { x = nix"""pkgs: pkgs.y""" }'), fine),
        ),
        rule(
            'in code, also within the `${…}` of a string | the value as a Nix literal: `"8.0"`, `[ "a" ]`,',
            row("nix-code-version", attrs('x = nix"""f {{8.0}}"""'), emits('(f "8.0");')),
            row("nix-code-list", attrs('x = nix"""f {{["a"]}}"""'), emits('(f [ "a" ]);')),
            row(
                "nix-code-true", attrs('x = nix"""f {{true}} {{null}}"""'), emits("(f true null);")
            ),
            row(
                "nix-code-record", attrs('x = nix"""f {{ { a = 1 } }}"""'), emits("(f { a = 1; });")
            ),
            row(
                "nix-code-path",
                attrs('x = nix"""f {{path("./a.patch")}}"""'),
                emits("(f ./a.patch);"),
            ),
            row(
                "nix-code-in-string",
                attrs('x = nix"""\'\'a${f {{8.0}}}\'\'"""'),
                emits("''a${f \"8.0\"}''"),
            ),
        ),
        rule(
            "as a name: `pkgs.{{name}}.out`, `{{name}} = 1`, `pkgs ? {{name}}`, `inherit {{name}};` | a",
            row(
                "nix-name-step",
                attrs('x = nix"""pkgs.{{row}}.out"""')
                .replace("axes = n,", "axes = n * row,")
                .replace('"v{{n}}"', '"v{{n}}{{row}}"'),
                emits('(pkgs."one".out);'),
            ),
            row("nix-name-key", attrs('x = nix"""{ {{"a"}} = 1; }"""'), emits('({ "a" = 1; });')),
            row("nix-name-has", attrs('x = nix"""pkgs ? {{"a"}}"""'), emits('(pkgs ? "a");')),
            row(
                "nix-name-inherit",
                attrs('x = nix"""{ inherit {{"a"}}; }"""'),
                emits('({ inherit "a"; });'),
            ),
            row("nix-name-integer", attrs('x = nix"""pkgs.{{n}}"""'), refused("E307", "n")),
            row("nix-name-version", attrs('x = nix"""pkgs.{{8.0}}"""'), emits('(pkgs."8.0");')),
        ),
        rule(
            "its characters, escaped for that string; only a value that has a text, as in any string |",
            row("nix-string", attrs('x = nix""" "a {{"q\\"${"}}" """'), emits(r'("a q\"\${");')),
            row(
                "nix-block-string",
                attrs('x = nix"""\'\'a {{"${\'\'"}}\'\'"""'),
                emits("(''a ${\"\\${''\"}'')"),
            ),
            row(
                "nix-string-no-text", attrs('x = nix""" "a {{true}}" """'), refused("E301", "true")
            ),
        ),
        rule(
            "in a comment | nothing is replaced: the comment stays as it is written |",
            row("nix-comment", attrs('x = nix"""1 /* {{nowhere}} */"""'), emits("{{nowhere}}")),
        ),
        rule(
            "A literal is a word by itself.",
            row("nix-word-number", attrs('x = nix"""a{{n}}"""'), refused("E103")),
            row("nix-word-path", attrs('x = nix"""./a{{n}}"""'), refused("E103")),
            row("nix-word-value", attrs('x = nix"""{{n}}{{n}}"""'), refused("E103")),
            row("nix-word-string", attrs('x = nix""" "a"{{n}}"""'), refused("E103")),
        ),
        rule(
            "Put a blank between it and a name, a path, a string or another value. Without the blank it is an error (E103). Write a part of a name or a path",
            row("nix-blank", attrs('x = nix"""a {{n}} {{n}}"""'), emits("(a 1 1);")),
            row(
                "nix-part-of-name",
                attrs('x = nix"""pkgs."cuda_{{under(8.0)}}" """'),
                emits('(pkgs."cuda_8_0")'),
            ),
            row(
                "nix-part-of-path",
                attrs('x = nix"""./. + "/{{8.0}}.patch" """'),
                emits('(./. + "/8.0.patch")'),
            ),
        ),
        rule(
            "Operators are not part of the word: `x:{{n}}` is `x: 12`.",
            row("nix-operator", attrs('x = nix"""x:{{n}}"""'), emits("(x: 1);")),
            row("nix-operator-plus", attrs('x = nix"""1+{{n}}"""'), fine),
        ),
        rule(
            "The parameter of a function is never a value (E103). A value directly before a `.` is",
            row("nix-argument", attrs('x = nix"""{{"a"}}: 1"""'), refused("E103")),
            row("nix-before-dot", attrs('x = nix"""{{ { a = 1 } }}.a"""'), refused("E103")),
            row(
                "nix-in-parentheses",
                attrs('x = nix"""({{ { a = 1 } }}).a"""'),
                emits("x = (({ a = 1; }).a);"),
            ),
        ),
        rule(
            "The compiler must know the value (E302).",
            row(
                "nix-known-only",
                attrs('x = nix"""f {{pkgs.zlib}}"""'),
                refused("E302", "pkgs.zlib"),
            ),
        ),
        rule(
            "Write in Nix what only Nix knows: `pkgs.zlib` and not `{{pkgs.zlib}}`.",
            row("nix-written-in-nix", attrs('x = nix"""f pkgs.zlib"""'), emits("(f pkgs.zlib);")),
        ),
        rule(
            "A declaration has no form in Nix code (E307). In a string its form is its name.",
            row("nix-declaration", attrs('x = nix"""f {{recipe}}"""'), refused("E307", "recipe")),
            row(
                "nix-declaration-in-string",
                attrs('x = nix""" "{{recipe}}" """'),
                emits('x = "child";'),
            ),
        ),
        rule(
            "`\\{{` writes the characters `{{` here, too.",
            row("nix-braces", attrs(r'x = nix""" "a\{{b" """'), emits('x = "a{{b";')),
        ),
        rule(
            "In Nix these two are next to each other only after a `$`. There a blank can separate them:",
            row(
                "nix-blank-between-braces",
                attrs('x = nix""" "${ { a = "b"; }.a }" """'),
                emits('"${ { a = "b"; }.a }"'),
            ),
        ),
        rule(
            "In a string, `$` before a value is a plain `$`. In `${{{gpu}}}`, `${…}` holds Nix",
            row("nix-dollar", attrs('x = nix""" "a${{"{b}"}}" """'), emits(r'("a\${b}")')),
            row("nix-dollar-code", attrs('x = nix""" "a${{{"b"}}}" """'), emits('("a${"b"}")')),
        ),
        rule(
            '`"""` ends the text, also within `{{ }}`. A longer fence may hold `"""`.',
            row("nix-fence", attrs('x = nix"""f {{"""a"""}}"""'), refused("E101", "a")),
            row("nix-longer-fence", attrs('x = nix""""f {{"""a"""}}""""'), emits('(f "a");')),
        ),
        rule(
            "Indentation is stripped as in any text between `\"\"\"`. A value in a `''…''` string does",
            row("nix-stripped", attrs('x = nix"""\n      f\n        1\n    """'), fine),
            row(
                "nix-value-strips-nothing",
                attrs('x = nix"""\n  \'\'\n    {{" a"}}\n    b\n  \'\'\n"""'),
                fine,
            ),
        ),
    ),
)
