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
        "14. Selectors and the command line",
        *told("Where a command takes a selector, it is one of these, tried in this order:"),
        rule(
            "the whole name of a variant, whatever is in it;",
            chooses("whole-name", "sm9-avx", "sm9-avx"),
            chooses("whole-name-of-variant", "lone", "lone"),
            chooses("whole-name-before-run", "sm10-avx", "sm10-avx"),
        ),
        rule(
            "all axes have to agree; two values of one axis mean either;",
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
            "an expression over axes:",
            chooses("expression", "gpu.cap >= 10.3", "sm103-avx", "sm103-avx-x"),
            chooses("expression-boundary", "gpu.cap > 10.3"),
            chooses("expression-boolean-axis", "lto", "sm9-lto"),
            chooses("expression-not", "not lto", "sm9-plain"),
            chooses("expression-without-axis", "isa == avx and gpu == sm9", "sm9-avx"),
        ),
        *held(
            "cli/test_any_names.py",
            "A word of a command line that a shell would read as more is quoted for the shell, `tvarc list '$x'`; completion does so.",
            "A name that begins with `-` stands behind `--`: `tvarc list -- -x`.",
            "A word that ends in `.tvar` or `/` is a program, and for `explain` one like `W103` is a code: an expression names a variant that is called so.",
            'A value with a blank or one of `,=<>!"` in it is no part of a pair: an expression names it, `\'isa == "a b"\'`.',
        ),
        *held(
            "cli/test_excluded.py",
            "`tvarc list --excluded` lists the dropped cells instead, matrix by matrix",
            "Selectors choose among the dropped cells then.",
            "`--json` prints the same as one list.",
        ),
        *held(
            "cli/test_groups.py",
            "`tvarc list --by release,toolkit` lists the variants in groups by the values of these axes, `--count` tells how many there are, of each group or in all.",
            "An axis that no matrix has is an error (E901).",
        ),
        *held(
            "cli/test_columns.py",
            "`tvarc list --format FORM` prints the variants as a `table` of lines, as `markdown` for a README, as `csv` or as `json`; `--markdown` and `--json` are short for two of these.",
            "Without it they are a table, and on a terminal, where two axes of one matrix have several values and the selectors fix all others, a grid",
            "`--columns` names the columns between commas, for each of the forms; [schema/list.json](schema/list.json) is the schema of the JSON:",
            "| `gpu`, an axis | the value; an axis called like one of the words below stands before it |",
            "| `gpu.label` | a fact of its row |",
            "| `meta.description`, `env.MAX_JOBS`, `script.preConfigure`, `flags.fast`, `package`, `pin`, `overlays` | a setting, as it is decided; a key within a record as well |",
            "| `name`, `matrix`, `recipe` | what these are called |",
            "| `axes` | all axes with their values |",
            "| `platform` | the systems that are [written out](#all-variants-in-one-file) for it |",
            "| `needs`, `needs.torch` | the variants that it [needs](#what-a-recipe-needs), or the one that it needs as `torch` |",
            "| `files`, `files.flox` | its files, or that of one output |",
            "A column that no variant of the program can have is an error (E914).",
            "Where a variant has nothing, a cell is empty, in a table `-` and in JSON `null`.",
            "A list is its elements with blanks between.",
            "What only Nix knows is told as it is written, and what is added to a value of the package's own after `+=`",
            "CSV has the names of the columns in its first line.",
            "What a spreadsheet would take for a formula begins with a `'`",
            "JSON has it as it is.",
            "`--columns`, and a form other than `json`, go with neither `--excluded` nor `--by` nor `--count`.",
        ),
        *held(
            "cli/test_listing_table.py",
            "In Markdown a row has beside its name its `label`, if it has one.",
        ),
        *held(
            "cli/test_explain.py",
            "`tvarc explain` tells why a setting, an element or a line of a script is what it is",
        ),
        *held(
            "audit/test_command.py",
            "`tvarc audit` holds a folder of recipes, hand-written ones too, against the matrix",
        ),
        *held(
            "lock/test_command.py",
            "`tvarc lock` finds out hashes, `tvarc bump` changes a version where it is written",
        ),
        *held(
            "cli/test_inputs.py",
            "`--input NAME=PATH`, of `build` and `check`, names a checkout in which the files of an [input](#input) are looked for.",
        ),
        *held(
            "nix/test_evaluation.py",
            "`check --eval` has Nix take it in the place of the input.",
        ),
        *held("cli/test_whynot.py", "`tvarc why-not` takes values that need not be there"),
        rule(
            "`--set PATH=VALUE` sets a setting of every variant (`attrs.jobs=8`, `overlays=[]`), `--flag F=VALUE` a flag.",
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
            "The value is an expression of the language: a string is quoted (`--set 'attrs.x=\"text\"'`).",
            row("set-string", attrs("x = 1"), first("attrs.x", '"text"'), sets='attrs.x="text"'),
            row("set-axis", attrs("x = 0"), each("attrs.x", "1", "2"), sets="attrs.x=n"),
            row("set-unquoted", attrs("x = 1"), refused("E201"), sets="attrs.x=text"),
        ),
        rule(
            "It stands above `force`, and shadows `+=` as well.",
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
