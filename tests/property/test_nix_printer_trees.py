"""Printed trees mean what they say: Nix reads back the same structure, and the same results."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nix_trees import IDENTS, leaves, raw, trees_of

from support.effort import examples
from support.nix import parse, requires_nix
from support.recipes import nix_value
from tvarc.nix.language.document import WIDTH
from tvarc.nix.language.printer import print_expr
from tvarc.nix.language.syntax import (
    FALSE,
    TRUE,
    NixApply,
    NixAssert,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixCommented,
    NixExpr,
    NixFormal,
    NixFormals,
    NixHas,
    NixIdent,
    NixIf,
    NixInherit,
    NixInt,
    NixLambda,
    NixLet,
    NixList,
    NixNot,
    NixOp,
    NixRaw,
    NixSelect,
    NixSlot,
    NixSteps,
    NixString,
    NixWith,
)

pytestmark = [requires_nix]

SETTINGS = settings(
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)

# Results: pairs of an expression and the value that it has

Pair = tuple[NixExpr, Any]


def _apply(op: NixOp, a: Any, b: Any) -> Any:
    match op:
        case "+" | "++":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/":
            return a // b if a * b >= 0 else -(-a // b)
        case "//":
            return {**a, **b}
        case "==":
            return a == b
        case "!=":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case ">=":
            return a >= b
        case "&&":
            return a and b
        case "||":
            return a or b
        case "->":
            return not a or b


def _binary(ops: tuple[NixOp, ...], operands: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    def pair(op: NixOp, left: Pair, right: Pair) -> Pair:
        return NixBinary(op, left[0], right[0]), _apply(op, left[1], right[1])

    return st.builds(pair, st.sampled_from(ops), operands, operands)


def _wrapped(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    """The value through a let, a function, a selection, a list, an if."""

    def pair(how: int, it: Pair) -> Pair:
        expr = it[0]
        x = NixIdent("x")
        forms: tuple[NixExpr, ...] = (
            NixLet((NixBinding(("x",), expr),), x),
            NixApply(NixLambda("x", x), expr),
            NixApply(NixLambda(NixFormals((NixFormal("x", expr),), True), x), NixAttrs(())),
            NixSelect(NixAttrs((NixBinding(("x", "y"), expr),)), ("x", "y")),
            NixSelect(NixAttrs(()), ("x",), expr),
            NixApply(NixSelect(NixIdent("builtins"), ("head",)), NixList((expr,))),
            NixIf(FALSE, NixInt(0), expr),
            NixIf(TRUE, expr, NixInt(0)),
        )
        return forms[how], it[1]

    return st.builds(pair, st.integers(0, 7), inner)


def _list(items: list[Pair]) -> Pair:
    return NixList(tuple(item[0] for item in items)), [item[1] for item in items]


def _set(items: list[Pair]) -> Pair:
    entries = tuple(NixBinding((f"k{index}",), item[0]) for index, item in enumerate(items))
    return NixAttrs(entries), {f"k{index}": item[1] for index, item in enumerate(items)}


ints: st.SearchStrategy[Pair] = st.deferred(
    lambda: (
        st.integers(-9, 9).map(lambda n: (NixInt(n), n))
        | _binary(("+", "-", "*"), ints)
        | _wrapped(ints)
    )
)
bools: st.SearchStrategy[Pair] = st.deferred(
    lambda: (
        st.booleans().map(lambda value: (TRUE if value else FALSE, value))
        | _binary(("<", "<=", ">", ">="), ints)
        | _binary(("==", "!="), ints)
        | _binary(("==", "!=", "&&", "||", "->"), bools)
        | _binary(("==", "!="), lists)
        | bools.map(lambda it: (NixNot(it[0]), not it[1]))
        | _wrapped(bools)
    )
)
# Of numbers only: to Python, 0 and False are equal.
lists: st.SearchStrategy[Pair] = st.deferred(
    lambda: st.lists(ints, max_size=2).map(_list) | _binary(("++",), lists) | _wrapped(lists)
)
sets: st.SearchStrategy[Pair] = st.deferred(
    lambda: st.lists(ints | lists, max_size=2).map(_set) | _binary(("//",), sets) | _wrapped(sets)
)


@pytest.mark.slow
@SETTINGS
@given(st.lists(ints | bools | lists | sets, min_size=1, max_size=25))
def test_operators_have_their_values(batch: list[Pair]) -> None:
    expr, expected = _list(batch)
    assert nix_value(print_expr(expr)) == expected


# Structure: the tree printed with all parentheses is, to Nix, the same tree

trees = trees_of(leaves | raw)


def reference(expr: NixExpr) -> str:
    """The expression with parentheses around each node, without any layout."""
    return "(" + _bare(expr) + ")"


def _bare(expr: NixExpr) -> str:
    match expr:
        case NixApply():
            return reference(expr.function) + " " + reference(expr.argument)
        case NixBinary():
            if expr.op in ("++", "//", "&&", "||"):  # printed as one run, whatever its grouping
                return f" {expr.op} ".join(map(reference, _run(expr, expr.op)))
            return f"{reference(expr.left)} {expr.op} {reference(expr.right)}"
        case NixSelect(NixSelect(base, first, None), path, default):  # printed as one path
            return _bare(NixSelect(base, first + path, default))
        case NixSelect():
            last = "" if expr.default is None else " or " + reference(expr.default)
            return f"{reference(expr.base)}.{_path(expr.path)}{last}"
        case NixList():
            items: list[NixExpr] = []
            for item in expr.items:
                assert not isinstance(item, NixSlot)
                items.append(item.value if isinstance(item, NixCommented) else item)
            return "[ " + " ".join(map(reference, items)) + " ]"
        case NixAttrs():
            return ("rec " if expr.recursive else "") + "{ " + _entries(expr.entries) + " }"
        case NixLambda():
            head = expr.parameter if isinstance(expr.parameter, str) else _head(expr.parameter)
            return head + ": " + reference(expr.body)
        case NixLet():
            body = reference(expr.body)
            return "let " + _entries(expr.entries) + " in " + body if expr.entries else body
        case NixIf():
            condition, then = reference(expr.condition), reference(expr.then)
            return f"if {condition} then {then} else {reference(expr.otherwise)}"
        case NixNot():
            return "! " + reference(expr.operand)
        case NixAssert():
            return f"assert {reference(expr.condition)}; {reference(expr.body)}"
        case NixHas():
            return f"{reference(expr.base)} ? {_path(expr.path)}"
        case NixWith():
            return f"with {reference(expr.environment)}; {reference(expr.body)}"
        case NixString((str(), part, str())) if not isinstance(part, str):
            return '"x\\n${' + reference(part) + '}\\n"'
        case NixRaw():
            return "".join(map(str, expr.parts)) + "\n"
        case _:
            return print_expr(expr)


def _path(steps: NixSteps) -> str:
    return ".".join(
        f'"{step}"' if isinstance(step, str) else "${" + reference(step) + "}" for step in steps
    )


def _run(expr: NixExpr, op: NixOp) -> list[NixExpr]:
    if isinstance(expr, NixBinary) and expr.op == op:
        return _run(expr.left, op) + _run(expr.right, op)
    return [expr]


def _entries(entries: tuple[NixBinding | NixInherit | NixSlot, ...]) -> str:
    parts = []
    for entry in entries:
        if isinstance(entry, NixBinding):
            parts.append(f"{_path(entry.path)} = {reference(entry.value)};")
        else:
            assert isinstance(entry, NixInherit)
            assert entry.source is not None
            names = " ".join(f'"{name}"' for name in entry.names)
            parts.append(f"inherit ({reference(entry.source)}) {names};")
    return " ".join(parts)


def _head(formals: NixFormals) -> str:
    names = [
        formal.name + ("" if formal.default is None else " ? " + reference(formal.default))
        for formal in formals.formals
    ]
    whole = formals.whole + "@" if formals.whole else ""
    return whole + "{ " + ", ".join(names + ["..."] * formals.ellipsis) + " }"


@pytest.mark.slow
@SETTINGS
@given(st.lists(trees, min_size=1, max_size=12))
def test_nix_reads_the_same_tree(batch: list[NixExpr]) -> None:
    whole = NixLambda(NixFormals(tuple(map(NixFormal, IDENTS))), NixList(tuple(batch)))
    # Nix shows the names of a set in the order of its memory, so one process reads both.
    both = parse("[ (" + print_expr(whole) + "\n) (" + _bare(whole) + ") ]").rstrip("\n")
    inner = both.removeprefix("[ ").removesuffix(" ]")
    middle = len(inner) // 2
    assert inner[:middle] == inner[middle + 1 :]


@SETTINGS
@given(trees)
def test_lines_are_clean(expr: NixExpr) -> None:
    text = print_expr(expr)
    assert text == print_expr(expr)
    for line in text.split("\n"):
        assert line == line.rstrip()
        assert "\t" not in line
    if "text that is long" not in text:
        assert max(map(len, text.split("\n"))) <= WIDTH + 60  # names are never broken
