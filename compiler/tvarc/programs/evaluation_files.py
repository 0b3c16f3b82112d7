"""The files that Nix evaluates variants by, and the jobs of doing so."""

# ruff: noqa: PTH118
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc import ir
from tvarc.assembly.together import system_of, together
from tvarc.diagnostics.model import Sink
from tvarc.driver import Compilation
from tvarc.judge.evaluate import Job
from tvarc.judge.folder import in_folder
from tvarc.judge.nix import put_file
from tvarc.judge.pins import unfetched
from tvarc.light import Callable, Final, Sequence, TypeVar, dataclass, field
from tvarc.matrix.variants import Variant
from tvarc.programs.find import source_from
from tvarc.report.evaluation import unfetched_told

FILE: Final = "variants.nix"
T = TypeVar("T")


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


def judged(
    made: Compilation,
    variants: Sequence[Variant],
    ask: Callable[[Prepared], T],
    sink: Sink,
    wants: str,
    help_: str,
) -> T | None:
    """What *ask* finds out from Nix of *variants*, which have no errors; None after reporting that
    it cannot judge here, see `in_folder`, or that it cannot fetch what they are of."""

    def asks(folder: str) -> T | None:
        prepared = prepare(made, variants, folder)
        unfetched_told(unfetched(prepared.recipes.values()).values(), sink)
        return None if sink.has_errors else ask(prepared)

    return in_folder(asks, sink, wants, help_)


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
