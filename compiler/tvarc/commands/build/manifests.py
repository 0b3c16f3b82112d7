"""The manifests of Flox into which a program puts entries: looked at, and written."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.build.manifest.edit import edit
from tvarc.build.manifest.model import Asked, InTheWay, Manifest, Unreadable
from tvarc.build.manifest.wanted import asked
from tvarc.files.output.model import BuildOptions
from tvarc.files.output.shared_file import SharedFile
from tvarc.light import Collection, Final, Sequence
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, SourceMap, Span

_NEW: Final = "version = 1\n"
"""An empty manifest, which every release of Flox accepts."""


Planned = tuple[Manifest, SharedFile]
"""The planned content of a manifest, and the file."""


def manifests_of(
    made: Compilation,
    variants: Sequence[Variant],
    root: str,
    program: str,
    read: Collection[str],
    options: BuildOptions,
    sink: Sink,
) -> list[Planned]:
    """The planned content of each manifest below *root* for *variants*. *program* is the name by
    which its entries are known, *read* the files that it reads. Errors are reported."""
    found: list[Planned] = []
    for one in asked(made, variants) if not sink.has_errors else ():
        file = SharedFile(root, one.path, read, sink)
        if file.refused:
            continue
        if file.garbled:
            sink.error(
                "E805",
                f"`{one.path}` cannot be edited: line {file.garbled} of it is not UTF-8",
                one.span,
                "this output adds entries to it",
                help="save it as UTF-8, as TOML requires, and build again; nothing was written",
            )
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
        found.append((Manifest(one, edited, file.text is None), file))
    return found


def write_manifests(found: Sequence[Planned], options: BuildOptions) -> None:
    """Write each that differs, unless the run only checks."""
    only_checks = options.check or options.dry_run
    for one, file in found:
        if not one.differs:
            continue
        if options.adopt and one.edited.changed:
            one.adopted = file.keep(one.edited.text, copy=not only_checks)
            if one.adopted is None:
                continue
        if not only_checks:
            file.write(one.edited.text)


def _refuse_unreadable(
    one: Asked, text: str, fault: Unreadable, sources: SourceMap, sink: Sink
) -> None:
    sources.add(Source(one.path, text))
    sink.error(
        "E805",
        f"`{one.path}` cannot be edited: {fault.reason}",
        Span(one.path, fault.start, max(fault.end, fault.start)),
        "here" if fault.end else "",
        others=((one.span, "this output adds entries to it"),),
        help=fault.help or "fix the file, and build again; nothing was written",
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
        sink.error(
            "E801",
            f"entry `{entry.name}` of `{one.path}` is in the way: it {words}",
            Span(one.path, start, end),
            "differs from the program",
            help="to keep it, leave out the variant with `only`; to replace it, build with "
            "`--adopt`, which shows the differences and keeps a copy, or with `--force`, which "
            "keeps no copy",
        )


def _place(text: str, name: str) -> tuple[int, int]:
    """The line of the entry *name* in *text*, as far as its key shows."""
    at = 0
    for line in text.splitlines(keepends=True):
        key = line.strip().removeprefix("[install.").removeprefix("install.").lstrip("\"'")
        if key.startswith(name) and key[len(name) :].lstrip("\"'")[:1] in ("", " ", "=", ".", "]"):
            return at + len(line) - len(line.lstrip()), at + len(line.rstrip())
        at += len(line)
    return 0, 0
