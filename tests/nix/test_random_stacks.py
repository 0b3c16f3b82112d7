"""Random stacks, by real Nix: what a variant needs is the derivation of that variant by itself."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from support.compile import compile_text
from support.effort import sampled
from support.nix import requires_nix
from support.random_stacks import stack
from support.stacks import CALLER, SCOPE, evaluated, prepared, written

# Whether two of them are one derivation is decided by what they say, whatever Nix reads it.
pytestmark = [pytest.mark.nix, pytest.mark.once, requires_nix]

FILES = {"../nixpkgs/default.nix": ""}
TRIED = range(96)


@pytest.mark.slow
@pytest.mark.parametrize("seed", sampled(TRIED, ci=6))
def test_what_is_needed_is_the_variant_by_itself(tmp_path: Path, seed: int) -> None:
    made = stack(Random(seed))
    if not made.is_whole:
        told = compile_text(made.source, files=FILES)
        told.recipes()
        codes = {one.code for one in told.diagnostics}
        assert codes & {"E408", "E401"}, (codes, made.source)
        assert codes <= {"E408", "E401", "W114"}, (codes, made.source)
        return
    project = prepared(tmp_path)
    paths = written(project, made.source)
    expected = {name for matrix in made.matrices for name in matrix.cells}
    assert expected == {name for name in paths if not name.startswith("alone-")}, made.source
    pairs = []
    for name, need, target, matrix in made.links():
        alone = f"scope.{target}"
        if target.startswith("pkgs."):
            if matrix.overlaid:
                continue
            allowed = "{ allowUnfree = true; }" if matrix.pinned == "q" else "{ }"
            pinned = f"(import ../nixpkgs {{ {ARGUMENTS} config = {allowed}; overlays = [ ]; }})"
            alone = ("pkgs" if matrix.pinned == "none" else pinned) + target.removeprefix("pkgs")
        pairs.append(f"[ scope.{name}.needed.{need}.drvPath {alone}.drvPath ]")
    found = evaluated(project, SCOPE.format(caller=CALLER, asked=f"[ {' '.join(pairs)} ]"))
    assert len(found) == len(pairs)
    for (one, other), pair in zip(found, pairs, strict=True):
        assert one == other, (pair, made.source)


ARGUMENTS = "system = builtins.currentSystem;"


@pytest.mark.parametrize("seed", sampled(TRIED, ci=6))
def test_a_matrix_that_is_called_otherwise_is_missed(seed: int) -> None:
    made = stack(Random(seed))
    for matrix in made.matrices:
        needed = any(
            matrix.name in need.source.replace("[", " ").split()
            for other in made.matrices
            for need in other.needs
        )
        if needed:
            text = made.source.replace(f"matrix {matrix.name} {{", "matrix renamed {")
            told = compile_text(text, files=FILES)
            told.recipes()
            assert told.sink.has_errors, text
