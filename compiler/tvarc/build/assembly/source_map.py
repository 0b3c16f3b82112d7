"""Source maps: for each line of a recipe, the source lines that made it.

A traced elaboration decides the recipe. The recipe is lowered and printed in the usual way, and has
the same text. An effect that is on no line becomes an entry next to the lines: a removal, a write
that a condition keeps out, or a write that only decides an order.
"""

from __future__ import annotations

from tvarc.build.assembly.bodies import Bodies, Body
from tvarc.build.assembly.entries import Entries, Entry
from tvarc.build.assembly.outputs import OutputFiles
from tvarc.decide.elaborate import Elaboration
from tvarc.light import (
    Callable,
    Final,
    Generic,
    Iterator,
    Mapping,
    Sequence,
    TypeVar,
    dataclass,
)
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.language.late import MappedLine, Piece, in_lines
from tvarc.nix.lower.context import Traced
from tvarc.values.provenance import Filled, Lines, all_filled

_MOST: Final = 1 << 14  # things with cached results for a set of lines
_MOST_ASKED: Final = 16  # sets of lines that are cached at once


class _Asked:
    """Cached results for a set of source lines, by the identities of things, which are kept. `bits`
    has the bits of the late parts whose texts come from any of the lines, for each mapping of texts
    to their lines. `places` has the numbers of a text's lines that come from any of the lines, and
    the number of its line ends."""

    __slots__ = ("bits", "places")

    def __init__(self) -> None:
        self.bits: dict[int, tuple[Mapping[Lines, Lines], Lines]] = {}
        self.places: dict[int, tuple[list[int], int, Sequence[MappedLine]]] = {}


def _bits_of(filled: Mapping[Lines, Lines], lines: Lines) -> Lines:
    """The bits of the late parts whose texts come from any of *lines*. *filled* has the lines of
    the texts."""
    found = 0
    for bit, own in filled.items():
        if own & lines:
            found |= bit
    return found


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class MappedFile:
    """One recipe with its map. For each line, `made` has the source lines of its values, and
    `around` the source lines of the text around the values."""

    path: str
    text: str
    made: tuple[Lines, ...]
    around: tuple[Lines, ...]


