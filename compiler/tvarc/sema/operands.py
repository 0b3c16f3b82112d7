"""What a condition asks about: the things whose values tell why it holds."""

from __future__ import annotations

from tvarc.diagnostics.model import Failed
from tvarc.light import Callable, dataclass
from tvarc.sema import hir
from tvarc.sema.kinds import children
from tvarc.sema.show import show_expr
from tvarc.values import NONE, Value, show


@dataclass(frozen=True, slots=True)
class Operand:
    """One thing that a condition asks about, as it is written, and its value."""

    text: str
    value: Value
    expr: hir.Expr


def operands(expr: hir.Expr, evaluate: Callable[[hir.Expr], Value]) -> tuple[Operand, ...]:
    """The operands of *expr* in order, each once; those that *evaluate* raises Failed for, and
    what is written out as a value, are left out."""
    found: dict[str, Operand] = {}

    def visit(node: hir.Expr) -> None:
        match node:
            case hir.Compare() | hir.Logic() | hir.Not():
                for inner in children(node):
                    visit(inner)
            case hir.Const():
                pass
            case hir.Lacks():
                try:
                    wanted = evaluate(node.link)
                except Failed:
                    return
                text = show(wanted) if wanted is not None else show_expr(node.link)
                found.setdefault(text, Operand(text, NONE, node))
            case hir.ListOf() if all(isinstance(item, hir.Const) for item in node.items):
                pass
            case _:
                try:
                    value = evaluate(node)
                except Failed:
                    return
                text = show_expr(node)
                found.setdefault(text, Operand(text, value, node))

    visit(expr)
    return tuple(found.values())
