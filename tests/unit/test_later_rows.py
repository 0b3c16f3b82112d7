"""Rows of the standard library are read and resolved when one of their facts is asked for."""

from __future__ import annotations

import pytest

from support.command import calls
from support.compile import messages
from tvarc.advice.library.tables import load_library
from tvarc.build.driver import Compilation, compile_file
from tvarc.files.cache import Cache, Damaged
from tvarc.files.disk import MemoryLoader
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_module
from tvarc.syntax.prebuilt import plain, tree_of
from tvarc.text.diagnostics.model import CompilerBug, Sink
from tvarc.text.source import Source

TABLE = """\
facts chips (power: int, label: string?) {
  one { power = 1, label = "First" }
  two { power = 2 }
  bad { power = "much" }
}
"""
PROGRAM = """\
use std.chips
axis chip = chips[one, two]
recipe r { package = pkgs.hello, pin = none, attrs { n = chip.power, l = chip.label } }
matrix m { recipe = r, axes = chip, name = "m-{{chip}}" }
output o { file = "{{variant}}.nix" }
"""


def compiled(program: str, cache: Cache | None = None) -> Compilation:
    loader = MemoryLoader({"a.tvar": program}, {"chips": TABLE})
    made = compile_file("a.tvar", loader, cache=cache)
    made.recipes()
    return made


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The rows that are resolved."""
    resolve = "tvarc.meaning.declarations.facts.Facts.row_facts"
    return calls(monkeypatch, resolve, lambda _, row: row.name.text)


def test_a_program_resolves_what_it_reads(asked: list[str]) -> None:
    made = compiled(PROGRAM)
    assert messages(made) == ""
    assert sorted(asked) == ["one", "two"]


def test_a_fault_is_told_where_the_row_is_read() -> None:
    made = compiled(PROGRAM.replace("one, two", "one, bad"))
    assert "E301" in messages(made) and "`power` must be an int" in messages(made)
    made = compiled(PROGRAM.replace("[one, two]", "[where power > 1]"))
    assert "E301" in messages(made)


def test_the_library_is_checked_as_a_whole() -> None:
    with pytest.raises(CompilerBug, match="broken: `power` must be an int"):
        load_library(MemoryLoader({}, {"chips": TABLE}))
    load_library(MemoryLoader({}, {"chips": TABLE.replace('"much"', "3")}))


def test_tables_of_a_person_are_checked_at_once() -> None:
    own = compiled(TABLE + PROGRAM.replace("use std.chips\n", ""))
    assert "E301" in messages(own)


def test_nothing_but_names_of_rows_is_read() -> None:
    source = Source("chips.tvar", TABLE)
    data = plain(parse_module(source, Sink()).items)
    (table,) = tree_of(data, source).items
    assert isinstance(table, ast.Facts)
    assert len(table.rows[0].body) == 2
    (table,) = tree_of(damaged(data), source).items
    assert isinstance(table, ast.Facts)
    assert [row.name.text for row in table.rows] == ["one", "two", "bad"]
    with pytest.raises(Damaged):
        assert table.rows[0].body


def damaged(data: object) -> object:
    """*data* of a tree without the contents of its rows, which are bytes."""
    if isinstance(data, list | tuple):
        return type(data)(map(damaged, data))
    return b"?" if isinstance(data, bytes) else data
