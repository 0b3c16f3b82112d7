"""The text of one recipe, printed from one tree: the straight way, by which others are judged."""

from __future__ import annotations

import posixpath

from tvarc import ir
from tvarc.backend.nix.context import Relative
from tvarc.backend.nix.lower import lower
from tvarc.light import dataclass
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
    relative = relative_to(source, posixpath.dirname(file), entry)
    return seal_text(print_file(lower(recipe, posixpath.basename(source), relative)))[0]


def seal_text(text: str) -> tuple[str, int]:
    """The text of a recipe with its digest, and how many lines stand before that."""
    lines: list[str] = []
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        lines.append(line)
    return seal(lines, text), len(lines)


def relative_to(source: str, folder: str, entry: str | None) -> Relative:
    """What gives a file's path as seen from a recipe in *folder*; see `recipe_text`."""
    named = posixpath.dirname(entry or "")

    def relative(path: str) -> str:
        if posixpath.isabs(path):
            return path
        target = posixpath.join(posixpath.dirname(source), _from(named, path))
        found = _from(folder, target)
        return found if found.startswith("../") else f"./{found}"

    return relative


@dataclass(slots=True, eq=False)
class AskedRelative:
    """Gives paths as seen from a folder, and remembers whether it was asked to."""

    relative: Relative
    asked: bool = False

    def __call__(self, path: str) -> str:
        self.asked = True
        return self.relative(path)


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
