"""Pages that follow from tables are what the tables say. UPDATE_DOCS=1 in the environment rewrites
them."""

from __future__ import annotations

import os
import re

from support.compile import ROOT
from support.reference_pages import command_pages, diagnostics_page
from tvarc.commands.line.exits import MEANINGS
from tvarc.commands.table import COMMANDS
from tvarc.text.diagnostics.registry import CODES, GROUPS, group_of, groups

ERRORS = ROOT / "docs" / "errors"
PAGES = ROOT / "docs" / "commands"


def test_the_list_of_diagnostics_is_what_the_registry_says() -> None:
    place = ERRORS / "README.md"
    if os.environ.get("UPDATE_DOCS") == "1":
        place.write_text(diagnostics_page(), encoding="utf-8")
    assert place.read_text(encoding="utf-8") == diagnostics_page()


def test_each_code_is_in_one_group() -> None:
    assert sorted(code for codes in groups().values() for code in codes) == sorted(CODES)
    assert all(groups().values())
    linked = re.findall(r"^\| \[(\w+)\]\(\1\.md\) \|", diagnostics_page(), re.MULTILINE)
    assert sorted(linked) == sorted(CODES) == sorted(one.stem for one in ERRORS.glob("[EW]*.md"))
    assert {group_of(code) for code in CODES} == {*GROUPS.values()}


def test_each_command_has_a_page() -> None:
    made = dict(command_pages(MEANINGS))
    if os.environ.get("UPDATE_DOCS") == "1":
        PAGES.mkdir(exist_ok=True)
        for name, text in made.items():
            (PAGES / name).write_text(text, encoding="utf-8")
    assert {path.name: path.read_text(encoding="utf-8") for path in PAGES.iterdir()} == made
    assert made.keys() == {"README.md", *[f"{name}.md" for name in COMMANDS]}


def test_each_page_has_each_parameter() -> None:
    made = dict(command_pages(MEANINGS))
    for name, one in COMMANDS.items():
        for parameter in one.parameters:
            spelt = (parameter.option or parameter.metavar).replace("|", "\\|")
            assert f"`{spelt}" in made[f"{name}.md"]
