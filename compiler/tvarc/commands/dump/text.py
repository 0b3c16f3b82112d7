"""A readable dump of any tree of dataclasses: the same tree, the same text."""

from __future__ import annotations

from tvarc.light import Enum, Final, Mapping, fields, is_dataclass
from tvarc.text.source import Source, SourceMap, Span

STAGES: Final = ("ast", "hir", "ir", "nix")
"""The nouns of the pipeline that can be shown."""

_INDENT = "  "

_Below = list[tuple[str, object]]  # labels and values


def dump_node(node: object, source: Source | SourceMap) -> str:
    """The tree under *node*, a line for each node or field, each node with its `line:column`.

    Plain fields are on the line of their node, nodes and non-empty collections below it. With a
    Source, places in it have no file; places elsewhere, or with a SourceMap, have one.
    """
    lines: list[str] = []
    waiting: list[tuple[int, str, object]] = [(0, "", node)]
    while waiting:  # not recursive: a dump must show programs that other stages cannot process
        level, label, value = waiting.pop()
        head, below = _describe(value, source)
        lines.append(f"{_INDENT * level}{label}{head}")
        waiting.extend((level + 1, name, part) for name, part in reversed(below))
    return "\n".join(lines) + "\n"


def _describe(value: object, source: Source | SourceMap) -> tuple[str, _Below]:
    """The line of *value*, and the labelled lines below it."""
    if is_dataclass(value) and not isinstance(value, type | Span):
        return _describe_node(value, source)
    if isinstance(value, tuple | list) and value:
        return f"({len(value)})", [("- ", part) for part in value]
    if isinstance(value, Mapping) and value:
        below = [(f"{_plain(key, source)}: ", part) for key, part in value.items()]
        return f"({len(value)})", below
    if isinstance(value, set | frozenset) and value:
        return "{" + ", ".join(sorted(_plain(part, source) for part in value)) + "}", []
    return _plain(value, source), []


def _describe_node(node: object, source: Source | SourceMap) -> tuple[str, _Below]:
    head = type(node).__name__
    below: _Below = []
    inline: list[str] = []
    place = ""
    for field in fields(node):  # type: ignore[arg-type]  # is_dataclass was asked
        if not field.repr or field.name.startswith("_"):
            continue
        value = getattr(node, field.name)
        if field.name == "span" and isinstance(value, Span):
            place = f" {_place(value, source)}"
        elif _is_plain(value):
            inline.append(f" {field.name}={_plain(value, source)}")
        else:
            below.append((f"{field.name}: ", value))
    return head + place + "".join(inline), below


def _is_plain(value: object) -> bool:
    if isinstance(value, tuple | list):
        return all(part is None or isinstance(part, str | int) for part in value)
    if isinstance(value, Mapping):
        return not value
    return isinstance(value, Span) or not is_dataclass(value) or isinstance(value, type)


def _plain(value: object, source: Source | SourceMap) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "true" if value else "false"
        case Enum():
            return value.name
        case Span():
            return _place(value, source)
        case set() | frozenset():
            return "{" + ", ".join(sorted(_plain(part, source) for part in value)) + "}"
        case type():
            return value.__name__
        case _:
            return repr(value)


def _place(span: Span, source: Source | SourceMap) -> str:
    found = source.get(span.file) if isinstance(source, SourceMap) else source
    if found is None or found.file != span.file:
        return f"{span.file}@{span.start}"
    position = found.position(span.start)
    bare = f"{position.line}:{position.column}"
    return bare if isinstance(source, Source) else f"{span.file}:{bare}"
