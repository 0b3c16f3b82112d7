"""Drift: settings that few files have otherwise than the others, and where it stands in them."""

from __future__ import annotations

from collections import Counter

from tvarc.byhand.importing.family import Family
from tvarc.byhand.importing.places import Ends, line_at
from tvarc.byhand.reading.trees import entries_of, text_of
from tvarc.light import Sequence, dataclass
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixLambda,
    NixLet,
    extent_of,
    walk,
)


@dataclass(frozen=True, slots=True)
class Drifting:
    """A setting that is not as the rule has it, in some of the files of a matrix."""

    setting: str
    files: tuple[str, ...]
    lines: tuple[int, ...]
    of: int

    def comment(self) -> str:
        """The comment above what a program says of it."""
        places = zip(self.files, self.lines, strict=True)
        told = ", ".join([f"{file}:{line}" for file, line in places])
        return f"# drift: {len(self.files)} of {self.of}: {self.setting}, {told}"


def drifting(family: Family, cells: Sequence[int], setting: str, of: int, ends: Ends) -> Drifting:
    """The drift of a *setting* in some *cells* of *family*, which are so many *of* all."""
    files = tuple([family.files[cell] for cell in cells])
    lines = tuple([_line(family, cell, setting, ends) for cell in cells])
    return Drifting(setting, files, lines, of)


def _line(family: Family, cell: int, setting: str, ends: Ends) -> int:
    """The line on which a file has *setting*, or its first."""
    recipe = family.recipes[cell]
    name = setting.rpartition(".")[2]
    name = _odd_attribute(family, cell) if setting == "package" else name
    offset = _offset(recipe.original.root(), name) if recipe.original is not None else 0
    return line_at(ends[family.files[cell]], offset)


def _odd_attribute(family: Family, cell: int) -> str:
    """The first attribute of a package that is written out which one cell alone has so, while
    others agree on theirs, or in which it alone has a text of its own; empty where there is
    none."""
    given = [_given(recipe.package) for recipe in family.recipes]
    for name, value in given[cell].items():
        others = [one[name] for at, one in enumerate(given) if at != cell and name in one]
        if value not in others and any(one in others[:at] for at, one in enumerate(others)):
            return name
    for name in given[cell]:
        texts = {at: _texts(one[name]) for at, one in enumerate(given) if name in one}
        count = Counter([text for some in texts.values() for text in some])
        alone = [at for at, some in texts.items() if any(count[text] == 1 for text in some)]
        if alone == [cell]:
            return name
    return ""


def _texts(node: NixExpr) -> set[str]:
    """The texts in *node*."""
    return {text for one in walk([node]) if (text := text_of(one)) is not None}


def _given(package: NixExpr) -> dict[str, NixExpr]:
    """The attributes that a builder is given, or that a function changes."""
    match package:
        case NixApply(_, NixAttrs() as given) | NixApply(_, NixLambda(_, NixAttrs() as given)):
            return dict(entries_of(given))
        case _:
            return {}


def _offset(root: NixExpr, name: str) -> int:
    """The last place in *root* where an attribute *name* is written; 0 where there is none."""
    for node in walk([root]):
        if isinstance(node, NixAttrs | NixLet):
            for entry in node.entries:
                if isinstance(entry, NixBinding) and entry.path[-1] == name:
                    return extent_of(entry).start
    return 0
