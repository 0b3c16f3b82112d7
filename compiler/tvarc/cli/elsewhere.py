"""Where to make by hand what a bump does not: the declaration that a value is taken from, and the
axis that has the versions of a name."""

from __future__ import annotations

from tvarc.light import Iterator
from tvarc.sema.load import ModuleGraph
from tvarc.source import Span
from tvarc.syntax import ast


def taken_from(value: ast.Expr, graph: ModuleGraph) -> tuple[list[tuple[Span, str]], str]:
    """Where what *value* names is declared: in the program's own files the places, with what to say
    of each; else a note, empty where nothing is known."""
    name = _root(value)
    if name is None:
        return [], ""
    own = [(span, "it is declared here") for span in _declared(name, graph, std=False)]
    if own:
        return own, ""
    library = next(_declared(name, graph, std=True), None)
    return [], f"`{name}` is of the library, {library.file}" if library is not None else ""


def axes_of(name: str, graph: ModuleGraph) -> list[tuple[Span, str]]:
    """The values of each axis that takes rows of a table which *name* is a word of, such as
    `torch-release` for `torch`."""
    found: list[tuple[Span, str]] = []
    for module in graph.modules.values():
        for item in () if module.std else module.tree.items:
            if not isinstance(item, ast.Axis) or item.source is None:
                continue
            table = _root(item.source)
            if table is not None and name in table.split("-"):
                text = f"`axis {item.name.text}` takes rows of `{table}`"
                found.append((item.source.span, text))
    return found


def _root(value: ast.Expr) -> str | None:
    """The name that *value* begins with, where it is one, a row of one, or a field of that."""
    while isinstance(value, ast.Member | ast.Index):
        value = value.base
    return value.name if isinstance(value, ast.Ref) else None


def _declared(name: str, graph: ModuleGraph, *, std: bool) -> Iterator[Span]:
    """Where the program, or with *std* the library, declares something called *name*."""
    for module in graph.modules.values():
        if module.std is not std:
            continue
        for item in module.tree.items:
            if isinstance(item, ast.Let | ast.Axis | ast.Facts) and item.name.text == name:
                yield item.name.span
            if isinstance(item, ast.Axis | ast.Facts):
                yield from [row.name.span for row in item.rows or () if row.name.text == name]
