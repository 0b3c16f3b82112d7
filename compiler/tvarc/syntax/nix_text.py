"""A look at Nix that a user wrote: do its brackets, strings and comments close?

More is not asked here: whether it means anything is for Nix to say. But text that closes a
bracket which it did not open would change what stands around it in the emitted file.
"""

from __future__ import annotations

from dataclasses import dataclass

_CLOSES = {")": "(", "]": "[", "}": "{"}


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
    at = 0
    while at < len(text):
        inside = stack[-1][0] if stack else ""
        if inside in ('"', "''"):
            at = _in_string(text, at, inside, stack)
            continue
        two = text[at : at + 2]
        char = text[at]
        if char == "#":
            end = text.find("\n", at)
            at = len(text) if end < 0 else end
        elif two == "/*":
            end = text.find("*/", at + 2)
            if end < 0:
                return Imbalance(at, "this comment is not closed")
            at = end + 2
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
        else:
            at += 1
    if stack:
        opener, offset = stack[-1]
        return Imbalance(offset, f"this `{opener}` is not closed")
    return None


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
