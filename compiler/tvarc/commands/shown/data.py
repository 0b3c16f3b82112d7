"""A decided variant as data for programs: complete, and the same for the same input."""

from __future__ import annotations

from tvarc.commands.shown.inputs import by_name, fields_of, shown
from tvarc.commands.shown.lookup import path_text
from tvarc.commands.shown.tree import Node
from tvarc.commands.shown.why import Why
from tvarc.light import Callable, Final, Iterator
from tvarc.nix import ir
from tvarc.text.source import SourceMap, Span
from tvarc.values.plain import Data, Json, place_data, value_data
from tvarc.values.reads import ElementStep, FactRead, NameRead, Reads
from tvarc.values.value import Missing, NixCall, show

_READING: Final = ("setting", "element", "part", "line", "plain", "need")
_SHORT: Final = 60


def tree_data(tree: Node, sources: SourceMap, why: Why | None = None) -> Data:
    """The tree of a variant: one key a block, each value with its origin."""
    data: Data = {"variant": str(tree.value)}
    for block in tree.children:
        data[block.label] = node_data(block, sources, why)
        if block.kind == "block" and block.shadowed:
            rows: list[Json] = [_shadowed(one, block, sources, why) for one in block.shadowed]
            data[f"{block.label}-shadowed"] = rows
    return data


def node_data(node: Node, sources: SourceMap, why: Why | None = None) -> Json:
    """One node. `value` is plain JSON if the value is; see `value_data` for the others. With *why*,
    the data has the values that conditions read, the values that the node read, and how ranks
    compare."""
    match node.kind:
        case "block":
            return [node_data(child, sources, why) for child in node.children]
        case "variant":
            return tree_data(node, sources, why)
        case _:
            pass
    data: Data = {"path": path_text(node.path), "name": node.label}
    if not isinstance(node.value, Missing) and isinstance(node.head, Missing):
        data["value"] = value_data(
            by_name(node.value)
        )  # with a head, the value is only what is added to the head
    if node.kind == "part" and isinstance(node.value, Missing):
        data["own"] = True
    if node.kind == "element" and node.of:
        data["spread"] = True
    elif node.of:
        data["of"] = node.of
    if node.because:
        data["because"] = node.because
    if node.kind == "unset":
        data["unset"] = True
    if node.extends:
        data["extends"] = True
    if not isinstance(node.head, Missing):
        data["head"] = value_data(by_name(node.head))
    data["origin"] = origin_data(node.origin, sources, why)
    at = place_of(node, why)
    apart = node.kind in ("line", "element") or at != node.span
    if at is not None and node.origin is not None and apart:
        data["at"] = place_data(at, sources)
    if why is not None:
        data.update(_reads_data(all_reads(node, why), sources))
        nothing: list[Json] = [
            {**_reads_data(why.reads(origin), sources), "origin": origin_data(origin, sources, why)}
            for origin in added_nothing(node, why)
        ]
        if nothing:
            data["added-nothing"] = nothing
    if node.declared is not None:
        data["declared"] = place_data(node.declared, sources)
    if node.shadowed:
        data["shadowed"] = [_shadowed(one, node, sources, why) for one in node.shadowed]
    _children(node, data, sources, why)
    return data


def place_of(node: Node, why: Why | None) -> Span | None:
    """Where *node* is written: a line of a text, an element of a list and an entry of a record by
    its own place."""
    if node.origin is None or why is None:
        return node.span
    if node.kind == "line":
        return why.line(node.origin, node.line, node.path[:-1])
    if node.steps is not None and node.kind in ("element", "setting"):
        return why.place(node.origin, node.path[: len(node.path) - len(node.steps)], node.steps)
    return node.span


def reads_of(node: Node, why: Why) -> Reads:
    """The values that the value of *node* itself read; a list or record made of parts has them at
    its parts."""
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
    """The values that the value of *node* read; for one made of parts, only those that no part
    has."""
    apart = any(child.origin != node.origin for child in node.children)
    return rest_of(node, why) if apart else reads_of(node, why)


def added_nothing(node: Node, why: Why) -> Iterator[ir.Origin]:
    """The `+=` to the list *node* that apply and have no element."""
    if node.kind == "setting" and isinstance(node.value, tuple):
        yield from why.added_nothing(node.path)


