"""The list of words that documents and messages do not use: `.ci/prose`, which needs Node."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.compile import ROOT
from support.services import require

PROSE = ROOT / ".ci" / "prose"
WORDS = PROSE / "words.yml"

# prh compiles each pattern when it reads the list, and tries it on its `specs`.
_READ = """
const { fromYAMLFilePath } = require("prh");
const found = fromYAMLFilePath(process.argv[1]).rules.map((rule) => rule.specs.length);
process.stdout.write(JSON.stringify(found));
"""


@pytest.fixture(scope="module")
def node() -> dict[str, str]:
    """The environment in which Node finds textlint and the rules that it runs."""
    prefix = os.environ.get("PROSE_NODE", "")
    modules = Path(prefix).absolute() / "node_modules"
    found = bool(prefix) and (modules / "textlint").is_dir() and shutil.which("node") is not None
    require(found, "textlint is not installed: `PROSE_NODE=FOLDER .ci/prose/check` installs it")
    return {**os.environ, "NODE_PATH": str(modules), "PROSE_NODE": str(modules.parent)}


def read(words: Path, node: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = ["node", "-e", _READ, str(words)]
    return subprocess.run(command, env=node, capture_output=True, text=True, check=False)


def test_the_list_compiles_and_its_sentences_hold(node: dict[str, str]) -> None:
    done = read(WORDS, node)
    assert done.returncode == 0, done.stderr
    specs = json.loads(done.stdout)
    text = WORDS.read_text(encoding="utf-8")
    assert len(specs) == text.count("- pattern:")
    assert sum(specs) == text.count("{ from:") > 0


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('to: "It is there."', 'to: "It was there."'),
        ("pattern: /\\banew\\b/", "pattern: /\\b(anew\\b/"),
    ],
    ids=["sentence", "pattern"],
)
def test_a_wrong_list_is_refused(node: dict[str, str], tmp_path: Path, old: str, new: str) -> None:
    text = WORDS.read_text(encoding="utf-8")
    assert old in text
    wrong = tmp_path / "words.yml"
    wrong.write_text(text.replace(old, new), encoding="utf-8")
    assert read(wrong, node).returncode != 0


@pytest.mark.parametrize(
    ("sentence", "faults"),
    [
        ("The lock file is in the same folder.", []),
        ("Beside it stands the lock, made anew.", ["stands => is", "anew => again"]),
        (f"It is {'very ' * 40}long.", ["sentence length"]),
    ],
    ids=["plain", "words", "long"],
)
def test_a_document_is_checked(
    node: dict[str, str], tmp_path: Path, sentence: str, faults: list[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{sentence}\n", encoding="utf-8")
    command = [str(PROSE / "check"), str(page)]
    done = subprocess.run(command, env=node, capture_output=True, text=True, check=False)
    assert done.returncode == (1 if faults else 0), done.stdout + done.stderr
    assert all(fault in done.stdout for fault in faults), done.stdout
