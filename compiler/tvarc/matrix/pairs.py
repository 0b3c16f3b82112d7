"""The words of a selector: `axis=value` pairs, and what one word may contain."""

from __future__ import annotations

from tvarc.light import Final, Iterable

_NO_VALUE: Final = frozenset(',=<>!"')  # and blanks


def is_pairs(text: str) -> bool:
    """Whether *text* consists of `axis=value` pairs."""
    words = text.replace(",", " ").split()
    return bool(words) and all(map(_is_pair, words))


def join_pairs(words: Iterable[str]) -> list[str]:
    """The words of a command line as selectors: adjacent pairs form one selector."""
    found: list[str] = []
    for word in words:
        if found and is_pairs(word) and is_pairs(found[-1]):
            found[-1] = f"{found[-1]} {word}"
        else:
            found.append(word)
    return found


def _is_pair(word: str) -> bool:
    """Whether *word* is one `axis=value`. Loading `re` would cost more than all selecting."""
    axis, _, value = word.partition("=")
    named = is_word(axis) and "." not in axis and axis[0] != "-" and not axis[0].isdecimal()
    return named and bool(value) and _NO_VALUE.isdisjoint(value) and len(value.split()) == 1


def is_word(text: str) -> bool:
    """Whether *text* is one word: letters, digits, and the marks `-`, `_`, `.` and `+`."""
    for mark in "-_.+":
        text = text.replace(mark, "x")
    return text.isalnum()
