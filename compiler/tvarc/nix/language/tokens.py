"""The tokens of Nix text: the words of its code, and its strings with the code in them."""

from __future__ import annotations

from tvarc.light import Final, Iterator, Literal, dataclass
from tvarc.nix.language.words import Kind, Words

_OPENERS: Final = ("(", "[", "{")
_CLOSES: Final = {"(": ")", "[": "]", "{": "}", "${": "}", "/${": "}"}


@dataclass(frozen=True, slots=True)
class Token:
    """A token from `start` to `end` of a text: a word, or a quote that opens or closes a string."""

    kind: Kind | Literal["opens", "closes"]
    start: int
    end: int


def tokens(text: str) -> Iterator[Token]:
    """The tokens of *text* in order. If *text* has an open bracket or string, the tokens of the
    part that can be read."""
    scanner = Words(text, len(text))
    stack: list[str] = []
    at = 0
    while at < len(text):
        inside = stack[-1] if stack else ""
        if inside in ('"', "''"):
            start, depth = at, len(stack)
            at = _in_string(text, at, inside, stack)
            if len(stack) < depth:
                yield Token("closes", start, at)
            elif len(stack) > depth:
                yield Token("operator", start, at)
            continue
        past = scanner.past_blank(at)
        if past is None:
            return
        if past > at:
            at = past
            continue
        if text.startswith("''", at) or text[at] == '"':
            stack.append('"' if text[at] == '"' else "''")
            token = Token("opens", at, at + len(stack[-1]))
        elif text.startswith("${", at):
            stack.append("${")
            token = Token("operator", at, at + 2)
        elif text[at] in _OPENERS:
            stack.append(text[at])
            token = Token("operator", at, at + 1)
        elif inside and text[at] == _CLOSES[inside]:
            stack.pop()
            token = Token("operator", at, at + 1)
            if inside == "/${":
                yield token
                at = _rest_of_path(text, scanner.rest_of_path(token.end), stack)
                continue
        else:
            word = scanner.word(at)
            token = Token(word.kind, at, word.end)
        yield token
        at = token.end
        if token.kind == "path":
            at = _rest_of_path(text, at, stack)


def _rest_of_path(text: str, at: int, stack: list[str]) -> int:
    """The place to continue after characters of a path that end at *at*: inside a `${…}` that
    follows."""
    if text.startswith("${", at):
        stack.append("/${")
        return at + 2
    return at


def _in_string(text: str, at: int, quote: str, stack: list[str]) -> int:
    """The offset after one step in a string: a character, an escape, the end of the string, or a
    `${`."""
    if text.startswith("${", at):
        stack.append("${")
        return at + 2
    if text.startswith("$$", at):
        return at + 2
    if quote == '"':
        if text[at] == '"':
            stack.pop()
        return at + (2 if text[at] == "\\" else 1)
    if not text.startswith("''", at):
        return at + 1
    after = text[at + 2 : at + 3]
    if after not in ("$", "'", "\\") or not after:
        stack.pop()
        return at + 2
    return at + (4 if after == "\\" else 3)
