"""Circles among `let`s, found on the syntax before anything is resolved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass

from tvarc.syntax import ast


def names_in(node: object) -> Iterator[str]:
    """Every bare name that a tree reads."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Ref):
            yield node.name
        elif isinstance(node, tuple):
            waiting.extend(node)
        elif is_dataclass(node):
            waiting.extend(getattr(node, f.name) for f in fields(node) if f.name != "span")


def let_cycles(lets: Iterable[ast.Let]) -> dict[str, list[str]]:
    """For each name that is defined by itself: the ring, from the name back to the name."""
    reads = {let.name.text: sorted(set(names_in(let.value))) for let in lets}
    rings: dict[str, list[str]] = {}
    for name in reads:
        ring = _ring(name, reads)
        if ring:
            rings[name] = ring
    return rings


def _ring(name: str, reads: dict[str, list[str]]) -> list[str]:
    """The shortest way from *name* back to it, or an empty list."""
    came: dict[str, str] = {}
    waiting = [name]
    for current in waiting:
        for target in reads.get(current, ()):
            if target == name:
                way = [current]
                while way[-1] != name:
                    way.append(came[way[-1]])
                return [*reversed(way), name]
            if target in reads and target not in came:
                came[target] = current
                waiting.append(target)
    return []
