"""The output of `list`: a variant a line, in columns, as a table, as CSV or as data."""

from __future__ import annotations

from tvarc.light import Final, Iterable, Iterator, Mapping, Sequence, dataclass
from tvarc.matrix.variants import axis_text
from tvarc.text.diagnostics.render_cells import cell_width, safe, wrap
from tvarc.values.value import Missing, NixText, Value, show

_LEAST_ROOM: Final = 20  # cells, in which a sentence can be read


@dataclass(frozen=True, slots=True)
class Added:
    """The program's additions to a value that only Nix knows, such as the package's own list."""

    KEYS = (("value", "added"),)

    value: Value


Cell = Value | Missing | Added | Mapping[str, Value]
"""The content of a column for a variant: a value, nothing, or several values by their names."""


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
    """A value as interpolation prints it, and as it is spelt where that has no text for it."""
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
