"""The needs of recipes: finds the matrix and the cell of each needed recipe."""

from __future__ import annotations

import re
from collections import Counter

from tvarc.byhand.importing.explain import Explaining
from tvarc.byhand.importing.model import Family, Recipe
from tvarc.byhand.importing.names import free_name, name_of
from tvarc.byhand.importing.shapes import Axis, Shape
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.trees import file_of_input, rewritten, within
from tvarc.light import Callable, Final, Mapping, Sequence, dataclass, replace
from tvarc.nix.language.syntax import (
    NixApply,
    NixBinary,
    NixExpr,
    NixIdent,
    NixList,
    NixSelect,
    elements,
)


@dataclass(frozen=True, slots=True)
class Target:
    """A recipe that others need: its matrix with its axes, and its cell; and the name that the
    recipes which need it use, if there is one."""

    matrix: str
    name: str
    axes: tuple[Axis, ...]
    cell: Mapping[str, str]


def targets_of(
    shapes: Sequence[Shape], matrices: Sequence[str], names: Sequence[str]
) -> dict[str, Target]:
    """Every recipe by its name. *matrices* are the names of the matrices of *shapes*, and *names*
    the names that other recipes use for their recipes."""
    return {
        stem: Target(matrix, name, shape.axes, cell)
        for shape, matrix, name in zip(shapes, matrices, names, strict=True)
        for stem, cell in zip(shape.stems, shape.cells, strict=True)
    }


def needed_by(recipe: Recipe) -> list[str]:
    """The names of the recipes that *recipe* needs, in the order in which it names them."""
    nodes = [one for part in _all_of(recipe) for one in within(part)]
    selected = [one for one in nodes if isinstance(one, NixSelect)]
    found = [str(one.path[0]) for one in selected if one.base == NixIdent("@needs")]
    return list(dict.fromkeys(found))


def named(recipe: Recipe, names: Mapping[str, str]) -> Recipe:
    """*recipe* in which its needs have *names*."""

    def change(one: NixExpr) -> NixExpr | None:
        match one:
            case NixSelect(NixIdent("@needs") as root, (step, *rest), default):
                return NixSelect(root, (names[str(step)], *rest), default)
            case _:
                return None

    return _changed(recipe, change)


def _changed(recipe: Recipe, change: Callable[[NixExpr], NixExpr | None]) -> Recipe:
    """*recipe* with each of its expressions rewritten by *change*."""
    overlays = [
        replace(
            one,
            value=rewritten(one.value, change) if one.value is not None else None,
            changes=tuple([(path, rewritten(node, change)) for path, node in one.changes]),
        )
        for one in recipe.overlays
    ]
    settings = {key: rewritten(one, change) for key, one in recipe.settings.items()}
    package = rewritten(recipe.package, change)
    return replace(recipe, package=package, overlays=tuple(overlays), settings=settings)


def taken_by(recipe: Recipe) -> dict[str, NixExpr]:
    """What functions in files of other repositories make, by a name after the file: the recipe
    reads it twice, or within Nix text, in which an input has no name."""
    count: Counter[NixExpr] = Counter()

    def counted(one: NixExpr) -> NixExpr | None:
        is_made = isinstance(one, NixApply) and is_import(one.function)
        count[one] += is_made
        return one if is_made else None

    whole: set[NixExpr] = set()
    for part in _all_of(recipe):
        rewritten(part, counted)
        items = part.right if isinstance(part, NixBinary) else part
        whole.update([part, *(elements(items) if isinstance(items, NixList) else [])])
    found: dict[str, NixExpr] = {}
    for node, times in count.items():
        if times > 1 or (times and node not in whole):
            found[free_name(_name_of_file(node), found)] = node
    return found


def with_taken(recipe: Recipe, taken: Mapping[str, NixExpr]) -> Recipe:
    """*recipe* with `needs.NAME` for each that is *taken*."""
    names = {node: name for name, node in taken.items()}

    def change(one: NixExpr) -> NixExpr | None:
        name = names.get(one) if isinstance(one, NixApply) else None
        return NixSelect(NixIdent("@needs"), (name,)) if name else None

    return _changed(recipe, change)


def is_import(node: NixExpr) -> bool:
    """Whether *node* is the function in a file of another repository, or that with arguments."""
    match node:
        case NixApply(NixIdent("import"), file):
            return file_of_input(file) is not None
        case NixApply(function, _):
            return is_import(function)
        case _:
            return False


