"""Source maps: for each line of a recipe, the lines of source that made it.

A traced elaboration decides the recipe. It is lowered and printed as always, and its text is the
same. An effect that shows on no line (a removal, a write that a condition keeps out, a write that
only decides an order) is an entry beside the lines.
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
from tvarc.nix.lower.context import Traced
from tvarc.nix.lower.memo import Line
from tvarc.values.provenance import Filled, Lines, all_filled

_MOST: Final = 1 << 14  # things of which something is remembered at once, for a set of lines
_MOST_ASKED: Final = 16  # sets of lines that are remembered at once


class _Asked:
    """What is known of a set of lines that was asked about, by the identities of things, which are
    kept: `bits` are those of the late parts whose texts are made of some of the lines, by what the
    texts are made of; `places` are those of a text's lines that come from there, with its number
    of ends of lines."""

    __slots__ = ("bits", "places")

    def __init__(self) -> None:
        self.bits: dict[int, tuple[Mapping[Lines, Lines], Lines]] = {}
        self.places: dict[int, tuple[list[int], int, list[Line]]] = {}


def _bits_of(filled: Mapping[Lines, Lines], lines: Lines) -> Lines:
    """The bits of the late parts whose texts, as *filled* has them, are made of any of *lines*."""
    found = 0
    for bit, own in filled.items():
        if own & lines:
            found |= bit
    return found


T = TypeVar("T")


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
    """All files of a variant, and the effects of lines that show in none of them. Texts in `recipe`
    may have late parts."""

    recipe: ir.Recipe
    files: tuple[MappedFile, ...]
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class SharedFile:
    """One recipe, with its body in pieces that recipes share. `head` are the lines above it, and
    `made` has the provenance of each of these."""

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
    """The effects of some lines of source in one variant: `files` are its files. `lines` are the
    numbers, from 1, of the lines with an effect, for each file, or for the file that it would be.
    `entries` are the effects that show in no file, without shadowed values. `size` is the number of
    lines of all files, `count` that of the effects of any lines that show in no file.
    """

    files: tuple[str, ...]
    lines: tuple[tuple[int, ...], ...]
    entries: tuple[Entry, ...]
    size: int
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
        self.source = source
        self.entry = entry
        self.numbering = tracing.numbering
        self._entries = Entries(elaboration)
        self._bodies = Bodies(source, entry, Traced(tracing.numbering.value))
        # What is known of the sets of lines that were asked about.
        self._asked: dict[Lines, _Asked] = {}

    def of(self, variant: Variant) -> MappedVariant | None:
        """The maps of *variant*; None for one that has an error."""
        recipe = self.recipe(variant, late=True)
        if recipe is None:
            return None
        files = tuple([self.file(recipe, file) for _, file in recipe.files])
        return MappedVariant(recipe, files, tuple(self.entries(variant, recipe)))

    def recipe(self, variant: Variant, *, late: bool = False) -> ir.Recipe | None:
        """The traced recipe of *variant*; None for one that has an error. With *late* its texts may
        have late parts."""
        return self.elaboration.variant(variant, self.outputs.of, late=late)

    def reached(self, variant: Variant, lines: Lines) -> ReachedVariant | None:
        """The effects of *lines* in *variant*; None if it has an error. No text is made."""
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
        """*lines* with the bits of the late parts whose texts are made of any of them."""
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
        """The numbers of the lines of *file* that come from *lines*, and how many lines it has."""
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
        """The map of *recipe* as it is written to *file*."""
        body = self._bodies.of(recipe, file)
        # The digest is on a line of its own.
        lines = [*self._bodies.head_lines(recipe), (0, 0), *body.lines()]
        made, around = zip(*lines, strict=True)
        filled = recipe.changes.filled
        made, around = all_filled(made, filled), all_filled(around, filled)
        return MappedFile(file, self._bodies.text(recipe, file), made, around)

    def shared_file(self, recipe: ir.Recipe, file: str) -> SharedFile:
        """*recipe* as it is written to *file*, in pieces."""
        # The digest is on a line of its own.
        made = (*self._bodies.head_lines(recipe), (0, 0))
        head = self._bodies.sealed_head(recipe, file).split("\n")[:-1]
        return SharedFile(file, tuple(head), made, self._bodies.of(recipe, file))

    def entries(self, variant: Variant, recipe: ir.Recipe) -> Iterator[Entry]:
        """What shows on no line of the files of *variant*, which *recipe* is."""
        deciding = self.elaboration.printing(variant)
        for entry in self._entries.of(deciding, recipe):
            yield self._entries.filled(entry, deciding, recipe.changes)
