"""The digest line in the head of a recipe, by which a later run knows its own work.

The head of a file is the run of lines starting with `#` at its very beginning. One of them
holds the digest of all the rest of the file, the other lines of the head included, so that
an edit anywhere but in the digest line itself is noticed.

JSON has no comments. There a string begins with the digest, which is that of all but its digits.
"""

from __future__ import annotations

from tvarc.light import Callable, Enum, Final, Iterator, Sequence

DIGEST_PREFIX: Final = "# tvarc digest: "
_PREFIX = DIGEST_PREFIX.encode()
_SEAL = _PREFIX + b"sha256-"
_IN_JSON: Final = b'"tvarc digest: sha256-'
_FIRST: Final = 1 << 13  # bytes of a file in JSON that hold its seal
_DIGITS = 44  # of a digest as it is spelt
SEAL_BYTES: Final = len(_SEAL) + _DIGITS + 1
"""The bytes of a digest line, with its end."""
MARK: Final = 22  # of these, those by which a file is known again: half of the digest


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
    """What seals *count* files, as `seal` does: it takes the header, each line with its end, and
    the body, both in UTF-8."""
    from binascii import b2a_base64

    from tvarc.digest import sha256_of

    sha256 = sha256_of(count)

    def sealed(head: bytes, body: bytes) -> bytes:
        found = sha256(head + body).digest()
        return b"".join((head, _SEAL, b2a_base64(found), body))

    return sealed


def json_seal(made: str) -> str:
    """The string by which JSON is known that *made* tells the origin of; see `sealed_json`."""
    return f"tvarc digest: sha256-; {made}"


def sealed_json(data: bytes) -> bytes:
    """*data*, in which stands a `json_seal` and no such text before it, with the digest in it."""
    place = data.index(_IN_JSON) + len(_IN_JSON)
    return data[:place] + _json_digits(data[:place], data[place:]) + data[place:]


def _json_digits(before: bytes, after: bytes) -> bytes:
    from tvarc.digest import sha256

    found = sha256(before)
    found.update(after)
    return _spelt(found.digest()).removeprefix(b"sha256-")


def _json_place(data: bytes) -> int:
    """Where the digits of a seal in JSON begin; -1 for nowhere."""
    place = data.find(_IN_JSON, 0, _FIRST) if data.startswith(b"{") else -1
    return place + len(_IN_JSON) if place >= 0 else -1


def mark_of(data: bytes) -> tuple[int, bytes]:
    """Where the digest line of the sealed *data* starts, or in JSON its digits; -1 for nowhere; and
    its mark: what it is known by, as the digest is that of all the rest."""
    place = _json_place(data)
    if place >= 0:
        return place, data[place : place + MARK]
    start = data.find(_SEAL)
    digits = start + len(_SEAL)
    return start, data[digits : digits + MARK]


def recognising(count: int) -> Callable[[bytes, int, bytes], bool]:
    """A function that tells whether a file is to the last byte as it was when `mark_of` was asked
    about it: it takes the bytes that are there now, and the start and the mark that `mark_of` gave.
    *count* is how many files it will be asked about."""
    from binascii import b2a_base64

    from tvarc.digest import sha256_of

    sha256 = sha256_of(count)
    before, length = len(_SEAL), len(_SEAL) + _DIGITS + 1

    def is_same(data: bytes, start: int, mark: bytes) -> bool:
        digits, end = start + before, start + length
        if data[digits : digits + MARK] != mark:
            return data[:1] == b"{" and _is_same_json(data, start, mark)
        rest = sha256(data[:start])
        rest.update(data[end:])
        return data[start:end] == _SEAL + b2a_base64(rest.digest())

    return is_same


def _is_same_json(data: bytes, place: int, mark: bytes) -> bool:
    """The same of JSON, of which the digits were at *place*."""
    digits = data[place : place + _DIGITS]
    return (
        data[place - len(_IN_JSON) : place] == _IN_JSON
        and digits[:MARK] == mark
        and digits == _json_digits(data[:place], data[place + _DIGITS :])
    )


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
    """Whose the file is that holds *data*, one of about *count* that are asked about."""
    from tvarc.digest import sha256_of

    place = _json_place(data)
    if place >= 0:
        end = place + _DIGITS
        whole = data[place:end] == _json_digits(data[:place], data[end:])
        return Ownership.OURS if whole else Ownership.EDITED
    found = Ownership.FOREIGN
    for start, end in _head(data):
        if not data.startswith(_PREFIX, start):
            continue
        rest = sha256_of(count)(data[:start])
        rest.update(data[end + 1 :])
        if data[start + len(_PREFIX) : end] == _spelt(rest.digest()):
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


def _spelt(found: bytes) -> bytes:
    """A digest as Nix spells it."""
    from binascii import b2a_base64

    return b"sha256-" + b2a_base64(found, newline=False)


def _head(data: bytes) -> Iterator[tuple[int, int]]:
    """Start and end, without the line end, of each line of the head."""
    start = 0
    while data.startswith(b"#", start):
        end = data.find(b"\n", start)
        if end < 0:
            end = len(data)
        yield start, end
        start = end + 1
