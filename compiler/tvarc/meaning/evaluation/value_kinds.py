"""The kinds of values, with the names that signatures and field types use."""

from __future__ import annotations

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
    Value,
    Version,
)

_ARTICLES = {
    "string": "a string",
    "version": "a version",
    "row": "an axis value",
    "list": "a list",
    "record": "a record",
    "bool": "true or false",
    "none": "none",
    "unlocked": "`unlocked`",
    "int": "an integer",
    "float": "a float",
    "path": "a path",
    "null": "null",
    "any": "anything",
    "nix": "a Nix value",
}


def article(kind: str) -> str:
    """*kind* with an article: `a string` for `string`."""
    return _ARTICLES.get(kind, kind)


def value_kind(value: Value) -> str:
    """The kind of *value*, as signatures and field types name it."""
    match value:
        case bool():
            return "bool"
        case str():
            return "string"
        case int():
            return "int"
        case float():
            return "float"
        case None:
            return "null"
        case Version():
            return "version"
        case tuple():
            return "list"
        case Record():
            return "record"
        case RowValue():
            return "row"
        case DeclValue():
            return value.kind
        case NixRef() | NixSource() | NixText() | NixCall() | Late():
            return "nix"
        case PathValue():
            return "path"
        case NoneValue():
            return "none"
        case UnlockedValue():
            return "unlocked"
