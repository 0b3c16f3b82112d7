"""The text between two tokens that is not in the tree: comments, line ends and empty lines."""

from __future__ import annotations

import re

from tvarc.light import Final, Iterator, dataclass
from tvarc.syntax.cst import Cst, Leaf
from tvarc.syntax.parser import Trees

_PIECE: Final = re.compile(r"#[^\n]*|\n")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as written, without blanks at its end.

    `alone`: it is the first text of its line. `blank`: an empty line precedes it. `column` is the
    column of the `#`, and `indent` that of the first character of the line. Both count from 0.
    """

    text: str
    alone: bool
    blank: bool
    column: int
    indent: int


@dataclass(frozen=True, slots=True)
class Trivia:
    """The text between two tokens: the comments in order, whether the next token is on a new line,
    and whether an empty line precedes it."""

    comments: tuple[Comment, ...] = ()
    newline: bool = False
    blank: bool = False


NO_TRIVIA: Final = Trivia()


def read_trivia(text: str, start: int, end: int) -> Trivia:
    """The trivia between the offsets *start* and *end*. The only tokens between them are commas."""
    comments: list[Comment] = []
    newlines = 0  # since the last comment, or since the start
    alone = start == 0
    seen = alone
    for found in _PIECE.finditer(text, start, end):
        if found.group() == "\n":
            newlines += 1
            seen = alone = True
            continue
        comments.append(_comment(text, found.start(), found.group(), alone, newlines > 1))
        newlines = 0
        alone = False
    # The line end of a comment does not make an empty line.
    return Trivia(tuple(comments), seen, newlines > 1) if comments or newlines else NO_TRIVIA


def _comment(text: str, at: int, written: str, alone: bool, blank: bool) -> Comment:
    line = text.rfind("\n", 0, at) + 1
    before = text[line:at]
    indent = len(before) - len(before.lstrip(" \t\ufeff"))
    return Comment(written.rstrip(), alone, blank, at - line, indent)


def comments_of(text: str, trees: Trees) -> list[str]:
    """The comments of *text*, in order, without blanks at their ends. *trees* are the trees of its
    items."""
    found: list[str] = []
    at = 0
    places = [(leaf.start_pos, leaf.end_pos) for tree in trees for leaf in leaves(tree)]
    for start, end in (*places, (len(text), len(text))):
        between = text[at:start].split("\n")
        found += [line[line.index("#") :].rstrip() for line in between if "#" in line]
        at = end
    return found


def leaves(node: Cst | Leaf) -> Iterator[Leaf]:
    """The tokens of *node*, in order."""
    waiting = [node]
    while waiting:
        top = waiting.pop()
        if isinstance(top, Cst):
            waiting.extend(reversed(top.children))
        else:
            yield top
