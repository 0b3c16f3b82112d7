"""The few styles of a rendered message, and the one place that writes terminal codes."""

from __future__ import annotations

from tvarc.light import Enum, Iterable


class Style(Enum):
    """The style of a piece of output. The value is its terminal code, empty for plain text.

    Each colour is readable on a dark and on a light background. Yellow and cyan are not readable on
    white, and the plain blue is not readable on black, so blue is the bright one.
    """

    PLAIN = ""
    ERROR = "1;31"
    WARNING = "1;35"
    TITLE = "1"
    GUTTER = "1;94"
    SECOND = "94"
    FAINT = "2"


Piece = tuple[str, Style]
"""Text without control characters, and its style."""


def painted(rows: Iterable[Iterable[Piece]], *, colour: bool) -> str:
    """The text of *rows*, each a line."""
    return "".join([f"{paint(row, colour=colour)}\n" for row in rows])


def paint(row: Iterable[Piece], *, colour: bool) -> str:
    """One line of output from its pieces, without blanks at its end."""
    pieces = [piece for piece in row if piece[0]]
    while pieces:
        text, style = pieces.pop()
        text = text.rstrip(" ")
        if text:
            pieces.append((text, style))
            break
    if not colour:
        return "".join(text for text, _ in pieces)
    return "".join(
        text if style is Style.PLAIN or text.isspace() else f"\x1b[{style.value}m{text}\x1b[0m"
        for text, style in pieces
    )
