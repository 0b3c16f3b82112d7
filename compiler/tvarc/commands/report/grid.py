"""What `list` draws on a terminal: which cells of two axes are built, and which are excluded."""

from __future__ import annotations

from tvarc.commands.report.listing import aligned, value_text
from tvarc.light import Final, Mapping, dataclass
from tvarc.text.diagnostics.render_cells import cell_width, safe
from tvarc.values.value import Value

_BUILT: Final = "+"
_EXCLUDED: Final = "-"


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
