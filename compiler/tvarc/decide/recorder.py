"""Evaluation with a record: the expressions, their values, and their parts.

A `Recorder` is an evaluator. Its record is a tree of `Traced` values. `explain` finds in it the
place of a piece of a value, and the names that it read (`decide/trace.py`). With
`decide/provenance.py`, each value also has its source lines, for `who`, `diff` and source maps.
"""

from __future__ import annotations

from tvarc.decide.rows import Key
from tvarc.light import TYPE_CHECKING, dataclass, suppress
from tvarc.meaning import hir
from tvarc.meaning.budget import Budget
from tvarc.meaning.evaluation.evaluate import Element, Evaluator
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.provenance import NOWHERE, Prov
from tvarc.values.value import Fact, RowValue, Value

if TYPE_CHECKING:
    from tvarc.decide.decide import Deciding

LetKey = tuple[str, str, Key]
"""The `let`, the matrix, and the values of the axes that the `let` reads."""


@dataclass(frozen=True, slots=True)
class Traced:
    """A value, its expression, and its parts.

    `parts` are the parts of the expression that were evaluated, in order. An `if` has its condition
    and one branch, and a `let` has its value.
    """

    expr: hir.Expr
    value: Value
    prov: Prov
    parts: tuple[Traced, ...]

    @property
    def fact(self) -> tuple[RowValue, str, Fact] | None:
        """The fact that the expression itself reads, with its row and its name; None if it reads
        none."""
        match self.expr:
            case hir.Member():
                name: Value = self.expr.name
            case hir.Index():
                name = self.parts[1].value
            case _:
                return None
        row = self.parts[0].value
        name = name.name if isinstance(name, RowValue) else name
        if not isinstance(row, RowValue) or not isinstance(name, str):
            return None
        fact = row.facts.get(name)
        return (row, name, fact) if fact is not None else None


class Recorder(Evaluator):
    """Evaluates for one variant like any other evaluator, and records each value.

    It does not walk expressions itself. The evaluator evaluates the parts of an expression, and
    each part is recorded before the expression has its value.
    """

    __slots__ = ("deciding", "lets", "parts")

    def __init__(
        self,
        deciding: Deciding,
        lets: dict[LetKey, Traced],
        sink: Sink,
        budget: Budget | None = None,
    ) -> None:
        """*lets* has the recorded values of `let`s. More are added to it."""
        super().__init__(deciding, sink, deciding.shared.hashes, budget)
        self.deciding = deciding
        self.lets = lets
        # The evaluated parts of the expression that is being evaluated.
        self.parts: list[Traced] = []

    def element(self, value: Value, number: int) -> Element:
        return Element(value, number, self.parts[0])

    @property
    def last(self) -> Traced:
        """The value that was evaluated last."""
        return self.parts[-1]

    def value(self, expr: hir.Expr) -> Value:
        """The value of *expr*, which is recorded. Raises Failed after reporting."""
        outer, self.parts = self.parts, []
        try:
            value, prov = self.evaluated(expr)
            traced = Traced(expr, value, prov, tuple(self.parts))
        finally:
            self.parts = outer
        outer.append(traced)
        return value

    def evaluated(self, expr: hir.Expr) -> tuple[Value, Prov]:
        """The value of *expr*, and its provenance. Raises Failed after reporting."""
        value = super().value(expr)
        return value, self.prov(expr, value)

    def prov(self, expr: hir.Expr, value: Value) -> Prov:
        """The provenance of *value*, the value of *expr*. Its parts are in `parts`. Raises Failed.
        """
        return NOWHERE

    def _value(self, expr: hir.Expr) -> Value:
        match expr:
            case hir.LetRef(target=hir.LetDef(expr=inner) as target) if inner is not None:
                reads = self.deciding.shared.reads.let(target)
                if reads.settings:
                    return self.value(inner)  # it is not cached
                value = super()._value(expr)
                self.parts.append(self.let(self.deciding.let_key(target, reads), inner))
                return value
            case hir.FieldRef(name) if name in self.bound:
                of = self.bound[name].of
                assert isinstance(of, Traced)
                self.parts.append(of)
                return super()._value(expr)
            case hir.Link():
                for choice in expr.choices:
                    with suppress(Failed):
                        if not choice.where:
                            self.value(choice.value)
                return super()._value(expr)
            case _:
                return super()._value(expr)

    def let(self, key: LetKey, inner: hir.Expr) -> Traced:
        """The recorded value of the `let` with this key. *inner* is its expression, which was
        already evaluated. It is recorded once for all variants with this key."""
        known = self.lets.get(key)
        if known is None:
            recorder = Recorder(self.deciding, self.lets, Sink())
            recorder.value(inner)
            known = self.lets[key] = recorder.last
        return known

