"""The pipeline, for the command line and for other programs: text in, recipes and files out."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tvarc import ir
from tvarc.diagnostics.model import Diagnostic, Sink
from tvarc.elaborate.elaborate import Elaboration, Override, check_names
from tvarc.lock.loading import read_lock
from tvarc.matrix.expand import Expansion, Variant, expand
from tvarc.output.model import OutputFile
from tvarc.sema import hir
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
    streamed: bool = False

    @property
    def diagnostics(self) -> list[Diagnostic]:
        return self.sink.sorted(self.sources)

    @property
    def variants(self) -> list[Variant]:
        return self.expansion.variants if self.expansion is not None else []

    @property
    def outputs(self) -> tuple[hir.OutputDef, ...]:
        return self.resolution.program.outputs if self.resolution is not None else ()

    def recipe(self, variant: Variant) -> ir.Recipe | None:
        """*variant*, decided; None after reporting why it cannot be."""
        assert self.elaboration is not None
        return self.elaboration.variant(variant)

    def checked(self, variant: Variant) -> ir.Recipe | None:
        """*variant*, decided, and what its checks find reported; lints are left out."""
        if self.elaboration is None:
            return None
        self.streamed = True
        recipe = self.elaboration.variant(variant)
        self.elaboration.checks.report(self.sink)
        return recipe

    def recipes(self) -> list[ir.Recipe]:
        """Every variant that can be decided, all checks made."""
        return list(self.stream())

    def stream(self, variants: Sequence[Variant] | None = None) -> Iterator[ir.Recipe]:
        """Each of *variants*, all of them by default, that can be decided; then the checks, and
        where there is no error the lints.

        What touches nothing can be told from all variants only, so some are not asked for it.
        """
        if self.elaboration is None or self.expansion is None:
            return
        from tvarc.library.tables import TableRows
        from tvarc.lints.run import Lints

        self.streamed = True
        checks = self.elaboration.checks
        lints = Lints(TableRows(self.loader), checks.off)
        for variant in self.expansion.variants if variants is None else variants:
            recipe = self.elaboration.variant(variant)
            if recipe is not None:
                lints.look(recipe)
                yield recipe
        checks.report(self.sink)
        lints.finish()
        checks.silenced |= lints.silenced
        if variants is None:
            self.elaboration.finish(self.expansion)
        if not self.sink.has_errors:
            lints.report(self.sink)


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
    made.elaboration.shared.hashes.lock = read_lock(file, loader, made.sources, made.sink)
    return made


def emit(
    recipes: Iterable[ir.Recipe], source: str, entry: str | None = None
) -> Iterator[OutputFile]:
    """The Nix files of *recipes*. `source` is the file that declares them, by a path relative to
    the folder that the outputs' paths start from, with `/` between its steps; `entry` is the
    loader's name of that file, by default its last step."""
    for recipe in recipes:
        for _, file in recipe.files:
            yield OutputFile(file, recipe_text(recipe, source, file, entry))


def recipe_text(recipe: ir.Recipe, source: str, file: str, entry: str | None = None) -> str:
    """The text of one recipe, sealed with its digest; see `emit`."""
    from tvarc.backend.nix.lower import lower
    from tvarc.backend.nix.printer import print_file
    from tvarc.output.header import seal

    named = posixpath.dirname(entry or "")

    def relative(path: str) -> str:
        if posixpath.isabs(path):
            return path
        target = posixpath.join(posixpath.dirname(source), _from(named, path))
        found = _from(posixpath.dirname(file), target)
        return found if found.startswith("../") else f"./{found}"

    text = print_file(lower(recipe, posixpath.basename(source), relative))
    lines: list[str] = []
    while text.startswith("#"):
        line, _, text = text.partition("\n")
        lines.append(line)
    return seal(lines, text)


def _from(folder: str, path: str) -> str:
    """*path* as seen from *folder*, both relative to one place; no disk is asked."""
    here = [step for step in posixpath.normpath(folder).split("/") if step != "."]
    there = posixpath.normpath(path).split("/")
    shared = 0
    for mine, theirs in zip(here, there, strict=False):
        if mine != theirs:
            break
        shared += 1
    return "/".join([".."] * (len(here) - shared) + there[shared:]) or "."
