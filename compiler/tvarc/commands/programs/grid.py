"""The cells that selectors leave of one matrix, as rows and columns of the two axes left free."""

from __future__ import annotations

from math import prod

from tvarc.build.driver import Compilation
from tvarc.commands.programs.selecting import dropped_meant
from tvarc.commands.report.grid import Grid
from tvarc.light import Final, Sequence
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Sink

_FREE: Final = 2
_MOST: Final = 10_000
"""Cells of a matrix; of more than that exclusions are not evaluated for a picture."""


def grid_of(
    made: Compilation, variants: Sequence[Variant], selectors: Sequence[str]
) -> Grid | None:
    """The grid of *variants*, which *selectors* mean, and of the dropped cells that they mean as
    well; None where that is not one matrix with exactly two axes of several values."""
    if not variants or any(one.matrix is not variants[0].matrix for one in variants):
        return None
    matrix = variants[0].matrix
    if prod(len(pick.values) for pick in matrix.axes) > _MOST:
        return None
    built = {variant.indices for variant in variants}
    if len(_free(built)) > _FREE:
        return None
    dropped = {
        cell.variant.indices
        for one in dropped_meant(made, selectors, Sink())
        if one.matrix is matrix
        for cell in one.cells()
    }
    free = _free(built | dropped)
    if len(free) != _FREE:
        return None
    rows, columns = free
    some = variants[0]
    fixed = {
        pick.axis.name: some.values[pick.axis.name]
        for place, pick in enumerate(matrix.axes)
        if place not in free and len(pick.values) > 1
    }
    return Grid(
        matrix.name,
        fixed,
        (matrix.axes[rows].axis.name, matrix.axes[columns].axis.name),
        tuple([(one, matrix.axes[rows].values[one]) for one in _taken(built | dropped, rows)]),
        tuple(
            [(one, matrix.axes[columns].values[one]) for one in _taken(built | dropped, columns)]
        ),
        frozenset([(cell[rows], cell[columns]) for cell in built]),
        frozenset([(cell[rows], cell[columns]) for cell in dropped]),
    )


def _taken(cells: set[tuple[int, ...]], place: int) -> list[int]:
    """Which values of the axis at *place* the *cells* have, in the order of the axis."""
    return sorted({cell[place] for cell in cells})


def _free(cells: set[tuple[int, ...]]) -> list[int]:
    """The axes of which *cells* have several values, by their places."""
    return [place for place, taken in enumerate(zip(*cells, strict=True)) if len(set(taken)) > 1]
