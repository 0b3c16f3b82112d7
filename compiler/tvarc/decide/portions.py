"""Portions: the parts of a recipe that depend on the same axes, decided together.

Two variants that agree on these axes share all of a portion. So a variant is composed of a few
portions, however many settings it has.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, OF_PACKAGE, SCRIPT
from tvarc.decide.plan import GroupKey, Plan
from tvarc.decide.rows import Key, Row, picker
from tvarc.light import (
    TYPE_CHECKING,
    Any,
    Callable,
    Collection,
    Final,
    Generic,
    Iterable,
    Iterator,
    Mapping,
    Protocol,
    Sequence,
    TypeVar,
    dataclass,
)
from tvarc.matrix.dependencies import Dependencies
from tvarc.meaning.budget import Budget, Weight
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed
from tvarc.values.value import NONE, Value

if TYPE_CHECKING:
    from tvarc.decide.late import Lates
    from tvarc.values.provenance import Filled, Lines
    from tvarc.values.value import Late

MOST_KEPT: Final = 1 << 12
"""The most combinations of a portion that are cached at once."""

T = TypeVar("T")

Made = ir.Setting | None
Block = tuple[ir.Setting, ...]
Placed = tuple[Value, tuple[ir.Path, ir.Origin]]
"""A value, with the path and the origin of its setting."""


class Deciding(Protocol):
    """The interface of the variant that is decided, for portions (`decide/decide.py`)."""

    variant: str
    row: Row

    @property
    def is_spent(self) -> bool: ...

    def change(self, group: GroupKey, late: dict[Late, None] | None = None) -> Made: ...

    def fills(self, late_parts: Sequence[Late]) -> dict[Late, str]: ...

    def filled(self, late_parts: Sequence[Late]) -> dict[Lines, Lines]: ...


D = TypeVar("D", bound=Deciding)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of a recipe that is no change of its package, such as its pin. `axes` are those that
    it depends on. `decide` decides it, and may raise Failed after reporting. `values` returns the
    values of it that count for the size of the recipe."""

    axes: frozenset[str]
    decide: Callable[[Any], object]  # takes the variant that is decided
    values: Callable[[Any], Iterable[Placed]] | None = None


class Decided:
    """The decisions of one portion.

    - `made`: its settings, in order; None if nothing sets one, or if it failed.
    - `pieces`: its pieces, in order; `FAILED` for one that failed.
    - `fills`: its texts for late parts; None for a text that is missing. `lacks` says that one is.
    - `filled`: with tracing, the source lines of these texts, by the bits of the late parts.
    - `late`: the late parts in `made`.
    - `unsets`: whether a setting is unset.
    """

    __slots__ = ("failed", "filled", "fills", "lacks", "late", "made", "pieces", "unsets")

    def __init__(
        self,
        made: list[Made],
        pieces: list[object],
        late: Iterable[Late],
        fills: tuple[str | None, ...],
        filled: Mapping[Lines, Lines],
        *,
        failed: bool,
    ) -> None:
        self.made = made
        self.pieces = pieces
        self.late = frozenset(late)
        self.fills = fills
        self.filled = filled
        self.failed = failed
        self.lacks = None in fills
        self.unsets = any(one is not None and one.value is NONE for one in made)


