"""The text of a value that names inputs, and the description of these."""

from __future__ import annotations

from tvarc.values.value import (
    NixCall,
    NixRef,
    NixText,
    NixValue,
    PathValue,
    Record,
    Value,
    is_nix,
    show,
)


def fields_of(source: NixCall) -> tuple[tuple[str, Value], ...]:
    """The properties of the input *source* besides its name: its place, its commit, its hash."""
    return tuple(
        (name, value.file if isinstance(value, PathValue) else value)
        for name, value in source.arguments
        if name != "name"
    )


def shown(value: Value) -> str:
    """*value* for a person, with inputs by their names; their sources are shown elsewhere."""
    return show(by_name(value))


def by_name(value: Value) -> Value:
    """*value* with the names of inputs instead of their sources."""
    match value:
        case NixCall("input"):
            return NixRef(str(value.argument("name")), ())
        case NixCall():
            arguments = tuple([(name, by_name(one)) for name, one in value.arguments])
            return NixCall(value.function, arguments)
        case tuple():
            return tuple(map(by_name, value))
        case Record():
            return Record(tuple([(key, by_name(one)) for key, one in value.entries]))
        case NixText():
            return NixText(tuple(map(_part, value.parts)))
        case _:
            return value


def _part(part: str | NixValue) -> str | NixValue:
    made = by_name(part)
    assert isinstance(made, str) or is_nix(made)
    return made
