"""The operands of a condition. Their values explain why it holds."""

from __future__ import annotations

from tvarc.light import Callable, Iterator, dataclass
from tvarc.meaning import hir
from tvarc.meaning.evaluation.kinds import children
from tvarc.meaning.evaluation.show import show_expr
from tvarc.text.diagnostics.model import Failed
from tvarc.text.source import Span
from tvarc.values.row_facts import corrected
from tvarc.values.value import NONE, RowValue, Value, show


@dataclass(frozen=True, slots=True)
class Operand:
    """The text of one operand of a condition, and its value. `corrected` is the line of the program
    that corrects it, if it is a fact of a row."""

    text: str
    value: Value
    expr: hir.Expr
    corrected: Span | None = None


def asked_about(expr: hir.Expr) -> Iterator[hir.Expr]:
    """The operands that *expr* compares and joins, in order."""
    if isinstance(expr, hir.Compare | hir.Logic | hir.Not):
        for inner in children(expr):
            yield from asked_about(inner)
    else:
        yield expr


def operands(expr: hir.Expr, evaluate: Callable[[hir.Expr], Value]) -> tuple[Operand, ...]:
    """The operands of *expr* in order, without duplicates. Literals, and operands for which
    *evaluate* raises Failed, are left out."""
    found: dict[str, Operand] = {}
    for node in asked_about(expr):
        match node:
            case hir.Const():
                pass
            case hir.Lacks():
                try:
                    wanted = evaluate(node.link)
                except Failed:
                    continue
                text = show(wanted) if wanted is not None else show_expr(node.link)
                found.setdefault(text, Operand(text, NONE, node))
            case hir.ListOf() if all(isinstance(item, hir.Const) for item in node.items):
                pass
            case _:
                try:
                    value, line = evaluate(node), _corrected(node, evaluate)
                except Failed:
                    continue
                text = show_expr(node)
                found.setdefault(text, Operand(text, value, node, line))
    return tuple(found.values())


def _corrected(expr: hir.Expr, evaluate: Callable[[hir.Expr], Value]) -> Span | None:
    if not isinstance(expr, hir.Member):
        return None
    row = evaluate(expr.base)
    fact = corrected(row, expr.name) if isinstance(row, RowValue) else None
    return fact.span if fact is not None else None
