"""Results, values and places as JSON. Every dataclass becomes JSON here.

The result of a command is a frozen dataclass. Its fields are the keys, in order. A field may hold
another result, a value of the language, a mapping, a sequence, a member of an `Enum`, or a value
that JSON has itself. A span becomes the place where it begins. A field that is `ABSENT` has no key.

A dataclass of another room can be a result without changes. Its class describes the result by
attributes:

- `SHOWN` names the fields and properties that are keys, in order, if these are not all fields.
- `KEYS` names the keys that differ from the names of their fields. If the key is empty, the value
  of the field gives its own keys.
- `NULLS` names fields whose empty value is null.
- `OPTIONAL` names fields whose empty value has no key.

`docs/schema/` is made from these dataclasses. A string below a field describes it there.
"""

from __future__ import annotations

from tvarc.light import (
    Any,
    Enum,
    Final,
    Iterable,
    Iterator,
    Mapping,
    dataclass,
    fields,
    is_dataclass,
)
from tvarc.text.source import SourceMap, Span
from tvarc.values.value import (
    DeclValue,
    Late,
    NixCall,
    NixRef,
    NixSource,
    NixText,
    NoneValue,
    PathValue,
    Record,
    RowValue,
    UnlockedValue,
    Version,
    show,
)

Data = dict[str, "Json"]
Json = str | int | float | bool | None | list["Json"] | Data

Count = int
"""An integer from 0."""

Ordinal = int
"""An integer from 1, such as the number of a line."""


@dataclass(frozen=True, slots=True)
class Absent:
    """The value of a field that has no key in this result."""


ABSENT: Final = Absent()


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a source; the line and the column are null if the source is not at hand."""

    file: str
    line: Ordinal | None
    column: Ordinal | None


def json_text(
    data: object, sources: SourceMap | None = None, *, indent: int | None = 2, ascii: bool = True
) -> str:
    """*data* as JSON, with a line end. Spans become places in *sources*."""
    import json  # few commands print JSON

    def default(node: object) -> object:
        return plain(node, sources)

    return json.dumps(data, indent=indent, ensure_ascii=ascii, default=default) + "\n"


def json_data(data: object, sources: SourceMap | None = None) -> Json:
    """*data* as objects, lists and values of JSON."""
    import json

    found: Json = json.loads(json_text(data, sources, indent=None))
    return found


def json_rows(rows: Iterable[object], sources: SourceMap | None = None) -> Iterator[str]:
    """*rows* as one indented list in JSON. Each row is printed before the next one is made."""
    before = "[\n"
    for row in rows:
        lines = json_text(row, sources).splitlines()
        yield before + "\n".join(f"  {line}" for line in lines)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def plain(node: object, sources: SourceMap | None = None) -> object:
    """*node*, whose type JSON lacks, as a type that JSON has. The encoder calls this function for
    each part."""
    match node:
        case Mapping():
            return dict(node)
        case Version():
            return node.text
        case RowValue() | DeclValue():
            return node.name
        case Record():
            return dict(node)
        case PathValue():
            return {"path": node.file}
        case NoneValue():
            return {"none": True}
        case UnlockedValue() | NixRef() | NixSource() | NixText() | NixCall() | Late():
            return {"nix": show(node)}
        case Enum():
            return node.value
        case Span():
            return place_of(node, sources or SourceMap())
        case _ if is_dataclass(node):
            return _fields(node, sources)
        case _:
            raise TypeError(f"{type(node).__name__} is no result")


def _fields(node: Any, sources: SourceMap | None) -> dict[str, object]:
    """The fields of a result by their keys."""
    kind = type(node)
    keys = dict(getattr(kind, "KEYS", ()))
    nulls, optional = getattr(kind, "NULLS", ()), getattr(kind, "OPTIONAL", ())
    data: dict[str, object] = {}
    for name in shown_of(kind):
        value = getattr(node, name)
        key = keys.get(name, name)
        if value is ABSENT or (name in optional and not value):
            continue
        if key:
            data[key] = value or None if name in nulls else value
        elif value is not None:
            whole = plain(value, sources) if isinstance(value, Span) else value
            data.update(whole if isinstance(whole, Mapping) else _fields(whole, sources))
    return data


def shown_of(kind: Any) -> tuple[str, ...]:
    """The names of the fields and properties that a result of the dataclass *kind* has."""
    shown: tuple[str, ...] = getattr(kind, "SHOWN", ()) or tuple([one.name for one in fields(kind)])
    return shown


def place_of(span: Span, sources: SourceMap) -> Place:
    """The place of *span*."""
    source = sources.get(span.file)
    if source is None:
        return Place(span.file, None, None)
    at = source.position(span.start)
    return Place(span.file, at.line, at.column)
