"""Names, strings and numbers as Nix writes them."""

from __future__ import annotations

import pytest

from support.effort import for_each
from support.nix import requires_nix
from support.recipes import nix_value
from tvarc.nix.language.printer import print_expr
from tvarc.nix.language.quoting import KEYWORDS, attribute, integer, is_identifier, search_path
from tvarc.nix.language.syntax import NixExpr, NixIdent, NixList, NixRaw, NixString
from tvarc.text.diagnostics.model import CompilerBug

X = NixIdent("x")


@for_each("name", ["a", "_", "a-b", "a'", "a1", "A_b-c'", "true", "throw"])
def test_identifiers(name: str) -> None:
    assert is_identifier(name) and attribute(name) == name


@for_each(
    "name, quoted",
    [
        *((word, f'"{word}"') for word in sorted(KEYWORDS)),
        ("", '""'),
        ("1a", '"1a"'),
        ("-a", '"-a"'),
        ("'a", '"\'a"'),
        ("a.b", '"a.b"'),
        ("é", '"é"'),
        ("a\n", '"a\\n"'),
        ("${a}", '"\\${a}"'),
    ],
)
def test_other_names_are_quoted(name: str, quoted: str) -> None:
    assert not is_identifier(name) and attribute(name) == quoted


STRINGS = [
    (("",), '""'),
    ((), '""'),
    (('a "b" \\n',), r'"a \"b\" \\n"'),
    (("a\n\tb\r",), r'"a\n\tb\r"'),
    (("$a ${b} $${c}",), r'"$a \${b} $\${c}"'),
    (("$", X), r'"\$${x}"'),
    (("$", "{x}"), r'"\${x}"'),
    (("a", X, "b"), '"a${x}b"'),
]


@for_each("parts, expected", STRINGS)
def test_quoted_strings(parts: tuple[str | NixExpr, ...], expected: str) -> None:
    assert print_expr(NixString(parts)) == expected
    assert print_expr(NixString(parts, block=True)) == expected or "\n" in str(parts[0])


BLOCKS = [
    (("a\n",), "''\n  a\n''"),
    (("a\n\nb",), "''\n  a\n\n  b''"),
    (("\n  a\nb\n",), "''\n\n    a\n  b\n''"),
    (("it's ''x'' '''\n",), "''\n  it's '''x''' ''''\n''"),
    (("a\n'",), "''\n  a\n  ''\\'''"),
    (("${a} '${b}'\n",), "''\n  ''${a} ''\\'''${b}'\n''"),
    (("'", X, "'\n$", X, "\n"), "''\n  '${x}'\n  ''$${x}\n''"),
    (("a\r\n\tb\n",), "''\n  a''\\r\n  \tb\n''"),
]


@for_each("parts, expected", BLOCKS)
def test_blocks(parts: tuple[str | NixExpr, ...], expected: str) -> None:
    assert print_expr(NixString(parts, block=True)) == expected


@pytest.mark.parametrize("text", [" a\n b\n", "\n", "  \n\n", "a\n "])
def test_values_that_no_block_can_hold_are_quoted(text: str) -> None:
    printed = print_expr(NixString((text,), block=True))
    assert printed == '"' + text.replace("\n", "\\n") + '"'


@requires_nix
def test_nix_agrees() -> None:
    found = [(parts, block) for parts, _ in (*STRINGS, *BLOCKS) for block in (False, True)]
    printed = print_expr(NixList(tuple(NixString(parts, block) for parts, block in found)))
    expected = ["".join("<x>" if part is X else str(part) for part in parts) for parts, _ in found]
    assert nix_value('let x = "<x>"; in ' + printed) == expected


def test_integers_of_64_bits_are_written_as_nix_reads_them() -> None:
    assert integer(2**63 - 1) == "9223372036854775807"
    assert integer(-(2**63)) == "(-9223372036854775807 - 1)"


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1])
def test_integers_beyond_64_bits_are_bugs(value: int) -> None:
    with pytest.raises(CompilerBug, match="64 bits"):
        integer(value)


@for_each(
    "expr",
    [
        NixString(("a\0b",)),
        NixString(("a\0b\n",), block=True),
        NixIdent("in"),
        NixIdent("a b"),
        NixRaw((" \n",)),
        NixRaw(("a\0",)),
    ],
)
def test_what_nix_cannot_say_is_a_bug(expr: NixExpr) -> None:
    with pytest.raises(CompilerBug):
        print_expr(expr)


def test_search_paths() -> None:
    assert search_path("nixpkgs/lib") == "<nixpkgs/lib>"
    with pytest.raises(CompilerBug):
        search_path("a b")
