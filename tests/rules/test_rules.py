"""Each sentence of `docs/language/` has rows that show it, and each row holds."""

from __future__ import annotations

import importlib
from collections import Counter
from pathlib import Path

import pytest

from support.compile import ROOT
from support.reference import Chapter, chapters, plain
from support.rules import Row, Table, run

FOLDER = Path(__file__).parent
MODULES = sorted(path.stem for path in FOLDER.glob("chapter_*.py"))
TABLES: dict[str, tuple[Table, ...]] = {
    name: importlib.import_module(f"rules.{name}").TABLES for name in MODULES
}
ROWS = {
    f"{module.split('_')[1]}:{row.name}": row
    for module, tables in TABLES.items()
    for table in tables
    for row in table.rows()
}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS.keys())
def test_rule(row: Row) -> None:
    run(row)


# --- the tables are whole -----------------------------------------------------------------------


CHAPTERS = {chapter.heading: chapter for chapter in chapters()}
BY_HEADING = {table.heading: table for tables in TABLES.values() for table in tables}


@pytest.mark.parametrize("module", MODULES)
def test_names_are_their_own(module: str) -> None:
    names = Counter(row.name for table in TABLES[module] for row in table.rows())
    assert [name for name, count in names.items() if count > 1] == []


def test_each_heading_has_one_table() -> None:
    headings = [table.heading for tables in TABLES.values() for table in tables]
    assert headings == list(CHAPTERS), "in the order of the reference"


@pytest.mark.parametrize("heading", CHAPTERS)
def test_rules_say_what_the_reference_says(heading: str) -> None:
    """A sentence that was changed: read the rows of its rule again, then write its words there."""
    text = CHAPTERS[heading].text
    counts = {rule.says: text.count(plain(rule.says)) for rule in BY_HEADING[heading].rules}
    assert {says: count for says, count in counts.items() if count != 1} == {}


@pytest.mark.parametrize("heading", CHAPTERS)
def test_each_sentence_has_a_rule(heading: str) -> None:
    """A sentence that is new: it needs rows, or the test that holds it."""
    assert open_sentences(CHAPTERS[heading], BY_HEADING[heading]) == []


def open_sentences(chapter: Chapter, table: Table) -> list[str]:
    """The sentences of *chapter* that no rule of *table* has words of."""
    ranges = []
    for rule in table.rules:
        says = plain(rule.says)
        begin = chapter.text.find(says)
        if begin >= 0:
            ranges.append((begin, begin + len(says)))
    return [
        sentence.text
        for sentence in chapter.sentences
        if not any(begin < sentence.end and end > sentence.start for begin, end in ranges)
    ]


def test_what_is_held_elsewhere_is_there() -> None:
    named = {rule.held for table in BY_HEADING.values() for rule in table.rules if rule.held}
    missing = []
    for one in sorted(named):
        file, _, test = one.partition("::")
        path = ROOT / "tests" / file
        if not path.is_file() or (test and f"def {test}(" not in path.read_text(encoding="utf-8")):
            missing.append(one)
    assert missing == []


def test_a_sentence_without_rows_is_found() -> None:
    """What these tests of the tables go by is seen to find something."""
    (chapter,) = chapters("## A\n\nOne thing. `two` is\nanother.\n\n| a |\n|---|\n| b |\n")
    assert [one.text for one in chapter.sentences] == ["One thing.", "`two` is another.", "| b |"]
    assert open_sentences(chapter, Table("A", ())) == ["One thing.", "`two` is another.", "| b |"]
