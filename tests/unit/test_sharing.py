"""What variants share, and what they must not: decisions are made once for what they depend on."""

from __future__ import annotations

import pytest

from support.compile import codes, compile_text, messages
from tvarc.matrix.cells import Projections
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.truth import Ask, Truths
from tvarc.meaning import hir
from tvarc.nix import ir
from tvarc.values.value import Value

HEAD = """
pin p { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3211" }
axis x = [1.0, 2.0]
axis y = [1.0, 2.0]
axis z = [1.0, 2.0]
"""


def compiled(body: str, *, expect: list[str] | None = None) -> dict[str, ir.Recipe]:
    compilation = compile_text(HEAD + body)
    made = {recipe.variant: recipe for recipe in compilation.recipes()}
    assert codes(compilation) == (expect or []), messages(compilation)
    return made


def attr(recipe: ir.Recipe, name: str) -> Value:
    return next(s.value for s in recipe.changes.attrs if s.key == name)


def matrix(name: str, axes: str, recipe: str = "r") -> str:
    parts = "-".join(f"{a}{{{{under({a})}}}}" for a in axes.split(" * "))
    return f'matrix {name} {{ recipe = {recipe}, axes = {axes}, name = "{name}-{parts}" }}\n'


def test_a_let_does_not_confuse_axes_of_another_order() -> None:
    body = """let l = "x{{under(x)}}-y{{under(y)}}"
    recipe r { package = pkgs.hello, attrs { l = l } }
    """
    for name, recipe in compiled(body + matrix("m", "x * y") + matrix("n", "y * x")).items():
        first, second = name[2:].split("-")
        assert attr(recipe, "l") == "-".join(sorted((first, second)))


@pytest.mark.slow
def test_a_let_still_misses_an_axis_that_another_matrix_has() -> None:
    body = """let l = if x == 1.0 then y else z
    recipe r { package = pkgs.hello, attrs { l = l } }
    """
    compilation = compile_text(HEAD + body + matrix("m", "x * y") + matrix("n", "x * z"))
    compilation.recipes()
    assert "E304" in codes(compilation)


def test_a_setting_over_two_of_three_axes_is_decided_once_a_pair() -> None:
    body = """recipe r { package = pkgs.hello
      attrs { pair = "{{x}} {{z}}", name = "{{variant}}" }
      script s { part a "{{y}}" } }
    """
    made = compiled(body + matrix("m", "x * y * z"))
    assert len(made) == 8
    settings = [next(s for s in r.changes.attrs if s.key == "pair") for r in made.values()]
    assert len({id(setting) for setting in settings}) == 4
    assert len({id(recipe.changes.scripts[0]) for recipe in made.values()}) == 2
    assert {attr(recipe, "name") for recipe in made.values()} == set(made)


def test_an_exclusion_is_evaluated_once_for_what_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []
    begin = Truths.__init__

    def counting(
        self: Truths, matrix: hir.MatrixDef, projections: Projections, reads: Dependencies, ask: Ask
    ) -> None:
        def counted(expr: hir.Expr, indices: tuple[int, ...]) -> Value:
            asked.append(indices)
            return ask(expr, indices)

        begin(self, matrix, projections, reads, counted)

    monkeypatch.setattr(Truths, "__init__", counting)
    body = "recipe r { package = pkgs.hello }\n" + matrix("m", "x * y * z")
    compiled(body + "exclude x == 1.0 or z == 2.0\n")
    assert len(asked) == 4  # twice for each of the two axes


def test_a_nested_condition_needs_the_outer_one_too() -> None:
    body = """recipe r { package = pkgs.hello
      when x == 1.0 { when y == 1.0 { attrs { both = true } } } }
    """
    made = compiled(body + matrix("m", "x * y"))
    assert [name for name, r in made.items() if r.changes.attrs] == ["m-x1_0-y1_0"]


def test_config_follows_a_pin_that_an_axis_chooses() -> None:
    body = """
    pin q { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3212"
      config { k = "q{{under(y)}}" } }
    pin o { github = "NixOS/nixpkgs", rev = "6a030d535719c5190187c4cec156f335e95e3213"
      config { k = "o" } }
    recipe r { package = pkgs.hello, pin = if x == 1.0 then q else o, config { l = config.k } }
    """
    made = compiled(body + matrix("m", "x * y"))
    shown = {name: [s.value for s in recipe.config] for name, recipe in made.items()}
    assert shown == {
        "m-x1_0-y1_0": ["q1_0", "q1_0"],
        "m-x1_0-y2_0": ["q2_0", "q2_0"],
        "m-x2_0-y1_0": ["o", "o"],
        "m-x2_0-y2_0": ["o", "o"],
    }


def test_an_overlay_is_decided_for_each_matrix() -> None:
    body = """overlay o { a = if matrix == m then y else x }
    recipe r { package = pkgs.hello, overlays = [o] }
    """
    made = compiled(body + matrix("m", "y") + matrix("n", "x"))
    values = {n: recipe.overlays[0].changes.attrs[0].value for n, recipe in made.items()}
    assert {name: str(value) for name, value in values.items() if name.endswith("2_0")} == {
        "m-y2_0": "Version(text='2.0')",
        "n-x2_0": "Version(text='2.0')",
    }


