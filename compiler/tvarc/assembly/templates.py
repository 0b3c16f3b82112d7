"""Printed text with holes, and what may fill them."""

from __future__ import annotations

from tvarc.light import Callable, Collection, fields, is_dataclass, replace
from tvarc.nix.syntax import NixString
from tvarc.sema.budget import LIMIT_TEXT

# Wider than any line: what is laid out alike with the narrowest and with the widest filling is
# laid out so with each between them.
_WIDE = 120
_LONGEST = 1000
_ESCAPED = frozenset("\"\\$'{}")

Template = tuple[tuple[bytes, ...], str]
"""Texts, and the characters of the holes between them: one fewer."""


class Unsteady(Exception):
    """The layout of a text depends on what fills its holes."""


def fills(text: str) -> bool:
    """Whether *text* may stand in a hole of any string: it is printed as it is, and the string
    around it as with any other."""
    return (
        0 < len(text) <= _LONGEST
        and text.isprintable()
        and _ESCAPED.isdisjoint(text)
        and text[0] != " "
        and text[-1] != " "
    )


def print_with_holes(
    print_all: Callable[[Callable[[object], object]], str], holes: Collection[str]
) -> Template:
    """What *print_all* prints, as a template. It is given a function that every tree goes
    through before it is printed. Raises Unsteady."""
    text = print_all(lambda tree: tree)
    found = "".join(sorted(set(text).intersection(holes)))
    if not found:
        return (text.encode(),), ""
    table = {ord(char): char * _WIDE for char in found}
    if len(text) + _LONGEST * sum([text.count(char) for char in found]) > LIMIT_TEXT:
        raise Unsteady  # filled, it may be longer than a text can be, which is told of elsewhere
    wide = print_all(lambda tree: _widened(tree, table))
    for char in found:
        wide = wide.replace(char * _WIDE, char)
    if wide != text:
        raise Unsteady
    for char in found:
        text = text.replace(char, f"\0{char}\0")
    pieces = text.split("\0")
    return tuple([piece.encode() for piece in pieces[::2]]), "".join(pieces[1::2])


def _widened(node: object, table: dict[int, str]) -> object:
    """A Nix tree with each hole in its strings made as wide as *table* says."""
    if isinstance(node, tuple):
        return tuple([_widened(item, table) for item in node])
    if isinstance(node, NixString):
        parts = tuple(
            [
                part.translate(table) if isinstance(part, str) else _widened(part, table)
                for part in node.parts
            ]
        )
        return NixString(parts, node.block)  # type: ignore[arg-type]
    if is_dataclass(node) and not isinstance(node, type):
        changed = {
            field.name: _widened(getattr(node, field.name), table)
            for field in fields(node)
            if not isinstance(getattr(node, field.name), str | bool | int | None)
        }
        return replace(node, **changed) if changed else node
    return node
