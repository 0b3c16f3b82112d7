"""Reads and writes the manifests of Flox into which a program puts entries."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.build.manifest.edit import edit
from tvarc.build.manifest.model import Asked, InTheWay, Unreadable
from tvarc.build.manifest.wanted import asked
from tvarc.commands import messages as msg
from tvarc.files.output.plan import BuildOptions, Shared
from tvarc.files.persons import SharedFile
from tvarc.light import Collection, Final, Sequence
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, SourceMap, Span

_NEW: Final = "version = 1\n"
"""An empty manifest, which every release of Flox accepts."""


def manifests_of(
    made: Compilation,
    variants: Sequence[Variant],
    root: str,
    program: str,
    read: Collection[str],
    options: BuildOptions,
    sink: Sink,
) -> list[tuple[Shared, SharedFile]]:
    """The planned content of each manifest below *root* for *variants*. *program* is the name that
    marks its entries, *read* the files that it reads. Errors are reported."""
    found: list[tuple[Shared, SharedFile]] = []
    for one in asked(made, variants) if not sink.has_errors else ():
        file = SharedFile(root, one.path, read, sink)
        if file.refused:
            continue
        if file.garbled:
            message = msg.outputs.MANIFEST_NOT_UTF8
            sink.report(message, one.span, file=one.path, line=file.garbled)
            continue
        text = _NEW if file.text is None else file.text
        try:
            edited = edit(
                text,
                one.entries,
                program,
                whole=not options.only,
                prune=options.prune,
                take=options.force or options.adopt,
            )
        except Unreadable as fault:
            _refuse_unreadable(one, text, fault, made.sources, sink)
            continue
        if edited.in_the_way:
            _refuse_in_the_way(one, text, edited.in_the_way, made.sources, sink)
            continue
        planned = Shared(
            one.path, edited.text, False, file.text is None, edited.added, edited.changed,
            edited.removed, edited.unchanged, edited.stale, edited.kept, bool(edited.changed),
        )  # fmt: skip
        found.append((planned, file))
    return found


def _refuse_unreadable(
    one: Asked, text: str, fault: Unreadable, sources: SourceMap, sink: Sink
) -> None:
    sources.add(Source(one.path, text))
    sink.report(
        msg.outputs.BAD_MANIFEST,
        Span(one.path, fault.start, max(fault.end, fault.start)),
        others=[one.span],
        file=one.path,
        reason=fault.reason,
        label="here" if fault.end else "",
        advice=fault.help,
    )


def _refuse_in_the_way(
    one: Asked, text: str, found: Sequence[InTheWay], sources: SourceMap, sink: Sink
) -> None:
    sources.add(Source(one.path, text))
    for entry in found:
        match entry.kind:
            case "edited":
                words = "was changed by hand since tvarc wrote it"
            case "program":
                words = f"belongs to another program, `{entry.program}`"
            case "foreign":
                words = "was not written by tvarc"
        start, end = _place(text, entry.name)
        sink.report(
            msg.outputs.ENTRY_IN_THE_WAY,
            Span(one.path, start, end),
            name=entry.name,
            file=one.path,
            why=words,
        )


def _place(text: str, name: str) -> tuple[int, int]:
    """The line of the entry *name* in *text*, which is found by its key."""
    at = 0
    for line in text.splitlines(keepends=True):
        key = line.strip().removeprefix("[install.").removeprefix("install.").lstrip("\"'")
        if key.startswith(name) and key[len(name) :].lstrip("\"'")[:1] in ("", " ", "=", ".", "]"):
            return at + len(line) - len(line.lstrip()), at + len(line.rstrip())
        at += len(line)
    return 0, 0
