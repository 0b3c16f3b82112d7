"""What a person sees while builds run."""

from __future__ import annotations

import re
import sys

import pytest

from tvarc.commands.line.announcer import Announcer
from tvarc.commands.line.console import Console
from tvarc.commands.line.session import Session
from tvarc.commands.realise.building import Lines, Rows, watcher
from tvarc.farm.realise.model import Build, State

A, B = (f"/nix/store/{letter * 32}-{letter}.drv" for letter in "ab")
VARIANTS = {A: ["tool-[8]"]}


def announcer(*, as_json: bool = False) -> Announcer:
    return Announcer(Session(Console(), no_cache=True), as_json=as_json)


def show(found: Lines | Rows) -> None:
    with found:
        one, other = Build(A, "ssh-ng://b1", 0.0), Build(B, "", 0.0)
        one.phase = "buildPhase"
        for build in (one, other):
            found.build(build)
        found.tick()
        one.state, one.ended = State.FAILED, 3725.0
        other.state, other.ended = State.BUILT, 65.0
        for build in (one, other):
            found.build(build)
        found.tick()


def test_lines(capsys: pytest.CaptureFixture[str]) -> None:
    found = watcher(announcer(), VARIANTS, 3)
    assert isinstance(found, Lines)
    show(found)
    assert capsys.readouterr().out.splitlines() == [
        "tool-[8]: building on ssh-ng://b1", "b: building",
        "tool-[8]: failed on ssh-ng://b1, 1 h 2 min", "b: built, 1 min 5 s",
    ]  # fmt: skip


def test_lines_go_elsewhere_where_the_result_is_json(capsys: pytest.CaptureFixture[str]) -> None:
    show(watcher(announcer(as_json=True), VARIANTS, 3))
    captured = capsys.readouterr()
    assert captured.out == "" and "b: building\n" in captured.err


def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    for stream in (sys.stdout, sys.stderr):
        monkeypatch.setattr(stream, "isatty", lambda: True)


def test_a_table_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal(monkeypatch)
    found = watcher(announcer(), VARIANTS, 3)
    assert isinstance(found, Rows)
    show(found)
    shown = capsys.readouterr().err
    for words in ("variant", "machine", "tool-[8]", "buildPhase", "ssh-ng://b1", "this machine"):
        assert words in shown
    assert "1 building, 2 to come" in shown and "1 failed, 0 building, 2 to come" in shown
    assert "tool-[8]: failed on ssh-ng://b1, 1 h 2 min" in shown
    assert "tool-[8]: building" not in shown
    assert not re.search(r"\x1b\[[0-9;]*m", shown)  # NO_COLOR is set
    after = shown.split("tool-[8]: failed on ssh-ng://b1, 1 h 2 min")[1]
    assert "tool-[8]" not in after  # no table shows a build that has ended
    assert isinstance(watcher(announcer(as_json=True), VARIANTS, 3), Lines)


def test_a_table_has_a_bold_head_where_there_are_colours(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal(monkeypatch)
    monkeypatch.delenv("NO_COLOR")
    show(watcher(announcer(), VARIANTS, 3))
    shown = capsys.readouterr().err
    assert "\x1b[1mvariant" in shown and "\x1b[2m" in shown
    assert "\x1b[3m" not in shown and ";3m" not in shown


def test_lines_where_no_table_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal(monkeypatch)
    monkeypatch.setitem(sys.modules, "rich.live", None)
    assert isinstance(watcher(announcer(), VARIANTS, 3), Lines)
