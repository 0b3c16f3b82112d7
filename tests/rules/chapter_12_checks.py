"""Checks, lints, and the exclusions of a module."""

from __future__ import annotations

from support.rules import (
    HASH,
    OF_N,
    PIN,
    REV,
    Expectation,
    Row,
    attrs,
    body,
    fine,
    held,
    makes,
    refused,
    row,
    rule,
    says,
    speaks,
    table,
    told,
    top,
)
from tvarc.diagnostics.warning_names import JUDGED

MODULE = {"rules.tvar": 'axis n = [1, 2, 3]\nexclude n == 1 because "one is none"\n'}
OF_RULES = 'recipe child { package = pkgs.hello }\nmatrix m { recipe = child, axes = n, name = "v{{n}}" }\nmatrix q { recipe = child, axes = n, name = "q{{n}}" }\n'


def check(name: str, text: str, expect: Expectation) -> Row:
    """A top-level check beside a matrix `m` over `n` and one `q` without axes."""
    return row(
        name,
        body(
            "attrs { x = n }",
            "",
            OF_N + "recipe lone { package = pkgs.hello }\nvariant q { recipe = lone }\n",
        )
        + text
        + "\n",
        expect,
    )


def module(
    name: str,
    use: str,
    expect: Expectation,
    more: str = OF_RULES,
    files: dict[str, str] | None = None,
) -> Row:
    return row(name, top(f"{use}\n{more}"), expect, files={**MODULE, **(files or {})})


LINT_ROWS = (
    "impossible-host", "gpu-unknown-to-toolkit", "target-not-dotted", "moving-alias", "pin-without-hash",
    "platform-against-isa", "cudnn-below-floor", "cuda-marked-broken", "cmake-flags-unreached",
    "targets-without-capabilities", "release-not-paired", "driver-not-stated", "flag-unknown-to-gcc",
    "same-build", "overlay-unreached", "nix-mark-in-text", "hidden-direction", "gpu-misnamed",
    "cuda-misnamed", "python-not-built", "set-not-in-pin", "torch-too-old", "fbgemm-left-on",
    "setting-misspelt", "attribute-misspelt", "amd-target-unknown", "ptx-needs-driver",
    "flag-dropped-by-gcc", "cpu-misnamed", "own-list-dropped", "other-mark-in-text",
    "value-not-in-axis", "name-unreached", "source-root-misfits", "flox-name", "store-name",
    "nvidia-target-unknown",
)  # fmt: skip

OTHERS = (
    'recipe o { package = pkgs.curl, env { N = "{{n}}" } }\n'
    'matrix os { recipe = o, axes = n, name = "o{{n}}" }\n'
)

