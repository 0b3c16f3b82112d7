"""The files that Nix evaluates variants by, and the jobs of doing so."""

# ruff: noqa: PTH118
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc import ir
from tvarc.assembly.together import system_of, together
from tvarc.driver import Compilation
from tvarc.judge.evaluate import Job
from tvarc.judge.nix import put_file
from tvarc.light import Final, Sequence, dataclass, field
from tvarc.matrix.variants import Variant
from tvarc.programs.find import source_from

FILE: Final = "variants.nix"
_MOST: Final = 48
"""Variants that one evaluator is given: what Nix keeps of each is not freed before it ends."""
_MOST_ALONE: Final = 8
"""Of those that import a nixpkgs each."""
_FEWEST: Final = 4
"""Fewer are not worth another import of nixpkgs."""


@dataclass(slots=True)
class Prepared:
    """Variants as files in a folder, and the jobs of evaluating them, in chunks that are each for
    one evaluator."""

    folder: str
    source: str
    recipes: dict[str, ir.Recipe]
    together: list[str] = field(default_factory=list)
    groups: list[list[Job]] = field(default_factory=list)
    overlays: list[tuple[ir.Overlay, list[str]]] = field(default_factory=list)
    path: str = ""
    needed: dict[str, ir.Recipe] = field(default_factory=dict)
    """These recipes, and all that they need of others, by the variants' names."""

    @property
    def jobs(self) -> list[Job]:
        return [job for group in self.groups for job in group]


def prepare(
    made: Compilation, variants: Sequence[Variant], folder: str, file: str = FILE
) -> Prepared:
    """Write what Nix needs to evaluate *variants* to *folder*, as *file*."""
    folder = os.path.realpath(folder)
    recipes: dict[str, ir.Recipe] = {}
    beside = made.stack.closure(variants) if made.is_stacked and variants else variants
    for variant in beside:
        recipe = made.recipe(variant)
        assert recipe is not None
        recipes[variant.name] = recipe
    wanted = {variant.name for variant in variants}
    source = source_from(made.file, folder)
    found = Prepared(folder, source, {name: recipes[name] for name in recipes if name in wanted})
    found.together = list(recipes)
    found.needed = recipes
    found.path = os.path.join(folder, file)
    if not recipes:
        return found
    whole = together(list(recipes.values()), source, made.file)
    path = found.path
    put_file(path, whole.text.encode())
    kind: Final = "called" if whole.called else "alone"
    for group in whole.groups:
        names = [name for name in group if name in wanted]
        by_system: dict[str, list[Job]] = {}
        for name in names:
            system = system_of(recipes[name])
            by_system.setdefault(system, []).append(Job(name, path, system, name, kind))
        found.groups += by_system.values()
        tried = [name for name in names if not _is_linked(recipes[name])]
        for overlay in recipes[tried[0]].overlays if tried else ():
            found.overlays.append((overlay, tried))
    return found


def needs(recipe: ir.Recipe, needed: dict[str, ir.Recipe]) -> dict[str, ir.Recipe]:
    """The recipes of other variants that *recipe* needs, and what these need, out of *needed*."""
    found: dict[str, ir.Recipe] = {}
    waiting = [recipe]
    while waiting:
        for need in waiting.pop().needs:
            if need.recipe is not None:
                waiting.append(need.recipe)
            elif need.linked is not None and need.linked.variant not in found:
                found[need.linked.variant] = other = needed[need.linked.variant]
                waiting.append(other)
    return found


def _is_linked(recipe: ir.Recipe) -> bool:
    """Whether it takes the recipe of another variant, which has to lie beside it."""
    return any(
        need.linked is not None or (need.recipe is not None and _is_linked(need.recipe))
        for need in recipe.needs
    )


def chunks(groups: Sequence[Sequence[Job]], side_by_side: int) -> list[Sequence[Job]]:
    """*groups* in parts for evaluators: no evaluator has two groups, which would be two nixpkgs,
    and all have something to do."""
    total = sum(map(len, groups))
    size = min(_MOST, max(_FEWEST, -(-total // max(side_by_side, 1))))
    found: list[Sequence[Job]] = []
    for group in groups:
        most = min(size, _MOST_ALONE) if any(job.attribute is None for job in group) else size
        found += [group[at : at + most] for at in range(0, len(group), most)]
    return sorted(found, key=len, reverse=True)
