"""Cells by number, held against tuples of indices."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.effort import examples
from tvarc.matrix import cells
from tvarc.matrix.cells import Batch, Grid, Projection, batches
from tvarc.text.paths import are_names, fault_of_name

SIZES = st.lists(st.integers(1, 4), max_size=5)


@st.composite
def grids(draw: st.DrawFn) -> tuple[list[int], list[int], list[tuple[int, ...]]]:
    """Sizes, some of the axes, and some of the cells in order."""
    sizes = draw(SIZES)
    axes = draw(st.lists(st.sampled_from(range(len(sizes))), unique=True)) if sizes else []
    every = list(product(*map(range, sizes)))
    kept = draw(st.lists(st.booleans(), min_size=len(every), max_size=len(every)))
    return sizes, axes, [cell for cell, keep in zip(every, kept, strict=True) if keep]


# Some axes in either table.
@pytest.mark.slow
@example(([4, 4], [0, 1], [(1, 0), (3, 2)]), 5, 7)
@given(grids(), st.integers(1, 30), st.integers(1, 7))
@settings(max_examples=examples(200))
def test_projections_count_combinations(
    grid_of: tuple[list[int], list[int], list[tuple[int, ...]]], inner: int, size: int
) -> None:
    sizes, axes, some = grid_of
    before = cells.INNER, cells.BATCH
    cells.INNER, cells.BATCH = inner, size
    try:
        grid = Grid(sizes)
        every = list(product(*map(range, sizes)))
        assert [grid.indices(number) for number in range(grid.cells)] == every
        chosen = sorted(axes)
        combinations = list(product(*(range(sizes[axis]) for axis in chosen)))
        projection = Projection(grid, axes)
        assert projection.size == len(combinations)
        numbers = [every.index(cell) for cell in some]
        found = [key for batch in batches(grid, numbers) for key in projection.keys(batch)]
        wanted = [combinations.index(tuple(cell[axis] for axis in chosen)) for cell in some]
        assert found == wanted
        for key, combination in enumerate(combinations):
            cell = grid.indices(projection.cell(key))
            assert tuple(cell[axis] for axis in chosen) == combination
            assert projection.keys(Batch(grid, (projection.cell(key),))) == [key]
        flags = bytes([key % 3 == 0 for key in range(projection.size)])
        spread = grid.spread(axes, flags)
        assert list(spread) == [
            flags[combinations.index(tuple(cell[axis] for axis in chosen))] for cell in every
        ]
        mask = bytes([cell in some for cell in every])
        assert list(grid.gather(axes, mask)) == [key in wanted for key in range(projection.size)]
    finally:
        cells.INNER, cells.BATCH = before


NAMES = st.text(st.sampled_from("aB0-_.é i/\\\n"), max_size=5) | st.sampled_from(
    ("if", "in", "x" * 200, "x" * 201)
)


@pytest.mark.slow
@given(st.lists(NAMES, min_size=1, max_size=4))
@settings(max_examples=examples(300))
def test_names_looked_at_together_are_looked_at_one_by_one(names: list[str]) -> None:
    assert are_names(names) == all(fault_of_name(name) is None for name in names)
