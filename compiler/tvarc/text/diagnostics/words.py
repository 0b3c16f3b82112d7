"""Numbers with their nouns, as messages print them."""

from __future__ import annotations

_MINUTE = 60
_HOUR = 3600
SIZE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
"""The units of sizes, each 1024 times the one before."""


def counted(count: int, one: str, several: str = "") -> str:
    """`1 file`, `2 files`. *several* is the plural if it does not only add an `s`."""
    return f"{count} {one if count == 1 else several or f'{one}s'}"


def some_of(names: list[str], most: int) -> str:
    """The first of *names*, *most* of them, and the number of the others."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if names[most:] else "")


def time_text(seconds: float) -> str:
    """`3 s`, `2 min 5 s`, `1 h 2 min`."""
    whole = int(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def size_text(size: int) -> str:
    """A *size* in bytes, with at most four digits: `512 B`, `1.5 KiB`, `34.12 MiB`."""
    power = min(max(size.bit_length() - 1, 0) // 10, len(SIZE_UNITS) - 1)
    return f"{size / 1024**power:.4g} {SIZE_UNITS[power]}"


def counted_long(count: int, one: str) -> str:
    """The same for possibly very large numbers: `1,024 files`."""
    return f"{count:,} {one if count == 1 else f'{one}s'}"
