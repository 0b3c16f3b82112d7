"""Limits: each at both sides."""

from __future__ import annotations

from support.rules import (
    OF_N,
    body,
    fine,
    held,
    makes,
    refused,
    row,
    rule,
    table,
    told,
    top,
)

A200 = "a" * 200
TEXTS = 'let t0 = "0123456789abcdef"\n' + "".join(
    f'let t{n + 1} = "{{{{t{n}}}}}{{{{t{n}}}}}"\n' for n in range(16)
)  # the last has 1,048,576 characters
WORDS = 'let w0 = "ab"\n' + "".join(
    f'let w{n + 1} = "{{{{w{n}}}}}{{{{w{n}}}}}"\n' for n in range(16)
)
TENS = "".join(f"axis a{n} = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]\n" for n in range(5))
ALL_BUT_ONE = "".join(f"exclude a{n} > 0\n" for n in range(5))
ONE_RECIPE = "recipe child { package = pkgs.hello }\n"
STEPS = ".".join(f"a{n}" for n in range(49))


def lone(items: str, more: str = "") -> str:
    """A recipe of one variant with these attributes."""
    return top(
        f"{more}recipe child {{ package = pkgs.hello\nattrs {{ {items} }} }}\nvariant v {{ recipe = child }}"
    )


def nested(depth: int) -> str:
    """Lists within lists: so many, and the item that they stand in."""
    return top(f"let x = {'[' * (depth - 1)}{']' * (depth - 1)}")


def listed(count: int) -> str:
    """A list of so many texts: one more than there are words."""
    words = "".join(f"{{{{w{n}}}}}" for n in range(17) if count - 1 & 1 << n)
    return f'split("{words}", "b")'


def keyed(path: str) -> str:
    """A record with a value at *path* that has 16 characters less than a record may have."""
    texts = ["t16"] * 7 + [f"t{n}" for n in range(16)]
    return f"{{ {path} = [{', '.join(texts)}] }}"


def put_in(count: int) -> str:
    """A recipe into which so many others are put."""
    needs = "".join(f"needs n{n} = leaf\n" for n in range(count))
    read = ", ".join(f"needs.n{n}" for n in range(count))
    return top(
        "recipe leaf { package = pkgs.zlib }\n"
        f"recipe deepest {{ package = pkgs.hello\n{needs}attrs {{ x = [{read}] }} }}\n"
        "variant v { recipe = deepest }"
    )


