"""The layout of printed Nix: whole expressions as a reader of the recipes sees them."""

from __future__ import annotations

from textwrap import dedent

import pytest

from support.effort import for_each
from support.nix import parse, requires_nix
from tvarc.nix.language.printer import print_expr, print_file
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixCommented,
    NixExpr,
    NixFile,
    NixFormal,
    NixFormals,
    NixIdent,
    NixIf,
    NixInherit,
    NixInt,
    NixLambda,
    NixLet,
    NixList,
    NixNot,
    NixPath,
    NixRaw,
    NixSelect,
    NixString,
)

X, Y = NixIdent("x"), NixIdent("y")
EMPTY = NixList(())
LONG = NixIdent("a_name_of_nearly_sixty_characters_that_fills_most_of_a_line")


def text(*parts: str | NixExpr) -> NixString:
    return NixString(parts)


def ref(path: str, default: NixExpr | None = None) -> NixExpr:
    first, *rest = path.split(".")
    return NixSelect(NixIdent(first), tuple(rest), default) if rest else NixIdent(first)


def call(function: NixExpr, *arguments: NixExpr) -> NixExpr:
    for argument in arguments:
        function = NixApply(function, argument)
    return function


def bind(path: str, value: NixExpr, comment: str = "") -> NixBinding:
    return NixBinding(tuple(path.split(".")), value, comment)


def attrs(*entries: NixBinding | NixInherit) -> NixAttrs:
    return NixAttrs(entries)


def items(*found: NixExpr | NixCommented) -> NixList:
    return NixList(found)


def function(parameters: str, body: NixExpr) -> NixExpr:
    for parameter in reversed(parameters.split()):
        body = NixLambda(parameter, body)
    return body


TWO = attrs(bind("a", X), bind("b", Y))


def value(expr: NixExpr) -> str:
    """The expression as the value of a binding that stands among others."""
    printed = print_expr(attrs(bind("v", expr), bind("w", X)))
    assert printed.startswith("{\n  v =") and printed.endswith(";\n  w = x;\n}")
    return dedent(printed[2 : -len("\n  w = x;\n}")])


def test_a_let_of_short_bindings_has_no_blank_lines() -> None:
    expr = NixLet((bind("a", X), bind("b", Y)), call(NixIdent("f"), NixIdent("a")))
    assert print_file(NixFile((), expr)) == "let\n  a = x;\n  b = y;\nin\nf a\n"


@pytest.mark.parametrize(
    ("formals", "head"),
    [
        (NixFormals(()), "{ }:"),
        (NixFormals((), ellipsis=True), "{ ... }:"),
        (NixFormals((NixFormal("a"), NixFormal("b")), ellipsis=True), "{ a, b, ... }:"),
        (NixFormals(tuple(map(NixFormal, "abc"))), "{\n  a,\n  b,\n  c,\n}:"),
        (NixFormals((NixFormal("a", X),), ellipsis=True), "{\n  a ? x,\n  ...\n}:"),
    ],
)
def test_heads_of_functions(formals: NixFormals, head: str) -> None:
    assert print_file(NixFile(("About.", ""), NixLambda(formals, X))) == (
        f"# About.\n#\n{head}\n\nx\n"
    )


