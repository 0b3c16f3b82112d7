"""`tvarc bump`: one version or commit changed where it is written, what depends on it unlocked."""

from __future__ import annotations

import difflib

from tvarc.cli import exits
from tvarc.cli.places import UNLOCKED, Edit, let_edits, literal_at, pin_edits
from tvarc.cli.session import Session, counted
from tvarc.cli.states import recipes
from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.render_cells import safe
from tvarc.disk import DiskLoader
from tvarc.driver import Compilation, compile_file
from tvarc.light import Iterator, Mapping, Sequence
from tvarc.lock.book import Hashes
from tvarc.output.rewrite import rewrite
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


def bump(session: Session, file: str | None, words: Sequence[str], *, dry_run: bool) -> int:
    """`pin NAME REV` or `NAME VALUE`; the exit code."""
    made = session.compile(file)
    recipes(session, made)
    assert made.graph is not None and made.elaboration is not None
    refused = Sink()
    if len(words) == 3:
        edits = pin_edits(words[1], words[2], made.graph, refused)
    else:
        edits = let_edits(words[0], words[1], made.graph, refused)
    session.sink = refused
    if refused.has_errors:
        session.finish(exits.FAILED)
    old = {name: source.text for name in made.graph.modules if (source := made.sources.get(name))}
    new = edited(old, edits)
    between = _compiled(session, made, new, words)
    stale = list(_stale(made, between, session))
    if session.sink.has_errors:
        session.sources = between.sources
        session.finish(exits.FAILED)
    new |= edited({**old, **new}, stale)
    if stale:
        _compiled(session, made, new, words)
    new = {name: text for name, text in new.items() if text != old[name]}
    if not new:
        session.console.remark("nothing to change\n")
        return exits.OK
    _show_diff(session, old, new)
    if not dry_run:
        _write(session, old, new)
    unlocked = len(stale) + sum(edit.text == UNLOCKED for edit in edits)
    told = f"{', '.join(new)}: {'would be changed' if dry_run else 'changed'}"
    if unlocked:
        told += f", {counted(unlocked, 'hash')[:-1] + 'hes' if unlocked > 1 else '1 hash'} unlocked"
    session.console.remark(f"{safe(told)}; then run `tvarc lock`\n")
    return exits.OK


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


def _show_diff(session: Session, old: Mapping[str, str], new: Mapping[str, str]) -> None:
    for name, text in new.items():
        lines = difflib.unified_diff(
            old[name].splitlines(), text.splitlines(), name, name, lineterm="", n=2
        )
        session.console.remark("".join(f"{safe(line)}\n" for line in lines))


def _write(session: Session, old: Mapping[str, str], new: Mapping[str, str]) -> None:
    for name, text in new.items():
        if not rewrite(name, old[name].encode(), text.encode(), session.sink):
            session.finish(exits.FAILED)
