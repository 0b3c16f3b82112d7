"""Recipes whose names have one shape, but that are written in styles with little in common: parted
by style, each part a recipe and a matrix of its own, where that is shorter."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

from tvarc.byhand.importing.explain import few_of
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
    NixIdent,
    NixSelect,
    NixString,
    walk,
)

_MOST_STYLES: Final = 8
_MOST_COMPARED: Final = 64  # kinds of settings
_IN_COMMON: Final = 0.5  # of the words of two recipes of one style
_SHORT: Final = 0.2  # what joint recipes with little in common are not, beside their files
_LINE: Final = 10  # what it costs to read one, whatever is on it
_WORD: Final = re.compile(r"\w+")

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
        parts = _families(family, self.known.get(tuple(family.shape.stems), []))
        return [one for part in parts for one in self._apart(part)] if self.together else parts

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

    def part(self, families: Sequence[Family], made: Written, write: Write) -> bool:
        """Part those of *families* whose recipe and matrix are long in the program *made* beside
        their files, or of which it leaves files out, where what *write* makes of the parts is
        shorter; whether any is."""
        found = False
        for family in families:
            names = tuple(family.shape.stems)
            lines = made.lines.get(names[0])
            by_hand = sum([recipe.text.count("\n") for recipe in family.recipes])
            if names in self.known or (lines is not None and lines < by_hand * _SHORT):
                continue
            beside = [one.shape for one in families if one is not family]
            groups = self.known[names] = _shortest(family, beside, write)
            found = found or len(groups) > 1
        return found

    def part_more(self, families: Sequence[Family], unsaid: Iterable[str]) -> bool:
        """Part those of *families* once more that have files *unsaid*, by how each setting is
        said; whether any can be."""
        found, files = False, set(unsaid)
        for family in families if files else ():
            kinds = _grouped([_kinds(one) for one in family.recipes])
            if files.isdisjoint(family.files) or not 1 < len(kinds) <= _MOST_STYLES:
                continue
            found = True
            whole = (family.whole or family.shape).stems
            place = {stem: cell for cell, stem in enumerate(whole)}
            mine = [place[stem] for stem in family.shape.stems]
            others = [one for one in self.known.get(whole, []) if one != mine]
            self.known[whole] = [*others, *[[mine[cell] for cell in some] for some in kinds]]
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


def _shortest(family: Family, beside: Sequence[Shape], write: Write) -> list[list[int]]:
    """The cells of *family* in the parts of which the shortest program is made."""
    every = list(range(len(family.files)))
    styles = _styles(family.recipes)
    if len(styles) == 1:
        return styles
    ways = _distinct([[every], _without_few(styles, few_of(len(every))), styles])
    best, least = ways[0], (len(every) + 1, 0)
    for groups in ways:
        if groups is styles and least[0] == 0:
            break  # what few cells have can be said as drift
        size = _size(write(_families(family, groups), beside), len(every))
        if size < least:
            best, least = groups, size
    return best


def _size(made: Written, count: int) -> tuple[int, int]:
    """How many of *count* files a program does not say, and how much there is to read of it: the
    depth of a line is nothing to read."""
    read = sum(len(line.strip()) + _LINE for line in (made.text + made.texts).split("\n"))
    return count if made.fault else len(made.unsaid), read


def _styles(recipes: Sequence[Recipe]) -> list[list[int]]:
    """Cells by what their *recipes* build on and how; by how alone, where these are many."""
    forms = [_form(one.package) for one in recipes]
    found = _grouped(list(zip(forms, _likes(recipes), strict=True)))
    return found if len(found) <= _MOST_STYLES else _grouped(forms)


def _without_few(groups: Sequence[list[int]], few: int) -> list[list[int]]:
    """*groups*, those of *few* cells put to the largest."""
    largest = max(groups, key=len)
    small = [cell for one in groups if len(one) <= few and one is not largest for cell in one]
    return [
        sorted([*one, *small]) if one is largest else one
        for one in groups
        if one is largest or len(one) > few
    ]


def _grouped(kinds: Sequence[object]) -> list[list[int]]:
    """Cells by their kinds, in the order of the first of each."""
    found: dict[object, list[int]] = {}
    for cell, kind in enumerate(kinds):
        found.setdefault(kind, []).append(cell)
    return list(found.values())


def _distinct(ways: Sequence[list[list[int]]]) -> list[list[list[int]]]:
    return [one for number, one in enumerate(ways) if one not in ways[:number]]


def _form(package: NixExpr) -> str:
    """How a package is made: whether it is one of nixpkgs, made by a builder, or else."""
    if is_scratch(package):
        return "made"
    return "there" if root_of(package) is not None else type(package).__name__


def _built(package: NixExpr) -> str:
    """The name of what is built on, or of what builds it, whatever set it is of."""
    function, _ = call_of(package)
    return last_step(function)


def _likes(recipes: Sequence[Recipe]) -> list[int]:
    """A number for each of *recipes*, the same for those that have the same settings, or half of
    all that they say in common with one that has this number; one for all, where they have
    many kinds of settings."""
    kinds = [frozenset(one.settings) for one in recipes]
    first = {kind: _words(recipes[kinds.index(kind)]) for kind in dict.fromkeys(kinds)}
    number = {kind: at for at, kind in enumerate(first)}
    if len(first) > _MOST_COMPARED:
        return [0] * len(recipes)
    for one, other in combinations(first, 2):
        kept, lost = number[one], number[other]
        if kept != lost and _in_common(first[one], first[other]) >= _IN_COMMON:
            number = {kind: kept if at == lost else at for kind, at in number.items()}
    return [number[kind] for kind in kinds]


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


def _words(recipe: Recipe) -> Counter[tuple[str, str]]:
    """The words of all that *recipe* says, each with its setting."""
    found: Counter[tuple[str, str]] = Counter()
    for name, value in {**recipe.settings, "package": recipe.package}.items():
        for node in walk([value]):
            match node:
                case NixIdent(word):
                    words = [word]
                case NixSelect(_, path):
                    words = [one for one in path if isinstance(one, str)]
                case NixString(parts):
                    texts = [part for part in parts if isinstance(part, str)]
                    words = [word for text in texts for word in _WORD.findall(text)]
                case _:
                    words = []
            found.update([(name, word) for word in words])
    return found


def _in_common(one: Counter[tuple[str, str]], other: Counter[tuple[str, str]]) -> float:
    """Which share of the words of two recipes is in both."""
    either = (one | other).total()
    return (one & other).total() / either if either else 1.0


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
