"""The part of Nix that recipes are read by, as a tree. What is not of it is `Other`."""

from __future__ import annotations

# The originals: nodes inherit a field, and only `audit` loads them.
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Place:
    """Where a node stands: offsets in code points, the end exclusive."""

    start: int
    end: int


NOWHERE = Place(0, 0)


@dataclass(frozen=True, slots=True)
class Node:
    """An expression. Two are equal when they say the same, wherever they stand."""

    place: Place = field(compare=False, kw_only=True, default=NOWHERE)


@dataclass(frozen=True, slots=True)
class Name(Node):
    name: str


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string of either form: texts, unescaped and without their indentation, and holes."""

    parts: tuple[str | Node, ...]


@dataclass(frozen=True, slots=True)
class Number(Node):
    text: str


@dataclass(frozen=True, slots=True)
class PathName(Node):
    """A path; `<nixpkgs>` when `search` is set, then without its brackets."""

    text: str
    search: bool = False


@dataclass(frozen=True, slots=True)
class Select(Node):
    base: Node
    path: tuple[str | Node, ...]
    default: Node | None = None


@dataclass(frozen=True, slots=True)
class Call(Node):
    function: Node
    argument: Node


@dataclass(frozen=True, slots=True)
class Lambda(Node):
    """`whole` is the name of the argument, None for a pattern without one; `formals` are the names
    of a pattern with their defaults, None where there is no pattern."""

    whole: str | None
    formals: tuple[tuple[str, Node | None], ...] | None
    body: Node


@dataclass(frozen=True, slots=True)
class Binding(Node):
    path: tuple[str | Node, ...]
    value: Node


@dataclass(frozen=True, slots=True)
class Inherit(Node):
    names: tuple[str, ...]
    source: Node | None = None


Bindings = tuple[Binding | Inherit, ...]


@dataclass(frozen=True, slots=True)
class Attrs(Node):
    bindings: Bindings
    recursive: bool = False


@dataclass(frozen=True, slots=True)
class Let(Node):
    bindings: Bindings
    body: Node


@dataclass(frozen=True, slots=True)
class With(Node):
    environment: Node
    body: Node


@dataclass(frozen=True, slots=True)
class Assert(Node):
    body: Node


@dataclass(frozen=True, slots=True)
class ListOf(Node):
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Binary(Node):
    operator: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class If(Node):
    condition: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True)
class Not(Node):
    inner: Node


@dataclass(frozen=True, slots=True)
class Other(Node):
    """What is not followed: `a ? b`, operators without a case of their own. `within` are its
    parts."""

    kind: str
    within: tuple[Node, ...] = ()


class NotNix(Exception):
    """A text that is no Nix, or too much of it; `reason` is a clause for a person."""

    def __init__(self, reason: str, offset: int = 0) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


class NoReader(Exception):
    """The library that reads Nix is not installed."""
