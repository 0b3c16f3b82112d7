"""The tree that the parser makes with its tables: rules with all their tokens. The AST is made from
it."""

from __future__ import annotations

from tvarc.light import Final, dataclass

MAX_DEPTH: Final = 200  # levels of nesting; later stages recurse over every accepted tree


class TooDeepError(Exception):
    """The source is nested deeper than MAX_DEPTH. Caught within the parser. It has the offsets of
    the node that is too deep."""

    def __init__(self, start: int, end: int) -> None:
        super().__init__("nested too deeply")
        self.start = start
        self.end = end


@dataclass(slots=True, eq=False)
class Leaf:
    """A token: its terminal, and its offsets in the whole source. The end is exclusive."""

    type: str
    start_pos: int
    end_pos: int

    depth = 0


class Cst:
    """One rule with its children, tokens included. `depth` is the number of levels of rules, this
    one included.

    The parser builds the tree from the leaves up, so the depth is known before any code recurses.
    """

    __slots__ = ("children", "depth", "end_pos", "rule", "start_pos")

    start_pos: int
    end_pos: int
    depth: int

    def __init__(self, rule: str, children: list[Cst | Leaf]) -> None:
        self.rule = rule
        self.children = children
        if rule[0] == "_":
            return  # a list that still grows; its parent will take over its children
        self.start_pos = children[0].start_pos
        self.end_pos = children[-1].end_pos
        depth = 0
        for child in children:
            if child.depth > depth:
                depth = child.depth
        self.depth = depth + 1
        if depth >= MAX_DEPTH:
            raise TooDeepError(self.start_pos, self.end_pos)
