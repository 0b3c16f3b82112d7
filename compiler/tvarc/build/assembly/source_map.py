"""Source maps: for each line of a recipe, the lines of source that made it.

A traced elaboration decides the recipe. It is lowered and printed as always, and its text is the
same. An effect that shows on no line (a removal, a write that a condition keeps out, a write that
only decides an order) is an entry beside the lines.
"""

from __future__ import annotations

from tvarc.build.assembly.bodies import Bodies, Body, header_mapped
from tvarc.build.assembly.entries import Entries, Entry, withheld_entry
from tvarc.build.assembly.outputs import OutputFiles
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.provenance import Tracing
from tvarc.files.output.header import seal
from tvarc.light import Iterable, Iterator, dataclass
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.lower.context import Traced
from tvarc.nix.lower.memo import Line
from tvarc.values.provenance import Lines, all_filled


@dataclass(frozen=True, slots=True)
class MappedFile:
    """One recipe. `made` are, line by line, the source lines of its values, `around` the source
    lines that cause the text around these values.
    """

    path: str
    text: str
    made: tuple[Lines, ...]
    around: tuple[Lines, ...]


@dataclass(frozen=True, slots=True)
class MappedVariant:
    """All files of a variant, and the effects of lines that show in none of them. `texts` has the
    maps of the files. If no output writes the variant, it has the map of the file it would be.
    Texts in `recipe` may have late parts."""

    recipe: ir.Recipe
    files: tuple[MappedFile, ...]
    entries: tuple[Entry, ...]
    texts: tuple[MappedFile, ...]


@dataclass(frozen=True, slots=True)
class ReachedVariant:
    """The effects of some lines of source in one variant: `files` are its files. `lines` are the
    numbers, from 1, of the lines with an effect, for each file, or for the file that it would be.
    `entries` are all effects that show in no file, and `count` is the number of lines of all files.
    """

    files: tuple[str, ...]
    lines: tuple[tuple[int, ...], ...]
    entries: tuple[Entry, ...]
    count: int


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
        self._entries = Entries(elaboration)
        self._bodies = Bodies(source, entry, Traced(tracing.numbering.value))

    def of(self, variant: Variant) -> MappedVariant | None:
        """The maps of *variant*; None for one that has an error."""
        recipe = self.elaboration.variant(variant, self.outputs.of, late=True)
        if recipe is None:
            return None
        files = tuple([self.file(recipe, file) for _, file in recipe.files])
        texts = files or (self.file(recipe, f"{variant.name}.nix"),)
        return MappedVariant(recipe, files, tuple(self.entries(variant, recipe)), texts)

    def of_all(self, variants: Iterable[Variant]) -> Iterator[MappedVariant]:
        """The maps of *variants*, without those that have an error."""
        for variant in variants:
            mapped = self.of(variant)
            if mapped is not None:
                yield mapped

    def recipe(self, variant: Variant) -> ir.Recipe | None:
        """The traced recipe of *variant*, without late parts; None for one that has an error."""
        return self.elaboration.variant(variant, self.outputs.of)

    def reached(self, variant: Variant, lines: Lines) -> ReachedVariant | None:
        """The effects of *lines* in *variant*; None if it has an error. No text is made."""
        recipe = self.elaboration.variant(variant, self.outputs.of, late=True)
        if recipe is None:
            return None
        # A late part counts for a line of the source that its text is made of.
        for bit, own in (recipe.changes.filled or {}).items():
            if own & lines:
                lines |= bit
        files = tuple([file for _, file in recipe.files])
        found: list[tuple[int, ...]] = []
        count = 0
        for file in files or (f"{variant.name}.nix",):
            _, mapped, _ = self._lines(recipe, file)
            found.append(tuple([n for n, (made, _) in enumerate(mapped, 1) if made & lines]))
            count += len(mapped)
        return ReachedVariant(files, tuple(found), tuple(self.entries(variant, recipe)), count)

    def file(self, recipe: ir.Recipe, file: str) -> MappedFile:
        """The map of *recipe* as it is written to *file*."""
        head, lines, body = self._lines(recipe, file)
        made, around = zip(*lines, strict=True)
        filled = recipe.changes.filled or {}
        made, around = all_filled(made, filled), all_filled(around, filled)
        return MappedFile(file, seal(head, "".join(body.texts())), made, around)

    def _lines(self, recipe: ir.Recipe, file: str) -> tuple[list[str], list[Line], Body]:
        """The head of *recipe* in *file*, the provenance of each line of the file, with the bits of
        late parts, and its body.
        """
        head, lines = header_mapped(recipe, self._bodies.named)
        body = self._bodies.of(recipe, file)
        return head, [*lines, (0, 0), *body.lines()], body

    def entries(self, variant: Variant, recipe: ir.Recipe) -> Iterator[Entry]:
        """The effects that show on no line of *recipe*, the recipe of *variant*."""
        deciding = self.elaboration.printing(variant)
        used = {overlay.declared for overlay in recipe.overlays}
        overlays = {
            overlay.name: self.elaboration.overlays.plan(overlay, variant.matrix)
            for overlay in self.elaboration.program.overlays
            if overlay.span in used
        }
        yield from map(withheld_entry, self._tracing.withheld(deciding, overlays))
        yield from self._entries.of(deciding, recipe.changes)
