"""Manual pages, completion for shells, and what a version says that it can do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from cli.test_schemas import validator
from support.command import ROOT, spawn, tvarc
from support.services import require
from tvarc import __version__
from tvarc.commands.cli import exits
from tvarc.commands.cli.exits import MEANINGS
from tvarc.commands.report.manual import pages
from tvarc.commands.report.roff import Item, Page, Paragraph, Run, print_roff
from tvarc.commands.table import COMMANDS
from tvarc.meaning.declarations.outputs import FORMS

GROFF = shutil.which("groff")
SHELLS = {"bash": "tvarc.bash", "zsh": "_tvarc", "fish": "tvarc.fish"}


def shown(text: str) -> str:
    """A page as groff shows it, without what is bold; it must not complain."""
    require(GROFF is not None, "groff is not installed")
    command = [str(GROFF), "-man", "-Tutf8", "-ww", "-P-cbou", "-rLL=2000n"]
    done = subprocess.run(command, input=text.encode("ascii"), capture_output=True, check=True)
    assert done.stderr == b"", done.stderr.decode()
    return done.stdout.decode()


def squeezed(text: str) -> str:
    return " ".join(text.split())


def test_there_is_a_page_for_each_command() -> None:
    names = [name for name, _ in pages(MEANINGS)]
    assert names == ["tvarc.1", *(f"tvarc-{command}.1" for command in COMMANDS)]
    for name, text in pages(MEANINGS):
        command = name.removesuffix(".1").removeprefix("tvarc").removeprefix("-")
        assert tvarc("man", *([command] if command else ())).stdout == text


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_has_all_that_the_table_has(name: str) -> None:
    command = COMMANDS[name]
    text = squeezed(shown(tvarc("man", name).stdout))
    assert f"tvarc-{name} - " in text
    assert squeezed(command.help.replace("`", "")) in text
    for one in command.parameters:
        assert squeezed(f"{one.option or one.metavar} ") in text, one.name
        assert squeezed(one.help.replace("`", "")) in text, one.name
        assert not one.choices or f"The default is {one.choices[0]}." in text
        assert not one.choices or f"[{'|'.join(one.choices)}]" in text
    for code, meaning in exits.MEANINGS:
        assert f"{code} {squeezed(meaning.replace('`', ''))}" in text


def test_the_page_of_all_names_the_others() -> None:
    text = squeezed(shown(tvarc("man").stdout))
    assert f"tvarc {__version__}" in text
    for name, command in COMMANDS.items():
        assert f"tvarc-{name}(1) {squeezed(command.summary.replace('`', ''))}" in text


def test_a_command_that_there_is_not() -> None:
    done = tvarc("man", "biuld")
    assert done.exit_code == exits.USAGE
    assert "did you mean `build`?" in done.stderr


NASTY = (
    ".SH x", "'br", "\\fBx", "a\\", "--a-b", "'quoted'", "`x`", "^~", '"a" "b"', ".", "'", "\\n(.s",
    "é→…", "a b", "\\(bu", "$x", "%", "a\n.b", "\\&.x", "x\\c", "-", "\U0001f600",
)  # fmt: skip


@pytest.mark.parametrize("text", NASTY)
def test_any_text_is_read_as_it_was_meant(text: str) -> None:
    words = (Run(text), Run(text, "bold"), Run(text, "italic"))
    page = Page(text.replace("\n", " "), "x", (Paragraph((*words, Run(";"))), Item(words, words)))
    meant = squeezed(text * 3)
    found = squeezed(shown(print_roff(page)))
    assert f"{meant};" in found
    assert found.count(meant) >= 3


# --- completion -----------------------------------------------------------------------------------


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
        "text", "table", "markdown", "csv", "json", "github",
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
    done = tvarc("--json")
    assert done.exit_code == exits.USAGE
    assert "it works only with --version" in squeezed(done.stderr.replace("│", " "))
    assert re.search("Usage", tvarc().output)
