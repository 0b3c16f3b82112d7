"""Values and places as plain data, for JSON."""

from __future__ import annotations

from tvarc.light import Iterable, Iterator
from tvarc.text.source import SourceMap, Span
from tvarc.values.value import (
    DeclValue,
    NoneValue,
    PathValue,
    Record,
    RowValue,
    Value,
    Version,
    show,
)

Data = dict[str, "Json"]
Json = str | int | bool | None | list["Json"] | Data


def json_text(data: object, *, indent: int | None = 2, ascii: bool = True) -> str:
    """*data* as JSON, with the end of its line."""
    import json  # it is not asked for often

    return json.dumps(data, indent=indent, ensure_ascii=ascii) + "\n"


def json_rows(rows: Iterable[Data]) -> Iterator[str]:
    """*rows* as one list in JSON, indented, a row after another: none has to be kept."""
    import json

    before = "[\n"
    for row in rows:
        lines = json.dumps(row, indent=2).splitlines()
        yield before + "\n".join(f"  {line}" for line in lines)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def place_data(span: Span, sources: SourceMap) -> Data:
    source = sources.get(span.file)
    if source is None:
        return {"file": span.file, "line": None, "column": None}
    at = source.position(span.start)
    return {"file": span.file, "line": at.line, "column": at.column}


def value_data(value: Value) -> Json:
    """A value as JSON. Versions and names of rows and declarations are strings; a value that
    only Nix knows is `{"nix": …}`, a file `{"path": …}`, `none` is `{"none": true}`."""
    match value:
        case bool() | str() | int() | None:
            return value
        case Version():
            return value.text
        case RowValue() | DeclValue():
            return value.name
        case tuple():
            return [value_data(item) for item in value]
        case Record():
            return {key: value_data(item) for key, item in value}
        case PathValue():
            return {"path": value.file}
        case NoneValue():
            return {"none": True}
        case _:
            return {"nix": show(value)}
