"""The operands of a condition. Their values explain why it holds."""

from __future__ import annotations

from tvarc.light import Callable, Iterator, dataclass
from tvarc.meaning import hir
from tvarc.meaning.evaluation.kinds import children
from tvarc.meaning.evaluation.show import show_expr
from tvarc.text.diagnostics.model import Failed
from tvarc.values.value import NONE, Value, show


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of a condition, as it is written, and its value."""

    text: str
    value: Value
    expr: hir.Expr


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
                    value = evaluate(node)
                except Failed:
                    continue
                text = show_expr(node)
                found.setdefault(text, Operand(text, value, node))
    return tuple(found.values())
