"""Portions: what the same axes decide of a recipe, decided together.

Two variants that agree on these axes share all of a portion. So a variant is put together from a
few portions, however many settings it has.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, OF_PACKAGE, SCRIPT
from tvarc.decide.plan import GroupKey, Plan
from tvarc.decide.rows import Key, Row, picker
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Final,
    Generic,
    Iterable,
    Iterator,
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
    from tvarc.values.value import Late

_MOST: Final = 1 << 12
"""So many combinations of a portion are remembered at once."""

T = TypeVar("T")

Made = ir.Setting | None
Block = tuple[ir.Setting, ...]


class Deciding(Protocol):
    """What portions ask of the variant that is decided (`decide/decide.py`)."""

    variant: str
    row: Row

    @property
    def is_spent(self) -> bool: ...

    def change(self, group: GroupKey, late: dict[Late, None] | None = None) -> Made: ...

    def fills(self, late_parts: Sequence[Late]) -> dict[str, str]: ...


D = TypeVar("D", bound=Deciding)


@dataclass(frozen=True, slots=True)
class Piece(Generic[D]):
    """A piece of a recipe that is no change of its package, such as its pin: what decides it, which
    may raise Failed after reporting, and the axes that this depends on."""

    axes: frozenset[str]
    decide: Callable[[D], object]


class Decided:
    """What was decided of one portion: its settings and its pieces, in order, None for one that
    failed; and what is filled into late parts of any texts, by the marks of these parts."""

    __slots__ = ("characters", "elements", "failed", "fills", "late", "made", "pieces")

    def __init__(
        self,
        made: list[Made],
        pieces: list[object],
        late: tuple[Late, ...],
        fills: dict[str, str],
        *,
        failed: bool,
    ) -> None:
        self.made = made
        self.pieces = pieces
        self.late = frozenset([one.mark for one in late])  # the marks of late parts in `made`
        self.fills = fills
        self.failed = failed
        self.elements = self.characters = 0
        for value, _ in values_of(made):
            if type(value) is str:
                self.elements += 1
                self.characters += len(value)
                continue
            weight = Weight()
            weight.add(value, Budget())  # each by itself was within its limits
            self.elements += weight.elements
            self.characters += weight.characters


class Portion(Generic[D]):
    """What some axes decide: settings, pieces of the recipe, and texts of late parts."""

    __slots__ = ("groups", "known", "late_parts", "pick", "pieces")

    def __init__(self, axes: frozenset[str], plan: Plan) -> None:
        self.groups: list[GroupKey] = []
        self.pieces: list[Callable[[D], object]] = []
        self.late_parts: Sequence[Late] = ()
        self.pick = picker([place for place, axis in enumerate(plan.axes) if axis in axes])
        self.known: dict[Key, Decided] = {}

    def of(self, deciding: D) -> Decided:
        """The portion of one variant. What is wrong with it is reported."""
        key = self.pick(deciding.row)
        known = self.known.get(key)
        if known is None:
            known = self.decided(deciding)
            if not known.failed or not deciding.is_spent:
                if len(self.known) >= _MOST:
                    self.known.clear()
                self.known[key] = known
        return known

    def decided(self, deciding: D, *, whole: bool = False) -> Decided:
        """The portion of one variant, decided now. If it is *whole*, no text has late parts."""
        pieces: list[object] = []
        made: list[Made] = []
        late: dict[Late, None] = {}
        failed = False
        for decide in self.pieces:
            try:
                pieces.append(decide(deciding))
            except Failed:
                pieces.append(FAILED)
                failed = True
        for group in self.groups:
            one: Made = None
            try:
                one = deciding.change(group, None if whole else late)
            except Failed:
                failed = True
            made.append(one)
        fills = deciding.fills(self.late_parts) if self.late_parts else {}
        return Decided(made, pieces, tuple(late), fills, failed=failed)


class _Failed:
    """Stands for a piece that failed."""


FAILED: Final = _Failed()


class Joined(Generic[T]):
    """What is put together of several portions. It is put together once for all variants that
    agree on these portions, so they have one object."""

    __slots__ = ("_make", "known", "pick")

    def __init__(
        self, numbers: Iterable[int], make: Callable[[Sequence[Decided]], T]
    ) -> None:
        """What *make* makes of all portions, of which it reads those with these *numbers*."""
        self._make = make
        self.pick = picker(sorted(set(numbers)))
        self.known: dict[Key, T] = {}

    def of(self, decided: tuple[Decided, ...]) -> T:
        """What is made of *decided*, all portions of a variant."""
        key = self.pick(decided)
        known = self.known.get(key)
        if known is None:
            if len(self.known) >= _MOST:
                self.known.clear()
            known = self.known[key] = self._make(decided)
        return known


class Portions(Generic[D, T]):
    """All portions of a plan, and what is put together of them: the pieces of the recipe, and its
    blocks, each as the settings that are emitted and those that are unset."""

    __slots__ = (
        "_block_looks", "_blocks", "_late_parts", "_looks", "_name", "_pieces", "_portions", "both",
    )  # fmt: skip

    def __init__(
        self,
        plan: Plan,
        reads: Dependencies,
        lates: Lates | None,
        pieces: Sequence[Piece[D]],
        whole: Callable[[Sequence[object]], T],
    ) -> None:
        """Those of *plan*, with these *pieces*, of which *whole* makes what they are together. With
        *lates* texts have late parts."""
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
            one.pieces.append(piece.decide)
        self._pieces = Joined(
            [number for number, _ in places],
            lambda decided: whole([decided[number].pieces[row] for number, row in places]),
        )
        self._blocks: list[Joined[tuple[Block, Block]]] = []
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
            self._blocks.append(Joined([number for number, _ in rows], _block_of(rows)))
        for axes, late_parts in lates.by_axes.items() if lates is not None else ():
            portion(axes)[1].late_parts = late_parts
        self._portions = [one for _, one in found.values()]
        # The late part that is the name of the variant, and how many late parts there are.
        self._name = lates.name if lates is not None else None
        self._late_parts = len(lates.exprs) if lates is not None else 0
        self._looks = [(one.known, one.pick) for one in self._portions]
        self._block_looks = [(one.known, one.pick) for one in self._blocks]
        # The names that an attribute and a script have.
        self.both = set(plan.keys(SCRIPT)).intersection(plan.keys(ATTRIBUTES))

    def of(self, deciding: D) -> tuple[tuple[Decided, ...], dict[str, str]]:
        """The portions of one variant, and what it fills into late parts, by their marks. What is
        wrong with the portions is reported."""
        row = deciding.row
        found: list[Decided | None] = [known.get(pick(row)) for known, pick in self._looks]
        if None in found:
            several = zip(self._portions, found, strict=True)
            found = [one if one is not None else portion.of(deciding) for portion, one in several]
        decided: tuple[Decided, ...] = tuple(found)  # type: ignore[arg-type]
        fills: dict[str, str] = {}
        if self._late_parts:
            for one in decided:
                fills.update(one.fills)
            if self._name is not None:
                fills.update(deciding.fills((self._name,)))
            if len(fills) < self._late_parts:
                decided = tuple(self._whole(decided, fills, deciding))
        return decided, fills

    def _whole(
        self, decided: tuple[Decided, ...], fills: dict[str, str], deciding: D
    ) -> Iterator[Decided]:
        """The portions without the late parts for which *fills* has no text."""
        for portion, one in zip(self._portions, decided, strict=True):
            is_filled = one.late <= fills.keys()
            yield one if is_filled else portion.decided(deciding, whole=True)

    def pieces(self, decided: tuple[Decided, ...]) -> T:
        """What was made of the pieces of the recipe."""
        return self._pieces.of(decided)

    def blocks(self, decided: tuple[Decided, ...]) -> list[tuple[Block, Block]]:
        """The settings of each block that are emitted, and those that are unset."""
        found: list[tuple[Block, Block] | None] = [
            known.get(pick(decided)) for known, pick in self._block_looks
        ]
        if None in found:
            return [block.of(decided) for block in self._blocks]
        return found  # type: ignore[return-value]

    def forget(self) -> None:
        """Drop what was decided."""
        for portion in self._portions:
            portion.known.clear()
        for block in self._blocks:
            block.known.clear()
        self._pieces.known.clear()


def _block_of(
    places: Sequence[tuple[int, int]]
) -> Callable[[Sequence[Decided]], tuple[Block, Block]]:
    """Joins a block, whose settings are at *places*: the number of a portion, and a place in it."""

    def join(decided: Sequence[Decided]) -> tuple[Block, Block]:
        row = [decided[number].made[place] for number, place in places]
        made = [one for one in row if one is not None]
        return (
            tuple([one for one in made if one.value is not NONE]),
            tuple([one for one in made if one.value is NONE]),
        )

    return join


def values_of(made: Sequence[Made]) -> Iterator[tuple[Value, tuple[ir.Path, ir.Origin]]]:
    """The values of settings, each with the path and the place where it is written."""
    for one in made:
        if one is None:
            continue
        if one.parts:  # the text of all of them may be longer than one value is
            yield from _texts(one.path, one.parts)
        else:
            yield one.value, (one.path, one.origin)
        for element in one.removed:
            yield element.value, (one.path, element.origin)
        for spread in one.elements or ():
            for element in spread.removed:
                yield element.value, (one.path, element.origin)


def _texts(
    path: ir.Path, parts: Sequence[ir.Part]
) -> Iterator[tuple[Value, tuple[ir.Path, ir.Origin]]]:
    for part in parts:
        if part.text is not None and part.origin is not None:
            yield part.text, (path, part.origin)
