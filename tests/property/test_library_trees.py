"""A syntax tree comes back from plain data as it was, and the data holds all that a tree may."""

from __future__ import annotations

import marshal
import os
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given, settings

from support.compile import ROOT
from support.corpus import edited, programs
from support.effort import examples, for_each
from tvarc.commands.dump import dump_node
from tvarc.files.cache import dumped, loaded
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_module
from tvarc.syntax.prebuilt import plain, tree_of
from tvarc.text.diagnostics.model import CompilerBug, Sink
from tvarc.text.source import Source, Span


def same(text: str) -> None:
    source = Source("a.tvar", text)
    tree = parse_module(source, Sink())
    again = tree_of(loaded(dumped(plain(tree.items))), source)
    assert again == tree and tree == again
    assert repr(again) == repr(tree)  # spans are in it
    assert dump_node(again, source) == dump_node(tree, source)


@for_each("text", programs(), every=4)
def test_programs_come_back(text: str) -> None:
    same(text)


@pytest.mark.slow
@given(edited())
@settings(max_examples=examples(150))
def test_edited_programs_come_back(text: str) -> None:
    same(text)


def test_a_node_of_every_class_comes_back() -> None:
    nodes: list[Any] = [
        found
        for found in vars(ast).values()
        if isinstance(found, type) and found.__module__ == ast.__name__ and found != ast.Module
    ]
    assert len(nodes) > 50
    source = Source("a.tvar", "let a = 1\n")
    for kind in nodes:
        *fields, last = kind.__match_args__
        assert last == "span"
        one = kind(*["x"] * len(fields), Span("a.tvar", 4, 5))
        assert tree_of(loaded(dumped(plain((one,)))), source).items == (one,), kind


def test_what_is_no_tree_is_told() -> None:
    with pytest.raises(CompilerBug, match="set in a syntax tree"):
        plain({1})


MAKE = """\
import sys; from tvarc.files.cache import dumped; from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source; from tvarc.syntax.parser import parse_module
from tvarc.syntax.prebuilt import plain
text = open(sys.argv[1], encoding="utf-8").read()
sys.stdout.buffer.write(dumped(plain(parse_module(Source("a", text), Sink()).items)))
"""


@pytest.mark.slow
def test_equal_trees_are_equal_bytes() -> None:
    """In any process: else a wheel would differ each time it is made."""
    path = ROOT / "stdlib" / "nvidia.tvar"
    made = {
        subprocess.run(
            [sys.executable, *more, "-c", MAKE, str(path)],
            env={**os.environ, "PYTHONPATH": str(ROOT / "compiler"), "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed, more in (("1", ()), ("2", ("-O",)))
    }
    source = Source("a", path.read_text(encoding="utf-8"))
    assert made == {dumped(plain(parse_module(source, Sink()).items))}
    assert marshal.version >= 2
