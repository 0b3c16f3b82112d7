"""The files by which Nix evaluates variants, and the jobs of these evaluations."""

# ruff: noqa: PTH118
# pathlib costs too much at start.
from __future__ import annotations

import os
import posixpath

from tvarc.build.assembly.together import system_of, together
from tvarc.build.driver import Compilation
from tvarc.commands.evaluation.text import report_unfetched
from tvarc.commands.programs.find import source_from
from tvarc.light import Callable, Final, Sequence, TypeVar, dataclass, field, replace
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.judge.evaluate import Job
from tvarc.nix.judge.folder import in_folder
from tvarc.nix.judge.in_place import InPlace
from tvarc.nix.judge.nix import as_text, put_file
from tvarc.nix.judge.pins import unfetched
from tvarc.text.diagnostics.model import Failed, Sink

FILE: Final = "variants.nix"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Test:
    """A test of a variant, which is a derivation of its own."""

    variant: Variant
    setting: ir.Setting

    @property
    def fields(self) -> dict[str, ir.Setting]:
        """The fields that are set, by their names."""
        return {one.key: one for one in self.setting.entries()}

    @property
    def within(self) -> tuple[str, ...]:
        """The attribute path of the test in the variant."""
        return ("tests", self.setting.key)

    @property
    def name(self) -> str:
        """The name of the test in logs and results."""
        return ".".join((self.variant.name, *self.within))


@dataclass(slots=True)
class Prepared:
    """Variants as files in a folder, and the jobs that evaluate them, in one chunk for each
    evaluator."""

    folder: str
    source: str
    recipes: dict[str, ir.Recipe]
    moved: Callable[[ir.Recipe], ir.Recipe]
    """Changes that let recipes be read from another folder."""
    together: list[str] = field(default_factory=list)
    groups: list[list[Job]] = field(default_factory=list)
    path: str = ""
    """The file. `printed` is Nix's name for it, and `within` Nix's name for the folder."""
    printed: str = ""
    within: str = ""
    needed: dict[str, ir.Recipe] = field(default_factory=dict)
    """These recipes, and all recipes that they need, by the names of their variants."""

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
    *,
    checkouts: bool = False,
) -> T | None:
    """The result of *ask*, which runs Nix on *variants* without errors. None after reporting that
    Nix cannot run (see `in_folder`) or cannot fetch their sources. With *checkouts*, the command
    line may name checkouts of inputs."""

    def asks(folder: str) -> T | None:
        prepared = prepare(made, variants, folder, moved=moving(made, checkouts=checkouts))
        missing = unfetched(prepared.needed.values()).values()
        report_unfetched(missing, made.inputs, sink, checkouts=checkouts)
        return None if sink.has_errors else ask(prepared)

    return in_folder(asks, sink, wants, help_)


def prepare(
    made: Compilation,
    variants: Sequence[Variant],
    folder: str,
    file: str = FILE,
    *,
    moved: Callable[[ir.Recipe], ir.Recipe] | None = None,
) -> Prepared:
    """Write the files that Nix needs to evaluate *variants* to *folder*, as *file*; see `moving`
    for how recipes were *moved* there. Raises Failed after reporting that the budget does not last
    to decide the recipes again."""
    folder = os.path.realpath(folder)
    moved = moved or moving(made)
    recipes: dict[str, ir.Recipe] = {}
    shared: list[ir.Recipe] = []  # with late parts, so that shared texts are printed once
    beside = made.stack.closure(variants) if made.is_stacked and variants else variants
    for variant in beside:
        recipe, late = made.recipe(variant), made.recipe(variant, late=True)
        if recipe is None or late is None:
            raise Failed
        recipes[variant.name] = moved(recipe)
        shared.append(moved(late))
    wanted = {variant.name for variant in variants}
    source = as_text(source_from(made.file, folder))
    chosen = {name: recipes[name] for name in recipes if name in wanted}
    found = Prepared(folder, source, chosen, moved)
    found.together = list(recipes)
    found.needed = recipes
    found.path = os.path.join(folder, file)
    found.printed, found.within = as_text(found.path), as_text(folder)
    if not recipes:
        return found
    whole = together(shared, source, made.file)
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
    return found


def of_tests(prepared: Prepared, tests: Sequence[Test]) -> Prepared:
    """*prepared*, with the jobs of evaluating *tests* in the place of their variants."""
    of: dict[str, list[Test]] = {}
    for one in tests:
        of.setdefault(one.variant.name, []).append(one)
    groups = [
        [
            replace(job, name=test.name, within=test.within)
            for job in group
            for test in of.get(job.name, ())
        ]
        for group in prepared.groups
    ]
    recipes = {one.name: prepared.recipes[one.variant.name] for one in tests}
    return replace(prepared, recipes=recipes, groups=groups)


def moving(
    made: Compilation, *, checkouts: bool = True, there: Callable[[str], str] | None = None
) -> Callable[[ir.Recipe], ir.Recipe]:
    """Changes that let recipes of *made* be read from any folder: the relative paths in their Nix
    text start where a build writes them. With *checkouts*, the checkouts of the command line
    replace inputs. *there* has the files of another state of a program."""
    by_folder: dict[str, InPlace] = {}

    def moved(recipe: ir.Recipe) -> ir.Recipe:
        file = recipe.files[0][1] if recipe.files else ""
        folder = posixpath.normpath(
            posixpath.join(posixpath.dirname(made.file), posixpath.dirname(file))
        )
        known = by_folder.get(folder)
        if known is None:
            known = by_folder[folder] = InPlace(folder, made.replaced if checkouts else {}, there)
        return known.recipe(recipe)

    return moved


def needs(recipe: ir.Recipe, needed: dict[str, ir.Recipe]) -> dict[str, ir.Recipe]:
    """The recipes of other variants that *recipe* needs, directly or indirectly, from *needed*."""
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
