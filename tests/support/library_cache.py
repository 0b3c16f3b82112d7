"""What the standard library comes to, kept for all programs that one process of tests compiles."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from tvarc.advice.library.tables import Library, load_library, load_module
from tvarc.files.cache import MemoryCache
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir

# Of other sources nothing is kept: each test reads its own anew.
_LIBRARY = ("library-", "pattern-", "rows-", "tables-")


class LibraryCache(MemoryCache):
    """A cache in memory that takes the trees and rows of the standard library, and the parser's
    tables. They are those of the sources: property tests of the cache hold that."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None)

    def put(self, key: str, data: bytes) -> None:
        if key.startswith(_LIBRARY):
            super().put(key, data)


@cache
def library_cache() -> LibraryCache:
    """The one of this process."""
    return LibraryCache()


# --- commands, which have no cache or a new one --------------------------------------------------


def own_cache(folder: Path) -> Path:
    """A new folder for the caches of programs, *folder*. It has what all programs share, as the
    cache of all tests or that of the test before has it: to make that takes longer than a small
    command."""
    mine, before = folder / "tvarc", _last_own()
    folder.mkdir(parents=True)
    mine.mkdir(mode=0o700)
    for home in (*before, Path(os.environ["XDG_CACHE_HOME"], "tvarc")):
        for entry in home.glob("*-*"):
            if entry.name.startswith(_LIBRARY):
                with suppress(FileExistsError):
                    os.link(entry, mine / entry.name)
    before[:] = [mine]
    return folder


@cache
def _last_own() -> list[Path]:
    """The last folder that `own_cache` has made in this process, if any."""
    return []


def whole_library() -> Library:
    """All tables of the library."""
    return load_library(DiskLoader(stdlib_dir()), library_cache())


@cache
def _module(name: str) -> Library:
    return load_module(DiskLoader(stdlib_dir()), name)


def read_library_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builds take the tables of the library as they were read before: to read them is most of the
    work of a small one."""
    monkeypatch.setattr(
        "tvarc.advice.library.tables.load_module", lambda _, name, *__: _module(name)
    )
