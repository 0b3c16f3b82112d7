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
