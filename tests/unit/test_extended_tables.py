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