class Portion(Generic[D]):
    """The part of a recipe that some axes decide: settings, pieces, and texts of late parts.
    `elements` and `characters` are the largest numbers of these in any decision so far."""

    __slots__ = (
        "before", "characters", "elements", "groups", "known", "late_parts", "pick", "pieces",
        "same",
    )  # fmt: skip

    def __init__(self, axes: frozenset[str], plan: Plan) -> None:
        self.elements = self.characters = 0
        self.groups: list[GroupKey] = []
        self.pieces: list[Piece] = []
        self.late_parts: Sequence[Late] = ()
        self.pick = picker([place for place, axis in enumerate(plan.axes) if axis in axes])
        self.known: dict[Key, Decided] = {}
        # The decisions before settings were dropped, and how many of these were made again.
        self.before: dict[Key, Decided] = {}
        self.same = 0

    def forget(self, groups: Collection[GroupKey] | None) -> bool:
        """Drop the decisions, or only those of *groups*; whether there may be some."""
        if groups is not None and set(self.groups).isdisjoint(groups):
            return False
        self.before = {} if groups is None else dict(self.known)
        self.same = 0
        self.known.clear()
        return True

    def of(self, deciding: D) -> Decided:
        """The decisions for one variant. Faults are reported."""
        key = self.pick(deciding.row)
        known = self.known.get(key)
        if known is None:
            known = self.decided(deciding, before=self.before.pop(key, None))
            if not known.failed or not deciding.is_spent:
                if len(self.known) >= MOST_KEPT:
                    self.known.clear()
                self.known[key] = known
        return known

    def decided(
        self, deciding: D, *, whole: bool = False, before: Decided | None = None
    ) -> Decided:
        """The decisions for one variant, made now and not cached. With *whole*, no text has late
        parts. *before* has the same pieces, and the same texts for late parts."""
        pieces: list[object] = []
        made: list[Made] = []
        late: dict[Late, None] = {}
        failed = False
        placed: list[Placed] = []
        for number, piece in enumerate(self.pieces):
            try:
                value = piece.decide(deciding) if before is None else before.pieces[number]
            except Failed:
                value = FAILED
                failed = True
            else:
                placed += piece.values(value) if piece.values is not None else ()
            pieces.append(value)
        for group in self.groups:
            one: Made = None
            try:
                one = deciding.change(group, None if whole else late)
            except Failed:
                failed = True
            made.append(one)
        placed += values_of(made)
        self._weigh([value for value, _ in placed])
        if before is not None:
            if not failed and made == before.made:
                self.same += 1
                return before
            return Decided(
                made, pieces, late, before.fills, before.filled, failed=failed or before.failed
            )
        texts = deciding.fills(self.late_parts) if self.late_parts else {}
        fills = tuple([texts.get(one) for one in self.late_parts])
        filled = deciding.filled(self.late_parts) if self.late_parts else {}
        return Decided(made, pieces, late, fills, filled, failed=failed)

    def _weigh(self, values: Sequence[Value]) -> None:
        elements = characters = 0
        for value in values:
            if type(value) is str:  # most values are strings
                elements += 1
                characters += len(value)
            else:
                weight = Weight()
                weight.add(value, Budget())  # each value is within its limits
                elements += weight.elements
                characters += weight.characters
        self.elements = max(self.elements, elements)
        self.characters = max(self.characters, characters)


_NO_BLOCKS: Final[tuple[Block, ...]] = ((),) * len(OF_PACKAGE)


class _Failed:
    """Stands for a piece that failed."""


FAILED: Final = _Failed()


class Joined(Generic[T]):
    """A value composed of several portions. It is composed once for all variants that agree on
    these portions, so they share one object."""

    __slots__ = ("_before", "_make", "known", "numbers", "pick")

    def __init__(
        self, numbers: Iterable[int], make: Callable[[Sequence[Decided]], T]
    ) -> None:
        """*make* composes the value. It gets all portions, and reads those with these *numbers*."""
        self._make = make
        self.numbers = sorted(set(numbers))
        self.pick = picker(self.numbers)
        self.known: dict[Key, T] = {}
        self._before: dict[Key, T] = {}

    def forget(self, dropped: Collection[int] | None) -> None:
        """Drop all values, or only those composed of the portions *dropped*. Of these, a value is
        used again if its portions have the same decisions as before."""
        if dropped is None or not set(self.numbers).isdisjoint(dropped):
            self._before = {} if dropped is None else dict(self.known)
            self.known.clear()

    def of(self, decided: tuple[Decided, ...]) -> T:
        """The value for a variant. *decided* are its decisions of all portions."""
        key = self.pick(decided)
        known = self.known.get(key)
        if known is None:
            if len(self.known) >= MOST_KEPT:
                self.known.clear()
            known = self.known[key] = self._before.pop(key, None) or self._make(decided)
        return known


