"""Diagnostics as workflow commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.diagnostics.render_github import render_github
from tvarc.text.source import Source, SourceMap, Span


def test_command() -> None:
    files = SourceMap()
    files.add(Source("a.tvar", "let a\nlet b\n"))
    labels = (
        Label(Span("a.tvar", 10, 11), "here", primary=True),
        Label(Span("a.tvar", 0, 3), "there"),
        Label(Span("a.tvar", 0, 3)),
    )
    item = Diagnostic("E501", "values differ", labels, ("why",), "do this")
    assert render_github([item], files) == (
        "::error file=a.tvar,line=2,col=5,endLine=2,endColumn=6,title=E501 conflicting values"
        "::values differ%0Ahere%0Aa.tvar:1: there%0Anote: why%0Ahelp: do this\n"
    )


def test_without_a_place_and_with_a_file_unknown() -> None:
    warning = Diagnostic("W001", "w", severity=Severity.WARNING)
    shown = render_github([warning], SourceMap())
    assert shown == "::warning title=W001 warning from the source::w\n"
    named = Diagnostic("W001", "w", severity=Severity.WARNING, name="old-gpu")
    assert render_github([named], SourceMap()) == "::warning title=W001 old-gpu::w\n"
    gone = Diagnostic("E999", "g", (Label(Span("gone", 0, 1), primary=True),))
    assert render_github([gone], SourceMap()) == "::error file=gone,title=E999::g\n"


def test_escapes_of_data_and_properties() -> None:
    files = SourceMap()
    files.add(Source("a,b:c%\n.tvar", "x"))
    label = Label(Span("a,b:c%\n.tvar", 0, 1), primary=True)
    item = Diagnostic("E101", "50% a: b, c\r\n::error::x\x1b[0m", (label,))
    assert render_github([item], files) == (
        "::error file=a%2Cb%3Ac%25%0A.tvar,line=1,col=1,endLine=1,endColumn=2,"
        "title=E101 syntax error::50%25 a: b, c%0D%0A::error::x␛[0m\n"
    )


ANY = st.text(st.characters())


@pytest.mark.slow
@given(ANY, ANY, ANY, st.integers(-2, 50), st.integers(-2, 50))
def test_any_input_is_one_command(text: str, file: str, title: str, start: int, end: int) -> None:
    files = SourceMap()
    files.add(Source(file, text))
    label = Label(Span(file, start, end), title, primary=True)
    shown = render_github([Diagnostic("E101", title, (label,), (text,), text)], files)
    assert shown[:-1].isprintable()
    assert shown.endswith("\n")
    head = shown[len("::error ") :].split("::", 1)[0]
    assert [part.split("=")[0] for part in head.split(",")] == [
        "file",
        "line",
        "col",
        "endLine",
        "endColumn",
        "title",
    ]
    shown.encode("utf-8")
