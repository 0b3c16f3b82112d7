"""`tvarc watch`: builds the program, and again after each change of a file that it reads.

A build notes which files it reads. Then their states are compared every 0.05 seconds. That costs
little beside a build, and works on each file system without a library.
"""

# ruff: noqa: PTH109, PTH112, PTH116, PTH118, PTH120
from __future__ import annotations

import errno
import gc
import os
import select
import sys
from time import monotonic

from tvarc.build.assembly.kept import Kept
from tvarc.commands.build.command import built, tell
from tvarc.commands.build.result import Result as Written
from tvarc.commands.build.result import result_of
from tvarc.commands.build.text import (
    common_folder,
    plain,
    remaining_lines,
    removed_lines,
    untracked_lines,
)
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.console import Console, close_streams
from tvarc.commands.line.exits import interrupted
from tvarc.commands.line.session import Ended, Session
from tvarc.commands.programs.find import program_name
from tvarc.commands.programs.outputs import swept_places
from tvarc.files.cache import open_cache
from tvarc.files.disk import Seen, WatchingLoader
from tvarc.files.output.kept import KeptFiles
from tvarc.files.output.plan import BuildOptions
from tvarc.files.resources import stdlib_dir, stdlib_files
from tvarc.light import TYPE_CHECKING, Final, Iterator, Literal, Sequence, dataclass, suppress
from tvarc.text.diagnostics.model import Diagnostic, Format, Severity, first_errors
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap, UnreadableSource
from tvarc.values.plain import ABSENT, Absent, Count, Json, json_text

if TYPE_CHECKING:
    from tvarc.commands.build.full_build import Built

PAUSE: Final = 0.05
"""Seconds between two looks at the files. A file that was just written is read when it has not
changed for one pause."""

_NAMED: Final = 5  # of the files that were written
_REFUSED: Final = 50
"""The refused files that are watched. While another one is refused as well, nothing can be written.
"""
_ROOM: Final = 1 << 16  # bytes that must be free again on a full disk before it is tried again

_State = tuple[int, ...]
_Kind = Literal["written", "failed", "stopped"]


@dataclass(frozen=True, slots=True)
class Event:
    """What happened in a watch. Each event is one line."""

    event: _Kind
    """`written`: the program was built. `failed`: it has errors, or a file could not be written.
    `stopped`: a person ended the watch."""
    errors: Count
    warnings: Count
    diagnostics: tuple[Json, ...]
    """The errors and warnings, as `--format json` has them."""
    milliseconds: Count | Absent
    build: Written | Absent
    """What `build --json` prints."""


def command(given: Arguments) -> int:
    """Build the program after each change, until a person ends it; the exit code."""
    file = program_name(given.program())
    options = BuildOptions(
        file,
        given.text("out"),
        given.words("only"),
        (
            *(("--flag", text) for text in given.words("flag")),
            *(("--set", text) for text in given.words("set")),
        ),
        check=False,
        force=False,
        json=given.flag("json"),
        prune=given.flag("prune"),
        git=not given.flag("no_git"),
        locked=given.flag("locked"),
        inputs=given.words("input"),
    )
    screen = Screen(given.console().format, as_json=options.json)
    watch = Watch(screen, options, cached=not given.flag("no_cache"))
    try:
        while watch.build() and watch.wait():
            pass
    except KeyboardInterrupt as fault:
        if interrupted(fault) != exits.INTERRUPTED:
            return interrupted(fault)
        watch.screen.stopped()
        return exits.OK
    return watch.code


