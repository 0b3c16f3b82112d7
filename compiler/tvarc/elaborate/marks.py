"""Values changed so that they print as widely as before: to see where they are printed."""

from __future__ import annotations

from tvarc.light import Iterator, Sequence
from tvarc.values import (
    DeclValue,
    NixCall,
    NixPart,
    NixRef,
    NixSource,
    NixText,
    NixValue,
    PathValue,
    Record,
    RowValue,
    Value,
    Version,
)

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_CAPITALS = _LETTERS.upper()
_HOLES = chr(0x100000)
# No number begins with 0, so none becomes one.
_TURNED = str.maketrans(
    f"{_LETTERS}{_CAPITALS}0123456789",
    f"{_LETTERS[1:]}a{_CAPITALS[1:]}A1234567891",
)


TWINS = 0x10000
"""By so much is the character of a marked hole less than that of the hole."""


def marked_text(text: str) -> str:
    """*text* with each letter and digit another one: as long, and quoted alike."""
    turned = text.translate(_TURNED)
    if turned.isascii() or max(turned) < _HOLES:
        return turned
    return "".join([chr(ord(one) - TWINS) if one >= _HOLES else one for one in turned])


def marked(value: Value) -> Value:
    """Another value that prints on the same lines as *value* does."""
    match value:
        case bool() | None:
            return 11111 if value is False else 1111
        case str():
            return marked_text(value) if value.strip() else 11
        case int():
            return int(marked_text(str(value)))
        case Version():
            return marked_text(value.text)
        case RowValue() | DeclValue():
            return marked_text(value.name)
        case tuple():
            return tuple(marked(item) for item in value) if value else 111
        case Record():
            if not value.entries:
                return 111
            return Record(tuple((key, marked(item)) for key, item in value))
        case PathValue():
            return PathValue(marked_text(value.file))
        case NixRef():
            return NixRef(value.root, tuple(map(marked_text, value.attributes)))
        case NixSource():
            return NixSource(tuple(map(_nix_piece, value.parts)))
        case NixText():
            return NixText(tuple(_piece(part) for part in value.parts))
        case NixCall():
            arguments = tuple((name, marked(item)) for name, item in value.arguments)
            return NixCall(value.function, arguments)
        case _:
            return value


def _piece(part: str | NixValue) -> str | NixValue:
    if isinstance(part, str):
        return marked_text(part)
    changed = marked(part)
    assert isinstance(changed, NixRef | NixSource | NixText | NixCall)
    return changed


def _nix_piece(part: str | NixPart) -> str | NixPart:
    if isinstance(part, str):
        return marked_text(part)
    if part.place == "code" or not isinstance(part.value, str):
        return NixPart(marked(part.value), part.place, part.dollar)
    return NixPart(marked_text(part.value), part.place, part.dollar)


def marked_lines(text: str | NixText, wanted: Sequence[bool]) -> str | NixText:
    """*text* with the lines changed for which *wanted* says so."""
    if isinstance(text, str):
        return "".join(_lines(text, wanted, 0))
    parts: list[str | NixValue] = []
    line = 0
    for part in text.parts:
        if isinstance(part, str):
            parts.append("".join(_lines(part, wanted, line)))
            line += part.count("\n")
        else:
            parts.append(_piece(part) if _at(wanted, line) else part)
    return NixText(tuple(parts))


def _lines(text: str, wanted: Sequence[bool], first: int) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), start=first):
        if number > first:
            yield "\n"
        yield marked_text(line) if _at(wanted, number) else line


def _at(wanted: Sequence[bool], line: int) -> bool:
    return line < len(wanted) and wanted[line]
