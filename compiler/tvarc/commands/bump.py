"""`tvarc bump`: change a version or a commit where it is written, unlock what depends on it, and
report the change."""

from __future__ import annotations

from tvarc.build.bump.left_behind import OldSource
from tvarc.build.bump.plan import BumpReport, Change, Planned, Refused, decide_all, plan_bump
from tvarc.build.bump.unchanged_mentions import Mention, places_by_file
from tvarc.build.lock.lockfile import Way
from tvarc.commands.line import exits
from tvarc.commands.line.announcer import Announcer
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.lock import fetch_modules, lock_known
from tvarc.commands.shown.unified_diff import difference
from tvarc.files.persons import rewrite_all
from tvarc.light import Final, Iterator, Sequence, dataclass
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.render_cells import safe
from tvarc.values.plain import json_text

_LISTED: Final = 12  # the number of lines that are shown with their text


@in_session
def command(session: Session, given: Arguments) -> int:
    """Change one value where it is written; the exit code."""
    file, words = given.program_and_words(folders=False)
    commit = len(words) == 3 and words[0] in ("pin", "input")
    of_axis = len(words) == 4 and words[0] == "axis"
    if len(words) != 2 and not commit and not of_axis:
        raise Misused(
            "write `bump NAME VALUE`, `bump TABLE.ROW.FACT VALUE`, `bump axis NAME OLD NEW`, "
            "`bump pin NAME REV` or `bump input NAME REV`"
        )
    dry_run = given.flag("dry_run")
    made = session.compile(file)
    decide_all(made)
    session.stop_on_errors()
    only = given.words("only")
    chosen = session.select(only) if only else ()
    done = plan_bump(made, words, dry_run=dry_run, chosen=chosen)
    announce = Announcer(session, as_json=given.flag("json"))
    faults, fetched = Sink(), dict[Fetched, Way]()
    while not dry_run and isinstance(done, Planned) and done.after.wanted:
        if not fetch_modules(done.after, announce, faults, fetched):
            announce("".join(f"{fault.title}\n" for fault in faults))
            break
        done = plan_bump(made, words, dry_run=dry_run, chosen=chosen)
    if isinstance(done, Refused):
        session.sink, session.sources = done.sink, done.sources
        session.finish(exits.FAILED)
    report = done.report
    if not dry_run:
        session.sink = Sink()
        # An unused entry of the lock is harmless.
        if report.locked:
            lock_known(done.after, report.locked, session.sink)
        if session.sink.has_errors or not rewrite_all(report.texts, session.sink):
            session.finish(exits.FAILED)
    session.sink, session.sources = done.warnings, done.sources
    if given.flag("json"):
        session.console.data(json_text(result_of(report)))
    else:
        lines = "".join(f"{safe(line)}\n" for line in bump_lines(report))
        session.console.remark(lines, whole=True)
    session.show()
    return exits.OK


def bump_lines(report: BumpReport) -> Iterator[str]:
    """For people: the diff, unchanged values, and the next steps."""
    if not report.texts:
        yield f"nothing to change: {report.name} is {report.value} already"
        yield from _locked(report)
        return
    for file, (old, new) in report.texts.items():
        yield from difference(file, old, new, around=2).split("\n")[:-1]
    would = "would be " if report.dry_run else ""
    count = sum(change.unlocked for change in report.changes)
    hashes = f", {count} {'hash' if count == 1 else 'hashes'} unlocked" if count else ""
    yield f"{', '.join(report.texts)}: {would}changed{hashes}"
    if report.reached:
        yield report.reached
    yield from (f"{source.path}: {source.said}" for source in report.outdated)
    yield from _listed(
        "these lines still have the old value:",
        report.unchanged.saying,
        [f"{one.file}:{one.line}: {one.what} in `{one.text}`" for one in report.unchanged.saying],
    )
    yield from _listed(
        "not changed:", report.unchanged.beside,
        [f"{one.file}:{one.line}: {one.what}" for one in report.unchanged.beside],
    )  # fmt: skip
    if report.unchanged.unknown:
        tables = ", ".join(report.unchanged.unknown)
        yield f"the library does not know {report.value}: it is not in {tables}"
    if report.unchanged.row:
        yield f"the library has this commit: {report.unchanged.row}"
    yield from _locked(report)
    if report.to_lock:
        hashes = (
            f"{len(report.to_lock)} {'source' if len(report.to_lock) == 1 else 'sources'} to lock"
        )
        yield f"{hashes}: run `tvarc lock`, or build and run `tvarc lock --from-log FILE`"


def _locked(report: BumpReport) -> Iterator[str]:
    would = "would be " if report.dry_run else ""
    for asked, _ in report.locked:
        yield f"{would}locked with the library's hash: {asked.source.describe()}"


def _listed(title: str, found: Sequence[Mention], texts: Sequence[str]) -> Iterator[str]:
    """The first places in *found* with their *texts*, and the line numbers of the others."""
    if not found:
        return
    yield title
    yield from (f"  {one}" for one in texts[:_LISTED])
    if len(found) > _LISTED:
        rest = places_by_file([f"{one.file}:{one.line}" for one in found[_LISTED:]])
        yield f"  and {len(found) - _LISTED} more: {rest}"


@dataclass(frozen=True, slots=True)
class Locked:
    """A source and the hash that the library has of it."""

    source: str
    hash: str


@dataclass(frozen=True, slots=True)
class Result:
    """The changes, and the places that were left although they may depend on a change."""

    name: str
    """The `let`, or `pin` and the name of a pin."""
    value: str
    """Its new value."""
    written: bool
    """False with `--dry-run`, and where there was nothing to change."""
    files: tuple[str, ...]
    """The files that differ."""
    changes: tuple[Change, ...]
    to_lock: tuple[str, ...]
    """The sources that have no known hash now."""
    locked: tuple[Locked, ...]
    """The sources whose hash the lock takes from the library."""
    outdated: tuple[OldSource, ...]
    """The sources with a new version of which a part is still old."""
    still_there: tuple[Mention, ...]
    """Lines that still contain the old value, and the words that do."""
    not_changed: tuple[Mention, ...]
    """Other versions, and sources that are fetched as before."""
    tables_without_row: tuple[str, ...]
    """Tables of the library that know the old value and not the new one."""
    library_row: str | None
    """The row of the library that has the new commit of a pin, and its hash there."""
    diff: str
    """The change in the form of `diff -u`."""


def result_of(report: BumpReport) -> Result:
    """The output of `--json`."""
    return Result(
        name=report.name,
        value=report.value,
        written=bool(report.texts) and not report.dry_run,
        files=tuple(report.texts),
        changes=report.changes,
        to_lock=report.to_lock,
        locked=tuple(Locked(asked.source.describe(), hash_) for asked, hash_ in report.locked),
        outdated=report.outdated,
        still_there=report.unchanged.saying,
        not_changed=report.unchanged.beside,
        tables_without_row=report.unchanged.unknown,
        library_row=report.unchanged.row or None,
        diff="".join(difference(file, *texts) for file, texts in report.texts.items()),
    )
