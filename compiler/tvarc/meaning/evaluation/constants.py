"""Expressions that are the same for every variant: facts, and the values of axes."""

from __future__ import annotations

from tvarc.light import Callable
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.budget import Budget
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import RowValue, Value

Demand = Callable[[hir.LetDef], "hir.Expr | None"]


class Constants:
    """The environment of expressions that are the same for every variant.

    `demand` resolves a `let` that a fact reads before the `let` is resolved.
    """

    __slots__ = ("demand", "row", "sink", "values")

    def __init__(self, sink: Sink, demand: Demand, row: RowValue | None = None) -> None:
        self.sink = sink
        self.row = row
        self.demand = demand
        self.values: dict[str, Value] = {}

    def axis(self, ref: hir.AxisRef) -> Value:
        raise self.sink.refuse(msg.tables.FACT_READS_AXIS, ref.span, axis=ref.axis)

    def setting(self, ref: hir.SettingRef) -> Value:
        raise self.sink.refuse(msg.tables.FACT_READS_SETTING, ref.span)

    def let(self, ref: hir.LetRef, budget: Budget) -> Value:
        if ref.target.id not in self.values:
            expr = self.demand(ref.target)
            if expr is None:
                raise Failed
            self.values[ref.target.id] = Evaluator(self, self.sink).value(expr)
        return self.values[ref.target.id]

    def need(self, ref: hir.NeedRef) -> Value:
        raise self.sink.refuse(msg.tables.FACT_READS_NEED, ref.span)

    def link(self, link: hir.Link) -> Value:
        raise Failed

    def lacks(self, link: hir.Link) -> bool:
        raise Failed

    def field(self, ref: hir.FieldRef) -> Value:
        fact = self.row.facts.get(ref.name) if self.row is not None else None
        if fact is not None and fact.wrong:
            raise Failed
        return fact.value if fact is not None else None
