"""The pages of the reference of the language, `docs/language/`."""

from __future__ import annotations

import re
from pathlib import Path

from support.compile import ROOT

FOLDER = ROOT / "docs" / "language"
_LISTED = re.compile(r"^\d+\. \[[^\]]+\]\(([\w-]+\.md)\)$", re.MULTILINE)
_TARGET = re.compile(r"\]\([^)\s]+\)")


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
