"""The lines of a text, and where each of them is written."""

from __future__ import annotations

from tvarc.light import dataclass
from tvarc.meaning import hir
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.text.diagnostics.model import Failed
from tvarc.text.source import SourceMap, Span
from tvarc.values.value import NixText

FENCE = '"""'


_NIX = "nix"


def is_fenced(text: str) -> bool:
    """Whether *text*, as it is written, may go over several lines: Nix text does as well."""
    return text.removeprefix(_NIX).startswith(FENCE)


def is_bare(text: str) -> bool:
    """Whether *text* may go over several lines, and nothing of its value stands on the first."""
    return is_fenced(text) and not text.removeprefix(_NIX).partition("\n")[0].strip('"').strip()


@dataclass(slots=True)
class TextLine:
    """One line of a text: the line of the source that it stands on, and what is interpolated."""

    span: Span
    exprs: list[hir.Expr]


def lines_of(expr: hir.Expr, evaluator: Evaluator, sources: SourceMap) -> tuple[TextLine, ...]:
    """The lines of the text that *expr* makes; empty where it is not written as a text."""
    match expr:
        case hir.LetRef() if expr.target.expr is not None:
            return lines_of(expr.target.expr, evaluator, sources)
        case hir.If():
            try:
                holds = evaluator.truth(expr.condition, "if")
            except Failed:
                return ()
            return lines_of(expr.then if holds else expr.otherwise, evaluator, sources)
        case hir.Text():
            return _lines(expr.parts, expr.span, evaluator, sources)
        case hir.Const() if isinstance(expr.value, str):
            return _lines((expr.value,), expr.span, evaluator, sources)
        case _:
            return ()


def _lines(
    parts: tuple[str | hir.Expr, ...], span: Span, evaluator: Evaluator, sources: SourceMap
) -> tuple[TextLine, ...]:
    places = SourceLines(span, sources)
    found = [TextLine(places.here(), [])]
    blank = True  # so far, on the last of the lines
    for part in parts:
        if isinstance(part, str):
            for _ in range(part.count("\n")):
                places.next()
                found.append(TextLine(places.here(), []))
                blank = True
            blank = blank and not part.rpartition("\n")[2].strip()
            continue
        found[-1].exprs.append(part)
        breaks = _breaks(part, evaluator)
        inner = lines_of(part, evaluator, sources) if breaks else ()
        if len(inner) != breaks + 1:  # nothing tells where its lines are written
            found.extend(TextLine(places.here(), [part]) for _ in range(breaks))
            blank = False
            continue
        if blank:
            found[-1].span = inner[0].span
        found.extend(TextLine(line.span, [part]) for line in inner[1:-1])
        found.append(TextLine(places.here(), [part]))  # what follows stands on it as well
        blank = False
    return tuple(found)


def _breaks(expr: hir.Expr, evaluator: Evaluator) -> int:
    """How many lines end within what *expr* is replaced by."""
    try:
        value = evaluator.value(expr)
    except Failed:
        return 0
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
