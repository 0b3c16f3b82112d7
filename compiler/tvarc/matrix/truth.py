"""Conditions as tables: the combinations of axis values for which a condition holds.

Each operand of `and`, `or` and `not` reads few axes. So it is evaluated once for each combination
of its own axes. Then the tables are joined, for thousands of cells at a time.
"""

from __future__ import annotations

from tvarc.light import Callable, Final, Iterator, Sequence
from tvarc.matrix.cells import Grid, Projection, Projections
from tvarc.matrix.dependencies import Dependencies
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Failed
from tvarc.values.value import Value

# Exchanges the bytes 0 and 1.
OTHERWISE: Final = bytes([1]) + bytes(255)

Ask = Callable[[hir.Expr, tuple[int, ...]], Value]
"""Returns the value of an expression in the cell with these indices. Reports nothing. Raises
Failed."""


class Truth:
    """Whether a condition holds: a byte, 0 or 1, for each combination of `projection`."""

    __slots__ = ("projection", "table")

    def __init__(self, projection: Projection, table: bytes) -> None:
        self.projection = projection
        self.table = table

    @property
    def count(self) -> int:
        """The number of cells for which it holds."""
        return self.table.count(1) * (self.projection.grid.cells // len(self.table))

    def cells(self) -> int:
        """A number with a byte for each cell, the first cell lowest: 1 if the condition holds for
        it."""
        spread = self.projection.grid.spread(self.projection.axes, self.table)
        return int.from_bytes(spread, "little")


class Truths:
    """Finds the cells of one matrix for which conditions hold."""

    __slots__ = ("_ask", "_positions", "_projections", "_reads")

    def __init__(
        self, matrix: hir.MatrixDef, projections: Projections, reads: Dependencies, ask: Ask
    ) -> None:
        self._ask = ask
        self._positions = {pick.axis.name: i for i, pick in enumerate(matrix.axes)}
        self._projections = projections
        self._reads = reads

    def of(self, expr: hir.Expr) -> Truth | None:
        """The combinations for which *expr* holds. None if a part of it has no value, or a value
        that is neither true nor false. The caller must then evaluate the whole expression for each
        cell."""
        try:
            return self._of(expr)
        except Failed:
            return None

    def all(self, truths: Sequence[Truth]) -> Truth:
        """The combinations for which all of *truths* hold."""
        return self._joined("and", truths)

    def combinations(self, projection: Projection) -> Iterator[tuple[int, ...]]:
        """For each combination, in order, the indices of a cell that has it."""
        grid = self._projections.grid
        return (grid.indices(projection.cell(key)) for key in range(projection.size))

    def projection(self, axes: frozenset[str]) -> Projection:
        return self._projections.on([i for name, i in self._positions.items() if name in axes])

    def _of(self, expr: hir.Expr) -> Truth:
        match expr:
            case hir.Not():
                inner = self._of(expr.operand)
                return Truth(inner.projection, inner.table.translate(OTHERWISE))
            case hir.Logic():
                return self._joined(expr.op, [self._of(one) for one in _terms(expr, expr.op)])
            case _:
                projection = self.projection(self._reads.expr(expr).axes)
                found = [self._ask(expr, at) for at in self.combinations(projection)]
                if not all(isinstance(value, bool) for value in found):
                    raise Failed
                return Truth(projection, bytes([value is True for value in found]))

    def _joined(self, op: str, terms: Sequence[Truth]) -> Truth:
        """*terms*, joined by `and` or `or`. Terms with the same axes are joined first."""
        while len(terms) > 1:
            by_axes: dict[Projection, list[Truth]] = {}
            for term in terms:
                by_axes.setdefault(term.projection, []).append(term)
            if len(by_axes) == len(terms):
                projections = list(by_axes)
                whole = self._projections.on({axis for one in projections for axis in one.axes})
                return _folded(op, whole, [_spread(term, whole) for term in terms])
            terms = [
                _folded(op, projection, [term.table for term in some])
                for projection, some in by_axes.items()
            ]
        return terms[0]


def _spread(truth: Truth, whole: Projection) -> bytes:
    """The table of *truth* for each combination of *whole*, which has its axes and more."""
    sizes = [whole.grid.sizes[axis] for axis in whole.axes]
    places = [place for place, axis in enumerate(whole.axes) if axis in truth.projection.axes]
    return Grid(sizes).spread(places, truth.table)


def _folded(op: str, projection: Projection, tables: Sequence[bytes]) -> Truth:
    found = int.from_bytes(tables[0], "little")
    for table in tables[1:]:
        other = int.from_bytes(table, "little")
        found = found & other if op == "and" else found | other
    return Truth(projection, found.to_bytes(projection.size, "little"))


def _terms(expr: hir.Expr, op: str) -> list[hir.Expr]:
    """The operands that *op* joins in *expr*; *expr* itself if it is no such operation."""
    waiting, found = [expr], []
    while waiting:
        one = waiting.pop()
        if isinstance(one, hir.Logic) and one.op == op:
            waiting += (one.right, one.left)
        else:
            found.append(one)
    return found
