"""The expectations that a test did not meet: the place of each, the facts from which it comes, and
the found values."""

from __future__ import annotations

import re

from tvarc.build.driver import Compilation
from tvarc.commands.evaluation.files import Test
from tvarc.commands.shown.data import Why, fact_text, place_of, reads_of
from tvarc.commands.shown.tree import Node, node_of
from tvarc.light import Final, Iterator, Sequence
from tvarc.nix.judge.derivation import name_of
from tvarc.nix.lower.tests import CLOSURE_SIZE, OF_CLOSURE
from tvarc.text.diagnostics.words import size_text
from tvarc.text.source import Span

_LINE: Final = re.compile(r"(.+?): (expected|found) (.*)")
_BYTES: Final = re.compile(r"(\d+) bytes")
_WIDEST: Final = 60
_FACTS: Final = 4


def unmet(made: Compilation, test: Test, tail: Sequence[str]) -> list[tuple[Span, str]]:
    """The expectations of *test* that its last printed lines, *tail*, report as unmet. Each has its
    place and the found value. The places of the facts from which they come follow."""
    node = node_of(test.setting)
    nodes = {one.label: one for one in node.children if one.label in OF_CLOSURE}
    expect = node.child("expect")
    nodes.update({one.label: one for one in expect.children} if expect is not None else {})
    differing: dict[str, tuple[list[str], list[str]]] = {}
    for line in reversed(tail):
        said = _LINE.fullmatch(line)
        if said is None or (said[1] not in nodes and expect is None):
            break
        differing.setdefault(said[1], ([], []))[said[2] == "found"].insert(0, said[3])
    recipe = made.recipe(test.variant)
    if not differing or recipe is None:
        return []
    from tvarc.decide.trace import Trace

    why = Trace(made.elaboration, test.variant, recipe, made.sources)
    places: list[tuple[Span, str]] = []
    facts: dict[Span, str] = {}
    for name in sorted(differing, key=[*nodes, *differing].index):
        at = nodes.get(name, expect)
        span = place_of(at, why) if at is not None else None
        if at is not None and span is not None:
            places.append((span, _words(name, *differing[name])))
            facts.update(_facts(at, why) if name in nodes else ())
    return [*places, *list(facts.items())[:_FACTS]]


def _words(name: str, expected: list[str], found: list[str]) -> str:
    if name in OF_CLOSURE and not expected:
        return f"the package depends on `{name_of(found[0])}`"
    if name == CLOSURE_SIZE:
        expected, found = ([_BYTES.sub(_size, one) for one in some] for some in (expected, found))
        return f"expected {expected[0]}, found {found[0]}"
    if not found:
        return f"expected {_listed(expected)}, which the test did not find"
    if not expected:
        return f"found {_listed(found)} for `{name}`, which is not expected"
    return f"expected {_listed(expected)}, found {_listed(found)}"


def _size(said: re.Match[str]) -> str:
    return size_text(int(said[1]))


def _listed(values: list[str]) -> str:
    text = ", ".join(f"`{one}`" for one in values)
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]}…"


def _facts(node: Node, why: Why) -> Iterator[tuple[Span, str]]:
    """The places of the facts from which the value of *node* comes."""
    for one in node.walk():
        for fact in reads_of(one, why).facts:
            yield fact.span, f"{fact.table}.{fact.row}.{fact.field} = {fact_text(fact)}"
