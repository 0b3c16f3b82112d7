"""A command that runs again after each change of a file that it has read, until the user ends it. A
run notes which files it reads. Then it compares their states every 0.05 seconds. That costs little
beside a run, and works on each file system without a library.
"""

# ruff: noqa: PTH109, PTH116
from __future__ import annotations

import gc
import os
import select
import sys
from time import monotonic

from tvarc.commands.line import exits
from tvarc.commands.line.console import Console, close_streams
from tvarc.commands.line.exits import interrupted
from tvarc.commands.line.session import Ended, Session
from tvarc.files.cache import open_cache
from tvarc.files.disk import Seen, WatchingLoader
from tvarc.files.resources import stdlib_dir, stdlib_files
from tvarc.light import Final, Sequence, suppress
from tvarc.text.diagnostics.model import Diagnostic, Format, Severity
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap, UnreadableSource

PAUSE: Final = 0.05
"""Seconds between two looks at the files. A file that was just written is read when it has not
changed for one pause."""

_State = tuple[int, ...]

class RunsScreen(Console):
    """Shows one run after another. Lines that the previous run has also printed are not
    repeated."""

    __slots__ = ("_known", "_lines", "errors", "warnings")

    def __init__(self, format: Format) -> None:
        super().__init__(format)
        self.errors = self.warnings = 0
        self._known: list[tuple[str, ...]] = []
        self._lines: frozenset[str] = frozenset()

    def diagnostics(self, items: Sequence[Diagnostic], sources: SourceMap) -> None:
        """Show errors after each run, and warnings when they are new."""
        self.count(items)
        known = [(one.code, one.title, *[label.text for label in one.labels]) for one in items]
        is_new, self._known = known != self._known, known
        if is_new or self.errors or self.format is not Format.TEXT:
            super().diagnostics(items, sources)

    def count(self, items: Sequence[Diagnostic]) -> None:
        """Note how many errors and warnings this run has."""
        self.errors = sum(one.severity is Severity.ERROR for one in items)
        self.warnings = len(items) - self.errors

    def news(self, lines: Sequence[str]) -> None:
        """Print the *lines* that the previous run did not print."""
        for line in lines:
            if line not in self._lines:
                self.remark(f"{line}\n")
        self._lines = frozenset(lines)

    def watching(self, files: int) -> None:
        """Report that the first run has ended."""
        self.remark(f"watching {counted(files, 'file')}: Ctrl-C ends it\n")

    def stopped(self) -> None:
        """Report that the user has ended the command."""
        self.remark("stopped\n")


class Following:
    """A command that runs again and again over the program *file*. A subclass implements a run in
    `turn`, and the report of a run with errors in `failed`."""

    __slots__ = (
        "_before", "_cache", "_file", "_first", "_home", "_inputs", "_others", "_readers", "_seen",
        "_streams", "code", "screen",
    )  # fmt: skip

    def __init__(
        self, screen: RunsScreen, file: str | None, inputs: Sequence[str], *, cached: bool
    ) -> None:
        self.screen = screen
        self.code = exits.OK
        self._file = file
        self._inputs = inputs
        self._cache = open_cache(wanted=cached)
        self._cache.parsed = {}
        self._streams = _streams()
        self._readers = select.poll()
        for number in self._streams:
            self._readers.register(number, 0)  # the only report is that the reader has gone away
        self._home = ""
        with suppress(OSError):  # it may have been removed
            self._home = os.getcwd()
        self._first = True
        self._seen = Seen({}, {}, {})
        # Files whose state counts, and not their content: the library, and those of `also`.
        self._others: list[str] = []
        self._before: list[_State] = []

    def turn(self, session: Session, loader: WatchingLoader, began: float) -> None:
        """Do and report a run that began at the time *began*. Raises Ended."""
        raise NotImplementedError

    def failed(self, session: Session, end: Ended, seconds: float) -> None:
        """Report a run that ended with *end*, after its errors are shown."""
        raise NotImplementedError

    def follow(self) -> int:
        """Run after each change, until the user ends it; the exit code."""
        try:
            while self.build() and self.wait():
                pass
        except KeyboardInterrupt as fault:
            if interrupted(fault) != exits.INTERRUPTED:
                return interrupted(fault)
            self.screen.stopped()
            return exits.OK
        return self.code

    def build(self) -> bool:
        """Run once; returns whether to continue. The program must exist before the first run, and
        the output must have a reader after each run."""
        self._seen = self._run()
        is_there = not self._first or any(self._seen.texts.values())
        if self._first and is_there:
            self.screen.watching(sum(map(bool, self._seen.texts.values())))
        close_streams()
        self._forget()
        return is_there and _streams() == self._streams

    def _run(self) -> Seen:
        """Run once; the files that the run has read."""
        self._others, self._before = [], []
        self.also([stdlib_dir(), *stdlib_files()])
        loader = WatchingLoader(stdlib_dir())
        if self._file is not None:
            with suppress(UnreadableSource):
                loader.kind(self._file)  # records whether it is a folder that contains the program
        began = monotonic()
        session = Session(self.screen, inputs=self._inputs, cache=self._cache)
        try:
            with session.guarded():
                self.turn(session, loader, began)
                self.code = exits.OK
        except Ended as end:
            self.code = end.code
            self.failed(session, end, monotonic() - began)
        return loader.seen

    def also(self, files: Sequence[str]) -> None:
        """Run again when the state of one of *files* changes."""
        self._others += files
        self._before += _states(files)

    def wait(self) -> bool:
        """Wait until a file has changed since the last run, and none has in the last pause; False
        if a reader of the output has gone away."""
        files = [*self._seen.texts, *self._seen.kinds]
        proven = rested = None
        while not self._readers.poll(PAUSE * 1000):
            self._return_home()
            if self.is_due():
                return True
            now = (_states(files), _states(self._others))
            if now == rested and now != proven:
                if now[1] != self._before or not self._seen.still_so():
                    return True
                proven = now
            rested = now
        return False

    def is_due(self) -> bool:
        """Whether to run again although no file has changed."""
        return False

    def _return_home(self) -> None:
        """Enter the current folder again if it was removed and there is another one in its place.
        """
        with suppress(OSError):
            if os.stat(os.curdir).st_nlink == 0:
                os.chdir(self._home)

    @property
    def has_continued(self) -> bool:
        """Whether the last run has continued from what an earlier one has kept."""
        return False

    def _forget(self) -> None:
        """Free the memory of the last run: a program has many reference cycles. What the first run
        has left, such as the code of the compiler, is never searched again, so it must keep no
        program. What a run has continued from is not searched, either: only new objects are."""
        gc.collect(1 if self.has_continued else 2)
        if self._first:
            gc.freeze()
        self._first = False


def _streams() -> dict[int, tuple[int, int]]:
    """The targets of both streams, by their handles. They differ after a reader has gone away."""
    found: dict[int, tuple[int, int]] = {}
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            with suppress(OSError):  # a stream in memory has no file
                number = stream.fileno()
                one = os.fstat(number)
                found[number] = (one.st_dev, one.st_ino)
    return found


def _states(files: Sequence[str]) -> list[_State]:
    """The state of each of *files* that the system changes when the file is written, replaced or
    removed."""
    return [_state(file) for file in files]


def _state(file: str) -> _State:
    try:
        one = os.stat(file)
    except (OSError, ValueError):
        return ()
    return (one.st_dev, one.st_ino, one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns)