@dataclass(frozen=True, slots=True)
class MappedVariant:
    """All files of a variant with their maps, and the effects of source lines that are in none of
    them. Texts in `recipe` may have late parts."""

    recipe: ir.Recipe
    files: tuple[MappedFile, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class SharedFile:
    """One recipe, with its body in pieces that recipes share. `head` are the lines of its header,
    and `made` has the provenance of each of them."""

    path: str
    head: tuple[str, ...]
    made: tuple[MappedLine, ...]
    body: Body


class Runs(Generic[T]):
    """Computes a result from the lines of each piece of bodies, once for all bodies that share the
    piece."""

    __slots__ = ("_known", "_make")

    def __init__(self, make: Callable[[Sequence[tuple[tuple[Piece, ...], MappedLine]]], T]) -> None:
        """*make* computes the result. It gets the lines that end in a piece: their texts and late
        parts, and their source lines, with the bits of these parts."""
        self._make = make
        # The lowered thing of a piece is kept, so its identity stays unique.
        self._known: dict[object, tuple[object, T, tuple[tuple[Piece, ...], MappedLine]]] = {}

    def of(self, body: Body, given: object = None) -> Iterator[T]:
        """The results for the pieces of *body*, in order. *given* is part of their key."""
        begun: tuple[tuple[Piece, ...], MappedLine] = ((), (0, 0))
        for of, layout in body.pieces():
            key = (id(of), layout, begun, given)
            known = self._known.get(key)
            if known is None:
                pieces, lines = body.piece(of, layout)
                before, (made, around) = begun
                lines = [(made | lines[0][0], around | lines[0][1]), *lines[1:]]
                *ended, last = zip(in_lines([*before, *pieces]), lines, strict=True)
                known = self._known[key] = (of, self._make(ended), last)
            _, run, begun = known
            yield run


@dataclass(frozen=True, slots=True)
class ReachedVariant:
    """The effects of some source lines in one variant.

    - `files`: the files of the variant.
    - `lines`: for each file, the numbers, from 1, of the lines with an effect. A variant without a
      file has the lines of the file that it would have.
    - `entries`: the effects that are in no file, except shadowed values.
    - `size`: the number of lines of all files.
    - `count`: the number of all entries of the variant, of any source lines.
    """

    files: tuple[str, ...]
    lines: tuple[tuple[int, ...], ...]
    entries: tuple[Entry, ...]
    size: int
    count: int


class SourceMaps:
    """The maps of the variants of one program. *elaboration* must be traced."""

    def __init__(self, elaboration: Elaboration, source: str, entry: str) -> None:
        """*source* is the path of the program, relative to the folder from which the paths of its
        outputs begin. *entry* is the loader's name of it."""
        tracing = elaboration.tracing
        assert tracing is not None
        self.elaboration = elaboration
        self.outputs = OutputFiles(elaboration.program.outputs, elaboration.sink)
        self.source = source
        self.entry = entry
        self.numbering = tracing.numbering
        self._entries = Entries(elaboration)
        self._bodies = Bodies(source, entry, Traced(tracing.numbering.value))
        # Cached results for sets of source lines.
        self._asked: dict[Lines, _Asked] = {}

    def of(self, variant: Variant) -> MappedVariant | None:
        """The maps of *variant*; None if it has an error."""
        recipe = self.recipe(variant, late=True)
        if recipe is None:
            return None
        files = tuple([self.file(recipe, file) for _, file in recipe.files])
        return MappedVariant(recipe, files, tuple(self.entries(variant, recipe)))

    def recipe(self, variant: Variant, *, late: bool = False) -> ir.Recipe | None:
        """The traced recipe of *variant*; None if it has an error. With *late*, its texts may have
        late parts."""
        return self.elaboration.variant(variant, self.outputs.of, late=late)

    def reached(self, variant: Variant, lines: Lines) -> ReachedVariant | None:
        """The effects of *lines* in *variant*; None if it has an error. No text is printed."""
        deciding = self.elaboration.printing(variant)
        recipe = self.elaboration.checked(deciding, self.outputs.of)
        if recipe is None:
            return None
        lines = self._with_late(recipe.changes.filled, lines)
        files = tuple([file for _, file in recipe.files])
        found = [self._numbers(recipe, file, lines) for file in files or (f"{variant.name}.nix",)]
        effects = self._entries.of(deciding, recipe)
        hits = [one for one in effects if one.lines & lines and one.kind != "shadowed"]
        entries = [self._entries.filled(one, deciding, recipe.changes) for one in hits]
        size = sum([count for _, count in found])
        numbers = tuple([some for some, _ in found])
        return ReachedVariant(files, numbers, tuple(entries), size, len(effects))

    def _with_late(self, filled: Filled, lines: Lines) -> Lines:
        """*lines*, with the bits of the late parts whose texts come from any of them."""
        *shared, name = filled
        known = self._of(lines).bits
        found = lines
        for some in shared:
            bits = known.get(id(some))
            if bits is None:
                bits = known[id(some)] = (some, _bits_of(some, lines))
            found |= bits[1]
        return found | _bits_of(name, lines)

    def _of(self, lines: Lines) -> _Asked:
        known = self._asked.get(lines)
        if known is None:
            if len(self._asked) >= _MOST_ASKED:
                self._asked.clear()
            known = self._asked[lines] = _Asked()
        elif len(known.bits) + len(known.places) >= _MOST:
            known.bits.clear()
            known.places.clear()
        return known

    def _numbers(self, recipe: ir.Recipe, file: str, lines: Lines) -> tuple[tuple[int, ...], int]:
        """The numbers of the lines of *file* that come from *lines*, and the number of all its
        lines."""
        head = self._bodies.head_lines(recipe)
        found = [number for number, (made, _) in enumerate(head, 1) if made & lines]
        known = self._of(lines).places
        count = len(head) + 2  # the digest is on a line of its own
        for text in self._bodies.of(recipe, file).maps():
            places = known.get(id(text))
            if places is None:
                hits = [place for place, (made, _) in enumerate(text) if made & lines]
                places = known[id(text)] = (hits, len(text) - 1, text)
            hits, more, _ = places
            for place in hits:
                if not found or found[-1] != count + place:
                    found.append(count + place)
            count += more
        return tuple(found), count

    def file(self, recipe: ir.Recipe, file: str) -> MappedFile:
        """The map of *recipe* in *file*."""
        body = self._bodies.of(recipe, file)
        # The digest is on a line of its own.
        lines = [*self._bodies.head_lines(recipe), (0, 0), *body.lines()]
        made, around = zip(*lines, strict=True)
        filled = recipe.changes.filled
        made, around = all_filled(made, filled), all_filled(around, filled)
        return MappedFile(file, self._bodies.text(recipe, file), made, around)

    def shared_file(self, recipe: ir.Recipe, file: str) -> SharedFile:
        """*recipe* in *file*, in pieces."""
        # The digest is on a line of its own.
        made = (*self._bodies.head_lines(recipe), (0, 0))
        head = self._bodies.sealed_head(recipe, file).split("\n")[:-1]
        return SharedFile(file, tuple(head), made, self._bodies.of(recipe, file))

    def entries(self, variant: Variant, recipe: ir.Recipe) -> Iterator[Entry]:
        """The entries of *variant*: effects that are on no line of its files. *recipe* is its
        recipe."""
        deciding = self.elaboration.printing(variant)
        for entry in self._entries.of(deciding, recipe):
            yield self._entries.filled(entry, deciding, recipe.changes)
