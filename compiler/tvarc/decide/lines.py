"""The lines of a text, and the place of each of them in the source."""

from __future__ import annotations

from tvarc.decide.recorder import Traced
from tvarc.light import dataclass
from tvarc.meaning import hir
from tvarc.text.source import SourceMap, Span
from tvarc.values.value import NixText, Value

FENCE = '"""'


_NIX = "nix"


def is_fenced(text: str) -> bool:
    """Whether *text*, as written, may have several lines. Nix text may have them, too."""
    return text.removeprefix(_NIX).startswith(FENCE)


def is_bare(text: str) -> bool:
    """Whether *text* may have several lines and has nothing of its value on the first one."""
    return is_fenced(text) and not text.removeprefix(_NIX).partition("\n")[0].strip('"').strip()


@dataclass(slots=True)
class TextLine:
    """One line of a text: its line of the source, and its interpolations."""

    span: Span
    values: list[Traced]


def lines_of(text: Traced, sources: SourceMap) -> tuple[TextLine, ...]:
    """The lines of *text*. Empty if it is not written as a text."""
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
    blank = True  # whether the last line so far is blank
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
        if len(inner) != breaks + 1:  # the places of its lines are not known
            found.extend(TextLine(places.here(), [value]) for _ in range(breaks))
            blank = False
            continue
        if blank:
            found[-1].span = inner[0].span
        found.extend(TextLine(line.span, [value]) for line in inner[1:-1])
        found.append(TextLine(places.here(), [value]))  # the text after it is on this line, too
        blank = False
    return tuple(found)


def _breaks(value: Value) -> int:
    """The number of line ends in *value*, as it is printed in a text."""
    if isinstance(value, NixText):
        return sum(part.count("\n") for part in value.parts if isinstance(part, str))
    if isinstance(value, tuple):
        return sum(item.count("\n") for item in value if isinstance(item, str))
    return value.count("\n") if isinstance(value, str) else 0


class SourceLines:
    """Walks through the lines of a source in step with the lines of a text in it."""

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
            self.line += 1  # the value does not begin on the line of the fence
        self.first = self.line

    def next(self) -> None:
        # In a string between plain quotes a line ends with `\n`, and all of it is on one source
        # line.
        self.line += self.fenced

    def number(self, line: int) -> int:
        """The source line, from 1, of the line with this number of the text, from 0."""
        return self.first + line if self.fenced else self.first

    def here(self) -> Span:
        if self.source is None:
            return self.whole
        text = self.source.line(self.line)
        start = self.source.line_starts()[self.line - 1]
        indent = len(text) - len(text.lstrip())
        return Span(self.whole.file, start + indent, start + len(text))
