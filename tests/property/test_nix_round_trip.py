"""What the printer prints, the reader reads back as the same tree."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nix_trees import leaves, trees_of

from support.compile import ROOT
from support.effort import for_each
from support.handmade import handmade, nightly
from tvarc.light import replace
from tvarc.nix.language.printer import print_expr, print_file
from tvarc.nix.language.quoting import path_parts
from tvarc.nix.language.reader import NixParser
from tvarc.nix.language.syntax import (
    NixApply,
    NixAssert,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixFile,
    NixFloat,
    NixFormal,
    NixFormals,
    NixHas,
    NixIdent,
    NixIf,
    NixInherit,
    NixInt,
    NixLambda,
    NixLate,
    NixLet,
    NixList,
    NixNot,
    NixOther,
    NixPath,
    NixRaw,
    NixSearchPath,
    NixSelect,
    NixSlot,
    NixSteps,
    NixString,
    NixWith,
    elements,
    extent_of,
)

PARSER = NixParser()
CHARACTERS = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
TEXTS = st.text(CHARACTERS | st.sampled_from("\"\\$'{}\n\r\t "))


def meaning(expr: NixExpr) -> NixExpr:
    """*expr* without what a text does not tell: comments, the form of a string, how a run of one
    operator was grouped, a `let` of nothing, a selection from a selection."""
    match expr:
        case NixString(parts):
            return NixString(_joined(parts))
        case NixPath(text, False):
            start, rest = path_parts(text)
            return NixBinary("+", NixPath(start), NixString((rest,))) if rest else NixPath(start)
        case NixSelect(NixSelect(base, first, None), path, default):
            return meaning(NixSelect(base, (*first, *path), default))
        case NixSelect(base, path, default):
            other = None if default is None else meaning(default)
            return NixSelect(meaning(base), _steps(path), other)
        case NixHas(base, path):
            return NixHas(meaning(base), _steps(path))
        case NixApply(function, argument):
            return NixApply(meaning(function), meaning(argument))
        case NixList():
            return NixList(tuple(map(meaning, elements(expr))))
        case NixAttrs(entries, recursive):
            return NixAttrs(_entries(entries), recursive)
        case NixLet((), body):
            return meaning(body)
        case NixLet(entries, body):
            return NixLet(_entries(entries), meaning(body))
        case NixLambda(NixFormals() as formals, body):
            return NixLambda(_formals(formals), meaning(body))
        case NixLambda(parameter, body):
            return NixLambda(parameter, meaning(body))
        case NixBinary(op):
            left, *others = [meaning(operand) for operand in _run(expr)]
            for other in others:
                left = NixBinary(op, left, other)
            return left
        case NixIf(condition, then, otherwise):
            return NixIf(meaning(condition), meaning(then), meaning(otherwise))
        case NixNot(operand):
            return NixNot(meaning(operand))
        case NixAssert(condition, body):
            return NixAssert(meaning(condition), meaning(body))
        case NixWith(environment, body):
            return NixWith(meaning(environment), meaning(body))
        case NixIdent() | NixInt() | NixFloat() | NixPath() | NixSearchPath():
            return expr
        case NixRaw() | NixOther() | NixLate():
            raise AssertionError("no text that is printed as it is")


def _joined(parts: tuple[str | NixExpr, ...]) -> tuple[str | NixExpr, ...]:
    joined: list[str | NixExpr] = []
    for part in parts:
        if not isinstance(part, str):
            joined.append(meaning(part))
        elif joined and isinstance(joined[-1], str):
            joined[-1] += part
        elif part:
            joined.append(part)
    return tuple(joined)


def _steps(path: NixSteps) -> NixSteps:
    found: list[str | NixExpr] = []
    for step in path:
        made = step if isinstance(step, str) else meaning(step)
        if isinstance(made, NixString) and not any(isinstance(p, NixExpr) for p in made.parts):
            made = "".join([part for part in made.parts if isinstance(part, str)])
        found.append(made)
    return tuple(found)


def _entries(
    entries: tuple[NixBinding | NixInherit | NixSlot, ...],
) -> tuple[NixBinding | NixInherit, ...]:
    found: list[NixBinding | NixInherit] = []
    for entry in entries:
        match entry:
            case NixBinding(path, value):
                found.append(NixBinding(_steps(path), meaning(value)))
            case NixInherit(names, source):
                found.append(NixInherit(names, None if source is None else meaning(source)))
            case NixSlot():
                raise AssertionError("a slot is printed by itself")
    return tuple(found)


def _formals(formals: NixFormals) -> NixFormals:
    found = [
        NixFormal(one.name, None if one.default is None else meaning(one.default))
        for one in formals.formals
    ]
    return replace(formals, formals=tuple(found))


def _run(expr: NixExpr, op: str = "") -> list[NixExpr]:
    """The operands of a run of one operator of which Nix does not tell the grouping."""
    if isinstance(expr, NixBinary) and (not op or expr.op == op):
        if expr.op in ("++", "//", "&&", "||"):
            return _run(expr.left, expr.op) + _run(expr.right, expr.op)
        return [expr.left, expr.right]
    return [expr]


def read(text: str) -> NixExpr:
    return meaning(PARSER.parse(text))


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(trees_of(leaves | st.builds(NixString, st.tuples(TEXTS), st.booleans())))
def test_what_is_printed_is_read_back(tree: NixExpr) -> None:
    assert read(print_expr(tree)) == meaning(tree)
    assert read(print_file(NixFile(("a header",), tree))) == meaning(tree)


@for_each(
    "text",
    [
        handmade("pytorch-python313-cuda13_0-sm90-avx2", sm="9.0", magma_off=True),
        nightly(),
        *(path.read_text() for path in sorted((ROOT / "tests" / "nixpkgs").glob("*.nix"))),
    ],
)
def test_what_people_write_is_printed_and_read_back(text: str) -> None:
    tree = PARSER.parse(text)
    printed = print_file(NixFile((), tree))
    assert read(printed) == meaning(tree)
    assert print_file(NixFile((), PARSER.parse(printed))) == printed


def test_nodes_know_where_they_stand() -> None:
    text = '{ "é" = [ a.b (c) ]; }'
    whole = PARSER.parse(text)
    assert isinstance(whole, NixAttrs)
    (binding,) = whole.entries
    assert isinstance(binding, NixBinding) and isinstance(binding.value, NixList)
    found = [extent_of(node) for node in (whole, binding, *elements(binding.value))]
    said = [text[at.start : at.end] for at in found]
    assert said == [text, '"é" = [ a.b (c) ];', "a.b", "c"]


def test_only_the_reader_knows_tree_sitter() -> None:
    package = ROOT / "compiler" / "tvarc"
    users = [path for path in package.rglob("*.py") if "import tree_sitter" in path.read_text()]
    assert users == [package / "nix" / "language" / "reader.py"]
