"""Completion for shells, and what a version says that it can do."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest

from cli.test_schemas import validator
from support.command import ROOT, spawn, tvarc
from tvarc import __version__
from tvarc.commands.line import exits
from tvarc.commands.table import COMMANDS
from tvarc.meaning.declarations.outputs import FORMS

SHELLS = {"bash": "tvarc.bash", "zsh": "_tvarc", "fish": "tvarc.fish"}


def squeezed(text: str) -> str:
    return " ".join(text.split())


# --- completion -----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_what_a_package_brings_is_what_the_command_prints(shell: str) -> None:
    env = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    done = spawn("--show-completion", shell, cwd=ROOT, env=env)
    text = (ROOT / "completions" / SHELLS[shell]).read_text(encoding="utf-8")
    assert done.stdout.decode() == text != ""


def test_bash_completes_by_it(project: Path) -> None:
    script = f"""
      source '{ROOT}/completions/tvarc.bash'
      tvarc() {{ :; }}
      COMP_WORDS=(tvarc ex) COMP_CWORD=1
      complete -p tvarc
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert "-F _tvarc_completion tvarc" in done.stdout


# --- what a version can do ------------------------------------------------------------------------


def test_the_version_as_data() -> None:
    for words in (("--version", "--json"), ("--json", "--version")):
        data = json.loads(tvarc(*words).stdout)
        validator("version").validate(data)
    assert data["version"] == __version__
    assert data["language"] == 1
    assert data["outputs"] == [*FORMS]
    assert data["commands"].keys() == COMMANDS.keys()
    assert data["commands"]["list"]["--format"] == [
        "text", "markdown", "csv", "github",
    ]  # fmt: skip
    assert data["commands"]["build"]["--out"] is None


def test_a_program_in_the_language_that_it_names(project: Path) -> None:
    """The number is one that the compiler takes, and the next is not."""
    number = json.loads(tvarc("--version", "--json").stdout)["language"]
    text = (project / "variants.tvar").read_text(encoding="utf-8")
    for written, code in ((number, exits.OK), (number + 1, exits.FAILED)):
        (project / "variants.tvar").write_text(f"language {written}\n{text}", encoding="utf-8")
        assert tvarc("check").exit_code == code


def test_json_alone_is_no_command() -> None:
    done = tvarc("--json", code=exits.USAGE)
    assert "it works only with --version" in squeezed(done.stderr.replace("│", " "))
    assert re.search("Usage", tvarc().output)
