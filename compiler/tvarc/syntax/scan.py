"""The next token of a text, without `re`: importing it and making it ready for the parser's pattern
takes longer than to find the tokens of a few items this way.

It finds what the pattern of the tables finds, everywhere; a property test holds the two together.
"""

from __future__ import annotations

from tvarc.light import Final, Protocol
from tvarc.syntax.terminals import PUNCTUATION

_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_DIGITS: Final = frozenset("0123456789")
_WORD: Final = _LETTERS | _DIGITS | {"_"}
_WORD_START: Final = _LETTERS | {"_"}
_AFTER_SIGN: Final = _WORD | {"."}
_BLANKS: Final = frozenset(" \t")
_LINES: Final = frozenset("#\r\n")
_IN_STRING: Final = frozenset('"\\{\n')
_IN_HOLE: Final = frozenset('"}\n')
_MARKS: Final = {text: kind for kind, text in PUNCTUATION.items()}
_GOING_ON: Final = ("and", "or", "then", "else")
_EMPTY: Final = 6  # quotes of a script that holds nothing


class Found(Protocol):
    """A token that was found; a match of `re` is one."""

    @property
    def lastgroup(self) -> str | None: ...

    def end(self) -> int: ...

    def __getitem__(self, group: int, /) -> str: ...


class Scanned:
    """A token as `scan` finds it: `lastgroup` is its terminal."""

    __slots__ = ("_end", "_start", "_text", "lastgroup")

    def __init__(self, kind: str, text: str, start: int, end: int) -> None:
        self.lastgroup = kind
        self._text = text
        self._start = start
        self._end = end

    def end(self) -> int:
        return self._end

    def __getitem__(self, group: int, /) -> str:
        return self._text[self._start : self._end]


def scan(text: str, at: int, end: int) -> Scanned | None:
    """The token at *at*, nothing from *end* on being looked at; None where none begins."""
    if at >= end:
        return None
    char = text[at]
    if char in _WORD_START:
        stop = _script(text, at + 3, end) if text.startswith('nix"""', at, end) else None
        if stop is not None:
            return Scanned("NIX", text, at, stop)
        return Scanned("NAME", text, at, _name(text, at, end))
    if char in _BLANKS:
        return Scanned("BLANK", text, at, _run(text, at, end, _BLANKS))
    if char in _LINES:
        return _lines(text, at, end)
    if char == '"':
        return _quoted(text, at, end)
    if char in _DIGITS:
        return Scanned("NUMBER", text, at, _number(text, at, end))
    for length in (3, 2, 1):
        kind = _MARKS.get(text[at : min(at + length, end)])
        if kind is not None:
            return Scanned(kind, text, at, min(at + length, end))
    return None


def _run(text: str, at: int, end: int, allowed: frozenset[str]) -> int:
    """The offset after the characters from *at* on that are *allowed*."""
    while at < end and text[at] in allowed:
        at += 1
    return at


def _until(text: str, at: int, end: int, stops: frozenset[str]) -> int:
    """The offset of the first of *stops* from *at* on, or *end*."""
    while at < end and text[at] not in stops:
        at += 1
    return at


def _name(text: str, at: int, end: int) -> int:
    at = _run(text, at, end, _WORD)
    while text.startswith("-", at, end):
        stop = _run(text, at + 1, end, _WORD)
        if stop == at + 1:
            break
        at = stop
    return at


def _number(text: str, at: int, end: int) -> int:
    at = _run(text, at, end, _WORD)
    while text.startswith(".", at, end):
        stop = _run(text, at + 1, end, _WORD)
        if stop == at + 1:
            break
        at = stop
    while at + 1 < end and text[at] in "-+" and text[at + 1] in _LETTERS:
        at = _run(text, at + 1, end, _AFTER_SIGN)
    return at


# --- lines --------------------------------------------------------------------------------------


def _lines(text: str, start: int, end: int) -> Scanned | None:
    """Ends of lines with the comments before them; where there is none, a comment."""
    at = start
    while at < end:
        if text[at] == "#":
            found = text.find("\n", at, end)
            if found < 0:
                break
            at = found + 1
        elif text[at] == "\n":
            at += 1
        elif text.startswith("\r\n", at, end):
            at += 2
        else:
            break
        at = _run(text, at, end, _BLANKS)
    if at > start:
        return Scanned("CONT" if _goes_on(text, at, end) else "_NL", text, start, at)
    return Scanned("COMMENT", text, start, end) if text[start] == "#" else None


def _goes_on(text: str, at: int, end: int) -> bool:
    """Whether the line that begins at *at* continues the one before."""
    if text.startswith("{", at, end):
        return True
    if text.startswith("because", at, end):
        return text.startswith('"', _run(text, at + len("because"), end, _BLANKS), end)
    for word in _GOING_ON:
        if text.startswith(word, at, end):
            after = text[at + len(word) : min(at + len(word) + 1, end)]
            return not (after.isalnum() or after in ("_", "-"))
    return False


# --- strings and scripts ------------------------------------------------------------------------


def _quoted(text: str, at: int, end: int) -> Scanned | None:
    if text.startswith('"""', at, end):
        stop, kind = _script(text, at, end), "SCRIPT_TEXT"
    else:
        stop, kind = _string(text, at + 1, end), "STRING"
    return Scanned(kind, text, at, stop) if stop is not None else None


def _script(text: str, at: int, end: int) -> int | None:
    """The offset after the script whose quotes, three at least, begin at *at*."""
    inner = _quotes(text, at, end)
    fence = inner - at
    if fence >= _EMPTY:
        return inner if fence == _EMPTY else None
    found = text.find('"' * fence, inner, end)
    return _quotes(text, found, end) if found >= 0 else None


def _quotes(text: str, at: int, end: int) -> int:
    while text.startswith('"', at, end):
        at += 1
    return at


def _string(text: str, at: int, end: int) -> int | None:
    """The offset after the string whose text begins at *at*."""
    while (at := _until(text, at, end, _IN_STRING)) < end and text[at] != "\n":
        if text[at] == '"':
            return at + 1
        if text.startswith("\\{{", at, end):
            at += 3
        elif text[at] == "\\":
            if at + 1 >= end or text[at + 1] == "\n":
                return None
            at += 2
        elif text.startswith("{{", at, end):
            close = _hole(text, at + 2, end)
            if close is None:
                return None
            at = close
        else:
            at += 1
    return None


def _hole(text: str, at: int, end: int) -> int | None:
    """The offset after the `}}` that closes the interpolation whose expression begins at *at*."""
    while (at := _until(text, at, end, _IN_HOLE)) < end and text[at] != "\n":
        if text.startswith("}}", at, end):
            return at + 2
        if text[at] == "}":
            at += 1
            continue
        at += 1
        while at < end and text[at] not in '"\n':
            if text[at] == "\\":
                if at + 1 >= end or text[at + 1] == "\n":
                    return None
                at += 1
            at += 1
        if at >= end or text[at] == "\n":
            return None
        at += 1
    return None
