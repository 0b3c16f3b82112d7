"""The output of `list --format csv`. Python's `csv` is the printer: nothing else quotes a cell."""

from __future__ import annotations

import csv
import io

from tvarc.commands.listing.text import Listing, cell_text
from tvarc.light import Final, Sequence

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
