"""`tvarc lock`: find and keep the hash of each source that has none, and report each source."""

from __future__ import annotations

from tvarc.build.lock.lockfile import LockFile, demand_date
from tvarc.build.lock.printer import source_order
from tvarc.commands.line import exits
from tvarc.commands.line.announcer import Announcer
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, run
from tvarc.commands.programs.locking import Locking, not_locked, read_log
from tvarc.decide.book import Asked, StatedFake
from tvarc.decide.lock import Entry
from tvarc.light import Iterator, Sequence
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap
from tvarc.values.plain import Data, Json, json_text, place_data


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
    found = session.recipes(late=check)  # to find a hash takes the whole text of a recipe
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


def lock_lines(kept: LockFile, missing: Sequence[Asked], unused: Sequence[Entry]) -> Iterator[str]:
    """What became of the lock, for a person; the arguments are those of `lock_data`."""
    for entry in unused:
        yield f"unused: {entry.source.describe()}"
    added = sum(source in kept.on_disk for source in kept.added)
    text = f"{kept.name}: {counted(len(kept.on_disk), 'source')}, {added} added"
    if kept.merged:
        text += ", both sides of a merge kept"
    removed = sum(one.source not in kept.on_disk for one in kept.removed)
    if removed:
        text += f", {removed} removed"
    elif unused:
        text += f", {len(unused)} unused (`--prune` removes them)"
    left = sum(asked.source not in kept.on_disk for asked in missing)
    if left:
        text += f", {left} not locked yet"
    yield text
    if added:
        yield "next: `tvarc build` writes the new hashes into the recipes"


def fake_lines(fakes: Sequence[StatedFake], sources: SourceMap) -> Iterator[str]:
    """Where the program itself states a hash that no content has, which the lock cannot mend."""
    for one in fakes:
        place = place_data(one.place, sources)
        yield f"{one.name}: the program states a fake hash ({place['file']}:{place['line']})"


def lock_data(
    kept: LockFile,
    missing: Sequence[Asked],
    unused: Sequence[Entry],
    fakes: Sequence[StatedFake],
    sources: SourceMap,
) -> Data:
    """Each source that is fetched or locked, and what became of it; and *fakes*, as `fake_lines`.
    *missing* had no hash when the command began, *unused* are entries of no source."""
    places = {asked.source: asked for asked in missing}
    idle = {entry.source for entry in unused}
    known = kept.on_disk  # what could not be written is not locked
    removed = {one.source: one for one in kept.removed if one.source not in known}

    def rows() -> Iterator[Json]:
        for source in sorted({*places, *known, *removed}, key=source_order):
            entry, asked = known.get(source) or removed.get(source), places.get(source)
            way = kept.added.get(source) if source in known else None
            state = "missing" if entry is None else "added" if way is not None else "locked"
            if source in idle:
                state = "removed" if source in removed else "unused"
            fields: Data = {
                name: list(value) if isinstance(value, tuple) else value
                for name, value in source.fields
            }
            yield {
                "source": source.describe(),
                "kind": source.kind,
                "fields": fields,
                "state": state,
                "hash": entry.hash if entry is not None else None,
                "date": entry.date if entry is not None else None,
                "by": entry.by if entry is not None else None,
                "place": place_data(asked.place, sources) if asked is not None else None,
                "command": list(way.command) if way is not None and way.command else None,
                "log_line": way.line if way is not None else None,
            }

    stated: list[Json] = [
        {"source": one.name, "place": place_data(one.place, sources)} for one in fakes
    ]
    return {"lock": kept.name, "sources": list(rows()), "fakes": stated}
