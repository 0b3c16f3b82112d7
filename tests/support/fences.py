"""The code blocks of Markdown pages.

A comment on the line before a block says what tests do with it:

    <!-- example: recipe error=E201 -->

It is no part of the block's language, since other readers of Markdown take the words after the
language for options of their own, or for no code at all.
"""

from __future__ import annotations

import re
from typing import Final

FENCE: Final = re.compile(
    r"^(?:<!-- example: (?P<words>[^\n]*?) -->\n)?```(?P<language>\w+)\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


def words_of(block: re.Match[str]) -> tuple[list[str], dict[str, str]]:
    """The words of the comment before *block*, and its `NAME=VALUE` pairs."""
    words = (block["words"] or "").split()
    pairs = dict(word.split("=", 1) for word in words if "=" in word)
    return [word for word in words if "=" not in word], pairs
