"""A command line that is read without the library means what the library reads in it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from typer.main import get_command

from support.command import ROOT, spawn
from support.effort import examples, for_each
from tvarc.commands.line.arguments import Arguments, read
from tvarc.commands.start import app as module
from tvarc.commands.start.app import app
from tvarc.commands.start.completion import Typed, offer
from tvarc.commands.table import COMMANDS

ASKED_AS = {
    "flag": "flag", "value": "text", "argument": "text", "values": "words", "arguments": "words",
}  # fmt: skip
COMPLETED = sorted({one.complete for found in COMMANDS.values() for one in found.parameters} - {""})


class Called(Exception):
    """A command was called with these values."""

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name)
        self.name = name
        self.values = values


@pytest.fixture(scope="module")
def recorded() -> Iterator[None]:
    """Commands that tell how they were called, and do nothing."""
    with pytest.MonkeyPatch.context() as patch:

        def record(given: Arguments) -> int:
            raise Called(given.command, dict(given.values))

        patch.setattr(Arguments, "run", record)
        yield


def by_library(words: list[str]) -> tuple[str, dict[str, Any]] | None:
    """The command and its values; None when the library ends otherwise."""
    try:
        module.app(words, prog_name="tvarc", standalone_mode=False)
    except Called as called:
        return called.name, called.values
    except Exception:
        return None
    return None


def plain(value: Any) -> Any:
    """*value* as a command sees it: no list is an empty list, a choice is its text."""
    if isinstance(value, list | tuple):
        return list(value) or None
    return str(value) if isinstance(value, str) else value


OPTIONS = sorted({one.option for found in COMMANDS.values() for one in found.parameters} - {""})
WORDS = st.sampled_from(
    [
        *OPTIONS, *(f"{option}=x" for option in OPTIONS), "--", "-", "-h", "--help", "--version",
        "a", "sm103", "gpu=sm103", "a b", "", "text", "json", "github", "JSON", "E501", "x.tvar",
        "--fil", "--form", "-f", "ast", "--flag=a=b", "--format=json", "--nothing", "=", "--=",
        "--install-completio", "é", "\udcff",
    ]
)  # fmt: skip
LINES = st.builds(
    lambda name, words: [name, *words],
    st.sampled_from([*COMMANDS, "nothing", "--version", ""]),
    st.lists(WORDS, max_size=5),
)


@pytest.mark.slow
@given(LINES)
@settings(
    max_examples=examples(400),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_what_is_read_is_what_the_library_reads(recorded: None, words: list[str]) -> None:
    ours = read(words)
    if ours is None:
        return
    theirs = by_library(words)
    assert theirs is not None, words
    assert ours.command == theirs[0]
    assert {name: plain(value) for name, value in ours.values.items()} == {
        name: plain(value) for name, value in theirs[1].items()
    }


ORDINARY = (
    ["build"], ["build", "a.tvar"], ["build", "--out", "d", "--only", "x", "--only=y", "a.tvar"],
    ["build", "--flag", "f=1", "--set=a.b=2", "--check", "--force", "--json", "--no-cache"],
    ["check", "--format", "github"], ["list"], ["list", "gpu=sm90", "a=1"], ["list", "--json"],
    ["explain", "sm103", "attrs.x"], ["explain", "--nix-log"],
    ["explain", "E501", "--file", "a.tvar"],
    ["pick", "--host", "h.json", "--all"], ["pick", "--describe"], ["facts"],
    ["build", "a", "b/", "--all"], ["check", "--file", "a", "--file=b", "c"], ["pick", "--file=a"],
    ["list", "a.tvar", "gpu=sm90", "--all"], ["audit", "a.tvar", "pkgs"], ["fmt", "--file", "a"],
    ["facts", "cuda", "12.8", "--json"], ["dump", "--stage", "ast", "--only", "a"],
)  # fmt: skip


@pytest.mark.parametrize("words", ORDINARY, ids=" ".join)
def test_ordinary_lines_are_read(recorded: None, words: list[str]) -> None:
    ours = read(words)
    assert ours is not None
    assert by_library(words) is not None
    test_what_is_read_is_what_the_library_reads.hypothesis.inner_test(None, words)


NOT_ORDINARY: tuple[list[str], ...] = (
    [], ["--version"], ["--help"], ["nothing"], ["build", "--help"], ["build", "-h"],
    ["build", "--nothing"], ["build", "--out"], ["build", "--out", "--json"], ["pick", "a", "b"],
    ["build", "--check=yes"], ["build", "--", "a"], ["build", "--format", "xml"],
    ["build", "--form", "json"], ["who"], ["dump"], ["facts", "a", "b", "c"],
)  # fmt: skip


@for_each("words", NOT_ORDINARY)
def test_other_lines_are_left_to_the_library(words: list[str]) -> None:
    assert read(words) is None


# --- the table ---------------------------------------------------------------------------------


def commands_of_the_library() -> dict[str, Any]:
    return get_command(app).commands  # type: ignore[attr-defined, no-any-return]


def test_the_library_has_the_commands_of_the_table() -> None:
    """In its order, with its options and its help."""
    theirs = commands_of_the_library()
    assert list(theirs) == list(COMMANDS)
    for name, command in COMMANDS.items():
        assert theirs[name].help == command.help != ""
        told = [
            (one.name, one.opts, one.help, bool(one.required), one.param_type_name)
            for one in theirs[name].params
        ]
        assert told == [
            (
                one.name,
                [*filter(None, (one.option, one.short))] if one.option else [one.name],
                one.help, one.required,
                "option" if one.option else "argument",
            )
            for one in command.parameters
        ]  # fmt: skip


@for_each("name", COMMANDS)
def test_a_command_asks_for_what_the_table_gives_it(name: str) -> None:
    """Each parameter by its name and as what it is, all of them, and nothing else."""
    command = COMMANDS[name]
    commands = ROOT / "compiler" / "tvarc" / "commands"
    folder, _, single = command.module.rpartition(".")
    own = [*(commands / folder).glob("*.py")] if folder else [commands / f"{single}.py"]
    shared = {  # what two commands share of their options: each has some of them
        commands / room / f"{module}.py"
        for one in own
        for room, module in re.findall(
            r"commands\.(\w+)\.(building|command) import", one.read_text("utf-8")
        )
    }
    kinds = {one.name: ASKED_AS[one.kind] for one in command.parameters}
    asked: set[tuple[str, str]] = set()
    line = (commands / "line" / "arguments.py", commands / "line" / "session.py")
    for one in {*own, *shared, *line}:
        asked |= {
            (how, what)
            for how, what in re.findall(
                r"\b(?:(?:given|self)\.)?(flag|text|number|words|is_given)\(\s*\"(\w+)\"",
                one.read_text(encoding="utf-8"),
            )
            if one not in shared or what in kinds
        }
    common = {
        "words", "program", "file", "input", "all", "exclude", "json", "format", "no_cache",
    }  # fmt: skip
    for how, what in asked:
        assert what in kinds or what in common, what
        how = "text" if how == "number" else how
        assert how == "is_given" or kinds.get(what, how) == how, what
    # Editors add `--stdio`, which changes nothing.
    assert {what for _, what in asked} >= {*kinds} - {"stdio"}
    for parameter in command.parameters:
        assert parameter.help.endswith(".")
        assert parameter.option.startswith("--") or parameter.kind in ("argument", "arguments")


@for_each("name", COMPLETED, every=3)
def test_what_a_parameter_is_completed_by_is_known(name: str) -> None:
    words = offer(name, Typed("", (), (str(ROOT / "variants.tvar"),)))
    assert words or name in ("flags", "inputs", "job_outputs")  # this program has none


@pytest.mark.slow
def test_words_that_a_command_refuses_are_told_either_way(tmp_path: Path) -> None:
    """Read here, and where a `--` leaves the line to the library."""
    for words in (
        ["build", "--prune", "--only", "x"], ["build", "--adopt", "--force"], ["bump", "a"],
        ["lock", "--check", "--prune"], ["who", "x"], ["explain", "a.tvar"],
    ):  # fmt: skip
        assert read(words) is not None and read([*words, "--"]) is None
        told = [spawn(*words, *more, cwd=tmp_path) for more in ((), ("--",))]
        assert told[0].returncode == told[1].returncode == 2
        assert told[0].stderr == told[1].stderr != b""
