"""The reference of the language, `docs/language/`, as sentences under their headings."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from support.compile import ROOT

FOLDER = ROOT / "docs" / "language"
_LISTED = re.compile(r"^\d+\. \[[^\]]+\]\(([\w-]+\.md)\)$", re.MULTILINE)
_HEADING = re.compile(r"#+\s+(.*)")
_TARGET = re.compile(r"\]\([^)\s]+\)")
_BULLET = re.compile(r"^(?:-|\d+\.)\s+")
_COMMENT = re.compile(r"<!--.*-->")
_GENERATED = "<!-- generated from "  # before a table whose rows another test compares with code
_RULER = re.compile(r"\|[\s|:-]+\|")
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
    found: list[tuple[str, list[str]]] = []
    fence = ""
    open_paragraph = False
    generated = False
    for line in text.splitlines():
        mark = re.match(r"`{3,}", line)
        if not fence and _COMMENT.fullmatch(line):
            open_paragraph = False
            generated = line.startswith(_GENERATED)
            continue
        generated = generated and (line.startswith("|") or not line.strip())
        if generated:
            continue
        if fence or mark is not None:
            if mark is not None and (not fence or line.strip() == fence):
                fence = "" if fence else mark[0]
            open_paragraph = False
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            found.append((heading[1].strip(), []))
            open_paragraph = False
            continue
        if not found or not line.strip():
            open_paragraph = False
            continue
        blocks = found[-1][1]
        if line.startswith("|"):
            if _RULER.fullmatch(line.strip()) and blocks:
                blocks.pop()  # the head of the table
            else:
                blocks.append(plain(line))
            open_paragraph = False
        elif open_paragraph and not _BULLET.match(line.lstrip()):
            blocks[-1] = f"{blocks[-1]} {plain(line)}"
        else:
            blocks.append(plain(_BULLET.sub("", line.lstrip(), count=1)))
            open_paragraph = True
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
