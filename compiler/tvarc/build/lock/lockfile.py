"""The lock as it is written to disk, and the result for each source."""

# ruff: noqa: PTH114, PTH120
from __future__ import annotations

import os
import time

from tvarc.build import messages as msg
from tvarc.build.lock.printer import lock_text
from tvarc.decide.book import Asked, changed
from tvarc.decide.lock import LOCK_NAME, Entry, Lock, differ
from tvarc.files import messages as files_msg
from tvarc.files.output.folders import put_one, reason_of
from tvarc.files.persons import rewrite
from tvarc.light import Final, Sequence, dataclass
from tvarc.meaning.evaluation.fetched import Fetched
from tvarc.text.diagnostics.model import Sink


@dataclass(frozen=True, slots=True)
class Way:
    """How a hash was found: by a program with arguments, or from a line of a log."""

    by: str
    command: tuple[str, ...] = ()
    line: int | None = None


class LockFile:
    """The lock as it is written to disk. Each change is written at once, so that none is lost."""

    def __init__(self, name: str, written: str | None, lock: Lock, sink: Sink) -> None:
        """*name* is the path of the lock. *written* is the text there, None if there is no file.
        *lock* is the content."""
        self.name = name
        self.written = written
        self.entries = entries = dict(lock.entries)
        self.added: dict[Fetched, Way] = {}
        self.removed: list[Entry] = []
        self.on_disk = dict(entries)
        self.merged = self._marked = lock.merged  # the file on disk has merge marks
        self.sink = sink

    def take(self, asked: Asked, hash: str, way: Way) -> bool:
        """Lock *hash* for the source. Returns False after reporting (E942) that another place in
        the program states a different hash."""
        for stated, span in asked.stated.items():
            if differ(stated, hash):
                others = ((asked.place, "and needed here"),)
                pair = (stated, hash)
                changed(self.sink, asked.source, span, "stated here", others, pair, found=way.by)
                return False
        self.entries[asked.source] = Entry(asked.source, hash, _today(), way.by)
        self.added[asked.source] = way
        return True

    def remove(self, entries: Sequence[Entry]) -> None:
        for entry in entries:
            del self.entries[entry.source]
            self.removed.append(entry)

    def save(self) -> bool:
        """Write the lock to disk, unless it already has this content. Returns False after reporting
        (E802) that it cannot be written."""
        # A different layout is no reason to write.
        if self.entries == self.on_disk and not self._marked:
            return True
        text = lock_text(self.entries.values())
        if self.written is not None:
            done = rewrite(self.name, self.written.encode(), text.encode(), self.sink)
        else:
            done = self.create(text.encode())
        if done:
            self.written, self.on_disk = text, dict(self.entries)
            self._marked = False
        return done

    def create(self, data: bytes) -> bool:
        folder = os.path.realpath(os.path.dirname(self.name) or ".")
        try:
            if os.path.lexists(self.name):
                dangling = os.path.islink(self.name)
                raise FileExistsError(
                    0,
                    "it is a link to nothing"
                    if dangling
                    else "another process created it meanwhile",
                )
            put_one(folder, LOCK_NAME, data)
        except OSError as fault:
            reason = reason_of(fault)
            self.sink.report(files_msg.paths.NOT_WRITTEN, file=self.name, reason=reason)
            return False
        return True


_EPOCH: Final = "SOURCE_DATE_EPOCH"
_LAST: Final = 253_402_300_799  # seconds, at the end of the year 9999


def demand_date(sink: Sink) -> None:
    """Report a SOURCE_DATE_EPOCH that is no date. Today's date would be wrong in its place."""
    given = os.environ.get(_EPOCH, "")
    if given and _epoch(given) is None:
        sink.report(
            msg.locks.NO_DATE, lock=LOCK_NAME, variable=_EPOCH, given=given[:40], last=_LAST
        )


def _epoch(given: str) -> int | None:
    """The seconds in *given*; None if it is no number of seconds."""
    plain = given.isascii() and given.isdecimal() and len(given.lstrip("0")) <= len(str(_LAST))
    return int(given) if plain and int(given) <= _LAST else None


def _today() -> str:
    """The date of SOURCE_DATE_EPOCH, or else today's date in UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime(_epoch(os.environ.get(_EPOCH, ""))))
