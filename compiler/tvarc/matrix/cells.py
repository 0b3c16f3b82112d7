"""Cells of a matrix by number, and their projections on some of its axes.

A cell is a number. Cells are counted in axis order, and the last axis changes fastest. A result
that depends on a few axes is stored for each combination of their values, and these are counted in
the same way. So the results are a list, and many cells are looked up at once.
"""

from __future__ import annotations

from itertools import repeat
from math import prod

from tvarc.light import (
    Callable,
    Final,
    Iterable,
    Iterator,
    Sequence,
    add,
    floordiv,
    itemgetter,
    mod,
)

BATCH = 2048
"""Cells that are looked up together: enough for a cheap loop, few enough for little memory."""

INNER = 2048
"""Combinations of the trailing axes that are looked up in one table."""
_TABLED: Final = 2048  # up to this many combinations, all cells are computed at once


class Grid:
    """The cells of axes with these numbers of values."""

    __slots__ = (
        "_half", "_heads", "_tail", "_tails", "cells", "inner", "sizes", "split", "strides",
    )  # fmt: skip

    def __init__(self, sizes: Sequence[int]) -> None:
        self.sizes = tuple(sizes)
        self.cells = prod(self.sizes)
        # The distance between the cells of neighbouring values, for each axis.
        strides = [1]
        for size in reversed(self.sizes):
            strides.append(strides[-1] * size)
        self.strides = tuple(reversed(strides[:-1]))
        # The trailing axes are looked up in one table as long as they have few cells, the leading
        # axes in another.
        self.split, self.inner = len(self.sizes), 1
        while self.split and self.inner * self.sizes[self.split - 1] <= INNER:
            self.split -= 1
            self.inner *= self.sizes[self.split]
        # The cached indices of the leading and the trailing axes of cells. Both halves have about
        # as many combinations.
        self._half, self._tail = len(self.sizes), 1
        while self._half and self._tail**2 < self.cells:
            self._half -= 1
            self._tail *= self.sizes[self._half]
        self._heads: dict[int, tuple[int, ...]] = {}
        self._tails: dict[int, tuple[int, ...]] = {}

    def indices(self, cell: int) -> tuple[int, ...]:
        """The index of the cell's value on each axis."""
        outer, inner = divmod(cell, self._tail)
        head, tail = self._heads.get(outer), self._tails.get(inner)
        if head is None:
            head = _kept(self._heads, outer, self.sizes[: self._half])
        if tail is None:
            tail = _kept(self._tails, inner, self.sizes[self._half :])
        return head + tail

    def spread(self, axes: Iterable[int], table: bytes) -> bytes:
        """A byte for each cell, from *table*, which has a byte for each combination of *axes*."""
        chosen = set(axes)
        blocks = [table[i : i + 1] for i in range(len(table))]
        for axis in range(len(self.sizes) - 1, -1, -1):
            size = self.sizes[axis]
            if axis in chosen:
                blocks = [b"".join(blocks[i : i + size]) for i in range(0, len(blocks), size)]
            else:
                blocks = [block * size for block in blocks]
        return blocks[0]

    def gather(self, axes: Iterable[int], cells: bytes) -> bytes:
        """A byte for each combination of *axes*: 1 if *cells* has a byte other than 0 for it."""
        chosen = set(axes)
        last = max(chosen, default=-1)
        blocks = [cells]
        for axis, size in enumerate(self.sizes[: last + 1]):
            step = len(blocks[0]) // size
            parts = [[b[i : i + step] for i in range(0, len(b), step)] for b in blocks]
            if axis in chosen:
                blocks = [part for several in parts for part in several]
            else:
                blocks = [_either(several) for several in parts]
        return bytes([any(block) for block in blocks])


def _kept(
    known: dict[int, tuple[int, ...]], number: int, sizes: Sequence[int]
) -> tuple[int, ...]:
    """The indices of the combination *number* of axes with these *sizes*. The result is cached in
    *known*, whose size is limited."""
    if len(known) >= _TABLED:
        known.clear()
    rest, found = number, list[int]()
    for size in reversed(sizes):
        rest, index = divmod(rest, size)
        found.append(index)
    made = known[number] = tuple(reversed(found))
    return made


