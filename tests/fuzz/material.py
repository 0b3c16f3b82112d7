"""What generators start from: the programs, locks and recipes of the project."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache

from support import corpus
from support.alone import emit
from support.compile import ROOT, compile_text, compile_variants
from support.handmade import handmade, nightly, outdated
from test_language_examples import BLOCKS, program_of
from tvarc.syntax import ast
from tvarc.syntax.parser import parse_module
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, Span

_PAGE_BLOCK = re.compile(r"^```tvar\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A large program is tried as it is by other tests; here many small ones are worth more.
_LONGEST = 6_000
# Such as reach the budgets of evaluation take seconds each.
_HEAVY = "0" * 60


@cache
def programs() -> tuple[str, ...]:
    """Every program of the project, those of the documents among them, shortest first."""
    texts = set(corpus.programs())
    texts |= {program_of(block) for block in BLOCKS}
    for page in sorted((ROOT / "docs" / "errors").glob("*.md")):
        texts |= set(_PAGE_BLOCK.findall(page.read_text(encoding="utf-8")))
    fit = [text for text in texts if text.strip() and len(text) <= _LONGEST and _HEAVY not in text]
    return tuple(sorted(fit, key=lambda text: (len(text), text)))


@cache
def modules() -> Mapping[str, str]:
    """The modules that programs of the project name beside themselves, by the names that they have
    for `input.tvar`."""
    found = {"../shared/torch.tvar": _read("examples/shared/torch.tvar")}
    for path in sorted((ROOT / "tests" / "snapshots").glob("*/*.tvar")):
        if path.name not in ("input.tvar", "latin.tvar"):
            found.setdefault(path.name, path.read_text(encoding="utf-8"))
    for block in BLOCKS:
        for name, text in block.files.items():
            found.setdefault(name, text)
    return found


@cache
def locks() -> tuple[bytes, ...]:
    paths = sorted((ROOT / "tests" / "snapshots").glob("*/tvar.lock"))
    return tuple(path.read_bytes() for path in paths)


def locked_program() -> str:
    """The program of the locks."""
    return _read("tests/snapshots/ok-locked/input.tvar")


@cache
def recipes() -> tuple[bytes, ...]:
    """Recipes by hand, and such as the compiler writes."""
    name = "pytorch-python313-cuda13_0-sm120-avx512"
    by_hand = (handmade(name), handmade(name, magma_off=True), outdated(name), nightly())
    hello = 'recipe r { package = pkgs.hello, pin = none, attrs { a += ["b"] } }\n'
    short = compile_text(f'{hello}variant v {{ recipe = r }}\noutput o {{ file = "v.nix" }}\n')
    ours = [file.text for file in emit(compile_variants().recipes(), "variants.tvar")]
    small = [file.text for file in emit(short.recipes(), "variants.tvar")]
    return tuple(text.encode() for text in (*by_hand, *ours[::9], *small))


@cache
def fragments() -> Mapping[str, tuple[str, ...]]:
    """The texts of all nodes of all programs, by the sort of node."""
    found: dict[str, set[str]] = defaultdict(set)
    for text in programs():
        for sort, span in nodes(text):
            if span.end - span.start <= 2000:
                found[sort].add(text[span.start : span.end])
    return {sort: tuple(sorted(texts)) for sort, texts in sorted(found.items())}


def parses(text: str) -> bool:
    sink = Sink()
    parse_module(Source("input.tvar", text), sink)
    return not sink.has_errors


def nodes(text: str) -> list[tuple[str, Span]]:
    """Sort and place of each node of what parses in *text*, in order."""
    module = parse_module(Source("input.tvar", text), Sink())
    return [one for item in module.items for one in _below(item) if one[1].start < one[1].end]


def _below(node: object) -> Iterator[tuple[str, Span]]:
    match node:
        case tuple():
            for one in node:
                yield from _below(one)
        case ast.Interpolation() | ast.NixInterpolation():  # a part of one token
            return
        case _ if type(node).__module__ == ast.__name__:
            span = getattr(node, "span", None)
            if isinstance(span, Span):
                yield type(node).__name__, span
            for name in getattr(type(node), "__match_args__", ()):
                yield from _below(getattr(node, name))
        case _:
            return


def _read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")
