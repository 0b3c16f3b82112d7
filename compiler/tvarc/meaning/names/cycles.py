"""Circles among `let`s and inputs, found on the syntax before anything is resolved."""

from __future__ import annotations

from tvarc.light import Iterable, Iterator, fields, is_dataclass
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


def let_cycles(lets: Iterable[ast.Let | ast.Input]) -> dict[str, list[str]]:
    """For each name that is defined by itself: the ring, from the name back to the name."""
    reads = {
        let.name.text: sorted(set(names_in(let.value if isinstance(let, ast.Let) else let.body)))
        for let in lets
    }
    reads = {name: [t for t in targets if t in reads] for name, targets in reads.items()}
    rings: dict[str, list[str]] = {}
    for name in _entangled(reads):
        if name in rings:
            continue
        ring = _ring(name, reads)
        for index, member in enumerate(ring[:-1]):
            rings[member] = [*ring[index:-1], *ring[:index], member]
    return rings


def _entangled(reads: dict[str, list[str]]) -> list[str]:
    """The names from which a ring can be reached: the rest after all others are removed."""
    left = {name: len(targets) for name, targets in reads.items()}
    readers: dict[str, list[str]] = {}
    for name, targets in reads.items():
        for target in targets:
            readers.setdefault(target, []).append(name)
    waiting = [name for name, count in left.items() if not count]
    for name in waiting:
        for reader in readers.get(name, ()):
            left[reader] -= 1
            if not left[reader]:
                waiting.append(reader)
    return [name for name, count in left.items() if count]


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
