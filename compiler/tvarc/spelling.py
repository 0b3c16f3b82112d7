"""Which spellings of a path a file system may take for the same file."""

from __future__ import annotations


def folded(path: str) -> str:
    """What all spellings of *path* share that differ in case or in Unicode normal form only:
    there are file systems that take them for one."""
    if path.isascii():
        return path.lower()
    from unicodedata import normalize

    # A canonical caseless match, as Unicode defines it.
    return normalize("NFD", normalize("NFD", path).casefold())
