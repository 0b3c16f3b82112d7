"""The outline of a source: its declarations with what they contain, the parts to fold, and the
nodes around a place."""

from __future__ import annotations

from tvarc.light import Final, Iterator, Literal, dataclass, fields, is_dataclass
from tvarc.syntax import ast
from tvarc.text.source import Source, Span

EntryKind = Literal[
    "module", "let", "table", "field", "row", "axis", "pin", "input", "overlay", "recipe", "matrix",
    "output", "flag", "need", "setting", "block", "condition", "script", "part",
]  # fmt: skip

_KINDS: dict[type[ast.Item], EntryKind] = {
    ast.Let: "let",
    ast.Facts: "table",
    ast.Axis: "axis",
    ast.Pin: "pin",
    ast.Input: "input",
    ast.Overlay: "overlay",
    ast.Patch: "overlay",
    ast.Recipe: "recipe",
    ast.Matrix: "matrix",
    ast.Variant: "matrix",
    ast.Output: "output",
    ast.Flag: "flag",
    ast.Needs: "need",
    ast.Block: "block",
    ast.Script: "script",
    ast.Part: "part",
}

_OTHERS: Final = ("module", "setting", "block", "condition", "script", "part")
"""The kinds whose names are no names of the program."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A declaration or a setting. `at` is its name, which is a part of `span`."""

    name: str
    kind: EntryKind
    span: Span
    at: Span
    inner: tuple[Entry, ...] = ()


def outline(tree: ast.Module, source: Source) -> tuple[Entry, ...]:
    """The declarations of *tree*, which was read from *source*, in their order."""
    return tuple(_entries(tree.items, source))


def declared(entries: tuple[Entry, ...], owner: str = "") -> Iterator[tuple[Entry, str]]:
    """The *entries* that have a name of the program, at all depths, each with its owner."""
    for one in entries:
        if one.kind not in _OTHERS:
            yield one, owner
        yield from declared(one.inner, owner if one.kind in _OTHERS else one.name)


def folds(tree: ast.Module, source: Source) -> Iterator[Span]:
    """The items of *tree*, at all depths, that take several lines."""
    items: list[ast.Item | ast.Row] = [*tree.items]
    for item in items:
        if "\n" in source.text[item.span.start : item.span.end]:
            yield item.span
        items += _rows(item) if isinstance(item, ast.Facts | ast.Axis) else ()
        items += ast.items_in(item) if not isinstance(item, ast.Row) else ()


def nodes_at(tree: object, at: int) -> list[object]:
    """The nodes of *tree* that contain the character at the offset *at*, the outermost first."""
    chain: list[object] = []
    node: object | None = tree
    while node is not None:
        chain.append(node)
        node = next((one for one in _nodes_in(node) if _has(one, at)), None)
    return chain


def around(tree: ast.Module, offset: int) -> list[Span]:
    """The parts of a source to select around *offset*, the smallest first. Each contains the one
    before."""
    found: list[Span] = []
    for at in (offset, offset - 1):
        for node in nodes_at(tree, at):
            span: Span | None = getattr(node, "span", None)
            if span is not None and span.start <= offset <= span.end:
                found.append(span)
    chosen: list[Span] = []
    for span in sorted(set(found), key=lambda one: one.end - one.start):
        if not chosen or (span != chosen[-1] and span.has(chosen[-1])):
            chosen.append(span)
    return chosen


def _nodes_in(node: object) -> Iterator[object]:
    for field in fields(node):  # type: ignore[arg-type]
        value = getattr(node, field.name)
        for one in value if isinstance(value, tuple) else (value,):
            for part in one if isinstance(one, tuple) else (one,):
                if is_dataclass(part) and not isinstance(part, Span):
                    yield part


def _has(node: object, at: int) -> bool:
    span: Span | None = getattr(node, "span", None)
    if isinstance(node, ast.Else):  # its span is the word alone
        return any(_has(one, at) for one in node.body)
    if isinstance(node, ast.When) and node.otherwise is not None and _has(node.otherwise, at):
        return True
    return span is not None and span.start <= at < span.end


def _entries(items: tuple[ast.Item, ...], source: Source) -> Iterator[Entry]:
    for item in items:
        kind = _KINDS.get(type(item))
        of: ast.Key | None = getattr(item, "of", None)  # the name of a test
        name: ast.Name | ast.Key | None = of or getattr(item, "name", None)
        inner = tuple(_entries(ast.items_in(item), source))
        if isinstance(item, ast.Facts | ast.Axis):
            inner = tuple(_facts(item))
        if kind is not None and name is not None:
            yield Entry(name.text, kind, item.span, name.span, inner)
            continue
        match item:
            case ast.Assign():
                text = ".".join([key.text for key in item.path])
                yield Entry(text, "setting", item.span, item.path[0].span.to(item.path[-1].span))
            case ast.When():
                text = _shown(item.condition.span, source)
                yield Entry(f"when {text}", "condition", item.span, item.condition.span, inner)
            case ast.Use():
                yield Entry(_shown(item.target, source), "module", item.span, item.target)
            case _:
                pass


def _facts(item: ast.Facts | ast.Axis) -> Iterator[Entry]:
    if isinstance(item, ast.Facts):
        for field in item.fields:
            yield Entry(field.name.text, "field", field.span, field.name.span)
    for row in _rows(item):
        yield Entry(row.name.text, "row", row.span, row.name.span)


def _rows(item: ast.Facts | ast.Axis) -> tuple[ast.Row, ...]:
    return item.rows or ()


def _shown(span: Span, source: Source) -> str:
    """The text at *span*, on one line."""
    return " ".join(source.text[span.start : span.end].split())