VALUES: list[tuple[NixExpr, str]] = [
    (EMPTY, "v = [ ];"),
    (attrs(), "v = { };"),
    (items(X), "v = [ x ];"),
    (items(X, Y), "v = [\n  x\n  y\n];"),
    (NixInt(-5), "v = -5;"),
    (items(NixInt(-5)), "v = [ (-5) ];"),
    (NixInt(-(2**63)), "v = (-9223372036854775807 - 1);"),
    (attrs(bind("a", X)), "v = {\n  a = x;\n};"),
    (attrs(NixInherit(("a", "b c", "or"))), 'v = { inherit a "b c" "or"; };'),
    (items(attrs(bind("a", X))), "v = [ { a = x; } ];"),
    (
        items(attrs(bind("a", TWO))),
        "v = [\n  {\n    a = {\n      a = x;\n      b = y;\n    };\n  }\n];",
    ),
    (call(X, TWO), "v = x {\n  a = x;\n  b = y;\n};"),
    (call(X, TWO, Y), "v =\n  x\n    {\n      a = x;\n      b = y;\n    }\n    y;"),
    (
        call(
            ref("lib.replaceStrings"), items(text("."), text("-")), items(text("_"), text("_")), X
        ),
        'v = lib.replaceStrings [ "." "-" ] [ "_" "_" ] x;',
    ),
    (call(X, call(Y, TWO)), "v = x (y {\n  a = x;\n  b = y;\n});"),
    (
        call(X, call(ref("y.z"), TWO)),
        "v = x (\n  y.z {\n    a = x;\n    b = y;\n  }\n);",
    ),
    (
        call(ref("lib.optionals"), NixBinary("&&", LONG, LONG), items(X)),
        f"v =\n  lib.optionals\n    (\n      {LONG.name}\n      && {LONG.name}\n    )\n    [ x ];",
    ),
    (
        call(ref("lib.filter"), function("p", NixNot(call(X, ref("p.n", text(""))))), Y),
        'v = lib.filter (p: !x (p.n or "")) y;',
    ),
    (call(LONG, call(LONG, X, NixInt(-1))), f"v = {LONG.name} (\n  {LONG.name} x (-1)\n);"),
    (function("a b", TWO), "v = a: b: {\n  a = x;\n  b = y;\n};"),
    (function("a", NixLet((bind("q", X),), Y)), "v =\n  a:\n  let\n    q = x;\n  in\n  y;"),
    (NixIf(NixBinary("==", X, NixInt(-1)), Y, X), "v = if x == -1 then y else x;"),
    (
        NixIf(X, TWO, NixIf(Y, X, EMPTY)),
        "v =\n  if x then\n    {\n      a = x;\n      b = y;\n    }\n"
        "  else if y then\n    x\n  else\n    [ ];",
    ),
    (NixBinary("//", X, attrs(bind("a", Y))), "v = x // {\n  a = y;\n};"),
    (NixBinary("//", TWO, X), "v = {\n  a = x;\n  b = y;\n} // x;"),
    (NixBinary("++", X, call(Y, items(X, X))), "v = x ++ y [\n  x\n  x\n];"),
    (
        NixBinary("++", NixBinary("++", ref("a.b", EMPTY), items(X)), items(X, Y)),
        "v =\n  (a.b or [ ])\n  ++ [ x ]\n  ++ [\n    x\n    y\n  ];",
    ),
    (
        NixBinary("->", NixBinary("||", NixBinary("&&", X, Y), NixBinary("<", X, Y)), NixNot(X)),
        "v = ((x && y) || x < y) -> !x;",
    ),
    (NixBinary("||", LONG, LONG), f"v =\n  {LONG.name}\n  || {LONG.name};"),
    (NixSelect(call(X, Y), ("a", "b c"), call(X, Y)), 'v = (x y).a."b c" or (x y);'),
]


@for_each("expr, expected", VALUES)
def test_values(expr: NixExpr, expected: str) -> None:
    assert value(expr) == expected


@requires_nix
def test_values_are_nix() -> None:
    names = ("x", "y", "a", "b", "lib", LONG.name)
    scope = NixFormals(tuple(NixFormal(name) for name in names))
    inherited = {'v = { inherit a "b c" "or"; };'}  # "b c" can't be in scope
    found = tuple(expr for expr, text in VALUES if text not in inherited)
    parse(print_expr(NixLambda(scope, NixList(found))))


def test_comments_wrap_and_stay_comments() -> None:
    words = "A comment that is longer than one line may be, " * 3
    expr = attrs(
        bind("a", items(NixCommented("first\r\nsecond\u2028third", X)), words + "\n} evil")
    )
    assert print_expr(expr) == (
        "{\n"
        "  # A comment that is longer than one line may be, A comment that is longer than one line "
        "may be, A\n"
        "  # comment that is longer than one line may be, } evil\n"
        "  a = [\n"
        "    # first  second third\n"
        "    x\n"
        "  ];\n"
        "}"
    )


@for_each(
    "path, expected",
    [
        ("../../patches/a.patch", "../../patches/a.patch"),
        ("a.patch", "./a.patch"),
        ("./a//b/", "./a/b"),
        ("..", "./.."),
        ("../a b/c", './.. + "/a b/c"'),
        ("../../a b", '../.. + "/a b"'),
        ("${x}", './. + "/\\${x}"'),
    ],
)
def test_paths(path: str, expected: str) -> None:
    assert print_expr(NixPath(path)) == expected


@for_each(
    "raw, expected",
    [
        ("  pkgs.foo\n", "v = pkgs.foo;"),
        ('"a b"', 'v = "a b";'),
        ('"a ${b}"', 'v = ("a ${b}");'),
        ("f x", "v = (f x);"),
        ("f x # why", "v = (\n  f x # why\n);"),
        ("f {\n    a = 1;\n  }", "v = (\n  f {\n    a = 1;\n  }\n);"),
        ("f\n  x\n  y", "v = (\n  f\n    x\n    y\n);"),
    ],
)
def test_raw_text(raw: str, expected: str) -> None:
    assert value(NixRaw((raw,))) == expected


def test_raw_text_with_a_block_keeps_its_lines() -> None:
    raw = "f ''\n    a\n  b\n''"
    assert print_expr(attrs(bind("v", NixRaw((raw,))), bind("w", X))) == (
        f"{{\n  v = ({raw});\n  w = x;\n}}"
    )
    assert print_expr(NixRaw((raw + " # end",))) == f"({raw} # end\n)"


def test_a_field_of_a_number_that_a_user_wrote_is_one() -> None:
    assert print_expr(NixSelect(NixRaw(("1",)), ("x",))) == "(1).x"
    assert print_expr(NixSelect(NixRaw(("a.b",)), ("x",))) == "a.b.x"
