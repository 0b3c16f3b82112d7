"""Text as a terminal shows it: its width, and replacements for characters that cannot be shown.

All text from a source or a file name is printed through this module. So no control or direction
character of a source reaches a terminal.
"""

from __future__ import annotations

import unicodedata

from tvarc.light import Final, dataclass

TAB: Final = 4
_COLOUR: Final = "\x1b["


@dataclass(frozen=True, slots=True)
class Cells:
    """A line with its layout: for each character the text that is shown, its first cell, and the
    cell after its last one.

    A combining character shares the cells of the character that it modifies.
    """

    glyphs: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @property
    def width(self) -> int:
        return self.ends[-1] if self.ends else 0


def lay_out(text: str) -> Cells:
    """Lay out one line of source; tabs go to the next multiple of `TAB` cells."""
    if text.isascii() and text.isprintable():
        size = len(text)
        return Cells(tuple(text), tuple(range(size)), tuple(range(1, size + 1)))
    glyphs: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    start = end = 0
    for char in text:
        if char == "\t":
            glyph, width = "", TAB - end % TAB
            glyph = " " * width
        else:
            glyph = _shown(char)
            width = cell_width(glyph)
        if width or not glyphs:
            start, end = end, end + width
        glyphs.append(glyph)
        starts.append(start)
        ends.append(end)
    return Cells(tuple(glyphs), tuple(starts), tuple(ends))


def safe(text: str) -> str:
    """*text* on one line, without anything that steers a terminal."""
    if text.isprintable():
        return text
    return "".join([_shown(char) for char in text])


def lines_for_people(text: str, *, colours: bool) -> str:
    """*text* with its lines and tabs, and without anything else that steers a terminal. With
    *colours*, the codes for colours of text stay, too."""
    if not colours or _COLOUR not in text:
        return "\n".join(["\t".join(map(safe, line.split("\t"))) for line in text.split("\n")])
    import re  # only a terminal has colours

    plain = re.split(r"(\x1b\[[0-9;]*m)", text)
    plain[::2] = [lines_for_people(one, colours=False) for one in plain[::2]]
    return "".join(plain)


def cell_width(text: str) -> int:
    """The number of cells of *text*, which must already be safe to show."""
    if text.isascii():
        return len(text)
    return sum([_char_width(char) for char in text])


def wrap(text: str, width: int) -> list[str]:
    """*text* as safe lines of at most *width* cells, which are broken only at blanks.

    Line ends of *text* are kept, and the pieces of one line share its indentation. A word that is
    wider than the line stays whole, so that paths and addresses can be copied. But a line may break
    between two wide characters, because Chinese and Japanese have no blanks.
    """
    return [row for line in text.split("\n") for row in _wrap_line(line, width)]


def fit(text: str, width: int) -> str:
    """*text* with its lines wrapped to *width* cells, in the way of `wrap`."""
    if all(cell_width(line) <= width for line in text.split("\n")):
        return text
    return "\n".join(wrap(text, width))


def _wrap_line(line: str, width: int) -> list[str]:
    line = safe(line.removesuffix("\r").expandtabs(TAB)).rstrip(" ")
    if cell_width(line) <= width:
        return [line]
    indent = " " * min(len(line) - len(line.lstrip(" ")), width // 2)
    rows: list[str] = []
    row, used = "", 0
    for word in line.split(" "):
        if not word:
            continue
        size = cell_width(word)
        if len(indent) + size > width and not word.isascii():
            *whole, word = _pieces(word, width - len(indent), width - used - 1 if row else None)
            for piece in whole:
                rows.append((f"{row} {piece}" if piece else row) if row else indent + piece)
                row = ""
            size = cell_width(word)
        if row and used + 1 + size > width:
            rows.append(row)
            row = ""
        if row:
            row, used = f"{row} {word}", used + 1 + size
        else:
            row, used = indent + word, len(indent) + size
    rows.append(row)
    return rows


def _pieces(word: str, width: int, first: int | None) -> list[str]:
    """*word* in pieces of at most *width* cells. It breaks before and after wide characters. If
    *first* is given, the first piece has at most that many cells, and is empty if nothing fits."""
    pieces: list[str] = []
    piece, used, room = "", 0, width if first is None else first
    part, size = "", 0  # the part that cannot be broken
    before = False
    for char in [*word, ""]:
        cells = cell_width(char)
        if not char or (part and cells and (cells > 1 or before)):
            if used + size > room and (piece or (first is not None and not pieces)):
                pieces.append(piece)
                piece, used, room = "", 0, width
            piece, used = piece + part, used + size
            part, size = "", 0
        part, size = part + char, size + cells
        before = cells > 1 or (before and not cells)
    return [*pieces, piece]


def _shown(char: str) -> str:
    """The text shown for *char*: itself, a control picture, or its code point by name."""
    if char.isprintable() or char == " ":
        return char
    code = ord(char)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if unicodedata.category(char) == "Zs":
        return " " if unicodedata.east_asian_width(char) != "F" else "  "
    return f"<U+{code:04X}>"


def _char_width(char: str) -> int:
    if char.isascii():
        return 1
    # Vowels and finals of Hangul that are separate characters join the consonant before them.
    if unicodedata.category(char) in ("Mn", "Me") or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1
