"""The drawing of `list` on a terminal: the cells of two axes, each built or excluded."""

from __future__ import annotations

from math import prod

from tvarc.build.driver import Compilation
from tvarc.commands.listing.text import aligned, value_text
from tvarc.commands.programs.selecting import dropped_meant
from tvarc.light import Final, Mapping, Sequence, dataclass
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.render_cells import cell_width, safe
from tvarc.values.value import Value

_FREE: Final = 2
_MOST: Final = 10_000
"""Cells of a matrix; of more than that exclusions are not evaluated for a picture."""

_BUILT: Final = "+"
_EXCLUDED: Final = "-"


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
    """The positions of the axes for which *cells* have several values."""
    return [place for place, taken in enumerate(zip(*cells, strict=True)) if len(set(taken)) > 1]


@dataclass(frozen=True, slots=True)
class Grid:
    """The cells of *matrix* with the *fixed* axis values, by the two *axes* that are left. *rows*
    and *columns* are their values, each with its number; *built* and *excluded* are pairs of
    numbers."""

    matrix: str
    fixed: Mapping[str, Value]
    axes: tuple[str, str]
    rows: tuple[tuple[int, Value], ...]
    columns: tuple[tuple[int, Value], ...]
    built: frozenset[tuple[int, int]]
    excluded: frozenset[tuple[int, int]]


def grid_lines(grid: Grid, width: int) -> list[str]:
    """The lines of *grid*; none where they are wider than *width* cells."""
    row_axis, column_axis = grid.axes
    fixed = [f"{axis} = {value_text(value)}" for axis, value in grid.fixed.items()]
    head = ", ".join([f"{grid.matrix}: {row_axis} by {column_axis}", *fixed])
    table = [["", *[safe(value_text(value)) for _, value in grid.columns]]]
    table += [
        [safe(value_text(value)), *[_mark(grid, (row, column)) for column, _ in grid.columns]]
        for row, value in grid.rows
    ]
    key = f"{_BUILT} built {len(grid.built)}"
    if grid.excluded:
        key += f"   {_EXCLUDED} excluded {len(grid.excluded)}"
    lines = [f"{safe(head)}\n", "\n", *aligned(table), "\n", f"{key}\n"]
    return lines if all(cell_width(line.rstrip("\n")) <= width for line in lines) else []


def _mark(grid: Grid, cell: tuple[int, int]) -> str:
    if cell in grid.built:
        return _BUILT
    return _EXCLUDED if cell in grid.excluded else ""
