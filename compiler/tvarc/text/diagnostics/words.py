"""Numbers with their nouns, as messages print them."""

from __future__ import annotations

_MINUTE = 60
_HOUR = 3600
_KIB = 1024
_TWO_DIGITS = 10


def counted(count: int, one: str, several: str = "") -> str:
    """`1 file`, `2 files`. *several* is the plural if it does not only add an `s`."""
    return f"{count} {one if count == 1 else several or f'{one}s'}"


def time_text(seconds: float) -> str:
    """`3 s`, `2 min 5 s`, `1 h 2 min`."""
    whole = int(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE} min {whole % _MINUTE} s"
    return f"{whole // _HOUR} h {whole % _HOUR // _MINUTE} min"


def size_text(count: int) -> str:
    """`512 B`, `1.5 KiB`, `34 MiB`."""
    size, unit = float(count), "B"
    for larger in ("KiB", "MiB", "GiB", "TiB"):
        if size < _KIB:
            break
        size, unit = size / _KIB, larger
    return f"{size:.1f} {unit}" if unit != "B" and size < _TWO_DIGITS else f"{size:.0f} {unit}"


def counted_long(count: int, one: str) -> str:
    """The same for possibly very large numbers: `1,024 files`."""
    return f"{count:,} {one if count == 1 else f'{one}s'}"
