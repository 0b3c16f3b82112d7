"""Numbers with their nouns, as messages print them."""

from __future__ import annotations


def counted(count: int, one: str, several: str = "") -> str:
    """`1 file`, `2 files`. *several* is the plural if it does not only add an `s`."""
    return f"{count} {one if count == 1 else several or f'{one}s'}"


def counted_long(count: int, one: str) -> str:
    """The same for possibly very large numbers: `1,024 files`."""
    return f"{count:,} {one if count == 1 else f'{one}s'}"
