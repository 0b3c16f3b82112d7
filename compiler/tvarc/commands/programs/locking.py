"""The hashes that the lock of a program lacks, found by Nix's fetchers or in a log."""

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
from tvarc.decide.book import Asked, known_hash
from tvarc.decide.lock import LOCK_NAME
from tvarc.files.disk import input_stream, read_named
from tvarc.files.output.folders import reason_of
from tvarc.light import Final, Iterable, Sequence
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource

_LARGEST_LOG: Final = 256 << 20


class Locking:
    """The lock of a program whose recipes are decided: `kept` is on its way to disk, `missing` are
    the sources without a hash, `fakes` the places with one that no content has, `unused` the
    entries of no source."""

    __slots__ = ("_hashes", "_recipes", "fakes", "kept", "missing", "unused")

    def __init__(self, made: Compilation, recipes: Sequence[ir.Recipe], sink: Sink) -> None:
        assert made.elaboration is not None
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
        # The entry of an old version may be wanted still, while the new one cannot be had.
        if prune and not self.kept.sink.has_errors:
            self.kept.remove(self.unused)
        self.kept.save()


def fetch_modules(
    made: Compilation, announce: Announce, sink: Sink, done: dict[Fetched, Way]
) -> bool:
    """Fetch the inputs that modules of the program are taken from, and lock those that have no
    stated hash. Whether something was fetched, so that more of the program can be read; *done* gets
    what was. Faults go to *sink*."""
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
        # For a pipe, the error of the system says what is wrong.
        why = fault.reason if isinstance(fault, UnreadableSource) else reason_of(fault).lower()
        sink.report(msg.programs.UNREADABLE_LOG, name=name, reason=why)
        return None
    # What a shell of Windows has written, such as one that calls into Linux, is UTF-16.
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return read_reports(data.decode("utf-16" if wide else "utf-8", "replace"))