def _either(blocks: Sequence[bytes]) -> bytes:
    """The bytes that are 1 in any of *blocks*, which have equal lengths."""
    whole = 0
    for block in blocks:
        whole |= int.from_bytes(block, "little")
    return whole.to_bytes(len(blocks[0]), "little")


class Batch:
    """Some cells, with a lookup for each of the two tables of a projection."""

    __slots__ = ("cells", "inner", "keys", "outer")

    def __init__(self, grid: Grid, cells: Sequence[int]) -> None:
        self.cells = cells
        inner = grid.inner
        self.outer = _looking_up(list(map(floordiv, cells, repeat(inner))))
        self.inner = _looking_up(list(map(mod, cells, repeat(inner))))
        self.keys: dict[tuple[int, ...], Sequence[int]] = {}  # by the axes of projections


def _looking_up(places: Sequence[int]) -> Callable[[Sequence[int]], Sequence[int]]:
    """A function that returns the numbers at all *places* of a table."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda table: [table[place] for place in places]


def batches(grid: Grid, cells: Sequence[int]) -> Iterator[Batch]:
    """*cells* in batches, in order."""
    for start in range(0, len(cells), BATCH):
        yield Batch(grid, cells[start : start + BATCH])


class Projection:
    """The combinations that the cells of a grid have on some of its axes. They are counted like
    cells."""

    __slots__ = (
        "_has_inner",
        "_has_outer",
        "_inner",
        "_outer",
        "_sizes",
        "_strides",
        "axes",
        "grid",
        "size",
    )

    def __init__(self, grid: Grid, axes: Iterable[int]) -> None:
        self.grid = grid
        self.axes = tuple(sorted(axes))
        self.size = prod([grid.sizes[axis] for axis in self.axes])
        weights = [0] * len(grid.sizes)
        weight = 1
        for axis in reversed(self.axes):
            weights[axis] = weight
            weight *= grid.sizes[axis]
        self._sizes = grid.sizes
        self._strides = grid.strides
        split = grid.split
        self._outer = _sums(grid.sizes[:split], weights[:split])
        self._inner = _sums(grid.sizes[split:], weights[split:])
        self._has_outer, self._has_inner = any(self._outer), any(self._inner)

    def cell(self, key: int) -> int:
        """A cell with the combination *key*. On every other axis it has the first value."""
        cell = 0
        for axis in reversed(self.axes):
            key, index = divmod(key, self._sizes[axis])
            cell += index * self._strides[axis]
        return cell

    def cells(self, keys: Sequence[int]) -> Sequence[int]:
        """For each of these combinations, the cell that `cell` returns."""
        if self.size > _TABLED:
            return [self.cell(key) for key in keys]
        strides = [self._strides[axis] for axis in self.axes]
        table = _sums([self._sizes[axis] for axis in self.axes], strides)
        return _looking_up(keys)(table)

    def keys(self, batch: Batch) -> Sequence[int]:
        """The combination of each cell of *batch*."""
        known = batch.keys.get(self.axes)
        if known is None:
            if not self._has_inner:
                known = batch.outer(self._outer)
            elif not self._has_outer:
                known = batch.inner(self._inner)
            else:
                known = list(map(add, batch.outer(self._outer), batch.inner(self._inner)))
            batch.keys[self.axes] = known
        return known


def _sums(sizes: Sequence[int], weights: Sequence[int]) -> list[int]:
    """For each combination of these sizes, the weighted sum of its indices."""
    sums = [0]
    for size, weight in zip(reversed(sizes), reversed(weights), strict=True):
        if not weight:
            sums *= size
        elif size != 1:
            sums = [step + base for step in range(0, size * weight, weight) for base in sums]
    return sums


class Projections:
    """The projections of one grid, each made once."""

    __slots__ = ("_known", "grid")

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self._known: dict[tuple[int, ...], Projection] = {}

    def on(self, axes: Iterable[int]) -> Projection:
        key = tuple(sorted(axes))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Projection(self.grid, key)
        return known
