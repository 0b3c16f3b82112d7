"""Decides where lines break: between the elements of a bracket, and within an element, outside of
its brackets. The elements of a bracket share lines or have a line each."""

from __future__ import annotations

from tvarc.light import Final, Sequence
from tvarc.syntax.format.layout_tree import BRACES, Bracket, BreakPoint, Element, Joint, Word

WIDTH: Final = 112
"""The width in code points that no line exceeds if it can be broken."""
STEP: Final = 2
"""The number of blanks for one level of indentation."""

Breaks = frozenset[BreakPoint]

NO_BREAKS: Final[Breaks] = frozenset()
_TRIED: Final[tuple[Breaks, ...]] = (
    NO_BREAKS,
    frozenset({"because"}),
    frozenset({"because", "branch"}),
    frozenset({"because", "branch", "logic"}),
)


def breaks_at(joint: Joint, forced: Breaks) -> bool:
    """Whether a new line begins there: the author began one, or it is *forced*."""
    if joint.break_point in ("", "body"):
        return False
    return joint.trivia.newline or joint.break_point in forced


def forced_breaks(element: Element, indent: int, tail: int) -> Breaks:
    """The fewest kinds of breaks that make every line of *element* fit, with *tail* at the end of
    the last line. Lists are broken before conditions. If nothing makes the lines fit, all kinds are
    broken."""
    for forced in _TRIED:
        if _widest(element, indent, tail, forced) <= WIDTH:
            return forced
    if not any(
        isinstance(piece, Bracket) and piece.splits and joint.break_point != "body"
        for joint, piece in element.pieces
    ):
        return _TRIED[-1]
    ending = _after_last_bracket(element)
    return _TRIED[1] if indent + ending + tail > WIDTH else NO_BREAKS


def width_ahead(element: Element, start: int, tail: int, forced: Breaks) -> int:
    """The width from the piece *start* to the first place where the line may end."""
    width = 0
    for joint, piece in element.pieces[start:]:
        if joint.trivia.comments or breaks_at(joint, forced):
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
    """Whether *element* can go over several lines."""
    return any(
        joint.break_point != "" or (isinstance(piece, Bracket) and piece.splits)
        for joint, piece in element.pieces
    )


def _widest(element: Element, indent: int, tail: int, forced: Breaks) -> int:
    """The width of the widest line, while brackets that the author did not break stay on one line.
    """
    column = indent
    widest = 0
    for joint, piece in element.pieces:
        if joint.trivia.comments or breaks_at(joint, forced):
            widest = max(widest, column)
            column = indent + STEP
        else:
            column += len(joint.glue)
        if joint.break_point == "body":
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


# --- the elements of a bracket ------------------------------------------------------------------

_SHORT: Final = 16  # the widest element of a list that fills lines

Row = Sequence[Element]


def rows_as_written(bracket: Bracket) -> list[Row]:
    """The elements in the lines of their author."""
    rows: list[list[Element]] = []
    for element in bracket.elements:
        if rows and not element.trivia.newline and not element.trivia.comments:
            rows[-1].append(element)
        else:
            rows.append([element])
    return list(rows)


def rows_of(bracket: Bracket, room: int) -> list[Row]:
    """The elements by line, at most *room* wide. If the author broke the bracket, the lines are the
    author's. Otherwise short elements fill lines, and other elements have a line each. An element
    over several lines has its own lines."""
    if bracket.broken:
        rows = rows_as_written(bracket)
    elif bracket.opener not in BRACES and all(_is_short(one) for one in bracket.elements):
        rows = [bracket.elements]
    else:
        rows = [(element,) for element in bracket.elements]
    comma = 1 if bracket.commas else 0
    return [part for row in rows for part in _split(row, room - comma)]


def _is_short(element: Element) -> bool:
    return element.flat is not None and len(element.flat) <= _SHORT


def _split(row: Row, room: int) -> list[Row]:
    parts: list[list[Element]] = []
    width = -1  # the width of the last part; -1 if it takes no more elements
    for element in row:
        if element.flat is None:
            parts.append([element])
            width = -1
        elif width < 0 or width + 2 + len(element.flat) > room:
            parts.append([element])
            width = len(element.flat)
        else:
            parts[-1].append(element)
            width += 2 + len(element.flat)
    return list(parts)
