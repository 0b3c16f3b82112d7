"""`tvarc watch`: builds the program, and repeats this after each change of a file that it reads."""

# ruff: noqa: PTH112, PTH118, PTH120
from __future__ import annotations

import errno
import gc
import os
from time import monotonic

from tvarc.build.kept import KeptBuild
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
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.following import Following, RunsScreen
from tvarc.commands.line.session import Ended, Session
from tvarc.commands.programs.find import program_name
from tvarc.commands.programs.outputs import swept_places
from tvarc.files.disk import WatchingLoader
from tvarc.files.output.folders import words_of
from tvarc.files.output.kept import KeptFiles
from tvarc.files.output.plan import BuildOptions
from tvarc.light import TYPE_CHECKING, Final, Iterator, Literal, Sequence, dataclass
from tvarc.text.diagnostics.model import Diagnostic, Format, first_errors
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap
from tvarc.values.plain import ABSENT, Absent, Count, Json, json_text

if TYPE_CHECKING:
    from tvarc.commands.build.full_build import Built

_NAMED: Final = 5  # of the files that were written
_REFUSED: Final = 50
"""The greatest number of refused files that are watched. Nothing can be written while any other
file is refused.
"""
_ROOM: Final = 1 << 16  # bytes that must be free on a full disk before the next attempt

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
    """Build the program after each change, until the user ends it; the exit code."""
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
    gc.disable()  # at the end of each build, its rings are freed
    return watch.follow()


class Screen(RunsScreen):
    """Shows one build after another, as lines for people or as events."""

    __slots__ = ("as_json", "found")

    def __init__(self, format: Format, *, as_json: bool) -> None:
        super().__init__(format)
        self.as_json = as_json
        self.found: tuple[Json, ...] = ()  # the diagnostics of this build, for `as_json`

    def diagnostics(self, items: Sequence[Diagnostic], sources: SourceMap) -> None:
        if not self.as_json:
            super().diagnostics(items, sources)
            return
        import json

        from tvarc.text.diagnostics.render_json import render_json

        self.count(items)
        shown, _ = first_errors(items)
        self.found = tuple(json.loads(render_json(shown, sources))["diagnostics"])

    def event(
        self, event: _Kind, seconds: float | None = None, build: Written | Absent = ABSENT
    ) -> None:
        """Print *event* as a line of JSON, with the diagnostics of this build."""
        took = ABSENT if seconds is None else round(seconds * 1000)
        result = Event(event, self.errors, self.warnings, self.found, took, build)
        self.data(json_text(result, indent=None))

    def watching(self, files: int) -> None:
        if not self.as_json:
            super().watching(files)

    def stopped(self) -> None:
        self.errors, self.warnings, self.found = 0, 0, ()
        if self.as_json:
            self.event("stopped")
        else:
            self.remark("stopped: the files stay as they are\n")


class Watch(Following):
    """A program that is built again and again. Between two builds it keeps the sources that the
    last build has read, and the printed texts of its decisions."""

    __slots__ = ("_full", "_kept", "_kept_files", "options")
    screen: Screen

    def __init__(self, screen: Screen, options: BuildOptions, *, cached: bool) -> None:
        super().__init__(screen, options.file, options.inputs, cached=cached)
        self.options = options
        self._kept = KeptBuild()
        self._kept_files = KeptFiles(self._kept.texts.key)
        # The folder of a full disk, and the bytes that must be free there.
        self._full: tuple[str, int] | None = None

    def turn(self, session: Session, loader: WatchingLoader, began: float) -> None:
        self._full = None
        self._kept.of_library(tuple(self._before))
        done = built(
            session,
            self.options,
            loader,
            recorded=False,
            kept=self._kept,
            compare=self._kept_files.compare,
        )
        assert done is not None
        self._end(whole=True)
        self._report(done, monotonic() - began)

    def _end(self, *, whole: bool) -> None:
        """End a build. *whole* says that all files are written."""
        self._kept.end(whole=whole, kept=not self._first)
        self._kept_files.end(whole=whole, recipes=self._kept.texts.recipes.keeps)

    @property
    def has_continued(self) -> bool:
        return self._kept.edits > 0

    def failed(self, session: Session, end: Ended, seconds: float) -> None:
        """Report a build with errors. The files that a refused write meets are watched, too."""
        self._end(whole=False)
        made = session.compilation
        if made is not None:
            home = os.path.dirname(made.file) if self.options.out is None else self.options.out
            paths = [one.one_file for one in (*made.program.documents, *made.program.manifests)]
            if end.closing:
                paths += [place.folder for place in swept_places(made)]
            paths += [path for path, _ in end.unwritten[:_REFUSED]]
            found = [os.path.join(home, one) or os.curdir for one in paths]
            self.also(found)
            full = words_of(errno.ENOSPC)
            if any(reason == full for _, reason in end.unwritten):
                folder = os.path.dirname(found[-1])
                self._full = (folder, _room(folder) + _ROOM)
        if self.screen.as_json:
            self.screen.event("failed", seconds)
        elif not end.closing:
            self.screen.error(f"{session.counts()}; nothing was written\n")

    def is_due(self) -> bool:
        """Whether a full disk has room again."""
        return self._full is not None and _room(self._full[0]) >= self._full[1]

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

def _room(folder: str) -> int:
    """The free bytes on the disk of *folder*, which may not exist yet."""
    while folder and not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    try:
        found = os.statvfs(folder or os.curdir)
    except OSError:
        return 0
    return found.f_bavail * found.f_frsize


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
    """The other lines that `build` reports about the recipes."""
    yield from map(plain, removed_lines(done.report, options))
    yield from map(plain, remaining_lines(done.report, options))
    if options.git and done.report.created:
        yield from untracked_lines(done.report, done.root, done.paths)
