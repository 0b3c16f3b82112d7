"""Pages that follow from tables are what the tables say. UPDATE_DOCS=1 in the environment rewrites
them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from typing import Final

from support.compile import ROOT
from tvarc.commands.line.exits import MEANINGS
from tvarc.commands.shown.markdown import (
    Block,
    Code,
    Heading,
    Line,
    Link,
    Paragraph,
    Table,
    Text,
    print_markdown,
    prose,
)
from tvarc.commands.table import ABOUT, COMMANDS, Command, Parameter
from tvarc.commands.table import ROOT as OPTIONS
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.registry import CODES, GROUPS, group_of, groups
from tvarc.text.diagnostics.warning_names import FINDINGS, JUDGED

# --- the pages: one for each command, and the list of all diagnostics -----------------------------

INDEX: Final = "README.md"
"""The page that lists the others of its folder, as services that show repositories call it."""


def diagnostics_page() -> str:
    """The list of all diagnostics, by subject."""
    names = {code: name for name, code in (*LINTS.items(), *JUDGED.items())} | FINDINGS
    blocks: list[Block] = [
        Heading(1, (Text("Errors and warnings"),)),
        Paragraph(
            prose(
                "Each message has a code. Its page says what it means, why, and what to write "
                "instead; `tvarc explain CODE` prints it. A warning with a name can be switched "
                'off in a program: `warn NAME = off because "…"`.'
            )
        ),
    ]
    for title, codes in groups().items():
        named = any(code in names for code in codes)
        head = ("Code", "What it says", *(["Name"] if named else []))
        rows = [
            (
                (Link(code, f"{code}.md"),),
                prose(CODES[code]),
                *([_name(names.get(code, ""))] if named else []),
            )
            for code in codes
        ]
        blocks.append(Heading(2, (Text(title),)))
        blocks.append(Table(tuple(map(prose, head)), tuple(rows)))
    return print_markdown(blocks)


def command_pages(exits: Sequence[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    """The name of the file of each page on the commands, and its text; *exits* are the exit codes
    with their meanings."""
    yield INDEX, print_markdown(_commands(exits))
    for name, command in COMMANDS.items():
        yield f"{name}.md", print_markdown(_command(name, command))


def _commands(exits: Sequence[tuple[int, str]]) -> Iterator[Block]:
    yield Heading(1, (Text("Commands"),))
    yield Paragraph(prose(ABOUT))
    rows = [((Link(name, f"{name}.md"),), prose(one.summary)) for name, one in COMMANDS.items()]
    yield Table((prose("Command"), prose("What it does")), tuple(rows))
    yield Heading(2, (Text("Options of tvarc itself"),))
    options = [((Code(option),), prose(text)) for option, text in OPTIONS.items()]
    yield Table((prose("Option"), prose("What it does")), tuple(options))
    yield Heading(2, (Text("Exit codes"),))
    codes = [(prose(str(code)), prose(meaning)) for code, meaning in exits]
    yield Table((prose("Exit code"), prose("Meaning")), tuple(codes))


def _command(name: str, one: Command) -> Iterator[Block]:
    words = [each for each in one.parameters if not each.option]
    options = [each for each in one.parameters if each.option]
    yield Heading(1, (Text(f"tvarc {name}"),))
    yield Paragraph(prose(one.help))
    line = " ".join(["tvarc", name, "[OPTIONS]", *[each.metavar for each in words]])
    yield Paragraph((Code(line),))
    if words:
        rows = [((Code(each.metavar),), prose(each.help)) for each in words]
        yield Heading(2, (Text("Arguments"),))
        yield Table((prose("Argument"), prose("Meaning")), tuple(rows))
    yield Heading(2, (Text("Options"),))
    shown = [(_spelt(each), prose(each.meaning)) for each in options]
    yield Table((prose("Option"), prose("Meaning")), tuple(shown))
    exits: Line = (Text("All commands and their "), Link("exit codes", f"{INDEX}#exit-codes"))
    yield Paragraph((*exits, Text(".")))


def _spelt(one: Parameter) -> Line:
    value = one.metavar or "|".join(one.choices)
    long = f"{one.option} {value}".rstrip()
    return (Code(one.short), Text(", "), Code(long)) if one.short else (Code(long),)


def _name(name: str) -> Line:
    return (Code(name),) if name else ()


# --- the tests ------------------------------------------------------------------------------------

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
