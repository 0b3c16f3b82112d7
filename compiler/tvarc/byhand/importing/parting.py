"""Recipes whose names have one shape, but that are written in styles which no recipe says together:
parted by style, each part a recipe and a matrix of its own."""

from __future__ import annotations

from tvarc.byhand.importing.model import Family, Recipe
from tvarc.byhand.importing.names import name_from
from tvarc.byhand.importing.program import Written
from tvarc.byhand.importing.recipes import is_scratch
from tvarc.byhand.importing.shapes import Shape, part_of
from tvarc.byhand.reading.trees import call_of, last_step, own, root_of
from tvarc.light import Callable, Final, Iterable, Sequence, dataclass, field, replace
from tvarc.nix.language.syntax import (
    NixBinary,
    NixExpr,
    NixSelect,
    NixString,
)

_MOST_STYLES: Final = 8

Write = Callable[[Sequence[Family], Sequence[Shape]], Written]
"""Writes a program of families; recipes of the shapes beside them may be needed."""


@dataclass(slots=True)
class Parting:
    """Parts families by style, each once: the cells of the parts, by the names of all variants; and
    what those variants have in common that stand together without the others of a family."""

    known: dict[tuple[str, ...], list[list[int]]] = field(default_factory=dict)
    together: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def parts(self, family: Family) -> list[Family]:
        """*family* itself, or its parts, as far as these are known."""
        return [
            one
            for style in self._by_style(family)
            for part in self._apart(style)
            for one in self._by_style(part)
        ]

    def _by_style(self, family: Family) -> list[Family]:
        return _families(family, self.known.get(tuple(family.shape.stems), []))

    def _apart(self, family: Family) -> list[Family]:
        """*family* itself, or those of it that stand together, and what is left."""
        groups = _grouped([self.together.get(stem) for stem in family.shape.stems])
        if len(groups) == 1:
            return [family]
        parts = [_of_cells(family, cells) for cells in groups]
        return [
            one
            if one.shape.stems[0] in self.together
            else replace(one, part=family.part, whole=family.whole)
            for one in parts
        ]

    def part(self, families: Sequence[Family], unsaid: Iterable[str]) -> bool:
        """Part those of *families* that have files *unsaid*, by how each setting is said; whether
        any can be. Files of which most have a style of their own have none in common."""
        found, files = False, set(unsaid)
        for family in families if files else ():
            kinds = _grouped([_kinds(one) for one in family.recipes])
            most = min(_MOST_STYLES, len(family.files) // 2)
            if 1 < len(kinds) <= most and not files.isdisjoint(family.files):
                self.known[tuple(family.shape.stems)] = kinds
                found = True
        return found

    def part_each(
        self, families: Sequence[Family], unsaid: Iterable[str], write: Write
    ) -> list[str]:
        """Part those of *families* that have files *unsaid*, since one recipe does not say all of
        them: by the values of the axis that leaves the fewest unsaid in what *write* makes of them,
        and where that says no more, into its files; return their names."""
        found: list[str] = []
        files = set(unsaid)
        for family in families if files else ():
            if files.isdisjoint(family.files) or len(family.files) == 1:
                continue
            found += family.shape.stems
            beside = [one.shape for one in families if one is not family]
            axis = _parting_axis(family, beside, write)
            for stem, cell in zip(family.shape.stems, family.shape.cells, strict=True):
                before = self.together.get(stem, ())
                self.together[stem] = (*before, axis, cell[axis]) if axis else (stem,)
        return found

    def apart(self, families: Iterable[Family], stems: Iterable[str]) -> list[str]:
        """Let those of *stems* stand by themselves that are not alone in theirs of *families*, and
        return these."""
        wanted = set(stems)
        found = [
            stem
            for family in families
            if len(family.files) > 1
            for stem in family.shape.stems
            if stem in wanted
        ]
        self.together.update({stem: (stem,) for stem in found})
        return found


def _parting_axis(family: Family, beside: Sequence[Shape], write: Write) -> str:
    """The axis by whose values *family* is to be parted, for as few files as can be to be unsaid;
    empty where all of them would be."""
    best, least = "", (len(family.files), 0)
    for axis in family.shape.axes if len(family.shape.axes) > 1 else ():
        groups = _grouped([cell[axis.name] for cell in family.shape.cells])
        made = write([_of_cells(family, cells) for cells in groups], beside)
        size = (len(made.unsaid), len(groups))
        if not made.fault and size < least:
            best, least = axis.name, size
    return best


def _of_cells(family: Family, cells: Sequence[int]) -> Family:
    """Some *cells* of *family*, as a family by itself."""
    return Family(
        part_of(family.shape, cells),
        tuple([family.recipes[cell] for cell in cells]),
        tuple([family.files[cell] for cell in cells]),
    )


def _grouped(kinds: Sequence[object]) -> list[list[int]]:
    """Cells by their kinds, in the order of the first of each."""
    found: dict[object, list[int]] = {}
    for cell, kind in enumerate(kinds):
        found.setdefault(kind, []).append(cell)
    return list(found.values())


def _form(package: NixExpr) -> str:
    """How a package is made: whether it is one of nixpkgs, made by a builder, or else."""
    if is_scratch(package):
        return "made"
    return "there" if root_of(package) is not None else type(package).__name__


def _built(package: NixExpr) -> str:
    """The name of what is built on, or of what builds it, whatever set it is of."""
    function, _ = call_of(package)
    return last_step(function)


def _kinds(recipe: Recipe) -> object:
    """What *recipe* sets, each with how it is said."""
    said = {(name, _said(value)) for name, value in recipe.settings.items()}
    return _form(recipe.package), frozenset(said)


def _said(value: NixExpr) -> str:
    """Whether a setting is added to the package's own, before or after it, or stands in its
    place."""
    match value:
        case NixBinary(_, left, right):
            return "after" if own(left) is not None else "before" if own(right) is not None else ""
        case NixString((NixSelect() as first, *_)) if own(first) is not None:
            return "after"
        case NixString((*_, NixSelect() as last)) if own(last) is not None:
            return "before"
        case _:
            return ""


def _families(family: Family, groups: Sequence[Sequence[int]]) -> list[Family]:
    """The parts of *family* that *groups* of its cells are."""
    if len(groups) < 2:
        return [family]
    return [
        replace(_of_cells(family, cells), part=_name(family, cells), whole=family.shape)
        for cells in groups
    ]


def _name(family: Family, cells: Sequence[int]) -> str:
    """A name for the part that *cells* are: after what all of them build on."""
    names = {_built(family.recipes[cell].package) for cell in cells}
    return name_from(names.pop()) if len(names) == 1 and "" not in names else "others"
