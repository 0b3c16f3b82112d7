"""`tvarc adopt --clean`: the copies that adopting left, removed where they are not needed."""

# ruff: noqa: PTH120
from __future__ import annotations

import os

from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments, Misused
from tvarc.commands.cli.session import Session, run
from tvarc.commands.programs.backups import clean
from tvarc.commands.report.backups import backup_lines, backups_data
from tvarc.values.plain import json_text


def command(given: Arguments) -> int:
    """Remove copies of which the recipe says or builds the same; the exit code."""
    if not given.flag("clean"):
        raise Misused("add --clean; `tvarc build --adopt` adopts files", "--clean")
    file = given.program()
    return run(given, lambda session: _clean(session, given, file))


def _clean(session: Session, given: Arguments, file: str | None) -> int:
    made = session.compile(file)
    session.demand_output()
    session.recipes()
    dry_run = given.flag("dry_run")
    session.use_own_sink()
    found = clean(made, os.path.dirname(made.file), session.sink, dry_run=dry_run)
    session.show()
    if given.flag("json"):
        session.console.data(json_text(backups_data(found, dry_run=dry_run)))
    else:
        lines = backup_lines(found, dry_run=dry_run)
        session.console.out("".join(f"{line}\n" for line in lines))
    if session.sink.has_errors:
        return exits.FAILED
    return exits.OK if all(one.by for one in found) else exits.STALE