TABLES = (
    table(
        "Checks",
        *told(
            "With checks you drop cells that make no sense, refuse wrong variants, and warn about doubtful"
        ),
        rule(
            "drops the cells in which `C` is true |",
            check("exclude", "exclude n == 1", makes("v2", "q")),
            check("exclude-none-left", "exclude n < 9", refused("E401")),
            row(
                "exclude-in-matrix",
                body("", "", OF_N.replace(" }", ", exclude n == 1 }", 1)),
                makes("v2"),
            ),
            check("exclude-boundary", "exclude n < 2", makes("v2", "q")),
            check("exclude-no-boolean", "exclude n", refused("E301", "n")),
        ),
        rule(
            "drops the cells that a module excludes, [see below](#exclusions-of-a-module) |",
            module("exclude-module", 'use "./rules.tvar"', makes("v2", "v3", "q2", "q3")),
        ),
        rule(
            "refuses to build variants in which `C` is false, and prints the value of each operand (E405) |",
            check("require", 'require n < 2 because "so"', says("E405", "n = 2", "so")),
            check("require-holds", 'require n < 3 because "so"', fine),
            row("require-in-recipe", body('require n < 2 because "so"'), refused("E405")),
            row(
                "require-in-matrix",
                body("", "", OF_N.replace(" }", ', require n < 2 because "so" }', 1)),
                refused("E405"),
            ),
            check("require-fails", "require n < 2 or n == 2", fine),
        ),
        rule(
            "the warning `n` for the variants in which `C` is true |",
            check("warn", 'warn w = n == 1 because "so"', says("W001", "w", "so", "v1")),
            check("warn-never", 'warn w = n == 3 because "so"', fine),
            row("warn-in-recipe", body('warn w = n == 1 because "so"'), refused("W001")),
        ),
        rule(
            "silences the warning `n`, wherever it is declared, the [lint](#lints) `n`, or [a warning of",
            check("warn-off", 'warn w = n == 1 because "so"\nwarn w = off because "fine"', fine),
            row(
                "warn-off-of-recipe",
                body('warn w = n == 1 because "so"') + 'warn w = off because "fine"\n',
                fine,
            ),
            row("warn-off-in-recipe", body('warn w = off because "fine"'), refused("E209")),
            row("warn-off-unknown", body("") + 'warn w = off because "fine"\n', refused("E201")),
            row(
                "lint-on",
                body("", "pin q { " + f'github = "a/b", rev = "{REV}"' + " }"),
                speaks("pin-without-hash", "same-build"),
            ),
            row(
                "lint-off",
                body("", "pin q { " + f'github = "a/b", rev = "{REV}"' + " }")
                + 'warn pin-without-hash = off because "so"\n',
                speaks("same-build"),
            ),
        ),
        rule(
            "`when C { … }` | around them | the checks within it hold only if `C` is true |",
            check("when-require", "when n == 1 { require n < 2 }", fine),
            check("when-require-fails", "when n == 2 { require n < 2 }", refused("E405")),
            check("when-exclude", "when n < 9 { exclude n == 1 }", makes("v2", "q")),
            check("when-warn", 'when n == 1 { warn w = n < 9 because "so" }', refused("W001")),
        ),
        rule(
            "A recipe cannot have an `exclude` (E209).",
            row("exclude-in-recipe", body("exclude n == 1"), refused("E209", "exclude n == 1")),
        ),
        rule(
            "An `exclude` decides before settings are decided, so it reads axes, `let`s, `recipe` and `matrix`.",
            check("exclude-let", "let k = n\nexclude k == 1", makes("v2", "q")),
            check("exclude-recipe", "exclude recipe is child and n == 1", makes("v2", "q")),
            check("exclude-matrix", "exclude matrix is m and n == 1", makes("v2", "q")),
            check("exclude-setting", "exclude attrs.x == 1", refused("E302", "attrs.x")),
            check("exclude-variant", 'exclude variant == "v1"', refused("E302", "variant")),
        ),
        rule(
            "The other checks read settings and overlays as well.",
            check("require-setting", "when recipe is child { require attrs.x < 3 }", fine),
            check(
                "require-setting-fails",
                "when recipe is child { require attrs.x < 2 }",
                refused("E405"),
            ),
            row(
                "require-overlay",
                body("overlays = [o]", "overlay o { x = 1 }\nrequire o in overlays"),
                fine,
            ),
            row(
                "require-overlay-fails",
                body(
                    "overlays = if n == 1 then [o] else []",
                    "overlay o { x = 1 }\nrequire o in overlays",
                ),
                refused("E405"),
            ),
        ),
        rule(
            "At top level, a check applies to every matrix that has all the axes that the check reads.",
            check("lacks-axis", "require n < 2 or n == 2", fine),
            check("applies-where-axis-is", "require n == 9", says("E405", "v1")),
            row(
                "applies-where-both-axes-are",
                body(
                    "",
                    "axis k = [1, 2]",
                    OF_N + 'matrix z { recipe = child, axes = n * k, name = "z{{n}}{{k}}" }\n',
                )
                + "exclude n == 1 and k == 1\n",
                makes("v1", "v2", "z12", "z21", "z22"),
            ),
            row(
                "applies-to-every-matrix",
                body(
                    "",
                    "axis k = [1, 2]",
                    OF_N + 'matrix z { recipe = child, axes = n * k, name = "z{{n}}{{k}}" }\n',
                )
                + "exclude n == 1\n",
                makes("v2", "z21", "z22"),
            ),
        ),
    ),
    table(
        "Lints",
        *told(
            "Lints are warnings that the compiler has by itself.",
            "They know the common mistakes of programs with PyTorch, CUDA and GPUs, and use the facts of",
        ),
        *held(
            "lints/test_mechanism.py",
            "They check the emitted code, not the way in which it was written. They say nothing about things that",
            "Each message is printed once, at the place of the cause, with the fact, its sources, and the",
        ),
        *held(
            "lints/test_torch.py",
            "They know Torch by each of its names in nixpkgs (`torch`, `pytorch`, `torchWithCuda`, `torch-bin`,",
        ),
        rule(
            "Lints are reported only if there is no error.",
            row("lint-beside-error", body("attrs { x = 1, x = 2 }"), refused("E501")),
        ),
        *held(
            "lints/test_slips.py",
            "Three lints check the text of the program's own files: `nix-mark-in-text`, `other-mark-in-text`",
        ),
        *held(
            "test_language_examples.py::test_the_lints_of_the_reference_are_those_that_there_are",
            *[f"| `{name}` |" for name in LINT_ROWS],
        ),
        rule(
            "silences a lint like any other warning. It is an error if the lint reports nothing (E606).",
            row("lint-silenced", body("") + 'warn same-build = off because "so"\n', speaks()),
            row(
                "lint-that-says-nothing",
                attrs("x = n") + 'warn same-build = off because "so"\n',
                refused("E606"),
            ),
        ),
        *told(
            "The page of each code says exactly what the lint checks, and where its facts come from: `tvarc explain W107`."
        ),
        rule(
            "A `warn` of a program cannot have the name of a lint (E202).",
            row(
                "warn-called-as-lint",
                body("") + 'warn same-build = n > 8 because "so"\n',
                refused("E202"),
            ),
        ),
        rule(
            "when all of these are equal: the package, and the pin's address and hash; `config`, `args` and `env`; the changes that the overlays make; `attrs` without `pname` and `name`; the text of every script; `meta.platforms`; the needs.",
            row("alike", body(""), speaks("same-build")),
            row(
                "alike-but-pname",
                body('attrs { pname = "x{{n}}", name = "y{{n}}" }'),
                speaks("same-build"),
            ),
            row("differ-in-package", body('package = pkgs["a{{n}}"]'), speaks()),
            *[
                row(f"differ-in-{block}", body(f"{block} {{ x = n }}"), speaks())
                for block in ("args", "attrs", "config")
            ],
            row("differ-in-env", body('env { x = "{{n}}" }'), speaks()),
            row("differ-in-script", body('script s { part a "{{n}}" }'), speaks()),
            row(
                "differ-in-platforms",
                body('meta { platforms = if n == 1 then ["x86_64-linux"] else ["aarch64-linux"] }'),
                speaks(),
            ),
            row(
                "differ-in-need",
                body("needs x = os\nattrs { x = needs.x }", OTHERS),
                speaks(),
            ),
            row(
                "alike-in-need",
                body("needs x = os[n = 1]\nattrs { x = needs.x }", OTHERS),
                speaks("same-build"),
            ),
            row("differ-in-overlay", body("overlays = [o]", "overlay o { x = n }"), speaks()),
            row(
                "differ-in-pin",
                body(
                    "pin = if n == 1 then p else q",
                    PIN + f'pin q {{ github = "a/b", rev = "{REV}", hash = "{HASH}" }}\n',
                ),
                speaks(),
            ),
        ),
        rule(
            "`passthru` and the rest of `meta` are not part of a derivation.",
            row(
                "alike-but-passthru",
                body("passthru { x = n }\nmeta { x = n }"),
                speaks("same-build"),
            ),
        ),
    ),
    table(
        "What Nix shows",
        *told(
            "`tvarc check --eval` has eight more warnings, about things that only Nix knows ([nix.md](nix.md#evaluating-variants)).",
        ),
        *held(
            "nix/test_evaluation.py",
            "`not-in-derivation` | W301 | a setting that is not in the derivation |",
            "`overlay-without-effect` | W302 | an overlay or a patch without which variants are the same |",
            "`one-derivation` | W303 | variants that are one derivation |",
            "silences these warnings too.",
            "If all variants were evaluated and there is nothing to silence, `check --eval` reports that (E606).",
        ),
        *held(
            "nix/test_effects.py",
            "`removal-without-effect` | W307 | a `-=` that removes nothing from a list of the package |",
            "`setting-unread` | W308 | a key of `config`, an argument, or flags of a tool, that nothing",
            "`script-not-run` | W309 | a script that no phase of the build runs |",
            "`name-not-derived` | W310 | a `pname` or `version` that is not in the name of the derivation |",
            "`source-unfit` | W311 | a `src` that does not fit the `sourceRoot` of its package |",
            "Four of these warnings need more evaluations: `overlay-without-effect`, `removal-without-effect`, `setting-unread` and `source-unfit`. If you silence one of them, its evaluations are skipped. Then E606 says only that the variants",
        ),
        rule(
            "No other command does.",
            *[
                row(f"unasked-{name}", attrs("x = n") + f'warn {name} = off because "so"\n', fine)
                for name in JUDGED
            ],
        ),
        rule(
            "A `warn` of a program cannot have one of these names either (E202).",
            *[
                row(f"warn-{name}", attrs("x = n") + f"warn {name} = n > 8\n", refused("E202"))
                for name in JUDGED
            ],
        ),
    ),
    table(
        "Exclusions of a module",
        *held(
            "unit/test_stdlib_impossible.py",
            "`exclude std.impossible` drops the cells that no toolkit and no machine has: a GPU that is on one chip with another CPU; a toolkit that does not know the GPU yet, or no longer knows it; an instruction set that no compiler of the toolkit knows; a PyTorch that cannot name the GPU.",
        ),
        *held("unit/test_stdlib_docs.py", "lists its exclusions. A fact that is unknown, or that"),
        rule(
            "In general, `exclude M` brings in the exclusions of the module `M`. Name a module of the standard library by its path, without a `use`. Name a file by the name",
            module(
                "by-name",
                'use "./rules.tvar" as rules\nuse "./axes.tvar"\nexclude rules',
                makes("v2", "v3", "q2", "q3"),
                files={
                    "axes.tvar": "axis n = [1, 2, 3]\n",
                    "rules.tvar": 'use "./axes.tvar"\nexclude n == 1 because "one is none"\n',
                },
            ),
            module("by-unknown-name", "exclude rules\naxis n = [1, 2]", refused("E201", "rules")),
        ),
        rule(
            "At top level they apply to every matrix. In a matrix they apply to that matrix. Within `when C { }` they apply if `C` is true.",
            module(
                "in-one-matrix",
                'use "./rules.tvar" as rules\nuse "./axes.tvar"',
                makes("v2", "v3", "q1", "q2", "q3"),
                OF_RULES.replace('name = "v{{n}}" }', 'name = "v{{n}}", exclude rules }'),
                {
                    "axes.tvar": "axis n = [1, 2, 3]\n",
                    "rules.tvar": 'use "./axes.tvar"\nexclude n == 1 because "one is none"\n',
                },
            ),
            module(
                "in-when",
                'use "./rules.tvar" as rules\nuse "./axes.tvar"\nwhen matrix is q { exclude rules }',
                makes("v1", "v2", "v3", "q2", "q3"),
                files={
                    "axes.tvar": "axis n = [1, 2, 3]\n",
                    "rules.tvar": 'use "./axes.tvar"\nexclude n == 1 because "one is none"\n',
                },
            ),
        ),
        *held("unit/test_exclude_module.py", "A `because` is added to the reason of each of them."),
        rule(
            "Each of them applies only to a matrix that has all the axes that it reads.",
            module(
                "lacks-axis-of-module",
                'use "./rules.tvar"',
                makes("w", "v2", "v3", "q2", "q3"),
                "variant w { recipe = child }\n" + OF_RULES,
            ),
        ),
        *held(
            "unit/test_exclude_module.py",
            "A library can name an axis with a table, `axis toolkit: cuda-toolkit`. It then means an axis of that name with values of that table. A matrix whose toolkit is a `let`",
        ),
        rule(
            "With `use` alone, a module's exclusions apply to every matrix.",
            module("use-alone", 'use "./rules.tvar"', makes("v2", "v3", "q2", "q3")),
        ),
        rule(
            "If the file that uses the module also names it in `exclude`, that line decides to which matrices they apply.",
            module(
                "use-and-exclude",
                'use "./rules.tvar" as rules\nuse "./axes.tvar"',
                makes("v1", "v2", "v3", "q2", "q3"),
                OF_RULES.replace('name = "q{{n}}" }', 'name = "q{{n}}", exclude rules }'),
                {
                    "axes.tvar": "axis n = [1, 2, 3]\n",
                    "rules.tvar": 'use "./axes.tvar"\nexclude n == 1 because "one is none"\n',
                },
            ),
        ),
        *held("unit/test_exclude_module.py", "A module's own matrices keep its exclusions."),
        rule(
            "A module's exclusions are those at its top level, and those of the modules that it uses.",
            module(
                "through-module",
                'use "./mid.tvar" as mid\nuse "./axes.tvar"\nexclude mid',
                makes("v2", "v3", "q2", "q3"),
                files={
                    "axes.tvar": "axis n = [1, 2, 3]\n",
                    "mid.tvar": 'use "./rules.tvar"\n',
                    "rules.tvar": 'use "./axes.tvar"\nexclude n == 1 because "one is none"\n',
                },
            ),
        ),
        rule(
            "If a whole `exclude M` drops nothing, it is an error (E601). A single one of its exclusions may drop nothing.",
            module(
                "drops-nothing",
                'use "./rules.tvar" as rules\nuse "./axes.tvar"\nexclude rules',
                refused("E601"),
                files={
                    "axes.tvar": "axis n = [2, 3]\n",
                    "rules.tvar": 'use "./axes.tvar"\nexclude n == 4 because "so"\n',
                },
            ),
            module(
                "one-drops-nothing",
                'use "./rules.tvar" as rules\nuse "./axes.tvar"\nexclude rules',
                makes("v3", "q3"),
                files={
                    "axes.tvar": "axis n = [2, 3]\n",
                    "rules.tvar": 'use "./axes.tvar"\nexclude n == 4 because "so"\nexclude n == 2 because "so"\n',
                },
            ),
        ),
    ),
)
