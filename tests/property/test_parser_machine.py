"""The machine that runs the tables against the library that made them: the same trees, the same
faults, at the same places, with the same terminals accepted."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import given, settings
from lark import Lark, TextSlice, Token, UnexpectedCharacters, UnexpectedInput
from lark.lexer import LexerState, LineCounter

from support.compile import ROOT
from support.corpus import edited, programs
from support.effort import examples
from tvarc.cache import dumped, loaded
from tvarc.resources import grammar_text
from tvarc.syntax import tables as module
from tvarc.syntax.cst import Cst, Leaf, TooDeepError
from tvarc.syntax.generate import built, generate
from tvarc.syntax.layout import TURNS, Layout
from tvarc.syntax.machine import Refused, Run, machine

Tree = tuple[object, ...]


@cache
def library() -> Lark:
    return built(grammar_text())


def plain(node: Any) -> Tree:
    """A tree of either parser as tuples of names and places."""
    if isinstance(node, Cst | Leaf):
        if isinstance(node, Leaf):
            return (node.type, node.start_pos, node.end_pos)
        return (node.rule, *map(plain, node.children))
    if isinstance(node, Token):
        return (node.type, node.start_pos, node.end_pos)
    return (str(node.data), *map(plain, node.children))


def by_library(text: str, begin: int, start: str) -> tuple[object, ...]:
    """What the library makes of *text*: tree and end, or the fault and what it accepts."""
    session = library().parse_interactive(start=start)
    counter = LineCounter("\n")  # type: ignore[no-untyped-call]
    counter.char_pos = begin
    session.lexer_thread.state = LexerState(TextSlice(text, begin, len(text)), counter)
    state, layout = session.parser_state, Layout(newline_ends=start == "item")
    before, stop = list[Token](), len(text)
    try:
        for token in session.lexer_thread.lex(state):  # type: ignore[no-untyped-call]
            leaves = cast("list[Leaf]", before)
            if token.type not in TURNS or layout.keep(cast("Leaf", token), leaves):
                state.feed_token(token)
                before.append(token)
            elif layout.finished:
                stop = token.end_pos
                break
        if not before and start == "item":
            return (None, stop)
        last = (before[-1].end_pos if before else begin) or 0
        return (plain(state.feed_token(Token("$END", "", last, end_pos=last), True)), stop)
    except UnexpectedInput as error:
        accepted = frozenset(session.accepts())  # type: ignore[no-untyped-call]
        if isinstance(error, UnexpectedCharacters):
            return ("char", error.pos_in_stream, accepted)
        found = cast("Any", error).token
        return (found.type, found.start_pos, accepted)


def by_machine(text: str, begin: int, start: str) -> tuple[object, ...]:
    run = Run(machine(), start, Layout(newline_ends=start == "item"))
    try:
        tree = run.read(text, begin, len(text))
    except Refused as refused:
        return (refused.kind, refused.start, refused.accepted)
    return (plain(tree) if tree is not None else None, run.stop)


def same(text: str, start: str) -> None:
    begin = 0
    while True:
        try:
            ours = by_machine(text, begin, start)
        except TooDeepError:
            return
        assert ours == by_library(text, begin, start)
        done = start != "item" or ours[0] is None or len(ours) == 3
        if done:
            return
        assert isinstance(ours[1], int)
        begin = ours[1]


@pytest.mark.parametrize("text", programs(), ids=lambda text: f"{len(text)}")
def test_programs(text: str) -> None:
    same(text, "item")


@given(edited())
@settings(max_examples=examples(200))
def test_edited_programs(text: str) -> None:
    same(text, "item")


@given(edited(300))
@settings(max_examples=examples(150))
def test_expressions(text: str) -> None:
    same(text, "expr")


# --- the tables --------------------------------------------------------------------------------


def test_tables_come_back() -> None:
    made = generate(grammar_text())
    assert module._of(loaded(dumped(module.plain(made)))) == made
    assert machine().tables == made


@pytest.mark.slow
def test_tables_are_the_same_whatever_order_sets_have() -> None:
    code = (
        "import sys; from tvarc.cache import dumped; from tvarc.resources import grammar_text\n"
        "from tvarc.syntax import tables; from tvarc.syntax.generate import generate\n"
        "sys.stdout.buffer.write(dumped(tables.plain(generate(grammar_text()))))"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONPATH": str(ROOT / "compiler"), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert made == {dumped(module.plain(machine().tables))}
