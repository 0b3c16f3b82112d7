"""What stands between two tokens and is no part of the tree: comments, line ends, empty lines."""

from __future__ import annotations

import re

from tvarc.light import Final, dataclass

_PIECE: Final = re.compile(r"#[^\n]*|\n")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment as written, without the blanks at its end.

    `alone`: nothing but blanks stands before it on its line; `blank`: an empty line does before
    it. `column` is that of the `#`, `indent` that of its line's first character, from 0.
    """

    text: str
    alone: bool
    blank: bool
    column: int
    indent: int


@dataclass(frozen=True, slots=True)
class Gap:
    """The comments of a gap in order, and how it ends: on a new line, after an empty line."""

    comments: tuple[Comment, ...] = ()
    newline: bool = False
    blank: bool = False


NO_GAP: Final = Gap()


def read_gap(text: str, start: int, end: int) -> Gap:
    """The gap between the offsets *start* and *end*, which hold no tokens but commas."""
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
    # The line end of a comment is no empty line.
    return Gap(tuple(comments), seen, newlines > 1) if comments or newlines else NO_GAP


def _comment(text: str, at: int, written: str, alone: bool, blank: bool) -> Comment:
    line = text.rfind("\n", 0, at) + 1
    before = text[line:at]
    indent = len(before) - len(before.lstrip(" \t\ufeff"))
    return Comment(written.rstrip(), alone, blank, at - line, indent)
