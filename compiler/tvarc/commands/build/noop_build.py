"""`tvarc build` where nothing has changed, without compiling: a record of the last build shows it.

A record tells what a build without any error has read, what the files that it made are known by,
and its warnings, which stand until something changes. It is only ever a shortcut: whatever is
otherwise than it says, the build goes its ordinary way. What the ordinary way looks for besides
(files of no variant any more, what killed runs left) is looked for here too, by the same functions.

A build of 44 recipes that has nothing to do takes half the CPU so, one of 237 a fifth: `tvarc
build` beside `tvarc build --no-cache`, or the rows "nothing changed" of `bench/` beside the others.
"""

# pathlib costs too much at start.
# ruff: noqa: PTH109, PTH120
from __future__ import annotations

import os

from tvarc.commands.programs.find import program_name, source_from
from tvarc.files.cache import Cache, open_cache
from tvarc.files.disk import Seen
from tvarc.files.output.plan import Author, BuildOptions, Place, Sweep, WriteReport
from tvarc.files.output.record import Expected
from tvarc.files.resources import compiler_state
from tvarc.light import (
    TYPE_CHECKING,
    Any,
    Callable,
    Iterator,
    Protocol,
    Sequence,
    dataclass,
    lru_cache,
    replace,
)
from tvarc.text.diagnostics.model import Diagnostic
from tvarc.text.source import SourceMap

if TYPE_CHECKING:
    from tvarc.commands.build.beside_recipes import Beside


@dataclass(frozen=True, slots=True)
class Record:
    """A build without errors: the files that it read, the files of earlier builds that it looked
    for, if it did, the files as they should be, its warnings as `standing` has them, the lines at
    its end, and its other results as `beside_recipes` has them."""

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
    """What a build would report that has nothing to do; None where that is not known. *progress*
    makes what is called with how many of so many files were looked at."""
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
    from tvarc.commands.build.beside_recipes import read

    return read(record.beside)


def _warnings(record: Record) -> tuple[Sequence[Diagnostic], SourceMap]:
    """Raises Damaged."""
    if not record.warnings:
        return (), SourceMap()
    from tvarc.commands.build.standing import read, sources_of

    warnings = read(record.warnings)
    return warnings, sources_of(warnings)


def keep(
    cache: Cache,
    key: str,
    record: Record,
    warnings: Sequence[Diagnostic] = (),
    beside: Beside | None = None,
) -> None:
    """Put *record* into *cache*: that of a build that reported *warnings* in that order and no
    error. *beside* are its results beside recipes."""
    plain: list[object] | None = []
    if warnings:
        from tvarc.commands.build.standing import written

        plain = written(warnings, record.seen)
    more: Any = None
    if beside is not None:
        from tvarc.commands.build.beside_recipes import written as written_beside

        more = written_beside(beside)
    if plain is not None:
        cache.store(key, _plain(replace(record, warnings=plain, beside=more)))


def record_key(cache: Cache, file: str, root: str, source: str, options: BuildOptions) -> str:
    """The name of the record on the program *file*, which is *source* as seen from the output
    folder *root*; empty if none can be kept. The name depends on all options that decide which
    files exist and what they contain. Other options have no effect on a build that finds all files
    up to date."""
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
    """The record of which *data* is what `_plain` gives. Raises TypeError and ValueError."""
    texts, identities, kinds, swept, warnings, remarks, beside, folders = data
    sweep = None
    if swept is not None:
        name, places = swept
        sweep = Sweep(tuple([Place(*place) for place in places]), Author(name), remove=False)
    seen = Seen(texts, identities, kinds)
    return Record(seen, sweep, Expected(folders), warnings, remarks, beside)