def rest_of(node: Node, why: Why) -> Reads:
    """The values that a list or record read without getting a part from them: they decide that it
    has no more, as in `...(if big then ["c"] else [])`."""
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
    """What was read, and its value where that is short."""
    if one.kind == "input" and isinstance(one.value, NixCall):
        fields = ", ".join(f"{name} {text}" for name, text in fields_of(one.value) if name != "url")
        return f"input {one.name}: {fields}"
    text = f"let {one.name}" if one.kind == "let" else one.kind
    value = shown(one.value)
    return f"{text} = {value}" if len(value) <= _SHORT else text


def fact_text(fact: FactRead, *why: str) -> str:
    """The value of *fact* and, in brackets, the reason to show it and how reliable it is."""
    told = "; ".join(filter(None, (*why, fact.mark, ", ".join(fact.sources))))
    return f"{show(fact.value)} ({told})" if told else show(fact.value)


def _fact_data(fact: FactRead, sources: SourceMap) -> Data:
    data: Data = {
        "table": fact.table,
        "row": fact.row,
        "field": fact.field,
        "value": value_data(fact.value),
        "sources": list(fact.sources),
        "mark": fact.mark or None,
        **place_data(fact.span, sources),
    }
    if fact.because:
        data["because"] = fact.because
    if fact.shadowed is not None:
        data["shadowed"] = _fact_data(fact.shadowed, sources)
    return data


def _reads_data(reads: Reads, sources: SourceMap) -> Data:
    data: Data = {}
    if reads.facts:
        data["reads"] = [_fact_data(one, sources) for one in reads.facts]
    if reads.settings:
        data["settings"] = list(reads.settings)
    if reads.names:
        data["names"] = [
            {
                "kind": one.kind,
                "name": one.name,
                "value": value_data(one.value),
                **place_data(one.span, sources),
            }
            for one in reads.names
        ]
    return data


def _children(node: Node, data: Data, sources: SourceMap, why: Why | None) -> None:
    name = {
        "axis": "facts",
        "input": "fields",
        "overlay": "changes",
        "pin": "fields",
        "script": "parts",
    }.get(node.kind, "keys")
    for child in node.children:
        group = {"element": "elements", "removed": "removed", "part": "parts"}.get(child.kind, name)
        rows = data.setdefault(group, [])
        assert isinstance(rows, list)
        rows.append(
            {"name": child.label, "items": node_data(child, sources, why)}
            if child.kind == "block"
            else node_data(child, sources, why)
        )


def _shadowed(one: ir.Shadowed, node: Node, sources: SourceMap, why: Why | None) -> Data:
    data: Data = {
        "op": one.op,
        "value": value_data(by_name(one.value)),
        "why": one.reason,
        "origin": origin_data(one.origin, sources, why),
    }
    if why is not None and node.origin is not None:
        data["rank"] = why.rank(node.origin, one.origin) or None
    return data


def origin_data(
    origin: ir.Origin | None,
    sources: SourceMap,
    why: Why | None = None,
    name: Callable[[str], str] | None = None,
) -> Json:
    """`file`, `line`, `column`, `layer`, and the `conditions` with their text; null for none. With
    *why* a condition has what it asks about, by its text; *name* gives the file its name."""
    if origin is None:
        return None
    conditions: list[Json] = []
    held = {one.span: one for one in why.conditions(origin)} if why is not None else {}
    for span in origin.conditions:
        data: Data = {**place_data(span, sources), "text": span_text(span, sources)}
        if span in held:
            data["operands"] = {text: value_data(value) for text, value in held[span].operands}
            data.update(_reads_data(held[span].reads, sources))
        conditions.append(data)
    place = place_data(origin.span, sources)
    if name is not None:
        place["file"] = name(origin.span.file)
    return {
        **place,
        "layer": origin.layer,
        "conditions": conditions,
    }


def span_text(span: Span, sources: SourceMap) -> str:
    """What is written at *span*, on one line."""
    source = sources.get(span.file)
    return " ".join(source.text[span.start : span.end].split()) if source is not None else ""
