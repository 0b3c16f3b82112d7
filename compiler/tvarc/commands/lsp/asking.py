"""Answers to questions from an editor: the results of `explain`, `why-not` and `who`, and a recipe
with the source lines of each of its lines. Each answer has a compilation of its own, because an
answer may use up the budget of a compilation, and may report to it.
"""

from __future__ import annotations

from posixpath import basename

from tvarc.build.assembly.source_map import SourceMaps
from tvarc.build.driver import Compilation
from tvarc.build.impact.line_impact import line_impact
from tvarc.build.whynot import answers
from tvarc.commands.explain.text import explain_text
from tvarc.commands.programs.recipes import Recipe
from tvarc.commands.shown.tree import Node, recipe_tree
from tvarc.commands.who import who_text
from tvarc.commands.whynot import whynot_text
from tvarc.decide.trace import Trace
from tvarc.light import Final, Sequence, dataclass
from tvarc.matrix.boxes import Universe, cells_of
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.exclusion_eval import dropped_cells
from tvarc.matrix.variants import Variant, axis_text
from tvarc.text.diagnostics.model import first_errors
from tvarc.text.diagnostics.render_text import render_text
from tvarc.text.source import Span
from tvarc.values.provenance import Place

_WIDTH: Final = 100


@dataclass(frozen=True, slots=True)
class Beside:
    """A recipe, to be shown beside its source. For each of its lines, `lines` has the lines of
    source that made it, the most informative first. Both count from 1."""

    variant: str
    path: str
    text: str
    lines: tuple[tuple[Place, ...], ...]

    def reached(self, place: Place) -> list[int]:
        """The lines of the recipe that the line of source at *place* made."""
        return [number for number, places in enumerate(self.lines, 1) if place in places]


def explained(made: Compilation, variant: Variant, path: Sequence[str]) -> str:
    """What `tvarc explain` prints about the *path* in *variant*; about all of it if that is
    empty."""
    recipe = made.checked(variant)
    if recipe is None:
        return faults(made)
    why = Trace(made.elaboration, variant, recipe, made.sources)
    tree = recipe_tree(recipe, made.inputs)
    node = _at(tree, tuple(path))
    return explain_text(tree, node, made.sources, colour=False, width=_WIDTH, why=why)


def _at(tree: Node, path: tuple[str, ...]) -> Node:
    return next((node for node in tree.walk() if node.path == path), tree)


def why_not(made: Compilation, words: Sequence[str]) -> str:
    """What `tvarc why-not` prints about the cells that *words* name."""
    found = answers(made, words, made.sink) if made.expansion is not None else ()
    if made.sink.has_errors:
        return faults(made)
    return whynot_text(found, made.sources, made.file, colour=False, width=_WIDTH)


def who(made: Compilation, place: Place) -> str:
    """What `tvarc who` prints about the line of source at *place*."""
    if made.sink.has_errors or not made.variants:
        return faults(made)
    answer = line_impact(made, made.variants, place)
    if made.sink.has_errors:
        return faults(made)
    return who_text(answer, Universe(cells_of(made.variants)), whole=True)


def beside(made: Compilation, variant: Variant) -> Beside | None:
    """The first recipe of *variant*; None if the program has errors or makes none."""
    if made.sink.has_errors:
        return None
    maps = SourceMaps(made.traced(), basename(made.file), made.file)
    mapped = maps.of(variant)
    if mapped is None or not mapped.files:
        return None
    file = mapped.files[0]
    recipe = Recipe(file.path, made, maps, variant, mapped, file)
    lines = [
        tuple([(one.file, one.line) for one in recipe.sharpest(number)])
        for number in range(1, recipe.count + 1)
    ]
    return Beside(variant.name, file.path, file.text, tuple(lines))


def dropped_by(made: Compilation, span: Span) -> list[str]:
    """The words that name, for `why-not`, the first cell that the exclusion at *span* drops; empty
    if it drops none."""
    expansion = made.expansion
    if expansion is None:
        return []
    for built in expansion.variants.built:
        for check in expansion.excludes.get(built.matrix.id, ()):
            if check.span == span:
                for cell in dropped_cells(built.matrix, (check,), Dependencies()):
                    values = cell.variant.values.items()
                    return [f"{axis}={axis_text(value)}" for axis, value in values]
    return []


def faults(made: Compilation) -> str:
    """The errors of *made*, which prevent an answer."""
    errors, more = first_errors(made.diagnostics)
    return render_text(errors, made.sources, colour=False, width=_WIDTH, more=more)

