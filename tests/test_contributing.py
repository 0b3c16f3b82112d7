"""The recipes of CONTRIBUTING.md: each diff applies, and the commands below it pass."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.compile import ROOT

PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = ("Add a setting", "Add a lint", "Add a command")
PYTEST = re.compile(r"^(UPDATE_DOCS=1 )?\.venv/bin/pytest (.*?)(?:  +#.*)?$", re.MULTILINE)
IGNORED = shutil.ignore_patterns(".git", ".venv", ".*_cache", "*.egg-info", "node_modules")


def ignored(folder: str, names: list[str]) -> set[str]:
    """What a fresh clone does not have. Compiled modules are kept, since to compile them all again
    would be half of the test."""
    return IGNORED(folder, names) | ({"build"} if Path(folder) == ROOT else set())


def blocks(recipe: str, language: str) -> list[str]:
    section = PAGE.partition(f"\n## {recipe}\n")[2].partition("\n## ")[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.mark.slow(seconds=30)
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_works(recipe: str, tmp_path: Path) -> None:
    copy = tmp_path / "tvarc"
    shutil.copytree(ROOT, copy, ignore=ignored, symlinks=True)
    changes = "".join(blocks(recipe, "diff"))
    applied = subprocess.run(
        ["git", "apply", "-"],
        cwd=copy,
        input=changes.encode(),
        capture_output=True,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": str(tmp_path)},
        check=False,
    )
    assert applied.returncode == 0, applied.stderr.decode()
    commands = [found for text in blocks(recipe, "sh") for found in commands_of(text)]
    assert commands
    for update, words in commands:
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *split(words)],
            cwd=copy,
            env=environment(copy, update=bool(update)),
            capture_output=True,
            text=True,
            check=False,
        )
        assert ran.returncode == 0, f"{words}\n{ran.stdout[-4000:]}{ran.stderr[-2000:]}"


def commands_of(text: str) -> list[tuple[str, str]]:
    """The calls of pytest in *text*: whether documents are updated, and the words."""
    return PYTEST.findall(text.replace("\\\n", ""))


def split(words: str) -> list[str]:
    """The words of a line of the shell that quotes with `"` alone."""
    return [quoted or plain for quoted, plain in re.findall(r'"([^"]*)"|(\S+)', words)]


def environment(copy: Path, *, update: bool) -> dict[str, str]:
    """For the tests of *copy*, by themselves: not slow ones, and not one of several processes."""
    dropped = ("CI", "UPDATE_DOCS")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name not in dropped and not name.startswith("PYTEST_")
    }
    return {
        **kept,
        **({"UPDATE_DOCS": "1"} if update else {}),
        "PYTHONPATH": str(copy / "compiler"),
    }
