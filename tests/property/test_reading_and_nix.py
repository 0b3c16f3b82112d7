"""What is read of Nix by hand is what Nix itself evaluates: random expressions, judged by Nix."""

from __future__ import annotations

import json
import subprocess
from typing import Any, Final

import pytest

from support.effort import for_each, is_long
from support.nix import requires_nix
from support.nix_expressions import LIBRARY, OLD, expression
from support.recipes import nix_instantiate
from tvarc.byhand.reading.library import is_constant
from tvarc.byhand.reading.reduce import NotRead, Reducer
from tvarc.byhand.reading.scopes import NOWHERE, Bound, Scope
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import rewritten, unmarked
from tvarc.nix.language.printer import print_expr
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import NixExpr, NixIdent

pytestmark = [requires_nix, pytest.mark.nix]

_COUNT: Final = 500
_COUNT_OF_A_LONG_RUN: Final = 10_000
_BATCH: Final = 100
_READ: Final = 0.95  # the share that must be read, and wholly if all is known
_PARSER: Final = RecipeParser()
_KNOWN: Final = {name: NixIdent(f"@{name}") for name in ("lib", "old")}


def read(text: str) -> NixExpr:
    names = {name: Bound(node, NOWHERE) for name, node in _KNOWN.items()}
    reducer = Reducer(_PARSER, lambda *_: "there are no files")
    return unmarked(reducer.reduce(_PARSER.parse(text), Scope(None, names, "")))


def written(node: NixExpr) -> str:
    """*node* as Nix text, with the names that stand for what is not known."""

    def named(one: NixExpr) -> NixExpr | None:
        match one:
            case NixIdent(name) if name.startswith("@"):
                return NixIdent(name.removeprefix("@"))
            case _:
                return None

    return print_expr(rewritten(node, named))


def evaluated(texts: list[str]) -> list[Any]:
    """The value of each text; Ellipsis for one that Nix refuses, or that has half a character."""
    listed = " ".join(f"({text}\n)" for text in texts)
    done = subprocess.run(
        [nix_instantiate(), "--store", "dummy://", "--readonly-mode", "--eval", "--strict",
         "--json", "-"],
        input=f"let lib = {LIBRARY}; old = {OLD}; in [ {listed} ]".encode(),
        capture_output=True,
        check=False,
    )  # fmt: skip
    if done.returncode == 0:
        values: list[Any] = json.loads(done.stdout.decode(errors="replace"))
        return [... if "\ufffd" in json.dumps(one, ensure_ascii=False) else one for one in values]
    half = len(texts) // 2
    return [*evaluated(texts[:half]), *evaluated(texts[half:])] if half else [...]


@pytest.mark.slow
@pytest.mark.parametrize("is_known", [True, False])
def test_what_is_read_is_what_nix_evaluates(is_known: bool) -> None:
    count = _COUNT_OF_A_LONG_RUN if is_long() else _COUNT
    read_at_all = wholly = judged = 0
    for start in range(0, count, _BATCH):
        made: list[tuple[str, str]] = []
        for seed in range(start, min(start + _BATCH, count)):
            text = expression(seed, is_known=is_known)
            try:
                node = read(text)
            except (NotRead, NotNix):
                continue
            read_at_all += 1
            wholly += is_constant(node)
            made.append((text, written(node)))
        values = evaluated([one for pair in made for one in pair])
        for (text, again), wanted, found in zip(made, values[::2], values[1::2], strict=True):
            if wanted is ...:
                continue
            judged += 1
            assert json.dumps(found) == json.dumps(wanted), f"{text}\nis read as\n{again}"
    assert read_at_all > count * _READ
    assert judged > count * _READ
    assert not is_known or wholly > count * _READ


@for_each(
    "text, wanted",
    [
        ('lib.toUpper "straße é"', '"STRAßE é"'),
        ('(old.gone or "") + lib.optionalString old.truth "x"', None),
        ("lib.toList (old.gone or [ ]) ++ [ 1 ]", "lib.toList (old.gone or [ ]) ++ [ 1 ]"),
        ("''\n  a''\\n    b\n  c\n''", '"a\\n  b\\nc\\n"'),
        ("map (x: map ((y: x: [ y x ]) x) old.list) old.list", None),
        ("map (x: map (x: [ x ]) old.list) old.list", "map (x: map (x: [ x ]) old.list) old.list"),
        ('{ a.b = 1; a = { c = 2; }; } ? a.c', "true"),
        ("toString [ 1 [ ] null ]", '"1 "'),
        ('builtins.replaceStrings [ "" "a" ] [ "-" "b" ] "ca"', None),
    ],
)  # fmt: skip
def test_what_was_once_read_otherwise(text: str, wanted: str | None) -> None:
    node = read(text)
    if wanted is not None:
        assert written(node) == wanted
    found, expected = evaluated([written(node), text])
    assert found == expected
