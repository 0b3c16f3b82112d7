"""Patterns of `.gitignore`, with git's rules. Libraries differ from git: with them, `!app` includes
files in the folder `app` again, and `tests/**/` matches files. Tests compare this module with git.
"""

from __future__ import annotations

import re

from tvarc.light import Final, Iterable, dataclass

_CLASSES: Final = {
    "alnum": "a-zA-Z0-9", "alpha": "a-zA-Z", "blank": " \\t", "digit": "0-9", "lower": "a-z",
    "punct": "!-/:-@\\[-`{-~", "space": "\\s", "upper": "A-Z", "xdigit": "0-9a-fA-F",
}  # fmt: skip


class BadPattern(ValueError):
    """A line that git would ignore because it is not a pattern. The text is the line."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """A pattern. It `takes_back` files that others leave out, or matches folders `only`. It is
    matched with the whole path below its folder, or, if it is not `anchored`, with the last name.
    """

    takes_back: bool
    only_folders: bool
    anchored: bool
    regex: re.Pattern[str]

    def fits(self, path: str, *, is_folder: bool) -> bool:
        if self.only_folders and not is_folder:
            return False
        return bool(self.regex.fullmatch(path if self.anchored else path.rpartition("/")[2]))


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of one file, in order."""

    all: tuple[Pattern, ...]

    def leave_out(self, path: str, *, is_folder: bool) -> bool | None:
        """Whether *path*, below the folder of the file, is left out. The last matching pattern
        decides; None if none matches. Callers do not check the contents of a folder that is left
        out."""
        for pattern in reversed(self.all):
            if pattern.fits(path, is_folder=is_folder):
                return not pattern.takes_back
        return None


def read_patterns(lines: Iterable[str]) -> Patterns:
    """The patterns of *lines*. Raises BadPattern."""
    found = (_pattern(line) for line in lines)
    return Patterns(tuple([one for one in found if one is not None]))


def _pattern(line: str) -> Pattern | None:
    text = _without_end(line.removesuffix("\r"))
    if not text or text.startswith("#"):
        return None
    takes_back = text.startswith("!")
    text = text[takes_back:]
    only_folders = text.endswith("/")
    text = text[: len(text) - only_folders]
    anchored = "/" in text
    text = text.removeprefix("/")
    try:
        if not text:
            raise BadPattern(line)
        return Pattern(takes_back, only_folders, anchored, re.compile(_regex(text, line)))
    except re.error:
        raise BadPattern(line) from None


def _without_end(line: str) -> str:
    """*line* without the blanks at its end, except a blank after a backslash."""
    bare = line.rstrip(" ")
    escaped = (len(bare) - len(bare.rstrip("\\"))) % 2 == 1
    return bare + " " if escaped and len(bare) < len(line) else bare


def _regex(text: str, line: str) -> str:
    """The regular expression for *text*. `**` spans steps only if it is a step itself."""
    made, at = "", 0
    while at < len(text):
        char = text[at]
        if char == "*":
            end = at + len(text[at:]) - len(text[at:].lstrip("*"))
            is_step = end - at > 1 and (at == 0 or text[at - 1] == "/")
            if is_step and text[end : end + 1] == "/":
                made, at = made + "(?:[^/]+/)*", end + 1
            else:
                made, at = made + (".+" if is_step and end == len(text) else "[^/]*"), end
        elif char == "?":
            made, at = made + "[^/]", at + 1
        elif char == "[":
            part, at = _bracket(text, at, line)
            made += part
        else:
            at += char == "\\"
            if at == len(text):
                raise BadPattern(line)
            made, at = made + re.escape(text[at]), at + 1
    return made


def _bracket(text: str, at: int, line: str) -> tuple[str, int]:
    """The set of characters that begins at *at*, and its end."""
    to = at + 1
    lead = "^" if text[to : to + 1] in ("!", "^") and text[to : to + 1] else ""
    to += len(lead)
    found, first = "", True
    while first or text[to : to + 1] != "]":
        first = False
        named = re.match(r"\[:([a-z]+):\]", text[to:])
        if named and named[1] in _CLASSES:
            found, to = found + _CLASSES[named[1]], to + named.end()
            continue
        to += text[to : to + 1] == "\\"
        char = text[to : to + 1]
        if not char:
            raise BadPattern(line)
        found += "-" if char == "-" and text[to - 1] != "\\" else re.escape(char)
        to += 1
    return f"(?!/)[{lead}{found}]", to + 1
