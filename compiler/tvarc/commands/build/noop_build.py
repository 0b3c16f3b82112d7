"""`tvarc build` without compiling, if a record of the last build shows that nothing has changed.

A record has the files that a build without errors has read, the states of the files that it made,
and its warnings, which stay valid until something changes. If anything differs from the record, an
ordinary build runs. An ordinary build also looks for files of former variants and for remains of
killed runs. This module looks for them, too, by the same functions.

A build that has nothing to do takes half the CPU in this way with 44 recipes, and a fifth with 237.
To measure it, compare `tvarc build` with `tvarc build --no-cache`, or see the rows "nothing
changed" of `bench/`.
"""

# pathlib costs too much at start.
# ruff: noqa: PTH109, PTH120
from __future__ import annotations

import os

from tvarc.commands.programs.find import program_name, source_from
from tvarc.files.cache import Cache, Damaged, open_cache
from tvarc.files.disk import DiskLoader, Seen
from tvarc.files.output.plan import Author, BuildOptions, Place, Shared, Sweep, WriteReport
from tvarc.files.output.record import Expected
from tvarc.files.resources import compiler_state, stdlib_dir
from tvarc.light import (
    Any,
    Callable,
    Iterator,
    Protocol,
    Sequence,
    dataclass,
    lru_cache,
    replace,
)
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity, Sink
from tvarc.text.source import SourceMap, Span, UnreadableSource


@dataclass(frozen=True, slots=True)
class Record:
    """A build without errors: the files that it read, the files of earlier builds that it looked
    for, if it did, the files as they should be, its warnings as `warnings_as_data` gives them, the
    lines at its end, and its other results as `beside_as_data` gives them."""

    seen: Seen
    sweep: Sweep | None
    expected: Expected
    warnings: Any
    remarks: tuple[str, ...]
    beside: Any


@dataclass(frozen=True, slots=True)
class Nothing:
    """A build that has nothing to do: its report, the paths of its files, the warnings with their
    sources, the lines at its end, and its results beside recipes."""

    report: WriteReport
    root: str
    paths: Iterator[str]
    warnings: Sequence[Diagnostic]
    sources: SourceMap
    remarks: tuple[str, ...]
    beside: Beside | None


def noop_build(options: BuildOptions, progress: Callable[[int], Watcher]) -> Nothing | None:
    """The report of a build that has nothing to do; None if it may have something to do. *progress*
    makes a `Watcher` for the number of files that are checked."""
    file = program_name(options.file)
    if file is None:
        return None
    root = os.path.dirname(file) if options.out is None else options.out
    try:
        return _found(file, root, options, progress)
    except (OSError, AttributeError, TypeError, ValueError, MemoryError):  # damaged data, too
        return None


class Watcher(Protocol):
    """Called with the progress of a run, while it runs."""

    def __call__(self, done: int) -> None: ...

    def __enter__(self) -> Watcher: ...

    def __exit__(self, *_: object) -> None: ...


def _found(
    file: str, root: str, options: BuildOptions, progress: Callable[[int], Watcher]
) -> Nothing | None:
    """Raises OSError, ValueError and Damaged."""
    cache = open_cache()
    data = cache.load(record_key(cache, file, root, source_from(file, root), options))
    if data is None:
        return None
    record = _read(data)
    if not record.seen.still_so():
        return None
    beside = _beside(record)
    if beside is not None and not beside.still_so(root):
        return None
    with progress(record.expected.count) as watcher:
        report = record.expected.confirmed(
            os.path.realpath(root),
            record.sweep,
            check=options.check or options.dry_run,
            progress=watcher,
        )
    if report is None:
        return None
    warnings, sources = _warnings(record)
    paths = record.expected.paths()
    return Nothing(report, root, paths, warnings, sources, record.remarks, beside)


def _beside(record: Record) -> Beside | None:
    """Raises Damaged."""
    if record.beside is None:
        return None
    return beside_of(record.beside)


def _warnings(record: Record) -> tuple[Sequence[Diagnostic], SourceMap]:
    """Raises Damaged."""
    if not record.warnings:
        return (), SourceMap()
    warnings = warnings_of(record.warnings)
    return warnings, sources_of(warnings)


def keep(
    cache: Cache,
    key: str,
    record: Record,
    warnings: Sequence[Diagnostic] = (),
    beside: Beside | None = None,
) -> None:
    """Store *record* in *cache*. Its build reported *warnings*, in this order, and no error.
    *beside* are its results besides recipes."""
    plain: list[object] | None = []
    if warnings:
        plain = warnings_as_data(warnings, record.seen)
    more: Any = None
    if beside is not None:
        more = beside_as_data(beside)
    if plain is not None:
        cache.store(key, _plain(replace(record, warnings=plain, beside=more)))


def record_key(cache: Cache, file: str, root: str, source: str, options: BuildOptions) -> str:
    """The name of the record on the program *file*, which is *source* as seen from the output
    folder *root*; empty if there can be no record. The name depends on all options that decide
    which files exist and what they contain. Other options have no effect on a build that finds all
    files up to date."""
    try:
        where = (os.getcwd(), file, root, os.path.realpath(root), source)
        state = state_at_start()
    except OSError:
        return ""
    settings = [word for setting in options.settings for word in setting]
    asked = (str(options.locked), str(len(options.only)), *options.only, *settings)
    return cache.key("build", "\0".join((state, *where, *asked)))


