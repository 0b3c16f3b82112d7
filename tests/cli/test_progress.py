"""The progress bar: after a while, on a terminal, for a person."""

from __future__ import annotations

import sys

import pytest

from tvarc.cli import progress
from tvarc.cli.console import Console
from tvarc.diagnostics.model import Format


@pytest.fixture(autouse=True)
def no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_PATIENCE", 0.0)
    monkeypatch.setattr(progress, "_BETWEEN", 0.0)


def shown(capsys: pytest.CaptureFixture[str], format: Format = Format.TEXT) -> str:
    with progress.Progress(Console(format), 3) as bar:
        for done in range(1, 4):
            bar(done)
    captured = capsys.readouterr()
    assert captured.out == ""
    return captured.err


def test_bar_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert "recipes" in shown(capsys)
    assert shown(capsys, Format.JSON) == ""


def test_none_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys) == ""


def test_none_where_it_is_not_installed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setitem(sys.modules, "rich.progress", None)
    assert shown(capsys) == ""
