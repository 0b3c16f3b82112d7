"""The shape of an expression, for the printer: its precedence, and whether it is easy to read on
one line."""

from __future__ import annotations

from tvarc.nix.language.quoting import integer, path_parts
from tvarc.nix.language.syntax import (
    NixApply,
    NixAssert,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixCommented,
    NixExpr,
    NixFloat,
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
    NixPath,
    NixSelect,
    NixSlot,
    NixString,
    NixWith,
)

_ASSOCIATIVE = frozenset(("++", "//", "&&", "||"))
_LOGICAL = frozenset(("&&", "||", "->"))
_COMPARISONS = frozenset(("==", "!=", "<", "<=", ">", ">="))
HUGGING = frozenset(("++", "//", "+"))
"""Operators after which a value may stay on its first line while the right operand has several
lines."""


def needs_parentheses(expr: NixExpr) -> bool:
    """Whether the expression needs parentheses as an argument or an element of a list."""
    match expr:
        case NixString() | NixIdent():  # most are of these kinds
            return False
        case NixApply() | NixLambda() | NixBinary() | NixLet() | NixIf() | NixNot():
            return True
        case NixHas() | NixAssert() | NixWith():
            return True
        case NixSelect():
            return expr.default is not None
        case NixInt():
            return integer(expr.value).startswith("-")
        case NixFloat():
            return expr.text.startswith("-")
        case NixPath():
            return not expr.home and bool(path_parts(expr.text)[1])
        case _:
            return False


def operands_of(expr: NixBinary) -> list[NixExpr]:
    """The operands of a run of one operator, if it needs no parentheses."""
    op = expr.op
    operands: list[NixExpr] = []
    if op in _ASSOCIATIVE:
        waiting: list[NixExpr] = [expr]
        while waiting:
            operand = waiting.pop()
            if isinstance(operand, NixBinary) and operand.op == op:
                waiting += (operand.right, operand.left)
            else:
                operands.append(operand)
        return operands
    left: NixExpr = expr
    while isinstance(left, NixBinary) and left.op == op:
        operands.append(left.right)
        left = left.left
        if op != "+":
            break
    operands.append(left)
    operands.reverse()
    return operands


def stands_beside(expr: NixExpr, op: NixOp) -> bool:
    """Whether the expression needs no parentheses as an operand, neither for Nix nor for a reader.
    """
    match expr:
        case NixApply() | NixInt() | NixFloat() | NixHas():
            return True
        case NixNot():
            return op in _LOGICAL
        case NixBinary():
            if op in _LOGICAL:
                return expr.op in _COMPARISONS
            return op in _COMPARISONS and expr.op == "+"
        case _:
            return False


def is_empty(expr: NixAttrs | NixList) -> bool:
    return not (expr.entries if isinstance(expr, NixAttrs) else expr.items)


def is_short(entries: tuple[NixBinding | NixInherit | NixSlot, ...], wide: bool) -> bool:
    if len(entries) != 1:
        return False
    entry = entries[0]
    if isinstance(entry, NixSlot):
        return False
    if isinstance(entry, NixInherit):
        return True
    return not wide and not entry.comment and _is_plain(entry.value)


def _is_plain(expr: NixExpr | NixCommented) -> bool:
    """Whether the expression is easy to read in a set on one line."""
    match expr:
        case NixLambda() | NixLet() | NixIf() | NixAssert() | NixWith():
            return False
        case NixCommented():
            return False
        case NixAttrs():
            return not expr.entries
        case NixList():
            return all(map(_is_plain, expr.items))
        case NixApply():
            return _is_plain(expr.function) and _is_plain(expr.argument)
        case NixBinary():
            return all(map(_is_plain, operands_of(expr)))
        case NixSelect():
            return _is_plain(expr.base)
        case _:
            return True
