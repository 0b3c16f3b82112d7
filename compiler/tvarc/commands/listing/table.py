"""The output of `list --format markdown` and `--format csv`: the variants as a table."""

from __future__ import annotations

import csv
import io

from tvarc.commands.listing.text import Cell, Listing, cell_text
from tvarc.commands.shown.markdown import Code, Inline, Line, Table, Text
from tvarc.light import Final, Sequence
from tvarc.values.row_facts import text_fact
from tvarc.values.value import RowValue


def listing_table(listing: Listing) -> Table:
    """A row for each variant. A row of a table of facts is shown by its name, and by its `label` if
    it has one."""
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
    text = cell_text(cell)
    if not text:
        return ()
    if prose and isinstance(cell, str):
        return (Text(text),)
    label = text_fact(cell, "label") if isinstance(cell, RowValue) else None
    name: tuple[Inline, ...] = (Code(text),)
    return (*name, Text(f" {label}")) if label and label != text else name


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
"""What a cell begins with that spreadsheets take for a formula: it could read what else they have
open, and send it away."""


def csv_text(listing: Listing) -> str:
    """A line with the names of the columns, and one for each variant."""
    rows = [listing.columns, *[tuple(map(cell_text, row)) for row in listing.rows]]
    return "".join(map(_line, rows))


def _line(cells: Sequence[str]) -> str:
    # The printer quotes by the line end that it is given: with the one that
    # it has by default it quotes a cell for either of its characters.
    text = io.StringIO(newline="")
    csv.writer(text).writerow(map(_harmless, cells))
    return text.getvalue().removesuffix("\r\n") + "\n"


def _harmless(text: str) -> str:
    """*text*, behind a `'` where it would be a formula: that is no part of a cell then."""
    return f"'{text}" if text.startswith(_FORMULA) else text
