"""The possible values of an expression, as far as they are known without deciding a variant: all
branches of its conditions, and the values of named `let`s."""

from __future__ import annotations

from tvarc.light import Iterator
from tvarc.meaning import hir


def behind(expr: hir.Expr) -> hir.Expr:
    """The expression of the `let` that *expr* names, through any number of `let`s. *expr* itself if
    it names no `let`, or if the `let` is not resolved yet."""
    seen: set[int] = set()
    while isinstance(expr, hir.LetRef) and id(expr.target) not in seen:
        seen.add(id(expr.target))
        if expr.target.expr is None:
            break
        expr = expr.target.expr
    return expr


def outcomes(expr: hir.Expr, *, within: bool = False) -> Iterator[tuple[hir.Expr, hir.Expr]]:
    """Every expression that may be the value of *expr*, whatever its conditions.

    Each has the place to mark: itself, or for the value of a `let` the name in *expr* that leads
    there. With *within*, the elements of lists and records are returned instead of these.
    """
    waiting: list[tuple[hir.Expr, hir.Expr]] = [(expr, expr)]
    seen: set[int] = set()
    while waiting:
        node, place = waiting.pop()
        inner: tuple[hir.Expr, ...] = ()
        match node:
            case hir.If():
                inner = (node.then, node.otherwise)
            case hir.LetRef() if node.target.expr is not None:
                if id(node.target) not in seen:  # the first place that leads there is enough
                    seen.add(id(node.target))
                    waiting.append((node.target.expr, place))
                continue
            case hir.ListOf() if within:
                inner = tuple(i.value if isinstance(i, hir.Spread) else i for i in node.items)
            case hir.RecordOf() if within:
                inner = tuple(value for _, value in node.entries)
            case _:
                yield node, place
                continue
        own = place is node  # otherwise all of it is behind a `let`
        waiting += [(one, one if own else place) for one in reversed(inner)]
