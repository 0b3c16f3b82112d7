"""The questions of `tvarc init` at a terminal, as a person sees and answers them."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.command import ROOT
from support.families import family, put

INTERRUPT = "^C"


def talk(folder: Path, answers: Sequence[str], *words: str) -> tuple[int, str]:
    """The exit code, and what the terminal shows where each question gets the next of *answers*;
    the end of the input after the last."""
    above, below = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tvarc", "init", *words], cwd=folder, stdin=below, stdout=below,
        stderr=below, env={**os.environ, "PYTHONPATH": str(ROOT / "compiler"), "NO_COLOR": "1"},
    )  # fmt: skip
    os.close(below)
    shown, left, asked, answer = b"", list(answers), 0, ""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        if not select.select([above], [], [], 1)[0]:
            # One that comes just before Python begins to wait for a line is seen after that.
            if answer == INTERRUPT:
                process.send_signal(signal.SIGINT)
            continue
        try:
            more = os.read(above, 1 << 16)
        except OSError:  # the other side is closed
            break
        if not more:
            break
        shown += more
        if shown.count(b"]: ") > asked and shown.endswith(b"]: "):
            asked = shown.count(b"]: ")
            answer = left.pop(0) if left else "\x04"
            if answer == INTERRUPT:
                process.send_signal(signal.SIGINT)
            else:
                os.write(above, answer.encode() + (b"" if answer == "\x04" else b"\n"))
    os.close(above)
    code = process.wait(60)
    return code, shown.decode("utf-8", "replace").replace("\r\n", "\n")


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_the_dialogue_is_that_of_the_tutorial(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    block = re.search(r"```text\n\$ tvarc init --tvarc \S+\n(.*?)```", text, re.DOTALL)
    assert block is not None
    code, shown = talk(tmp_path, ["1", "y"], "--tvarc", f"github:example/tvarc/{'a' * 40}")
    assert code == 0
    assert shown == block[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "title"),
    [
        (["", ""], "# A package of nixpkgs"),
        (["2", "yes"], "# PyTorch"),
        (["python-set", "Y"], "# A Python"),
        (["from", ""], "# A package described from"),
        (["7", "p", "", ""], "# A package of nixpkgs"),
    ],
)
def test_answers(answers: list[str], title: str, tmp_path: Path) -> None:
    code, shown = talk(tmp_path, answers)
    assert code == 0, shown
    assert (tmp_path / "variants.tvar").read_text(encoding="utf-8").startswith(title)
    assert shown.count("is not one of these") == len(answers) - 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answers", "code"),
    [
        ([INTERRUPT], 130),
        (["torch", INTERRUPT], 130),
        ([], 130),
        (["torch"], 130),
        (["1", "n"], 1),
        (["1", "what", "no"], 1),
    ],
)
def test_nothing_is_written_without_a_yes(answers: list[str], code: int, tmp_path: Path) -> None:
    ended, shown = talk(tmp_path, answers, "new")
    assert ended == code, shown
    assert shown.endswith("nothing was written\n") and "Traceback" not in shown
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_with_a_template_nothing_is_asked(tmp_path: Path) -> None:
    code, shown = talk(tmp_path, [], "--template", "torch")
    assert code == 0 and "]: " not in shown
    assert "variants.tvar" in names(tmp_path)


@pytest.mark.slow
def test_what_is_no_text_is_no_answer(tmp_path: Path) -> None:
    code, shown = talk(tmp_path, ["\udcff".encode("utf-8", "surrogateescape").decode("latin-1")])
    assert code == 130 and "is not one of these" in shown


@pytest.mark.slow
def test_recipes_are_imported_if_that_is_wanted(tmp_path: Path) -> None:
    put(tmp_path, family("chain"))
    code, shown = talk(tmp_path, ["y"])
    assert code == 0, shown
    assert "There are 12 recipes in `pkgs`. Import them? [Y/n]: " in shown
    assert "12 files in pkgs: 12 imported" in shown
    # After a second the progress is shown, and erased at the end.
    assert " ".join(shown.replace("\r\x1b[K", " ").split()).endswith(
        "next: `tvarc audit` compares the recipes with the program, `tvarc build --adopt` replaces "
        "them"
    )
    assert "Imported by tvarc" in (tmp_path / "variants.tvar").read_text(encoding="utf-8")
    assert not (tmp_path / ".gitignore").exists()


@pytest.mark.slow
def test_recipes_of_this_folder_become_a_program_beside_it(tmp_path: Path) -> None:
    pkgs = put(tmp_path, family("chain"))
    before = names(pkgs)
    code, shown = talk(pkgs, [""])
    assert code == 0, shown
    assert "../variants.tvar: written" in shown
    assert names(pkgs) == before and (tmp_path / "variants.tvar").is_file()


@pytest.mark.slow
def test_recipes_are_left_if_that_is_wanted(tmp_path: Path) -> None:
    put(tmp_path, family("chain"))
    code, shown = talk(tmp_path, ["n", "package", ""])
    assert code == 0, shown
    assert (tmp_path / "variants.tvar").read_text(encoding="utf-8").startswith("# A package")


def test_a_dry_run_asks_for_the_template_alone(tmp_path: Path) -> None:
    code, shown = talk(tmp_path, ["torch"], "--dry-run")
    assert code == 0 and "variants.tvar: would be written" in shown
    assert not names(tmp_path)
