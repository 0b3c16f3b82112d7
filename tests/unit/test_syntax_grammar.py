"""The grammar itself: lark alone reads every program by it, and the front end agrees with it."""

from __future__ import annotations

import pytest
from lark import Lark

from support.compile import ROOT
from support.corpus import programs
from support.effort import for_each
from support.grammar import by_library, by_machine, library
from tvarc.files.resources import error_page, grammar_text, stdlib_dir
from tvarc.syntax.automaton import WRAP
from tvarc.syntax.generate import STARTS
from tvarc.syntax.machine import machine
from tvarc.syntax.parser import parse_module
from tvarc.syntax.terminals import CLOSERS, LITERALS, OPENERS, PUNCTUATION, RESERVED, TOP_WORDS
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source

DEEP = 300


def faults(text: str) -> list[str]:
    sink = Sink()
    parse_module(Source("a.tvar", text), sink)
    return [diagnostic.code for diagnostic in sink]


@pytest.mark.slow
def test_grammar_builds_without_a_conflict() -> None:
    pytest.importorskip("interegular")
    built = Lark(grammar_text(), parser="lalr", strict=True, start=["start", *STARTS])
    names = {terminal.name for terminal in built.terminals}
    known = {*LITERALS, *PUNCTUATION, *RESERVED}
    assert known <= names
    assert {word.upper() for word in TOP_WORDS} <= names
    soft = names - known - {"CONT", "COMMENT", "BLANK", "BOM", "_NL", "_WRAP"}
    assert not {name for name in soft if not name.isalpha()}, "unnamed terminals"


@for_each("text", programs(), every=6)
def test_lark_alone_reads_what_the_compiler_reads(text: str) -> None:
    """The same trees for every program of the project; and what lark refuses is refused."""
    found = by_library(text)
    if "E109" in faults(text):
        return  # nested too deeply, which lark does not count
    assert found == by_machine(text)
    assert found is not None or faults(text)


@for_each("text", programs(), every=12)
def test_a_line_may_end_after_each_token_within_brackets(text: str) -> None:
    """In `( )` and `[ ]` a line end counts for nothing, a comment before it included."""
    if faults(text):
        return
    run, openers, pieces, at = machine(), list[str](), list[str](), 0
    while (found := run.match(text, at, len(text))) is not None:
        kind = found.lastgroup or ""
        if kind in OPENERS:
            openers.append(kind)
        elif kind in CLOSERS:
            openers.pop()
        layout = kind in {*run.tables.ignored, "_NL"}
        flat = not layout and openers and openers[-1] != "LBRACE"
        pieces.append(found[0] + (" # c\n\t" if flat else ""))
        at = found.end()
    source = Source("a.tvar", "".join(pieces))
    sink = Sink()
    assert at == len(text)
    assert parse_module(source, sink).items == parse_module(Source("a.tvar", text), sink).items
    assert not len(sink)


@pytest.mark.slow
def test_most_programs_are_read() -> None:
    folders = ("stdlib", "templates", "examples")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.tvar")]
    paths.append(ROOT / "variants.tvar")
    assert len(paths) > 25
    assert [
        str(path) for path in paths if by_library(path.read_text(encoding="utf-8")) is None
    ] == []
    read = [text for text in programs() if by_library(text) is not None]
    assert len(read) > 230


def test_a_tree() -> None:
    tree = library().parse("let a = [\n  1, # one\n]\npin p { x = y\n }\n")
    assert tree.pretty(" ").expandtabs(1) == (
        "start\n let\n  let\n  a\n  =\n  list\n   [\n   1\n   ,\n   ]\n"
        " pin\n  pin\n  p\n  body\n   {\n   assign\n    path x\n    =\n    y\n   }\n"
    )