class Screen(Console):
    """Shows one build after another. Warnings that the build before had as well are not repeated.
    """

    __slots__ = ("_known", "_lines", "as_json", "errors", "found", "warnings")

    def __init__(self, format: Format, *, as_json: bool) -> None:
        super().__init__(format)
        self.as_json = as_json
        self.errors = self.warnings = 0
        self.found: tuple[Json, ...] = ()  # the diagnostics of this build, for `as_json`
        self._known: list[tuple[str, ...]] = []
        self._lines: frozenset[str] = frozenset()

    def diagnostics(self, items: Sequence[Diagnostic], sources: SourceMap) -> None:
        self.errors = sum(one.severity is Severity.ERROR for one in items)
        self.warnings = len(items) - self.errors
        known = [(one.code, one.title, *[label.text for label in one.labels]) for one in items]
        is_new, self._known = known != self._known, known
        if self.as_json:
            import json

            from tvarc.text.diagnostics.render_json import render_json

            shown, _ = first_errors(items)
            self.found = tuple(json.loads(render_json(shown, sources))["diagnostics"])
        elif is_new or self.errors or self.format is not Format.TEXT:
            super().diagnostics(items, sources)

    def event(
        self, event: _Kind, seconds: float | None = None, build: Written | Absent = ABSENT
    ) -> None:
        """Print *event* as a line of JSON, with the diagnostics of this build."""
        took = ABSENT if seconds is None else round(seconds * 1000)
        result = Event(event, self.errors, self.warnings, self.found, took, build)
        self.data(json_text(result, indent=None))

    def news(self, lines: Sequence[str]) -> None:
        """Print those of *lines* that were not among the last ones."""
        for line in lines:
            if line not in self._lines:
                self.remark(f"{line}\n")
        self._lines = frozenset(lines)

    def stopped(self) -> None:
        self.errors, self.warnings, self.found = 0, 0, ()
        if self.as_json:
            self.event("stopped")
        else:
            self.remark("stopped: the files stay as they are\n")


class Watch:
    """A program that is built again and again. Between two builds it keeps what the last one has
    read, and the printed texts of what it has decided."""

    __slots__ = (
        "_before", "_cache", "_first", "_full", "_home", "_kept", "_kept_files", "_others",
        "_readers", "_seen", "_streams", "code", "options", "screen",
    )  # fmt: skip

    def __init__(self, screen: Screen, options: BuildOptions, *, cached: bool) -> None:
        self.screen = screen
        self.options = options
        self.code = exits.OK
        self._cache = open_cache(wanted=cached)
        self._streams = _streams()
        self._readers = select.poll()
        for number in self._streams:
            self._readers.register(number, 0)  # it reports only that the reader has gone away
        self._home = ""
        with suppress(OSError):  # it may have been removed
            self._home = os.getcwd()
        self._first = True
        self._kept = Kept()
        self._kept_files = KeptFiles(self._kept.key)
        self._seen = Seen({}, {}, {})
        # Files of which the state counts, not the content: the library and, after a refused
        # write, the files and their folders.
        self._others: list[str] = []
        self._before: list[_State] = []
        # The folder of a full disk, and the bytes that must be free there.
        self._full: tuple[str, int] | None = None

    def build(self) -> bool:
        """Build once, and report it; whether to go on. Before the first build, the program must be
        there, and after each one somebody must read the output."""
        self._others = [stdlib_dir(), *stdlib_files()]
        self._before = _states(self._others)
        self._full = None
        loader = WatchingLoader(stdlib_dir())
        if self.options.file is not None:
            with suppress(UnreadableSource):
                loader.kind(self.options.file)  # a folder there stands for a program in it
        began = monotonic()
        session = Session(self.screen, inputs=self.options.inputs, cache=self._cache)
        try:
            with session.guarded():
                done = built(
                    session,
                    self.options,
                    loader,
                    recorded=False,
                    kept=self._kept,
                    compare=self._kept_files.compare,
                )
        except Ended as end:
            self.code = end.code
            self._end(whole=False)
            self._failed(session, end, monotonic() - began)
        else:
            assert done is not None
            self._end(whole=True)
            self.code = exits.OK
            self._report(done, monotonic() - began)
        self._seen = loader.seen
        is_there = not self._first or any(self._seen.texts.values())
        if self._first and is_there and not self.screen.as_json:
            files = counted(sum(map(bool, self._seen.texts.values())), "file")
            self.screen.remark(f"watching {files}: Ctrl-C ends it\n")
        close_streams()
        self._forget()
        return is_there and _streams() == self._streams

    def _end(self, *, whole: bool) -> None:
        """End a build, which was *whole* if all files are written."""
        self._kept.end(whole=whole)
        self._kept_files.end(whole=whole)

    def _failed(self, session: Session, end: Ended, seconds: float) -> None:
        made = session.compilation
        if made is not None:
            home = os.path.dirname(made.file) if self.options.out is None else self.options.out
            paths = [one.one_file for one in (*made.program.documents, *made.program.manifests)]
            if end.closing:
                paths += [place.folder for place in swept_places(made)]
            paths += [path for path, _ in end.unwritten[:_REFUSED]]
            found = [os.path.join(home, one) or os.curdir for one in paths]
            self._others += found
            self._before += _states(found)
            full = os.strerror(errno.ENOSPC)
            if any(reason == full for _, reason in end.unwritten):
                folder = os.path.dirname(found[-1])
                self._full = (folder, _room(folder) + _ROOM)
        if self.screen.as_json:
            self.screen.event("failed", seconds)
        elif not end.closing:
            self.screen.error(f"{session.counts()}; nothing was written\n")

    def _report(self, done: Built, seconds: float) -> None:
        options, screen = self.options, self.screen
        if screen.as_json:
            result = result_of(done.report, done.root or ".", options, done.shared)
            screen.event("written", seconds, result)
            return
        if self._first:
            tell(screen, done.report, done.root, options, done.paths, done)
        else:
            screen.remark(f"{_line(done, seconds)}\n")
        screen.news([*(() if self._first else _lines(done, options)), *done.remarks])

    def wait(self) -> bool:
        """Wait until a file has changed since the last build, and none has in the last pause; False
        if somebody who read the output has gone away."""
        files = [*self._seen.texts, *self._seen.kinds]
        proven = rested = None
        while not self._readers.poll(PAUSE * 1000):
            self._return_home()
            if self._full is not None and _room(self._full[0]) >= self._full[1]:
                return True
            now = (_states(files), _states(self._others))
            if now == rested and now != proven:
                if now[1] != self._before or not self._seen.still_so():
                    return True
                proven = now
            rested = now
        return False

    def _return_home(self) -> None:
        """Enter the current folder again if it was removed and there is another one in its place.
        """
        with suppress(OSError):
            if os.stat(os.curdir).st_nlink == 0:
                os.chdir(self._home)

    def _forget(self) -> None:
        """Free the memory of the last build: a program is full of rings. What is still there after
        the first build, such as the code of the compiler, stays, and is not searched again."""
        gc.collect()
        if self._first:
            gc.freeze()
            self._first = False


