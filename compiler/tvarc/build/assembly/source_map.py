"""Source maps: of each line of a recipe the lines of source that made it.

A recipe is decided by an elaboration that is traced, lowered and printed as ever, and its text is
the same. What stands on no line (a removal, what a condition keeps out, a write that only decides
an order) is an entry beside the lines.
"""

from __future__ import annotations

from tvarc.build.assembly.bodies import Bodies, Body, header_mapped
from tvarc.build.assembly.entries import Entries, Entry, withheld_entry
from tvarc.build.assembly.outputs import OutputFiles
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.provenance import Tracing
from tvarc.files.output.header import DIGEST_PREFIX, digest_lines, seal
from tvarc.light import Callable, Generic, Iterable, Iterator, Sequence, TypeVar, dataclass
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.lower.context import Traced
from tvarc.nix.lower.memo import Line
from tvarc.values.provenance import Lines, all_filled

T = TypeVar("T")


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
    """All files of a variant, and the effects of lines that show in none of them. `texts` has the
    maps of the files. If no output writes the variant, it has the map of the file it would be.
    Texts in `recipe` may have late parts."""

    recipe: ir.Recipe
    files: tuple[MappedFile, ...]
    entries: tuple[Entry, ...]
    texts: tuple[MappedFile, ...]


@dataclass(frozen=True, slots=True)
class SharedFile:
    """One recipe, of which the body is in pieces that recipes share. `head` are the lines above it,
    and `made` has what each of these is made of."""

    path: str
    head: tuple[str, ...]
    made: tuple[Line, ...]
    body: Body


class Runs(Generic[T]):
    """Makes something of the lines of each piece of bodies, once for all bodies that share it."""

    __slots__ = ("_known", "_make")

    def __init__(self, make: Callable[[Sequence[tuple[str, Line]]], T]) -> None:
        """*make* gets the lines that end in a piece: their texts, with marks for late parts, and
        what they are made of, with the bits of these."""
        self._make = make
        # What a piece is made of stays alive, so its identity names one thing.
        self._known: dict[object, tuple[object, T, tuple[str, Line]]] = {}

    def of(self, body: Body, given: object = None) -> Iterator[T]:
        """What is made of the pieces of *body*, in order. The value of *given* decides it, too."""
        begun: tuple[str, Line] = ("", (0, 0))
        for of, layout in body.pieces():
            key = (id(of), layout, begun, given)
            known = self._known.get(key)
            if known is None:
                text, lines = body.piece(of, layout)
                before, (made, around) = begun
                lines = [(made | lines[0][0], around | lines[0][1]), *lines[1:]]
                *ended, last = zip(f"{before}{text}".split("\n"), lines, strict=True)
                known = self._known[key] = (of, self._make(ended), last)
            _, run, begun = known
            yield run


@dataclass(frozen=True, slots=True)
class ReachedVariant:
    """What comes from some lines of source in one variant: `files` are its files. `lines` are the
    numbers, from 1, of the lines that come from there, for each file, or for the file that it would
    be. `entries` are all effects of lines that show in no file, and `count` is the number of lines
    of all files."""

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
        recipe = self.recipe(variant, late=True)
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

    def recipe(self, variant: Variant, *, late: bool = False) -> ir.Recipe | None:
        """The traced recipe of *variant*; None for one that has an error. With *late* its texts may
        have late parts."""
        return self.elaboration.variant(variant, self.outputs.of, late=late)

    def reached(self, variant: Variant, lines: Lines) -> ReachedVariant | None:
        """What comes from *lines* in *variant*; None if it has an error. No text is made."""
        recipe = self.recipe(variant, late=True)
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

    def shared_file(self, recipe: ir.Recipe, file: str) -> SharedFile:
        """*recipe* as it is written to *file*, in pieces."""
        head, lines = header_mapped(recipe, self._bodies.named)
        body = self._bodies.of(recipe, file)
        digest = DIGEST_PREFIX + digest_lines(head, "".join(body.texts()))
        return SharedFile(file, (*head, digest), (*lines, (0, 0)), body)

    def _lines(self, recipe: ir.Recipe, file: str) -> tuple[list[str], list[Line], Body]:
        """The head of *recipe* in *file*, what each line of the file is made of, with the bits of
        late parts, and its body."""
        head, lines = header_mapped(recipe, self._bodies.named)
        body = self._bodies.of(recipe, file)
        return head, [*lines, (0, 0), *body.lines()], body

    def entries(self, variant: Variant, recipe: ir.Recipe) -> Iterator[Entry]:
        """What stands on no line of the recipes of *variant*, which *recipe* is."""
        deciding = self.elaboration.printing(variant)
        used = {overlay.declared for overlay in recipe.overlays}
        overlays = {
            overlay.name: self.elaboration.overlays.plan(overlay, variant.matrix)
            for overlay in self.elaboration.program.overlays
            if overlay.span in used
        }
        yield from map(withheld_entry, self._tracing.withheld(deciding, overlays))
        yield from self._entries.of(deciding, recipe.changes)
