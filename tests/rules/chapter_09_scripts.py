"""Scripts, and texts in parts."""

from __future__ import annotations

from support.rules import (
    Row,
    body,
    chain,
    each,
    emits,
    fine,
    first,
    held,
    refused,
    row,
    rule,
    table,
    told,
)


def script(name: str, parent: str, child: str, shown: str, other: str = "") -> Row:
    """The parts of script `s` of what a recipe and one that extends it write; *other* where `n == 1` does
    not hold."""
    text = chain(f"script s {{ {parent} }}", f"script s {{ {child} }}" if child else "")
    return row(name, text, each("script.s", shown, other or shown))


def bad(name: str, parent: str, child: str, code: str, *at: str) -> Row:
    return row(
        name, chain(f"script s {{ {parent} }}", f"script s {{ {child} }}"), refused(code, *at)
    )


def text(name: str, parent: str, child: str, shown: str, other: str = "") -> Row:
    """`meta.x` of what a recipe and one that extends it write within `meta`."""
    made = chain(f"meta {{ {parent} }}", f"meta {{ {child} }}")
    return row(name, made, each("meta.x", shown, other or shown))


def bad_text(name: str, parent: str, child: str, code: str, *at: str) -> Row:
    return row(name, chain(f"meta {{ {parent} }}", f"meta {{ {child} }}"), refused(code, *at))


AB = 'part a "A", part b "B"'
OLD_AB = 'old, a "A", b "B"'

