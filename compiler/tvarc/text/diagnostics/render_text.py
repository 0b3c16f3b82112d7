"""Renders diagnostics for a user at a terminal."""

from __future__ import annotations

from tvarc.light import Iterator, Sequence, assert_never
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.diagnostics.render_cells import safe, wrap
from tvarc.text.diagnostics.render_excerpt import excerpt, last_line
from tvarc.text.diagnostics.render_style import Piece, Style, paint, painted
from tvarc.text.source import SourceMap

_LEAST_WIDTH = 40
_WIDEST_PROSE = 120  # longer lines are hard to read


def render_text(
    diagnostics: Sequence[Diagnostic],
    sources: SourceMap,
    *,
    colour: bool,
    width: int,
    more: int = 0,
    titles: bool = False,
) -> str:
    """All *diagnostics* in the given order, with a blank line between two of them.

    *width* is the width of the terminal in cells. Without *colour*, the only control character in
    the result is the newline. With it, there are also the codes of `Style`. Text from a source or a
    file name is made safe to show. The last line has the number of errors that are left out,
    *more*. With *titles*, titles are wrapped, too. Otherwise each title is one line, which can be
    searched.
    """
    width = max(width, _LEAST_WIDTH)
    told = [
        painted(_rows(item, sources, width, titles), colour=colour)
        for item in diagnostics
    ]
    if more:
        told.append(f"{paint([(left_out(more), Style.ERROR)], colour=colour)}\n")
    return "\n".join(told)


def left_out(more: int) -> str:
    """The line with the number of errors that are not printed."""
    return f"and {more:,} more {'error' if more == 1 else 'errors'}"


def _rows(
    item: Diagnostic, sources: SourceMap, width: int, titles: bool
) -> Iterator[list[Piece]]:
    accent = _accent(item.severity)
    head, prose = f"{item.severity.value}[{safe(item.code)}]", min(width, _WIDEST_PROSE)
    first, *rest = wrap(item.title, prose - len(head) - 2) if titles else [safe(item.title)]
    yield [(head, accent), (f": {first}", Style.TITLE)]
    for line in rest:
        yield [(f"{'':{len(head) + 2}}{line}", Style.TITLE)]
    groups = _by_file(item.labels)
    gutter = _gutter(groups, sources)
    for number, (file, labels) in enumerate(groups.items()):
        if number:
            yield [(f"{'':{gutter}} |", Style.GUTTER)]
        yield from _place(file, labels, sources, gutter, width, accent)
    if groups and (item.notes or item.help):
        yield [(f"{'':{gutter}} |", Style.GUTTER)]
    for note in item.notes:
        yield from _remark("note", note, gutter, prose)
    if item.help:
        yield from _remark("help", item.help, gutter, prose)


def _accent(severity: Severity) -> Style:
    match severity:
        case Severity.ERROR:
            return Style.ERROR
        case Severity.WARNING:
            return Style.WARNING
        case _:
            assert_never(severity)


def _by_file(labels: Sequence[Label]) -> dict[str, list[Label]]:
    groups: dict[str, list[Label]] = {}
    for label in labels:
        groups.setdefault(label.span.file, []).append(label)
    return groups


def _gutter(groups: dict[str, list[Label]], sources: SourceMap) -> int:
    """The width of the longest line number of a diagnostic, so that its excerpts line up."""
    most = 1
    for file, labels in groups.items():
        source = sources.get(file)
        if source is not None:
            most = max(most, last_line(source, labels))
    return len(str(most))


def _place(
    file: str,
    labels: list[Label],
    sources: SourceMap,
    gutter: int,
    width: int,
    accent: Style,
) -> Iterator[list[Piece]]:
    """The line that names a position, and the excerpt of that file."""
    head: Piece = (f"{'':{gutter}}--> ", Style.GUTTER)
    source = sources.get(file)
    if source is not None:
        at = source.position(labels[0].span.start)
        yield [head, (f"{safe(file)}:{at.line}:{at.column}", Style.PLAIN)]
        yield from excerpt(source, labels, gutter=gutter, width=width, accent=accent)
        return
    yield [head, (safe(file), Style.PLAIN)]
    for label in labels:
        for line in wrap(label.text, width - gutter - 3) if label.text else ():
            yield [(f"{'':{gutter}} | ", Style.GUTTER), (line, Style.PLAIN)]


def _remark(kind: str, text: str, gutter: int, width: int) -> Iterator[list[Piece]]:
    """A `= note:` or `= help:` with the lines of *text* under one another."""
    head = f"{'':{gutter}} = "
    indent = len(head) + len(kind) + 2
    first, *rest = wrap(text, max(width - indent, _LEAST_WIDTH // 2))
    yield [(head, Style.GUTTER), (kind, Style.TITLE), (f": {first}", Style.PLAIN)]
    for line in rest:
        yield [(" " * indent + line, Style.PLAIN)]
