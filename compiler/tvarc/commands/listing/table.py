"""The output of `list --format markdown`: the variants as a table, such as a README has."""

from __future__ import annotations

from tvarc.commands.listing.text import Cell, Listing, cell_text
from tvarc.commands.shown.markdown import Code, Inline, Line, Table, Text
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
