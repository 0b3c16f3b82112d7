"""The findings of an audit as diagnostics, for formats that programs read."""

# ruff: noqa: PTH118
from __future__ import annotations

import os

from tvarc.byhand.audit.advice import help_for
from tvarc.byhand.audit.result import Audit, named
from tvarc.light import Iterator
from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.source import Source, SourceMap, Span


def diagnostics_of(result: Audit, folder: str, sources: SourceMap) -> Iterator[Diagnostic]:
    """The findings in *folder* as warnings; the files that they are in join *sources*."""
    for one in result.findings:
        path = os.path.join(folder, one.file)
        text = result.texts.get(one.file)
        if text is not None and sources.get(path) is None:
            sources.add(Source(path, text))
        labels = (Label(Span(path, one.place.start, one.place.end), "", primary=True),)
        yield Diagnostic(
            one.code, f"{path}: {one.text}", labels if one.code != "W201" else (), one.notes,
            help_for(one.code, one.help, alone=result.alone), Severity.WARNING, named(one.code),
        )  # fmt: skip
