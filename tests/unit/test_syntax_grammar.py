"""The grammar itself: free of conflicts, and in step with what the front end says of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import pytest

from tvarc.resources import error_page, grammar_text, stdlib_dir
from tvarc.syntax.terminals import ALWAYS, OPENERS, PUNCTUATION, RESERVED, TOP_WORDS

lark = pytest.importorskip("lark")


class _Postlex:
    always_accept: ClassVar = ALWAYS

    def process(self, stream: Iterator[object]) -> Iterator[object]:
        return stream


def test_grammar_builds_without_a_conflict() -> None:
    pytest.importorskip("interegular")
    built = lark.Lark(
        grammar_text(), parser="lalr", strict=True, start=["module", "item", "expr"],
        postlex=_Postlex(), keep_all_tokens=True, maybe_placeholders=False,
    )  # fmt: skip
    names = {terminal.name for terminal in built.terminals}
    assert set(ALWAYS) <= names
    assert {word.upper() for word in TOP_WORDS} <= names
    soft = names - set(ALWAYS) - {"CONT", "COMMENT", "BLANK"}
    assert not {name for name in soft if not name.isalpha()}, "unnamed terminals"


def test_terminal_tables_agree() -> None:
    assert set(OPENERS) <= set(PUNCTUATION)
    assert len(set(PUNCTUATION.values())) == len(PUNCTUATION)
    assert set(ALWAYS) >= RESERVED


def test_resources_are_found() -> None:
    assert "module:" in grammar_text()
    assert stdlib_dir().endswith("stdlib")
    assert error_page("../E101") is None
    assert error_page("E000") is None
