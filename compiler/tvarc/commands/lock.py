"""`tvarc lock`: find and keep the hash of each source that has none, and report each source."""

# ruff: noqa: PTH118, PTH120
from __future__ import annotations

import codecs
import os

from tvarc.build.driver import Compilation
from tvarc.build.lock.fill import Announce, fetch_all, fetch_module, from_log
from tvarc.build.lock.lockfile import LockFile, Way, demand_date
from tvarc.build.lock.log import Reports, read_reports
from tvarc.build.lock.match_reports import match_reports
from tvarc.build.lock.printer import source_order
from tvarc.commands import messages as msg
from tvarc.commands.line import exits
from tvarc.commands.line.announcer import Announcer
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, in_session
from tvarc.decide.book import Asked, StatedFake, known_hash
from tvarc.decide.lock import LOCK_NAME, Entry
from tvarc.files.disk import input_stream, read_named
from tvarc.files.output.folders import reason_of
from tvarc.light import Final, Iterable, Iterator, Literal, Mapping, Sequence, dataclass
from tvarc.meaning.evaluation.fetched import Fetched, Field, Kind
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap, Span, UnreadableSource
from tvarc.values.plain import Ordinal, json_text


@in_session
def command(session: Session, given: Arguments) -> int:
    """Add the missing hashes to the lock; the exit code."""
    if given.flag("check") and (given.flag("prune") or given.text("from_log") is not None):
        raise Misused("--check changes nothing: leave out --prune and --from-log")
    file = given.program()
    check, log = given.flag("check"), given.text("from_log")
    reports = read_log(log, session.sink) if log is not None else None
    session.end_on_errors()
    made = session.compile(file)
    announce = Announcer(session, as_json=given.flag("json"))
    if check and made.wanted and not made.sink.without("E213").has_errors:
        unlocked = any(one.hash is None for one in made.wanted)
        session.finish(exits.STALE if unlocked else exits.UNJUDGED)
    fetched: dict[Fetched, Way] = {}
    while made.wanted and not check:
        # The fetched modules may need others.
        faults = Sink()
        if not fetch_modules(made, announce, faults, fetched):
            session.sink = faults if faults.has_errors else session.sink
            session.finish(exits.FAILED)
        made = session.compile(file)
    if made.lock.merged and not check:
        # This command writes both sides together.
        made.sink = session.sink = made.sink.without("E943")
    found = session.recipes(late=check)  # finding a hash needs the whole text of a recipe
    read = {one.primary for one in session.sink if one.code == "W002"}
    session.show()
    session.sink = Sink()
    if not check:
        demand_date(session.sink)
        session.end_on_errors()
    locking = Locking(made, found, session.sink)
    added = {source: way for source, way in fetched.items() if source in locking.kept.entries}
    locking.kept.added.update(added)
    if not check:
        locking.fill(reports, announce, prune=given.flag("prune"))
    kept, missing, unused = locking.kept, locking.missing, locking.unused
    fakes = locking.fakes
    if given.flag("json"):
        session.console.data(json_text(result_of(kept, missing, unused, fakes), session.sources))
    else:
        for asked in missing if check else ():
            announce(f"{not_locked(asked, made)}\n")
        for asked in missing:
            # Other kinds of sources may go without a hash.
            if asked.source.kind == "call" and asked.place not in read:
                place = session.sources.locate(asked.place)
                announce(f"{asked.source.describe()}: no variant reads this hash ({place})\n")
        for line in fake_lines(fakes, session.sources):
            announce(f"{line}\n")
        if check:
            stated = f", {counted(len(fakes), 'fake hash', 'fake hashes')}" if fakes else ""
            announce(f"{counted(len(missing), 'source')} not locked{stated}\n")
        for line in () if check else lock_lines(kept, missing, unused):
            announce(f"{line}\n")
    session.end_on_errors()
    return exits.STALE if check and (missing or fakes) else exits.OK


def lock_lines(kept: LockFile, missing: Sequence[Asked], unused: Sequence[Entry]) -> Iterator[str]:
    """The lines on the lock for a person; the arguments are those of `result_of`."""
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
    """Lines on the places where the program itself states a fake hash, which the lock cannot
    correct."""
    for one in fakes:
        yield f"{one.name}: the program states a fake hash ({sources.locate(one.place)})"


State = Literal["locked", "added", "missing", "unused", "removed"]


@dataclass(frozen=True, slots=True)
class Locked:
    """A source that the program leaves to its lock."""

    source: str
    """As a person knows it."""
    kind: Kind
    fields: Mapping[str, Field]
    """The source that is fetched, as in the lock."""
    state: State
    """`added` and `removed` happened in this run; `unused` stays in the lock though this program
    does not use it."""
    hash: str | None
    """In SRI form; null while it is missing."""
    date: str | None
    """When it was got, YYYY-MM-DD in UTC."""
    by: str | None
    """How it was got: a program of Nix, or `log`."""
    place: Span | None
    """Where the program asks for a hash that was missing when the command began."""
    command: tuple[str, ...] | None
    """The words of the program that was run for it in this run."""
    log_line: Ordinal | None
    """The line of the log that it was taken from in this run."""


@dataclass(frozen=True, slots=True)
class Result:
    """Each source that the program leaves to its lock, with its outcome."""

    lock: str
    """The lock's file."""
    sources: tuple[Locked, ...]
    fakes: tuple[StatedFake, ...]
    """The places at which the program itself states a hash that no content has. The lock does not
    mend them."""


