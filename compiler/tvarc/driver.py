"""The pipeline, for the command line and for other programs: text in, recipes and files out."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tvarc import ir
from tvarc.diagnostics.model import Diagnostic, Sink
from tvarc.elaborate.elaborate import Elaboration, Override, check_names
from tvarc.matrix.expand import Expansion, Variant, expand
from tvarc.output.model import OutputFile
from tvarc.sema.load import ModuleGraph, load
from tvarc.sema.overrides import Setting, resolve_overrides
from tvarc.sema.resolve import Resolution, resolve
from tvarc.source import SourceLoader, SourceMap


@dataclass(slots=True)
class Compilation:
    """One program, as far as its errors let it come. Later stages run when they are asked for."""

    file: str
    loader: SourceLoader
    sources: SourceMap
    sink: Sink
    graph: ModuleGraph | None = None
    resolution: Resolution | None = None
    expansion: Expansion | None = None
    elaboration: Elaboration | None = None

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return self.sink.sorted(self.sources)

    @property
    def variants(self) -> list[Variant]:
        return self.expansion.variants if self.expansion is not None else []

    def recipe(self, variant: Variant) -> ir.Recipe | None:
        """*variant*, decided; None after reporting why it cannot be."""
        assert self.elaboration is not None
        return self.elaboration.variant(variant)

    def recipes(self) -> list[ir.Recipe]:
        """Every variant that can be decided, all checks made."""
        if self.elaboration is None or self.expansion is None:
            return []
        decided = [self.elaboration.variant(variant) for variant in self.expansion.variants]
        self.elaboration.finish(self.expansion)
        return [recipe for recipe in decided if recipe is not None]


def compile_file(
    file: str, loader: SourceLoader, settings: tuple[Setting, ...] = ()
) -> Compilation:
    """Load, resolve and expand *file*; `settings` come from the command line."""
    made = Compilation(file, loader, SourceMap(), Sink())
    made.graph = load(file, loader, made.sources, made.sink)
    if made.graph is None:
        return made
    made.resolution = resolve(made.graph, made.sources, made.sink, loader.join)
    overrides = resolve_overrides(settings, made.resolution, made.sources, made.sink, loader.join)
    program = made.resolution.program
    made.expansion = expand(program, made.sink)
    check_names(made.expansion, made.sink)
    chosen = tuple(Override(path, value) for path, value in overrides)
    made.elaboration = Elaboration(program, chosen, made.sink)
    return made


def emit(recipes: Iterable[ir.Recipe], source: str) -> Iterator[OutputFile]:
    """The Nix files of *recipes*. `source` is the file that declares them, by a path relative to
    the folder that the outputs' paths start from, with `/` between its steps."""
    for recipe in recipes:
        for _, file in recipe.files:
            yield OutputFile(file, recipe_text(recipe, source, file))


def recipe_text(recipe: ir.Recipe, source: str, file: str) -> str:
    """The text of one recipe, sealed with its digest."""
    from tvarc.backend.nix.lower import lower
    from tvarc.backend.nix.printer import print_file
    from tvarc.output.header import seal

    folder = posixpath.dirname(source)

    def relative(path: str) -> str:
        if posixpath.isabs(path):
            return path
        target = posixpath.normpath(posixpath.join(folder, path))
        found = posixpath.relpath("/" + target, "/" + posixpath.dirname(file))
        return found if found.startswith("../") else f"./{found}"

    text = print_file(lower(recipe, posixpath.basename(source), relative))
    lines: list[str] = []
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        lines.append(line)
    return seal(lines, text)
