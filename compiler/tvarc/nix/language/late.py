"""Late parts in the Nix tree: characters of strings that are replaced by a text later.

Such a character is a mark. No Unicode text has it, so it is never a part of a text.

If the layout depends on the width of a late part, the part is printed as a run of another such
character, with the length of the text that replaces it later. So texts of one width share a layout.
"""

from __future__ import annotations

from tvarc.light import Final, Mapping, TypeVar, fields, is_dataclass, replace
from tvarc.nix.language.syntax import NixExpr, NixString, walk
from tvarc.values.value import FIRST_MARK, LAST_MARK

T = TypeVar("T")

_WIDE: Final = LAST_MARK + 1 - FIRST_MARK
"""Added to a mark, this gives the character whose runs represent the late part with its width."""

_BESIDE: Final = chr(LAST_MARK + 1 + _WIDE)
"""A character next to each mark while a text is split. It is no mark, and no character of a run."""


def split_marks(text: str) -> list[str]:
    """The texts around the marks in *text*, and the marks between them."""
    rest = text
    while not rest.isascii():
        try:
            rest.encode()
            break
        except UnicodeEncodeError as fault:  # only a mark has no form in UTF-8
            mark = rest[fault.start]
            rest = rest[fault.start + 1 :].replace(mark, "")
            text = text.replace(mark, f"{_BESIDE}{mark}{_BESIDE}")
    return text.split(_BESIDE)


def marks_in(node: NixExpr) -> set[str]:
    """All marks in the strings of a tree."""
    found: set[str] = set()
    for one in walk([node]):
        if isinstance(one, NixString):
            for part in one.parts:
                if isinstance(part, str) and not part.isascii():
                    found.update(split_marks(part)[1::2])
    return found


def with_widths(node: T, widths: Mapping[str, int]) -> T:
    """A tree in which each late part has the width that *widths* has for its mark."""
    table = {ord(mark): _run(mark, width) for mark, width in widths.items()}
    return _filled(node, table)  # type: ignore[return-value]


def with_marks(text: str, widths: Mapping[str, int]) -> str:
    """The printed *text* of a tree of `with_widths`, with each late part as its mark again."""
    for mark, width in widths.items():
        if width:
            text = text.replace(_run(mark, width), mark)
    return text


def _run(mark: str, width: int) -> str:
    return chr(ord(mark) + _WIDE) * width


def with_texts(text: str, texts: Mapping[str, str]) -> str:
    """The printed *text* with *texts* in place of their marks."""
    for mark, one in texts.items():
        text = text.replace(mark, one)
    return text


class Marked:
    """A text with marks. It is split once, so that filling it in is fast."""

    __slots__ = ("_around", "_counts", "marks", "pieces")

    def __init__(self, pieces: list[str]) -> None:
        """*pieces* are the pieces of the text. Each odd one is a mark."""
        self.pieces = pieces
        self.marks = pieces[1::2]
        # The bytes of the pieces around the marks, and the number of times that each mark occurs.
        self._around = sum(map(bytes_of, pieces[::2]))
        self._counts: dict[str, int] = {}
        for mark in self.marks:
            self._counts[mark] = self._counts.get(mark, 0) + 1

    def filled(self, texts: Mapping[str, str]) -> str:
        """The text with *texts* in place of their marks."""
        found = self.pieces[:]
        found[1::2] = map(texts.__getitem__, self.marks)
        return "".join(found)

    def size(self, texts: Mapping[str, str]) -> int:
        """The bytes of the result of `filled` in UTF-8."""
        size = self._around
        for mark, count in self._counts.items():
            size += count * bytes_of(texts[mark])
        return size


def bytes_of(text: str) -> int:
    """The bytes of *text* in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())


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
