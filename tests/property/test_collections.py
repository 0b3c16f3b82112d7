"""Files of all variants whose entries are put together, held against those printed one by one."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from test_assembled_files import FILES, programs
from test_needs_maps import PROGRAMS

from support.assembled import small
from support.compile import VARIANTS, compile_text, compile_variants, messages
from support.effort import examples
from tvarc.driver import Compilation

OUTPUTS = """
output set { form = all, file = "sets/default.nix", prefix = "{{matrix}}" }
output flake-of-all { form = flake, file = "flake.nix", prefix = "{{matrix}}" }
"""


def both(program: str) -> tuple[list[tuple[str, bytes]], list[tuple[str, bytes]], str]:
    """The files of all variants made of fragments and made plainly, and what is told."""
    made = compile_text(program, files=FILES)
    for _ in made.files(made.file, lints=False):
        pass
    if made.sink.has_errors:
        return [], [], messages(made)
    shared = [(file.path, file.data()) for file in made.collections(made.file)]
    told = messages(made)
    again = compile_text(program, files=FILES)
    for _ in again.files(again.file, lints=False):
        pass
    plain = [(file.path, file.data()) for file in again.collections(again.file, shared=False)]
    assert told == messages(again), program
    return shared, plain, told


@pytest.mark.slow
@given(programs())
@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
def test_fragments_make_the_same_files(program: str) -> None:
    with pytest.MonkeyPatch.context() as patch, small(patch):
        shared, plain, _ = both(f"{program}\n{OUTPUTS}")
    assert shared == plain, program


@pytest.mark.parametrize("output", OUTPUTS.strip().split("\n"))
def test_the_plan_of_44_is_made_of_fragments(monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    """No matrix of it is made one by one."""
    text = VARIANTS.read_text(encoding="utf-8") + output + "\n"

    def made() -> Compilation:
        found = compile_variants(text)
        for _ in found.files(found.file, lints=False):
            pass
        return found

    plain = made()
    (expected,) = [file.data() for file in plain.collections(plain.file, shared=False)]
    monkeypatch.setattr("tvarc.assembly.gathered.Gathered.add", None)
    one = made()
    assert [file.data() for file in one.collections(one.file)] == [expected]


@pytest.mark.parametrize("output", OUTPUTS.strip().split("\n"))
@pytest.mark.parametrize("program", PROGRAMS)
def test_stacks_are_alike_by_both_paths(program: str, output: str) -> None:
    shared, plain, told = both(f"{PROGRAMS[program]}\n{output}\n")
    assert shared == plain
    assert bool(shared) != bool(told)
