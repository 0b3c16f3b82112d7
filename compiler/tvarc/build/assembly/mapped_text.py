"""Mapped texts: printed text with the provenance of each line.

When two of them are joined, the last line of the first one continues in the first line of the
second one. It has the provenance of both.
"""

from __future__ import annotations

from tvarc.light import Iterable
from tvarc.nix.language.late import MappedLine

NOTHING: MappedLine = (0, 0)


class MappedText(bytes):
    """A text with the source lines of each of its lines. The text after the last line end counts as
    a line."""

    lines: tuple[MappedLine, ...]

    @classmethod
    def of(cls, text: bytes, lines: Iterable[MappedLine]) -> MappedText:
        one = cls(text)
        one.lines = tuple(lines)
        return one


def lines_of(text: bytes) -> tuple[MappedLine, ...]:
    """The provenance of the lines of *text*; empty if it is not mapped."""
    if isinstance(text, MappedText):
        return text.lines
    return (NOTHING,) * (text.count(b"\n") + 1)


def summed(texts: Iterable[bytes]) -> list[MappedLine]:
    """The lines of all *texts* joined."""
    found: list[MappedLine] = [NOTHING]
    for text in texts:
        if not text and not isinstance(text, MappedText):
            continue
        first, *more = lines_of(text)
        last = found[-1]
        found[-1] = (last[0] | first[0], last[1] | first[1])
        found += more
    return found
