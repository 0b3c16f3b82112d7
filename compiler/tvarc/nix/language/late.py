"""Printed texts with late parts: texts around the parts that each variant fills in.

A late part is a node of the tree (`NixLate`), an atom of the layout (`Open` in `document.py`), and
then a piece of the printed text. So no character represents it.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Final, Mapping, Sequence, dataclass
from tvarc.nix.language.syntax import NixExpr, NixLate, NixString, walk
from tvarc.values.value import Late

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

Piece = str | Late
"""A piece of a printed text."""

MappedLine = tuple["Lines", "Lines"]
"""The source lines of the values on a line, and those of the code around the values."""

Widths = Mapping[Late, int]
"""The widths of the texts of late parts, for a layout that depends on them."""
NO_WIDTHS: Final[Widths] = {}


def late_parts_of(node: NixExpr) -> list[Late]:
    """The late parts in the strings of a tree, without duplicates."""
    strings = [one.parts for one in walk([node]) if isinstance(one, NixString)]
    found = [one.part for parts in strings for one in parts if isinstance(one, NixLate)]
    return list(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Open:
    """A text on one line with late parts.

    - `tagged`: an empty text with the tags of all parts.
    - `parts`: its texts and late parts.
    - `width`: its width if that is `sure`, else its least width.
    """

    tagged: str
    parts: tuple[Piece, ...]
    width: int
    sure: bool

    def __len__(self) -> int:
        return self.width

    @property
    def flat(self) -> Open:
        """The text itself."""
        return self

    @classmethod
    def of(cls, texts: Sequence[Text]) -> Open:
        """The *texts* as one."""
        tagged = ""
        tags = [one if isinstance(one, str) else one.tagged for one in texts]
        if any(type(one) is not str for one in tags):
            from tvarc.values.provenance import like

            tagged = like("", *tags)
        parts: list[Piece] = []
        sure = True
        for one in texts:
            if isinstance(one, str):
                parts.append(one)
            else:
                parts += one.parts
                sure = sure and one.sure
        return cls(tagged, tuple(parts), sum(map(len, texts)), sure)


Text = str | Open
"""A text on one line."""
TEXT: Final = (str, Open)
"""The classes of `Text`, for a quick `isinstance`."""


class Printed:
    """A printed text with late parts. It is split once, so that filling it in is fast.

    - `pieces`: a text, and then each late part with the text after it. So the late parts have the
      odd places.
    - `late_parts`: the late parts, in order.
    - `open`: their places in a list that ends with `pieces`.
    - `length`: the characters of all texts.
    - `lines`: the source lines of each line, if these are known. Late parts have bits of their own.
    """

    __slots__ = ("_around", "_counts", "late_parts", "length", "lines", "open", "pieces")

    def __init__(self, printed: Sequence[Piece | Text], lines: Sequence[MappedLine] = ()) -> None:
        self.lines = lines
        self.late_parts: list[Late] = []
        try:
            text = "".join(printed)  # type: ignore[arg-type]
        except TypeError:  # there are late parts
            self.pieces = _split(printed)
            self.late_parts = self.pieces[1::2]  # type: ignore[assignment]
            self.length = sum(map(len, self.pieces[::2]))  # type: ignore[arg-type]
        else:
            self.pieces = [text]
            self.length = len(text)
        self.open = slice(-2 * len(self.late_parts), None, 2)
        # The bytes of the texts, and the number of times that each late part occurs.
        self._around = -1
        self._counts: dict[Late, int] = {}

    def filled(self, fills: Mapping[Late, str]) -> str:
        """The text with *fills* as the texts of its late parts."""
        found = self.pieces[:]
        found[1::2] = [fills[one] for one in self.late_parts]
        return "".join(found)  # type: ignore[arg-type]

    def size(self, fills: Mapping[Late, str]) -> int:
        """The bytes of the result of `filled` in UTF-8."""
        if self._around < 0:
            self._around = sum(map(bytes_of, self.pieces[::2]))  # type: ignore[arg-type]
            for late in self.late_parts:
                self._counts[late] = self._counts.get(late, 0) + 1
        size = self._around
        for late, count in self._counts.items():
            size += count * bytes_of(fills[late])
        return size


def _split(printed: Sequence[Piece | Text]) -> list[Piece]:
    """The pieces of *printed*, with one text between each two late parts."""
    found: list[Piece] = []
    texts: list[str] = []
    for text in printed:
        for one in text.parts if isinstance(text, Open) else (text,):
            if isinstance(one, str):
                texts.append(one)
            else:
                found += ("".join(texts), one)
                texts = []
    found.append("".join(texts))
    return found


def in_lines(pieces: Sequence[Piece]) -> list[tuple[Piece, ...]]:
    """The *pieces* of each line of a text."""
    found: list[list[Piece]] = [[]]
    for one in Printed(pieces).pieces:
        first, *more = one.split("\n") if isinstance(one, str) else [one]
        found[-1].append(first)
        found += [[line] for line in more]
    return list(map(tuple, found))


def bytes_of(text: str) -> int:
    """The bytes of *text* in UTF-8."""
    return len(text) if text.isascii() else len(text.encode())
