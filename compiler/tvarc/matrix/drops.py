"""Which cells an exclusion drops, found out once for each combination of the axes that it reads."""

from __future__ import annotations

from itertools import product

from tvarc.diagnostics.model import Sink
from tvarc.light import TYPE_CHECKING, Iterator
from tvarc.matrix.cells import Projection
from tvarc.sema import hir
from tvarc.sema.evaluate import Evaluator
from tvarc.sema.failed import Failed
from tvarc.values import Value

if TYPE_CHECKING:
    from tvarc.matrix.expand import Expander


class Exclusion:
    """One `exclude`, evaluated once for each combination of the axes it reads."""

    __slots__ = ("check", "expander", "projection")

    def __init__(self, check: hir.Check, expander: Expander) -> None:
        self.check = check
        self.expander = expander
        self.projection = expander.projection(expander.reads.check(check))

    def table(self) -> bytes:
        """For each combination a byte: 1 where the cell is dropped."""
        terms = _terms(self.check.expr) if not self.check.conditions else []
        found = self.joined(terms) if len(terms) > 1 else None
        if found is not None:
            return found
        return bytes([self.evaluate(indices) for indices in self.combinations(self.projection)])

    def combinations(self, projection: Projection) -> Iterator[tuple[int, ...]]:
        """For each combination the indices of a cell that has it, in order."""
        sizes = [len(pick.values) for pick in self.expander.matrix.axes]
        return product(*[range(s) if i in projection.axes else (0,) for i, s in enumerate(sizes)])

    def joined(self, terms: list[hir.Expr]) -> bytes | None:
        """The table of an expression that is *terms* joined by `and`, each of them evaluated by
        itself, since it reads fewer axes; None where one has no value that the whole may not ask
        for, or that is to be told of."""
        tables: list[tuple[tuple[int, ...], dict[tuple[int, ...], Value]]] = []
        silent = Sink()
        try:
            for term in terms:
                reads = self.expander.reads.expr(term)
                projection = self.expander.projection(reads)
                table: dict[tuple[int, ...], Value] = {}
                for indices in self.combinations(projection):
                    environment = self.expander.environment(indices, silent)
                    key = tuple([indices[axis] for axis in projection.axes])
                    table[key] = Evaluator(environment, silent).value(term)
                tables.append((projection.axes, table))
        except Failed:
            return None
        values = [value for _, table in tables for value in table.values()]
        if len(silent) or not all(isinstance(value, bool) for value in values):
            return None
        return bytes(
            [
                all(table[tuple([indices[axis] for axis in axes])] for axes, table in tables)
                for indices in self.combinations(self.projection)
            ]
        )

    def evaluate(self, indices: tuple[int, ...]) -> bool:
        evaluator = Evaluator(self.expander.environment(indices), self.expander.sink)
        try:
            for condition in self.check.conditions:
                if not evaluator.truth(condition.expr, "when"):
                    return False
                self.expander.expansion.held.add(id(condition))
            return evaluator.truth(self.check.expr, "exclude")
        except Failed:
            self.expander.failed = True
            return False


def _terms(expr: hir.Expr) -> list[hir.Expr]:
    """What `and` joins in *expr*; itself where that is nothing."""
    if isinstance(expr, hir.Logic) and expr.op == "and":
        return [*_terms(expr.left), *_terms(expr.right)]
    return [expr]
