"""A decided variant, one block or one thing of it, as the result of a command: complete, and the
same for the same input."""

from __future__ import annotations

from tvarc.commands.shown.data import Why, added_nothing, all_reads, place_of
from tvarc.commands.shown.lookup import path_text
from tvarc.commands.shown.tree import Node, by_name
from tvarc.light import Callable, Final, Literal, Mapping, dataclass, replace
from tvarc.nix import ir
from tvarc.text.source import SourceMap, Span
from tvarc.values.plain import ABSENT, Absent, Place
from tvarc.values.plain import place_of as at
from tvarc.values.reads import Reads
from tvarc.values.value import Missing, Value


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that holds: its source text, and the values that it reads in this variant, by
    their source text. For an `else`, the text is the negation of the condition before it."""

    KEYS = (("place", ""), ("read", ""))

    place: Span
    text: str
    operands: Mapping[str, Value] | Absent = ABSENT
    read: Reads | Absent = ABSENT


@dataclass(frozen=True, slots=True)
class Origin:
    """The line that wrote a value, the declaration that contains the line, and the conditions of
    the line."""

    KEYS = (("place", ""),)

    place: Span | Place
    layer: str
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Shadowed:
    """A value that was shadowed. `rank` says which `=` is stronger; null if none is."""

    op: str
    value: Value
    why: str
    origin: Origin
    rank: str | Absent | None = ABSENT


@dataclass(frozen=True, slots=True)
class Addition:
    """A `+=` that applies and has no element, and what it read."""

    KEYS = (("read", ""),)

    read: Reads | Absent
    origin: Origin


@dataclass(frozen=True, slots=True)
class Group:
    """A block within an overlay."""

    name: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that can be asked for. The things below it have a key for each kind: facts, fields,
    parts, keys, elements, changes, and removed values."""

    KEYS = (("read", ""), ("added_nothing", "added-nothing"), ("below", ""))

    path: str
    """The path by which `explain` takes it."""
    name: str
    value: Value | Absent
    own: Literal[True] | Absent
    """The package's own script, which no recipe writes."""
    spread: Literal[True] | Absent
    """The element represents all elements of a list that only Nix knows."""
    of: str | Absent
    """The table of an axis value, the target of an overlay, the part of a line."""
    because: str | Absent
    unset: Literal[True] | Absent
    """The setting is not emitted: `none` removed the values in `shadowed`."""
    extends: Literal[True] | Absent
    """The value is added to what the package has itself."""
    head: Value | Absent
    """A list that only Nix knows, to which the elements are added. There is no `value` then,
    because it would be only a part of the list."""
    origin: Origin | None
    at: Span | Absent
    """The place of a line of a script, of an element of a list, or of an entry of a record that has
    another place than the record."""
    read: Reads | Absent
    added_nothing: tuple[Addition, ...] | Absent
    declared: Span | Absent
    shadowed: tuple[Shadowed, ...] | Absent
    below: Mapping[str, list[Item | Group]]


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant with its blocks. Blocks in which nothing is written are left out. A block of
    overlays that others shadow has them as `overlays-shadowed`."""

    KEYS = (("blocks", ""),)

    variant: str
    blocks: Mapping[str, Item | tuple[Item, ...] | tuple[Shadowed, ...]]


Result = Variant | tuple[Item, ...] | Item
"""A variant, one block of it, or one thing."""

_GROUPS: Final = {
    "axis": "facts",
    "input": "fields",
    "overlay": "changes",
    "pin": "fields",
    "script": "parts",
}
"""The key of the children of a node, by the kind of the node. For every other kind it is `keys`."""


def result_of(node: Node, sources: SourceMap, why: Why | None = None) -> Result:
    """The data of *node*. With *why*, it has the values that conditions read, the values that the
    node read, and how ranks compare."""
    match node.kind:
        case "variant":
            return _variant(node, sources, why)
        case "block":
            return tuple([item_of(child, sources, why) for child in node.children])
        case _:
            return item_of(node, sources, why)


def _variant(tree: Node, sources: SourceMap, why: Why | None) -> Variant:
    blocks: dict[str, Item | tuple[Item, ...] | tuple[Shadowed, ...]] = {}
    for block in tree.children:
        of_block = result_of(block, sources, why)
        assert not isinstance(of_block, Variant)
        blocks[block.label] = of_block
        if block.kind == "block" and block.shadowed:
            blocks[f"{block.label}-shadowed"] = _shadowed(block, sources, why)
    return Variant(str(tree.value), blocks)


def item_of(node: Node, sources: SourceMap, why: Why | None = None) -> Item:
    """One thing with all that is below it. With a head, the value is only what is added to it."""
    headless = isinstance(node.head, Missing)
    spread = node.kind == "element" and bool(node.of)
    place = place_of(node, why)
    apart = node.kind in ("line", "element") or place != node.span
    own_place = place is not None and node.origin is not None and apart
    added = [
        Addition(why.reads(origin), origin_of(origin, sources, why))
        for origin in (added_nothing(node, why) if why is not None else ())
        if why is not None
    ]
    return Item(
        path=path_text(node.path),
        name=node.label,
        value=by_name(node.value) if headless and not isinstance(node.value, Missing) else ABSENT,
        own=True if node.kind == "part" and isinstance(node.value, Missing) else ABSENT,
        spread=True if spread else ABSENT,
        of=node.of if node.of and not spread else ABSENT,
        because=node.because or ABSENT,
        unset=True if node.kind == "unset" else ABSENT,
        extends=True if node.extends else ABSENT,
        head=ABSENT if isinstance(node.head, Missing) else by_name(node.head),
        origin=origin_of(node.origin, sources, why) if node.origin is not None else None,
        at=place if place is not None and own_place else ABSENT,
        read=all_reads(node, why) if why is not None else ABSENT,
        added_nothing=tuple(added) or ABSENT,
        declared=node.declared if node.declared is not None else ABSENT,
        shadowed=_shadowed(node, sources, why) or ABSENT,
        below=_below(node, sources, why),
    )


def _below(node: Node, sources: SourceMap, why: Why | None) -> dict[str, list[Item | Group]]:
    found: dict[str, list[Item | Group]] = {}
    name = _GROUPS.get(node.kind, "keys")
    for child in node.children:
        group = {"element": "elements", "removed": "removed", "part": "parts"}.get(child.kind, name)
        found.setdefault(group, []).append(
            Group(child.label, tuple([item_of(one, sources, why) for one in child.children]))
            if child.kind == "block"
            else item_of(child, sources, why)
        )
    return found


def _shadowed(node: Node, sources: SourceMap, why: Why | None) -> tuple[Shadowed, ...]:
    def rank(lost: ir.Origin) -> str | Absent | None:
        if why is None or node.origin is None:
            return ABSENT
        return why.rank(node.origin, lost) or None

    return tuple(
        [
            Shadowed(
                one.op,
                by_name(one.value),
                one.reason,
                origin_of(one.origin, sources, why),
                rank(one.origin),
            )
            for one in node.shadowed
        ]
    )


def origin_of(
    origin: ir.Origin,
    sources: SourceMap,
    why: Why | None = None,
    name: Callable[[str], str] | None = None,
) -> Origin:
    """Where a value was written. With *why* a condition has what it reads; *name* gives the file
    its name."""
    held = {one.span: one for one in why.conditions(origin)} if why is not None else {}

    def condition(span: Span) -> Condition:
        text = sources.text_of(span)
        if span not in held:
            return Condition(span, text)
        return Condition(span, text, dict(held[span].operands), held[span].reads)

    place: Span | Place = origin.span
    if name is not None:
        place = at(origin.span, sources)
        place = replace(place, file=name(place.file))
    return Origin(place, origin.layer, tuple(map(condition, origin.conditions)))
