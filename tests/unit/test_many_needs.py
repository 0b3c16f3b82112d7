"""What many cells of a matrix need is not found out for each of them."""

from __future__ import annotations

import pytest

from support.command import calls
from support.compile import compile_text
from tvarc.commands.dump import dump_program

AXES = "".join(
    f"axis {name} {{ {', '.join(f'{name}{n} {{ v = {n} }}' for n in range(3))} }}\n"
    for name in "abcde"
)
LIB = """\
recipe lib { package = pkgs.zlib, pin = none, attrs { a = a, b = b } }
matrix libs { recipe = lib, axes = a * b, name = "lib-{{a}}-{{b}}" }
recipe app { package = pkgs.hello, pin = none, NEED, attrs { l = needs.l, c = c, d = d, e = e } }
matrix apps { recipe = app, axes = a * b * c * d * e, name = "{{a}}-{{b}}-{{c}}-{{d}}-{{e}}" }
output o { file = "{{variant}}.nix" }
"""
CHOSEN = 'needs l = libs[a where v == c.v, b where v == a.v] or exclude because "there is none"'


def test_a_value_is_chosen_once_for_what_the_choice_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = calls(monkeypatch, "tvarc.matrix.links.Following.fits")
    made = compile_text(AXES + LIB.replace("NEED", CHOSEN))
    assert len(made.variants) == 9 + 243
    assert len(asked) == 2 * 3 * 3  # of each of two axes each value, for each value of another


def test_a_need_is_dumped_as_it_is_written() -> None:
    made = compile_text(AXES + LIB.replace("NEED", "needs l = libs[a where v == c.v, b = b1]"))
    assert made.resolution is not None
    dumped = dump_program(made.resolution.program, made.sources)
    assert "path=('needs', 'l')" in dumped
    assert "value: libs[a where v == c.v, b = b1] " in dumped


def test_a_name_of_the_program_may_be_needs() -> None:
    made = compile_text("""
    let needs = { lib = { version = "1" } }
    recipe r { package = pkgs.hello, pin = none, attrs { x = needs.lib.version } }
    variant v { recipe = r }
    """)
    (found,) = made.recipes()
    assert [one.value for one in found.changes.attrs] == ["1"]


def test_several_that_fit_are_told_of_each_cell_that_is_first() -> None:
    made = compile_text(AXES + LIB.replace("NEED", CHOSEN.replace("v == c.v", "v != c.v")))
    assert [one.code for one in made.diagnostics] == ["E409"]
    assert "where a is a0, b is b0, c is c0" in " ".join(made.diagnostics[0].notes)


@pytest.mark.slow
def test_a_text_that_nobody_asks_for_is_not_made(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where variants are arguments of others each file is made by itself."""
    need = 'needs l = libs by argument, attrs { w = nix"""with pkgs; hello""" }'
    made = compile_text(AXES + LIB.replace("NEED", need))
    printed = calls(monkeypatch, "tvarc.build.assembly.bodies.Bodies.parts")
    found = list(made.files("input.tvar"))
    assert len(found) == 9 + 243 and not printed
    assert b"lib-a0-b0" in found[9].data() and len(printed) == 1
