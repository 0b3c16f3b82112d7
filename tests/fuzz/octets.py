"""Programs, locks and recipes of which bytes were lost, doubled, changed, or are of another."""

from __future__ import annotations

from random import Random

from fuzz import material
from fuzz.cases import Case, Kind

_ODD = (
    b"\0", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xef\xbb\xbf", b"\r", b"\r\n",
    b"\n", b"\t", b"\x0b", b"\x0c", b"\x1b[31m", b"\x7f", "\u2028".encode(), "\u202e".encode(),
    "\u200b".encode(), "e\u0301".encode(), "\U0010fffd".encode(), "\U000f0000".encode(), b'"',
    b'"""', b"''", b"${", b"{{", b"}}", b"\\", b"[", b"]", b"{", b"}", b"(", b")", b"#", b"/*",
    b"*/", b"=", b".", b"..", b"-", b"9" * 40, b"1.", b"<<<<<<< HEAD\n", b"=======\n",
    b"||||||| base\n", b">>>>>>> theirs\n", b"[[source]]\n", b"(" * 300, b"[" * 300, b"{" * 300,
)  # fmt: skip


def mutated(rng: Random) -> Case:
    """A file of any kind after a few changes of its bytes."""
    kind = rng.choice((Kind.PROGRAM, Kind.PROGRAM, Kind.PROGRAM, Kind.LOCK, Kind.LOCK, Kind.RECIPE))
    match kind:
        case Kind.PROGRAM:
            all_of = tuple(text.encode() for text in material.programs())
        case Kind.LOCK:
            all_of = material.locks()
        case Kind.RECIPE:
            all_of = material.recipes()
    data = rng.choice(all_of)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        data = _changed(rng, data, all_of)
    return Case(kind, data)


def _changed(rng: Random, data: bytes, others: tuple[bytes, ...]) -> bytes:
    start = rng.randint(0, len(data))
    end = min(len(data), start + rng.choice((0, 1, 2, 8, 40)))
    match rng.randrange(7):
        case 0:
            return data[:start] + data[end:]
        case 1:
            return data[:start] + rng.choice(_ODD) + data[start:]
        case 2:
            return data[:start] + rng.choice(_ODD) + data[end:]
        case 3 if start < len(data):
            flipped = data[start] ^ (1 << rng.randrange(8))
            return data[:start] + bytes((flipped,)) + data[start + 1 :]
        case 4:
            return data[:end] + data[start:end] * rng.choice((1, 2, 50)) + data[end:]
        case 5:
            other = rng.choice(others)
            at = rng.randint(0, len(other))
            return data[:start] + other[at : at + rng.choice((1, 8, 40, 200))] + data[end:]
        case _:
            lines = data.splitlines(keepends=True) or [b""]
            one, two = rng.randrange(len(lines)), rng.randrange(len(lines))
            lines[one], lines[two] = lines[two], lines[one]
            return b"".join(lines)
