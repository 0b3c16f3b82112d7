"""A command line that is read without the library means what the library reads in it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tvarc.cli import arguments, commands
from tvarc.cli.app import app
from tvarc.cli.arguments import Commands, commands_of, read
from tvarc.packed import Damaged, pack, unpack


@cache
def known() -> Commands:
    return commands_of(app)


class Called(Exception):
    """A command was called with these values."""

    def __init__(self, name: str, values: dict[str, Any]) -> None:
        super().__init__(name)
        self.name = name
        self.values = values


@pytest.fixture(scope="module")
def recorded() -> Iterator[None]:
    """Commands that say how they were called, and do nothing."""
    with pytest.MonkeyPatch.context() as patch:
        for name, command in commands.COMMANDS.items():

            def record(*given: Any, _command: Any = command, _name: str = name) -> int:
                bound = inspect.signature(_command).bind(*given)
                raise Called(_name, dict(bound.arguments))

            patch.setattr(commands, command.__name__, record)
        yield


def by_library(words: list[str]) -> tuple[str, dict[str, Any]] | None:
    """The command and its values; None when the library ends otherwise."""
    try:
        app(words, prog_name="tvarc", standalone_mode=False)
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


OPTIONS = sorted({option for found in known().values() for one in found for option in one.options})
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
    st.sampled_from([*known(), "nothing", "--version", ""]),
    st.lists(WORDS, max_size=5),
)


@given(LINES)
@settings(
    max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_is_read_is_what_the_library_reads(recorded: None, words: list[str]) -> None:
    ours = read(words, known())
    if ours is None:
        return
    theirs = by_library(words)
    assert theirs is not None, words
    assert ours[0] == theirs[0]
    assert {name: plain(value) for name, value in ours[1].items()} == {
        name: plain(value) for name, value in theirs[1].items()
    }


ORDINARY = (
    ["build"], ["build", "a.tvar"], ["build", "--out", "d", "--only", "x", "--only=y", "a.tvar"],
    ["build", "--flag", "f=1", "--set=a.b=2", "--check", "--force", "--json", "--no-cache"],
    ["check", "--format", "github"], ["list"], ["list", "gpu=sm90", "a=1"], ["list", "--json"],
    ["explain", "sm103", "attrs.x"], ["explain", "E501", "--file", "a.tvar"],
    ["pick", "--host", "h.json", "--all"], ["pick", "--describe"], ["facts"],
    ["facts", "cuda", "12.8", "--json"], ["dump", "--stage", "ast", "--only", "a"],
)  # fmt: skip


@pytest.mark.parametrize("words", ORDINARY, ids=" ".join)
def test_ordinary_lines_are_read(recorded: None, words: list[str]) -> None:
    ours = read(words, known())
    assert ours is not None
    assert by_library(words) is not None
    test_what_is_read_is_what_the_library_reads.hypothesis.inner_test(  # type: ignore[attr-defined]
        None, words
    )


NOT_ORDINARY: tuple[list[str], ...] = (
    [], ["--version"], ["--help"], ["nothing"], ["build", "--help"], ["build", "-h"],
    ["build", "--nothing"], ["build", "--out"], ["build", "--out", "--json"], ["build", "a", "b"],
    ["build", "--check=yes"], ["build", "--", "a"], ["build", "--format", "xml"],
    ["build", "--form", "json"], ["explain"], ["dump"], ["facts", "a", "b", "c"],
)  # fmt: skip


@pytest.mark.parametrize("words", NOT_ORDINARY, ids=" ".join)
def test_other_lines_are_left_to_the_library(words: list[str]) -> None:
    assert read(words, known()) is None


def test_every_command_is_known() -> None:
    assert list(known()) == list(commands.COMMANDS)
    assert arguments._fits(known())


def test_a_table_for_other_commands_does_not_fit() -> None:
    first = next(iter(known()))
    assert not arguments._fits({"other": known()[first]})
    assert not arguments._fits({first: known()[first][1:]})


def test_the_table_comes_back() -> None:
    data = pack(*arguments._written(known()))
    assert arguments._read(*unpack(data)) == known()
    numbers, texts = unpack(data)
    for wrong in (numbers[:-1], [99, *numbers[1:]], [1, 1, 9, 0, 0, 0]):
        with pytest.raises(Damaged):
            arguments._read(wrong, texts)
