"""Each variant by itself, with nothing that variants share: what all of them together must agree
with."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.registry import OF_VARIANTS
from tvarc.advice.lints.run import Found, Lints, Looking, Subjects
from tvarc.build.assembly.bodies import Bodies
from tvarc.build.driver import Compilation
from tvarc.build.linting.run import look_at_names
from tvarc.files.output.header import OutputFile
from tvarc.matrix.present import Present, by_matrix
from tvarc.matrix.variants import Variant
from tvarc.nix import ir


class LintsAlone(Lints):
    """Lints that look at one variant after the other, as those of hand-written recipes do."""

    __slots__ = ("_looking",)

    def __init__(self, facts: Facts, off: Collection[str]) -> None:
        super().__init__(facts, off)
        self._looking = Looking()

    def look(self, recipe: ir.Recipe) -> Found:
        """The findings in *recipe*, which are noted. Call `finish` after the last one."""
        found = self.found(recipe)
        for one, finding in found:
            self.note(one, finding, recipe.variant)
        self.compare(recipe)
        return found

    def found(self, recipe: ir.Recipe) -> Found:
        """The findings in *recipe*."""
        subjects = Subjects(self.reader, recipe)
        return tuple(
            [(one, each) for one in OF_VARIANTS for each in self._looking.at(one, subjects)]
        )


def one_by_one(
    made: Compilation, variants: Sequence[Variant] | None = None
) -> Iterator[ir.Recipe]:
    """The recipes of *variants*, by default of all, each decided, checked and looked at alone. At
    the end all findings are reported."""
    if made.expansion is None or made.later is not made.sink:
        return
    made.streamed = True
    lints = LintsAlone(made.lints().facts, made.elaboration.checks.off)
    collections = variants is None and made.program.collections
    paths: list[str] = []
    chosen = made.variants if variants is None else variants
    for variant in chosen:
        recipe = made.recipe(variant)
        if recipe is not None:
            lints.look(recipe)
            paths += [file for _, file in recipe.files] if collections else []
            yield recipe
    if collections and not made.sink.has_errors:
        made.collections(made.file.rpartition("/")[2], paths)
    if not made.sink.has_errors:
        found = [Present(built, cells) for built, cells in by_matrix(chosen)]
        look_at_names(lints, made.elaboration, found, made.output_files)
    made.finish(lints, whole=variants is None)


def emit(
    recipes: Iterable[ir.Recipe], source: str, entry: str | None = None
) -> Iterator[OutputFile]:
    """The Nix files of *recipes*; `source` is that of `Compilation.files`. `entry` is the loader's
    name of that file, by default its last step."""
    bodies = Bodies(source, entry)
    for recipe in recipes:
        for _, file in recipe.files:
            yield OutputFile(file, bodies.text(recipe, file))
