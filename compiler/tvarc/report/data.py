"""A decided variant as data for programs: complete, and the same for the same input."""

from __future__ import annotations

from tvarc import ir
from tvarc.plain import Data, Json, place_data, value_data
from tvarc.report.lookup import path_text
from tvarc.report.tree import Node
from tvarc.source import SourceMap, Span
from tvarc.values import Missing


def tree_data(tree: Node, sources: SourceMap) -> Data:
    """The tree of a variant: one key a block, each value with its origin."""
    data: Data = {"variant": str(tree.value)}
    for block in tree.children:
        data[block.label] = node_data(block, sources)
        if block.kind == "block" and block.shadowed:
            rows: list[Json] = [_shadowed(one, sources) for one in block.shadowed]
            data[f"{block.label}-shadowed"] = rows
    return data


def node_data(node: Node, sources: SourceMap) -> Json:
    """One node. `value` is plain JSON where the value is; see `value_data` for the others."""
    match node.kind:
        case "block":
            return [node_data(child, sources) for child in node.children]
        case "variant":
            return tree_data(node, sources)
        case _:
            pass
    data: Data = {"path": path_text(node.path), "name": node.label}
    if not isinstance(node.value, Missing):
        data["value"] = value_data(node.value)
    if node.kind == "part" and isinstance(node.value, Missing):
        data["own"] = True
    if node.of:
        data["of"] = node.of
    if node.because:
        data["because"] = node.because
    if node.extends:
        data["extends"] = True
    if not isinstance(node.head, Missing):
        data["head"] = value_data(node.head)
    data["origin"] = origin_data(node.origin, sources)
    if node.declared is not None:
        data["declared"] = place_data(node.declared, sources)
    if node.shadowed:
        data["shadowed"] = [_shadowed(one, sources) for one in node.shadowed]
    _children(node, data, sources)
    return data


def _children(node: Node, data: Data, sources: SourceMap) -> None:
    name = {"axis": "facts", "pin": "fields", "overlay": "changes", "script": "parts"}.get(
        node.kind, "keys"
    )
    for child in node.children:
        group = {"element": "elements", "removed": "removed"}.get(child.kind, name)
        rows = data.setdefault(group, [])
        assert isinstance(rows, list)
        rows.append(
            {"name": child.label, "items": node_data(child, sources)}
            if child.kind == "block"
            else node_data(child, sources)
        )


def _shadowed(one: ir.Shadowed, sources: SourceMap) -> Data:
    return {
        "op": one.op,
        "value": value_data(one.value),
        "why": one.why,
        "origin": origin_data(one.origin, sources),
    }


def origin_data(origin: ir.Origin | None, sources: SourceMap) -> Json:
    """`file`, `line`, `column`, `layer`, and the `conditions` with their text; null for none."""
    if origin is None:
        return None
    conditions: list[Json] = [
        {**place_data(span, sources), "text": span_text(span, sources)}
        for span in origin.conditions
    ]
    return {
        **place_data(origin.span, sources),
        "layer": origin.layer,
        "conditions": conditions,
    }


def span_text(span: Span, sources: SourceMap) -> str:
    """What is written at *span*, on one line."""
    source = sources.get(span.file)
    return " ".join(source.text[span.start : span.end].split()) if source is not None else ""
