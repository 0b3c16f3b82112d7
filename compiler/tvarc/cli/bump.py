"""`tvarc bump`: one version or commit changed where it is written, what depends on it unlocked."""

from __future__ import annotations

from tvarc import ir
from tvarc.cli import exits
from tvarc.cli.console import json_text
from tvarc.cli.places import UNLOCKED, Edit, let_edits, literal_at, pin_edits, plain_value
from tvarc.cli.session import Session, counted
from tvarc.cli.unchanged_mentions import Mention, Unchanged, unchanged
from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.render_cells import safe
from tvarc.disk import DiskLoader
from tvarc.driver import Compilation, compile_file
from tvarc.light import Final, Iterator, Mapping, Sequence, dataclass, field
from tvarc.lock.book import Hashes
from tvarc.lock.printer import source_order
from tvarc.output.rewrite import rewrite
from tvarc.plain import Data, Json, place_data
from tvarc.report.unified_diff import difference
from tvarc.resources import stdlib_dir
from tvarc.source import Source, Span


class EditedLoader(DiskLoader):
    """Reads from disk, but for the files whose new text it has."""

    __slots__ = ("texts",)

    def __init__(self, std_folder: str, texts: Mapping[str, str]) -> None:
        super().__init__(std_folder)
        self.texts = texts

    def read(self, file: str) -> Source:
        text = self.texts.get(file)
        return super().read(file) if text is None else Source(file, text)


@dataclass(frozen=True, slots=True)
class BumpOptions:
    """`words` are `pin NAME REV` or `NAME VALUE`."""

    file: str | None
    words: tuple[str, ...]
    dry_run: bool
    json: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """One edit: where it stands in the old text, and what stood there."""

    edit: Edit
    place: Data
    old: str


@dataclass(frozen=True, slots=True)
class BumpReport:
    """A bump: `texts` are the old and the new text of each file that differs, `to_lock` are the
    sources whose hash nobody knows now, `pinned` says how many variants a pin is for."""

    name: str
    value: str
    dry_run: bool
    changes: tuple[Change, ...] = ()
    texts: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    to_lock: tuple[str, ...] = ()
    unchanged: Unchanged = field(default_factory=Unchanged)
    pinned: str = ""


def bump(session: Session, options: BumpOptions) -> int:
    """Change one value where it is written; the exit code."""
    name, value = options.words[-2:]
    pin = len(options.words) == 3
    made = session.compile(options.file)
    found = session.recipes()
    assert made.graph is not None
    refused = Sink()
    edits = (pin_edits if pin else let_edits)(name, value, made.graph, refused)
    session.sink = refused
    if refused.has_errors:
        session.finish(exits.FAILED)
    old = {name: source.text for name in made.graph.modules if (source := made.sources.get(name))}
    new = edited(old, edits)
    between = _compiled(session, made, new, options.words)
    stale = list(_stale(made, between, session))
    if session.sink.has_errors:
        session.sources = between.sources
        session.finish(exits.FAILED)
    changes = [*_changes(edits, made), *_changes(stale, between)]
    new |= edited({**old, **new}, stale)
    new = {name: text for name, text in new.items() if text != old[name]}
    report = BumpReport(f"pin {name}" if pin else name, value, options.dry_run)
    if new:
        before = _compiled(session, made, old, options.words)
        after = _compiled(session, made, new, options.words) if stale else between
        missing = sorted(_hashes(after).missing(), key=lambda one: source_order(one.source))
        report = BumpReport(
            report.name, value, options.dry_run, tuple(changes),
            {name: (old[name], text) for name, text in new.items()},
            tuple(one.source.describe() for one in missing),
            unchanged(before, after, name, _old_value(edits[0], old), value, pin=pin),
            _pinned(found, name) if pin else "",
        )  # fmt: skip
        if not options.dry_run:
            _write(session, old, new)
        _keep_new_warnings(session, before, after)
    if options.json:
        session.console.data(bump_data(report))
    else:
        session.console.remark("".join(f"{safe(line)}\n" for line in bump_lines(report)))
    session.show()
    return exits.OK


def _changes(edits: Sequence[Edit], made: Compilation) -> Iterator[Change]:
    for edit in edits:
        source = made.sources.get(edit.span.file)
        old = source.text[edit.span.start : edit.span.end] if source is not None else ""
        if old != edit.text:
            yield Change(edit, place_data(edit.span, made.sources), old)


def _old_value(edit: Edit, texts: Mapping[str, str]) -> str:
    return plain_value(texts[edit.span.file][edit.span.start : edit.span.end])


def _pinned(found: Sequence[ir.Recipe], name: str) -> str:
    """How many variants have the pin *name*."""
    count = sum(recipe.pin is not None and recipe.pin.name == name for recipe in found)
    return f"pin {name} is that of {count} of {counted(len(found), 'variant')}"


def _keep_new_warnings(session: Session, before: Compilation, after: Compilation) -> None:
    """Let the session tell the warnings that the program did not have before; that a hash is
    unlocked is told already."""
    known = {(one.code, one.title) for one in before.sink}
    session.sink, session.sources = Sink(), after.sources
    for one in after.sink:
        if one.code != "W002" and (one.code, one.title) not in known:
            session.sink.add(one)


