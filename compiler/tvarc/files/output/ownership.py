"""Which other programs may write where this one does.

The head of a recipe has the name of its source without the folder, so that a recipe is the same
wherever a checkout stands. So another program is looked for where it would have to be.
"""

# ruff: noqa: PTH116, PTH118, PTH119, PTH120
from __future__ import annotations

import os

from tvarc.light import Callable, dataclass


@dataclass(frozen=True, slots=True)
class Author:
    """The program whose files these are.

    *name* is what their heads call it, *path* the absolute real path of its folder with its file
    name, empty where that is not to be asked. *writes* says whether another program, of which it is
    given that path, may write to an absolute folder.
    """

    name: str
    path: str = ""
    writes: Callable[[str, str], bool] = lambda _program, _folder: True


class OtherPrograms:
    """The programs beside *author*, as seen from the folders below the absolute real *root*."""

    __slots__ = ("_author", "_known", "_root")

    def __init__(self, author: Author, root: str) -> None:
        self._author = author
        self._known: dict[tuple[str, str, bool], str] = {}
        self._root = root

    def namesake(self, folder: str) -> bool:
        """Whether another program of the same file name may write to the absolute *folder*."""
        return self._asked(os.path.basename(self._author.path), folder, anyones=True) != ""

    def named(self, name: str, folder: str) -> str:
        """The program that heads call *name*, which is not this one, as seen from the root, if it
        may write to the absolute *folder*; else empty.

        One that is no longer there was renamed or is gone. A file of another user than this
        program's is none: anybody may put one into a folder above, such as /tmp.
        """
        return self._asked(name, folder, anyones=False) if _is_plain(name) else name

    def _asked(self, name: str, folder: str, *, anyones: bool) -> str:
        known = self._known.get((name, folder, anyones))
        if known is None:
            known = self._look(name, folder, anyones=anyones)
            self._known[name, folder, anyones] = known
        return known

    def _look(self, name: str, folder: str, *, anyones: bool) -> str:
        """A program writes to its own folder and those below it, so others are looked for on the
        way up. When this one writes elsewhere, so may any."""
        own = self._author.path
        if not own or not name:
            return ""
        if os.path.dirname(own) != self._root:
            return name
        at = folder
        while True:
            other = os.path.join(at, name)
            there = os.path.lexists(other) if anyones else _is_of_owner(other, own)
            if other != own and there and self._author.writes(other, folder):
                return os.path.relpath(other, self._root)
            above = os.path.dirname(at)
            if above == at:
                return ""
            at = above


def _is_of_owner(other: str, own: str) -> bool:
    """Whether *other* is there and belongs to the owner of *own*; a link that leads nowhere may
    be anything."""
    try:
        return os.stat(other).st_uid == os.stat(own).st_uid
    except OSError:
        return os.path.lexists(other)


def _is_plain(name: str) -> bool:
    """Whether *name*, which stands in a file, can be that of a file in a folder."""
    return "/" not in name and "\0" not in name and name not in ("", ".", "..")
