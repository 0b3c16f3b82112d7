"""Some of the variants of one matrix, which are to be assembled, and the parts that their cells
share."""

from __future__ import annotations

from tvarc.light import Final, Iterable, Iterator, Sequence
from tvarc.matrix.cells import BATCH, Batch, Projection, batches
from tvarc.matrix.variants import Built, Variant, Variants

FEW: Final = 1024
"""Results for at most this many combinations are cached."""


class Present:
    """Some of the cells that a matrix builds, in order."""

    __slots__ = (
        "_batches", "_keys", "_mask", "_named", "_variants", "built", "cells", "positions",
    )  # fmt: skip

    def __init__(self, built: Built, cells: Sequence[int]) -> None:
        self.built = built
        self.cells = cells
        # An axis with one value distinguishes no cells.
        self.positions = {
            pick.axis.name: place
            for place, pick in enumerate(built.matrix.axes)
            if len(pick.values) > 1
        }
        self._mask = b""
        self._named: list[tuple[Batch, list[str]]] | None = None
        self._keys: dict[tuple[int, ...], list[int]] = {}
        # Cached results for few combinations, because callers need them repeatedly.
        self._batches: dict[tuple[int, ...], Batch] = {}
        self._variants: dict[tuple[int, ...], list[tuple[int, Variant]]] = {}

    def projection(self, axes: Iterable[str]) -> Projection:
        """The projection of the cells on these axes."""
        places = self.positions
        return self.built.projections.on([places[axis] for axis in axes if axis in places])

    def many(self, axes: Iterable[str]) -> int:
        """The largest possible number of combinations of *axes*."""
        return min(self.projection(axes).size, len(self.cells))

    def keys(self, projection: Projection) -> list[int]:
        """The combinations that at least one cell has."""
        known = self._keys.get(projection.axes)
        if known is None:
            if not self._mask:
                mask = bytearray(self.built.grid.cells)
                for cell in self.cells:
                    mask[cell] = 1
                self._mask = bytes(mask)
            flags = self.built.grid.gather(projection.axes, self._mask)
            known = [key for key, flag in enumerate(flags) if flag]
            self._keys[projection.axes] = known
        return known

    def batch(self, projection: Projection) -> Batch:
        """One cell for each combination that at least one cell has."""
        known = self._batches.get(projection.axes)
        if known is None:
            keys = self.keys(projection)
            known = Batch(self.built.grid, projection.cells(keys))
            if len(keys) <= FEW:
                self._batches[projection.axes] = known
        return known

    def batches(self) -> Iterable[tuple[Batch, list[str]]]:
        """The cells in batches, with their names. A single batch is cached."""
        made = ((batch, self.built.names(batch)) for batch in batches(self.built.grid, self.cells))
        if len(self.cells) > BATCH:
            return made
        if self._named is None:
            self._named = list(made)
        return self._named

    def variants(self, projection: Projection) -> Iterator[tuple[int, Variant]]:
        """For each combination, one cell that has it. All cells of a combination agree on
        everything that depends only on its axes. The cell need not be built, and it gets no name.
        """
        known = self._variants.get(projection.axes)
        if known is not None:
            yield from known
            return
        keys = self.keys(projection)
        pairs = ((key, Variant(self.built, projection.cell(key), "-")) for key in keys)
        if len(keys) <= FEW:
            yield from self._variants.setdefault(projection.axes, list(pairs))
        else:
            yield from pairs


def by_matrix(variants: Sequence[Variant]) -> Iterator[tuple[Built, Sequence[int]]]:
    """The variants as runs of cells of one matrix each."""
    if isinstance(variants, Variants):
        for built in variants.built:
            yield built, built.cells
        return
    built_now: Built | None = None
    cells: list[int] = []
    for variant in variants:
        if variant.built is not built_now:
            if built_now is not None:
                yield built_now, cells
            built_now, cells = variant.built, []
        cells.append(variant.cell)
    if built_now is not None:
        yield built_now, cells