def edited(texts: Mapping[str, str], edits: Sequence[Edit]) -> dict[str, str]:
    """The texts of the files that *edits* change, with all of them made."""
    found: dict[str, str] = {}
    for edit in sorted(edits, key=lambda edit: edit.span.start, reverse=True):
        file, start, end = edit.span.file, edit.span.start, edit.span.end
        text = found.get(file, texts[file])
        found[file] = text[:start] + edit.text + text[end:]
    return found


def _compiled(
    session: Session, made: Compilation, texts: Mapping[str, str], words: Sequence[str]
) -> Compilation:
    """The program with these texts; ends the command with what breaks."""
    with session.guarded():
        after = compile_file(made.file, EditedLoader(stdlib_dir(), texts), ())
        after.recipes()
    if after.sink.has_errors:
        what = " ".join(words[:-1])
        after.sink.error(
            "E946",
            f"the program does not compile with {safe(what)} = {safe(words[-1])}",
            notes=("nothing was written",),
            help="change what stands below as well",
        )
        session.sink, session.sources = after.sink, after.sources
        session.finish(exits.FAILED)
    return after


def _stale(before: Compilation, after: Compilation, session: Session) -> Iterator[Edit]:
    """The stated hashes that were stated for another source before: they cannot be right now.

    One that is not written beside its source, or that other sources have still, is E946.
    """
    assert after.graph is not None
    old, new = _hashes(before), _hashes(after)
    taken = {hash for asked in old.asked.values() for hash in asked.stated}
    kept = {
        span
        for source, asked in new.asked.items()
        if source in old.asked
        for span in asked.stated.values()
    }
    seen: set[Span] = set()
    for source, asked in new.asked.items():
        if source in old.asked:
            continue
        for hash, span in asked.stated.items():
            if hash not in taken or span in seen:
                continue
            seen.add(span)
            if literal_at(span, after.graph) and span not in kept:
                yield Edit(span, UNLOCKED)
                continue
            session.sink.error(
                "E946",
                f"{source.describe()} would have the hash of another source",
                span,
                "right for other sources, too" if span in kept else "not written here",
                help="write `hash = unlocked` in its place first, and run `tvarc lock`",
            )


def _hashes(made: Compilation) -> Hashes:
    assert made.elaboration is not None
    return made.elaboration.shared.hashes


def _write(session: Session, old: Mapping[str, str], new: Mapping[str, str]) -> None:
    """Put all of *new* in place; where one file refuses, those before it are as they were."""
    done: list[str] = []
    for name, text in new.items():
        if rewrite(name, old[name].encode(), text.encode(), session.sink):
            done.append(name)
            continue
        for other in done:
            rewrite(other, new[other].encode(), old[other].encode(), session.sink)
        session.finish(exits.FAILED)


# --- what is told --------------------------------------------------------------------------------

_LISTED: Final = 12  # lines of one kind; more is a wall of text


def bump_lines(report: BumpReport) -> Iterator[str]:
    """For people: the diff, what was left, and what comes next."""
    if not report.texts:
        yield f"nothing to change: {report.name} is {report.value} already"
        return
    for file, (old, new) in report.texts.items():
        yield from difference(file, old, new, around=2).split("\n")[:-1]
    would = "would be " if report.dry_run else ""
    count = sum(change.edit.text == UNLOCKED for change in report.changes)
    hashes = f", {count} {'hash' if count == 1 else 'hashes'} unlocked" if count else ""
    yield f"{', '.join(report.texts)}: {would}changed{hashes}"
    if report.pinned:
        yield report.pinned
    yield from _listed(
        "still there, as it was:",
        [f"{one.file}:{one.line}: {one.what} in `{one.text}`" for one in report.unchanged.saying],
    )
    yield from _listed(
        "not changed:", [f"{one.file}:{one.line}: {one.what}" for one in report.unchanged.beside]
    )
    if report.unchanged.unknown:
        tables = ", ".join(report.unchanged.unknown)
        yield f"the library knows no {report.value}: there is no such row in {tables}"
    if report.unchanged.row:
        yield f"the library has this commit: {report.unchanged.row}"
    if report.to_lock:
        hashes = f"{counted(len(report.to_lock), 'source')} to lock"
        yield f"{hashes}: `tvarc lock`, or build and `tvarc lock --from-log FILE`"


def _listed(title: str, found: Sequence[str]) -> Iterator[str]:
    if not found:
        return
    yield title
    yield from (f"  {one}" for one in found[:_LISTED])
    if len(found) > _LISTED:
        yield f"  and {len(found) - _LISTED} more: see `--json`"


def bump_data(report: BumpReport) -> str:
    """What `--json` prints."""
    changes: list[Json] = [
        {
            **change.place,
            "old": change.old,
            "new": change.edit.text,
            "unlocked": change.edit.text == UNLOCKED,
        }
        for change in report.changes
    ]
    return json_text(
        {
            "name": report.name,
            "value": report.value,
            "written": bool(report.texts) and not report.dry_run,
            "files": list(report.texts),
            "changes": changes,
            "to_lock": list(report.to_lock),
            "still_there": [_mention_data(one) for one in report.unchanged.saying],
            "not_changed": [_mention_data(one) for one in report.unchanged.beside],
            "tables_without_row": list(report.unchanged.unknown),
            "library_row": report.unchanged.row or None,
            "diff": "".join(difference(file, *texts) for file, texts in report.texts.items()),
        }
    )


def _mention_data(one: Mention) -> Json:
    return {"file": one.file, "line": one.line, "what": one.what, "text": one.text}
