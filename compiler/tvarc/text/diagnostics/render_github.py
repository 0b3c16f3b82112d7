"""Renders diagnostics as workflow commands, which GitHub shows next to the lines of a change."""

from __future__ import annotations

from tvarc.light import Callable, Iterator, Sequence
from tvarc.text.diagnostics.model import Diagnostic
from tvarc.text.diagnostics.registry import CODES
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.source import SourceMap

Naming = Callable[[str], str]


def render_github(
    diagnostics: Sequence[Diagnostic], sources: SourceMap, naming: Naming = str, more: int = 0
) -> str:
    """One line for each diagnostic, at its first label. Its other labels become text. The last line
    has the number of errors that are left out, *more*.

    *naming* takes the name of a file, and returns its path from the top of the repository. GitHub
    shows annotations next to the lines of that file.
    """
    lines = [f"{_command(item, sources, naming)}\n" for item in diagnostics]
    if more:
        errors = "error" if more == 1 else "errors"
        lines.append(f"::error title=and more::and {more:,} more {errors}\n")
    return "".join(lines)


def _command(item: Diagnostic, sources: SourceMap, naming: Naming) -> str:
    found = _properties(item, sources, naming)
    properties = ",".join(f"{key}={_property(value)}" for key, value in found)
    return f"::{item.severity.value} {properties}::{_data(_message(item, sources, naming))}"


def _properties(item: Diagnostic, sources: SourceMap, naming: Naming) -> Iterator[tuple[str, str]]:
    span = item.primary
    if span is not None:
        yield "file", naming(span.file)
        source = sources.get(span.file)
        if source is not None:
            start, end = source.position(span.start), source.position(max(span.start, span.end))
            yield "line", str(start.line)
            yield "col", str(start.column)
            yield "endLine", str(end.line)
            yield "endColumn", str(end.column)
    yield "title", f"{item.code} {item.name or CODES.get(item.code, '')}".rstrip()


def _message(item: Diagnostic, sources: SourceMap, naming: Naming) -> str:
    lines = [item.title]
    for index, label in enumerate(item.labels):
        if not label.text:
            continue
        name = label.span.file
        line = sources.locate(label.span).removeprefix(name)
        place = "" if index == 0 else f"{naming(name)}{line}: "
        lines.append(f"{place}{label.text}")
    lines.extend(f"note: {note}" for note in item.notes)
    if item.help:
        lines.append(f"help: {item.help}")
    return "\n".join(lines)


def _data(text: str) -> str:
    # The escapes leave no line end, and everything else that could steer a terminal is made
    # visible. The services of other runners search inside lines for their marks.
    text = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return safe(text.replace("##", "<U+0023>#"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
