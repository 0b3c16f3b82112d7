"""`tvarc facts`: what the standard library knows, and what the program at hand makes of it."""

from __future__ import annotations

import sys
from datetime import date

from tvarc.cli import exits
from tvarc.cli.arguments import Arguments, Misused
from tvarc.cli.console import terminal_width
from tvarc.cli.session import Session, run
from tvarc.disk import DiskLoader
from tvarc.library.tables import Library, load_library, load_with_program
from tvarc.library.text import (
    row_data,
    row_text,
    stale_data,
    stale_text,
    table_data,
    table_text,
    tables_text,
)
from tvarc.plain import json_text
from tvarc.programs.find import program_name
from tvarc.resources import stdlib_dir
from tvarc.source import UnreadableSource


def command(given: Arguments) -> int:
    """Show a row, a table or all of them as the program has them, by default the nearest, if there
    is one; with `--stale` those that are old, or of an age that nobody knows. The exit code."""
    name = given.text("name")
    if given.flag("stale") and name is not None:
        raise Misused(f"--stale is about all tables; what is `{name}`?")
    file = given.one_program(())
    return run(given, lambda session: _facts(session, given, file))


def _facts(session: Session, given: Arguments, file: str | None) -> int:
    name, version = given.text("name"), given.text("version")
    library = _library(session, file)
    width = terminal_width(sys.stdout)
    tables = library.within(name) if name is not None else []
    data: object
    if given.flag("stale"):
        data = stale_data(library, today())
        text = stale_text(library, today(), width=width)
    elif name is None:
        data = [table_data(one, library) for one in library.tables.values()]
        text = tables_text(library, width=width)
    elif tables and version is None:
        data = [table_data(one, library) for one in tables]
        text = "\n".join(table_text(one, library, width=width) for one in tables)
    else:
        found = library.meant(name, version, session.sink)
        if not found:
            session.finish(exits.FAILED)
        data = [row_data(one, library) for one in found]
        text = "\n".join(row_text(one, library, width=width) for one in found)
    if given.flag("json"):
        session.console.data(json_text(data))
    else:
        session.console.out(text)
    session.show()
    return exits.OK


def today() -> date:
    """By the clock of this machine."""
    return date.today()


def _library(session: Session, file: str | None) -> Library:
    """The tables as the program has them. Ends the command for faults of a program that was named;
    of another they are for `check` to tell."""
    loader = DiskLoader(stdlib_dir())
    program = program_name(file)
    if program is not None and file is not None:
        try:
            loader.read(program)
        except UnreadableSource as fault:
            session.sink.error(fault.code, f"cannot read `{program}`", notes=(fault.reason,))
            session.finish(exits.FAILED)
    if program is not None:
        own = load_with_program(loader, program, session.cache)
        if file is not None and own.sink.has_errors:
            session.sink, session.sources = own.sink, own.sources
            session.finish(exits.FAILED)
        if own.sink.has_errors:
            session.console.error(
                f"note: `{program}` has errors; what it says of facts is left out, see "
                "`tvarc check`\n"
            )
        elif own.library is not None:
            return own.library
    return load_library(loader, session.cache)
