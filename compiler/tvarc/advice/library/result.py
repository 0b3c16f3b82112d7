"""The result of `facts`: tables, or rows with all that is known of them."""

from __future__ import annotations

from tvarc.advice.library.related import relations
from tvarc.advice.library.sources import as_of, named_sources
from tvarc.advice.library.tables import Found, Library
from tvarc.light import Mapping, Sequence, dataclass
from tvarc.meaning import hir
from tvarc.text.source import Span
from tvarc.values.plain import ABSENT, Absent
from tvarc.values.value import RowValue, Value


@dataclass(frozen=True, slots=True)
class Correction:
    """A fact that a program corrects."""

    KEYS = (("place", ""),)

    place: Span
    because: str
    shadowed: Value
    """The value that the library has."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row and its facts."""

    KEYS = (("as_of", "as-of"), ("goes_with", "goes-with"))

    table: str
    name: str
    place: Span
    as_of: str | None
    """The day on which the row was compared with its sources, as YYYY-MM-DD; null if it is not
    known."""
    facts: Mapping[str, Value]
    corrected: Mapping[str, Correction] | Absent
    """The facts that a program corrects, by their names."""
    sources: Mapping[str, str]
    """The ids of the row's sources, and what each of them is."""
    goes_with: Mapping[str, Sequence[str]]
    """The names of rows that it goes with, by how: the GPUs of a toolkit, for instance."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table and the facts of its rows."""

    KEYS = (("as_of", "as-of"),)

    table: str
    module: str
    as_of: str | None
    """The day on which the table was compared with its sources, as YYYY-MM-DD; null if it is not
    known."""
    fields: Mapping[str, str]
    """The types of the fields, by their names."""
    rows: Mapping[str, Mapping[str, Value]]
    """The facts of each row, by its name."""


def row_of(found: Found, library: Library) -> Row:
    """*found* as the result of `facts`."""
    row = found.row
    return Row(
        found.table.name,
        row.name,
        row.span,
        day_of(row.span, library),
        _values(row),
        _corrections(row),
        dict(named_sources(row, library.sources)),
        {one.title: one.names for one in relations(row, library)},
    )


def table_of(table: hir.Table, library: Library) -> Table:
    """*table* as the result of `facts`."""
    return Table(
        table.name,
        table.span.file,
        day_of(table.span, library),
        {name: type.show() for name, type in table.fields.items()},
        {row.name: _values(row) for row in table.rows.values()},
    )


def day_of(span: Span, library: Library) -> str | None:
    """The day on which the item at *span* was compared with its sources, as YYYY-MM-DD. None if it
    is not known.
    """
    known = as_of(span, library.sources)
    return known.isoformat() if known is not None else None


def _values(row: RowValue) -> Mapping[str, Value]:
    return {name: fact.value for name, fact in row.facts.items()}


def _corrections(row: RowValue) -> Mapping[str, Correction] | Absent:
    found = {
        name: Correction(fact.span, fact.because, fact.shadowed.value)
        for name, fact in row.facts.items()
        if fact.shadowed is not None
    }
    return found or ABSENT
