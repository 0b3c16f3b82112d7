"""What the parser's tables build: rules with all their tokens, before they become the AST."""

from __future__ import annotations

from typing import Final, Protocol

MAX_DEPTH: Final = 200  # levels of nesting; later stages recurse over what passes


class Leaf(Protocol):
    """A token: its terminal and its offsets in the whole source, the end exclusive."""

    type: str
    start_pos: int
    end_pos: int


class TooDeepError(Exception):
    """Nesting beyond MAX_DEPTH, caught within the parser; offsets of what goes too far."""

    def __init__(self, start: int, end: int) -> None:
        super().__init__("nested too deeply")
        self.start = start
        self.end = end


class Cst:
    """One rule with its children, tokens included; `depth` counts the rules below and itself.

    Built bottom-up by the parser's tables, so that depth is known before anything recurses.
    """

    __slots__ = ("children", "depth", "end", "rule", "start")

    depth: int

    def __init__(self, rule: str, children: list[Cst | Leaf]) -> None:
        self.rule = rule
        self.children = children
        if rule.startswith("_"):
            return  # a list still growing, to be dissolved into its parent's children
        self.start = start_of(children[0])
        self.end = end_of(children[-1])
        depth = 0
        for child in children:
            if isinstance(child, Cst) and child.depth > depth:
                depth = child.depth
        self.depth = depth + 1
        if depth >= MAX_DEPTH:
            raise TooDeepError(self.start, self.end)


def start_of(node: Cst | Leaf) -> int:
    """Offset of the first character of *node*."""
    return node.start if isinstance(node, Cst) else node.start_pos


def end_of(node: Cst | Leaf) -> int:
    """Offset after the last character of *node*."""
    return node.end if isinstance(node, Cst) else node.end_pos


def depth_of(node: Cst | Leaf) -> int:
    """Levels of rules in *node*; a token has none."""
    return node.depth if isinstance(node, Cst) else 0
