"""What is read of Nix by hand is what Nix itself evaluates: random expressions, judged by Nix."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Final

import pytest

from support.compile import ROOT
from support.effort import for_each, is_long
from support.nix import requires_nix
from support.recipes import nix_instantiate
from tvarc.byhand.reading.library import is_constant
from tvarc.byhand.reading.reduce import NotRead, Reducer
from tvarc.byhand.reading.scopes import NOWHERE, Bound, Scope
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import rewritten, unmarked
from tvarc.nix.language.printer import print_expr
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import NixExpr, NixIdent

# --- random Nix expressions: each has a value, of a kind that recipes are made of -----------------

LIBRARY: Final = (ROOT / "tests" / "data" / "library.nix").read_text(encoding="utf-8")
"""The functions of nixpkgs' library that expressions call, as it defines them."""

_WORDS = (
    "", "a", "b", "aa", "ab", "ba", "A", "straße é", "Σ", "x y", " ", "1.2", "1.10", "2.0pre1",
    "-mavx",
    "sm_90", "/lib", "a.b", "\u20ac", "12_8", "13_0", "é",
)  # fmt: skip
_PIECES = (
    "a", "  b", "\n", "\n  ", "\n    ", "''\\n", "''\\t", "'''", "''${x}", "$${x}", "$", "'", " ",
    "\t", "é", "''\\ ", "\\n", "\r",
)  # fmt: skip
_KINDS = ("text", "number", "truth", "list", "set")


class Expressions:
    """Makes expressions of one kind each, no deeper than a *depth*."""

    def __init__(self, random: Random, unknown: Mapping[str, list[str]]) -> None:
        self.random = random
        self.unknown = unknown
        self.names: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        self.count = 0

    def any(self, depth: int) -> str:
        return self.of(self.random.choice(list(self.names)), depth)

    def of(self, kind: str, depth: int) -> str:
        match kind:
            case "text":
                return self.text(depth)
            case "number":
                return self.number(depth)
            case "truth":
                return self.truth(depth)
            case "list":
                return self.listed(depth)
            case _:
                return self.attrs(depth)

    def choice(self, kind: str, depth: int, leaves: list[str], forms: list[str]) -> str:
        """One of the names of this *kind*, of *leaves*, or of *forms* whose holes are filled."""
        choices: Sequence[str] = [*leaves, *self.unknown.get(kind, ())]
        if self.names[kind] and self.random.random() < 0.3:
            choices = self.names[kind]
        elif depth > 0:
            choices = [*forms, *_ANY_KIND]
        chosen: str = self.random.choice(choices)
        return self.filled(kind, chosen, depth)

    def filled(self, kind: str, form: str, depth: int) -> str:
        made: list[str] = []
        for word in form.split("`"):
            match word:
                case "T":
                    made.append(f"({self.text(depth - 1)})")
                case "N":
                    made.append(f"({self.number(depth - 1)})")
                case "B":
                    made.append(f"({self.truth(depth - 1)})")
                case "L":
                    made.append(f"({self.listed(depth - 1)})")
                case "TL":
                    made.append(self.texts(depth - 1))
                case "S":
                    made.append(f"({self.attrs(depth - 1)})")
                case "X":
                    made.append(f"({self.any(depth - 1)})")
                case "SAME":
                    made.append(f"({self.of(kind, depth - 1)})")
                case "LET":
                    made.append(self.bound(kind, depth))
                case "BLOCK":
                    made.append(self.block(depth))
                case _:
                    made.append(word)
        return "".join(made)

    def bound(self, kind: str, depth: int) -> str:
        """An expression of this *kind* in which a name of another one is bound."""
        other = self.random.choice(list(self.names))
        self.count += 1
        name = f"v{self.count}"
        value = self.of(other, depth - 1)
        self.names[other].append(name)
        body = self.of(kind, depth - 1)
        self.names[other].remove(name)
        forms = (
            "let {n} = {v}; in {b}", "({n}: {b}) ({v})",
            "(({{ {n}, ... }}: {b}) {{ {n} = {v}; z = 1; }})",
            "(({{ {n} ? {v}, z }}: {b}) {{ z = 1; }})", "with {{ {n} = {v}; }}; {b}",
            "(rec {{ {n} = {v}; r = {b}; }}).r", "let s.{n} = {v}; inherit (s) {n}; in {b}",
            "let f = {{ {n}, ... }}@all: with all; {b}; in f {{ {n} = {v}; }}",
        )  # fmt: skip
        return self.random.choice(forms).format(n=name, v=f"({value})", b=f"({body})")

    def quoted(self) -> str:
        return '"' + self.random.choice(_WORDS) + '"'

    def block(self, depth: int) -> str:
        """A text between two quotes: lines, escapes, interpolations."""
        pieces: list[str] = []
        for _ in range(self.random.randrange(8)):
            if self.random.random() < 0.2:
                pieces.append("${" + self.text(depth - 1) + "}")
            else:
                piece = self.random.choice(_PIECES)
                if piece == "'" and pieces and pieces[-1].endswith("'"):
                    continue
                if pieces and pieces[-1].endswith(("$", "'")):
                    pieces.append(" ")
                pieces.append(piece)
        if pieces and pieces[-1].endswith(("'", "$")):
            pieces.append("x")
        return "''" + "".join(pieces) + "''"

    def texts(self, depth: int) -> str:
        items = [f"({self.text(depth - 1)})" for _ in range(self.random.randrange(4))]
        return " ".join(("[", *items, "]"))

    def text(self, depth: int) -> str:
        return self.choice("text", depth, [self.quoted()], _TEXTS)

    def number(self, depth: int) -> str:
        return self.choice("number", depth, ["0", "1", "7", "(-3)"], _NUMBERS)

    def truth(self, depth: int) -> str:
        return self.choice("truth", depth, ["true", "false"], _TRUTHS)

    def listed(self, depth: int) -> str:
        return self.choice("list", depth, ["[ ]", '[ "a" null ]', "[ 1 [ ] 2 ]"], _LISTS)

    def attrs(self, depth: int) -> str:
        leaves = ["{ }", '{ a = 1; b = "x"; }', '{ c = [ ]; "é" = null; }']
        return self.choice("set", depth, leaves, _SETS)


