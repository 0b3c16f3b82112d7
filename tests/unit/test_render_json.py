"""Diagnostics for programs."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tvarc.text.diagnostics.model import Diagnostic, Label, Severity
from tvarc.text.diagnostics.render_json import render_json
from tvarc.text.source import Source, SourceMap, Span


def test_shape_and_order() -> None:
    files = SourceMap()
    files.add(Source("a.tvar", "let a\n漢 = 1\n"))
    labels = (
        Label(Span("a.tvar", 6, 7), "here", primary=True),
        Label(Span("gone.tvar", 3, 4)),
    )
    item = Diagnostic("E501", "t", labels, ("n",), "h", Severity.WARNING, "n-a-m-e")
    text = render_json([item], files)
    assert json.dumps(json.loads(text)) + "\n" == text
    assert json.loads(text) == {
        "diagnostics": [
            {
                "code": "E501",
                "name": "n-a-m-e",
                "severity": "warning",
                "title": "t",
                "labels": [
                    {
                        "file": "a.tvar",
                        "start": {"line": 2, "column": 1, "offset": 6},
                        "end": {"line": 2, "column": 2, "offset": 7},
                        "text": "here",
                        "primary": True,
                    },
                    {
                        "file": "gone.tvar",
                        "start": {"line": None, "column": None, "offset": 3},
                        "end": {"line": None, "column": None, "offset": 4},
                        "text": "",
                        "primary": False,
                    },
                ],
                "notes": ["n"],
                "help": "h",
                "fix": None,
                "page": "docs/errors/E501.md",
            }
        ]
    }
    assert list(json.loads(text)["diagnostics"][0]) == [
        "code",
        "name",
        "severity",
        "title",
        "labels",
        "notes",
        "help",
        "fix",
        "page",
    ]


def test_no_control_character_is_left_raw() -> None:
    text = render_json([Diagnostic("E101", "a\x7f\x1b")], SourceMap())
    assert text[:-1].isprintable()
    assert json.loads(text)["diagnostics"][0]["title"] == "a\x7f\x1b"
    assert json.loads(text)["diagnostics"][0]["name"] is None


def test_nothing() -> None:
    assert render_json([], SourceMap()) == '{"diagnostics": []}\n'


ANY = st.text(st.characters())


@pytest.mark.slow
@given(ANY, ANY, ANY, st.integers(-2, 50), st.integers(-2, 50))
def test_any_input_is_one_line_of_ascii(
    text: str, file: str, title: str, start: int, end: int
) -> None:
    files = SourceMap()
    files.add(Source(file, text))
    label = Label(Span(file, start, end), title, primary=True)
    shown = render_json([Diagnostic("E101", title, (label,), (text,), text)], files)
    assert shown.isascii()
    assert shown[:-1].isprintable()
    assert json.loads(shown)["diagnostics"][0]["title"] == title
