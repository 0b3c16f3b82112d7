"""Tables in Markdown: the one place that knows how they are written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

_MARKED = re.compile(r"(<!-- measured: ([\w-]+) -->\n)(?:.*?\n)??(<!-- end -->)", re.DOTALL)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], words: int = 1) -> str:
    """The first columns, as many as *words*, are text, the others are numbers."""
    rules = ["---"] * words + ["---:"] * (len(head) - words)
    return "\n".join(map(_line, (head, rules, *rows)))


def _line(cells: Sequence[str]) -> str:
    inner = " | ".join(cell.replace("|", "\\|") for cell in cells)
    return "".join(("| ", inner, " |"))


def paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in parts if part)


def strong(text: str) -> str:
    return "".join(("**", text, "**"))


def replaced(document: str, parts: Mapping[str, str]) -> str:
    """*document* with each part that is marked `measured: NAME` in its place."""

    def part(found: re.Match[str]) -> str:
        return "".join((found[1], parts[found[2]], "\n", found[3]))

    return _MARKED.sub(part, document)


def names(document: str) -> set[str]:
    """The parts that *document* shows."""
    return {found[2] for found in _MARKED.finditer(document)}
