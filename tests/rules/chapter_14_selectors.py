"""Selectors and the command line."""

from __future__ import annotations

from support.rules import (
    Row,
    attrs,
    body,
    each,
    first,
    held,
    refused,
    row,
    rule,
    selects,
    table,
    told,
    top,
)

PROGRAM = top("""
axis gpu { sm9 { cap = 9.0 }, sm10 { cap = 10.0 }, sm103 { cap = 10.3 } }
axis isa { avx { bits = 1 }, avx-x { bits = 2 } }
axis lto = [true, false]
let newest = gpu.cap >= 10.3
recipe child { package = pkgs.hello }
matrix m { recipe = child, axes = gpu * isa, name = "{{gpu}}-{{isa}}" }
matrix q { recipe = child, axes = gpu[sm9] * lto, name = "{{gpu}}-{{if lto then "lto" else "plain"}}" }
variant lone { recipe = child }
""")


def chooses(name: str, words: str, *names: str) -> Row:
    return row(name, PROGRAM, selects(words, *names))


TABLES = (
    table(
        "Selectors and the command line",
        *told(
            "With a selector you choose variants for a command. This page also describes how",
            "**Dropped cells.",
            "**Groups.",
            "**Forms.",
            "**Columns.",
            "**Other commands.",
            "**Settings on the command line.",
        ),
        *told("A selector is one of these forms. The command tries them in this order:"),
        rule(
            "the whole name of a variant, whatever it contains;",
            chooses("whole-name", "sm9-avx", "sm9-avx"),
            chooses("whole-name-of-variant", "lone", "lone"),
            chooses("whole-name-before-run", "sm10-avx", "sm10-avx"),
        ),
        rule(
            "all axes must agree; with two values of one axis, either value is enough;",
            chooses("pairs", "gpu=sm9 isa=avx-x", "sm9-avx-x"),
            chooses("pair", "isa=avx-x", "sm9-avx-x", "sm10-avx-x", "sm103-avx-x"),
            chooses("pairs-either", "gpu=sm9 gpu=sm10 isa=avx", "sm9-avx", "sm10-avx"),
            chooses("pairs-agree", "gpu=sm10 lto=true"),
            chooses("pair-of-boolean", "lto=true", "sm9-lto"),
        ),
        rule(
            "whole values, never parts of one, so `sm10` is not `sm103`, and `1.1` is not `1.13`;",
            chooses("run", "sm10", "sm10-avx", "sm10-avx-x"),
            chooses("run-longer", "sm103", "sm103-avx", "sm103-avx-x"),
            chooses("run-in-the-middle", "avx-x", "sm9-avx-x", "sm10-avx-x", "sm103-avx-x"),
            chooses("run-part", "sm1"),
            chooses("run-part-of-end", "m10"),
            chooses("run-half-of-value", "x"),
        ),
        rule("the name of a boolean `let`;", chooses("let", "newest", "sm103-avx", "sm103-avx-x")),
        rule(
            "the name of a matrix: all its variants;",
            chooses("matrix", "q", "sm9-lto", "sm9-plain"),
            chooses("matrix-is-no-part-of-an-expression", "q and lto"),
        ),
        rule(
            "an expression over axes: `'gpu.capability >= 9.0'`, or `lto` or `'not lto'` for an axis of `true` and `false`.",
            chooses("expression", "gpu.cap >= 10.3", "sm103-avx", "sm103-avx-x"),
            chooses("expression-boundary", "gpu.cap > 10.3"),
            chooses("expression-boolean-axis", "lto", "sm9-lto"),
            chooses("expression-not", "not lto", "sm9-plain"),
            chooses("expression-without-axis", "isa == avx and gpu == sm9", "sm9-avx"),
        ),
        *held(
            "cli/test_any_names.py",
            "Quote a word that has a special meaning for the shell, `tvarc list '$x'`. Completion does this for you.",
            "Write a name that begins with `-` after `--`: `tvarc list -- -x`.",
            "A word that ends in `.tvar` or `/` is a program. For `explain`, a word like `W103` is a code. To choose a variant with such a",
            'A value with a blank, or with one of `,=<>!"`, cannot be part of a pair. Use an expression for it, `\'isa == "a b"\'`.',
        ),
        *held(
            "cli/test_excluded.py",
            "`tvarc list --excluded` lists the dropped cells instead, matrix by matrix. The heading of a matrix names each exclusion that drops a cell, its place, and the number of cells that it drops. Each cell has a line with the name",
            "Selectors then choose among the dropped cells.",
            "`--json` prints the same as one list.",
        ),
        *held(
            "cli/test_groups.py",
            "`tvarc list --by release,toolkit` lists the variants in groups by the values of these axes. `--count` prints how many variants",
            "An axis that no matrix has is an error (E901).",
        ),
        *held(
            "cli/test_columns.py",
            "`tvarc list --format FORM` prints the variants as a `table` of lines, as `markdown` for a README, as `csv` or as `json`. `--markdown` and `--json` are short",
            "The default is a table. On a terminal it is a grid if two axes of one matrix have several values and the selectors fix all others. The grid has the values of one axis as rows and those of the other as columns. `+` is a cell that is built, `-`",
            "`--columns` names the columns, separated by commas, for each of the forms. [schema/list.json](schema/list.json)",
            "`gpu`, an axis | the value; if an axis has the name of a word below, that word means the axis |",
            "`gpu.label` | a fact of its row |",
            "`meta.description`, `env.MAX_JOBS`, `script.preConfigure`, `flags.fast`, `package`, `pin`,",
            "`name`, `matrix`, `recipe` | the names of these |",
            "`axes` | all axes with their values |",
            "`platform` | the systems that the program [states](#all-variants-in-one-file) for it |",
            "`needs`, `needs.torch` | the variants that it [needs](#what-a-recipe-needs), or the variant",
            "`files`, `files.flox` | its files, or the file of one output |",
            "A column that no variant of the program can have is an error (E914).",
            "If a variant has no value, its cell is empty. In a table the cell is `-`, and",
            "A list is its elements with blanks between them.",
            'A value that only Nix knows is printed as it is written. An addition to the package\'s own value is printed after `+=`. In JSON these are `{"nix": …}` and `{"added": …}`.',
            "CSV has the names of the columns in its first line.",
            "A text that a spreadsheet would read as a formula gets a `'` at its start. This is a text that begins with",
            "JSON has the text unchanged.",
            "You cannot combine `--columns`, or a form other than `json`, with `--excluded`, `--by` or `--count`.",
        ),
        *held(
            "cli/test_listing_table.py",
            "In Markdown, a row of a facts table has its `label` after its name, if it has one.",
        ),
        *held(
            "cli/test_explain.py",
            "`tvarc explain` shows why a setting, an element or a line of a script has its value. `tvarc who FILE:LINE` shows what a line of source reaches. Both are in [explain.md](explain.md).",
        ),
        *held(
            "audit/test_command.py",
            "`tvarc audit` compares a folder of recipes with the matrix, also if they were written by hand:",
        ),
        *held(
            "lock/test_command.py",
            "`tvarc lock` finds out hashes, and `tvarc bump` changes a version at the place where it is",
        ),
        *held(
            "cli/test_inputs.py",
            "For `build` and `check`, `--input NAME=PATH` names a checkout in which tvarc looks for the",
        ),
        *held(
            "nix/test_evaluation.py",
            "With `check --eval`, Nix takes this checkout for the input.",
        ),
        *held(
            "cli/test_whynot.py",
            "`tvarc why-not` also takes values that do not exist: see [diff.md](diff.md#why-not), which",
        ),
        rule(
            "`--set PATH=VALUE` sets a setting of every variant (`attrs.jobs=8`, `overlays=[]`). `--flag F=VALUE` sets a flag.",
            row("set", attrs("x = 1"), each("attrs.x", "8", "8"), sets="attrs.x=8"),
            row("set-new", attrs("x = 1"), each("attrs.y", "8", "8"), sets="attrs.y=8"),
            row(
                "set-overlays",
                body("overlays = [o]", "overlay o { x = 1 }"),
                each("overlays", "none", "none"),
                sets="overlays=[]",
            ),
            row(
                "set-key",
                attrs("x = { a = 1, b = 2 }"),
                first("attrs.x", "{ a = 8, b = 2 }"),
                sets="attrs.x.a=8",
            ),
            row(
                "flag", body("flag f: int = 1\nattrs { x = f }"), first("attrs.x", "8"), flag="f=8"
            ),
            *[
                row(
                    f"set-{block}-in-attrs",
                    attrs("x = 1"),
                    refused("E505", f"attrs.{block}.y=8"),
                    sets=f"attrs.{block}.y=8",
                )
                for block in ("env", "passthru", "meta")
            ],
            row(
                "set-meta-in-passthru",
                attrs("x = 1"),
                first("passthru.meta", "8"),
                sets="passthru.meta=8",
            ),
            row("set-no-path", attrs("x = 1"), refused("E505"), sets="nothing.x=8"),
        ),
        rule(
            "The value is an expression of the language, so put a string in quotes (`--set 'attrs.x=\"text\"'`).",
            row("set-string", attrs("x = 1"), first("attrs.x", '"text"'), sets='attrs.x="text"'),
            row("set-axis", attrs("x = 0"), each("attrs.x", "1", "2"), sets="attrs.x=n"),
            row("set-unquoted", attrs("x = 1"), refused("E201"), sets="attrs.x=text"),
        ),
        rule(
            "It is stronger than `force`, and shadows `+=` as well.",
            row("set-over-force", attrs("force x = 1"), first("attrs.x", "8"), sets="attrs.x=8"),
            row(
                "set-over-added",
                attrs("x = [1], x += [2], x -= [1]"),
                first("attrs.x", "[8]"),
                sets="attrs.x=[8]",
            ),
            row(
                "set-over-added-to-own",
                attrs("x += [2]"),
                first("attrs.x", "[8]"),
                sets="attrs.x=[8]",
            ),
        ),
    ),
)
