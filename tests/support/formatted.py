"""Holds what a formatter promises of one text: the same program, the same comments, no change by a
second time."""

from __future__ import annotations

import re

from tvarc.syntax import ast
from tvarc.syntax.format.format import format_source, lay_out
from tvarc.syntax.format.trivia import comments_of
from tvarc.syntax.parser import parse_module, parse_trees
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source

# A carriage return that ends no line is part of the text that it stands in.
_WINDOWS = re.compile(r"(?<!\r)\r\n")


def items(text: str) -> tuple[ast.Item, ...] | None:
    sink = Sink()
    found = parse_module(Source("a.tvar", text), sink).items
    return None if sink.has_errors else found


def formatted(text: str) -> str:
    made = format_source(Source("a.tvar", text), Sink())
    assert made is not None
    return made


def comments(text: str) -> list[str]:
    return comments_of(text, parse_trees(Source("a.tvar", text)))


def holds(text: str) -> None:
    before = items(text)
    assert before is not None
    once = formatted(text)
    assert items(once) == before
    assert comments(once) == comments(text)
    assert formatted(once) == once
    assert lay_out(text, parse_trees(Source("a", text))) == once, "one round is enough"
    assert not once or (once.endswith("\n") and not once.endswith("\n\n"))
    assert not _WINDOWS.search(once)
