"""`matrix m extends n`: layers, patterns over axes that are only named, and what is built."""

from __future__ import annotations

from support.compile import codes, compile_text, messages
from tvarc.build.driver import Compilation

SHARED = """
facts size (size: int) { a { size = 1 }, b { size = 2 }, c { size = 3 } }
facts other (size: int) { a { size = 1 } }
axis n: size
axis given = [1, 2]
recipe base {
  package = pkgs.hello
  pin     = none
  flag loud: bool = true
  attrs { x = 0, n = n.size }
}
recipe plain { package = pkgs.hello, pin = none }
matrix open {
  recipe = base
  axes   = n[where size < 3]
  name   = "open-{{n}}"
  let half = "{{n}} of {{n.size}}"
  attrs { x = 1, loud = loud, half = half }
  exclude n == b because "the base says so"
}
matrix whole { recipe = plain, axes = given, name = "whole-{{given}}", attrs { g = given } }
variant single { recipe = plain }
"""
HEAD = """
use "./shared.tvar" as shared
axis n = shared.size
output o { file = "{{variant}}.nix" }
"""


def program(text: str, **files: str) -> Compilation:
    named = {f"{name}.tvar": body for name, body in files.items()}
    return compile_text(HEAD + text, files={"shared.tvar": SHARED, **named})


def built(text: str, **files: str) -> dict[str, dict[str, object]]:
    """Variants by name, each with its attributes."""
    made = program(text, **files)
    recipes = made.recipes()
    assert codes(made) == [], messages(made)
    return {r.variant: {s.path[-1]: s.value for s in r.changes.attrs} for r in recipes}


THEIRS = ["whole-1", "whole-2", "single"]


def test_own_axes_name_exclusion_and_let() -> None:
    found = built("""
        axis k = ["p", "q"]
        matrix m extends shared.open {
          axes = n * k
          name = "m-{{n}}-{{k}}"
          let more = "{{half}}, {{k}}"
          attrs { more = more }
          exclude k == "q" and n.size == 1 because "mine"
        }
    """)
    assert list(found) == [*THEIRS, "m-a-p", "m-c-p", "m-c-q"]
    assert found["m-c-q"]["more"] == "c of 3, q"


def test_its_settings_stand_above_those_of_the_base() -> None:
    text = "matrix m extends shared.open { attrs { x = 5 } }"
    assert built(text)["open-a"]["x"] == 5
    forced = SHARED.replace("x = 1", "force x = 1")
    made = compile_text(HEAD + text, files={"shared.tvar": forced})
    (recipe,) = [one for one in made.recipes() if one.variant == "open-a"]
    assert {s.path[-1]: s.value for s in recipe.changes.attrs}["x"] == 1


def test_a_base_may_stand_below() -> None:
    found = built("""
        matrix two extends one { name = "two" }
        matrix one { recipe = shared.plain, axes = n[a], name = "one" }
    """)
    assert list(found) == [*THEIRS, "two", "one"]


def test_a_chain_through_files() -> None:
    team = """
        use "./shared.tvar" as shared
        matrix open extends shared.open { attrs { team = half } }
    """
    found = built('use "./team.tvar" as team\nmatrix m extends team.open { }', team=team)
    assert found["open-a"]["team"] == "a of 1"


def test_exclusions_of_a_file_go_with_what_extends_its_matrices() -> None:
    """Those that `exclude` has apply to one matrix, and still to what the module's own become."""
    rule = 'exclude n.size == 3 because "too large for anybody"\n'
    made = compile_text(
        HEAD
        + """
        matrix apart { recipe = shared.plain, axes = n, name = "apart-{{n}}" }
        matrix there { recipe = shared.plain, axes = n, name = "there-{{n}}"
          exclude shared
        }
        matrix m extends shared.open { axes = n, name = "m-{{n}}" }
        """,
        files={"shared.tvar": SHARED + rule},
    )
    assert codes(made) == [], messages(made)
    assert [v.name for v in made.variants][3:] == [
        *("apart-a", "apart-b", "apart-c"),
        *("there-a", "there-b"),
        "m-a",
    ]


def test_variants_cannot_be_extended() -> None:
    made = program("matrix m extends shared.single { }")
    assert codes(made) == ["E301"]
    assert "variant `single` is not a matrix" in messages(made)