@for_each(
    "text",
    [
        "let a = b\n",
        "\ufefflet a = b",
        "# a\n\n# b\nlet a = b # c",
        "\r\nlet a = b\r\n\r\nlet c = d\r\n",
        "let a = (\n b\n .\n c\n [\n d\n ..\n e\n ]\n ==\n g\n and\n not\n f (\n x\n =\n 1\n )\n )",
        "let a = [\n\n# x\n if\n b\n then\n c\n else\n d\n , # y\n ... e\n ,\n ]",
        'let a = b\n  and c\n  or d\nlet e = if f\n then g\n else h\nexclude i\n because "j"',
        "recipe r\n{\n\n  # a\n  x = { # b\n    c = 1,\n\n d = 2 }, y = 1\n\n}",
        "axis a {\n flag { x = 1 }, pin { }\n\n use { }\n}",
        "let a = { flag = 1, pin = 2\n use = 3 }",
        "facts f (\n flag\n :\n [\n string\n ]\n ?\n ,\n pin: one_of\n (\n 1\n ,\n )\n ) { }",
        "overlay o for p[\n x\n ].q { }",
        'use = 1\nwhen."x" = { }\nrecipe.a = 2',
        "let nix = nix_x\nlet b = inner.in-x",
    ],
)
def test_both_read(text: str) -> None:
    found = by_library(text)
    assert found is not None and found == by_machine(text)
    assert faults(text) == []


@for_each(
    "text",
    [
        "let a =\n b",
        "let\n a = b",
        "let a = b ==\n c",
        "let a = b\n == c",
        "let a = b let c = d",
        "let a = b, let c = d",
        "recipe r { x = 1\n , y = 2 }",
        "recipe r { , x = 1 }",
        "recipe r { x = 1,, y = 2 }",
        "let a = { b =\n 1 }",
        "let a = [1\n 2]",
        "let a = [,]",
        "let and = 1",
        "let a = b.in",
        "let a = b isnot c",
        "let a = b notin c",
        "let a = if b then c elseif d",
        "recipe a extendsb { }",
        "overlay o inp { }",
        'script s { part nix"""a""" }',
        "let a = (b]",
        "let a = (b",
        'let a = "b',
        'let a = "{{b"',
        'let a = """b',
        "let a = b == c == d",
        "let a = b * c",
        "let \ufeffa = b",
    ],
)
def test_both_refuse(text: str) -> None:
    assert by_library(text) is None
    assert by_machine(text) is None
    assert faults(text) != []


@for_each(
    "text, code, reason",
    [
        (f"let a = {'[' * DEEP}{']' * DEEP}", "E109", "levels of nesting are counted"),
        ('let a = "{{b c}}"', "E101", "a text is one token: `expression` reads what is in it"),
        ('let a = "{{}}"', "E103", "a text is one token"),
        ('let a = """{{b\n}}"""', "E103", "a text is one token"),
        (r'let a = "\z"', "E103", "a text is one token, escapes included"),
        ('let a = nix"""("""', "E104", "a text is one token: Nix has a grammar of its own"),
        ("let a = 1x", "E104", "letters after digits belong to the number, for a better message"),
        ("let a = 01", "E104", "the value of a number"),
        ("let a = 1234567890123456789", "E104", "the value of a number"),
        ("facts f (a: two_of(1)) { }", "E101", "`one_of` is a name like any other"),
        (
            "recipe r { needs n = m byargument }",
            "E101",
            "lark looks for a name only where one may stand, so it finds the two words",
        ),
    ],
)  # fmt: skip
def test_what_only_the_compiler_refuses(text: str, code: str, reason: str) -> None:
    assert by_library(text) is not None, reason
    assert code in faults(text)


def test_a_line_end_separates_or_counts_for_nothing() -> None:
    """No state takes both, since the two terminals have one pattern."""
    rows = machine().tables.actions.whole()
    assert [row for row in rows if WRAP in row and "_NL" in row] == []
    assert any(WRAP in row for row in rows)
    assert any("_NL" in row for row in rows)


def test_terminal_tables_agree() -> None:
    assert set(OPENERS) <= set(PUNCTUATION)
    assert len(set(PUNCTUATION.values())) == len(PUNCTUATION)


def test_resources_are_found() -> None:
    assert "?line" in grammar_text()
    assert stdlib_dir().endswith("stdlib")
    assert error_page("../E101") is None
    assert error_page("E000") is None
