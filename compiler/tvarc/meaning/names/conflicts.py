"""Finds sources with unresolved merge conflicts. The marks may be inside a string, such as a
script. Later stages would take them for lines of the string."""

from __future__ import annotations

from tvarc.light import Final, Iterator
from tvarc.meaning import messages as msg
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, Span

_START: Final = "<" * 7
_SHOWN: Final = 11  # marks that are shown besides the first


def one_side(source: Source, sink: Sink) -> Source:
    """*source* if it has no conflicts. Otherwise they are reported, and the result is the side that
    is merged into. All other lines are blank, so that everything keeps its place."""
    if _START not in source.text:
        return source
    marks, text = list[Span](), list[str]()
    for kind, span, line in _lines(source):
        if kind == "mark":
            marks.append(span)
        text.append(line if kind in ("both", "<") else _blank(line))
    if not marks:
        return source
    first, *others = marks
    sink.report(
        msg.modules.MERGE_CONFLICTS,
        first,
        others=others[:_SHOWN],
        file=source.file,
    )
    return Source(source.file, "".join(text))


def both_sides(source: Source) -> tuple[Source, Source]:
    """Both sides of *source*, each with the lines of the other side blank. Without conflicts both
    are *source*."""
    found = list(_lines(source))
    ours = [line if kind in ("both", "<") else _blank(line) for kind, _, line in found]
    theirs = [line if kind in ("both", "=") else _blank(line) for kind, _, line in found]
    return Source(source.file, "".join(ours)), Source(source.file, "".join(theirs))


def _blank(line: str) -> str:
    return "".join([char if char in "\r\n" else " " for char in line])


def _lines(source: Source) -> Iterator[tuple[str, Span, str]]:
    """Each line as its kind, its place, and its text with the line end.

    The kind is `mark` for a line that marks a conflict. For a line between marks it is the sign of
    the mark above: `<` is our side, `|` the base, and `=` their side. All other lines are `both`,
    also those of a conflict without an end.
    """
    waiting: list[tuple[str, Span, str]] = []
    at = ""  # the sign of the last mark
    size = start = 0
    *lines, last = source.text.split("\n")
    for line in (*[f"{one}\n" for one in lines], last):
        bare = line.rstrip("\r\n")
        span = Span(source.file, start, start + len(bare))
        start += len(line)
        length = len(bare) - len(bare.lstrip("<"))
        if at == "" and length >= len(_START) and _is_mark(bare, "<", length):
            at, size = "<", length
            waiting.append(("mark", span, line))
            continue
        if at == "":
            yield "both", span, line
            continue
        kind = at
        for sign in _FOLLOWING[at]:
            if _is_mark(bare, sign, size):
                at, kind = sign, "mark"
                break
        waiting.append((kind, span, line))
        if at == ">":
            yield from waiting
            waiting.clear()
            at = ""
    for _, span, line in waiting:
        yield "both", span, line


_FOLLOWING: Final = {"<": "|=", "|": "=", "=": ">"}


def _is_mark(line: str, sign: str, size: int) -> bool:
    return line[:size] == sign * size and line[size : size + 1] in ("", " ")
