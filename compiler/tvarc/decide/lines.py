"""The lines of a text, and where each of them is written."""

from __future__ import annotations

from tvarc.decide.recorder import Traced
from tvarc.light import dataclass
from tvarc.meaning import hir
from tvarc.text.source import SourceMap, Span
from tvarc.values.value import NixText, Value

FENCE = '"""'


_NIX = "nix"


def is_fenced(text: str) -> bool:
    """Whether *text*, as it is written, may go over several lines: Nix text does as well."""
    return text.removeprefix(_NIX).startswith(FENCE)


def is_bare(text: str) -> bool:
    """Whether *text* may go over several lines, with nothing of its value on the first."""
    return is_fenced(text) and not text.removeprefix(_NIX).partition("\n")[0].strip('"').strip()


@dataclass(slots=True)
class TextLine:
    """One line of a text: its line of the source, and its interpolations."""

    span: Span
    values: list[Traced]


def lines_of(text: Traced, sources: SourceMap) -> tuple[TextLine, ...]:
    """The lines of *text*; empty if it is not written as a text."""
    match text.expr:
        case hir.LetRef():
            return lines_of(text.parts[0], sources)
        case hir.If():
            return lines_of(text.parts[1], sources)
        case hir.Text(parts=parts, span=span):
            return _lines(parts, text.parts, span, sources)
        case hir.Const(value=str() as value, span=span):
            return _lines((value,), (), span, sources)
        case _:
            return ()


def _lines(
    parts: tuple[str | hir.Expr, ...], values: tuple[Traced, ...], span: Span, sources: SourceMap
) -> tuple[TextLine, ...]:
    places = SourceLines(span, sources)
    found = [TextLine(places.here(), [])]
    blank = True  # so far, on the last of the lines
    left = iter(values)
    for part in parts:
        if isinstance(part, str):
            for _ in range(part.count("\n")):
                places.next()
                found.append(TextLine(places.here(), []))
                blank = True
            blank = blank and not part.rpartition("\n")[2].strip()
            continue
        value = next(left)
        found[-1].values.append(value)
        breaks = _breaks(value.value)
        inner = lines_of(value, sources) if breaks else ()
        if len(inner) != breaks + 1:  # nothing tells where its lines are written
            found.extend(TextLine(places.here(), [value]) for _ in range(breaks))
            blank = False
            continue
        if blank:
            found[-1].span = inner[0].span
        found.extend(TextLine(line.span, [value]) for line in inner[1:-1])
        found.append(TextLine(places.here(), [value]))  # what follows stands on it as well
        blank = False
    return tuple(found)


def _breaks(value: Value) -> int:
    """How many lines end within *value*, in a text."""
    if isinstance(value, NixText):
        return sum(part.count("\n") for part in value.parts if isinstance(part, str))
    if isinstance(value, tuple):
        return sum(item.count("\n") for item in value if isinstance(item, str))
    return value.count("\n") if isinstance(value, str) else 0


class SourceLines:
    """Goes through the lines of a source beside those of a text in it."""

    def __init__(self, span: Span, sources: SourceMap) -> None:
        self.whole = span
        self.source = sources.get(span.file)
        self.line = self.first = 0
        self.fenced = False
        if self.source is None:
            return
        self.line = self.source.position(span.start).line
        text = self.source.text[span.start : span.end]
        self.fenced = is_fenced(text)
        if is_bare(text):
            self.line += 1  # what follows the fence on its line is left out
        self.first = self.line

    def next(self) -> None:
        # In a string between plain quotes lines end by `\n`: all of it stands on one line.
        self.line += self.fenced

    def number(self, line: int) -> int:
        """The line of the source, from 1, on which the line *line* of the text is, from 0."""
        return self.first + line if self.fenced else self.first

    def here(self) -> Span:
        if self.source is None:
            return self.whole
        text = self.source.line(self.line)
        start = self.source.line_starts()[self.line - 1]
        indent = len(text) - len(text.lstrip())
        return Span(self.whole.file, start + indent, start + len(text))
