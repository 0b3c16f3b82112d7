"""Source maps on the plain path: of each line of a recipe the lines of source that made it.

A recipe is decided by an elaboration that is traced, lowered and printed as ever, and its text is
the same. What stands on no line (a removal, what a condition keeps out, a write that only decides
an order) is an entry beside the lines.
"""

from __future__ import annotations

import posixpath

from tvarc import ir
from tvarc.assembly.entries import Entry, entries_of, withheld_entry
from tvarc.assembly.outputs import OutputFiles
from tvarc.assembly.plain import Places, output_of, seal_text
from tvarc.backend.nix.context import Traced
from tvarc.backend.nix.lower import lower
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.provenance import Tracing
from tvarc.light import Iterator, dataclass
from tvarc.matrix.variants import Variant
from tvarc.nix.printer import print_mapped
from tvarc.provenance.model import Lines


@dataclass(frozen=True, slots=True)
class MappedFile:
    """One recipe. `made` are, line by line, the lines of source that its values were made of,
    `around` those that brought about what stands around them."""

    path: str
    text: str
    made: tuple[Lines, ...]
    around: tuple[Lines, ...]


@dataclass(frozen=True, slots=True)
class MappedVariant:
    """All files of a variant, and what stands on none of their lines."""

    recipe: ir.Recipe
    files: tuple[MappedFile, ...]
    entries: tuple[Entry, ...]


class SourceMaps:
    """The maps of the variants of one program; *elaboration* is traced."""

    def __init__(self, elaboration: Elaboration, source: str, entry: str) -> None:
        """*source* is the program by a path relative to the folder that its outputs' paths start
        from, *entry* the loader's name of it."""
        tracing = elaboration.tracing
        assert tracing is not None
        self.elaboration = elaboration
        self.outputs = OutputFiles(elaboration.program.outputs, elaboration.sink)
        self._tracing: Tracing = tracing
        self.source = source
        self.entry = entry
        self.numbering = tracing.numbering

    def of(self, variant: Variant) -> MappedVariant | None:
        """The maps of *variant*; None for one that has an error."""
        recipe = self.elaboration.variant(variant, self.outputs.of)
        if recipe is None:
            return None
        files = tuple([self.file(recipe, file) for _, file in recipe.files])
        return MappedVariant(recipe, files, tuple(self.entries(variant, recipe)))

    def file(self, recipe: ir.Recipe, file: str) -> MappedFile:
        """The map of *recipe* as it is written to *file*."""
        folder, output = posixpath.dirname(file), output_of(recipe, file)
        relative = Places(self.source, folder, self.entry, output)
        traced = Traced(self.numbering.value)
        node = lower(recipe, posixpath.basename(self.source), relative, traced)
        text, lines = print_mapped(node)
        sealed, place = seal_text(text)
        made, around = lines.made, lines.around
        made.insert(place, 0)
        around.insert(place, 0)
        return MappedFile(file, sealed, tuple(made), tuple(around))

    def entries(self, variant: Variant, recipe: ir.Recipe) -> Iterator[Entry]:
        """What stands on no line of the recipes of *variant*, which *recipe* is."""
        deciding = self.elaboration.deciding(variant)
        used = {overlay.declared for overlay in recipe.overlays}
        overlays = {
            overlay.name: self.elaboration.overlays.plan(overlay, variant.matrix)
            for overlay in self.elaboration.program.overlays
            if overlay.span in used
        }
        yield from map(withheld_entry, self._tracing.withheld(deciding, overlays))
        yield from entries_of(self.elaboration, deciding)
