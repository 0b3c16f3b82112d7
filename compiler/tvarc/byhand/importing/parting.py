"""Splits recipes whose names have one shape, but whose styles do not fit into one recipe. Each part
becomes a recipe and a matrix of its own."""

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
"""Writes a program of families, which may need recipes of other shapes."""


@dataclass(slots=True)
class Parting:
    """Splits families by style, each once. It has the cells of the parts, by the names of all
    variants, and the common name of variants that are separate from the others of their family."""

    known: dict[tuple[str, ...], list[list[int]]] = field(default_factory=dict)
    together: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def parts(self, family: Family) -> list[Family]:
        """*family* itself, or its known parts."""
        return [
            one
            for style in self._by_style(family)
            for part in self._apart(style)
            for one in self._by_style(part)
        ]

    def _by_style(self, family: Family) -> list[Family]:
        return _families(family, self.known.get(tuple(family.shape.stems), []))

    def _apart(self, family: Family) -> list[Family]:
        """*family* itself, or its separate groups and the rest."""
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
        """Split the *families* with files that could not be written (*unsaid*) by the form of each
        setting. Returns whether any can be split. Files that mostly have styles of their own are
        not split."""
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
        """Split the *families* with *unsaid* files, which one recipe cannot express. They are split
        by the values of the axis with which *write* leaves the fewest files unsaid, or into single
        files if that does not help. Returns the names of the files."""
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
        """Make each of *stems* a family of its own, unless it is already alone in its family in
        *families*. Returns those that changed."""
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
    """The axis by whose values *family* is split with the fewest unsaid files; empty if all files
    would be unsaid."""
    best, least = "", (len(family.files), 0)
    for axis in family.shape.axes if len(family.shape.axes) > 1 else ():
        groups = _grouped([cell[axis.name] for cell in family.shape.cells])
        made = write([_of_cells(family, cells) for cells in groups], beside)
        size = (len(made.unsaid), len(groups))
        if not made.fault and size < least:
            best, least = axis.name, size
    return best


def _of_cells(family: Family, cells: Sequence[int]) -> Family:
    """Some *cells* of *family* as a family of their own."""
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
    """The kind of a package: from nixpkgs, from a builder, or another one."""
    if is_scratch(package):
        return "made"
    return "there" if root_of(package) is not None else type(package).__name__


def _built(package: NixExpr) -> str:
    """The name of the package or its builder, without its set."""
    function, _ = call_of(package)
    return last_step(function)


def _kinds(recipe: Recipe) -> object:
    """The settings of *recipe*, each with its form."""
    said = {(name, _said(value)) for name, value in recipe.settings.items()}
    return _form(recipe.package), frozenset(said)


def _said(value: NixExpr) -> str:
    """The form of a setting: added before or after the package's own value, or a replacement of
    it."""
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
    """The parts of *family* for *groups* of its cells."""
    if len(groups) < 2:
        return [family]
    return [
        replace(_of_cells(family, cells), part=_name(family, cells), whole=family.shape)
        for cells in groups
    ]


def _name(family: Family, cells: Sequence[int]) -> str:
    """A name for the part *cells*: the common name of their packages."""
    names = {_built(family.recipes[cell].package) for cell in cells}
    return name_from(names.pop()) if len(names) == 1 and "" not in names else "others"