TABLES = (
    table(
        "Limits",
        *told(
            "Use this page when the compiler refuses a program because something in it is too large.",
            "**What counts as an evaluation.",
            "**Steps.",
            "**How the limits work.",
        ),
        rule(
            "size of one `.tvar` file | 4 MiB (E108) |",
            row("file-size", top('use "./lib.tvar"'), fine, files={"lib.tvar": b"#" * (4 << 20)}),
            row(
                "file-size-over",
                top('use "./lib.tvar"'),
                refused("E108"),
                files={"lib.tvar": b"#" * ((4 << 20) + 1)},
            ),
        ),
        rule(
            "nesting of items, brackets and expressions | 200 levels (E109) |",
            row("nesting", nested(200), fine),
            row("nesting-over", nested(201), refused("E109")),
            row("nesting-of-parentheses", top(f"let x = {'(' * 199}1{')' * 199}"), fine),
            row(
                "nesting-of-parentheses-over",
                top(f"let x = {'(' * 200}1{')' * 200}"),
                refused("E109"),
            ),
            row("nesting-of-expressions", top(f"let x = {'not ' * 199}true"), fine),
            row("nesting-of-expressions-over", top(f"let x = {'not ' * 200}true"), refused("E109")),
        ),
        rule(
            "cells of one matrix, before exclusions | 100,000, or the matrix's `limit` (E404) |",
            row(
                "cells",
                top(
                    f'{TENS}{ONE_RECIPE}matrix m {{ recipe = child, axes = a0 * a1 * a2 * a3 * a4, name = "v{{{{a0}}}}" }}\n{ALL_BUT_ONE}'
                ),
                makes("v0"),
            ),
            row(
                "cells-over",
                top(
                    f'{TENS}axis b = [0, 1]\n{ONE_RECIPE}matrix m {{ recipe = child, axes = a0 * a1 * a2 * a3 * a4 * b, name = "v{{{{a0}}}}" }}\n{ALL_BUT_ONE}exclude b > 0\n'
                ),
                refused("E404"),
            ),
            row(
                "cells-of-limit",
                body("", "", OF_N.replace(" }", ", limit = 2 }", 1)),
                makes("v1", "v2"),
            ),
            row(
                "cells-over-limit",
                body("", "", OF_N.replace(" }", ", limit = 1 }", 1)),
                refused("E404"),
            ),
            row(
                "cells-before-exclusions",
                body("", "", OF_N.replace(" }", ", limit = 1, exclude n == 1 }", 1)),
                refused("E404"),
            ),
        ),
        rule(
            "cells of all matrices of a program, before exclusions | 262,144 (E413) |",
            row(
                "cells-together",
                top(
                    f'axis c = [{", ".join(map(str, range(27)))}]\n{TENS}{ONE_RECIPE}matrix m {{ recipe = child, axes = a0 * a1 * a2 * a3 * c, name = "v{{{{a0}}}}", limit = 270000 }}\n{ALL_BUT_ONE}exclude c > 0\n'
                ),
                refused("E413"),
            ),
        ),
        rule(
            "a variant's name | 200 bytes (E403) |",
            row("name-200", top(f'variant v {{ recipe = child, name = "{A200}" }}'), makes(A200)),
            row(
                "name-201",
                top(f'variant v {{ recipe = child, name = "{A200}a" }}'),
                refused("E403", f'"{A200}a"'),
            ),
            row(
                "name-200-of-axis",
                body("", "", OF_N.replace("v{{n}}", "a" * 199 + "{{n}}")),
                makes("a" * 199 + "1", "a" * 199 + "2"),
            ),
            row(
                "name-201-of-axis",
                body("", "", OF_N.replace("v{{n}}", "a" * 200 + "{{n}}")),
                refused("E403", f'"{A200}{{{{n}}}}"'),
            ),
            row(
                "name-201-of-one-cell",
                body(
                    "", "", OF_N.replace("v{{n}}", "a" * 198 + '{{if n == 1 then "xx" else "xyz"}}')
                ),
                refused("E403", f'"{"a" * 198}{{{{if n == 1 then "xx" else "xyz"}}}}"'),
            ),
            row(
                "name-200-of-two-parts",
                body(
                    "",
                    "axis k = [1, 2]",
                    OF_N.replace("axes = n", "axes = n * k").replace(
                        "v{{n}}", "a" * 198 + "{{n}}{{k}}"
                    ),
                ),
                fine,
            ),
            row(
                "name-201-of-two-parts",
                body(
                    "",
                    "axis k = [1, 2]",
                    OF_N.replace("axes = n", "axes = n * k").replace(
                        "v{{n}}", "a" * 199 + "{{n}}{{k}}"
                    ),
                ),
                refused("E403", f'"{"a" * 199}{{{{n}}}}{{{{k}}}}"'),
            ),
        ),
        rule(
            "a text | 1,048,576 characters (E308) |",
            row("text", lone("x = t16", TEXTS), fine),
            row("text-over", lone('x = "{{t16}}a"', TEXTS), refused("E308")),
            row(
                "text-over-by-function", lone('x = replace(t16, "0", "00")', TEXTS), refused("E308")
            ),
            row("text-by-function", lone('x = replace(t16, "0", "1")', TEXTS), fine),
            row("text-by-join", lone('x = join([t15, t15], "")', TEXTS), fine),
            row("text-over-by-join", lone('x = join([t15, t15], "-")', TEXTS), refused("E308")),
        ),
        rule(
            "a list or record, all levels together, including itself | 100,000 elements, 8,388,608 characters (E308) |",
            row("list", lone(f'x = "b" in {listed(99_999)}', WORDS), fine),
            row("list-over", lone(f'x = "b" in {listed(100_000)}', WORDS), refused("E308")),
            row("list-of-two-levels", lone(f'x = ["b"] in [{listed(99_998)}]', WORDS), fine),
            row(
                "list-over-two-levels",
                lone(f'x = ["b"] in [{listed(99_999)}]', WORDS),
                refused("E308"),
            ),
            row(
                "list-characters",
                lone('x = "b" in [t16, t16, t16, t16, t16, t16, t16, t16]', TEXTS),
                fine,
            ),
            row(
                "list-characters-over",
                lone('x = "b" in [t16, t16, t16, t16, t16, t16, t16, t16, "a"]', TEXTS),
                refused("E308"),
            ),
            row("record-keys", lone(f'x = "b" in {keyed("k" * 16)}', TEXTS), fine),
            row("record-keys-over", lone(f'x = "b" in {keyed("k" * 17)}', TEXTS), refused("E308")),
            row(
                "record-keys-over-of-member",
                lone(f'x = "b" in ({keyed("k" * 17)}).{"k" * 17}', TEXTS),
                refused("E308"),
            ),
            row(
                "record-keys-of-member",
                lone(f'x = "b" in ({keyed("k" * 16)}).{"k" * 16}', TEXTS),
                fine,
            ),
            row(
                "record-inner-keys-over",
                lone(f'x = "b" in {keyed("k.k" + "k" * 15)}', TEXTS),
                refused("E308"),
            ),
        ),
        rule(
            "a script | 8,388,608 characters (E308) |",
            row(
                "script",
                top(
                    TEXTS
                    + "recipe child { package = pkgs.hello\nscript s { "
                    + ", ".join(f'part p{n} "{{{{t16}}}}"' for n in range(8))
                    + " } }"
                ),
                fine,
            ),
            row(
                "script-over",
                top(
                    TEXTS
                    + "recipe child { package = pkgs.hello\nscript s { "
                    + ", ".join(f'part p{n} "{{{{t16}}}}"' for n in range(8))
                    + ', part q "a" } }'
                ),
                refused("E308"),
            ),
        ),
        rule(
            "all texts that one evaluation makes | 33,554,432 characters (E308) |",
            row("made", lone("x = " + " or ".join(['upper(t16) == "a"'] * 32), TEXTS), fine),
            row(
                "made-over",
                lone(
                    "x = " + " or ".join(['upper(t16) == "a"'] * 32 + ['upper("b") == "a"']), TEXTS
                ),
                refused("E308"),
            ),
        ),
        *held(
            "unit/test_budget.py",
            "steps of one evaluation | 262,144 (E308) |",
            "everything that one recipe sets | 65,536 elements, 33,554,432 characters (E308) |",
            "all evaluations of one compilation; the first 64 steps and 1,024 characters of each are free",
            "all decided values of settings; the first 64 elements and 1,024 characters of each are free",
            "all recipes; the first 4,096 elements and 65,536 characters of each are free | 1,048,576 elements,",
        ),
        rule(
            "recipes that needs put into one recipe; each counts as often as it is there | 512 (E308) |",
            row("recipes-put-in", put_in(512), fine),
            row("recipes-put-in-over", put_in(513), refused("E308", "deepest")),
        ),
        rule(
            "steps of a setting's path | 50 (E109) |",
            row("path-steps", lone(f"{STEPS} = 1"), fine),
            row("path-steps-over", lone(f"{STEPS}.b = 1"), refused("E109")),
        ),
        rule(
            "an integer | 18 digits (E104) |",
            row("integer", lone(f"x = {'9' * 18}"), fine),
            row("integer-over", lone(f"x = {'9' * 19}"), refused("E104", "9" * 19)),
        ),
        rule(
            '18 digits (E104); with `version("…")` 18 characters (E305) |',
            row("version-part", lone(f"x = 1.{'9' * 18}"), fine),
            row("version-part-over", lone(f"x = 1.{'9' * 19}"), refused("E104", "1." + "9" * 19)),
            row("version-text", lone(f'x = version("1.{"9" * 15}rc1")'), fine),
            row("version-text-over", lone(f'x = version("1.{"9" * 16}rc1")'), refused("E305")),
        ),
        *held("lock/test_file.py", "faults of `tvar.lock` in one report | 100 |"),
        *held(
            "cli/test_hostile.py",
            "errors in one report | 100, and the number of the others |",
        ),
        *held(
            "unit/test_questions_end.py",
            "all recipes of an output | 1,073,741,824 bytes, in one file 134,217,728; or the output's `limit` (E812) |",
            "evaluations of one compilation, for all cells together | 262,144 (E308) |",
            "An expression that reads few axes is evaluated once for each combination of their values. The same holds for each part that `and`, `or` and `not` join in an exclusion. So a hundred thousand recipes need",
            "If all settings of a recipe must be decided separately for each variant, each such recipe counts",
        ),
        *held(
            "unit/test_budget.py",
            "These are evaluations: one value of a setting, a condition, a part of a name, a fact, and a `let` that reads no setting. A `let` that reads settings is a part of the evaluation that reads it. A `let` that a name or an exclusion",
            "A step is a part of an expression, or a pass over eight elements. If a list does not hold only strings",
            "A value over a limit is refused before memory is taken for it.",
            "All parts that `+=` adds to one setting count together.",
            "The total of all cells is counted for names and exclusions, and again for the settings of recipes. It is refused once, at the cell with which it becomes too large. The other cells are not checked.",
        ),
    ),
)
