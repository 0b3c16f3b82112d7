"""On which lines of a file offsets are."""

from __future__ import annotations

import re
from bisect import bisect_left

from tvarc.light import Final, Mapping, Sequence

_LINE_END: Final = re.compile("\n")

Ends = Mapping[str, Sequence[int]]
"""The offsets of the ends of lines of each file."""


def ends_of(text: str) -> list[int]:
    """The offsets of the ends of lines of *text*."""
    return [found.start() for found in _LINE_END.finditer(text)]


def line_at(ends: Sequence[int], offset: int) -> int:
    """The line, from 1 on, on which *offset* is in a text whose lines have these *ends*."""
    return 1 + bisect_left(ends, offset)
