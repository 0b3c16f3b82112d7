"""Comparisons of known values. Values of different kinds are an error, never unequal."""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.light import assert_never
from tvarc.sema import hir
from tvarc.sema.failed import Failed
from tvarc.source import Span
from tvarc.values import (
    DeclValue,
    Missing,
    Record,
    RowValue,
    Value,
    Version,
    holds_nix,
    show,
    type_name,
)


class Comparison:
    """Answers comparisons; what cannot be compared is reported and raises Failed."""

    __slots__ = ("sink",)

    def __init__(self, sink: Sink) -> None:
        self.sink = sink

    def _fail(
        self, code: str, title: str, span: Span, label: str = "", *, help: str = ""
    ) -> Failed:
        self.sink.error(code, title, span, label, help=help)
        return Failed()

    def holds(self, left: Value, right: Value, expr: hir.Compare) -> bool:
        """The answer of `expr.op` for its two sides."""
        for side, value in ((expr.left, left), (expr.right, right)):
            if holds_nix(value):
                raise self._fail(
                    "E302",
                    "a comparison with something that only Nix knows",
                    side.span,
                    "known when Nix runs, not before",
                    help="compare axes, flags and facts",
                )
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
        self.sink.error(
            "E303",
            f"{type_name(left)} and {type_name(right)} cannot be compared",
            expr.left.span,
            f"is {show(left)[:60]}",
            others=((expr.right.span, f"is {show(right)[:60]}"),),
            notes=("values of different kinds are never equal, and have no order",),
            help=_compare_help(left, right),
        )
        return Failed()

    def _within(self, left: Value, right: Value, expr: hir.Compare) -> bool:
        if isinstance(right, str) and isinstance(left, str):
            return left in right
        if isinstance(right, Record) and isinstance(left, str):
            return not isinstance(right.get(left), Missing)
        if not isinstance(right, tuple):
            raise self._fail(
                "E301",
                f"`{expr.op}` looks into a list",
                expr.right.span,
                f"this is {type_name(right)}",
            )
        for item in right:
            self._comparable(left, item, expr)
        return any(equal(left, item) for item in right)

    def _lineage(self, left: Value, right: Value, expr: hir.Compare) -> bool:
        if isinstance(left, DeclValue) and isinstance(right, DeclValue) and left.kind == right.kind:
            return right.id in left.lineage or left.id == right.id
        raise self._fail(
            "E303",
            "`is` asks what a recipe or matrix is or extends",
            expr.span,
            help="write `recipe is NAME`; values are compared with `==`",
        )

    def _order(self, left: Value, right: Value, expr: hir.Compare) -> int:
        if isinstance(left, Version) and isinstance(right, Version):
            return left.compare(right)
        if type(left) is type(right):
            if isinstance(left, int) and not isinstance(left, bool) and isinstance(right, int):
                return (left > right) - (left < right)
            if isinstance(left, str) and isinstance(right, str):
                return (left > right) - (left < right)
            raise self._fail(
                "E303",
                f"{type_name(left)} has no order",
                expr.span,
                help="`<` compares versions, integers and strings",
            )
        raise self._unlike(left, right, expr)


def equal(left: Value, right: Value) -> bool:
    """Equality of the language: versions by their parts, all else by value."""
    if isinstance(left, Version) and isinstance(right, Version):
        return left.compare(right) == 0
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(map(equal, left, right))
    return type(left) is type(right) and left == right


def _compare_help(left: Value, right: Value) -> str:
    kinds = {type(left), type(right)}
    if kinds == {Version, str}:
        text = next(value for value in (left, right) if isinstance(value, str))
        return f"a version is written without quotes: `{text}`"
    if kinds == {Version, int}:
        return "a version has a dot: `13.0`, not `13`"
    if RowValue in kinds:
        row = left if isinstance(left, RowValue) else right
        assert isinstance(row, RowValue)
        if row.facts:
            return (
                f"compare a field of it, such as `.{next(iter(row.facts))}`, or name a value bare"
            )
        return "name one of its values, bare"
    return ""
