"""Programs of the project with parts of each other in them."""

from __future__ import annotations

import re
from random import Random

from fuzz import material
from fuzz.cases import Case, program

# Roughly the tokens of the language: what is cut need not be whole.
_TOKEN = re.compile(r'"""|"(?:[^"\\\n]|\\.)*"|\{\{|\}\}|[\w-]+|[<>=!+-]=|\.\.\.?|\s+|.', re.DOTALL)
_EXPRESSIONS = (
    "Ref", "Member", "Index", "StringLit", "IntLit", "VersionLit", "BoolLit", "NullLit", "NoneLit",
    "NixLit", "ListLit", "RecordLit", "Not", "Compare", "Logic", "Conditional", "Call", "Product",
)  # fmt: skip
_ITEMS = (
    "Use", "Let", "Facts", "Axis", "Pin", "Overlay", "Patch", "Recipe", "Matrix", "Variant",
    "Output", "Exclude", "Require", "Warn", "Flag", "Assign", "Block", "When", "Script", "Part",
)  # fmt: skip


def swapped(rng: Random) -> Case:
    """A program in which up to four places have come from others. Most of them parse: behind the
    first fault of syntax there is not much to find."""
    text = rng.choice(material.programs())
    must_parse = rng.random() < 0.85
    for _ in range(rng.randint(1, 4)):
        step = rng.choice((_subtree, _subtree, _subtree, _subtree, _within, _tokens, _added))
        changed = step(rng, text)
        if not must_parse or material.parses(changed):
            text = changed
    return program(text)


def _subtree(rng: Random, text: str) -> str:
    """A node of this program gives way to one of any program, mostly of its own kind."""
    nodes = material.nodes(text)
    if not nodes:
        return _tokens(rng, text)
    sort, span = rng.choice(nodes)
    fragments = material.fragments()
    kinds: tuple[str, ...] = (sort,)
    for group in (_EXPRESSIONS, _ITEMS):
        if sort in group and rng.random() < 0.6:
            kinds = group
    if rng.random() < 0.05:
        kinds = tuple(fragments)
    choices = fragments.get(rng.choice(kinds)) or fragments["Ref"]
    return text[: span.start] + rng.choice(choices) + text[span.end :]


def _within(rng: Random, text: str) -> str:
    """Two nodes of one program change places, or one stands in both."""
    nodes = material.nodes(text)
    if len(nodes) < 2:
        return text
    first, last = sorted((rng.choice(nodes)[1], rng.choice(nodes)[1]))
    one, other = text[first.start : first.end], text[last.start : last.end]
    if first.end > last.start:  # one within the other
        return text[: first.start] + other + text[first.end :]
    kept = other if rng.random() < 0.5 else one
    return "".join(
        (text[: first.start], other, text[first.end : last.start], kept, text[last.end :])
    )


def _tokens(rng: Random, text: str) -> str:
    """A run of tokens gives way to one of another program, or to nothing."""
    own = _TOKEN.findall(text)
    theirs = _TOKEN.findall(rng.choice(material.programs()))
    start = rng.randint(0, len(own))
    end = min(len(own), start + rng.choice((0, 0, 1, 1, 2, 5, 20)))
    at = rng.randint(0, len(theirs))
    run = theirs[at : at + rng.choice((0, 1, 1, 2, 5, 20))]
    return "".join((*own[:start], *run, *own[end:]))


def _added(rng: Random, text: str) -> str:
    """A declaration of another program comes along."""
    sort = rng.choice(_ITEMS)
    choices = material.fragments().get(sort) or ("",)
    return f"{text}\n{rng.choice(choices)}\n"