@lru_cache(maxsize=1)
def state_at_start() -> str:
    """The state of the compiler with which this process has started. Raises OSError."""
    return compiler_state().decode("utf-8", "surrogateescape")


# --- as plain data ---------------------------------------------------------------------------


def _plain(record: Record) -> object:
    seen, sweep = record.seen, record.sweep
    swept = None
    if sweep is not None:
        swept = (sweep.author.name, [(place.folder, place.steps) for place in sweep.places])
    return (
        seen.texts, seen.identities, seen.kinds, swept, record.warnings, record.remarks,
        record.beside, record.expected.folders,
    )  # fmt: skip


def _read(data: Any) -> Record:
    """The record that `_plain` wrote as *data*. Raises TypeError and ValueError."""
    texts, identities, kinds, swept, warnings, remarks, beside, folders = data
    sweep = None
    if swept is not None:
        name, places = swept
        sweep = Sweep(tuple([Place(*place) for place in places]), Author(name), remove=False)
    seen = Seen(texts, identities, kinds)
    return Record(seen, sweep, Expected(folders), warnings, remarks, beside)


# --- what a build made beside recipes ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Beside:
    """Files that are reported `apart`, by their paths; `shared` ones that need no change; and the
    digests of these, by their paths. `tops` has the top folder of a repository for each real folder
    from which it was searched."""

    apart: tuple[str, ...]
    shared: tuple[Shared, ...]
    digests: dict[str, str]
    tops: dict[str, str]

    def still_so(self, root: str) -> bool:
        """Whether all of these results are unchanged below *root*."""
        from tvarc.files.git.repository import top_of
        from tvarc.files.persons import SharedFile

        return all(top_of(folder) == top for folder, top in self.tops.items()) and all(
            _digest(SharedFile(root, path, (), Sink()).text) == digest
            for path, digest in self.digests.items()
        )


def beside(
    apart: Sequence[str],
    shared: Sequence[Shared],
    tops: dict[str, str],
    *,
    writes: bool,
) -> Beside | None:
    """The results of a build besides recipes. None if the next build would have something to do or
    to report. If a build does not *write*, that includes files that differ."""
    if any(one.stale or one.kept or (one.differs and not writes) for one in shared):
        return None
    digests = {one.path: _digest(one.text) for one in shared}
    done = [_done(one.path, one.is_page, one.total) for one in shared]
    return Beside(tuple(apart), tuple(done), digests, tops)


def _done(path: str, is_page: bool, total: int) -> Shared:
    """A file in which all entries or parts are as they should be."""
    return Shared(path, "", is_page, unchanged=total)


def _digest(text: str | None) -> str:
    from tvarc.digest import blake2b

    return "" if text is None else blake2b(text.encode(), digest_size=32).hexdigest()


def beside_as_data(found: Beside) -> Any:
    """*found* as plain data for `beside_of`."""
    shared = [(one.path, one.is_page, one.unchanged) for one in found.shared]
    return found.apart, shared, found.digests, found.tops


def beside_of(data: Any) -> Beside:
    apart, shared, digests, tops = data
    return Beside(apart, tuple([_done(*one) for one in shared]), digests, tops)


# --- its warnings -----------------------------------------------------------------------------


def warnings_as_data(warnings: Sequence[Diagnostic], seen: Seen) -> list[object] | None:
    """*warnings* as plain data, in the order of the report; None if one of them cannot be reported
    again, because it is an error, or is about a text that is not in a file."""
    found: list[object] = []
    for one in warnings:
        known = all(_readable(label.span.file, seen) for label in one.labels)
        if one.severity is not Severity.WARNING or not known:
            return None
        labels = [
            (label.span.file, label.span.start, label.span.end, label.text, label.primary)
            for label in one.labels
        ]
        found.append((one.code, one.title, labels, one.notes, one.help, one.name))
    return found


def _readable(file: str, seen: Seen) -> bool:
    return file.startswith("std/") or bool(seen.texts.get(file))


def warnings_of(data: Any) -> list[Diagnostic]:
    """The inverse of `warnings_as_data`."""
    warnings: list[Diagnostic] = []
    for code, title, places, notes, help, name in data:
        labels = tuple(
            [
                Label(Span(file, start, end), text, primary)
                for file, start, end, text, primary in places
            ]
        )
        warnings.append(Diagnostic(code, title, labels, notes, help, Severity.WARNING, name))
    return warnings


def sources_of(warnings: Sequence[Diagnostic]) -> SourceMap:
    """The sources that *warnings* are about. Raises Damaged if one no longer exists."""
    loader, sources = DiskLoader(stdlib_dir()), SourceMap()
    try:
        for file in {label.span.file: None for one in warnings for label in one.labels}:
            sources.add(loader.read(file))
    except UnreadableSource as fault:
        raise Damaged from fault
    return sources
