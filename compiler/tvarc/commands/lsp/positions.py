"""Positions of the protocol: lines and columns from 0, with columns in units of an encoding."""

from __future__ import annotations

import re
from bisect import bisect_right

from lsprotocol import types

from tvarc.light import Final

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_WIDEST: Final = 0xFFFF
"""The last character that one unit of UTF-16 can hold."""


class Positions:
    """The positions in one text, in the *encoding* that the client and the server agreed on."""

    __slots__ = ("_encoding", "_ends", "_starts", "_text")

    def __init__(self, text: str, encoding: str) -> None:
        ends = list(_LINE_END.finditer(text))
        self._text = text
        self._encoding = encoding
        self._starts = [0, *[one.end() for one in ends]]
        self._ends = [*[one.start() for one in ends], len(text)]

    def position(self, offset: int) -> types.Position:
        """The position of *offset*, which counts code points."""
        offset = min(max(offset, 0), len(self._text))
        line = bisect_right(self._starts, offset) - 1
        start, end = self._starts[line], self._ends[line]
        return types.Position(line, self._units(self._text[start : min(offset, end)]))

    def range(self, start: int, end: int) -> types.Range:
        return types.Range(self.position(start), self.position(end))

    def offset(self, position: types.Position) -> int:
        """The offset of *position*. A position after the end of a line is the end."""
        if position.line >= len(self._starts):
            return len(self._text)
        start, end = self._starts[position.line], self._ends[position.line]
        left = position.character
        for offset in range(start, end):
            if left <= 0:
                return offset
            left -= self._units(self._text[offset])
        return end

    def _units(self, text: str) -> int:
        if self._encoding == types.PositionEncodingKind.Utf8:
            return len(text.encode())
        if self._encoding == types.PositionEncodingKind.Utf32:
            return len(text)
        return len(text) + sum(ord(letter) > _WIDEST for letter in text)
