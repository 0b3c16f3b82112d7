"""Circles among `let`s and inputs. They are found on the syntax, before anything is resolved."""

from __future__ import annotations

from tvarc.light import Iterable, Iterator, fields, is_dataclass
from tvarc.syntax import ast


def names_in(node: object) -> Iterator[str]:
    """The bare names that the tree *node* reads."""
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
    """The circles, by each name that is defined by itself. A circle begins and ends with that name.
    """
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
    """The names that lead to a circle. All others are removed, one after the other."""
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
    """The shortest chain of names from *name* back to itself; empty if there is none."""
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
