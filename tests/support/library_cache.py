"""What the standard library comes to, kept for all programs that one process of tests compiles."""

from __future__ import annotations

from functools import cache

from tvarc.cache import Bytes, Cache

# Of other sources nothing is kept: each test reads its own anew.
_LIBRARY = ("library-", "rows-", "tables-")


class LibraryCache(Cache):
    """A cache in memory that takes the trees and rows of the standard library, and the parser's
    tables. They are those of the sources: property tests of the cache hold that."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        super().__init__(None, None)
        self._kept: dict[str, bytes] = {}

    @property
    def keeps(self) -> bool:
        return True

    def get(self, key: str) -> memoryview | None:
        found = self._kept.get(key)
        return memoryview(found) if found is not None else None

    def put(self, key: str, *parts: Bytes) -> None:
        if key.startswith(_LIBRARY):
            self._kept[key] = b"".join(parts)


@cache
def library_cache() -> LibraryCache:
    """The one of this process."""
    return LibraryCache()
