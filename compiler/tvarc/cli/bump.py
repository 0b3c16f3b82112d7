"""`tvarc bump`: one version or commit changed where it is written, what depends on it unlocked."""

from __future__ import annotations

from tvarc import ir
from tvarc.cli import exits
from tvarc.cli.bumped import Bumped, Change, bump_data, bump_lines, stays
from tvarc.cli.places import UNLOCKED, Edit, let_edits, literal_at, pin_edits, plain_value
from tvarc.cli.session import Session, counted
from tvarc.cli.states import recipes
from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.render_cells import safe
from tvarc.disk import DiskLoader
from tvarc.driver import Compilation, compile_file
from tvarc.light import Iterator, Mapping, Sequence, dataclass
from tvarc.lock.book import Hashes
from tvarc.lock.printer import source_order
from tvarc.output.rewrite import rewrite
from tvarc.plain import place_data
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


def bump(session: Session, options: BumpOptions) -> int:
    """Change one value where it is written; the exit code."""
    name, value = options.words[-2:]
    pin = len(options.words) == 3
    made = session.compile(options.file)
    found = recipes(session, made)
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
    told = Bumped(f"pin {name}" if pin else name, value, options.dry_run)
    if new:
        before = _compiled(session, made, old, options.words)
        after = _compiled(session, made, new, options.words) if stale else between
        missing = sorted(_hashes(after).missing(), key=lambda one: source_order(one.source))
        told = Bumped(
            told.name, value, options.dry_run, tuple(changes),
            {name: (old[name], text) for name, text in new.items()},
            tuple(one.source.describe() for one in missing),
            stays(before, after, name, _old_value(edits[0], old), value, pin=pin),
            _pinned(found, name) if pin else "",
        )  # fmt: skip
        if not options.dry_run:
            _write(session, old, new)
        _keep_new_warnings(session, before, after)
    if options.json:
        session.console.out(bump_data(told))
    else:
        session.console.remark("".join(f"{safe(line)}\n" for line in bump_lines(told)))
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
