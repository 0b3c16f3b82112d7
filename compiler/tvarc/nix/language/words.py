"""The words of Nix code as Nix's own scanner reads them. The longest match counts."""

from __future__ import annotations

import re
import sys

from tvarc.light import Final, Literal, dataclass

BLANKS: Final = " \t\r\n"

Kind = Literal["name", "number", "path", "lookup", "address", "operator", "other"]
"""`lookup` is `<nixpkgs>`. `other` is no word of Nix."""

# With possessive groups, older versions find the wrong end: see `tvarc.syntax.pattern`.
_KEEPS: Final = "+" if sys.version_info >= (3, 11, 5) else ""
_PATH_CHAR = "[a-zA-Z0-9._+-]"
_BLANK: Final = re.compile("[ \t\r\n]++|#[^\r\n]*+")
_NAME: Final = re.compile("[a-zA-Z_][a-zA-Z0-9_'-]*+")
_NUMBER: Final = re.compile("(?:[1-9][0-9]*\\.[0-9]*|0?\\.[0-9]+)(?:[Ee][+-]?[0-9]+)?|[0-9]+")
_RUN: Final = re.compile(_PATH_CHAR + "*+")
_STEPS: Final = re.compile(f"(?:/{_PATH_CHAR}++)+{_KEEPS}/?")
_IN_PATH: Final = re.compile("[a-zA-Z0-9._+/-]*+")
_LOOKUP: Final = re.compile(f"<{_PATH_CHAR}++(?:/{_PATH_CHAR}++)*{_KEEPS}>")
_SCHEME: Final = re.compile("[a-zA-Z0-9+.-]*+")
_ADDRESS: Final = re.compile(":[a-zA-Z0-9%/?:@&=+$,_.!~*'-]++")
_OPERATOR: Final = re.compile(r"\.\.\.|==|!=|<=|>=|&&|\|\||->|//|\+\+|\|>|<\||[\x21-\x26\x28-\x7e]")


@dataclass(frozen=True, slots=True)
class Word:
    """A word that begins at the requested offset, and ends before the offset `end`."""

    kind: Kind
    end: int


class Words:
    """Reads words of a text that ends at *end*. For rising offsets the time is linear."""

    __slots__ = ("_end", "_run", "_scheme", "_text")

    def __init__(self, text: str, end: int) -> None:
        self._text = text
        self._end = end
        self._run = (0, 0)  # the characters of a path, from and to
        self._scheme = (0, 0)

    def past_blank(self, at: int) -> int | None:
        """The offset after the blanks or the comment at *at*; *at* itself if there are none. None
        for a comment that is not closed."""
        if self._text.startswith("/*", at, self._end):
            found = self._text.find("*/", at + 2, self._end)
            return found + 2 if found >= 0 else None
        found_blank = _BLANK.match(self._text, at, self._end)
        return found_blank.end() if found_blank else at

    def word(self, at: int) -> Word:
        """The word at *at*, where no blank or comment begins. Brackets and quotes are operators of
        one character. A path with `${…}` ends before that."""
        text, end = self._text, self._end
        path = self._path(at)
        if path is not None:
            return Word("path", self.rest_of_path(path))
        if name := _NAME.match(text, at, end):
            address = self._address(at)
            return Word("name", name.end()) if address is None else Word("address", address)
        if number := _NUMBER.match(text, at, end):
            return Word("number", number.end())
        if lookup := _LOOKUP.match(text, at, end):
            return Word("lookup", lookup.end())
        if operator := _OPERATOR.match(text, at, end):
            return Word("operator", operator.end())
        return Word("other", at + 1)

    def rest_of_path(self, at: int) -> int:
        """The end of the characters that continue a path. Some of these are before *at*."""
        found = _IN_PATH.match(self._text, at, self._end)
        return found.end() if found else at

    def _path(self, at: int) -> int | None:
        """The end of the first part of a path that begins at *at*."""
        text, end = self._text, self._end
        if text[at] == "~":
            to = at + 1
        else:
            if not self._run[0] <= at < self._run[1]:
                run = _RUN.match(text, at, end)
                self._run = (at, run.end() if run else at)
            to = self._run[1]
        if steps := _STEPS.match(text, to, end):
            return steps.end()
        return to + 1 if text.startswith("/${", to, end) else None

    def _address(self, at: int) -> int | None:
        """The end of the address that begins with the name at *at*."""
        text, end = self._text, self._end
        if text[at] == "_":
            return None
        if not self._scheme[0] <= at < self._scheme[1]:
            scheme = _SCHEME.match(text, at, end)
            self._scheme = (at, scheme.end() if scheme else at)
        found = _ADDRESS.match(text, self._scheme[1], end)
        return found.end() if found else None
