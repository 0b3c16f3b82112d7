"""What a cell's name and facts look like in its texts: expressions, while texts are compared."""

from __future__ import annotations

import re

from tvarc.importing.explain import Explaining
from tvarc.importing.marks import CODE_CLOSE, CODE_OPEN, FOLD_OPEN, NIX_OPEN
from tvarc.light import Final, lru_cache
from tvarc.values import quote

MARKED: Final = re.compile("(\ue002[^\ue003]*\ue003|\ue004[^\ue005]*\ue005)")
_CODED: Final = re.compile("\ue004([^\ue005]*)\ue005")
_HASH: Final = re.compile(r"sha\d+-[A-Za-z0-9+/]{43,}=*")
_SHORT: Final = 6
_FOLDED: Final = re.compile("\ue000([^\ue001]*)\ue001")
_PROTECTED: Final = re.compile(
    "(\ue000[^\ue001]*\ue001|\ue002[^\ue003]*\ue003|\ue004[^\ue005]*\ue005)"
)


class Symbols:
    """What a cell's own name and facts look like in its texts."""

    __slots__ = ("_known", "_name", "_pattern", "_texts", "_values")

    def __init__(self, cells: Explaining, cell: int) -> None:
        self._texts: dict[str, str] = {}
        self._known: dict[str, str] = {}
        for axis in cells.axes:
            value = cells.cells[cell][axis.name]
            for column in cells.columns[axis.name]:
                text = column.values.get(value)
                if text and column.likely and _is_telling(text, value):
                    self._texts.setdefault(text, column.code)
        stem = cells.shape.stems[cell]
        short = stem.partition("-")[2]
        name = [(stem, "variant")]
        if len(short) > 6 and "-" in short:
            name.append((short, f'replace(variant, {quote(stem[: -len(short)])}, "")'))
        self._name = name if len(cells.cells) > 1 and cells.axes else name[:1]
        self._values = {code: text for text, code in (*self._texts.items(), *self._name)}
        words = "|".join(map(re.escape, sorted(self._texts, key=len, reverse=True)))
        edge = r"(?<![A-Za-z0-9_.+-])(?:" + words + r")(?![A-Za-z0-9_+]|[.-][A-Za-z0-9])"
        self._pattern = re.compile(edge) if words else None

    def put(self, text: str) -> str:
        """*text* with expressions in the place of what they are."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._put(text)
        return found

    def _put(self, text: str) -> str:
        for name, code in self._name:
            text = "".join(
                [
                    part
                    if part.startswith((NIX_OPEN, CODE_OPEN)) or _HASH.fullmatch(part)
                    else _of_name(name).sub(lambda _, c=code: f"{CODE_OPEN}{c}{CODE_CLOSE}", part)
                    for part in MARKED.split(text)
                ]
            )
        if self._pattern is None:
            return text

        def folded(found: re.Match[str]) -> str:
            code = self._texts.get(found[1])
            return f"{CODE_OPEN}{code}{CODE_CLOSE}" if code is not None else found[0]

        text = _FOLDED.sub(folded, text)
        pattern = self._pattern
        return "".join(
            [
                part
                if part[:1] in (FOLD_OPEN, NIX_OPEN, CODE_OPEN) or _HASH.fullmatch(part)
                else pattern.sub(
                    lambda found: f"{CODE_OPEN}{self._texts[found[0]]}{CODE_CLOSE}", part
                )
                for part in _PROTECTED.split(text)
            ]
        )

    def take(self, text: str) -> str:
        """*text* with what the expressions are."""
        if CODE_OPEN not in text:
            return text
        return _CODED.sub(lambda found: self._values[found[1]], text)


@lru_cache(maxsize=None)
def _of_name(name: str) -> re.Pattern[str]:
    """What finds a variant's *name*: a short one only as a word, as others may have it in them."""
    whole = re.escape(name)
    return re.compile(whole if len(name) > _SHORT else rf"(?<![A-Za-z0-9]){whole}(?![A-Za-z0-9])")


def _is_telling(text: str, value: str) -> bool:
    """Whether *text* is hardly there by accident."""
    return (len(text) > 3 or "." in text or text == value) and not text.isdigit()
