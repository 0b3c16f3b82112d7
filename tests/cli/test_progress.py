"""The line that says what a command is doing: after a second, on a terminal, for a person."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from support.command import spawn, tvarc
from support.terminal import Seen, on_terminal
from tvarc.commands.line import exits
from tvarc.doing import Doing, each, innermost

LINE = "\r\x1b[K"

SLOW = """
import sys, time
from tvarc.commands.line import progress
progress.PATIENCE = {patience}
from tvarc.build import driver
from tvarc.build.diff import members
from tvarc.build.driver import Compilation

recipe = Compilation.recipe
def slow(self, variant, **how):
    time.sleep({seconds})
    return recipe(self, variant, **how)
Compilation.recipe = slow
from tvarc.commands.start.main import process
process()
"""
"""tvarc with a compiler that needs that many *seconds* for a variant."""


def slowly(
    *words: str,
    cwd: Path,
    seconds: float = 0.3,
    patience: float = 0.2,
    width: int = 80,
    env: Mapping[str, str] | None = None,
    pipe: bool = False,
) -> Seen:
    program = SLOW.format(seconds=seconds, patience=patience)
    return on_terminal(*words, cwd=cwd, program=program, width=width, env=env, pipe=pipe)


def lines(seen: Seen) -> list[str]:
    """What the line said, one after the other, without seconds."""
    found = [part for part in seen.text.split(LINE)[1:] if part and "\n" not in part]
    return [re.sub(r" \(\d+ s\)$", "", one) for one in found]


PROGRAM = """\
axis n = [1, 2, 3]
recipe r { pin = none
  package = pkgs.hello }
matrix m { recipe = r, axes = n, name = "v{{n}}" }
output o { file = "{{variant}}.nix" }
"""


@pytest.fixture
def three(here: Path) -> Path:
    """A program with three variants and nothing to lock."""
    (here / "variants.tvar").write_text(PROGRAM, encoding="utf-8")
    return here


# --- what is told ---------------------------------------------------------------------------------


def test_the_words() -> None:
    with Doing("evaluating", 12_000, "variants") as step:
        assert str(step) == "evaluating 0 of 12,000 variants"
        step(1_200)
        step.one()
        assert str(step) == "evaluating 1,201 of 12,000 variants"
        with Doing("asking Nix"):
            assert str(innermost()) == "asking Nix"
        assert innermost() is step
        step(13_000)  # some are asked twice
        assert str(step) == "evaluating 12,000 of 12,000 variants"
    assert innermost() is None
    assert str(Doing("fetching", 1, "sources")) == "fetching 0 of 1 source"


def test_each_counts_what_is_finished() -> None:
    told = [str(innermost()) for _ in each("reading", "abc", 3, "files")]
    assert told == ["reading 0 of 3 files", "reading 1 of 3 files", "reading 2 of 3 files"]
    assert innermost() is None


def test_a_work_may_end_after_the_one_around_it() -> None:
    """As that of a generator does which is left in the middle."""
    with Doing("outer"):
        left = each("inner", "abc", 3, "files")
        next(left)
        assert str(innermost()) == "inner 0 of 3 files"
    left.close()  # type: ignore[attr-defined]
    assert innermost() is None
    with Doing("outer") as outer:
        early = each("early", "abc", 3, "files")
        next(early)
        with Doing("late"):
            early.close()  # type: ignore[attr-defined]
            assert str(innermost()) == "late"
        assert innermost() is outer


# --- where it is shown ----------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120, 200])
def test_it_is_shown_and_erased(three: Path, width: int) -> None:
    seen = slowly("lock", "--check", cwd=three, width=width)
    assert seen.code == exits.OK, seen.text
    told = lines(seen)
    assert told
    whole = [f"compiling {done} of 3 variants" for done in range(4)]
    assert [one for one in told if one != "compiling variants.tvar"] == [
        one for one in whole if one in told
    ]
    assert seen.screen == ["0 sources not locked"]


@pytest.mark.slow
def test_it_fits_a_narrow_terminal(three: Path) -> None:
    """A line that wraps could not be erased."""
    seen = slowly("lock", "--check", cwd=three, width=20)
    assert "compiling 1 of 3 v…" in lines(seen)
    assert {len(one) for one in lines(seen)} == {19}
    assert seen.screen == ["0 sources not locked"]


@pytest.mark.slow
def test_not_before_a_second(three: Path) -> None:
    seen = slowly("lock", "--check", cwd=three, seconds=0.01, patience=5.0)
    assert not lines(seen)
    began = [at for at, text in slowly("lock", "--check", cwd=three, patience=0.8).pieces
             if text.startswith(LINE)]  # fmt: skip
    assert began and began[0] >= 0.8


@pytest.mark.slow
def test_errors_are_printed_below_nothing(three: Path) -> None:
    """The line is gone before a message begins."""
    with (three / "variants.tvar").open("a", encoding="utf-8") as program:
        program.write('warn idle-silence = off because "a test"\n')
    seen = slowly("lock", "--check", cwd=three)
    assert seen.code == exits.FAILED
    assert lines(seen)
    assert seen.screen[0].startswith("error[")


@pytest.mark.slow
def test_results_in_a_pipe(three: Path) -> None:
    """A person watches stderr, and a program reads the result."""
    seen = slowly("lock", "--check", "--json", cwd=three, pipe=True)
    assert lines(seen)
    assert seen.screen == []
    assert seen.piped.startswith("{") and "\x1b" not in seen.piped and "\r" not in seen.piped


@pytest.mark.slow
@pytest.mark.parametrize("env", [{"TERM": "dumb"}])
def test_none_where_a_line_cannot_be_erased(three: Path, env: dict[str, str]) -> None:
    assert not lines(slowly("lock", "--check", cwd=three, env=env))


@pytest.mark.slow
def test_none_beside_diagnostics_for_programs(three: Path) -> None:
    assert not lines(slowly("lock", "--check", "--format", "json", cwd=three))


@pytest.mark.slow
def test_none_without_a_terminal(three: Path) -> None:
    done = spawn("lock", "--check", cwd=three)
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout


def test_nothing_is_loaded_for_it_without_a_terminal(
    three: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "tvarc.commands.line.progress", raising=False)
    assert tvarc("list").exit_code == exits.OK
    assert "tvarc.commands.line.progress" not in sys.modules


@pytest.mark.slow
def test_an_interrupt_leaves_a_clean_row(three: Path) -> None:
    program = SLOW.replace("time.sleep", "stop").replace(
        "import sys, time",
        "import sys, time\ndef stop(_):\n    time.sleep(0.6)\n    raise KeyboardInterrupt\n",
    )
    seen = on_terminal(
        "lock", "--check", cwd=three, program=program.format(seconds=0, patience=0.2)
    )
    assert lines(seen)
    assert seen.code == exits.INTERRUPTED
    assert not [line for line in seen.screen if "compiling" in line]
