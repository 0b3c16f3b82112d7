"""Comparisons of a value with itself, such as `cuda == cuda` or `gpu in [gpu, sm90]`. The result is
always the same, so the user probably meant something else."""

from __future__ import annotations

from tvarc.light import Iterator, assert_never
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.evaluation.kinds import behind, children, outcomes
from tvarc.meaning.evaluation.show import show_expr
from tvarc.syntax.ast import CompareOp
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span
from tvarc.values.value import RowValue


def refuse_itself(op: CompareOp, left: hir.Expr, right: hir.Expr, span: Span, sink: Sink) -> bool:
    """Whether a comparison has a known result, which is then reported: it compares a value with
    itself, or with a list that contains it."""
    if not is_itself(left, right) and not (
        op in ("in", "not in") and any(is_itself(left, item) for item in _listed(right))
    ):
        return False
    always = "true" if op in ("==", "<=", ">=", "in", "is") else "false"
    named = behind(left)
    rows = named.table.rows if isinstance(named, hir.AxisRef) and named.table is not None else ()
    axis = named.axis if isinstance(named, hir.AxisRef) else ""
    first = next((row for row in rows if row != axis), "NAME")
    text = show_expr(left)
    sink.report(
        msg.comparisons.AXIS_WITH_ITSELF
        if isinstance(named, hir.AxisRef)
        else msg.comparisons.WITH_ITSELF,
        span,
        text=text,
        always=always,
        first=first,
    )
    return True


def is_itself(left: hir.Expr, right: hir.Expr) -> bool:
    """Whether both expressions read the same thing, in any spelling: an axis, a field of one, a
    flag, a setting, a `let`, or an expression made from these. A row is also the same thing as
    itself."""
    # A condition may test a `let` whose value is a row. A row that is named directly has a known
    # result.
    row = _row(left)
    if row is not None and row == _row(right):
        return True
    if isinstance(left, hir.LetRef) and left == right:
        return True
    if not _reads(left) or not _reads(right):
        return False
    if _is_alike(left, right):
        return True
    # Whatever their conditions, both have the same value.
    first, *others = (end for one in (left, right) for end, _ in outcomes(one))
    return _reads(first) and all(_is_alike(first, other) for other in others)


def _row(expr: hir.Expr) -> RowValue | None:
    """The row that *expr* names, directly or through its table."""
    match expr:
        case hir.Const(RowValue() as row):
            return row
        case hir.Member(hir.Rows(table), name) | hir.Index(hir.Rows(table), hir.Const(str(name))):
            return table.rows.get(name)
        case _:
            return None


def _is_alike(left: hir.Expr, right: hir.Expr) -> bool:
    """Whether both have the same structure and the same values. Their places, the names of `let`s,
    and the spelling of a field (`.n` or `["n"]`) do not count."""
    waiting = [(left, right)]
    seen: set[tuple[int, int]] = set()
    while waiting:
        one, other = (behind(expr) for expr in waiting.pop())
        if one is other or (id(one), id(other)) in seen:
            continue
        seen.add((id(one), id(other)))
        if _head(one) != _head(other):
            return False
        inner = _inner(one), _inner(other)
        if len(inner[0]) != len(inner[1]):
            return False
        waiting += zip(*inner, strict=True)
    return True


def _reads(expr: hir.Expr) -> bool:
    """Whether *expr* contains anything that depends on the variant, or that has a name."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (hir.AxisRef, hir.SettingRef, hir.FieldRef, hir.LetRef, hir.NeedRef)):
            return True
        waiting += _inner(node)
    return False


def _head(expr: hir.Expr) -> tuple[object, ...]:
    """All of *expr* except the expressions in it, for a comparison."""
    match expr:
        case hir.Const(value):
            return ("value", type(value), value)
        case hir.LetRef(target):
            return ("let", target.id)
        case hir.Rows(table):
            return ("rows", table.origin, table.name)
        case hir.Member(_, name):
            return ("member", str, name)
        case hir.Index(_, hir.Const(key)):
            return ("member", type(key), key)
        case hir.AxisRef(what) | hir.SettingRef(what) | hir.FieldRef(what) | hir.NixRoot(what):
            return (type(expr), what)
        case hir.NeedRef(name, path):
            return ("need", name, path)
        case hir.Text(parts):
            return ("text", *(part if isinstance(part, str) else None for part in parts))
        case hir.Each(_, name):
            return ("each", name)
        case hir.ListOf(items):
            return ("list", *(isinstance(item, hir.Spread) for item in items))
        case hir.RecordOf(entries):
            return ("record", *(path for path, _ in entries))
        case hir.Compare(op) | hir.Logic(op):
            return (type(expr), op)
        case hir.Apply(function, arguments):
            return ("apply", function, *(name for name, _ in arguments))
        case hir.Index() | hir.Not() | hir.If():
            return (type(expr),)
        case hir.NixCode() | hir.Link() | hir.Lacks() | hir.Broken():
            return ("unknown", id(expr))
        case _:
            assert_never(expr)


def _inner(expr: hir.Expr) -> tuple[hir.Expr, ...]:
    """The expressions in *expr*, except a key that names a field: `_head` has that key."""
    if isinstance(expr, hir.Index) and isinstance(expr.key, hir.Const):
        return (expr.base,)
    return children(expr)


def _listed(expr: hir.Expr) -> Iterator[hir.Expr]:
    """The elements of a written list, including those of lists that it spreads. A list that is
    spread several times counts once."""
    waiting = [behind(expr)]
    seen: set[int] = set()
    while waiting:
        found = waiting.pop()
        if not isinstance(found, hir.ListOf) or id(found) in seen:
            continue
        seen.add(id(found))
        for item in found.items:
            if isinstance(item, hir.Spread):
                waiting.append(behind(item.value))
            else:
                yield item
