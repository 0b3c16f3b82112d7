"""`facts T += (column: type) { … }`: one table in the whole program."""

from __future__ import annotations

import pytest

from support.compile import codes, compile_text, messages
from support.effort import for_each
from support.hosts import chosen, compiled, host_with, names
from support.hosts import program as host_program
from support.lints import about, build, cuda_set, pin
from tvarc.build.driver import Compilation

BOARD = """
facts board (cores: int, note: string?) {
  small { cores = 4 }
  large { cores = 8, note = "big" }
}
facts twice (of: int) { one { of = board.small.cores } }
axis machine = board
axis many    = board[where cores >= 8]
let first = board.small.cores
recipe base { package = pkgs.hello, pin = none, attrs { cores = machine.cores } }
"""
HEAD = """
use "./board.tvar"
matrix m { recipe = base, axes = machine, name = "{{machine}}" }
output o { file = "{{variant}}.nix" }
"""


def program(text: str, **files: str) -> Compilation:
    named = {f"{name}.tvar": body for name, body in files.items()}
    return compile_text(HEAD + text, files={"board.tvar": BOARD, **named})


def attrs(compilation: Compilation) -> dict[str, dict[str, object]]:
    recipes = compilation.recipes()
    assert codes(compilation) == [], messages(compilation)
    return {r.variant: {s.path[-1]: s.value for s in r.changes.attrs} for r in recipes}


def test_a_row_that_is_added_is_in_the_axes_of_the_library() -> None:
    found = attrs(program("facts board += { huge { cores = 64 } }"))
    assert {name: one["cores"] for name, one in found.items()} == {
        "small": 4,
        "large": 8,
        "huge": 64,
    }


def test_the_library_picks_among_all_rows() -> None:
    text = """
        facts board += { huge { cores = 64 } }
        recipe other { package = pkgs.hello, pin = none }
        matrix k { recipe = other, axes = many, name = "many-{{many}}" }
    """
    made_of = program(text)
    assert [v.name for v in made_of.variants][3:] == ["many-large", "many-huge"]


def test_a_column_is_in_all_rows() -> None:
    text = """
        facts board += (log: string?) { small { log = "S" } }
        recipe other extends base { attrs { log = machine.log, asked = board.large.log } }
        matrix k { recipe = other, axes = machine, name = "k-{{machine}}" }
    """
    found = attrs(program(text))
    assert [found[name]["log"] for name in ("k-small", "k-large")] == ["S", None]
    assert found["k-small"]["asked"] is None


def test_what_is_written_above_sees_it_as_well() -> None:
    text = """
        recipe other extends base { attrs { log = board.small.log } }
        variant k { recipe = other, axes = machine[small] }
        facts board += (log: string?) { small { log = "S" } }
    """
    assert attrs(program(text))["k"]["log"] == "S"


def test_a_fact_that_was_left_out_may_be_given() -> None:
    text = """
        facts board += { small { note = "tiny" } }
        recipe other extends base { attrs { note = machine.note } }
        matrix k { recipe = other, axes = machine, name = "k-{{machine}}" }
    """
    found = attrs(program(text))
    assert [found[name]["note"] for name in ("k-small", "k-large")] == ["tiny", "big"]


@pytest.mark.parametrize("order", [("rows", "columns"), ("columns", "rows")])
@pytest.mark.parametrize("alias", ["", " as {0}"])
def test_two_modules_add_to_one_table(order: tuple[str, ...], alias: str) -> None:
    uses = "".join(f'use "./{one}.tvar"{alias.format(one)}\n' for one in order)
    text = """
        recipe other extends base { attrs { log = machine.log } }
        matrix k { recipe = other, axes = machine, name = "k-{{machine}}" }
    """
    found = attrs(
        program(
            uses + text,
            rows='use "./board.tvar"\nfacts board += { huge { cores = 64, log = "H" } '
            'large { log = "L" } }'.replace("} large", "}, large"),
            columns='use "./board.tvar"\nfacts board += (log: string?) { small { log = "S" } }',
        )
    )
    assert [found[f"k-{name}"]["log"] for name in ("small", "large", "huge")] == ["S", "L", "H"]


@for_each(
    "text, code, words",
    [
        ("facts board += { small { cores = 5 } }", "E202", "already has a fact `cores`"),
        ("facts board += (cores: int) { }", "E202", "already has a field `cores`"),
        ('facts board += { small { log = "S" } }', "E207", "(log: string?) { … }`"),
        ('facts board += { new { cores = 1, log = ["S"] } }', "E207", "(log: [string]?) { … }`"),
        ('facts board += (log: int?) { small { log = "S" } }', "E301", "`log` must be an integer"),
        ("facts board += (log: int) { small { log = 1 } }", "E208", "rows without it: large"),
        ("facts board += { new { } }", "E208", "row `new` has no value for `cores`"),
        ("facts bord += { new { } }", "E201", "did you mean `board`?"),
    ],
)
def test_what_is_refused(text: str, code: str, words: str) -> None:
    made_of = program(text)
    assert codes(made_of)[0] == code, messages(made_of)
    assert words in " ".join(messages(made_of).split())


def test_one_fact_of_two_modules() -> None:
    fact = 'use "./board.tvar"\nfacts board += { small { note = "%s" } }'
    made_of = program('use "./a.tvar" as a\nuse "./b.tvar" as b', a=fact % "a", b=fact % "b")
    assert codes(made_of) == ["E202"], messages(made_of)
    assert "`small` already has a fact `note`" in messages(made_of)


def test_every_row_has_a_fact_of_a_column_that_asks_for_it() -> None:
    """Whichever module gives it."""
    made_of = program(
        'use "./a.tvar" as a\nuse "./b.tvar" as b',
        a='use "./board.tvar"\nfacts board += { new { cores = 1 } }',
        b='use "./a.tvar"\nuse "./board.tvar"\n'
        "facts board += (log: int) { new { log = 1 }, small { log = 2 }, large { log = 3 } }",
    )
    assert codes(made_of) == [], messages(made_of)


NEW_GPU = """
use std.nvidia
facts nvidia += {
  sm190 {
    capability = 19.0, architecture = "New", label = "New", products = ["N1"], hosts = ["x86_64"]
    first-cuda = 19.0, datacenter = ["N1"], workstation = [], consumer = [], embedded = []
    machines = ["x86_64"], sources = ["own"], mark = "single"
  }
}
"""


@pytest.mark.parametrize("added", [False, True])
def test_lints_read_what_is_added(added: bool) -> None:
    body = 'overlays = [kit], config { cudaCapabilities = ["19.0"] }'
    text = pin() + cuda_set("cudaPackages_13_0") + build(body, "pkgs.magma")
    found = about((NEW_GPU if added else "") + text, "gpu-unknown-to-toolkit")
    assert ["the first CUDA that does is 19.0" in item.notes[1] for item in found] == [True] * added


def test_the_choice_of_a_variant_reads_what_is_added() -> None:
    added = NEW_GPU.replace("use std.nvidia\n", "")
    text = host_program("card", added, "axis card = nvidia[sm90, sm190]", "let cuda = 19.0")
    (kind,) = chosen(host_with("19.0", driver="900.0"), compiled(text)).kinds
    assert names(kind) == ["v-sm190"]
