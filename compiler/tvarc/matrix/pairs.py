"""The words of a selector: `axis=value` pairs, and what counts as one word."""

from __future__ import annotations

from tvarc.light import Final

_NO_VALUE: Final = frozenset(',=<>!"')  # and blanks


def is_pairs(text: str) -> bool:
    """Whether *text* is made of `axis=value` pairs alone."""
    words = text.replace(",", " ").split()
    return bool(words) and all(map(_is_pair, words))


def _is_pair(word: str) -> bool:
    """Whether *word* is one `axis=value`; without `re`, which costs more than all selecting."""
    axis, _, value = word.partition("=")
    named = is_word(axis) and "." not in axis and axis[0] != "-" and not axis[0].isdecimal()
    return named and bool(value) and _NO_VALUE.isdisjoint(value) and len(value.split()) == 1


def is_word(text: str) -> bool:
    """Whether *text* is one word: a name of the language, or like a version or the name of a file.
    """
    for mark in "-_.+":
        text = text.replace(mark, "x")
    return text.isalnum()
