"""What a cell's name and facts look like in its texts: expressions, while texts are compared."""

from __future__ import annotations

import re
from copy import copy

from tvarc.byhand.importing.explain import Explaining
from tvarc.byhand.importing.shapes import first_word
from tvarc.byhand.reading.marks import (
    CODE_CLOSE,
    CODE_OPEN,
    FOLD_CLOSE,
    FOLD_OPEN,
    FOLDED,
    NIX_OPEN,
    plain,
)
from tvarc.light import Callable, Final, Iterable, Mapping, lru_cache
from tvarc.values.value import quote

MARKED: Final = re.compile("(\ue002[^\ue003]*\ue003|\ue004[^\ue005]*\ue005)")
_CODED: Final = re.compile("\ue004([^\ue005]*)\ue005")
_HASH: Final = re.compile(r"sha\d+-[A-Za-z0-9+/]{43,}=*")
_SHORT: Final = 6
_SHOWN: Final = 3  # cells that are enough to show that a text follows the name
_PROTECTED: Final = re.compile(
    "(\ue000[^\ue001]*\ue001|\ue002[^\ue003]*\ue003|\ue004[^\ue005]*\ue005)"
)


class Symbols:
    """The forms of a cell's own name and facts in its texts."""

    __slots__ = ("_known", "_name", "_texts", "_values", "_words", "links")

    def __init__(self, cells: Explaining, cell: int) -> None:
        self._texts: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self.links: dict[str, str] = {}
        for axis in cells.axes:
            value = cells.cells[cell][axis.name]
            for column in cells.columns[axis.name]:
                text = column.values.get(value)
                if text and column.likely and _is_telling(text, value):
                    self._texts.setdefault(text, column.code)
        stem = cells.shape.stems[cell]
        short = first_word(stem)[2]
        self._values = {code: text for text, code in self._texts.items()} | {"variant": stem}
        # If fewer cells have their name in a text, this is no rule for the others.
        is_shown = len(cells.cells) >= _SHOWN
        self._name = [(stem, _marked("variant"))] if is_shown else []
        if is_shown and len(short) > 6 and "-" in short and len(cells.cells) > 1 and cells.axes:
            first = stem[: -len(short)]
            is_same = "{{" not in first_word(cells.shape.name)[0]
            if is_same and stem.replace(first, "") == short:
                code = f'replace(variant, {quote(first)}, "")'
                self._name.append((short, _marked(code)))
                self._values[code] = short
        self._words = sorted(self._texts, key=len, reverse=True)

    def without_variant(self, cells: Explaining, cell: int) -> Symbols:
        """The same for an overlay, which can read axes but not the names of variants."""
        made = copy(self)
        made._known = {}
        made._values = self._values | cells.cells[cell]
        whole = _of_axes(cells.shape.name, cells.cells[cell])
        made._name = [(cells.shape.stems[cell], whole)] if cells.axes and self._name else []
        return made

    def link(self, texts: Mapping[str, str]) -> None:
        """Use expressions for the texts that the file writes once and reads by a name."""
        self.links = dict(texts)
        self._values = self._values | {
            code: f"{FOLD_OPEN}{text}{FOLD_CLOSE}" for text, code in texts.items()
        }
        self._known = {}

    def linked(self, texts: Mapping[str, str]) -> Symbols:
        """The same with more links."""
        made = copy(self)
        made.link({**self.links, **texts})
        return made

    def put(self, text: str) -> str:
        """*text*, in which expressions replace their values."""
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = self._put(text)
        return found

    def _put(self, text: str) -> str:
        text = coded(text, self.links.get, _marked)
        if FOLDED.fullmatch(text):
            text = plain(text)  # the whole text is no link, so that its words are compared
        for name, marked in self._name:
            if name not in text:
                continue
            text = "".join(
                [
                    part
                    if part.startswith((NIX_OPEN, CODE_OPEN)) or _HASH.fullmatch(part)
                    else _of_name(name).sub(lambda _, made=marked: made, part)
                    for part in MARKED.split(text)
                ]
            )
        text = coded(text, self._texts.get, _marked)
        words = tuple([word for word in self._words if word in text])
        if not words:
            return text
        pattern = _of_words(words)
        return "".join(
            [
                part
                if part[:1] in (FOLD_OPEN, NIX_OPEN, CODE_OPEN) or _HASH.fullmatch(part)
                else pattern.sub(lambda found: _marked(self._texts[found[0]]), part)
                for part in _PROTECTED.split(text)
            ]
        )

    def take(self, text: str, beside: str = "") -> str:
        """*text*, in which values replace expressions. Values of links are between marks of
        folding. An expression is kept if *beside*, a text of the program, also reads it."""
        if CODE_OPEN not in text:
            return text

        def taken(found: re.Match[str]) -> str:
            is_read = beside and "{{" + found[1] + "}}" in beside
            return found[0] if is_read else self._values[found[1]]

        return _CODED.sub(taken, text)


def coded(text: str, code_of: Callable[[str], str | None], written: Callable[[str], str]) -> str:
    """*text*, in which expressions replace folded parts. *code_of* returns the expression of a
    part, or None to keep the part. *written* returns the form of the expression in the text."""

    def changed(found: re.Match[str]) -> str:
        code = code_of(found[1])
        return written(code) if code is not None else found[0]

    return FOLDED.sub(changed, text)


@lru_cache(maxsize=None)
def _of_words(words: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern for *words* as whole words; at one place, the first of them."""
    every = "|".join(map(re.escape, words))
    return re.compile(rf"(?<![A-Za-z0-9_.+-])(?:{every})(?![A-Za-z0-9_+]|[.-][A-Za-z0-9])")


@lru_cache(maxsize=None)
def _of_name(name: str) -> re.Pattern[str]:
    """A pattern for a variant's *name*. A short name is found only as a word, because other words
    may contain it. A number, such as `1.72`, is not found in a longer one, such as `1.72.0`."""
    whole = re.escape(name)
    if len(name) > _SHORT:
        return re.compile(whole)
    before = r"(?<!\d\.)" if name[0].isdigit() else ""
    behind = r"(?!\.\d)" if name[-1].isdigit() else ""
    return re.compile(rf"(?<![A-Za-z0-9]){before}{whole}(?![A-Za-z0-9]){behind}")


def _marked(code: str) -> str:
    return f"{CODE_OPEN}{code}{CODE_CLOSE}"


def _of_axes(template: str, axes: Iterable[str]) -> str:
    """*template* with marks at its *axes*."""
    for axis in axes:
        template = template.replace("{{" + axis + "}}", _marked(axis))
    return template


def _is_telling(text: str, value: str) -> bool:
    """Whether *text* is too specific to occur by accident."""
    return (len(text) > 3 or "." in text or text == value) and not text.isdigit()
