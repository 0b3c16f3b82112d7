"""Finds short conditions that hold in some cells of a matrix and in no others.

A condition is a union of boxes, each a set of values for some axes. Cells without a file may be in
it or not. A condition names the words of its cells, or a fact that at least two of these words
have. So it does not hold for a word that is added to an axis later, unless the word has that fact.
"""

from __future__ import annotations

import re
from functools import cmp_to_key

from tvarc.byhand.importing.shapes import Axis
from tvarc.light import Collection, Final, Sequence, dataclass
from tvarc.values.value import Version, quote

_MOST_BOXES: Final = 40
_SEEDS: Final = 4
_COMPARED: Final = ("capability", "version", "arch", "architecture")
_PER_BOX: Final = 4
_SHOWN: Final = 2  # words that are enough to show that a fact decides
_ANY: Final = float("inf")
RULE: Final = 4
"""The number of words that are enough to show a rule for future words."""
NEARLY: Final = 3
"""A setting is one of nearly all words if so many words have it for each word that lacks it."""
_AND: Final = re.compile(r' and (?=(?:[^"]*"[^"]*")*[^"]*\Z)')
"""The text between two terms, outside of strings."""
_NAMES_WORDS: Final = re.compile(r"([\w-]+) (?:==|in) ")


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition: its text, its reading cost, the number of its boxes, and the number of cells in
    the smallest box."""

    code: str
    cost: int
    boxes: int
    fewest: int
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Masks:
    """Bit masks: a `bit` for each of some cells, all of them as `every`, and for each axis those of
    each value."""

    bit: dict[int, int]
    every: int
    of_values: dict[str, dict[str, int]]


class Cells:
    """The cells of one matrix, and the conditions for some of them. Conditions that are *open* may
    hold for words that are added to an axis later: they may also name the words for which they do
    not hold."""

    __slots__ = ("_boxed", "_codes", "_known", "_masks", "axes", "cells", "is_open")

    def __init__(
        self, axes: tuple[Axis, ...], cells: Sequence[dict[str, str]], *, is_open: bool = False
    ) -> None:
        self.axes = axes
        self.cells = cells
        self.is_open = is_open
        self._known: dict[tuple[frozenset[int], frozenset[int]], Condition] = {}
        self._boxed: dict[tuple[frozenset[int], frozenset[int]], Condition] = {}
        self._masks: dict[frozenset[int], _Masks] = {}
        self._codes: dict[tuple[str, tuple[str, ...], tuple[str, ...]], str] = {}

    def condition(self, some: Sequence[int], all_of: Sequence[int]) -> Condition:
        """The condition that holds in the cells *some*, and not in the others of *all_of*."""
        key = (frozenset(some), frozenset(all_of))
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._condition(*key)
        return found

    def condition_of(
        self, some: Sequence[int], all_of: Sequence[int], most: int, limit: float = _ANY
    ) -> Condition | None:
        """The same, if it needs at most *most* boxes and may cost less than *limit*; otherwise
        None."""
        key = (frozenset(some), frozenset(all_of))
        found = self._known.get(key)
        if found is None and self._takes_more(*key, most, limit):
            return None
        found = self.condition(some, all_of)
        return found if found.boxes <= most else None

    def _takes_more(
        self, some: frozenset[int], all_of: frozenset[int], most: int, limit: float
    ) -> bool:
        """Whether both *some* and the others of *all_of* need more than *most* boxes, or cost
        *limit* or more."""
        if self._of_one_axis(some, all_of) is not None:
            return False
        for one in (some, all_of - some):
            found = self.boxes(one, all_of, most, limit)
            if found.boxes <= most and found.cost < limit:
                return False
        return True

    def _condition(self, some: frozenset[int], all_of: frozenset[int]) -> Condition:
        return self._of_one_axis(some, all_of) or self.boxes(some, all_of)

    def _of_one_axis(self, some: frozenset[int], all_of: frozenset[int]) -> Condition | None:
        """The condition that holds in the cells *some* and not in others of *all_of*, if one axis
        decides."""
        masks = self._masks_of(all_of)
        wanted = sum([masks.bit[cell] for cell in some])
        found: Condition | None = None
        for axis in self.axes:
            values = masks.of_values[axis.name]
            if any(mask & wanted and mask & ~wanted for mask in values.values()):
                continue
            inside = {value for value, mask in values.items() if mask & wanted}
            code = self.of_axis(axis, inside, set(values))
            if found is None or len(code) + 2 < found.cost:
                found = Condition(code, len(code) + 2, 1, len(some), (code,))
        return found

    def of_axis(self, axis: Axis, wanted: set[str], known: set[str]) -> str:
        """The condition that holds for the values *wanted* of *axis*, and not for others of
        *known*."""
        inside = tuple([value for value in axis.values if value in wanted])
        outside = tuple([one for one in axis.values if one in known and one not in wanted])
        key = (axis.name, inside, outside)
        found = self._codes.get(key)
        if found is None:
            found = self._codes[key] = _of_axis(axis, inside, outside, is_open=self.is_open)
        return found

    def fact_between(self, axis: Axis, wanted: set[str], known: set[str]) -> str:
        """The condition for the values *wanted* of *axis* by a fact that distinguishes them from
        the others of *known*; empty if there is none."""
        others = known - wanted
        if axis.table is None or min(len(wanted), len(others)) < _SHOWN:
            return ""
        found = _by_facts(axis, tuple(sorted(wanted)), tuple(sorted(others)), is_between=True)
        return min(found, key=len, default="")

    def is_rule(self, here: Sequence[int], every: Sequence[int]) -> bool:
        """Whether the value of the cells *here*, a part of *every*, may be a rule for words that
        are added to an axis: several words of the axis show it, or the axis does not affect it."""
        there = set(here)
        for axis in self.axes:
            if len({self.cells[cell][axis.name] for cell in here}) < RULE:
                others = [one.name for one in self.axes if one is not axis]
                rows = {cell: tuple([self.cells[cell][name] for name in others]) for cell in every}
                inside = {rows[cell] for cell in here}
                if any(rows[cell] in inside for cell in every if cell not in there):
                    return False
        return True

    def boxes(
        self,
        some: frozenset[int],
        all_of: frozenset[int],
        most: int = _MOST_BOXES,
        limit: float = _ANY,
    ) -> Condition:
        """The cells *some* of *all_of* as boxes, which are found greedily, each as wide as
        possible. If there are more than *most*, or they cost *limit* or more, only the boxes found
        until then."""
        known = self._boxed.get((some, all_of))
        if known is not None:
            return known
        all_masks = self._masks_of(all_of)
        bit, every, masks = all_masks.bit, all_masks.every, all_masks.of_values
        wanted = sum([bit[cell] for cell in some])
        terms: list[str] = []
        left, fewest, least_cost = wanted, len(bit), 0
        while left and len(terms) < min(most + 1, _MOST_BOXES) and least_cost < limit:
            box, cover = self._widest(left, every & ~wanted, masks, every)
            now = cover & left
            parts = []
            for axis in self.axes:
                values = masks[axis.name]
                if len(box[axis.name]) == len(values):
                    continue
                least = {value for value in box[axis.name] if values[value] & now}
                choices = [self.of_axis(axis, one, set(values)) for one in (box[axis.name], least)]
                parts.append(min(choices, key=len))
            terms.append(" and ".join(parts) or "true")
            least_cost += len(terms[-1]) + _PER_BOX
            fewest = min(fewest, cover.bit_count())
            left &= ~cover
        shown = [f"({one})" if " and " in one and len(terms) > 1 else one for one in terms]
        code = " or ".join(shown)
        cost = len(code) + _PER_BOX * len(terms)
        found = Condition(code, cost, len(terms), fewest, tuple(terms))
        if not left:
            self._boxed[some, all_of] = found
        return found

    def _masks_of(self, all_of: frozenset[int]) -> _Masks:
        """The bit of each cell of *all_of*, and the bits of each value of each axis."""
        found = self._masks.get(all_of)
        if found is None:
            bit = {cell: 1 << number for number, cell in enumerate(sorted(all_of))}
            masks: dict[str, dict[str, int]] = {axis.name: {} for axis in self.axes}
            for cell, mask in bit.items():
                for name, values in masks.items():
                    value = self.cells[cell][name]
                    values[value] = values.get(value, 0) | mask
            found = self._masks[all_of] = _Masks(bit, (1 << len(bit)) - 1, masks)
        return found

    def _widest(
        self, left: int, bad: int, masks: dict[str, dict[str, int]], every: int
    ) -> tuple[dict[str, set[str]], int]:
        """A box without cells of *bad* and with many cells of *left*."""
        columns = list(masks.values())
        best: tuple[tuple[int, int], tuple[int, ...], int] | None = None
        rest = left
        for _ in range(_SEEDS):
            if not rest:
                break
            seed = rest & -rest
            rest ^= seed
            for covers in _boxes_around(seed, columns, bad, every):
                cover = every
                for mask in covers:
                    cover &= mask
                score = ((cover & left).bit_count(), covers.count(every))
                if best is None or score > best[0]:
                    best = (score, covers, cover)
        assert best is not None
        box = {
            name: {value for value, mask in values.items() if mask & covered}
            for (name, values), covered in zip(masks.items(), best[1], strict=True)
        }
        return box, best[2]


def both(left: str, right: str) -> str:
    """The condition that *left* and *right* hold; either may be empty. *right* holds for some cells
    of *left*. If *right* names words of an axis, terms of *left* about that axis are not needed."""
    if not left or not right:
        return left or right
    if " or " not in f"{left} {right}":
        named = [one[1] for term in _AND.split(right) if (one := _NAMES_WORDS.match(term))]
        terms = [term for term in _AND.split(left) if not _names_words(term, named)]
        return " and ".join([*terms, right])
    return " and ".join([f"({one})" if " or " in one else one for one in (left, right)])


def _names_words(term: str, axes: Collection[str]) -> bool:
    """Whether *term* names words of one of *axes*."""
    found = _NAMES_WORDS.match(term)
    return found is not None and found[1] in axes


def _boxes_around(
    seed: int, columns: Sequence[dict[str, int]], bad: int, every: int
) -> list[tuple[int, ...]]:
    """The boxes without a cell of *bad* to which the cell *seed* can be widened, axis by axis, for
    each order of axes. A box is identified by the cells of its values on each axis, because each
    value has cells, and two values of an axis share none."""
    alone = tuple([_of_seed(masks, seed) for masks in columns])
    found: list[tuple[int, ...]] = []
    met: set[tuple[tuple[int, ...], tuple[int, ...]]] = set()

    def widen(covers: tuple[int, ...], waiting: tuple[int, ...]) -> None:
        wider: list[tuple[int, int]] = []
        for axis in waiting:
            others = bad
            for other, cover in enumerate(covers):
                if other != axis:
                    others &= cover
            cover = covers[axis] | _outside(columns[axis], others, every)
            if cover != covers[axis]:  # else not later either, when the box has more cells
                wider.append((axis, cover))
        if not wider:
            found.append(covers)
        for axis, cover in wider:
            now = (*covers[:axis], cover, *covers[axis + 1 :])
            left = tuple([other for other, _ in wider if other != axis])
            # Many orders of axes lead to the same box, and the boxes that follow from it are
            # already known.
            if (now, left) not in met:
                met.add((now, left))
                widen(now, left)

    widen(alone, tuple(range(len(columns))))
    return found


def _of_seed(masks: dict[str, int], seed: int) -> int:
    """The cells with the value of the cell *seed*."""
    return next(mask for mask in masks.values() if mask & seed)


def _outside(masks: dict[str, int], bad: int, every: int) -> int:
    """The cells of the values without a cell of *bad*."""
    if not bad:
        return every
    found = 0
    for mask in masks.values():
        if not mask & bad:
            found |= mask
    return found


def _of_axis(
    axis: Axis, inside: Sequence[str], outside: Sequence[str], *, is_open: bool
) -> str:
    """The shortest condition that the values *inside* of *axis* meet, and no value *outside*."""
    name, written = axis.name, axis.written
    codes = [
        f"{name} == {written(inside[0])}"
        if len(inside) == 1
        else f"{name} in [{', '.join(map(written, inside))}]"
    ]
    if outside and is_open and (axis.table is not None or len(inside) > 1):
        several = f"{name} not in [{', '.join(map(written, outside))}]"
        codes.append(f"{name} != {written(outside[0])}" if len(outside) == 1 else several)
    if outside and axis.table is not None and (is_open or len(inside) >= _SHOWN):
        codes += _by_facts(axis, inside, outside, is_open=is_open)
    return min(codes, key=len)


def _by_facts(
    axis: Axis,
    inside: Sequence[str],
    outside: Sequence[str],
    *,
    is_open: bool = False,
    is_between: bool = False,
) -> list[str]:
    """Comparisons of a fact that distinguish the values *inside* from those *outside*. With
    *between*, the values outside must have the fact, too."""
    assert axis.table is not None
    found: list[str] = []
    for field in _COMPARED:
        facts = {}
        for value in (*inside, *outside):
            fact = axis.table.rows[value].facts.get(field)
            facts[value] = fact.value if fact is not None else None
        if None in facts.values():
            continue
        name = f"{axis.name}.{field}"
        these = [facts[value] for value in inside]
        those = [facts[value] for value in outside]
        versions = [one for one in these if isinstance(one, Version)]
        others = [one for one in those if isinstance(one, Version)]
        if len(versions) == len(these) and len(others) == len(those):
            if is_open or len(others) >= _SHOWN:
                found += _by_versions(name, versions, others)
        elif all(isinstance(one, str) for one in (*these, *those)):
            is_one = len(set(those)) == 1
            if len(set(these)) == 1 and these[0] not in those and (is_one or not is_between):
                found.append(f"{name} == {quote(str(these[0]))}")
            if is_open and is_one and those[0] not in these:
                found.append(f"{name} != {quote(str(those[0]))}")
    return found


def _by_versions(name: str, inside: list[Version], outside: list[Version]) -> list[str]:
    order = cmp_to_key(Version.compare)
    low, high, least = min(inside, key=order), max(inside, key=order), min(outside, key=order)
    found: list[str] = []
    if all(one.compare(low) < 0 for one in outside):
        found.append(f"{name} >= {low.text}")
    if least.compare(high) > 0:
        found.append(f"{name} < {least.text}")
    if low.compare(high) == 0 and all(one.compare(low) for one in outside):
        found.append(f"{name} == {low.text}")
    return found
