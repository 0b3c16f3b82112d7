"""The comments of a file, read from its tokens alone: what a formatter must not lose."""

from __future__ import annotations

from tvarc.light import Iterator
from tvarc.syntax.cst import Cst, Leaf
from tvarc.syntax.parser import Trees


def comments_of(text: str, trees: Trees) -> list[str]:
    """The comments of *text*, of which *trees* are the items: in order, without blanks at their
    ends."""
    found: list[str] = []
    at = 0
    tokens = [leaf for tree in trees for leaf in _leaves(tree)]
    # A line's end that separates is a token, and holds the comment before it.
    places = [(leaf.start_pos, leaf.end_pos) for leaf in tokens if leaf.type != "_NL"]
    for start, end in (*places, (len(text), len(text))):
        between = text[at:start].split("\n")
        found += [line[line.index("#") :].rstrip() for line in between if "#" in line]
        at = end
    return found


def _leaves(node: Cst | Leaf) -> Iterator[Leaf]:
    waiting = [node]
    while waiting:
        top = waiting.pop()
        if isinstance(top, Cst):
            waiting.extend(reversed(top.children))
        else:
            yield top