_ANY_KIND = (
    "`LET`", "`LET`", "if `B` then `SAME` else `SAME`", "({ a = `SAME`; b = `X`; }).a",
    "({ b = `X`; }).a or `SAME`", "(`S` // { k = `SAME`; }).k", "assert true; `SAME`",
    "builtins.head [ `SAME` `X` ]", "lib.last [ `X` `SAME` ]", "lib.id `SAME`",
    "builtins.elemAt [ `X` `SAME` ] 1", "(x: x) `SAME`",
    "lib.pipe `SAME` [ (x: x) lib.id ]", "builtins.getAttr \"k\" { k = `SAME`; }",
    "(let ${\"k\"} = `SAME`; in k)", "({ ${null} = 1; k = `SAME`; }).k",
)  # fmt: skip
_TEXTS = [
    "`T` + `T`", '"x${`T`}y"', '"${`T`}${`T`}"', "`BLOCK`", "`BLOCK`", "`BLOCK`", "toString `N`",
    "toString `B`", "toString null", "toString `TL`",
    "toString [ `TL` 1 null true [ ] `T` [ [ ] ] ]",
    'builtins.concatStringsSep "," `TL`', "lib.concatStrings `TL`", "lib.optionalString `B` `T`",
    "lib.toUpper `T`", "lib.toLower `T`", "lib.removePrefix `T` `T`", "lib.removeSuffix `T` `T`",
    'builtins.replaceStrings [ "a" "ab" ] [ "1" `T` ] `T`',
    'lib.replaceChars [ "." "a" ] [ "_" "-" ] `T`',
    'builtins.replaceStrings [ "." "" ] [ "_" "-" ] "a.b"', "lib.boolToString `B`",
    'lib.concatMapStrings (x: x + "-") `TL`', 'lib.concatMapStringsSep " " (x: "-m" + x) `TL`',
    'builtins.substring 0 2 `T`', 'builtins.substring 1 (-1) "abc"', "if `B` then `T` else `T`",
]  # fmt: skip
_NUMBERS = [
    "`N` + `N`", "`N` - `N`", "`N` * `N`", "`N` / 3", "`N` / (-2)", "builtins.length `L`",
    "builtins.stringLength `T`", "builtins.compareVersions `T` `T`", "-`N`",
    "builtins.foldl' (a: b: a + b) 0 [ `N` `N` ]",
]  # fmt: skip
_TRUTHS = [
    "`X` == `X`", "`X` != `X`", "`L` == `L`", "`S` == `S`", "`T` == `T`", "`T` < `T`", "`N` <= `N`",
    "`N` > `N`", "`T` >= `T`", "!`B`", "`B` && `B`", "`B` || `B`", "`B` -> `B`", "`S` ? a",
    "`S` ? a.b", '`S` ? ${`T`}', "builtins.elem `X` `L`", "lib.hasPrefix `T` `T`",
    "lib.hasSuffix `T` `T`",
    "builtins.isString `X`", "builtins.isList `X`", "isNull `X`", "builtins.isAttrs `X`",
    "builtins.isInt `X`",
    "builtins.isBool `X`", "lib.versionAtLeast `T` `T`", "lib.versionOlder `T` `T`",
    "builtins.any (x: x == 1) `L`", "builtins.all (x: x != null) `L`", 'builtins.hasAttr "a" `S`',
    'builtins.match "13_.*" `T` != null',
    'builtins.match "([0-9]+)[.]([0-9]*).*" `T` == [ "1" "2" ]',
    "lib.hasInfix `T` `T`", "null == `X`",
]  # fmt: skip
_LISTS = [
    "[ `X` `X` ]", "`L` ++ `L`", "[ ] ++ `L`", "lib.optional `B` `X`", "lib.optionals `B` `L`",
    "map (x: [ x ]) `L`", "builtins.concatLists [ `L` `L` ]", "builtins.concatMap (x: [ x 1 ]) `L`",
    "builtins.filter (x: x != null) `L`", "lib.toList `X`", "lib.remove null `L`",
    "lib.remove `X` `L`",
    "lib.singleton `X`", "builtins.attrNames `S`", "builtins.attrValues `S`", "lib.unique `L`",
    "lib.flatten `L`", "lib.range 1 `N`", "lib.reverseList `L`", "builtins.tail [ `X` `X` ]",
    'lib.splitString "." `T`', "lib.mapAttrsToList (k: v: { inherit k v; }) `S`",
    'lib.flatten [ `X` [ `X` ] ]',
]  # fmt: skip
_SETS = [
    '{ z = `X`; a = `X`; "é" = 1; B = 2; }', "{ a = `X`; b.c = `X`; b.d = `X`; }", "`S` // `S`",
    "lib.optionalAttrs `B` `S`",
    "rec { a = `X`; b = a; }", "builtins.mapAttrs (k: v: [ k v ]) `S`",
    "builtins.removeAttrs `S` [ \"a\" ]", "lib.filterAttrs (k: v: k != \"a\") `S`",
    'lib.genAttrs [ "a" "b" ] (n: n + `T`)', "{ inherit (`S` // { b = 1; }) b; }",
    "let a = `X`; in { inherit a; }", '{ "${`T`}" = `X`; }', "{ a.b = `X`; a = { c = `X`; }; }",
]  # fmt: skip


UNKNOWN: Final[Mapping[str, list[str]]] = {
    "text": ["old.text", '(old.gone or "")', '"${old.text or ""}"', '(toString (old.null or ""))'],
    "number": ["old.number"],
    "truth": ["old.truth", "(old.gone or true)"],
    "list": ["old.list", "(old.gone or [ ])", "(lib.toList (old.text or [ ]))",
             "(lib.remove null (lib.toList (old.list or [ ])))"],
    "set": ["old.set", "(old.gone or { })", "old"],
}  # fmt: skip
"""Expressions that are not known without `OLD`."""
OLD: Final = """{
  text = "t"; number = 2; truth = false; list = [ null "l" ]; null = null;
  set = { a = 1; k = "s"; };
}"""
"""What `old` is in the end."""


def expression(seed: int, *, is_known: bool) -> str:
    """An expression that has a value which is data: `lib` is `LIBRARY` in it, and unless all *is
    known* `old` is `OLD`."""
    random = Random(seed)
    return Expressions(random, {} if is_known else UNKNOWN).any(random.randrange(1, 6))


# --- the tests ------------------------------------------------------------------------------------

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
