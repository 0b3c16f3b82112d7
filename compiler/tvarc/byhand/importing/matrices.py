"""The matrix of recipes as text: its axes, the excluded combinations, and its drift."""

from __future__ import annotations

from collections import Counter
from itertools import product

from tvarc.byhand.importing.conditions import Cells
from tvarc.byhand.importing.explain import few_of
from tvarc.byhand.importing.model import Family, line_at
from tvarc.byhand.importing.recipes import Statements
from tvarc.byhand.importing.shapes import Axis, Shape
from tvarc.byhand.importing.statements import Drift, Statement, blocks, conditional
from tvarc.byhand.importing.written import template
from tvarc.byhand.reading.trees import entries_of, text_of
from tvarc.light import Final, Mapping, Sequence, dataclass, replace
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
from tvarc.syntax.format.break_points import STEP, WIDTH
from tvarc.syntax.format.format import braced
from tvarc.values.value import quote

_MOST_CELLS: Final = 1 << 15


def matrix(
    family: Family, statements: Statements, names: tuple[str, str], axes: Mapping[str, Axis]
) -> tuple[list[str], list[Drifting]]:
    """The matrix of *family*, or its only variant, and its drift. *names* are the names of the
    matrix and of its recipe, *axes* those of the program."""
    shape = family.shape
    name, recipe = names
    said = [f"recipe = {recipe}", f"name = {template(shape.name)}"]
    if not shape.axes:
        return braced(f"variant {name}", said if name != shape.name else said[:1]), []
    said.insert(1, f"axes = {' * '.join([_slice(axis, axes[axis.name]) for axis in shape.axes])}")
    rows = exclusions(shape, *["no file of this kind has it"] if family.part else ())
    more, found = overrides(family, statements.cells, statements.drift)
    return braced(f"matrix {name}", [*said, *rows, *more]), found


def overrides(
    family: Family, cells: Cells, drift: Sequence[Drift], how: str = ""
) -> tuple[list[str], list[Drifting]]:
    """The *drift* in the *cells* of *family*, as text below its comments. *how* is written before
    each setting."""
    rows: list[str] = []
    found: list[Drifting] = []
    for some, groups in _together(drift).items():
        rows.append("")
        for setting in dict.fromkeys([one.setting for one in groups]):
            found.append(drifting(family, some, setting, len(family.files)))
            rows.append(found[-1].comment())
        said = [replace(one, text=f"{how}{one.text}") for each in groups for one in each.statements]
        if not said:
            rows[-1] += " (a condition in the recipe)"
            continue
        rows += conditional(_exact(cells, family.shape, some), blocks(said))
    return rows, found


def apart(family: Family) -> list[Drifting]:
    """The drift of a *family* that is a small part of a shape: its whole recipes."""
    if family.whole is None or len(family.files) > few_of(len(family.whole.stems)):
        return []
    cells, of = range(len(family.files)), len(family.whole.stems)
    return [drifting(family, cells, "package", of)]


def exclusions(shape: Shape, reason: str = "no file has it") -> list[str]:
    """The exclusions from the product of the axes, with the same *reason*; or the inclusions, if
    these are shorter."""
    names = [axis.name for axis in shape.axes]
    products = list(product(*[axis.values for axis in shape.axes]))
    there = {tuple([cell[name] for name in names]) for cell in shape.cells}
    missing = frozenset([at for at, values in enumerate(products) if values not in there])
    if not missing or len(products) > _MOST_CELLS:
        return []
    cells = [dict(zip(names, values, strict=True)) for values in products]
    every = Cells(shape.axes, cells, is_open=True)
    whole = frozenset(range(len(products)))
    outside, inside = (every.boxes(some, whole).terms for some in (missing, whole - missing))
    includes = [f"include {term}" for term in inside]
    excludes = [f"exclude {term} because {quote(reason)}" for term in outside]
    return min(excludes, includes, key=lambda rows: sum(map(_lines, rows)))


def _lines(row: str) -> int:
    """The number of lines of *row*. A row that is too long is broken before each `and`."""
    return 1 if len(row) + STEP <= WIDTH else 1 + row.count(" and ")


def _slice(axis: Axis, whole: Axis) -> str:
    """An *axis* in the form for its matrix: with its values, if it lacks some of the *whole*
    axis."""
    if axis.values == whole.values:
        return axis.name
    return f"{axis.name}[{', '.join(map(axis.written, axis.values))}]"


def _exact(cells: Cells, shape: Shape, some: Sequence[int]) -> str:
    """The condition for the cells *some*. For a single cell, it names all axes."""
    if len(some) > 1:
        return cells.condition(some, list(range(len(shape.cells)))).code
    cell = shape.cells[some[0]]
    return " and ".join(
        [cells.of_axis(axis, {cell[axis.name]}, {cell[axis.name]}) for axis in shape.axes]
    )


def _together(drift: Sequence[Drift]) -> dict[tuple[int, ...], list[Drift]]:
    """Groups the drift by its cells. Cells with the same setting are together."""
    alike: dict[tuple[str, tuple[Statement, ...]], list[int]] = {}
    for one in drift:
        alike.setdefault((one.setting, one.statements), []).extend(one.cells)
    found: dict[tuple[int, ...], list[Drift]] = {}
    for (setting, statements), some in alike.items():
        cells = tuple(sorted(some))
        found.setdefault(cells, []).append(Drift(cells, setting, statements))
    return found


@dataclass(frozen=True, slots=True)
class Drifting:
    """A setting that departs from its rule in some files of a matrix."""

    setting: str
    files: tuple[str, ...]
    lines: tuple[int, ...]
    of: int

    def comment(self) -> str:
        """The comment above it in a program."""
        places = zip(self.files, self.lines, strict=True)
        told = ", ".join([f"{file}:{line}" for file, line in places])
        return f"# drift: {len(self.files)} of {self.of}: {self.setting}, {told}"


def drifting(family: Family, cells: Sequence[int], setting: str, of: int) -> Drifting:
    """The drift of a *setting* in some *cells* of *family*. *of* is the number of all cells."""
    files = tuple([family.files[cell] for cell in cells])
    lines = tuple([_line(family, cell, setting) for cell in cells])
    return Drifting(setting, files, lines, of)


def _line(family: Family, cell: int, setting: str) -> int:
    """The line of *setting* in a file, or else its first line."""
    recipe = family.recipes[cell]
    name = setting.rpartition(".")[2]
    name = _odd_attribute(family, cell) if setting == "package" else name
    offset = _offset(recipe.original.root(), name) if recipe.original is not None else 0
    return line_at(recipe.text, offset)


def _odd_attribute(family: Family, cell: int) -> str:
    """The first attribute of a literal package for which only one cell has a different value, or a
    text of its own, while the others agree; empty if there is none."""
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
    """The attributes that a builder gets, or that a function changes."""
    match package:
        case NixApply(_, NixAttrs() as given) | NixApply(_, NixLambda(_, NixAttrs() as given)):
            return dict(entries_of(given))
        case _:
            return {}


def _offset(root: NixExpr, name: str) -> int:
    """The last place in *root* of an attribute *name*; 0 if there is none."""
    for node in walk([root]):
        if isinstance(node, NixAttrs | NixLet):
            for entry in node.entries:
                if isinstance(entry, NixBinding) and entry.path[-1] == name:
                    return extent_of(entry).start
    return 0
