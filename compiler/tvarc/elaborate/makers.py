"""Which part of an expression makes one element of its list, or one entry of its record."""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.elaborate.decide import Deciding
from tvarc.light import Iterable, replace
from tvarc.sema import hir
from tvarc.sema.failed import Failed
from tvarc.values import Value, same


def element_expr(
    expr: hir.Expr, value: Value, deciding: Deciding, through: list[hir.LetRef]
) -> hir.Expr:
    """What in *expr* makes the element *value* of its list; all of it where that is not plain.
    The `let`s by which it comes there are added to *through*."""
    if isinstance(expr, hir.LetRef) and expr.target.expr is not None:
        through.append(expr)
        return element_expr(expr.target.expr, value, deciding, through)
    if not isinstance(expr, hir.ListOf):
        return expr
    item = maker(expr, value, deciding)
    if isinstance(item, hir.Spread):
        return element_expr(item.value, value, deciding, through)
    return item


def maker(expr: hir.ListOf, value: Value, deciding: Deciding) -> hir.Expr | hir.Spread:
    """The item of a list that gives it the element *value*; the list where none is found to."""
    evaluator = deciding.evaluator(Sink())
    for item in expr.items:
        inner = item.value if isinstance(item, hir.Spread) else item
        try:
            made = evaluator.value(inner)
        except Failed:
            continue
        several = isinstance(item, hir.Spread) and isinstance(made, tuple)
        if any(same(one, value) for one in (made if several else (made,))):  # type: ignore[union-attr]
            return item
    return expr


def entry_expr(expr: hir.Expr, key: str, through: list[hir.LetRef]) -> hir.Expr:
    """What gives *key* in a record that *expr* writes; *expr* itself where that is not plain. The
    `let`s by which it comes there are added to *through*."""
    inner = expr
    passed: list[hir.LetRef] = []
    while isinstance(inner, hir.LetRef) and inner.target.expr is not None:
        passed.append(inner)
        inner = inner.target.expr
    if not isinstance(inner, hir.RecordOf):
        return expr
    found = [(path[1:], value) for path, value in inner.entries if path[0] == key]
    whole = [value for path, value in found if not path]
    if not found or (whole and len(found) > 1):
        return expr
    through += passed
    return whole[0] if whole else replace(inner, entries=tuple(found))


def inner_expr(expr: hir.Expr, keys: Iterable[str], through: list[hir.LetRef]) -> hir.Expr:
    """What gives the entry under *keys*, as `entry_expr` for one."""
    for key in keys:
        expr = entry_expr(expr, key, through)
    return expr
