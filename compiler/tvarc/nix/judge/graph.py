"""The run-time inputs of packages, as Nix evaluates them. Before a build only inputs are known. The
references of its result are known after the build.
"""

from __future__ import annotations

from collections import deque

from tvarc.light import Any, Final, Iterator, Mapping, dataclass, replace
from tvarc.nix.judge.derivation import parsed_name

_NEAR: Final = 2  # the inputs of a variant, and their inputs
_ALL: Final = 1 << 30


@dataclass(frozen=True, slots=True)
class Node:
    """A derivation: the system that builds it, the features that it requires of a machine, and its
    inputs. Derivations that depend on it also get its `propagated` inputs. The packages of an
    environment are propagated."""

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
    """All run-time inputs of the derivation *start*, the nearest first. On the way to each, at most
    *steps* inputs are not propagated."""

    def __init__(self, graph: Graph, start: str, steps: int = _ALL) -> None:
        self._start = start
        self._above: dict[str, str] = {start: ""}
        waiting, further = deque([start]), deque[str]()
        while waiting:
            path = waiting.popleft()
            one = graph.get(path)
            for others, queue in ((one.propagated, waiting), (one.inputs, further)) if one else ():
                if queue is further and not steps:
                    continue
                for other in others:
                    if other not in self._above:
                        self._above[other] = path
                        queue.append(other)
            if not waiting:
                waiting, further, steps = further, waiting, steps - 1

    def __iter__(self) -> Iterator[str]:
        return (path for path in self._above if path != self._start)

    def copy(self, path: str) -> Copy:
        """*path*, with the way to it."""
        through: list[str] = []
        above = self._above[path]
        while above != self._start:
            through.append(above)
            above = self._above[above]
        return Copy(path, tuple(reversed(through)))


def copies(graph: Graph, start: str, needed: Mapping[str, str]) -> dict[str, tuple[Copy, ...]]:
    """The libraries that *start* gets more than once, as other derivations, by their names. That is
    certain for what is propagated: it is loaded together. Of its own inputs and theirs, one of the
    copies has to be a variant that is *needed*, so that the program says which one it means: many
    packages list tools among their inputs. *needed* has the names of variants by derivation. A name
    without a version is not that of a library."""
    found: dict[str, tuple[Copy, ...]] = {}
    for steps in (0, _NEAR):
        reached = RunsWith(graph, start, steps)
        named: dict[str, list[str]] = {}
        for path in reached:
            name, version = parsed_name(path)
            if version:
                named.setdefault(name, []).append(path)
        for name, paths in named.items():
            if len(paths) > 1 and (not steps or not needed.keys().isdisjoint(paths)):
                several = [replace(reached.copy(one), variant=needed.get(one, "")) for one in paths]
                found.setdefault(name, tuple(several))
    return found
