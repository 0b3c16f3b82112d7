"""`tvarc lock`: find and keep the hash of each source that has none."""

from __future__ import annotations

from tvarc.build.lock.lockfile import demand_date
from tvarc.commands.cli import exits
from tvarc.commands.cli.announcer import Announcer
from tvarc.commands.cli.arguments import Arguments, Misused
from tvarc.commands.cli.session import Session, run
from tvarc.commands.programs.locking import Locking, not_locked, read_log
from tvarc.commands.report.lock_report import fake_lines, lock_data, lock_lines
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.words import counted
from tvarc.values.plain import json_text


def command(given: Arguments) -> int:
    """Add the missing hashes to the lock; the exit code."""
    if given.flag("check") and (given.flag("prune") or given.text("from_log") is not None):
        raise Misused("--check changes nothing: leave out --prune and --from-log")
    file = given.program()
    return run(given, lambda session: _lock(session, given, file))


def _lock(session: Session, given: Arguments, file: str | None) -> int:
    check, log = given.flag("check"), given.text("from_log")
    reports = read_log(log, session.sink) if log is not None else None
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    made = session.compile(file)
    if made.lock.merged and not check:
        # This command writes both sides together.
        made.sink = session.sink = made.sink.without("E943")
    found = session.recipes()
    session.show()
    session.sink = Sink()
    announce = Announcer(session, as_json=given.flag("json"))
    if not check:
        demand_date(session.sink)
        if session.sink.has_errors:
            session.finish(exits.FAILED)
    locking = Locking(made, found, session.sink)
    if not check:
        locking.fill(reports, announce, prune=given.flag("prune"))
    kept, missing, unused = locking.kept, locking.missing, locking.unused
    fakes = locking.fakes
    if given.flag("json"):
        session.console.data(json_text(lock_data(kept, missing, unused, fakes, session.sources)))
    else:
        for asked in missing if check else ():
            announce(f"{not_locked(asked, made)}\n")
        for line in fake_lines(fakes, session.sources):
            announce(f"{line}\n")
        if check:
            announce(f"{counted(len(missing), 'source')} not locked\n")
        for line in () if check else lock_lines(kept, missing, unused):
            announce(f"{line}\n")
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    return exits.STALE if check and (missing or fakes) else exits.OK
