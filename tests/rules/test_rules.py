"""Each sentence of `docs/language/` has cases that show it, and each case holds."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from rules.cases import EXPECTATIONS, FOLDER, Case, Rule, rules_of, run
from support.compile import ROOT
from support.effort import all_hold, for_each
from support.reference import plain, whole

FILES = sorted(path for path in FOLDER.glob("*/*.tvar") if path.parent.name != "frames")
BY_FILE = {path: rules_of(path) for path in FILES}
RULES = [(path, rule) for path, rules in BY_FILE.items() for rule in rules]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_rule(path: Path) -> None:
    """All cases of a file."""
    all_hold(run, [case for rule in BY_FILE[path] for case in rule.cases])


# --- the reference, as sentences under its headings ---------------------------------------------

_GENERATED = "<!-- generated from "  # before a table whose rows another test compares with code
# A sentence ends with a stop, perhaps within bold or parentheses, before what begins another one.
_END = re.compile(r"(?<=[.?!])(?:\*\*|\))*\s+(?=[A-Z`*\"(\[])")


@dataclass(frozen=True)
class Sentence:
    """A sentence, or a row of a table, and where it stands in the text of its section."""

    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


@dataclass(frozen=True)
class Chapter:
    """What stands under one heading, up to the next one. Blanks and ends of lines are one blank;
    comments, examples, the heads of tables and generated tables are left out."""

    heading: str
    text: str
    sentences: tuple[Sentence, ...]


def chapters(page: str | None = None) -> tuple[Chapter, ...]:
    """All headings of the reference, or of *page*, with what stands under them."""
    text = whole() if page is None else page
    lines, tokens = text.splitlines(), MarkdownIt("commonmark").enable("table").parse(text)
    found: list[tuple[str, list[str]]] = []
    generated = False
    for before, token, after in zip([None, *tokens], tokens, [*tokens[1:], None], strict=False):
        match token.type:
            case "html_block":
                generated = token.content.startswith(_GENERATED)
            case "heading_open" if after:
                found.append((after.content, []))
                generated = False
            case "paragraph_open" if after:
                found[-1][1].append(plain(after.content))
                generated = False
            case "tr_open" if before and before.type != "thead_open" and not generated:
                assert token.map is not None
                found[-1][1].append(plain(lines[token.map[0]]))
    return tuple(_chapter(heading, blocks) for heading, blocks in found if blocks)


def _chapter(heading: str, blocks: list[str]) -> Chapter:
    sentences: list[Sentence] = []
    at = 0
    for block in blocks:
        begin = 0
        if not block.startswith("|"):
            for end in _END.finditer(block):
                sentences.append(Sentence(block[begin : end.start()], at + begin))
                begin = end.end()
        sentences.append(Sentence(block[begin:], at + begin))
        at += len(block) + 1
    return Chapter(heading, " ".join(blocks), tuple(sentences))


# --- the files are whole ------------------------------------------------------------------------


CHAPTERS = {chapter.heading: chapter for chapter in chapters()}


def under(heading: str) -> list[Rule]:
    return [rule for _, rule in RULES if rule.heading == heading]


@for_each("folder", sorted({path.parent.name for path in FILES}))
def test_names_are_their_own(folder: str) -> None:
    names = Counter(
        case.name for path, rule in RULES if path.parent.name == folder for case in rule.cases
    )
    assert [name for name, count in names.items() if count > 1] == []


def test_each_heading_has_rules() -> None:
    assert {rule.heading for _, rule in RULES} == {*CHAPTERS}


def test_a_chapter_has_one_folder() -> None:
    """The folders follow the order of the reference."""
    folders = [
        min(path.parent.name for path, rule in RULES if rule.heading == heading)
        for heading in CHAPTERS
    ]
    assert folders == sorted(folders)
    assert len({(path.parent, rule.heading) for path, rule in RULES}) == len(CHAPTERS)


@for_each("heading", CHAPTERS)
def test_rules_say_what_the_reference_says(heading: str) -> None:
    """A sentence that was changed: read the cases of its rule again, then write its words there."""
    text = CHAPTERS[heading].text
    counts = {rule.says: text.count(plain(rule.says)) for rule in under(heading)}
    assert {says: count for says, count in counts.items() if count != 1} == {}


@for_each("heading", CHAPTERS)
def test_each_sentence_has_a_rule(heading: str) -> None:
    """A sentence that is new: it needs cases, or the test that holds it."""
    assert open_sentences(CHAPTERS[heading], under(heading)) == []


def open_sentences(chapter: Chapter, rules: list[Rule]) -> list[str]:
    """The sentences of *chapter* that none of *rules* has words of."""
    ranges = []
    for rule in rules:
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
    missing = []
    for one in sorted({rule.held for _, rule in RULES if rule.held}):
        file, _, test = one.partition("::")
        path = ROOT / "tests" / file
        if not path.is_file() or (test and f"def {test}(" not in path.read_text(encoding="utf-8")):
            missing.append(one)
    assert missing == []


def test_the_example_for_contributors_is_a_rule() -> None:
    guide = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    example = guide.partition("   ```tvar\n")[2].partition("   ```\n")[0]
    rule = (FOLDER / "08-deciding" / "force-x.tvar").read_text(encoding="utf-8")
    assert example and rule.startswith(textwrap.dedent(example))


def test_a_sentence_without_cases_is_found() -> None:
    """What these tests of the files go by is seen to find something."""
    (chapter,) = chapters("## A\n\nOne thing. `two` is\nanother.\n\n| a |\n|---|\n| b |\n")
    assert [one.text for one in chapter.sentences] == ["One thing.", "`two` is another.", "| b |"]
    assert open_sentences(chapter, []) == ["One thing.", "`two` is another.", "| b |"]
    assert open_sentences(chapter, [Rule("A", "`two` is")]) == ["One thing.", "| b |"]
    (chapter,) = chapters(
        "## A\n\n<!-- generated from b -->\n\n| a |\n|---|\n| b |\n\nTwo things.\n"
    )
    assert [one.text for one in chapter.sentences] == ["Two things."]


# --- the reader ---------------------------------------------------------------------------------

WRONG = [
    ("x = 1\n", "stands before all directives"),
    ("# heading: A\n# rule: B\n# case: c\nx = 1\n", "nothing is expected of c"),
    ("# heading: A\n# rule: B\n# case: c\n# expekt: fine\n", "expekt is no directive"),
    ("# heading: A\n# rule: B\n# expect: fine\n", "`expect` belongs to no case"),
    ("# heading: A\n# rule: B\nx = 1\n", "a program follows `rule`"),
    ("# heading: A\n# rule: B\n# case: c\n# expect: fine\n# and: D\n", "`and` follows a case"),
    (
        "# heading: A\n# rule: B\n# case: c\n# expect: fine\nx = 1\n# set: x=1\ny = 1\n",
        "two programs",
    ),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_the_reader_does_not_know_is_an_error(text: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "a.tvar").write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError) as raised:
        rules_of(tmp_path / "a.tvar")
    assert words in str(raised.value)


BAD = [
    ("expect", "fine", "x = [1][7]"),
    ("expect", "attrs.x is 2", "x = n"),
    ("expect", "attrs.x", "x = n"),
    ("expect-each", "attrs.x is 1, then 1", "x = n"),
    ("expect-each", "attrs.x is 1", "x = n"),
    ("expect-matrix", "m: attrs.x is 1", "x = n"),
    ("expect-variants", "v2, v1", "x = n"),
    ("expect-files", "v1.nix", "x = n"),
    ("expect-text", "y = 1;", "x = n"),
    ("expect-no-text", "x = 1;", "x = n"),
    ("expect-error", "E305", "x = n"),
    ("expect-error", "E301", "x = [1][7]"),
    ("expect-error", "E305 at 8", "x = [1][7]"),
    ("expect-message", "E305 nothing of this", "x = [1][7]"),
    ("expect-lints", "moving-alias", "x = n"),
    ("expect-lints-after-error", "moving-alias", "x = n"),
    ("expect-selected", "v2", "x = n"),
]


@for_each("kind, text, items", BAD)
def test_what_is_not_so_is_an_error(kind: str, text: str, items: str) -> None:
    case = Case("c", "attrs", {"here": items}, expected=[(kind, text)], selector="n=1")
    with pytest.raises(AssertionError):
        run(case)


def test_each_expectation_can_fail() -> None:
    assert {kind for kind, _, _ in BAD} == {*EXPECTATIONS}
