"""What a process that builds again and again knows of its files: a file that nobody has written
since the last build is not read again."""

from __future__ import annotations

import os

from tvarc.files.output.header import File
from tvarc.light import Callable, Final

_SECOND: Final = 1_000_000_000
Mark = tuple[int, int, bytes]
_State = tuple[int, int, int, int, int, int]


class KeptFiles:
    """The files as a build has left them, by their paths: for each what decides its text, what the
    text is recognized by, and the state of the file.

    A file system with times of whole seconds cannot show that a file was written twice in one
    second. Its files are not kept."""

    __slots__ = ("_before", "_key_of", "_now")

    def __init__(self, key_of: Callable[[File], object]) -> None:
        """*key_of* returns what decides the text of a file: for the same path, equal keys mean
        equal texts. None if that is not known."""
        self._key_of = key_of
        self._before: dict[str, tuple[object, Mark, _State]] = {}
        self._now: dict[str, tuple[object, Mark, _State]] = {}

    def note(self, file: File, mark: Mark, found: os.stat_result) -> None:
        """Note that *file* has its text, with this *mark*. *found* is the state of the file, from
        before its text was read, or from after it was written."""
        if found.st_mtime_ns % _SECOND:
            self._now[file.path] = (self._key_of(file), mark, _state_of(found))

    def recall(self, file: File, found: os.stat_result) -> tuple[Mark | None, bool]:
        """The mark of the text in *file*, whose state is *found*; None if somebody else may have
        written it. Then whether that is known to be the text that *file* should have."""
        known = self._before.get(file.path)
        if known is None or known[2] != _state_of(found):
            return None, False
        is_same = known[0] is not None and known[0] == self._key_of(file)
        if is_same:
            self._now[file.path] = known
        return known[1], is_same

    def end(self, *, whole: bool) -> None:
        """End a build. With *whole*, it has reached all files, and other files are forgotten."""
        self._before = self._now if whole else {**self._before, **self._now}
        self._now = {}


def _state_of(found: os.stat_result) -> _State:
    """What changes if somebody writes or replaces a file, or changes who may."""
    return (
        found.st_dev, found.st_ino, found.st_mode, found.st_size, found.st_mtime_ns,
        found.st_ctime_ns,
    )  # fmt: skip
