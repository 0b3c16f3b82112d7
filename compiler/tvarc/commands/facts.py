"""`tvarc facts`: the facts of the standard library, with those that the program adds."""

from __future__ import annotations

import sys
from datetime import date, timedelta
from functools import partial

from tvarc.advice.library.relations import as_of, named_sources, relations
from tvarc.advice.library.tables import Found, Library, load_library, load_with_program
from tvarc.build.driver import inputs_by, read_lock
from tvarc.commands import messages as msg
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import terminal_width
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.programs.find import program_name
from tvarc.files.cache import Cache
from tvarc.files.disk import DiskLoader, report_unreadable
from tvarc.files.resources import stdlib_dir
from tvarc.light import TYPE_CHECKING, Final, Iterator, Mapping, Sequence, dataclass
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.render_cells import cell_width, safe, wrap
from tvarc.text.diagnostics.suggest import Guess
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap, Span, UnreadableSource
from tvarc.values.plain import ABSENT, Absent, json_text
from tvarc.values.value import Fact, RowValue, Value, show

if TYPE_CHECKING:
    from tvarc.meaning.declarations.from_inputs import ModuleInputs


@in_session
def command(session: Session, given: Arguments) -> int:
    """Show a row, a table or all tables, with the facts of the program, by default the nearest, if
    there is one. With `--stale`, show rows that are old or have no date. The exit code."""
    name = given.text("name")
    if given.flag("stale") and name is not None:
        raise Misused(f"--stale checks all tables; leave out `{name}`")
    file = given.one_program(())
    name, version = given.text("name"), given.text("version")
    at_hand = library_at_hand(file, session.cache, session.inputs)
    library = at_hand.library
    if library is None:
        session.sink, session.sources = at_hand.sink, at_hand.sources
        session.finish(exits.FAILED)
    if at_hand.left_out:
        session.console.error(
            f"note: `{at_hand.left_out}` has errors, so its own facts are left out: see "
            "`tvarc check`\n"
        )
    width = terminal_width(sys.stdout)
    tables = library.within(name) if name is not None else []
    result: list[Row | Table]
    if given.flag("stale"):
        result = [
            row_of(one, library) if isinstance(one, Found) else table_of(one, library)
            for one in stale(library, today())
        ]
        text = stale_text(library, today(), width=width)
    elif name is None:
        result = [table_of(one, library) for one in library.tables.values()]
        text = tables_text(library, width=width)
    elif tables and version is None:
        result = [table_of(one, library) for one in tables]
        text = "\n".join(table_text(one, library, width=width) for one in tables)
    else:
        found = library.meant(name, version)
        if not found:
            _report_unknown(library, name, version, session.sink)
            session.finish(exits.FAILED)
        result = [row_of(one, library) for one in found]
        text = "\n".join(row_text(one, library, width=width) for one in found)
    if given.flag("json"):
        session.console.data(json_text(result, library.sources))
    else:
        session.console.out(text)
    session.show()
    return exits.OK


def _report_unknown(library: Library, name: str, version: str | None, sink: Sink) -> None:
    """Report that *library* has no row *name*, or none of that *version* (E907)."""
    tables = library.within(name)
    words = name if version is None else f"{name} {version}"
    of_table = tables and version is not None
    known = [row for table in tables for row in table.rows] or list(library.tables)
    near = None if tables else library.suggestion(words) or library.suggestion(name)
    sink.report(
        msg.selection.UNKNOWN_FACT,
        what=f"`{name}` of version {version}" if of_table else f"`{words}`",
        known=", ".join(known),
        guess=Guess(near or ""),
    )


def today() -> date:
    """Today's date by the clock of this machine."""
    return date.today()


@dataclass(frozen=True, slots=True)
class LibraryAtHand:
    """The tables; None with errors in `sink`, which are about `sources`. `left_out` is a program
    with errors that was found and not named by the user. Its facts are not in the tables.
    """

    library: Library | None
    sink: Sink
    sources: SourceMap
    left_out: str = ""


def library_at_hand(
    file: str | None, cache: Cache, given: tuple[str, ...] = ()
) -> LibraryAtHand:
    """The tables with the rows of the program *file*, by default the nearest, if there is one.
    *given* are checkouts in place of inputs. Errors of a named program are reported here. `check`
    reports those of any other program."""
    loader = DiskLoader(stdlib_dir())
    sink, sources = Sink(), SourceMap()
    program = program_name(file)
    left_out = ""
    if program is not None and file is not None:
        try:
            loader.read(program)
        except UnreadableSource as fault:
            report_unreadable(fault, sink)
            return LibraryAtHand(None, sink, sources)
    if program is not None:
        own = load_with_program(loader, program, cache, partial(_inputs, program, loader, given))
        if own.sink.has_errors and file is not None:
            return LibraryAtHand(None, own.sink, own.sources)
        if own.sink.has_errors:
            left_out = program
        elif own.library is not None:
            return LibraryAtHand(own.library, sink, sources)
    return LibraryAtHand(load_library(loader, cache), sink, sources, left_out)


def _inputs(program: str, loader: DiskLoader, given: tuple[str, ...]) -> ModuleInputs:
    """The finder of the inputs from which *program* takes modules."""
    return inputs_by(lambda: read_lock(program, loader, SourceMap(), Sink()), loader, given)


# --- as a result ------------------------------------------------------------------------------


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
    goes_with: Mapping[str, Sequence[str] | None]
    """The names of rows that it goes with, by how: the GPUs of a toolkit, for instance. Null if it
    is not known."""


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


# --- for a person -----------------------------------------------------------------------------


# These facts say how reliable the other facts of a row are. They are printed below, under their own
# title.
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
    sure = [
        (name, facts[name].value)
        for name in _SOURCES
        if name in facts and facts[name].value is not None
    ]
    if sure:
        lines += ["", "How sure:", *_pairs([(name, _shown(value)) for name, value in sure], width)]
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
    """Whether *row*, a row of *table*, is in a different file."""
    return row.span.file != table.span.file


def _stale_pair(one: hir.Table | Found, library: Library) -> tuple[str, str]:
    if not isinstance(one, Found):
        return one.name, _age(one.span, library)
    row = one.row
    return f"{one.table.name}.{row.name}", f"{_age(row.span, library)}{_added(row, library)}"


def stale(library: Library, today: date) -> Iterator[hir.Table | Found]:
    """The tables that were not compared with their sources within a year before *today*, or without
    a date; then the rows that a program adds of which the same is true."""
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
    """The most informative part of a row, in one line."""
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


