"""Comparisons of known values. Comparing values of different kinds is an error."""

from __future__ import annotations

from tvarc.light import Final, assert_never, dataclass
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.evaluation.show import brief, show_expr
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import (
    NONE,
    DeclValue,
    Missing,
    Record,
    RowValue,
    Value,
    Version,
    holds_nix,
    show_short,
    type_name,
    value_kind,
)


@dataclass(slots=True, eq=False)
class Comparison:
    """Evaluates comparisons. Values that cannot be compared are reported, and Failed is raised."""

    sink: Sink

    def holds(self, left: Value, right: Value, expr: hir.Compare) -> bool:
        """The result of `expr.op` for its two sides."""
        for side, value in ((expr.left, left), (expr.right, right)):
            if holds_nix(value):
                raise self.sink.refuse(msg.comparisons.COMPARES_NIX, side.span)
        match expr.op:
            case "==" | "!=":
                self._comparable(left, right, expr)
                return equal(left, right) is (expr.op == "==")
            case "in" | "not in":
                return self._within(left, right, expr) is (expr.op == "in")
            case "is" | "is not":
                return self._lineage(left, right, expr) is (expr.op == "is")
            case "<" | "<=" | ">" | ">=":
                order = self._order(left, right, expr)
                match expr.op:
                    case "<":
                        return order < 0
                    case "<=":
                        return order <= 0
                    case ">":
                        return order > 0
                    case _:
                        return order >= 0
            case _:
                assert_never(expr.op)

    def _comparable(self, left: Value, right: Value, expr: hir.Compare) -> None:
        if left is None or right is None:
            return
        if isinstance(left, RowValue) and isinstance(right, RowValue):
            alike = left.table == right.table
        else:
            alike = type(left) is type(right)
        if not alike:
            raise self._unlike(left, right, expr)

    def _unlike(self, left: Value, right: Value, expr: hir.Compare) -> Failed:
        from tvarc.meaning.evaluation.unlike import as_the_other, compare_help, in_names_help

        return self.sink.refuse(
            msg.comparisons.DIFFERENT_TYPES,
            expr.left.span,
            others=[expr.right.span],
            edits=(
                *as_the_other(expr.left, value_kind(right)),
                *as_the_other(expr.right, value_kind(left)),
            ),
            kind=type_name(left),
            other_kind=type_name(right),
            left=show_short(left),
            right=show_short(right),
            advice=in_names_help(show_expr(expr.left), isinstance(expr.right, hir.ListOf))
            if expr.op in ("in", "not in") and isinstance(left, RowValue) and isinstance(right, str)
            else compare_help(left, right, expr),
        )

    def _within(self, left: Value, right: Value, expr: hir.Compare) -> bool:
        if isinstance(right, str) and isinstance(left, str):
            return left in right
        if isinstance(right, Record) and isinstance(left, str | RowValue):
            key = left.name if isinstance(left, RowValue) else left
            return not isinstance(right.get(key), Missing)
        if isinstance(right, Record):
            raise refuse_no_key(expr, type_name(left), self.sink)
        if not isinstance(right, tuple):
            from tvarc.meaning.evaluation.unlike import one_value_help

            raise self.sink.refuse(
                msg.comparisons.NO_LIST,
                expr.right.span,
                op=expr.op,
                kind=type_name(right),
                advice=one_value_help(expr),
            )
        if (
            type(left) in _SCALARS
            and is_uniform(right)
            and (not right or type(right[0]) is type(left))
        ):
            return left in right
        for item in right:
            self._comparable(left, item, expr)
        return any(equal(left, item) for item in right)

    def _lineage(self, left: Value, right: Value, expr: hir.Compare) -> bool:
        if isinstance(left, DeclValue) and isinstance(right, DeclValue) and left.kind == right.kind:
            return right.id in left.lineage or left.id == right.id
        if NONE in (left, right):
            sides = [side for side in (left, right) if side is not NONE]
            if all(isinstance(side, DeclValue) and side.kind == "pin" for side in sides):
                return not sides  # with `none` there is no pin
        raise self.sink.refuse(msg.comparisons.IS_ON_VALUE, expr.span)

    def _order(self, left: Value, right: Value, expr: hir.Compare) -> int:
        if isinstance(left, Version) and isinstance(right, Version):
            return left.compare(right)
        if type(left) is type(right):
            if isinstance(left, int) and not isinstance(left, bool) and isinstance(right, int):
                return (left > right) - (left < right)
            if isinstance(left, float) and isinstance(right, float):
                return (left > right) - (left < right)
            if isinstance(left, str) and isinstance(right, str):
                return (left > right) - (left < right)
            raise self.sink.refuse(
                msg.comparisons.NO_ORDER, expr.span, kind=type_name(left), op=expr.op
            )
        raise self._unlike(left, right, expr)


_SCALARS: Final = frozenset((str, int, bool))


def is_uniform(value: Value) -> bool:
    """Whether *value* is compared as a whole, such as strings, integers, and lists of these. Other
    lists are compared element by element, by the rules of each kind."""
    if not isinstance(value, tuple | Record):
        return True
    if isinstance(value, Record):
        return False
    kinds = set(map(type, value))
    return len(kinds) <= 1 and _SCALARS.issuperset(kinds)


def equal(left: Value, right: Value) -> bool:
    """Equality of the language. Versions are compared by their parts, records by their keys in any
    order, and other values by value."""
    if isinstance(left, Version) and isinstance(right, Version):
        return left.compare(right) == 0
    if isinstance(left, tuple) and isinstance(right, tuple):
        if is_uniform(left) and is_uniform(right):
            return left == right and (not left or type(left[0]) is type(right[0]))
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, Record) and isinstance(right, Record):
        mine, theirs = dict(left.entries), dict(right.entries)
        return mine.keys() == theirs.keys() and all(equal(mine[k], theirs[k]) for k in mine)
    return type(left) is type(right) and left == right


def refuse_no_key(expr: hir.Compare, kind: str, sink: Sink) -> Failed:
    """Report that the left side of *expr*, whose *kind* messages name, is no key of the record on
    its right."""
    written = show_expr(expr.left)
    match kind:
        case "true or false":
            text = f'"{{{{if {written} then "a" else "b"}}}}"'
        case "an integer" | "a version":
            text = f'"{{{{{written}}}}}"'
        case _:
            text = '"…"'
    sink.report(
        msg.comparisons.KEY_IS_NO_TEXT,
        expr.left.span,
        others=[expr.right.span],
        op=expr.op,
        kind=kind,
        text=text,
        right=brief(expr.right),
    )
    return Failed()