def test_a_condition_within_an_overlay_that_never_holds_is_an_error() -> None:
    body = """overlay o { when x == 3.0 { a = 1 }
      b = 1 }
    recipe r { package = pkgs.hello, overlays = [o] }
    """
    compiled(body + matrix("m", "x"), expect=["E602"])


def test_a_check_at_top_level_applies_where_its_conditions_have_their_axes() -> None:
    body = "recipe r { package = pkgs.hello }\nwhen y == 1.0 { require x == 1.0 or x == 2.0 }\n"
    assert len(compiled(body + matrix("m", "x") + matrix("n", "x * y"))) == 6


def test_a_check_of_a_recipe_is_never_skipped() -> None:
    body = "recipe r { package = pkgs.hello, require z == 2.0 }\n"
    compilation = compile_text(HEAD + body + matrix("m", "x"))
    compilation.recipes()
    assert "E304" in codes(compilation)


def test_files_that_differ_in_case_only_are_one_file() -> None:
    body = """recipe r { package = pkgs.hello }
    variant a { recipe = r, name = "same" }
    variant b { recipe = r, name = "SAME" }
    output o { file = "{{variant}}.nix" }
    """
    compiled(body, expect=["E402"])


def test_two_outputs_need_two_files() -> None:
    body = """recipe r { package = pkgs.hello }
    variant a { recipe = r }
    output o { file = "{{variant}}.nix" }
    output q { file = "{{variant}}.nix" }
    """
    compiled(body, expect=["E402"])


def test_a_flag_is_read_in_its_own_recipe() -> None:
    body = """recipe r { package = pkgs.hello, flag fast: bool = true }
    recipe s { package = pkgs.hello, flag fast: bool = true, attrs { fast = fast } }
    """
    compiled(body + matrix("m", "x") + matrix("n", "x", "s"), expect=["E605"])


@pytest.mark.parametrize(
    ("parent", "child", "expected"),
    [
        ("when x == 1.0 { r = { k = [1] } }\nr.k += [2]", "", (1, 2)),
        ("force r = { k = [1] }", "r.k += [2]", (1, 2)),
        ("r = { k = [1] }\nr.k += [2]", "r.k += [3]", (1, 2, 3)),
        ("r.k += [2]", "r = { k = [1] }", (1,)),
    ],
)
def test_additions_to_a_key_follow_the_rules_of_lists(
    parent: str, child: str, expected: tuple[int, ...]
) -> None:
    body = (
        f"recipe b {{ package = pkgs.hello\nattrs {{ {parent} }} }}\n"
        f"recipe r extends b {{ attrs {{ {child} }} }}\n"
    )
    value = attr(compiled(body + matrix("m", "x"))["m-x1_0"], "r")
    assert str(value) == f"Record(entries=(('k', {expected!r}),))"


def test_a_key_and_its_record_of_equal_standing_have_to_agree() -> None:
    body = "recipe r { package = pkgs.hello, attrs { s = { k = 1 }, s.k = 2 } }\n"
    compiled(body + matrix("m", "x"), expect=["E501"])
    body = "recipe r { package = pkgs.hello, attrs { s = { k = 1 }, s.l = 2 } }\n"
    value = attr(compiled(body + matrix("m", "x"))["m-x1_0"], "s")
    assert str(value) == "Record(entries=(('k', 1), ('l', 2)))"


@pytest.mark.parametrize(
    "use",
    [
        "axis a = t",
        "recipe s extends r {}",
        "variant w { recipe = r }",
        "variant w { recipe = own, axes = ax[1] }",
    ],
)
def test_a_name_that_two_imports_bring_is_ambiguous_where_it_is_used(use: str) -> None:
    module = "facts t () { v {} }\naxis ax = [1]\nrecipe r { package = pkgs.hello }\n"
    head = 'use "./one.tvar"\nuse "./two.tvar"\nrecipe own { package = pkgs.hello, pin = none }\n'
    files = {"one.tvar": module, "two.tvar": module}
    assert codes(compile_text(head, files=files)) == []
    assert codes(compile_text(head + use + "\n", files=files)) == ["E206"]


def test_an_empty_matrix_is_told_of_beside_other_errors() -> None:
    body = "recipe r { package = pkgs.hello, attrs { a = nothing } }\n" + matrix("m", "x")
    compilation = compile_text(HEAD + body + "exclude x == 1.0 or x == 2.0\n")
    compilation.recipes()
    assert codes(compilation) == ["E201", "E401"]


def test_a_check_of_a_library_is_for_axes_of_its_table() -> None:
    body = """use std.nvidia
    axis isa = ["avx2"]
    axis gpu = nvidia[sm110]
    recipe r { package = pkgs.hello }
    """
    assert (
        len(
            compiled(body + 'matrix m { recipe = r, axes = gpu * isa, name = "{{gpu}}-{{isa}}" }\n')
        )
        == 1
    )


def test_a_recipe_of_a_library_expects_axes_of_its_table() -> None:
    library = """facts t (v: int) { a { v = 1 } }
    axis g: t
    recipe r { package = pkgs.hello, attrs { v = g.v } }
    """
    head = 'use "./lib.tvar"\n' + HEAD
    made = 'matrix m { recipe = r, axes = g, name = "{{g}}" }\n'
    for axis, expected in (("axis g = t[a]\n", []), ('axis g = ["a"]\n', ["E301"])):
        compilation = compile_text(head + axis + made, files={"lib.tvar": library})
        compilation.recipes()
        assert codes(compilation) == expected, messages(compilation)
