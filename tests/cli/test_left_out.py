"""`.tvarc-ignore` and `--exclude`: what commands leave out that look into folders by themselves."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path

import pytest

from support.command import tvarc
from support.effort import sampled
from tvarc.commands.line import exits
from tvarc.commands.programs.below import IGNORE_FILE, LeftOut, sources_below
from tvarc.text.diagnostics.model import Sink

PROGRAM = """\
recipe hello {
  package = pkgs.hello
  pin     = none
}

variant one { recipe = hello }

output nix { file = "pkgs/{{variant}}.nix" }
"""
PLACES = ("", "app/", "app/tests/", "tests/", "tests/deep/")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for place in PLACES:
        (tmp_path / place).mkdir(exist_ok=True)
        (tmp_path / place / "variants.tvar").write_text(PROGRAM, encoding="utf-8")
    return tmp_path


def ignore(text: str, folder: str = ".") -> None:
    Path(folder, IGNORE_FILE).write_text(text, encoding="utf-8")


def found(*words: str, exclude: tuple[str, ...] = ()) -> list[str]:
    """The folders of the programs that `list --all` finds."""
    options = [word for one in exclude for word in ("--exclude", one)]
    done = tvarc("list", "--all", "--json", *words, *options, code=exits.OK)
    return [one["program"].removesuffix("variants.tvar") for one in json.loads(done.stdout)]


# --- which ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("patterns", "left"),
    [
        ("", PLACES),
        ("# /tests/\n", PLACES),
        ("/tests/\n", ("", "app/", "app/tests/")),
        ("tests/\n", ("", "app/")),
        ("tests\n!/tests\n", ("", "app/", "tests/", "tests/deep/")),
        ("/tests/**/deep\n", ("", "app/", "app/tests/", "tests/")),
        ("*.tvar\n!/variants.tvar\n", ("",)),
    ],
)
def test_patterns_are_those_of_git(patterns: str, left: tuple[str, ...]) -> None:
    ignore(patterns)
    assert found() == [*left]


def test_a_file_counts_for_its_folder_and_the_deepest_wins() -> None:
    ignore("/tests/\n", "app")
    assert found() == ["", "app/", "tests/", "tests/deep/"]
    ignore("tests/\n")
    ignore("!tests/\n", "app")
    assert found() == ["", "app/", "app/tests/"]


def test_the_files_above_count_from_the_top_of_the_repository_on(here: Path) -> None:
    ignore("tests/\n")
    assert found("app/") == ["app/", "app/tests/"]  # nobody says that this belongs together
    (here / ".git").mkdir()
    assert found("app/") == ["app/"]


def test_what_is_named_is_meant(here: Path) -> None:
    (here / ".git").mkdir()
    ignore("tests/\n")
    assert found("tests/") == ["tests/", "tests/deep/"]
    done = tvarc("fmt", "--check", "tests/variants.tvar")
    assert done.stdout == "1 file: already formatted\n"


def test_exclude_wins_over_files(monkeypatch: pytest.MonkeyPatch) -> None:
    ignore("!/tests/\n")
    assert found(exclude=("/tests/",)) == ["", "app/", "app/tests/"]
    ignore("/tests/\n")
    assert found(exclude=("!/tests/",)) == [*PLACES]
    monkeypatch.chdir("app")
    assert found("..", exclude=("/tests/",)) == ["../", "../app/"]


CASES = 60


@pytest.mark.parametrize("seed", sampled(range(CASES), ci=6))
def test_git_itself_leaves_out_the_same(here: Path, seed: int) -> None:
    """The same patterns in a `.gitignore`, and git as judge."""
    chosen = random.Random(seed)
    steps = (
        "app", "tests", "deep", "*", "**", "t*", "variants.tvar", "*.tvar", "[ad]*", "?[!x]*",
        "a\\pp",
    )  # fmt: skip
    for place in ("", "app/"):
        lines = []
        for _ in range(chosen.randint(0, 4)):
            pattern = "/".join(chosen.choice(steps) for _ in range(chosen.randint(1, 3)))
            lead, end = chosen.choice(("", "", "/")), chosen.choice(("", "", "/"))
            lines.append(chosen.choice(("", "", "!")) + lead + pattern + end)
        for name in (IGNORE_FILE, ".gitignore"):
            Path(place, name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    subprocess.run(["git", "init", "-q"], check=True)
    words = ["git", "ls-files", "--others", "--exclude-standard", "--", "*.tvar"]
    listed = subprocess.run(words, check=True, capture_output=True, text=True).stdout.split()
    sink = Sink()
    kept = sources_below(".", lambda one: one.name.endswith(".tvar"), LeftOut(), sink)
    assert sorted(map(os.path.normpath, kept)) == sorted(listed)
    assert not sink.has_errors


# --- what is told ---------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [("check",), ("build",), ("list",)])
def test_how_many_are_told_once(command: tuple[str, ...]) -> None:
    ignore("/tests/\n")
    done = tvarc(*command, "--all", "--exclude", "/app/tests/", code=exits.OK)
    assert done.stderr.endswith("3 programs left out by .tvarc-ignore and --exclude\n")
    assert done.output.count("left out") == 1
    assert "left out" not in tvarc(*command, "app/").output


def test_the_formatter_tells_it_in_its_line() -> None:
    ignore("/tests/\n")
    assert tvarc("fmt", "--check", ".").stdout == (
        "3 files: already formatted, 2 files left out by .tvarc-ignore\n"
    )
    Path("variants.tvar").write_text(PROGRAM.replace("  ", "   "), encoding="utf-8")
    done = tvarc("fmt", "--check", ".", code=exits.STALE)
    assert done.stderr.endswith("2 files left out by .tvarc-ignore\n")


def test_all_of_them_left_out() -> None:
    ignore("*\n")
    done = tvarc("build", "--all", code=exits.FAILED)
    assert "error[E908]" in done.stderr
    assert "= note: 5 programs left out by .tvarc-ignore" in done.stderr
    done = tvarc("fmt", ".", code=exits.FAILED)
    assert "= note: 5 files left out by .tvarc-ignore" in done.stderr


# --- what is wrong --------------------------------------------------------------------------------


def test_what_is_no_pattern() -> None:
    """Git would pass over it in silence: [E810]."""
    ignore("tests/\na\\\n")
    for command in (("fmt", "."), ("check", "--all")):
        done = tvarc(*command, code=exits.FAILED)
        assert "error[E810]: `a\\` is not a valid pattern\n" in done.stderr
        assert f"= note: it is in `./{IGNORE_FILE}`" in done.stderr
    Path(IGNORE_FILE).unlink()
    done = tvarc("fmt", ".", "--exclude", "a\\")
    assert "= note: it is given to `--exclude`" in done.stderr


def test_patterns_that_cannot_be_read() -> None:
    Path(IGNORE_FILE).write_bytes(b"\xff")
    done = tvarc("fmt", ".", code=exits.FAILED)
    assert f"error[E107]: cannot read `./{IGNORE_FILE}`" in done.stderr


def test_a_pipe_in_its_place_is_not_waited_for() -> None:
    os.mkfifo(IGNORE_FILE)
    assert "error[E106]" in tvarc("fmt", ".").stderr


@pytest.mark.parametrize("command", [("check",), ("build", "app/"), ("list", "app/", "tests/")])
def test_it_goes_with_all(command: tuple[str, ...]) -> None:
    done = tvarc(*command, "--exclude", "x", code=exits.USAGE)
    assert "--all" in done.stderr


def test_a_byte_order_mark_is_no_part_of_a_pattern() -> None:
    ignore("\ufeff/tests/\n")
    assert found() == ["", "app/", "app/tests/"]
