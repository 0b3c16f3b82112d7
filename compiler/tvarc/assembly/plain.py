"""The plain path: the text of one recipe, printed from one tree. Texts that are put together from
fragments are tested against it."""

from __future__ import annotations

import posixpath

from tvarc import ir
from tvarc.backend.nix.context import Relative
from tvarc.backend.nix.lower import lower
from tvarc.light import Callable, dataclass
from tvarc.nix.printer import print_file
from tvarc.output.header import seal


@dataclass(frozen=True, slots=True)
class Source:
    """Where the program stands: see `recipe_text`. `placeholders` says that its texts leave the
    characters of placeholders alone."""

    path: str
    entry: str | None
    placeholders: bool


def recipe_text(recipe: ir.Recipe, source: str, file: str, entry: str | None = None) -> str:
    """The text of one recipe, sealed with its digest.

    `source` is the file that declares it, by a path relative to the folder that *file* starts
    from; `entry` is the loader's name of it, by default its last step.
    """
    relative = Places(source, posixpath.dirname(file), entry, output_of(recipe, file))
    return seal_text(print_file(lower(recipe, posixpath.basename(source), relative)))[0]


def output_of(recipe: ir.Recipe, file: str) -> str:
    """The output of which *file* is a file of *recipe*."""
    return next((output for output, one in recipe.files if one == file), "")


def seal_text(text: str) -> tuple[str, int]:
    """The text of a recipe with its digest, and how many lines stand before that."""
    lines: list[str] = []
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        lines.append(line)
    return seal(lines, text), len(lines)


class Places:
    """Gives paths as seen from a recipe in *folder* of *output*; see `recipe_text`. Where the
    program has one output, it need not be named."""

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
    """Gives paths as *relative* does, from a file that holds all variants."""

    __slots__ = ("_relative",)

    def __init__(self, relative: Callable[[str], str]) -> None:
        self._relative = relative

    def __call__(self, path: str) -> str:
        return self._relative(path)

    def sibling(self, files: tuple[tuple[str, str], ...]) -> None:
        return None


@dataclass(slots=True, eq=False)
class AskedRelative:
    """Gives paths as seen from a folder, and remembers whether it was asked to."""

    relative: Relative
    asked: bool = False

    def __call__(self, path: str) -> str:
        self.asked = True
        return self.relative(path)

    def sibling(self, files: tuple[tuple[str, str], ...]) -> str | None:
        self.asked = True
        return self.relative.sibling(files)


def _from(folder: str, path: str) -> str:
    """*path* as seen from *folder*, both relative to one place; no disk is asked."""
    here = [step for step in posixpath.normpath(folder).split("/") if step != "."]
    there = posixpath.normpath(path).split("/")
    shared = 0
    for mine, theirs in zip(here, there, strict=False):
        if mine != theirs:
            break
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:]) or "."
