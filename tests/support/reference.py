"""The reference of the language, `docs/language/`, as sentences under their headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

from support.compile import ROOT

FOLDER = ROOT / "docs" / "language"
_LISTED = re.compile(r"^\d+\. \[[^\]]+\]\(([\w-]+\.md)\)$", re.MULTILINE)
_TARGET = re.compile(r"\]\([^)\s]+\)")
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


def plain(text: str) -> str:
    """*text* with one blank in the place of blanks and ends of lines, and without the targets of
    links."""
    return " ".join(_TARGET.sub("]", text).split())


def pages() -> tuple[Path, ...]:
    """The pages of the reference, in the order of its table of contents."""
    contents = (FOLDER / "README.md").read_text(encoding="utf-8")
    return tuple(FOLDER / name for name in _LISTED.findall(contents))


def whole() -> str:
    """All pages of the reference, one after the other."""
    return "\n".join(page.read_text(encoding="utf-8") for page in pages())


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