TABLES = (
    table(
        "Scripts",
        *told(
            "Write a script in parts, so that other recipes can replace, remove or add a part by its name."
        ),
        rule(
            "A script is a sequence of parts. Most parts have a name.",
            script("sequence", AB, "", OLD_AB),
            bad("no-setting", "x = 1", "", "E209"),
        ),
        rule(
            "The first part is the package's own script, with the name `old`.",
            script("old-first", 'part a "A"', "", 'old, a "A"'),
            row(
                "old-emitted",
                body('script s { part a "A" }'),
                emits('(pinned.lib.toList (old.s or ""))) + "A";'),
            ),
        ),
        rule(
            "Parts are joined as they are: nothing is put between them.",
            row(
                "joined",
                body('script s { part old = none, part a "A", part b "B" }'),
                emits('s = "AB";'),
            ),
        ),
        rule(
            "a part at the end; if `x` exists already, it keeps its place |",
            script("at-end", 'part a "A"', 'part b "B"', OLD_AB),
            script("in-its-place", AB, 'part a "C"', 'old, a "C", b "B"'),
            script(
                "in-its-place-conditionally",
                AB,
                'when n == 1 { part a "C" }',
                'old, a "C", b "B"',
                OLD_AB,
            ),
        ),
        rule(
            '`part x before y """…"""` | before part `y` |',
            script("before", AB, 'part c before b "C"', 'old, a "A", c "C", b "B"'),
            script("before-first", AB, 'part c before a "C"', 'old, c "C", a "A", b "B"'),
            script(
                "before-twice",
                AB,
                'part c before b "C", part d before b "D"',
                'old, a "A", c "C", d "D", b "B"',
            ),
            script(
                "before-one-that-comes-later",
                'part c before b "C"\npart b "B"',
                "",
                'old, c "C", b "B"',
            ),
        ),
        rule(
            "after part `y`, and after parts that were put there earlier |",
            script("after", AB, 'part c after a "C"', 'old, a "A", c "C", b "B"'),
            script(
                "after-twice",
                AB,
                'part c after a "C", part d after a "D"',
                'old, a "A", c "C", d "D", b "B"',
            ),
            script("after-last", AB, 'part c after b "C"', 'old, a "A", b "B", c "C"'),
            script("after-old", AB, 'part c after old "C"', 'old, c "C", a "A", b "B"'),
        ),
        rule(
            "`part x = none` | removes part `x` |",
            script("removed", AB, "part a = none", 'old, b "B"'),
            script(
                "removed-conditionally", AB, "when n == 1 { part a = none }", 'old, b "B"', OLD_AB
            ),
            script("removed-then-there", AB, "part a = none", 'old, b "B"'),
        ),
        rule(
            'an unnamed part at the end; also `script NAME += """…"""` |',
            script("unnamed", AB, '+= "C"', OLD_AB + ', "C"'),
            row(
                "unnamed-short",
                chain(f"script s {{ {AB} }}", 'script s += "C"'),
                first("script.s", OLD_AB + ', "C"'),
            ),
            script("unnamed-twice", '+= "A"', '+= "A"', 'old, "A", "A"'),
        ),
        rule(
            "drops the package's own script |",
            script("old-dropped", AB, "part old = none", 'a "A", b "B"'),
            script(
                "old-dropped-conditionally",
                AB,
                "when n == 1 { part old = none }",
                'a "A", b "B"',
                OLD_AB,
            ),
            script("old-replaced", AB, 'part old "O"', 'old "O", a "A", b "B"'),
        ),
        rule(
            "before the package's own script |",
            script("before-old", AB, 'part c before old "C"', 'c "C", ' + OLD_AB),
        ),
        rule(
            "The order of the parts is the same for all variants. A condition decides whether a part",
            script(
                "order-of-conditional",
                'part a "A", when n == 1 { part b "B" }, part c "C"',
                "",
                'old, a "A", b "B", c "C"',
                'old, a "A", c "C"',
            ),
            script(
                "order-by-absent-anchor",
                'part a "A", when n == 1 { part b "B" }, part c "C"',
                'part d before b "D"',
                'old, a "A", d "D", b "B", c "C"',
                'old, a "A", d "D", c "C"',
            ),
            script(
                "order-of-conditional-place",
                AB,
                'when n == 1 { part b before a "C" }',
                'old, b "C", a "A"',
                'old, b "B", a "A"',
            ),
        ),
        rule(
            "For one part, the ranks of [section 8](#8-how-a-value-is-decided) decide, with `default part`",
            script("rank-force", 'force part a "A"', 'part a "B"', 'old, a "A"'),
            script("rank-default", 'part a "A"', 'default part a "B"', 'old, a "A"'),
            script(
                "rank-when",
                'part a "A", when n == 1 { part a "B" }',
                "",
                'old, a "B"',
                'old, a "A"',
            ),
            bad("rank-equal", 'part a "A", part a "B"', "", "E501", 'part a "B"'),
            script("rank-equal-same", 'part a "A", part a "A"', "", 'old, a "A"'),
            script("rank-none-under-force", 'force part a "A"', "part a = none", 'old, a "A"'),
        ),
        rule(
            "If the condition of a part is false, the part that it shadows is used.",
            script(
                "falls-back", 'part a "A"', 'when n == 1 { part a "B" }', 'old, a "B"', 'old, a "A"'
            ),
            script(
                "falls-back-to-nothing",
                'part b "B"',
                'when n == 1 { part a "A" }',
                'old, b "B", a "A"',
                'old, b "B"',
            ),
        ),
        *held(
            "test_language_examples.py::test_parts_stand_in_the_order_that_the_text_names",
            "Here the order is `early`, `old`, `flags` (the child's), `log`.",
        ),
        rule(
            "A part that does not exist is an error after `before` or `after` (E503), and with `= none` (E502).",
            bad("no-anchor", 'part b after a "B"', "", "E503"),
            bad("no-anchor-before", 'part b before a "B"', "", "E503"),
            bad("nothing-to-remove", "part a = none", "", "E502", "part a = none"),
            bad("nothing-to-remove-twice", AB, "part c = none", "E502", "part c = none"),
        ),
        rule(
            "One name cannot be both an attribute in `attrs` and a script (E501).",
            row(
                "script-and-attribute",
                body('attrs { s = "A" }\nscript s { part a "A" }'),
                refused("E501"),
            ),
            row(
                "script-and-other-attribute",
                body('attrs { t = "A" }\nscript s { part a "A" }'),
                fine,
            ),
        ),
    ),
    table(
        "Texts in parts",
        rule(
            "Any setting of a block whose value is a text can be written in parts. The same items and rules apply:",
            text("text-order", f"x {{ {AB} }}", "", '"AB"'),
            text("text-before", f"x {{ {AB} }}", 'x { part c before b "C" }', '"ACB"'),
            text(
                "text-after",
                f"x {{ {AB} }}",
                'x { part c after a "C", part d after a "D" }',
                '"ACDB"',
            ),
            text("text-none", f"x {{ {AB} }}", "x { part a = none }", '"B"'),
            text("text-in-place", f"x {{ {AB} }}", 'x { part a "C" }', '"CB"'),
            text("text-added", f"x {{ {AB} }}", 'x { += "C" }', '"ABC"'),
            text("text-when", f'x {{ {AB}, when n == 1 {{ part c "C" }} }}', "", '"ABC"', '"AB"'),
            text("text-force", 'x { force part a "A" }', 'x { part a "B" }', '"A"'),
            text("text-default", 'x { part a "A" }', 'x { default part a "B" }', '"A"'),
            bad_text("text-equal", 'x { part a "A", part a "B" }', "", "E501"),
            bad_text("text-no-anchor", 'x { part b after a "B" }', "", "E503"),
            bad_text("text-nothing-to-remove", f"x {{ {AB} }}", "x { part c = none }", "E502"),
            bad_text("text-no-text", "x { part a [1] }", "", "E101"),
        ),
        rule(
            "A text has no part `old`: it starts empty.",
            bad_text("text-old", f"x {{ {AB} }}", "x { part old = none }", "E502"),
            bad_text("text-before-old", f"x {{ {AB} }}", 'x { part c before old "C" }', "E503"),
        ),
        rule(
            "Write the package's own text where you want it: `{{old.notes}}`, or `{{old.meta.longDescription}}` in `meta`.",
            row(
                "text-own",
                body('attrs { x { part a "{{old.x}}" } }'),
                emits('(pinned.lib.toList (old.x or "")))}";'),
            ),
            row(
                "text-own-meta",
                body('meta { x { part a "{{old.meta.x}}" } }'),
                emits('x = "${toString (old.meta.x or "")}";'),
            ),
        ),
        rule(
            "You may call a part `old`, like any other name.",
            text("text-called-old", 'x { part old "O" }', "", '"O"'),
        ),
        rule(
            "If no part is used, the setting is not emitted, and the package's own value stays.",
            text("text-no-part", 'x { when n == 1 { part a "A" } }', "", '"A"', "absent"),
        ),
        rule(
            'A whole value, `longDescription = "…"`, shadows the parts of its ancestors. With `force` it also shadows the parts of its own layer and of deeper layers. `longDescription = none` unsets these parts.',
            text("whole-shadows", f"x {{ {AB} }}", 'x = "W"', '"W"'),
            text(
                "whole-shadows-conditionally",
                f"x {{ {AB} }}",
                'when n == 1 { x = "W" }',
                '"W"',
                '"AB"',
            ),
            text("whole-forced", 'force x = "W"', f"x {{ {AB} }}", '"W"'),
            text("whole-forced-in-one", "y = 1", f'force x = "W"\nx {{ {AB} }}', '"W"'),
            text("whole-unset", f"x {{ {AB} }}", "x = none", "absent"),
            text("whole-unset-then-parts", 'x { part c "C" }', f"x = none\nx {{ {AB} }}", '"AB"'),
        ),
        rule(
            "A whole value together with any other part is an error (E501), and so is an addition to a whole value. A `default` counts only if no part is used.",
            bad_text("whole-beside", "", f'x = "W"\nx {{ {AB} }}', "E501"),
            bad_text("whole-of-parent", 'x = "W"', f"x {{ {AB} }}", "E501"),
            bad_text("whole-added", f"x {{ {AB} }}", "x += [1]", "E501"),
            bad_text("whole-key", f"x {{ {AB} }}", "x.k = 1", "E501"),
            text(
                "whole-default", 'default x = "D"', 'when n == 1 { x { part a "A" } }', '"A"', '"D"'
            ),
            text("whole-default-of-child", f"x {{ {AB} }}", 'default x = "D"', '"AB"'),
            bad_text("whole-under-forced-part", 'x { force part a "A" }', 'x = "W"', "E501"),
        ),
        rule(
            "may be in `args`, `attrs`, `config`, `env`, `passthru` and `meta`. In an overlay `for` a package,",
            *[
                row(
                    f"text-in-{block}",
                    body(f"{block} {{ x {{ {AB} }} }}"),
                    first(f"{block}.x", '"AB"'),
                )
                for block in ("args", "attrs", "config", "env", "passthru", "meta")
            ],
            row(
                "text-in-overlay-for",
                body("overlays = [o]", f"overlay o for hello {{ x {{ {AB} }} }}"),
                emits('x = "AB";'),
            ),
            row(
                "text-in-overlay",
                body("overlays = [o]", f"overlay o {{ x {{ {AB} }} }}"),
                refused("E210"),
            ),
        ),
        *held(
            "cli/test_explain_why.py",
            "`tvarc explain` shows each part. It accepts `meta.longDescription.old-cpu`,",
        ),
    ),
)
