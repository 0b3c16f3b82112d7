"""The sources in a folder and below it, except those that `.tvarc-ignore` or `--exclude` leaves
out.

Every command that searches folders by itself uses this module. Patterns are those of `.gitignore`:
a `.tvarc-ignore` counts for its folder and all below it, from the top of the repository on, and the
deepest one takes precedence. `--exclude` counts from the current folder on, and takes precedence
over all files.
"""

# pathlib costs too much at start.
# ruff: noqa: PTH109, PTH118, PTH120
from __future__ import annotations

import os

from tvarc.commands import messages as msg
from tvarc.files.disk import report_unreadable
from tvarc.files.git.repository import top_of
from tvarc.light import TYPE_CHECKING, Callable, Final, Sequence, dataclass, field
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import UnreadableSource

if TYPE_CHECKING:
    from tvarc.files.git.patterns import Patterns
    from tvarc.text.diagnostics.model import Sink

IGNORE_FILE: Final = ".tvarc-ignore"
_OPTION: Final = "--exclude"


@dataclass(slots=True)
class LeftOut:
    """The sources left out: by the patterns of `exclude`, from the current folder on, and by files
    with patterns. `count` is their number, `by` the files that left them out.
    """

    exclude: tuple[str, ...] = ()
    count: int = 0
    by: dict[str, None] = field(default_factory=dict)

    def told(self, what: str) -> str:
        """`3 files left out by .tvarc-ignore`; empty if none were left out."""
        by = " and ".join(sorted(self.by, reverse=True))
        return f"{counted(self.count, what)} left out by {by}" if self.count else ""


@dataclass(frozen=True, slots=True)
class _Patterns:
    """The patterns of `whose`, for paths below *folder*, which is real."""

    whose: str
    folder: str
    read: Patterns

    def leave_out(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether the patterns leave out *path*; None if none of them matches it."""
        if not path.startswith(self.folder):
            return None
        return self.read.leave_out(path[len(self.folder) :], is_folder=is_folder)


def sources_below(
    folder: str, wanted: Callable[[os.DirEntry[str]], bool], left: LeftOut, sink: Sink
) -> list[str]:
    """Every *wanted* file in *folder* and below it: the files of a folder before those below it, by
    name. Hidden folders and links to folders are not searched. *left* counts the files that it
    leaves out. Folders and patterns that cannot be read are reported.
    """
    walk = _Walk(wanted, left, sink)
    walk.go(folder)
    return walk.found


class _Walk:
    __slots__ = ("_first", "_left", "_sink", "_wanted", "found")

    def __init__(
        self, wanted: Callable[[os.DirEntry[str]], bool], left: LeftOut, sink: Sink
    ) -> None:
        self.found: list[str] = []
        self._wanted = wanted
        self._left = left
        self._sink = sink
        self._first: tuple[_Patterns, ...] = ()
        if left.exclude:
            try:
                here = os.path.join(os.path.realpath(os.getcwd()), "")
            except OSError:  # it was removed
                here = ""
            self._first = self._compiled(_OPTION, here, left.exclude)

    def go(self, folder: str) -> None:
        real = os.path.realpath(folder)
        above = self._above(real)
        if self._out(real, above, is_folder=True):
            above = ()  # a named file is never left out
        waiting = [(folder, real, above, "")]
        while waiting:
            at, real, patterns, out = waiting.pop()
            names = self._look(at)
            if not out:
                patterns = (*self._of(at, real), *patterns)
            below: list[tuple[str, str, tuple[_Patterns, ...], str]] = []
            for entry in names:
                path = os.path.join(real, entry.name)
                if not entry.name.startswith(".") and entry.is_dir(follow_symlinks=False):
                    by = out or self._out(path, patterns, is_folder=True)
                    below.append((entry.path, path, patterns, by))
                elif self._wanted(entry):
                    self._meet(entry.path, out or self._out(path, patterns, is_folder=False))
            waiting += reversed(below)

    def _meet(self, path: str, by: str) -> None:
        if by:
            self._left.count += 1
            self._left.by[by] = None
        else:
            self.found.append(path)

    def _out(self, path: str, patterns: Sequence[_Patterns], *, is_folder: bool) -> str:
        """The file or option that leaves *path* out; empty if none does. The first with a matching
        pattern decides."""
        for one in (*self._first, *patterns):
            found = one.leave_out(path, is_folder=is_folder)
            if found is not None:
                return one.whose if found else ""
        return ""

    def _look(self, folder: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as fault:
            unreadable = UnreadableSource(folder, fault.strerror or str(fault))
            advice = "check the permissions of the folder; it may contain programs"
            report_unreadable(unreadable, self._sink, advice=advice)
            return []

    # --- patterns ------------------------------------------------------------------------

    def _above(self, real: str) -> tuple[_Patterns, ...]:
        """The patterns of the folders above *real* in its repository, the deepest first."""
        top = top_of(real)
        found: list[_Patterns] = []
        while top and real != top:
            real = os.path.dirname(real)
            found += self._of(real, real)
        return tuple(found)

    def _of(self, folder: str, real: str) -> tuple[_Patterns, ...]:
        """The patterns that *folder* has; *real* is its real path."""
        name = os.path.join(folder, IGNORE_FILE)
        if not os.path.lexists(name):
            return ()
        from tvarc.files.disk import DiskLoader

        try:
            text = DiskLoader("").read(name).text.removeprefix("\ufeff")  # as git reads them
        except UnreadableSource as fault:
            report_unreadable(fault, self._sink)
            return ()
        return self._compiled(name, os.path.join(real, ""), text.splitlines())

    def _compiled(self, whose: str, folder: str, lines: Sequence[str]) -> tuple[_Patterns, ...]:
        from tvarc.files.git.patterns import BadPattern, read_patterns

        try:
            found = read_patterns(lines)
        except BadPattern as fault:
            given = "given to" if whose == _OPTION else "in"
            pattern = str(fault)[:80]
            self._sink.report(msg.programs.BAD_PATTERN, pattern=pattern, given=given, whose=whose)
            return ()
        return (_Patterns(whose if whose == _OPTION else IGNORE_FILE, folder, found),)
