"""The warnings of a build that changed nothing, as data: kept with its record and reported again.

They are kept as data, never as text: the terminal, its width and the format may differ the next
time. An excerpt is taken from the source, which is unchanged.
"""

from __future__ import annotations

from tvarc.files.cache import Damaged
from tvarc.files.disk import DiskLoader, Seen
from tvarc.files.resources import stdlib_dir
from tvarc.light import Any, Sequence
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.source import SourceMap, Span, UnreadableSource


def written(warnings: Sequence[Diagnostic], seen: Seen) -> list[object] | None:
    """*warnings* as plain data, in the order of the report; None if one cannot be reported again:
    it is an error, or is about a text that no file has."""
    found: list[object] = []
    for one in warnings:
        known = all(_readable(label.span.file, seen) for label in one.labels)
        if one.severity is not Severity.WARNING or not known:
            return None
        labels = [
            (label.span.file, label.span.start, label.span.end, label.text, label.primary)
            for label in one.labels
        ]
        found.append((one.code, one.title, labels, one.notes, one.help, one.name))
    return found


def _readable(file: str, seen: Seen) -> bool:
    return file.startswith("std/") or bool(seen.texts.get(file))


def read(data: Any) -> list[Diagnostic]:
    """The warnings that `written` was given."""
    warnings: list[Diagnostic] = []
    for code, title, places, notes, help, name in data:
        labels = tuple(
            [
                Label(Span(file, start, end), text, primary)
                for file, start, end, text, primary in places
            ]
        )
        warnings.append(Diagnostic(code, title, labels, notes, help, Severity.WARNING, name))
    return warnings


def sources_of(warnings: Sequence[Diagnostic]) -> SourceMap:
    """The sources that *warnings* are about; raises Damaged where one is not there any more."""
    loader, sources = DiskLoader(stdlib_dir()), SourceMap()
    try:
        for file in {label.span.file: None for one in warnings for label in one.labels}:
            sources.add(loader.read(file))
    except UnreadableSource as fault:
        raise Damaged from fault
    return sources
