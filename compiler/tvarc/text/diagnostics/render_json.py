"""Renders diagnostics for a program to read."""

from __future__ import annotations

import json

from tvarc.light import Sequence
from tvarc.text.diagnostics.model import Diagnostic, Label
from tvarc.text.edits import Edit
from tvarc.text.source import Source, SourceMap, Span


def render_json(diagnostics: Sequence[Diagnostic], sources: SourceMap, more: int = 0) -> str:
    """One JSON object on one line, in ASCII. Keys and diagnostics keep their order.

    Lines and columns count from 1, offsets from 0, all in code points. Ends are exclusive. They are
    null if the source is not available. `page` is the file that explains the code. `name` is the
    name of a warning that can be switched off, and null for all others. `fix` has the edits that
    remove the fault; it is null if the user has to choose. `more` is the number of errors that are
    left out, if there are any.
    """
    items = [_diagnostic(item, sources) for item in diagnostics]
    # The encoder does not escape this control character.
    data: dict[str, object] = {"diagnostics": items}
    if more:
        data["more"] = more
    return json.dumps(data).replace("\x7f", "\\u007f") + "\n"


def _diagnostic(item: Diagnostic, sources: SourceMap) -> dict[str, object]:
    return {
        "code": item.code,
        "name": item.name or None,
        "severity": item.severity.value,
        "title": item.title,
        "labels": [_label(label, sources.get(label.span.file)) for label in item.labels],
        "notes": list(item.notes),
        "help": item.help,
        "fix": _fix(item, sources) if item.edits else None,
        "page": f"docs/errors/{item.code}.md",
    }


def _fix(item: Diagnostic, sources: SourceMap) -> dict[str, object]:
    return {"title": item.fix, "edits": [_edit(edit, sources) for edit in item.edits]}


def _edit(edit: Edit, sources: SourceMap) -> dict[str, object]:
    return {**_run(edit.span, sources.get(edit.span.file)), "text": edit.text}


def _label(label: Label, source: Source | None) -> dict[str, object]:
    return {**_run(label.span, source), "text": label.text, "primary": label.primary}


def _run(span: Span, source: Source | None) -> dict[str, object]:
    return {
        "file": span.file,
        "start": _place(span.start, source),
        "end": _place(span.end, source),
    }


def _place(offset: int, source: Source | None) -> dict[str, int | None]:
    if source is None:
        return {"line": None, "column": None, "offset": offset}
    at = source.position(offset)
    return {"line": at.line, "column": at.column, "offset": offset}
