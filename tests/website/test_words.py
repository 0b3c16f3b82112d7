"""The list of words that documents and messages do not use: `.ci/prose`, which needs Node."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
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


@pytest.mark.slow
def test_the_list_compiles_and_its_sentences_hold(node: dict[str, str]) -> None:
    done = read(WORDS, node)
    assert done.returncode == 0, done.stderr
    specs = json.loads(done.stdout)
    text = WORDS.read_text(encoding="utf-8")
    assert len(specs) == text.count("- pattern:")
    assert sum(specs) == text.count("{ from:") > 0


@pytest.mark.slow
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


PAGES = {
    "plain": ("The lock file is in the same folder.", []),
    "words": ("Beside it stands the lock, made anew.", ["stands => is", "anew => again"]),
    "string": ("Write a text in quotes; it must be text.", ["a string", "must be a string"]),
    "text": ("Nix text is a text file of plain text, and the text may end.", []),
    "long": (f"It is {'very ' * 40}long.", ["sentence length"]),
}


def check(node: dict[str, str], *pages: Path) -> subprocess.CompletedProcess[str]:
    command = [str(PROSE / "check"), *map(str, pages)]
    return subprocess.run(command, env=node, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_document_is_checked(node: dict[str, str], tmp_path: Path) -> None:
    """A page with faults does not hide those of another, and one without faults has none."""
    for name, (sentence, _) in PAGES.items():
        (tmp_path / f"{name}.md").write_text(f"# Page\n\n{sentence}\n", encoding="utf-8")
    done = check(node, *(tmp_path / f"{name}.md" for name in PAGES))
    assert done.returncode == 1, done.stdout + done.stderr
    for name, (_, faults) in PAGES.items():
        said = "".join(line for line in done.stdout.splitlines() if f"/{name}.md:" in line)
        assert bool(said) is bool(faults), (name, said)
        assert all(fault in said for fault in faults), (name, said)


def descriptions(part: object) -> Iterator[str]:
    """The descriptions within *part* of a schema."""
    if isinstance(part, dict):
        words = part.get("description")
        if isinstance(words, str):
            yield words
        part = list(part.values())
    if isinstance(part, list):
        for one in part:
            yield from descriptions(one)


@pytest.mark.slow
def test_schemas_are_in_plain_english(node: dict[str, str], tmp_path: Path) -> None:
    found = [
        words
        for file in sorted((ROOT / "docs" / "schema").glob("*.json"))
        for words in descriptions(json.loads(file.read_text(encoding="utf-8")))
    ]
    assert len(found) > 200
    page = tmp_path / "page.md"
    page.write_text("\n\n".join(dict.fromkeys(found)), encoding="utf-8")
    done = check(node, page)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_style_sheet_has_twenty_pairs() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text.partition("| Not this | This |\n|---|---|\n")[2].partition("\n\n")[0]
    pairs = [line.split(" | ") for line in table.splitlines()]
    assert len(pairs) >= 20 and {len(pair) for pair in pairs} == {2}


def test_the_readme_is_two_screens_of_prose() -> None:
    """Two screens of about fifty lines, without programs, outputs, tables and pictures."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    lines = [line for line in prose.splitlines() if line.strip() and line[0] not in "|<!["]
    assert len(lines) <= 100 and sum(len(line.split()) for line in lines) <= 1000
