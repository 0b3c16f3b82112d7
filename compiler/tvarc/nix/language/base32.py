"""Nix's own base 32 for hashes. The low bits of the first byte are last."""

from __future__ import annotations

from tvarc.light import Final

DIGITS: Final = "0123456789abcdfghijklmnpqrsvwxyz"


def base32(data: bytes) -> str:
    """The digits of *data*."""
    number = int.from_bytes(data, "little")
    places = range((len(data) * 8 - 1) // 5, -1, -1)
    return "".join([DIGITS[number >> 5 * place & 31] for place in places])


def from_base32(digits: str, length: int) -> bytes | None:
    """The *length* bytes that *digits* represent, all of which are in `DIGITS`. None if they
    represent more bytes."""
    number = 0
    for digit in digits:
        number = number << 5 | DIGITS.index(digit)
    return None if number >> length * 8 else number.to_bytes(length, "little")