def result_of(
    kept: LockFile,
    missing: Sequence[Asked],
    unused: Sequence[Entry],
    fakes: Sequence[StatedFake],
) -> Result:
    """The output of `--json`: *missing* had no hash when the command began, *unused* are entries of
    no source."""
    places = {asked.source: asked for asked in missing}
    idle = {entry.source for entry in unused}
    known = kept.on_disk  # a source is not locked if its entry could not be written
    removed = {one.source: one for one in kept.removed if one.source not in known}

    def row(source: Fetched) -> Locked:
        entry, asked = known.get(source) or removed.get(source), places.get(source)
        way = kept.added.get(source) if source in known else None
        state: State = "missing" if entry is None else "added" if way is not None else "locked"
        if source in idle:
            state = "removed" if source in removed else "unused"
        return Locked(
            source=source.describe(),
            kind=source.kind,
            fields=dict(source.fields),
            state=state,
            hash=entry.hash if entry is not None else None,
            date=entry.date if entry is not None else None,
            by=entry.by if entry is not None else None,
            place=asked.place if asked is not None else None,
            command=way.command or None if way is not None else None,
            log_line=way.line if way is not None else None,
        )

    order = sorted({*places, *known, *removed}, key=source_order)
    return Result(kept.name, tuple(map(row, order)), tuple(fakes))


# --- the lock on its way to disk --------------------------------------------------------------


_LARGEST_LOG: Final = 256 << 20


class Locking:
    """The lock of a program whose recipes are decided. `kept` is the lock to write, `missing` are
    the sources without a hash, `fakes` the places with a fake hash, and `unused` the entries of no
    source."""

    __slots__ = ("_hashes", "_recipes", "fakes", "kept", "missing", "unused")

    def __init__(self, made: Compilation, recipes: Sequence[ir.Recipe], sink: Sink) -> None:
        self._recipes = recipes
        self._hashes = hashes = made.elaboration.shared.hashes
        self.missing = sorted(hashes.missing(), key=lambda one: source_order(one.source))
        self.fakes = sorted(hashes.fakes, key=lambda one: (one.place, one.name))
        self.unused = hashes.unused()
        self.kept = _lock_file(made, sink)

    def fill(self, reports: Reports | None, announce: Announce, *, prune: bool) -> None:
        """Find the missing hashes, in *reports* if there are any, and write the lock; with *prune*
        without unused entries."""
        if reports is not None:
            matched = match_reports(reports.found, self._hashes)
            done = not self.missing
            from_log(reports, matched, self.fakes, self.kept, announce, done=done)
        else:
            elsewhere = self._hashes.elsewhere
            fetch_all(self.missing, self._recipes, self.kept, announce, elsewhere)
        # The entry of an old version may still be needed while the new one cannot be fetched.
        if prune and not self.kept.sink.has_errors:
            self.kept.remove(self.unused)
        self.kept.save()


def fetch_modules(
    made: Compilation, announce: Announce, sink: Sink, done: dict[Fetched, Way]
) -> bool:
    """Fetch the inputs from which the program takes modules, and lock those without a stated hash.
    Returns whether something was fetched, so that more of the program can be read. *done* gets the
    fetched inputs, *sink* the errors."""
    demand_date(sink)
    if sink.has_errors:
        return False
    kept = _lock_file(made, sink)
    wanted = [one for one in made.wanted if one.source not in done]
    for one in wanted:
        asked = Asked(one.source, one.span)
        way = fetch_module(asked, one.hash, kept, announce)
        if way is not None:
            done[one.source] = way
    return bool(wanted) and not sink.has_errors


def _lock_file(made: Compilation, sink: Sink) -> LockFile:
    """The lock of a program, with its text on disk."""
    name = os.path.join(os.path.dirname(made.file), LOCK_NAME)
    source = made.sources.get(made.loader.join(made.file, LOCK_NAME))
    return LockFile(name, source.text if source is not None else None, made.lock, sink)


def not_locked(asked: Asked, made: Compilation) -> str:
    """A line on a source without a hash: with the hash, if the library has it."""
    known = made.hash_in_library(asked.source)
    return f"{asked.source.describe()}: not locked" + (
        f"; the library has `{known_hash(known)}`" if known else ""
    )


def lock_known(made: Compilation, known: Iterable[tuple[Asked, str]], sink: Sink) -> None:
    """Lock the sources of a program whose hashes the library knows."""
    kept = Locking(made, (), sink).kept
    for asked, hash_ in known:
        kept.take(asked, hash_, Way("library"))
    if not sink.has_errors:
        kept.save()


def read_log(name: str, sink: Sink) -> Reports | None:
    """The hashes in the log *name*, `-` for the input; None after reporting that it cannot be
    read."""
    try:
        piped = name == "-"
        data = (
            input_stream().read(_LARGEST_LOG)
            if piped
            else read_named(name, _LARGEST_LOG, binary=True)  # UTF-16 has them
        )
    except (OSError, UnreadableSource) as fault:
        # For a pipe, the error of the system states the reason.
        why = fault.reason if isinstance(fault, UnreadableSource) else reason_of(fault)
        sink.report(msg.programs.UNREADABLE_LOG, name=name, reason=why)
        return None
    # A shell of Windows, such as one that calls into Linux, writes UTF-16.
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return read_reports(data.decode("utf-16" if wide else "utf-8", "replace"))
