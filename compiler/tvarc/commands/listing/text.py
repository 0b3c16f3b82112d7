"""The output of `list`: a variant a line, in columns, as a grid, as a table, as CSV or as data."""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Final, Iterable, Iterator, Mapping, Sequence, dataclass
from tvarc.matrix.variants import Variant, axis_text
from tvarc.text.diagnostics.render_cells import cell_width, safe, wrap
from tvarc.values.value import Missing, NixText, RowValue, Value, show

if TYPE_CHECKING:
    from tvarc.build.driver import Compilation
    from tvarc.commands.shown.markdown import Inline, Line, Table

_LEAST_ROOM: Final = 20  # cells; a column of this width is readable


@dataclass(frozen=True, slots=True)
class Added:
    """The program's additions to a value that only Nix knows, such as the package's own list."""

    KEYS = (("value", "added"),)

    value: Value


Cell = Value | Missing | Added | Mapping[str, Value]
"""The content of a column for a variant: a value, None, or several values by name."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Variants in columns: the names of the columns, and for each variant a row of as many cells.
    The texts of columns in *prose* are for reading; other texts are names."""

    columns: tuple[str, ...]
    prose: frozenset[str]
    rows: tuple[tuple[Cell, ...], ...]


def listing_data(listing: Listing) -> Iterator[Mapping[str, Cell | None]]:
    """A record for each variant; where there is nothing, it has null."""
    for row in listing.rows:
        yield {
            name: None if isinstance(cell, Missing) else cell
            for name, cell in zip(listing.columns, row, strict=True)
        }


def cell_text(cell: Cell) -> str:
    """A cell as a text: a string as it is, and any other value as the language spells it."""
    match cell:
        case Missing():
            return ""
        case Added():
            return f"+= {show(cell.value)}"
        case Mapping():
            return " ".join([f"{name}={value_text(value)}" for name, value in cell.items()])
        case _:
            return value_text(cell)


def value_text(value: Value) -> str:
    """A value as interpolation prints it, or as the language spells it if it cannot be
    interpolated."""
    if isinstance(value, NixText):
        return "".join(
            [one if isinstance(one, str) else f"{{{{{show(one)}}}}}" for one in value.parts]
        )
    return value if isinstance(value, str) else axis_text(value)


def listing_text(listing: Listing, width: int = 0) -> Iterator[str]:
    """One line for each variant; `-` is an empty cell. For *width* see `aligned`."""
    return aligned(
        (
            ["-" if isinstance(cell, Missing) else safe(cell_text(cell)) for cell in row]
            for row in listing.rows
        ),
        width,
    )


def aligned(rows: Iterable[Sequence[str]], width: int = 0) -> Iterator[str]:
    """One line a row, ended by a newline; the cells of a column begin below each other. On a
    terminal of *width* cells, 0 for none, the last column is wrapped if there is room for it."""
    table = list(rows)
    widths = [max(map(cell_width, column)) for column in zip(*table, strict=True)]
    before = sum(widths[:-1]) + len("  ") * (len(widths) - 1)
    if width and before + (widths[-1] if widths else 0) > width >= before + _LEAST_ROOM:
        table = [
            [*(cells[:-1] if not number else [""] * (len(cells) - 1)), line]
            for cells in table
            for number, line in enumerate(wrap(cells[-1], width - before))
        ]
        widths[-1] = width - before
    for cells in table:
        padded = [
            cell + " " * (width - cell_width(cell))
            for cell, width in zip(cells, widths, strict=True)
        ]
        yield "  ".join(padded).rstrip(" ") + "\n"


# --- as a table, and as CSV -------------------------------------------------------------------


def listing_table(listing: Listing) -> Table:
    """A row for each variant. A row of a table of facts is shown by its name, and by its `label` if
    it has one."""
    from tvarc.commands.shown.markdown import Table, Text

    rows = [
        tuple(
            [
                cell_line(cell, prose=name in listing.prose)
                for name, cell in zip(listing.columns, row, strict=True)
            ]
        )
        for row in listing.rows
    ]
    return Table(tuple([(Text(name),) for name in listing.columns]), tuple(rows))


def cell_line(cell: Cell, *, prose: bool = False) -> Line:
    """The text of a cell; a text that is *prose* is for reading."""
    from tvarc.commands.shown.markdown import Code, Text
    from tvarc.values.row_facts import text_fact

    text = cell_text(cell)
    if not text:
        return ()
    if prose and isinstance(cell, str):
        return (Text(text),)
    label = text_fact(cell, "label") if isinstance(cell, RowValue) else None
    name: tuple[Inline, ...] = (Code(text),)
    return (*name, Text(f" {label}")) if label and label != text else name


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Characters with which a formula of a spreadsheet begins. A formula could read other open tables
and send them away."""


def csv_text(listing: Listing) -> str:
    """A line with the names of the columns, and one for each variant."""
    rows = [listing.columns, *[tuple(map(cell_text, row)) for row in listing.rows]]
    return "".join(map(_line, rows))


def _line(cells: Sequence[str]) -> str:
    import csv
    import io

    # The printer quotes cells that contain a character of its line end. With the default line end
    # it quotes a cell with either of the two characters.
    text = io.StringIO(newline="")
    csv.writer(text).writerow(map(_harmless, cells))
    return text.getvalue().removesuffix("\r\n") + "\n"


def _harmless(text: str) -> str:
    """*text*, after a `'` if it would be a formula. A spreadsheet does not show the `'`."""
    return f"'{text}" if text.startswith(_FORMULA) else text


# --- as a grid --------------------------------------------------------------------------------


_FREE: Final = 2
_MOST: Final = 10_000
"""Cells of a matrix. If it has more, no exclusions are evaluated for a picture."""

_BUILT: Final = "+"
_EXCLUDED: Final = "-"


def grid_of(
    made: Compilation, variants: Sequence[Variant], selectors: Sequence[str]
) -> Grid | None:
    """The grid of *variants*, which *selectors* select, and of the dropped cells that they select.
    None unless these belong to one matrix and exactly two axes have several values."""
    from math import prod

    from tvarc.commands.programs.selecting import dropped_meant
    from tvarc.text.diagnostics.model import Sink

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
    """The values of *cells* on the axis at *place*, in the order of the axis."""
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
    """The lines of *grid*; none if they are wider than *width* cells."""
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
