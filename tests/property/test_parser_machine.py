"""The machine that runs the tables against lark by itself on edited programs: the same trees and
the same refusals, and at a fault the same terminals accepted. `unit/test_syntax_grammar.py` reads
all programs of the project by both."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import given, settings
from lark import Lark, TextSlice, Token, UnexpectedInput

from support.compile import ROOT
from support.corpus import edited, edits
from support.effort import examples
from support.grammar import by_library, by_machine
from tvarc.files.cache import Cache, dumped, loaded
from tvarc.files.resources import grammar_text
from tvarc.syntax import tables as module
from tvarc.syntax.automaton import WRAP
from tvarc.syntax.cst import TooDeepError
from tvarc.syntax.generate import STARTS, generate
from tvarc.syntax.machine import Refused, Run, machine
from tvarc.syntax.parser import parse_module
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source


@cache
def library() -> Lark:
    """lark for the rules by which the compiler reads parts of a file."""
    return Lark(grammar_text(), parser="lalr", start=list(STARTS))


def accepted(text: str, begin: int, end: int, start: str, refused: str) -> frozenset[str]:
    """What lark takes after the tokens between *begin* and *end*, where it has refused a token."""
    session = library().parse_interactive(cast("Any", TextSlice(text, begin, end)), start=start)
    session.exhaust_lexer()
    if refused != "char":
        with pytest.raises(UnexpectedInput):
            session.feed_token(Token(refused, ""))
    return frozenset(session.accepts()) - {WRAP}  # type: ignore[no-untyped-call]


def same_file(text: str) -> None:
    try:
        ours = by_machine(text)
    except TooDeepError:
        return
    assert ours == by_library(text)


def same_fault(text: str, begin: int, start: str) -> None:
    run = Run(machine(), start)
    try:
        run.read(text, begin, len(text))
    except Refused as refused:
        end = run.before[-1].end_pos if run.before else begin
        assert refused.accepted == accepted(text, begin, end, start, refused.kind)
    except TooDeepError:
        return


@pytest.mark.slow
@given(edited())
@settings(max_examples=examples(200))
def test_edited_programs(text: str) -> None:
    same_file(text)


@pytest.mark.slow
@given(edited(600))
@settings(max_examples=examples(150))
def test_faults_of_items(text: str) -> None:
    same_fault(text, 0, "line")


@pytest.mark.slow
@given(edited(300))
@settings(max_examples=examples(150))
def test_faults_of_expressions(text: str) -> None:
    same_fault(text, text.find("=") + 1, "expression")


@pytest.mark.slow
@given(edits())
@settings(max_examples=examples(200))
def test_items_of_an_earlier_text(texts: list[str]) -> None:
    """A file that is read again after an edit gives the same tree and the same faults."""
    kept = Cache(None, None)
    kept.parsed = {}
    for text in [*texts, *reversed(texts)]:
        found, known = Sink(), Sink()
        source = Source("a.tvar", text)
        assert parse_module(source, known, kept) == parse_module(source, found)
        assert list(known) == list(found)


# --- the tables --------------------------------------------------------------------------------


@pytest.mark.slow
def test_tables_come_back() -> None:
    made = generate(grammar_text())
    assert module.tables_of(loaded(dumped(module.plain(made)))) == made
    assert machine().tables == made


@pytest.mark.slow
def test_tables_are_the_same_whatever_order_sets_have() -> None:
    code = (
        "import sys; from tvarc.files.cache import dumped\n"
        "from tvarc.files.resources import grammar_text\n"
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
