"""Sets of variants are named by as little as possible, and by nothing that is not true."""

from __future__ import annotations

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from tvarc.report.boxes import Box, Universe

GRID = [
    {"gpu": gpu, "isa": isa, "matrix": "gpus"}
    for gpu, isa in product(("sm80", "sm90", "sm100", "sm103", "sm120"), ("avx2", "avx512"))
] + [{"isa": isa, "matrix": "cpus"} for isa in ("avx2", "avx512")]


def described(**wanted: str) -> str:
    chosen = [i for i, c in enumerate(GRID) if wanted.items() <= c.items()]
    boxes = Universe(GRID).describe(chosen)
    assert boxes is not None
    return " or ".join(box.text() for box in boxes)


def test_one_box() -> None:
    assert described() == "all variants"
    assert described(gpu="sm90") == "gpu sm90"
    assert described(isa="avx2") == "isa avx2"
    assert described(matrix="cpus") == "matrix cpus"
    assert described(matrix="gpus") == "matrix gpus"
    assert described(gpu="sm90", isa="avx2") == "gpu sm90; isa avx2"
    assert described(isa="avx2", matrix="cpus") == "isa avx2; matrix cpus"


def test_most_values_and_several_boxes() -> None:
    universe = Universe(GRID)
    others = [i for i, c in enumerate(GRID) if c.get("gpu", "sm90") != "sm90"]
    assert universe.describe(others) == (
        Box((("gpu", ("sm80", "sm100", "sm103", "sm120"), ("sm90",)),)),
    )
    assert universe.describe(others)[0].text() == "gpu other than sm90"  # type: ignore[index]
    two = [i for i, c in enumerate(GRID) if c["matrix"] == "cpus" or c["gpu"] == "sm90"]
    boxes = universe.describe(two)
    assert boxes is not None and {box.text() for box in boxes} == {"gpu sm90", "matrix cpus"}


@given(st.sets(st.integers(0, len(GRID) - 1)))
def test_boxes_hold_exactly_what_was_chosen(chosen: set[int]) -> None:
    boxes = Universe(GRID).describe(chosen)
    if boxes is None:
        return
    held = {
        index
        for index, cell in enumerate(GRID)
        for box in boxes
        if all(cell.get(axis) in some for axis, some, _ in box.values)
    }
    assert held == chosen


def test_far_too_many_are_not_named() -> None:
    cells = [{"a": str(i), "b": str(j)} for i in range(12) for j in range(12)]
    diagonal = [i * 12 + i for i in range(12)]
    assert Universe(cells).describe(diagonal) is None
