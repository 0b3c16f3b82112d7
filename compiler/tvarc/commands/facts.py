"""`tvarc facts`: the facts of the standard library, with those that the program adds."""

from __future__ import annotations

import sys
from datetime import date
from functools import partial

from tvarc.advice.library.result import Row, Table, row_of, table_of
from tvarc.advice.library.tables import Found, Library, load_library, load_with_program
from tvarc.advice.library.text import row_text, stale, stale_text, table_text, tables_text
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
from tvarc.light import TYPE_CHECKING, dataclass
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import Guess
from tvarc.text.source import SourceMap, UnreadableSource
from tvarc.values.plain import json_text

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
    that was found, not named, and that has errors: its facts are not in the tables.
    """

    library: Library | None
    sink: Sink
    sources: SourceMap
    left_out: str = ""


def library_at_hand(
    file: str | None, cache: Cache, given: tuple[str, ...] = ()
) -> LibraryAtHand:
    """The tables with the rows of the program *file*, by default the nearest, if there is one.
    *given* are checkouts in place of inputs. Errors of a program that was named are errors; `check`
    reports those of any other."""
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
    """What finds the inputs that modules of *program* are taken from."""
    return inputs_by(lambda: read_lock(program, loader, SourceMap(), Sink()), loader, given)
