"""What packages run with, as Nix evaluates it: their inputs for the machine that runs them.

Before a build only inputs are known. Which of them a result refers to is known after it.
"""

from __future__ import annotations

from collections import deque

from tvarc.light import Any, Iterator, Mapping, dataclass, replace
from tvarc.nix.judge.derivation import parsed_name


@dataclass(frozen=True, slots=True)
class Node:
    """A derivation: the system that builds it, the features that it asks a machine for, and its
    inputs. What depends on it gets those that are `propagated`, too."""

    system: str
    features: tuple[str, ...]
    inputs: tuple[str, ...]
    propagated: tuple[str, ...]


Graph = Mapping[str, Node]
"""Derivations by their paths."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A derivation, and those through which a variant gets it, from the variant on. `variant` is
    the name of the variant that it is, if it is one that is needed."""

    NULLS = ("variant",)

    derivation: str
    through: tuple[str, ...]
    variant: str = ""


def graph_in(told: Mapping[str, Mapping[str, Any]]) -> dict[str, Node]:
    """The graph that an evaluator reports."""
    return {
        path: Node(
            str(one["system"]),
            tuple(sorted(one["features"].split())),
            tuple(one["inputs"]),
            tuple(one["propagated"]),
        )
        for path, one in told.items()
    }


class RunsWith:
    """All that the derivation *start* runs with, the nearest first. With *propagated*, only what
    reaches those who depend on it."""

    def __init__(self, graph: Graph, start: str, *, propagated: bool = False) -> None:
        self._start = start
        self._above: dict[str, str] = {}
        waiting = deque([start])
        while waiting:
            path = waiting.popleft()
            one = graph.get(path)
            for other in (*one.propagated, *(() if propagated else one.inputs)) if one else ():
                if other != start and other not in self._above:
                    self._above[other] = path
                    waiting.append(other)

    def __iter__(self) -> Iterator[str]:
        return iter(self._above)

    def copy(self, path: str) -> Copy:
        """*path*, with the shortest way to it."""
        through: list[str] = []
        above = self._above[path]
        while above != self._start:
            through.append(above)
            above = self._above[above]
        return Copy(path, tuple(reversed(through)))


def copies(graph: Graph, start: str, needed: Mapping[str, str]) -> dict[str, tuple[Copy, ...]]:
    """The libraries that *start* gets more than once, as other derivations, by their names. That is
    certain for what is propagated: it is loaded together. Of all other inputs, one of the copies
    has to be a variant that is *needed*, so that the program says which one it means. *needed* has
    its names by derivation. A name without a version is not that of a library."""
    found: dict[str, tuple[Copy, ...]] = {}
    for propagated in (True, False):
        reached = RunsWith(graph, start, propagated=propagated)
        named: dict[str, list[str]] = {}
        for path in reached:
            name, version = parsed_name(path)
            if version:
                named.setdefault(name, []).append(path)
        for name, paths in named.items():
            if len(paths) > 1 and (propagated or not needed.keys().isdisjoint(paths)):
                several = [replace(reached.copy(one), variant=needed.get(one, "")) for one in paths]
                found.setdefault(name, tuple(several))
    return found
