"""The lock as text. No other module writes TOML."""

from __future__ import annotations

from tvarc.decide.lock import FORMAT, Entry
from tvarc.light import Iterable, Iterator
from tvarc.meaning.evaluation.fetched import KINDS, Fetched, Field

_HEAD = (
    "# The hashes of sources that the program fetches without stating a hash.",
    "# `tvarc lock` writes this file. Keep it in version control.",
)
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def lock_text(entries: Iterable[Entry]) -> str:
    """The text of a lock with *entries*. They are sorted, so that a change of one entry changes
    only its lines."""
    lines = [*_HEAD, f"version = {FORMAT}"]
    for entry in sorted(entries, key=lambda entry: source_order(entry.source)):
        lines += ["", "[[source]]", *_fields(entry)]
    return "".join(f"{line}\n" for line in lines)


def source_order(source: Fetched) -> tuple[int, tuple[tuple[int, str], ...]]:
    """The sort key of a source: its kind, then its fields."""
    kinds, names = list(KINDS), list(KINDS[source.kind])
    return (
        kinds.index(source.kind),
        tuple((names.index(name), _value(value)) for name, value in source.fields),
    )


def _fields(entry: Entry) -> Iterator[str]:
    yield f"kind = {_value(entry.source.kind)}"
    for name, value in entry.source.fields:
        yield f"{name} = {_value(value)}"
    yield f"hash = {_value(entry.hash)}"
    yield f"date = {_value(entry.date)}"
    yield f"by = {_value(entry.by)}"


def _value(value: Field) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case str():
            return '"' + "".join(map(_character, value)) + '"'
        case tuple():
            return "[" + ", ".join(map(_value, value)) + "]"


def _character(char: str) -> str:
    if char in _ESCAPES:
        return _ESCAPES[char]
    return char if char.isprintable() else f"\\U{ord(char):08x}"
