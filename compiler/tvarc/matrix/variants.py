"""Variants: the cells of a matrix that are built, each with a name.

There may be a hundred thousand of them. Each needs only one number in memory. The rest is computed
when it is read.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Callable, Iterator, Sequence
from tvarc.matrix.cells import Batch, Projection, Projections, batches
from tvarc.meaning import hir
from tvarc.meaning.functions import kind_text
from tvarc.values.value import Value, show

if TYPE_CHECKING:
    from typing import overload

# Neighbouring parts of a name are joined if they have few texts together, compared with the cells.
_FEW = 64
_WORTH = 32


class NamePart:
    """A part of a variant's name. It is the same for all cells with one combination of some axes.

    `is_value` says that no selector may cut it. `make` returns the texts for some cells; None for a
    text that cannot be found.
    """

    __slots__ = ("_known", "is_value", "make", "projection")

    def __init__(
        self,
        projection: Projection,
        is_value: bool,
        make: Callable[[Sequence[int]], Sequence[str | None]],
    ) -> None:
        self.projection = projection
        self.is_value = is_value
        self.make = make
        self._known: dict[int, str | None] = {}

    def texts(self, batch: Batch) -> list[str | None]:
        """The part's text for each cell of *batch*."""
        known = self._known
        keys = self.projection.keys(batch)
        try:
            return list(map(known.__getitem__, keys))
        except KeyError:
            cells = dict(zip(keys, batch.cells, strict=True))
            new = [key for key in cells if key not in known]
            known.update(zip(new, self.make([cells[key] for key in new]), strict=True))
        return [known[key] for key in keys]


def joined(parts: Sequence[NamePart], projections: Projections, cells: int) -> list[NamePart]:
    """*parts*, with neighbours joined if they have few texts together."""
    most = max(_FEW, cells // _WORTH)
    found: list[NamePart] = []
    run: list[NamePart] = []
    axes: set[int] = set()
    for part in parts:
        if run and projections.on(axes | set(part.projection.axes)).size > most:
            found.append(_one(run, projections.on(axes)))
            run, axes = [], set()
        run.append(part)
        axes |= set(part.projection.axes)
    return [*found, _one(run, projections.on(axes))] if run else found


def _one(run: Sequence[NamePart], projection: Projection) -> NamePart:
    if len(run) == 1:
        return run[0]
    parts = tuple(run)

    def make(cells: Sequence[int]) -> list[str | None]:
        batch = Batch(projection.grid, cells)
        rows = zip(*[part.texts(batch) for part in parts], strict=True)
        return [None if None in row else "".join(row) for row in rows]

    return NamePart(projection, False, make)


class Variant:
    """A cell that is built."""

    __slots__ = ("_name", "_values", "built", "cell")

    def __init__(self, built: Built, cell: int, name: str = "") -> None:
        self.built = built
        self.cell = cell
        self._name = name
        self._values: dict[str, Value] = {}

    @property
    def matrix(self) -> hir.MatrixDef:
        return self.built.matrix

    @property
    def indices(self) -> tuple[int, ...]:
        """The index of the variant's value on each axis."""
        return self.built.grid.indices(self.cell)

    @property
    def name(self) -> str:
        if not self._name:
            self._name = self.built.names(Batch(self.built.grid, (self.cell,)))[0]
        return self._name

    @property
    def pieces(self) -> tuple[tuple[str, bool], ...]:
        """The parts of the name, each with whether it is a value. No selector may cut a value."""
        batch = Batch(self.built.grid, (self.cell,))
        return tuple((part.texts(batch)[0] or "", part.is_value) for part in self.built.parts)

    @property
    def values(self) -> dict[str, Value]:
        """The value of each axis. Callers do not change it."""
        if not self._values:
            pairs = zip(self.matrix.axes, self.indices, strict=True)
            self._values = {pick.axis.name: pick.values[index] for pick, index in pairs}
        return self._values


class Unbuilt(Variant):
    """A cell that is not built, as the variant that it would be. Its name is empty if it cannot
    have one."""

    __slots__ = ("_indices", "_matrix", "_pieces")

    def __init__(
        self,
        matrix: hir.MatrixDef,
        indices: tuple[int, ...],
        pieces: tuple[tuple[str, bool], ...] = (),
    ) -> None:
        self._matrix = matrix
        self._indices = indices
        self._pieces = pieces
        self._values = {}

    @property
    def matrix(self) -> hir.MatrixDef:
        return self._matrix

    @property
    def indices(self) -> tuple[int, ...]:
        return self._indices

    @property
    def name(self) -> str:
        return "".join(text for text, _ in self._pieces)

    @property
    def pieces(self) -> tuple[tuple[str, bool], ...]:
        return self._pieces


class Built:
    """The built cells of one matrix, in order. `parts` are the parts of their names as written.
    *whole* has the same parts, joined."""

    __slots__ = ("_joined", "cells", "grid", "matrix", "parts", "projections")

    def __init__(
        self,
        matrix: hir.MatrixDef,
        projections: Projections,
        cells: Sequence[int],
        parts: Sequence[NamePart],
        whole: Sequence[NamePart],
    ) -> None:
        self.matrix = matrix
        self.projections = projections
        self.grid = projections.grid
        self.cells = cells
        self.parts = parts
        self._joined = whole

    def batches(self) -> Iterator[Batch]:
        return batches(self.grid, self.cells)

    def names(self, batch: Batch) -> list[str]:
        """The names of the cells of *batch*, all of which are built."""
        columns: list[list[str]] = [part.texts(batch) for part in self._joined]  # type: ignore[misc]
        return list(map("".join, zip(*columns, strict=True)))


class Variants(Sequence[Variant]):
    """All variants of a program, in the order of its matrices."""

    __slots__ = ("_length", "built")

    def __init__(self) -> None:
        self.built: list[Built] = []
        self._length = 0

    def add(self, built: Built) -> None:
        self.built.append(built)
        self._length += len(built.cells)

    def sort(self, matrices: Sequence[hir.MatrixDef]) -> None:
        """Put the variants into the order of *matrices*."""
        order = {id(matrix): place for place, matrix in enumerate(matrices)}
        self.built.sort(key=lambda built: order[id(built.matrix)])

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[Variant]:
        for built in self.built:
            for batch in built.batches():
                for cell, name in zip(batch.cells, built.names(batch), strict=True):
                    yield Variant(built, cell, name)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, index: int) -> Variant: ...

        @overload
        def __getitem__(self, index: slice) -> list[Variant]: ...

    def __getitem__(self, index: int | slice) -> Variant | list[Variant]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(self._length))]
        place = index + self._length if index < 0 else index
        for built in self.built if place >= 0 else ():
            if place < len(built.cells):
                return Variant(built, built.cells[place])
            place -= len(built.cells)
        raise IndexError(index)


def axis_text(value: Value) -> str:
    """The value of an axis as a user types it."""
    return kind_text(value) or show(value)
