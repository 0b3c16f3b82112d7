"""Compares the files that a recipe names, and the files that these name, with those of another
state of the program."""

# ruff: noqa: PTH112, PTH114, PTH118
# pathlib costs too much at start.
from __future__ import annotations

import os
import posixpath

from tvarc.build.diff.contents import files_below, holds
from tvarc.build.diff.states import State
from tvarc.files.disk import MAX_BYTES, read_plain
from tvarc.light import Final, Iterator
from tvarc.nix import ir
from tvarc.nix.judge.named_files import named_files, named_in_text, reads_elsewhere
from tvarc.nix.language.text_paths import files_named, has_absolute_paths
from tvarc.text.source import UnreadableSource

_NIX: Final = ".nix"


class NamedFiles:
    """The files that recipes of a program name, compared with those of *state*. A build writes the
    recipes below the folder *base*. A file that several recipes name is read once.
    """

    __slots__ = ("_base", "_changed", "_names", "_state")

    def __init__(self, state: State, base: str) -> None:
        self._state = state
        self._base = base or "."
        self._changed: dict[str, bool] = {}
        self._names: dict[str, tuple[tuple[str, ...], bool]] = {}

    def changed(self, recipe: ir.Recipe) -> bool:
        """Whether one of the files of *recipe* is changed, or this cannot be known."""
        if reads_elsewhere(recipe) and self._state.is_commit:
            return True
        waiting = list(dict.fromkeys((*named_files(recipe), *named_in_text(recipe, self._base))))
        seen = set(waiting)
        for file in waiting:  # the list grows in the loop
            if self._differs(file):
                return True
            # If all files that are reached are unchanged, the other state reaches the same files.
            named, elsewhere = self._named(file)
            if elsewhere and self._state.is_commit:
                return True
            waiting += [one for one in named if one not in seen]
            seen.update(named)
        return False

    def _differs(self, file: str) -> bool:
        known = self._changed.get(file)
        if known is None:
            known = self._changed[file] = self._is_other(file)
        return known

    def _is_other(self, file: str) -> bool:
        try:
            wanted = self._state.contents(file)
        except UnreadableSource as fault:
            # A file that is in neither state may be named, too.
            return os.path.lexists(file) or not fault.missing
        try:
            return not holds(file, file, wanted)
        except UnreadableSource:
            return True

    def _named(self, file: str) -> tuple[tuple[str, ...], bool]:
        """The files that *file* names, or the files in it if it is a folder. Also, whether it names
        files that are in no state."""
        known = self._names.get(file)
        if known is None:
            found: dict[str, None] = {}
            elsewhere = False
            for one in _files(file):
                if os.path.islink(one):
                    found[posixpath.normpath(_leads_to(one))] = None
                text = _nix_text(one)
                elsewhere = elsewhere or has_absolute_paths((text,))
                for path in files_named((text,)):
                    at = posixpath.join(posixpath.dirname(one), path)
                    found[posixpath.normpath(at)] = None
            known = self._names[file] = tuple(found), elsewhere
        return known


def _files(file: str) -> Iterator[str]:
    """*file*, or the files in it if it is a folder."""
    if not os.path.isdir(file):
        yield file
        return
    for inner in sorted(files_below(file)):
        yield os.path.join(file, inner)


def _leads_to(link: str) -> str:
    return os.path.join(os.path.dirname(link), os.readlink(link))  # noqa: PTH115, PTH120


def _nix_text(file: str) -> str:
    """The text of a file that may be Nix; empty for any other file."""
    name = posixpath.basename(file)
    if not name.endswith(_NIX) and "." in name:
        return ""
    try:
        return read_plain(file, file, MAX_BYTES).decode("utf-8", "replace")
    except (OSError, UnreadableSource):
        return ""
