"""The grammar as lark alone reads it, and trees of both parsers in a form that can be compared."""

from __future__ import annotations

from functools import cache
from typing import Any

from lark import Lark, Token
from lark.exceptions import LarkError

from support.compile import ROOT
from tvarc.syntax.cst import Cst, Leaf
from tvarc.syntax.machine import Refused, Run, machine

Tree = tuple[object, ...]


@cache
def library() -> Lark:
    """What everybody gets who gives the file to lark."""
    with (ROOT / "grammar" / "tvar.lark").open(encoding="utf-8") as file:
        return Lark(file, parser="lalr")


def plain(node: Any) -> Tree:
    """A tree of either parser as tuples of names and places."""
    if isinstance(node, Cst):
        return (node.rule, *map(plain, node.children))
    if isinstance(node, Leaf | Token):
        return (node.type, node.start_pos, node.end_pos)
    return (str(node.data), *map(plain, node.children))


def by_library(text: str) -> list[Tree] | None:
    """The items of a file by lark alone; None if it refuses the file."""
    try:
        return [plain(item) for item in library().parse(text).children]
    except LarkError:
        return None


def by_machine(text: str) -> list[Tree] | None:
    """The items of a file by the kept tables; None if one of them is refused. Raises TooDeepError
    for items that are nested too deeply, which lark does not count."""
    found: list[Tree] = []
    at = 0
    try:
        while True:
            run = Run(machine(), "line")
            tree = run.read(text, at, len(text))
            if tree is None:
                return found
            found.append(plain(tree))
            at = run.stop
    except Refused:
        return None
