"""Late parts in the Nix tree: characters of strings that stand for a text which is filled in later.

Such a character is a mark. It is one that no text of Unicode has, so it is never a part of a text.
"""

from __future__ import annotations

from tvarc.light import Mapping, TypeVar, fields, is_dataclass, replace
from tvarc.nix.language.syntax import NixExpr, NixString, walk

T = TypeVar("T")


def split_marks(text: str) -> list[str]:
    """The texts around the marks in *text*, and the marks between them."""
    found: list[str] = []
    while not text.isascii():
        try:
            text.encode()
            break
        except UnicodeEncodeError as fault:  # only a mark has no form in UTF-8
            found += (text[: fault.start], text[fault.start])
            text = text[fault.start + 1 :]
    return [*found, text]


def marks_in(node: NixExpr) -> set[str]:
    """All marks in the strings of a tree."""
    found: set[str] = set()
    for one in walk([node]):
        if isinstance(one, NixString):
            for part in one.parts:
                if isinstance(part, str) and not part.isascii():
                    found.update(split_marks(part)[1::2])
    return found


def filled(node: T, texts: Mapping[str, str]) -> T:
    """A tree with *texts* in the place of the marks in its strings."""
    table = {ord(mark): text for mark, text in texts.items()}
    return _filled(node, table)  # type: ignore[return-value]


def _filled(node: object, table: Mapping[int, str]) -> object:
    if isinstance(node, tuple):
        return tuple([_filled(one, table) for one in node])
    if isinstance(node, NixString):
        parts = [_in_string(one, table) for one in node.parts]
        return replace(node, parts=tuple(parts))  # type: ignore[arg-type]
    if is_dataclass(node) and not isinstance(node, type):
        changed = {
            field.name: _filled(value, table)
            for field in fields(node)
            if not isinstance(value := getattr(node, field.name), str | bool | int | None)
        }
        return replace(node, **changed) if changed else node
    return node


def _in_string(part: object, table: Mapping[int, str]) -> object:
    return part.translate(table) if isinstance(part, str) else _filled(part, table)
