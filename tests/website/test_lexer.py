"""The lexer for Pygments knows the language, and needs no tvarc."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
import tomllib
from types import ModuleType

import pytest

from support.compile import ROOT
from support.fences import FENCE
from support.reference import whole
from support.services import require
from tvarc.meaning.names.scope import LATE_NAMES, ROOTS
from tvarc.syntax.machine import machine
from tvarc.syntax.terminals import RESERVED

FOLDER = ROOT / "editors" / "pygments"
PLACE = FOLDER / "pygments_tvar.py"
PROGRAMS = sorted(
    path
    for folder in ("stdlib", "examples", "templates", "tests/snapshots")
    for path in (ROOT / folder).rglob("*.tvar")
    if not path.parent.name.startswith(("e1", "e913", "several-errors"))  # cannot be read
)


@pytest.fixture(scope="module")
def lexer() -> ModuleType:
    require(importlib.util.find_spec("pygments") is not None, "Pygments is not installed")
    spec = importlib.util.spec_from_file_location("pygments_tvar", PLACE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_its_words_are_those_of_the_grammar(lexer: ModuleType) -> None:
    words = {*lexer.DECLARATIONS, *lexer.CLAUSES, *lexer.OPERATORS, *lexer.CONSTANTS}
    assert words == {*machine().tables.keywords, *map(str.lower, RESERVED)}
    assert {*lexer.NAMES} == {*ROOTS, *LATE_NAMES}


@pytest.mark.slow
def test_it_reads_every_program(lexer: ModuleType) -> None:
    Error = importlib.import_module("pygments.token").Error  # noqa: N806
    texts = {str(path): path.read_text(encoding="utf-8") for path in PROGRAMS}
    blocks = [block["text"] for block in FENCE.finditer(whole()) if block["language"] == "tvar"]
    texts |= {f"block {number}": text for number, text in enumerate(blocks)}
    assert len(texts) > 150
    for name, text in texts.items():
        tokens = list(lexer.TvarLexer().get_tokens(text))
        assert "".join(value for _, value in tokens).strip() == text.strip(), name
        assert [value for kind, value in tokens if kind is Error] == [], name


def test_what_it_makes_of_a_line(lexer: ModuleType) -> None:
    text = 'let cuda = 13.0\nattrs { pname = "x-{{upper(gpu)}}" } # end\n'
    tokens = [
        (str(kind).removeprefix("Token."), value)
        for kind, value in lexer.TvarLexer().get_tokens(text)
        if value.strip()
    ]
    assert tokens == [
        ("Keyword.Declaration", "let"), ("Name.Class", "cuda"), ("Operator", "="),
        ("Literal.Number", "13.0"), ("Name.Attribute", "attrs"), ("Punctuation", "{"),
        ("Name.Attribute", "pname"), ("Operator", "="), ("Literal.String.Double", '"'),
        ("Literal.String.Double", "x-"), ("Literal.String.Interpol", "{{"),
        ("Name.Function", "upper"), ("Punctuation", "("), ("Name", "gpu"), ("Punctuation", ")"),
        ("Literal.String.Interpol", "}}"), ("Literal.String.Double", '"'), ("Punctuation", "}"),
        ("Comment.Single", "# end"),
    ]  # fmt: skip


def test_it_needs_no_tvarc() -> None:
    require(importlib.util.find_spec("pygments") is not None, "Pygments is not installed")
    program = f"import sys; sys.path.insert(0, {str(FOLDER)!r}); import pygments_tvar\n"
    program += "assert not [name for name in sys.modules if name.startswith('tvarc')]"
    subprocess.run([sys.executable, "-I", "-c", program], check=True)


def test_it_is_found_by_its_entry_point() -> None:
    project = tomllib.loads((FOLDER / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pygments.lexers"] == {"tvar": "pygments_tvar:TvarLexer"}
    assert project["dependencies"] == ["pygments>=2.15"]
