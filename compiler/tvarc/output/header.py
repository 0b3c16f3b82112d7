"""The digest line in the head of a recipe, by which a later run knows its own work.

The head of a file is the run of lines starting with `#` at its very beginning. One of them
holds the digest of all the rest of the file, the other lines of the head included, so that
an edit anywhere but in the digest line itself is noticed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final

DIGEST_PREFIX: Final = "# tvarc digest: "


class Ownership(Enum):
    """Whose a file is: as this compiler wrote it, changed since, or never ours."""

    OURS = "ours"
    EDITED = "edited"
    FOREIGN = "foreign"


def digest(text: str) -> str:
    """The SHA-256 of *text* in UTF-8, spelt as Nix spells hashes: `sha256-<base64>`."""
    # Imported when first needed: a run that only reads does without them.
    import hashlib
    from binascii import b2a_base64

    # Bytes that were no UTF-8 when a file was read come back as they were.
    data = text.encode("utf-8", "surrogateescape")
    return f"sha256-{b2a_base64(hashlib.sha256(data).digest(), newline=False).decode('ascii')}"


def digest_lines(header_lines: Sequence[str], body: str) -> str:
    """The digest of a file with these lines in its head, the digest line left out.

    Header lines start with `#` and have no line end; *body* is all that follows the head.
    """
    return digest("".join([f"{line}\n" for line in header_lines]) + body)


def seal(header_lines: Sequence[str], body: str) -> str:
    """The text of a file: its header lines, the digest line, and its body."""
    lines = [*header_lines, DIGEST_PREFIX + digest_lines(header_lines, body)]
    return "".join([f"{line}\n" for line in lines]) + body


def inspect(text: str) -> Ownership:
    """Whose the file is that holds *text*."""
    found = Ownership.FOREIGN
    for start, end in _head(text):
        if not text.startswith(DIGEST_PREFIX, start):
            continue
        given = text[start + len(DIGEST_PREFIX) : end]
        if given == digest(text[:start] + text[end + 1 :]):
            return Ownership.OURS
        found = Ownership.EDITED
    return found


def _head(text: str) -> Iterator[tuple[int, int]]:
    """Start and end, without the line end, of each line of the head."""
    start = 0
    while text.startswith("#", start):
        end = text.find("\n", start)
        if end < 0:
            end = len(text)
        yield start, end
        start = end + 1
