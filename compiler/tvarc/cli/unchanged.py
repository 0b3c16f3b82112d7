"""`tvarc build` where nothing has changed, without compiling: a record of the last build shows it.

A record tells what a build without any message has read, and what the files that it made are known
by. It is only ever a shortcut: whatever is otherwise than it says, the build goes its ordinary way,
and so do its messages. What the ordinary way looks for besides (files of no variant any more, what
killed runs left) is looked for here too, by the same functions.
"""

# pathlib costs too much at start.
# ruff: noqa: PTH109, PTH120
from __future__ import annotations

import os

from tvarc.cache import Cache, open_cache
from tvarc.cli import exits
from tvarc.cli.console import Console
from tvarc.cli.options import BuildOptions
from tvarc.cli.program import find_source, source_from, source_name
from tvarc.disk import Seen
from tvarc.light import Final, Iterator, Sequence, dataclass, suppress
from tvarc.output.model import Place, Sweep, WriteReport
from tvarc.output.record import Expected, Notes, expected_of
from tvarc.output.rivals import Author
from tvarc.packed import Damaged, opened, pack, sealed, unpack
from tvarc.resources import compiler_state

_HEAD: Final = 4  # bytes that say how long the head is
_NUMBERS: Final = 5  # that every head has


@dataclass(frozen=True, slots=True)
class Record:
    """A build without any message: what it read, what it looked for that the program has no longer,
    if it did, and the files as they should be."""

    seen: Seen
    sweep: Sweep | None
    expected: Expected


def confirmed(console: Console, options: BuildOptions) -> int | None:
    """The exit code of a build that has nothing to do, which is told; None where that is not
    known, and nothing was told."""
    file = source_name(options.file) if options.file else find_source()
    if file is None:
        return None
    root = os.path.dirname(file) if options.out is None else options.out
    try:
        found = _found(console, file, root, options)
    except KeyboardInterrupt:
        return exits.INTERRUPTED
    except (OSError, ValueError, Damaged, MemoryError):
        return None
    if found is None:
        return None
    report, paths = found
    from tvarc.cli.told import tell
    from tvarc.source import SourceMap

    console.diagnostics((), SourceMap())
    tell(console, report, root, options, paths)
    return exits.OK


def _found(
    console: Console, file: str, root: str, options: BuildOptions
) -> tuple[WriteReport, Iterator[str]] | None:
    """What the build of *file* into *root* would report, and the paths of its recipes; raises
    OSError, ValueError and Damaged."""
    cache = open_cache()
    data = cache.get(record_key(cache, file, root, source_from(file, root), options))
    if data is None:
        return None
    record = _read(data)
    if not record.seen.still_so():
        return None
    from tvarc.cli.progress import Progress

    with Progress(console, record.expected.count) as progress:
        report = record.expected.confirmed(
            os.path.realpath(root),
            record.sweep,
            check=options.check or options.dry_run,
            progress=progress,
        )
    return (report, record.expected.paths()) if report is not None else None


def keep(cache: Cache, key: str, seen: Seen, sweep: Sweep | None, notes: Notes) -> None:
    """Put into *cache* the record of a build that told nothing, of which all files are as *notes*
    has them."""
    expected = notes.expected()
    if expected is not None:
        with suppress(ValueError):  # a name that is no Unicode: it is compiled each time
            cache.put(key, _written(Record(seen, sweep, expected)))


def record_key(cache: Cache, file: str, root: str, source: str, options: BuildOptions) -> str:
    """The name of the record on the program *file*, which is *source* as seen from the output
    folder *root*; empty where none can be kept. It tells what decides which files there are and
    what is in them; the other options have no part in a build that finds all as it should be."""
    try:
        where = (os.getcwd(), file, root, os.path.realpath(root), source)
        state = _state()
    except OSError:
        return ""
    settings = [word for setting in options.settings for word in setting]
    asked = (str(options.locked), str(len(options.only)), *options.only, *settings)
    return cache.key("build", "\0".join((state, *where, *asked)))


_states: list[str] = []  # of the compiler as this process started with it


def _state() -> str:
    if not _states:
        _states.append(compiler_state().decode("utf-8", "surrogateescape"))
    return _states[0]


# --- as bytes --------------------------------------------------------------------------------


def _written(record: Record) -> bytes:
    """Raises ValueError for names that are no Unicode."""
    seen, sweep, expected = record.seen, record.sweep, record.expected
    places = sweep.places if sweep is not None else ()
    numbers = [expected.count, expected.longest, len(seen.texts), len(seen.identities)]
    numbers += [sweep is not None, *[place.steps for place in places]]
    texts = [word for pair in (*seen.texts.items(), *seen.identities.items()) for word in pair]
    if sweep is not None:
        texts += [sweep.author.name, *[place.folder for place in places]]
    head = pack(numbers, texts)
    return sealed([len(head).to_bytes(_HEAD, "little"), head, *expected.parts])


def _read(data: bytes) -> Record:
    """Raises Damaged."""
    body = opened(data)
    end = _HEAD + int.from_bytes(body[:_HEAD], "little")
    found, words = unpack(body[_HEAD:end])
    numbers = list(found)
    if len(numbers) < _NUMBERS:
        raise Damaged
    count, longest, texts, identities, swept = numbers[:_NUMBERS]
    seen = Seen(_pairs(words[: 2 * texts]), _pairs(words[2 * texts : 2 * (texts + identities)]))
    rest, steps = words[2 * (texts + identities) :], numbers[_NUMBERS:]
    if len(rest) != len(steps) + swept:
        raise Damaged
    sweep = None
    if swept:
        places = tuple(map(Place, rest[1:], steps))
        sweep = Sweep(places, Author(rest[0]), remove=False)
    return Record(seen, sweep, expected_of(count, longest, body[end:]))


def _pairs(words: Sequence[str]) -> dict[str, str]:
    return dict(zip(words[::2], words[1::2], strict=True))
