"""The paths from a recipe to other files, by the path and the output of its own file."""

from __future__ import annotations

import posixpath

from tvarc.light import Callable, dataclass
from tvarc.nix import ir


@dataclass(frozen=True, slots=True)
class Source:
    """The place of a program; the fields are those of `Bodies`."""

    path: str
    entry: str | None


def output_of(recipe: ir.Recipe, file: str) -> str:
    """The output that writes *file*, which is a file of *recipe*; empty if there is none."""
    for output, one in recipe.files:
        if one == file:
            return output
    return ""


class Places:
    """Returns paths relative to a recipe of *output* in *folder*. *source* and *entry* are those of
    `Bodies`. A program with one output need not name it."""

    __slots__ = ("_folder", "_named", "_output", "_source")

    def __init__(self, source: str, folder: str, entry: str | None, output: str = "") -> None:
        self._source = source
        self._folder = folder
        self._named = posixpath.dirname(entry or "")
        self._output = output

    def __call__(self, path: str) -> str:
        if posixpath.isabs(path):
            return path
        return self._seen(posixpath.join(posixpath.dirname(self._source), _from(self._named, path)))

    def sibling(self, files: tuple[tuple[str, str], ...]) -> str:
        return self._seen(next((file for one, file in files if one == self._output), files[0][1]))

    def _seen(self, target: str) -> str:
        found = _from(self._folder, target)
        return found if found.startswith("../") else f"./{found}"


class Together:
    """Returns the paths of *relative*, for a file that has all variants."""

    __slots__ = ("_relative",)

    def __init__(self, relative: Callable[[str], str]) -> None:
        self._relative = relative

    def __call__(self, path: str) -> str:
        return self._relative(path)

    def sibling(self, files: tuple[tuple[str, str], ...]) -> None:
        return None


def _from(folder: str, path: str) -> str:
    """*path* relative to *folder*. Both must be relative to the same place. The disk is not read.
    """
    here = [step for step in posixpath.normpath(folder).split("/") if step != "."]
    there = posixpath.normpath(path).split("/")
    shared = 0
    for mine, theirs in zip(here, there, strict=False):
        if mine != theirs:
            break
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:]) or "."
