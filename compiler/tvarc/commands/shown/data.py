"""Code that all views of a decided variant share: the reasons for a value, its place, and the
values that it read."""

from __future__ import annotations

from tvarc.commands.shown.tree import Node, fields_of, shown
from tvarc.light import Final, Iterator, Protocol
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.reads import ElementStep, FactRead, Held, NameRead, Reads, Steps
from tvarc.values.value import MISSING, Missing, NixCall, Value, show


class Why(Protocol):
    """The reasons for the values of one variant. An unknown answer is empty."""

    def conditions(self, origin: ir.Origin) -> tuple[Held, ...]:
        """The conditions of the code written at *origin*."""

    def reads(
        self,
        origin: ir.Origin,
        value: Value | Missing = MISSING,
        line: int | None = None,
        path: ir.Path = (),
        nth: int = 0,
    ) -> Reads:
        """The values that the value written at *origin* read: the whole value, its element *value*
        (the *nth* of equal ones, from 0), or its line number *line* (from 0). For a record, only
        those of the value at *path*."""

    def rank(self, winner: ir.Origin, loser: ir.Origin) -> str:
        """How the ranks compare: `recipe b's \\`=\\` over recipe a's \\`=\\``."""

    def line(self, origin: ir.Origin, number: int, path: ir.Path = ()) -> Span:
        """The place of line *number* (from 0) of a text that was written at *origin*. For a record,
        it is the text at *path*."""

    def place(self, origin: ir.Origin, path: ir.Path, steps: Steps) -> Span:
        """The place of a piece of the value that was written at *origin*. For a record, it is the
        value at *path*, and within it the piece at *steps*."""

    def added_nothing(self, path: ir.Path) -> Iterator[ir.Origin]:
        """The `+=` to the list at *path* that apply but add no element."""


_READING: Final = ("setting", "element", "part", "line", "plain", "need")
SHORT: Final = 60


def place_of(node: Node, why: Why | None) -> Span | None:
    """The place of *node*. A line of a text, an element of a list and an entry of a record have
    places of their own."""
    if node.origin is None or why is None:
        return node.span
    if node.kind == "line":
        return why.line(node.origin, node.line, node.path[:-1])
    if node.steps is not None and node.kind in ("element", "setting"):
        return why.place(node.origin, node.path[: len(node.path) - len(node.steps)], node.steps)
    return node.span


def reads_of(node: Node, why: Why) -> Reads:
    """The values that the value of *node* itself read. For a list or record of parts, the parts
    have them."""
    apart = any(child.origin != node.origin for child in node.children)
    if node.origin is None or apart or node.kind not in _READING:
        return Reads()
    if node.kind == "line":
        return why.reads(node.origin, line=node.line, path=node.path[:-1])
    match node.steps:
        case (ElementStep(value, nth),):
            return why.reads(node.origin, value, nth=nth, path=node.path[:-1])
        case _:
            pass
    return why.reads(node.origin, path=node.path)


def all_reads(node: Node, why: Why) -> Reads:
    """The values that the value of *node* read. For a value of parts, only those that no part
    read."""
    apart = any(child.origin != node.origin for child in node.children)
    return rest_of(node, why) if apart else reads_of(node, why)


def added_nothing(node: Node, why: Why) -> Iterator[ir.Origin]:
    """The `+=` to the list *node* that apply but add no element."""
    if node.kind == "setting" and isinstance(node.value, tuple):
        yield from why.added_nothing(node.path)


def rest_of(node: Node, why: Why) -> Reads:
    """The values that a list or record read without adding a part. They decide that it has no more
    parts, as in `...(if big then ["c"] else [])`."""
    if node.origin is None or node.kind not in _READING:
        return Reads()
    listed = [child for child in node.children if child.kind in ("element", "removed")]
    if listed:
        origins = [node.origin, *(one.origin for one in listed if one.origin is not None)]
        whole = [why.reads(one, path=node.path) for one in dict.fromkeys(origins)]
    else:
        whole = [reads_of(node, why)]
    told = [reads_of(one, why) for one in node.walk() if one is not node]
    facts = {one.span for reads in told for one in reads.facts}
    settings = {one for reads in told for one in reads.settings}
    names = {(one.kind, one.span) for reads in told for one in reads.names}
    return Reads(
        tuple(one for reads in whole for one in reads.facts if one.span not in facts),
        tuple(one for reads in whole for one in reads.settings if one not in settings),
        tuple(one for reads in whole for one in reads.names if (one.kind, one.span) not in names),
    )


def named(one: NameRead) -> str:
    """The path that was read, and its value if that is short."""
    if one.kind == "input" and isinstance(one.value, NixCall):
        fields = ", ".join(f"{name} {text}" for name, text in fields_of(one.value) if name != "url")
        return f"input {one.name}: {fields}"
    text = f"let {one.name}" if one.kind == "let" else one.kind
    value = shown(one.value)
    return f"{text} = {value}" if len(value) <= SHORT else text


def fact_text(fact: FactRead, *why: str) -> str:
    """The value of *fact* and, in brackets, the reason to show it and how reliable it is."""
    told = "; ".join(filter(None, (*why, fact.mark, ", ".join(fact.sources))))
    return f"{show(fact.value)} ({told})" if told else show(fact.value)
