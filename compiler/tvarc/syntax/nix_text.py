"""A look at Nix that a user wrote: do its brackets, strings and comments close?

More is not asked here: whether it means anything is for Nix to say. But text that closes a
bracket which it did not open would change what stands around it in the emitted file. The words
are those of Nix's own scanner: an identifier may hold `'`, a comment ends at CR as well as LF.
"""

from __future__ import annotations

from tvarc.light import dataclass

_CLOSES = {")": "(", "]": "[", "}": "{"}
_URI = frozenset("%/?:@&=+$,-_.!~*'")
# Words after which a `;` may stand outside of all brackets.
_WITH_SEMICOLON = frozenset(("let", "with", "assert"))


@dataclass(frozen=True, slots=True)
class Imbalance:
    """What does not fit at `offset` of the text; `reason` is a clause for a person."""

    offset: int
    reason: str


def imbalance(text: str) -> Imbalance | None:
    """The first place where *text* does not close what it opens, or None.

    Strings are followed into their `${…}`; the stack holds the openers with their places.
    """
    stack: list[tuple[str, int]] = []
    words: set[str] = set()
    meant = False
    at = 0
    while at < len(text):
        inside = stack[-1][0] if stack else ""
        if inside in ('"', "''"):
            at = _in_string(text, at, inside, stack)
            continue
        two = text[at : at + 2]
        char = text[at]
        if char == "#":
            at = _end_of_line(text, at)
            continue
        if two == "/*":
            end = text.find("*/", at + 2)
            if end < 0:
                return Imbalance(at, "this comment is not closed")
            at = end + 2
            continue
        meant = meant or not char.isspace()
        if char.isascii() and (char.isalpha() or char == "_"):
            end = _end_of_word(text, at)
            words.add(text[at:end])
            at = end
        elif two in ("''", "${"):
            stack.append(("''" if two == "''" else "{", at))
            at += 2
        elif char in '"([{':
            stack.append((char, at))
            at += 1
        elif char in _CLOSES:
            if inside != _CLOSES[char]:
                return Imbalance(at, f"this `{char}` closes nothing")
            stack.pop()
            at += 1
        elif char == ";" and not stack and not words & _WITH_SEMICOLON:
            return Imbalance(at, "this `;` ends an expression")
        else:
            at += 1
    if stack:
        opener, offset = stack[-1]
        return Imbalance(offset, f"this `{opener}` is not closed")
    return None if meant else Imbalance(0, "there is no expression")


def _end_of_line(text: str, at: int) -> int:
    ends = [end for end in (text.find("\n", at), text.find("\r", at)) if end >= 0]
    return min(ends, default=len(text))


def _end_of_word(text: str, at: int) -> int:
    """The end of an identifier, or of an address such as `https://a/b`, which Nix takes bare."""
    end = at
    while end < len(text) and (text[end].isalnum() or text[end] in "_'-"):
        end += 1
    scheme = end
    while scheme < len(text) and (text[scheme].isalnum() or text[scheme] in "+-."):
        scheme += 1
    address = scheme + 1
    if text[scheme : scheme + 1] == ":":
        while address < len(text) and (text[address].isalnum() or text[address] in _URI):
            address += 1
        if address > scheme + 1:
            return address
    return end


def _in_string(text: str, at: int, quote: str, stack: list[tuple[str, int]]) -> int:
    """One step within a string: past an escape, out of it, or into an interpolation."""
    if text.startswith("${", at):
        stack.append(("{", at))
        return at + 2
    if text.startswith("$$", at):
        return at + 2
    if quote == '"':
        if text[at] == "\\":
            return at + 2
        if text[at] == '"':
            stack.pop()
        return at + 1
    if text.startswith("''", at):
        if text[at + 2 : at + 3] in ("$", "'"):
            return at + 3
        if text[at + 2 : at + 3] == "\\":
            return at + 4
        stack.pop()
        return at + 2
    return at + 1
