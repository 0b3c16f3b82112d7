"""The output of `facts` for a person."""

from __future__ import annotations

from datetime import date, timedelta

from tvarc.advice.library.result import as_of, day_of, named_sources, relations
from tvarc.advice.library.tables import Found, Library
from tvarc.light import Final, Iterator
from tvarc.meaning import hir
from tvarc.text.diagnostics.render_cells import cell_width, safe, wrap
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import Span
from tvarc.values.value import Fact, RowValue, Value, show

# Told last, under a title of their own: how sure the facts are, and of what they were made.
_SOURCES: Final = ("mark", "note")
_YEAR: Final = 366  # days
_TITLES: Final = ("label", "version", "capability", "generations")


def row_text(found: Found, library: Library, *, width: int) -> str:
    """One row: its facts, its relations, and its sources."""
    facts = found.row.facts
    place = f"table {found.table.name}, {_place(found.row, library)}"
    lines = [f"{found.row.name}  ({place}; {_age(found.row.span, library)})"]
    plain = [
        (name, _shown(facts[name].value) + _corrected(facts[name], library))
        for name in found.table.fields
        if name not in (*_SOURCES, "sources")
        and name in facts
        and (facts[name].value not in (None, ()) or facts[name].shadowed is not None)
    ]
    lines += _pairs(plain, width)
    related = relations(found.row, library)
    if related:
        lines += ["", "Goes with:"]
        lines += _pairs([(one.title, _known(one.names)) for one in related], width)
    told = [
        (name, facts[name].value)
        for name in _SOURCES
        if name in facts and facts[name].value is not None
    ]
    if told:
        lines += ["", "How sure:", *_pairs([(name, _shown(value)) for name, value in told], width)]
    named = named_sources(found.row, library.sources)
    if named:
        lines += ["", "Sources:", *_pairs(named, width)]
    return "".join(line + "\n" for line in lines)


def table_text(table: hir.Table, library: Library, *, width: int) -> str:
    """The rows of a table, a line each."""
    pairs = [
        (row.name, f"{_title(row)}{_added(row, library) if is_added(row, table) else ''}")
        for row in table.rows.values()
    ]
    place = f"{table.span.file}; {_age(table.span, library)}"
    head = f"{table.name}: {counted(len(table.rows), 'row')} ({place})"
    lines = [head, *_pairs(pairs, width)]
    return "".join(line + "\n" for line in lines)


def tables_text(library: Library, *, width: int) -> str:
    """All tables, a line each."""
    pairs = [
        (
            table.name,
            f"{counted(len(table.rows), 'row')}, {_age(table.span, library)}: {_range(table)}",
        )
        for table in library.tables.values()
    ]
    return "".join(line + "\n" for line in _pairs(pairs, width))


def stale_text(library: Library, today: date, *, width: int) -> str:
    """The tables, and the rows that a program adds, that are `stale`."""
    pairs = [_stale_pair(one, library) for one in stale(library, today)]
    if not pairs:
        return f"all {len(library.tables)} tables were compared with their sources within a year\n"
    return "".join(line + "\n" for line in _pairs(pairs, width))


def added_rows(table: hir.Table) -> list[RowValue]:
    """The rows that a program adds to *table*."""
    return [row for row in table.rows.values() if is_added(row, table)]


def is_added(row: RowValue, table: hir.Table) -> bool:
    """Whether *row*, a row of *table*, is in another file than the table."""
    return row.span.file != table.span.file


def _stale_pair(one: hir.Table | Found, library: Library) -> tuple[str, str]:
    if not isinstance(one, Found):
        return one.name, _age(one.span, library)
    row = one.row
    return f"{one.table.name}.{row.name}", f"{_age(row.span, library)}{_added(row, library)}"


def stale(library: Library, today: date) -> Iterator[hir.Table | Found]:
    """The tables that were not compared with their sources within a year before *today*, or of
    which nobody says when; then such rows that a program adds."""
    oldest = today - timedelta(days=_YEAR)
    tables = list(library.tables.values())
    for table in tables:
        if _is_stale(table.span, oldest, library):
            yield table
    for table in tables:
        for row in added_rows(table):
            if _is_stale(row.span, oldest, library):
                yield Found(table, row)


def _is_stale(span: Span, oldest: date, library: Library) -> bool:
    known = as_of(span, library.sources)
    return known is None or known < oldest


def _age(span: Span, library: Library) -> str:
    known = day_of(span, library)
    return f"as of {known}" if known is not None else "as of an unknown date"


def _corrected(fact: Fact, library: Library) -> str:
    """The value of a fact that a program corrects, and the value of the library."""
    if fact.shadowed is None:
        return ""
    why = f", because {fact.because}" if fact.because else ""
    old = f"shadows {_shown(fact.shadowed.value)}"
    return f" (corrected at {library.sources.locate(fact.span)}{why}; {old})"


def _place(row: RowValue, library: Library) -> str:
    return library.sources.locate(row.span)


def _added(row: RowValue, library: Library) -> str:
    return f" (added at {_place(row, library)})"


def _title(row: RowValue) -> str:
    """The most telling part of a row, in one line."""
    titles = [row.facts[name].value for name in _TITLES if name in row.facts]
    values = titles or [fact.value for fact in list(row.facts.values())[:3]]
    return ", ".join(_shown(value) for value in values if value is not None)


def _range(table: hir.Table) -> str:
    names = list(table.rows)
    return ", ".join(names) if len(names) <= 6 else f"{names[0]} … {names[-1]}"


def _known(names: tuple[str, ...] | None) -> str:
    return "not known" if names is None else _shown(names)


def _shown(value: Value) -> str:
    """A value for a reader: texts without quotes, lists with commas."""
    match value:
        case str():
            return value
        case tuple():
            return ", ".join(_shown(item) for item in value) or "none"
        case None:
            return "none"
        case _:
            return show(value)


def _pairs(pairs: list[tuple[str, str]], width: int) -> Iterator[str]:
    """Names and texts in two columns, the texts wrapped."""
    left = max((cell_width(name) for name, _ in pairs), default=0)
    for name, text in pairs:
        rows = wrap(safe(text), max(width - left - 4, 20)) or [""]
        pad = " " * (left - cell_width(name))
        yield f"  {name}{pad}  {rows[0]}".rstrip()
        yield from (f"  {' ' * left}  {row}" for row in rows[1:])