class Portions(Generic[D, T]):
    """All portions of a plan, and the values composed of them: a recipe's pieces, and its blocks.

    - `most`: the sums of the largest numbers of elements and characters of all portions so far.
    - `has_failed`: whether a portion failed. `has_unset`: whether a setting is unset.
    - `lacks`: whether a variant has no text for a late part.
    """

    __slots__ = (
        "_blocks", "_current", "_dropped", "_filling", "_fills_name", "_lookups", "_name_bit",
        "_pieces", "_places", "_portions", "_unset", "_written", "both", "has_failed", "has_unset",
        "lacks", "most",
    )  # fmt: skip

    def __init__(
        self,
        plan: Plan,
        reads: Dependencies,
        lates: Lates | None,
        pieces: Sequence[Piece],
        whole: Callable[[Sequence[object]], T],
    ) -> None:
        """The portions of *plan*, with these *pieces*. *whole* composes the pieces. With *lates*,
        texts may have late parts."""
        found: dict[frozenset[str], tuple[int, Portion[D]]] = {}

        def portion(axes: frozenset[str]) -> tuple[int, Portion[D]]:
            known = found.get(axes)
            if known is None:
                known = found[axes] = len(found), Portion(axes, plan)
            return known

        places: list[tuple[int, int]] = []
        for piece in pieces:
            number, one = portion(piece.axes)
            places.append((number, len(one.pieces)))
            one.pieces.append(piece)
        self._pieces = Joined(
            [number for number, _ in places],
            lambda decided: whole([decided[number].pieces[row] for number, row in places]),
        )
        self._blocks: list[Joined[Block]] = []
        self._unset: list[Joined[Block]] = []
        for block in OF_PACKAGE:
            rows: list[tuple[int, int]] = []
            for name in plan.keys(block.name):
                group = (block.name, name)
                if lates is not None and group in lates.axes:
                    number, one = portion(lates.axes[group])
                else:
                    number, one = portion(plan.dependencies(group, reads))
                rows.append((number, len(one.groups)))
                one.groups.append(group)
            numbers = [number for number, _ in rows]
            self._blocks.append(Joined(numbers, _block_of(rows, unset=False)))
            self._unset.append(Joined(numbers, _block_of(rows, unset=True)))
        for axes, late_parts in lates.by_axes.items() if lates is not None else ():
            portion(axes)[1].late_parts = late_parts
        self._portions = [one for _, one in found.values()]
        late_parts = [late for one in self._portions for late in one.late_parts]
        # With tracing, the bit of the late part for the name of the variant; 0 if there is none.
        self._name_bit: Lines = 0
        self._fills_name: Callable[[str], bool] | None = None
        if lates is not None and lates.name is not None:
            late_parts.append(lates.name)
            self._name_bit = lates.bits.get(lates.name, 0)
            self._fills_name = lates.fills
        self._filling = [place for place, one in enumerate(self._portions) if one.late_parts]
        self._places = {late: place for place, late in enumerate(late_parts)}
        self._lookups = [(one.pick, one.known) for one in self._portions]
        self._written = [
            (place, one.pick, one.known)
            for place, (block, one) in enumerate(zip(OF_PACKAGE, self._blocks, strict=True))
            if plan.keys(block.name)
        ]
        # The places of portions with dropped decisions, and whether each of these is made again.
        self._dropped: Sequence[int] = ()
        self._current: dict[Decided, bool] = {}
        self.most = (0, 0)
        self.has_failed = self.has_unset = self.lacks = False
        # The names that both an attribute and a script have.
        self.both = set(plan.keys(SCRIPT)).intersection(plan.keys(ATTRIBUTES))

    def of(self, deciding: D) -> tuple[tuple[Decided, ...], ir.Fills]:
        """The decisions of all portions for one variant, and its texts for late parts. Faults are
        reported."""
        row = deciding.row
        try:
            found = tuple([known[pick(row)] for pick, known in self._lookups])
        except KeyError:
            found = tuple([portion.of(deciding) for portion in self._portions])
            self._note(found)
        texts: tuple[str | None, ...] = ()
        for place in self._filling:
            texts += found[place].fills
        lacks = self.lacks
        if self._fills_name is not None:
            is_filled = self._fills_name(deciding.variant)
            texts += (deciding.variant if is_filled else None,)
            lacks = lacks or not is_filled
        fills = ir.Fills(self._places, texts)  # type: ignore[arg-type]
        if lacks and None in texts:
            places = {late: at for late, at in self._places.items() if texts[at] is not None}
            fills = ir.Fills(places, texts)  # type: ignore[arg-type]
            found = tuple(self._whole(found, fills, deciding))
            self._note(found)
        return found, fills

    @property
    def are_current(self) -> bool:
        """Whether most decisions are those from before some groups were dropped."""
        dropped = [self._portions[place] for place in self._dropped]
        return all(one.same * 2 >= len(one.known) for one in dropped)

    def is_current(self, decided: tuple[Decided, ...], deciding: Callable[[], D]) -> bool:
        """Whether the variant of *deciding* still has the decisions *decided*, which it had before
        some groups were dropped. Faults are reported."""
        for place in self._dropped:
            old = decided[place]
            current = self._current.get(old)
            if current is None:
                new = self._portions[place].of(deciding())
                self._note((new,))
                current = self._current[old] = new is old
            if not current:
                return False
        return True

    def filled(self, decided: tuple[Decided, ...], name: Lines) -> Filled:
        """With tracing, the provenance of the texts for late parts. The last entry is the name of
        the variant, with the lines *name*."""
        return (*[one.filled for one in decided if one.filled], {self._name_bit: name})

    def _note(self, decided: tuple[Decided, ...]) -> None:
        """Note the size of *decided*, and whether it failed, has unset settings, or lacks texts."""
        self.has_failed = self.has_failed or any(one.failed for one in decided)
        self.has_unset = self.has_unset or any(one.unsets for one in decided)
        self.lacks = self.lacks or any(one.lacks for one in decided)
        self.most = (
            sum([one.elements for one in self._portions]),
            sum([one.characters for one in self._portions]),
        )

    def _whole(
        self, decided: tuple[Decided, ...], fills: ir.Fills, deciding: D
    ) -> Iterator[Decided]:
        """*decided*, with each portion decided without late parts if *fills* lacks a text for it.
        """
        for portion, one in zip(self._portions, decided, strict=True):
            is_filled = one.late <= fills.places.keys()
            yield one if is_filled else portion.decided(deciding, whole=True)

    def pieces(self, decided: tuple[Decided, ...]) -> T:
        """The pieces of the recipe, composed."""
        return self._pieces.of(decided)

    def blocks(self, decided: tuple[Decided, ...]) -> tuple[Block, ...]:
        """The emitted settings of each block."""
        found = [*_NO_BLOCKS]
        try:
            for place, pick, known in self._written:
                found[place] = known[pick(decided)]
            return tuple(found)
        except KeyError:
            return tuple([block.of(decided) for block in self._blocks])

    def unset(self, decided: tuple[Decided, ...]) -> Block:
        """The unset settings of all blocks."""
        if not self.has_unset:
            return ()
        return tuple([one for block in self._unset for one in block.of(decided)])

    def forget(self, groups: Collection[GroupKey] | None = None) -> None:
        """Drop the decided values, or only those of *groups*."""
        dropped = [portion.forget(groups) for portion in self._portions]
        self._dropped = [place for place, one in enumerate(dropped) if one]
        self._current = {}
        composed = None if groups is None else self._dropped
        for block in (*self._blocks, *self._unset):
            block.forget(composed)
        self._pieces.forget(composed)


