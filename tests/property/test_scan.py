"""Tokens found without `re` are those that the pattern of the parser's tables finds."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.corpus import WORDS, edited, programs
from tvarc.resources import grammar_text
from tvarc.syntax.generate import generate
from tvarc.syntax.scan import Found, scan

PATTERN = re.compile(generate(grammar_text()).pattern)
MORE = (
    '""', '""""', "{{", "}}", "}", '\\"', "\r", "because", 'because\t"', "and", "or-", "else",
    "elseé", "then", "nix", "-", "+", "!", "_", "0", "1.2-rc", "# c", "#\r\n", "\t", "\u0660",
)  # fmt: skip
TEXTS = st.lists(st.sampled_from(WORDS + MORE) | st.text(max_size=2), max_size=12).map("".join)


def token(found: Found | None) -> tuple[str | None, int, str] | None:
    return (found.lastgroup, found.end(), found[0]) if found is not None else None


def same(text: str, end: int) -> None:
    for at in range(end + 1):
        assert token(scan(text, at, end)) == token(PATTERN.match(text, at, end))


@pytest.mark.parametrize("text", programs(), ids=lambda text: f"{len(text)}")
def test_programs(text: str) -> None:
    same(text, len(text))


@given(TEXTS, st.data())
@example('nix"""""x""""""', None)
@example('"a{{b("}}", "\\"")}}}"', None)
@example("\n# c\n and", None)
@example('\n because \t"', None)
@settings(max_examples=1500, deadline=None)
def test_any_text(text: str, data: st.DataObject | None) -> None:
    same(text, len(text))
    for end in range(len(text)) if data is None else [data.draw(st.integers(0, len(text)))]:
        same(text, end)


@given(edited(2000))
@settings(max_examples=60, deadline=None)
def test_edited_programs(text: str) -> None:
    same(text, len(text))
