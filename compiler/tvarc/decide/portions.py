"""Portions: the settings of a plan that depend on the same axes, decided together.

Two variants that agree on these axes share all of a portion. So a variant is put together from a
few portions, however many settings it has.
"""

from __future__ import annotations

from itertools import pairwise

from tvarc.blocks import ATTRIBUTES, SCRIPT
from tvarc.decide.plan import GroupKey, Plan
from tvarc.light import TYPE_CHECKING, Final, Iterator, Protocol, Sequence
from tvarc.meaning.budget import Budget, Weight
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed
from tvarc.values.value import NONE, Value

if TYPE_CHECKING:
    from tvarc.decide.late import Lates
    from tvarc.matrix.dependencies import Dependencies
    from tvarc.values.value import Late

_MOST: Final = 1 << 12
"""So many combinations of a portion are remembered at once."""

Made = ir.Setting | None
Block = tuple[ir.Setting, ...]


class Deciding(Protocol):
    """What portions ask of the variant that is decided (`decide/decide.py`)."""

    @property
    def is_spent(self) -> bool: ...

    def key(self, axes: frozenset[str]) -> tuple[int, ...]: ...

    def change(self, group: GroupKey, late: dict[Late, None] | None = None) -> Made: ...

    def filled(self, marks: frozenset[str]) -> bool: ...


class Decided:
    """The settings of one portion, in its order. With `plain`, each of them is there."""

    __slots__ = ("characters", "elements", "failed", "late", "made", "plain")

    def __init__(self, made: list[Made], late: tuple[Late, ...], *, failed: bool) -> None:
        self.made = made
        self.late = frozenset([one.mark for one in late])  # the marks of late parts
        self.failed = failed
        self.plain = not failed and all(one is not None and one.value is not NONE for one in made)
        self.elements = self.characters = 0
        for value, _ in values_of(made):
            weight = Weight()
            weight.add(value, Budget())  # each by itself was within its limits
            self.elements += weight.elements
            self.characters += weight.characters


class Portion:
    """Some settings, each with its place among all settings of the plan, and what was decided."""

    __slots__ = ("_groups", "axes", "known", "places")

    def __init__(self, axes: frozenset[str]) -> None:
        self.axes = axes
        self._groups: list[GroupKey] = []
        self.places: list[int] = []
        self.known: dict[tuple[int, ...], Decided] = {}

    def add(self, group: GroupKey, place: int) -> None:
        """Add a setting, which depends on the axes of the portion."""
        self._groups.append(group)
        self.places.append(place)

    def of(self, deciding: Deciding) -> Decided:
        """The settings of one variant. What is wrong with them is reported."""
        key = deciding.key(self.axes)
        known = self.known.get(key)
        if known is None:
            known = self._decided(deciding)
            if not known.failed or not deciding.is_spent:
                if len(self.known) >= _MOST:
                    self.known.clear()
                self.known[key] = known
        if known.late and not deciding.filled(known.late):
            return self._decided(deciding, whole=True)
        return known

    def _decided(self, deciding: Deciding, *, whole: bool = False) -> Decided:
        made: list[Made] = []
        late: dict[Late, None] = {}
        failed = False
        for group in self._groups:
            one: Made = None
            try:
                one = deciding.change(group, None if whole else late)
            except Failed:
                failed = True
            made.append(one)
        return Decided(made, tuple(late), failed=failed)


class Joined:
    """A block, whose settings are in several portions. It is joined once for all variants that
    agree on these portions, so they have one object."""

    __slots__ = ("_known", "_places", "_portions")

    def __init__(self, portions: Sequence[Portion], start: int, end: int) -> None:
        """The block with the settings from place *start* to place *end* of *portions*."""
        there = [any(start <= place < end for place in one.places) for one in portions]
        self._portions = [number for number, is_there in enumerate(there) if is_there]
        at = {
            place: (number, row)
            for number in self._portions
            for row, place in enumerate(portions[number].places)
        }
        self._places = [at[place] for place in range(start, end)]
        self._known: dict[tuple[Decided, ...], tuple[Block, Block]] = {}

    def of(self, decided: Sequence[Decided]) -> tuple[Block, Block]:
        """The settings of the block that are emitted, and those that are unset. *decided* are those
        of all portions."""
        key = tuple([decided[number] for number in self._portions])
        known = self._known.get(key)
        if known is None:
            row = [decided[number].made[place] for number, place in self._places]
            made = [one for one in row if one is not None]
            known = (
                tuple([one for one in made if one.value is not NONE]),
                tuple([one for one in made if one.value is NONE]),
            )
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = known
        return known

    def forget(self) -> None:
        """Drop what was joined."""
        self._known.clear()


class Portions:
    """All portions of a plan, and its blocks."""

    __slots__ = ("all", "blocks", "both")

    def __init__(
        self, plan: Plan, reads: Dependencies, lates: Lates | None, blocks: Sequence[str]
    ) -> None:
        """Those of *plan*, with the settings of *blocks* in this order. With *lates* texts have
        late parts."""
        portions: dict[frozenset[str], Portion] = {}
        ends = [0]
        count = 0
        for block in blocks:
            for name in plan.keys(block):
                group = (block, name)
                if lates is not None and group in lates.axes:
                    axes = lates.axes[group]
                else:
                    axes = plan.dependencies(group, reads)
                portions.setdefault(axes, Portion(axes)).add(group, count)
                count += 1
            ends.append(count)
        self.all = list(portions.values())
        self.blocks = [Joined(self.all, *span) for span in pairwise(ends)]
        # The names that an attribute and a script have.
        self.both = set(plan.keys(SCRIPT)).intersection(plan.keys(ATTRIBUTES))

    def forget(self) -> None:
        """Drop what was decided."""
        for portion in self.all:
            portion.known.clear()
        for block in self.blocks:
            block.forget()


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