def _block_of(
    places: Sequence[tuple[int, int]], *, unset: bool
) -> Callable[[Sequence[Decided]], Block]:
    """Returns a function that joins a block. *places* has the places of its settings: the number of
    the portion, and the place in it. The result has the settings that are *unset*, or else the
    others."""

    def join(decided: Sequence[Decided]) -> Block:
        row = [decided[number].made[place] for number, place in places]
        return tuple([one for one in row if one is not None and (one.value is NONE) is unset])

    return join


def values_of(made: Sequence[Made]) -> Iterator[Placed]:
    """The values of settings, each with the path and the origin of its setting."""
    for one in made:
        if one is None:
            continue
        if one.parts:  # the joined text may be longer than a value may be
            yield from _texts(one.path, one.parts)
        else:
            yield one.value, (one.path, one.origin)
        for element in one.removed:
            yield element.value, (one.path, element.origin)
        for spread in one.elements or ():
            for element in spread.removed:
                yield element.value, (one.path, element.origin)


def overlaid(overlays: Sequence[ir.Overlay]) -> Iterator[Placed]:
    """The values in *overlays*, each with the path and the origin of its setting."""
    for overlay in overlays:
        yield from values_of(overlay.patch)
        yield from changed_values(overlay.changes)


def changed_values(made: ir.Changes) -> Iterator[Placed]:
    """The values in the changes of a package."""
    for settings in made.blocks:
        yield from values_of(settings)


def _texts(path: ir.Path, parts: Sequence[ir.Part]) -> Iterator[Placed]:
    for part in parts:
        if part.text is not None and part.origin is not None:
            yield part.text, (path, part.origin)