def _streams() -> dict[int, tuple[int, int]]:
    """The places that both streams go to, by their handles: others when their readers have gone
    away."""
    found: dict[int, tuple[int, int]] = {}
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and not stream.closed:
            with suppress(OSError):  # a stream in memory has no file
                number = stream.fileno()
                one = os.fstat(number)
                found[number] = (one.st_dev, one.st_ino)
    return found


def _room(folder: str) -> int:
    """The bytes that are free on the disk of *folder*, which may have to be made."""
    while folder and not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    try:
        found = os.statvfs(folder or os.curdir)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize


def _states(files: Sequence[str]) -> list[_State]:
    """What the system changes in each of *files* when somebody writes, replaces or removes it."""
    return [_state(file) for file in files]


def _state(file: str) -> _State:
    try:
        one = os.stat(file)
    except (OSError, ValueError):
        return ()
    return (one.st_dev, one.st_ino, one.st_mode, one.st_size, one.st_mtime_ns, one.st_ctime_ns)


def _line(done: Built, seconds: float) -> str:
    """`2 of 237 files in recipes written in 0.14 s: a.nix, b.nix`"""
    report = done.report
    folder = common_folder(report.folders)
    written = [path.removeprefix(f"{folder}/") for path in report.written]
    written += [one.path for one in done.shared if one.differs]
    total = len(report.written) + report.unchanged + len(done.shared)
    where = f" in {os.path.join(done.root, folder)}" if folder or done.root else ""
    line = f"{len(written)} of {counted(total, 'file')}{where} written in {seconds:.2f} s"
    if written:
        line += f": {', '.join(written[:_NAMED])}"
    more = len(written) - _NAMED
    return plain(f"{line} and {more} more" if more > 0 else line)


def _lines(done: Built, options: BuildOptions) -> Iterator[str]:
    """What else `build` reports of the recipes."""
    yield from map(plain, removed_lines(done.report, options))
    yield from map(plain, remaining_lines(done.report, options))
    if options.git and done.report.created:
        yield from untracked_lines(done.report, done.root, done.paths)
