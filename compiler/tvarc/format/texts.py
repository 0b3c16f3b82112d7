"""Text between `\"\"\"` in its place: moved to the indentation around it, its value kept."""

from __future__ import annotations

from tvarc.syntax.script import strip_indentation
from tvarc.syntax.strings import Hole, fence_of, read_script

STEP = 2
"""The blanks of one level of indentation."""


def indented(written: str, indent: int) -> list[str]:
    """The lines of a text that begins on a line indented by *indent*.

    The first line is what follows on that line, the others hold their indentation. A text that
    means something else when it is moved stays as it is: one that begins beside its quotes.
    """
    fence = fence_of(written, 0)
    body = written[fence:-fence]
    first, *lines = body.split("\n")
    if not lines or first.strip(" "):
        return written.split("\n")
    common = min((_indent(line) for line in lines if line.strip(" ")), default=0)
    last = len(lines) - 1
    moved = [
        _moved(line, common, indent if at == last and not line.strip(" ") else indent + STEP)
        for at, line in enumerate(lines)
    ]
    if not lines[last].strip(" "):
        moved[last] = " " * indent
    text = "\n".join(["", *moved])
    if _value(text) != _value(body):
        return written.split("\n")
    quotes = written[:fence]
    return f"{quotes}{text}{quotes}".split("\n")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _moved(line: str, common: int, indent: int) -> str:
    """*line* with *indent* in place of *common*; one of blanks alone keeps what goes beyond."""
    if line.strip(" "):
        return " " * indent + line[common:]
    return " " * (indent + len(line) - common) if len(line) > common else ""


def _value(body: str) -> list[str]:
    """What the text between the quotes means, interpolations as they are written."""
    pieces = strip_indentation(read_script(body, 0, len(body), _silent))
    return [body[piece.start : piece.end] if isinstance(piece, Hole) else piece for piece in pieces]


def _silent(start: int, end: int, title: str, label: str, advice: str) -> None:
    """The parser has told of all faults already."""
