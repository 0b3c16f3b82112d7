"""The tree that the parser's tables build: rules with all their tokens, before they become the
AST.
"""

from __future__ import annotations

from tvarc.light import Final, dataclass

MAX_DEPTH: Final = 200  # levels of nesting; later stages recurse over what passes


class TooDeepError(Exception):
    """Nesting beyond MAX_DEPTH, caught within the parser; the offsets of the node that is too
    deep.
    """

    def __init__(self, start: int, end: int) -> None:
        super().__init__("nested too deeply")
        self.start = start
        self.end = end


@dataclass(slots=True, eq=False)
class Leaf:
    """A token: its terminal and its offsets in the whole source, the end exclusive."""

    type: str
    start_pos: int
    end_pos: int

    depth = 0


class Cst:
    """One rule with its children, tokens included; `depth` counts the rules below and itself.

    Built bottom-up by the parser's tables, so that depth is known before anything recurses.
    """

    __slots__ = ("children", "depth", "end_pos", "rule", "start_pos")

    start_pos: int
    end_pos: int
    depth: int

    def __init__(self, rule: str, children: list[Cst | Leaf]) -> None:
        self.rule = rule
        self.children = children
        if rule[0] == "_":
            return  # a list still growing, to be dissolved into its parent's children
        self.start_pos = children[0].start_pos
        self.end_pos = children[-1].end_pos
        depth = 0
        for child in children:
            if child.depth > depth:
                depth = child.depth
        self.depth = depth + 1
        if depth >= MAX_DEPTH:
            raise TooDeepError(self.start_pos, self.end_pos)
