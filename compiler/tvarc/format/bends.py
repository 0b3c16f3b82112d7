"""Where an element goes on a new line outside of its brackets, and what fits on one."""

from __future__ import annotations

from tvarc.format.pieces import Bend, Bracket, Element, Joint, Word
from tvarc.format.texts import STEP
from tvarc.light import Final

WIDTH: Final = 112
"""The widest line, in code points, that is not broken if it can be."""

Bends = frozenset[Bend]

NO_BENDS: Final[Bends] = frozenset()
_TRIED: Final[tuple[Bends, ...]] = (
    NO_BENDS,
    frozenset({"because"}),
    frozenset({"because", "branch"}),
    frozenset({"because", "branch", "logic"}),
)


def bends_at(joint: Joint, forced: Bends) -> bool:
    """Whether a new line begins there: where the author has begun one, or where one is *forced*."""
    if joint.bend in ("", "body"):
        return False
    return joint.gap.newline or joint.bend in forced


def forced_bends(element: Element, indent: int, tail: int) -> Bends:
    """The fewest bends with which every line of *element* fits, *tail* after the last included.

    A list is rather broken than a condition; what fits in no way is bent wherever it can be.
    """
    for forced in _TRIED:
        if _widest(element, indent, tail, forced) <= WIDTH:
            return forced
    if not any(
        isinstance(piece, Bracket) and piece.splits and joint.bend != "body"
        for joint, piece in element.pieces
    ):
        return _TRIED[-1]
    ending = _after_last_bracket(element)
    return _TRIED[1] if indent + ending + tail > WIDTH else NO_BENDS


def width_ahead(element: Element, start: int, tail: int, forced: Bends) -> int:
    """The width from the piece *start* on to where the line may end first."""
    width = 0
    for joint, piece in element.pieces[start:]:
        if joint.gap.comments or bends_at(joint, forced):
            return width
        width += len(joint.glue)
        if isinstance(piece, Word):
            if piece.flat is None:
                return width + piece.text.index("\n")
            width += len(piece.flat)
        elif piece.flat is None or piece.splits:
            return width + 1
        else:
            width += len(piece.flat)
    return width + tail


def can_break(element: Element) -> bool:
    """Whether *element* can stand on several lines."""
    return any(
        joint.bend != "" or (isinstance(piece, Bracket) and piece.splits)
        for joint, piece in element.pieces
    )


def _widest(element: Element, indent: int, tail: int, forced: Bends) -> int:
    """The width of the widest line while brackets that nobody broke stay on one line."""
    column = indent
    widest = 0
    for joint, piece in element.pieces:
        if joint.gap.comments or bends_at(joint, forced):
            widest = max(widest, column)
            column = indent + STEP
        else:
            column += len(joint.glue)
        if joint.bend == "body":
            return max(widest, column + 1)
        if piece.flat is not None:
            column += len(piece.flat)
        elif isinstance(piece, Word):
            widest = max(widest, column + piece.text.index("\n"))
            column = indent + len(piece.text) - piece.text.rindex("\n") - 1
        else:
            widest = max(widest, column + 1)
            column = indent + 1
    return max(widest, column + tail)


def _after_last_bracket(element: Element) -> int:
    width = 0
    for joint, piece in reversed(element.pieces):
        if isinstance(piece, Bracket) and piece.splits:
            return width + 1
        width += len(joint.glue) + len(piece.flat or "")
    return width
