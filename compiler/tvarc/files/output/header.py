"""The digest line in the head of a recipe, by which a later run recognizes its own work.

The head of a file consists of the lines at its beginning that start with `#`. One of them holds the
digest of all the rest of the file, so that an edit anywhere is noticed.

JSON has no comments. There a string begins with the digest of everything but its own digits.
"""

from __future__ import annotations

from binascii import b2a_base64

from tvarc.digest import MANY, sha256_of
from tvarc.light import Callable, Enum, Final, Iterator, Sequence

DIGEST_PREFIX: Final = "# tvarc digest: "
_PREFIX = DIGEST_PREFIX.encode()
_SEAL = _PREFIX + b"sha256-"
_IN_JSON: Final = b'"tvarc digest: sha256-'
_FIRST: Final = 1 << 13  # bytes of a file in JSON that hold its seal
_DIGITS = 44  # of a digest as it is spelt
SEAL_BYTES: Final = len(_SEAL) + _DIGITS + 1
"""The bytes of a digest line, with its end."""
MARK: Final = 22  # of these, those by which a file is recognized: half of the digest


class Ownership(Enum):
    """Whose a file is: as this compiler wrote it, changed since, or never ours."""

    OURS = "ours"
    EDITED = "edited"
    FOREIGN = "foreign"


def seal(header_lines: Sequence[str], body: str) -> str:
    """The text of a file: its header lines, the digest line, and its body."""
    head = "".join([f"{line}\n" for line in header_lines])
    data = [text.encode("utf-8", "surrogateescape") for text in (head, body)]
    return sealing(1)(*data).decode("utf-8", "surrogateescape")


def sealing(count: int) -> Callable[[bytes, bytes], bytes]:
    """A function that seals *count* files as `seal` does. It takes the header, each line with its
    end, and the body, both in UTF-8."""
    sha256 = sha256_of(count)

    def sealed(head: bytes, body: bytes) -> bytes:
        found = sha256(head + body).digest()
        return b"".join((head, _SEAL, b2a_base64(found), body))

    return sealed


def digest_line(head: str, body: str) -> str:
    """The digest line of one of many files, as `seal` writes it, with its end."""
    return (_SEAL + b2a_base64(sha256_of(MANY)((head + body).encode()).digest())).decode()


def json_seal(made: str) -> str:
    """The string that identifies JSON from the origin *made*; see `sealed_json`."""
    return f"tvarc digest: sha256-; {made}"


def sealed_json(data: bytes) -> bytes:
    """*data*, which has a `json_seal` and no such text before it, with the digest in that."""
    place = data.index(_IN_JSON) + len(_IN_JSON)
    return data[:place] + _digits_of(data[:place], data[place:]) + data[place:]


def _digits_of(before: bytes, after: bytes, count: int = 1) -> bytes:
    """The digest of a file, of which *before* and *after* are around it, in Nix's spelling."""
    found = sha256_of(count)(before)
    found.update(after)
    return b2a_base64(found.digest(), newline=False)


def _json_place(data: bytes) -> int:
    """Where the digits of a seal in JSON begin; -1 for nowhere."""
    place = data.find(_IN_JSON, 0, _FIRST) if data.startswith(b"{") else -1
    return place + len(_IN_JSON) if place >= 0 else -1


def mark_of(data: bytes) -> tuple[int, bytes]:
    """Where the digest line of the sealed *data* starts, or in JSON its digits, -1 for nowhere; and
    half of the digest, by which the file is recognized."""
    place = _json_place(data)
    if place >= 0:
        return place, data[place : place + MARK]
    start = data.find(_SEAL)
    digits = start + len(_SEAL)
    return start, data[digits : digits + MARK]


def recognizing(count: int) -> Callable[[bytes, int, bytes], bool]:
    """A function that tells of *count* files whether they are to the last byte as they were when
    `mark_of` was called. It takes the present bytes, and the start and the mark of then."""
    sha256 = sha256_of(count)
    before = len(_SEAL)

    def is_same(data: bytes, start: int, mark: bytes) -> bool:
        if data.startswith(b"{"):
            return mark_of(data) == (start, mark) and inspect_bytes(data) is Ownership.OURS
        end = start + SEAL_BYTES
        line = data[start:end]
        rest = sha256(data[:start])
        rest.update(data[end:])
        return line[before : before + MARK] == mark and line == _SEAL + b2a_base64(rest.digest())

    return is_same


def unsealed(data: bytes) -> bytes:
    """*data* without the digits of its digest, if it has one."""
    start, mark = mark_of(data)
    if start < 0 or not mark:
        return data
    place = start if data.startswith(b"{") else start + len(_SEAL)
    return data[:place] + data[place + _DIGITS :]


def inspect(text: str) -> Ownership:
    """Whose the file is that holds *text*."""
    # Bytes that were no UTF-8 when a file was read come back as they were.
    return inspect_bytes(text.encode("utf-8", "surrogateescape"))


def inspect_bytes(data: bytes, count: int = 1) -> Ownership:
    """Whose the file is that holds *data*. *count* is about how many files this is asked of."""
    place = _json_place(data)
    if place >= 0:
        end = place + _DIGITS
        whole = data[place:end] == _digits_of(data[:place], data[end:])
        return Ownership.OURS if whole else Ownership.EDITED
    found = Ownership.FOREIGN
    for start, end in _head(data):
        if data.startswith(_PREFIX, start):
            if data[start:end] == _SEAL + _digits_of(data[:start], data[end + 1 :], count):
                return Ownership.OURS
            found = Ownership.EDITED
    return found


def made_from(data: bytes) -> str:
    """The source that the head of *data* names; empty where it names none."""
    place = _json_place(data)
    if place >= 0:
        head = _json_origin(data[place:])
    else:
        lines = head_lines(data)
        head = " ".join([line for line in lines if not line.startswith("tvarc digest: ")])
    _, found, rest = head.rpartition("Made by tvarc from ")
    if not found:
        return ""
    return rest.rpartition(": matrix ")[0] or rest.rpartition(": variant ")[0]


def _json_origin(rest: bytes) -> str:
    """What the string says of which *rest* is the end, and what follows it."""
    import json

    text = '"' + rest.decode("utf-8", "replace")
    try:
        found = json.JSONDecoder().raw_decode(text)[0]
    except ValueError:
        return ""
    return " ".join(str(found).split())


def is_sealed(data: bytes) -> bool:
    """Whether the head of *data* has a digest, be it right or not."""
    return _json_place(data) >= 0 or any(
        data.startswith(_PREFIX, start) for start, _ in _head(data)
    )


def head_lines(data: bytes) -> list[str]:
    """The lines of the head of *data*, `#` and blanks left out."""
    return [
        " ".join(data[start + 1 : end].decode("utf-8", "replace").split())
        for start, end in _head(data)
    ]


def after_head(data: bytes) -> bytes:
    """What follows the head of *data*."""
    end = 0
    for _, last in _head(data):
        end = last + 1
    return data[end:]


def _head(data: bytes) -> Iterator[tuple[int, int]]:
    """Start and end, without the line end, of each line of the head."""
    start = 0
    while data.startswith(b"#", start):
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        yield start, end
        start = end + 1
