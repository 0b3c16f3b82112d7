"""Renders diagnostics as workflow commands, which GitHub shows beside the lines of a change."""

from __future__ import annotations

from tvarc.diagnostics.model import Diagnostic
from tvarc.diagnostics.registry import CODES
from tvarc.diagnostics.render_cells import safe
from tvarc.light import Iterator, Sequence
from tvarc.source import SourceMap


def render_github(diagnostics: Sequence[Diagnostic], sources: SourceMap) -> str:
    """One line a diagnostic, placed at its first label; the other labels are told in words."""
    return "".join(f"{_command(item, sources)}\n" for item in diagnostics)


def _command(item: Diagnostic, sources: SourceMap) -> str:
    properties = ",".join(f"{key}={_property(value)}" for key, value in _properties(item, sources))
    return f"::{item.severity.value} {properties}::{_data(_message(item, sources))}"


def _properties(item: Diagnostic, sources: SourceMap) -> Iterator[tuple[str, str]]:
    span = item.primary
    if span is not None:
        yield "file", span.file
        source = sources.get(span.file)
        if source is not None:
            start, end = source.position(span.start), source.position(max(span.start, span.end))
            yield "line", str(start.line)
            yield "col", str(start.column)
            yield "endLine", str(end.line)
            yield "endColumn", str(end.column)
    yield "title", f"{item.code} {item.name or CODES.get(item.code, '')}".rstrip()


def _message(item: Diagnostic, sources: SourceMap) -> str:
    lines = [item.title]
    for index, label in enumerate(item.labels):
        if not label.text:
            continue
        place = "" if index == 0 else f"{sources.locate(label.span)}: "
        lines.append(f"{place}{label.text}")
    lines.extend(f"note: {note}" for note in item.notes)
    if item.help:
        lines.append(f"help: {item.help}")
    return "\n".join(lines)


def _data(text: str) -> str:
    # The escapes leave no line end; what else could steer a terminal is made visible.
    return safe(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
