"""Recipes of the library that say what imported ones do, but for a few settings."""

from __future__ import annotations

# pathlib costs too much at start.
import re
from textwrap import wrap

from tvarc.byhand.importing.matrices import exclusions
from tvarc.byhand.importing.model import Family, Recipe
from tvarc.byhand.importing.proof import PROGRAM, Tools, built_by, canonical, unread
from tvarc.byhand.importing.reading import read_recipe
from tvarc.byhand.importing.shapes import Axis, Shape
from tvarc.byhand.importing.statements import fetched
from tvarc.byhand.importing.tables import Table
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import last_name
from tvarc.files.disk import DiskLoader
from tvarc.light import Final, Mapping, Sequence, dataclass
from tvarc.nix.language.reader import NotNix
from tvarc.values.value import quote

_RECIPE: Final = re.compile(r"^recipe ([\w-]+)(?: extends ([\w-]+))?", re.MULTILINE)
_WIDE: Final = 90
_OVERLAYS: Final = "overlays"
_UNLIKE: Final = ("package", "pin")  # what a program says for itself


@dataclass(frozen=True, slots=True)
class Likeness:
    """A recipe of a *module* of the library, and the settings that are others in some cells."""

    module: str
    recipe: str
    but: tuple[str, ...]

    def sentence(self, mine: str) -> str:
        """That the recipe *mine* is like it, as a sentence."""
        but = f", except {', '.join(self.but)}" if self.but else ""
        return f"`{mine}` has the settings of `{self.recipe}` of std.{self.module}{but}"


def with_likeness(text: str, recipe: str, alike: Likeness) -> str:
    """The program *text* with that in a comment above its *recipe*."""
    told = alike.sentence(recipe)
    lines = [f"# {line}" for line in wrap(f"{told[0].upper()}{told[1:]}.", _WIDE)]
    head = re.compile(rf"^recipe {re.escape(recipe)} ", re.MULTILINE)
    return head.sub(lambda found: "\n".join([*lines, found[0]]), text, count=1)


def likeness(family: Family, tables: Mapping[str, Table], tools: Tools) -> Likeness | None:
    """The recipe of the library whose settings those of *family* equal in all cells, but for fewer
    than are equal; None where there is none."""
    if family.recipes[0].pin is None:
        return None
    one = Family(_first(family.shape), family.recipes[:1], family.files[:1])
    found: list[tuple[int, str, str]] = []
    for module, recipe in _library(tools.std_folder):
        there = _settings(one, tables, (module, recipe), tools)
        if there is None:
            continue
        same, other = _compared(one.recipes, there, tools.parser)
        if len(same) > len(other):
            found.append((len(same) - len(other), module, recipe))
    for _, module, recipe in sorted(found, reverse=True):
        there = _settings(family, tables, (module, recipe), tools)
        same, other = (
            _compared(family.recipes, there, tools.parser) if there is not None else ([], [])
        )
        if len(same) > len(other):
            return Likeness(module, recipe, tuple(other))
    return None


def _first(shape: Shape) -> Shape:
    """The first cell of *shape* alone."""
    cell = shape.cells[0]
    axes = [Axis(axis.name, axis.table, (cell[axis.name],)) for axis in shape.axes]
    return Shape(tuple(axes), shape.name, shape.stems[:1], shape.cells[:1])


def _library(std_folder: str) -> list[tuple[str, str]]:
    """The recipes of the library that no other one extends, each with its module."""
    loader = DiskLoader(std_folder)
    found: list[tuple[str, str]] = []
    for module in loader.std_names():
        recipes = _RECIPE.findall(loader.read(f"std/{module}.tvar").text)
        bases = {base for _, base in recipes}
        found += [(module, name) for name, _ in recipes if name not in bases]
    return found


def _settings(
    family: Family,
    tables: Mapping[str, Table],
    named: tuple[str, str],
    tools: Tools,
) -> list[Recipe] | None:
    """What the recipe *named* of the library says in each cell of *family*."""
    text = _program(family, tables, named)
    built, error = built_by({PROGRAM: text}, "", tools)
    if error or any(stem not in built for stem in family.shape.stems):
        return None
    try:
        return [
            read_recipe(tools.parser, built[stem][1], stem, unread, places=False)
            for stem in family.shape.stems
        ]
    except NotNix:
        return None


def _program(family: Family, tables: Mapping[str, Table], named: tuple[str, str]) -> str:
    """A program that builds the cells of *family* by a recipe of the library. Words of its names
    that are rows of tables are axes of one value."""
    shape, (module, recipe) = family.shape, named
    axes = list(shape.axes)
    for word in shape.name.split("-"):
        for table in tables.values():
            if word in table.rows and table.axis not in [axis.name for axis in axes]:
                axes.append(Axis(table.axis, table, (word,)))
    used = dict.fromkeys([axis.table.module for axis in axes if axis.table] + [module])
    rows = [f"use std.{one}" for one in used]
    pin = family.recipes[0].pin
    assert pin is not None  # asked before
    rows += fetched("pin", pin, "of-these")
    for axis in axes:
        values = axis.values if axis.table else tuple(map(quote, axis.values))
        source = axis.table.name if axis.table else ""
        rows.append(f"axis {axis.name} = {source}[{', '.join(values)}]")
    rows += [f"recipe alike extends {recipe} {{", "pin = of-these", "}"]
    product = " * ".join([axis.name for axis in axes])
    rows += ["matrix alikes {", "recipe = alike", f"axes = {product}"] if axes else ["variant a {"]
    rows += [] if axes else ["recipe = alike"]
    rows += [f'name = "{shape.name}"', *exclusions(shape), "}"]
    return "\n".join([*rows, 'output nix { file = "{{variant}}.nix" }', ""])


def _compared(
    mine: Sequence[Recipe], theirs: Sequence[Recipe], parser: RecipeParser
) -> tuple[list[str], list[str]]:
    """The settings that are equal in all cells, and the others."""
    same: dict[str, None] = {}
    other: dict[str, None] = {}
    for recipe, like in zip(mine, theirs, strict=True):
        here, my_overlays = canonical(recipe, parser)
        there, their_overlays = canonical(like, parser)
        names = {last_name(recipe.package), last_name(like.package)}
        if here["package"] != there["package"] and len(names) > 1:
            return [], ["package"]
        for name in sorted({*here, *there} - {*_UNLIKE}):
            (same if here.get(name) == there.get(name) else other)[name] = None
        if my_overlays or their_overlays:
            (same if my_overlays == their_overlays else other)[_OVERLAYS] = None
    return [name for name in same if name not in other], list(other)
