"""Numbers and texts as bytes: what the cache holds. Nothing in it is ever run.

Layout: a mark, the BLAKE2 digest of the rest, how many numbers and texts there are; the numbers, 32
bits each in the order of this machine; the length of each text in characters; the texts as UTF-8.
"""

from __future__ import annotations

import struct
import sys

from tvarc.digest import blake2b
from tvarc.light import Final, Sequence

# The machine's order of bytes is in the mark: data of another is told from data that is damaged.
_MARK: Final = b"tvarc 1 " + (b"<\0\0\0" if sys.byteorder == "little" else b">\0\0\0")
_DIGEST: Final = 32
_HEAD: Final = len(_MARK) + _DIGEST


class Damaged(Exception):
    """Bytes that are not what they should be: cut, changed, or of another version."""


def pack(numbers: Sequence[int], texts: Sequence[str]) -> bytes:
    """The bytes of *numbers*, each at least 0 and under 2**32, and *texts*.

    Raises ValueError for others: a text that is no Unicode, a number that is too large.
    """
    counts = (len(numbers), len(texts))
    lengths = [len(text) for text in texts]
    return sealed([_words(counts), _words(numbers), _words(lengths), "".join(texts).encode()])


def sealed(parts: Sequence[bytes | bytearray | memoryview]) -> bytes:
    """The joined *parts*, with what shows whether they were damaged."""
    digest = blake2b(digest_size=_DIGEST)
    for part in parts:
        digest.update(part)
    return b"".join([_MARK, digest.digest(), *parts])


def opened(data: bytes | memoryview) -> memoryview:
    """What `sealed` joined, not copied out of *data*. Raises Damaged."""
    body = memoryview(data)[_HEAD:]
    if data[: len(_MARK)] != _MARK or _digest(body) != data[len(_MARK) : _HEAD]:
        raise Damaged
    return body


def unpack(data: bytes | memoryview) -> tuple[Sequence[int], list[str]]:
    """What `pack` was given; the numbers are not copied out of *data*. Raises Damaged."""
    body = opened(data)
    if len(body) < 8:
        raise Damaged
    count, texts = body[:8].cast("I").tolist()
    end = 8 + 4 * (count + texts)
    if end > len(body):
        raise Damaged
    words = body[8:end].cast("I")
    try:
        whole = str(body[end:], "utf-8")
    except UnicodeDecodeError as fault:
        raise Damaged from fault
    found: list[str] = []
    at = 0
    for length in words[count:]:
        found.append(whole[at : at + length])
        at += length
    if at != len(whole):
        raise Damaged
    return words[:count], found


def _digest(data: bytes | memoryview) -> bytes:
    return blake2b(data, digest_size=_DIGEST).digest()


def _words(numbers: Sequence[int]) -> bytes:
    try:
        return struct.pack(f"={len(numbers)}I", *numbers)
    except struct.error as fault:
        raise ValueError("a number does not fit") from fault
