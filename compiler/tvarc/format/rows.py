"""Which elements of a broken bracket share a line."""

from __future__ import annotations

from tvarc.format.pieces import BRACES, Bracket, Element
from tvarc.light import Final, Sequence

_SHORT: Final = 16  # the widest element of a list that fills lines

Row = Sequence[Element]


def rows_as_written(bracket: Bracket) -> list[Row]:
    """The elements by the lines of their author."""
    rows: list[list[Element]] = []
    for element in bracket.elements:
        if rows and not element.gap.newline and not element.gap.comments:
            rows[-1].append(element)
        else:
            rows.append([element])
    return list(rows)


def rows_of(bracket: Bracket, room: int) -> list[Row]:
    """The elements by line, at most *room* wide: those of the author where one broke the
    bracket; else short ones fill lines and others stand alone. What spans lines stands alone."""
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
    width = -1  # of the last part; -1 for one that takes no more
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
