"""Describe a set of variants in few words, by values of axes that no other variants have."""

from __future__ import annotations

from itertools import combinations

from tvarc.light import Iterable, Mapping, Sequence, dataclass
from tvarc.matrix.variants import Variant, axis_text

MATRIX = "matrix"
_MOST_BOXES = 4
_MOST_AXES = 8  # all subsets of the axes are tried

Cell = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Box:
    """The variants with one of the named values on each named axis. Without a named axis, all
    variants."""

    SHOWN = ("named",)
    KEYS = (("named", ""),)

    values: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...] = ()

    @property
    def named(self) -> Mapping[str, tuple[str, ...]]:
        """The named values of each axis."""
        return {axis: some for axis, some, _ in self.values}

    def text(self) -> str:
        if not self.values:
            return "all variants"
        return "; ".join(_axis_text(*one) for one in self.values)

    @property
    def cost(self) -> int:
        # Naming an axis costs more than naming a value: it says less.
        return 1 + sum(
            min(len(some), len(rest) + 1) if rest else 3 for _, some, rest in self.values
        )


def _axis_text(axis: str, some: tuple[str, ...], rest: tuple[str, ...]) -> str:
    if not rest and len(some) > 1:
        return f"any {axis}"
    if len(some) > 3 and len(rest) < len(some) / 2:
        return f"{axis} other than {', '.join(rest)}"
    return f"{axis} {', '.join(some)}"


def _bits(numbers: Iterable[int], count: int) -> int:
    """The number whose set bits are *numbers*. All of them are below *count*."""
    found = bytearray(count // 8 + 1)
    for number in numbers:
        found[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(found, "little")


def _either(bits: Iterable[int]) -> int:
    """The bits that are set in any of *bits*."""
    found = 0
    for one in bits:
        found |= one
    return found


def cells_of(variants: Iterable[Variant]) -> list[Cell]:
    """The axis values of each variant, as a user types them, and the name of its matrix."""
    texts: dict[int, str] = {}  # by the identities of values, which their axes keep
    found: list[Cell] = []
    for variant in variants:
        cell: dict[str, str] = {}
        for axis, value in variant.values.items():
            text = texts.get(id(value))
            if text is None:
                text = texts[id(value)] = axis_text(value)
            cell[axis] = text
        cell.setdefault(MATRIX, variant.matrix.name)
        found.append(cell)
    return found


class Universe:
    """All variants that a description may need to distinguish. A set of them is a number with a bit
    for each."""

    __slots__ = ("axes", "bits", "cells", "whole")

    def __init__(self, cells: Sequence[Cell]) -> None:
        self.cells = cells
        self.whole = (1 << len(cells)) - 1
        numbers: dict[str, dict[str, list[int]]] = {}
        for index, cell in enumerate(cells):
            for axis, value in cell.items():
                numbers.setdefault(axis, {}).setdefault(value, []).append(index)
        self.bits = {
            axis: {value: _bits(some, len(cells)) for value, some in values.items()}
            for axis, values in numbers.items()
        }
        # An axis with one value for all distinguishes nothing. The matrix is the last choice.
        telling = [
            a for a, v in self.bits.items() if _either(v.values()) != self.whole or len(v) > 1
        ]
        self.axes = sorted(telling, key=lambda axis: axis == MATRIX)[:_MOST_AXES]

    def describe(self, chosen: Iterable[int]) -> tuple[Box, ...] | None:
        """The boxes that contain exactly the variants with these numbers. None if there would be
        too many."""
        wanted = _bits(chosen, len(self.cells))
        one = self.box(wanted)
        if one is not None:
            return (one,)
        best: tuple[int, list[Box]] | None = None
        for boxes in (self.cover(wanted), *(self.split(wanted, axis) for axis in self.axes)):
            if boxes is None or len(boxes) > _MOST_BOXES:
                continue
            cost = sum(box.cost for box in boxes)
            if best is None or cost < best[0]:
                best = (cost, boxes)
        return tuple(best[1]) if best is not None else None

    def shared(self, chosen: Iterable[int], longest: int) -> Box:
        """The axis values that all of these variants have, in at most *longest* characters. An axis
        on which they have every value is left out. Other variants may have these values, too."""
        wanted = _bits(chosen, len(self.cells))
        found: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []
        for axis in self.axes:
            values = self.bits[axis]
            some = tuple(value for value, bits in values.items() if bits & wanted)
            rest = tuple(value for value in values if value not in some)
            if rest and _either(values[value] for value in some) & wanted == wanted:
                found.append((axis, some, rest))
        found.sort(key=lambda one: len(_axis_text(*one)))
        if len(found) > 1:  # the matrix is left out if another axis says more
            found = [one for one in found if one[0] != MATRIX]
        while found and len(Box(tuple(found)).text()) > longest:
            found.pop()
        return Box(tuple(found))

    def box(self, wanted: int) -> Box | None:
        """The cheapest single box that contains exactly *wanted*; None if there is none."""
        if wanted == self.whole:
            return Box()
        ranges: dict[str, tuple[int, tuple[str, ...], tuple[str, ...]]] = {}
        for axis in self.axes:
            values = self.bits[axis]
            some = tuple(value for value, bits in values.items() if bits & wanted)
            held = _either(values[value] for value in some)
            if held & wanted == wanted:
                rest = tuple(value for value in values if value not in some)
                ranges[axis] = (held, some, rest)
        best: Box | None = None
        for size in range(1, len(ranges) + 1):
            for axes in combinations(ranges, size):
                held = self.whole
                for axis in axes:
                    held &= ranges[axis][0]
                if held == wanted:
                    box = Box(tuple((axis, *ranges[axis][1:]) for axis in axes))
                    if best is None or box.cost < best.cost:
                        best = box
            if best is not None:
                return best
        return best

    def cover(self, wanted: int) -> list[Box] | None:
        """Boxes of one axis each that together contain exactly *wanted*, the largest first. None if
        there are none."""
        inside: list[tuple[int, Box]] = []
        for axis in self.axes:
            some = {v: bits for v, bits in self.bits[axis].items() if bits & ~wanted == 0}
            if some:
                rest = tuple(value for value in self.bits[axis] if value not in some)
                inside.append((_either(some.values()), Box(((axis, tuple(some), rest),))))
        found: list[Box] = []
        left = wanted
        for bits, box in sorted(inside, key=lambda one: -one[0].bit_count()):
            if bits & left:
                found.append(box)
                left &= ~bits
        return None if left else found

    def split(self, wanted: int, axis: str) -> list[Box] | None:
        """A box for each value of *axis*; boxes of one shape are joined. None if a value needs
        several boxes."""
        values = self.bits[axis]
        if _either(values.values()) & wanted != wanted:
            return None
        shapes: dict[object, int] = {}
        for bits in values.values():
            if bits & wanted:
                box = self.box(bits & wanted)
                if box is None:
                    return None
                shape = tuple(one for one in box.values if one[0] != axis)
                shapes[shape] = shapes.get(shape, 0) | bits & wanted
        boxes = [self.box(bits) for bits in shapes.values()]
        found = [box for box in boxes if box is not None]
        return found if len(found) == len(boxes) else None