def _name_of_file(node: NixExpr) -> str:
    """A name for what *node* makes, after the file that has the function."""
    while isinstance(node, NixApply) and node.function != NixIdent("import"):
        node = node.function
    file = file_of_input(node.argument) if isinstance(node, NixApply) else None
    found = _FILE.search(plain(file[1])) if file is not None else None
    return name_of(found[1].replace("_", "-"), "package") if found is not None else "package"


def _all_of(recipe: Recipe) -> list[NixExpr]:
    overlays = [part for overlay in recipe.overlays for part in overlay.parts()]
    return [recipe.package, *overlays, *recipe.settings.values()]


def names_of(stems: Sequence[str], targets: Mapping[str, Target]) -> dict[str, str]:
    """A name for each of *stems*."""
    found: dict[str, str] = {}
    for stem in stems:
        known = targets.get(stem)
        base = known.name.removesuffix("-builds") if known is not None else name_of(stem, "other")
        found[stem] = free_name(base, found.values())
    return found


def need_code(wanted: Sequence[Target], cells: Sequence[int], explaining: Explaining) -> str:
    """The expression of a need with the targets *wanted* in *cells*: a matrix, with values for axes
    that the cell lacks or that differ; or a choice between several."""
    codes = [
        _code(target, explaining.cells[cell]) for target, cell in zip(wanted, cells, strict=True)
    ]
    groups: dict[str, list[int]] = {}
    for code, cell in zip(codes, cells, strict=True):
        groups.setdefault(code, []).append(cell)
    *others, last = sorted(groups, key=lambda code: len(groups[code]))
    made = last
    for code in others:
        condition = explaining.condition(groups[code], cells).code
        made = f"if {condition} then {code} else {made}"
    return made


def _code(target: Target, cell: Mapping[str, str]) -> str:
    values = [
        f"{axis.name} = {axis.written(target.cell[axis.name])}"
        for axis in target.axes
        if cell.get(axis.name) != target.cell[axis.name]
    ]
    return f"{target.matrix}[{', '.join(values)}]" if values else target.matrix


_FILE: Final = re.compile(r"([^/]+?)(?:-[\d._]+)?(?:\.nix)?\Z")
_MOST_FIRST: Final = 2
"""The greatest number of common first words after which a matrix is named."""
_PLACEHOLDERS: Final = re.compile(r"\{\{[^}]*\}\}")


@dataclass(frozen=True, slots=True)
class Naming:
    """The names of the `matrices` of some families, in their order, and the recipes that can be
    needed, by the names of variants."""

    matrices: tuple[str, ...]
    targets: Mapping[str, Target]


def naming(families: Sequence[Family], beside: Sequence[Shape], taken: set[str]) -> Naming:
    """Names for the matrices of *families* that are not in *taken*. They are added to it. Recipes
    of the families *beside* them can be needed, too."""
    shapes = [*[family.whole or family.shape for family in families], *beside]
    parts = [*[family.part for family in families], *[""] * len(beside)]
    names = [
        _matrix_name(shape, shapes, taken, part) for shape, part in zip(shapes, parts, strict=True)
    ]
    of_needs = [
        name_of("-".join(words), name) if part and (words := _words(shape)) else name
        for shape, part, name in zip(shapes, parts, names, strict=True)
    ]
    targets = targets_of([*[family.shape for family in families], *beside], names, of_needs)
    return Naming(tuple(names[: len(families)]), targets)


def claimed(base: str, taken: set[str]) -> str:
    """A name like *base* that is not in *taken*. It is added to it."""
    name = free_name(base, taken)
    taken.add(name)
    return name


def _matrix_name(shape: Shape, shapes: Sequence[Shape], taken: set[str], part: str) -> str:
    """A name for the matrix of *shape*, or for a *part* of that matrix. It begins with the common
    first words of its variants, if these are few and not versions. The words that no other matrix
    has follow. A matrix without words has the name of its only axis."""
    words = _words(shape)
    if part:
        return claimed(name_of("-".join([*words, part]), part), taken)
    others = [set(_words(one)) for one in shapes if one is not shape]
    own = [word for word in words if all(word not in one for one in others)]
    for axis in shape.axes:
        few = len(axis.values) <= _MOST_FIRST and all(map(str.isalpha, axis.values))
        if few and own and axis.table is None and shape.name.startswith(f"{{{{{axis.name}}}}}-"):
            own = [*axis.values, *own]
    alone = f"{shape.axes[0].name}-builds" if len(shape.axes) == 1 else "builds"
    name = name_of("-".join(own or words), alone)
    return claimed(name if name not in taken else f"{name}-builds", taken)


def _words(shape: Shape) -> list[str]:
    """The words in all names of *shape*."""
    return [word for word in _PLACEHOLDERS.sub("", shape.name).split("-") if word]
