"""`exclude MODULE`: where the exclusions of a module take effect, and what is refused."""

from __future__ import annotations

import pytest

from support.compile import codes, compile_text, messages
from support.effort import for_each
from tvarc.build.driver import Compilation

ONE = 'matrix one { recipe = r, axes = n, name = "one-{{n}}" }\n'
TWO = 'matrix two { recipe = r, axes = n, name = "two-{{n}}" }\n'
# A module that names an axis of a table of its own, and the programs' table beside it.
FILES = {
    "table.tvar": "facts size (size: int) { a { size = 1 }, b { size = 2 }, c { size = 3 } }\n",
    "rules.tvar": """
        use "./table.tvar"
        axis n: size
        exclude n.size == 1 because "too small"
        exclude n.size == 9 because "too large"
    """,
    "idle.tvar": 'use "./table.tvar"\naxis n: size\nexclude n.size == 9 because "too large"\n',
    "other.tvar": 'use "./rules.tvar"\nlet other = 1\n',
    "empty.tvar": "let empty = 1\n",
    "building.tvar": """
        use "./table.tvar"
        axis n = size
        recipe there { package = pkgs.hello, pin = none, attrs { x = "{{n}}" } }
        matrix far { recipe = there, axes = n, name = "far-{{n}}" }
        exclude n.size == 2 because "never there"
    """,
}
BODY = """
use "./table.tvar"
axis n = size
recipe r { package = pkgs.hello, pin = none, attrs { x = "{{matrix}} {{n}}" } }
output o { file = "{{variant}}.nix" }
"""


def program(text: str) -> Compilation:
    made = compile_text(text, files=FILES)
    made.recipes()
    return made


def names(text: str) -> list[str]:
    made = program(text)
    assert codes(made) == [], messages(made)
    return [variant.name for variant in made.variants]


def test_a_module_keeps_its_own_matrices() -> None:
    text = BODY.replace('use "./table.tvar"\n', 'use "./table.tvar"\nuse "./building.tvar" as b\n')
    two = TWO.replace("axes", "exclude b\naxes")
    found = names(f"{text}{ONE}{two}")
    assert found == ["far-a", "far-c", "one-a", "one-b", "one-c", "two-a", "two-c"]
    assert names(f"{text}{ONE}") == ["far-a", "far-c", "one-a", "one-c"]


def test_under_a_condition() -> None:
    use = 'use "./rules.tvar" as rules\n'
    found = names(f"{BODY}{ONE}{TWO}{use}when matrix is two {{ exclude rules }}\n")
    assert found == ["one-a", "one-b", "one-c", "two-b", "two-c"]
    made = program(f"{BODY}{ONE}{TWO}{use}when n.size > 3 {{ exclude rules }}\n")
    assert codes(made) == ["E602", "E601"], messages(made)


def test_a_line_that_drops_nothing_is_an_error_and_one_exclusion_of_many_is_none() -> None:
    rules, idle = 'use "./rules.tvar" as rules\n', 'use "./idle.tvar" as idle\n'
    assert codes(program(f"{BODY}{ONE}{rules}exclude rules\n")) == []
    made = program(f"{BODY}{ONE}{idle}exclude idle\n")
    assert codes(made) == ["E601"]
    assert "the only exclusion of `idle` does not hold for any cell" in messages(made)
    # A second line is asked for itself.
    two = TWO.replace("axes", "exclude rules\naxes").replace("= n", "= n[b, c]")
    assert codes(program(f"{BODY}{ONE}{two}{rules}exclude rules\n")) == ["E601"]


def test_axes_of_another_table_do_not_count() -> None:
    own = "axis n { a { size = 1 }, d { size = 4 } }\n"
    rest = BODY.replace('use "./table.tvar"\naxis n = size\n', "")
    made = program(f'{own}{rest}{ONE}use "./rules.tvar" as rules\nexclude rules\n')
    assert codes(made) == ["E601"], messages(made)
    assert "no matrix has the axes of any of the 2 exclusions of `rules`" in messages(made)


def test_a_module_without_exclusions_is_an_error() -> None:
    made = program(f'{BODY}{ONE}use "./empty.tvar" as empty\nexclude empty\nexclude std.cpu\n')
    assert codes(made) == ["E601", "E601"]
    assert "`empty` has no exclusions" in messages(made)
    assert "`std.cpu` has no exclusions" in messages(made)


@for_each(
    "line, code",
    [
        ("exclude std.imposible", "E203"),
        ("exclude std.a.b", "E203"),
        ("exclude rules and n == a", "E301"),
        ("exclude rules.n", "E301"),
        ("exclude nobody", "E201"),
        ("exclude std", "E201"),
        ("exclude not std.impossible", "E201"),
        ("require std.impossible", "E201"),
        ("exclude rules because 1", "E101"),
    ],
)
def test_what_is_no_module(line: str, code: str) -> None:
    made = program(f'{BODY}{ONE}use "./rules.tvar" as rules\n{line}\n')
    assert codes(made) == [code], messages(made)


def test_a_recipe_drops_nothing() -> None:
    made = program(
        f"{BODY}{ONE.replace('= r', '= s')}recipe s extends r {{ exclude std.impossible }}\n"
    )
    assert codes(made) == ["E209"], messages(made)


@pytest.mark.slow
def test_a_file_that_declares_std_means_that() -> None:
    made = program(f'{BODY}{ONE}use "./rules.tvar" as std\nexclude std\n')
    assert codes(made) == [], messages(made)
    row = "axis std {{ impossible = {} }}\n"
    assert codes(program(f"{BODY}{ONE}{row}exclude std.impossible\n"))[0] != "E203"


def test_modules_that_exclude_each_other() -> None:
    files = {**FILES, "a.tvar": 'use "./input.tvar" as i\nexclude i\n'}
    made = compile_text(f'{BODY}{ONE}use "./a.tvar" as a\nexclude a\n', files=files)
    assert "E204" in codes(made)


def test_no_use_is_needed_and_no_name_is_taken() -> None:
    text = """
        use std.nvidia
        use std.cpu
        axis gpu = nvidia[sm90, sm110]
        axis isa = cpu[avx2, armv9]
        let release = 1
        recipe r { package = pkgs.hello, pin = none }
        output o { file = "{{variant}}.nix" }
        matrix m {
          recipe = r, axes = gpu * isa, name = "{{gpu}}-{{isa}}"
          attrs { x = release, y = "{{gpu}} {{isa}}" }
        }
        exclude std.impossible
    """
    line = "exclude std.impossible"
    within = text.replace(line, "").replace("matrix m {", f"matrix m {{ {line}")
    for program_text in (text, within):  # those about other axes do not apply
        assert program_text.count(line) == 1
        assert names(program_text) == ["sm90-avx2", "sm90-armv9", "sm110-armv9"]
    made = compile_text(text.replace("= release", "= torch2_9_0"))
    made.recipes()
    assert codes(made) == ["E201"], messages(made)
