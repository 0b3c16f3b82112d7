"""What the standard library comes to, kept for all programs that tests compile."""

from __future__ import annotations

import errno
import os
import shutil
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest

from tvarc.advice.library.tables import Library, load_library, load_module
from tvarc.files.cache import Cache, MemoryCache
from tvarc.files.disk import DiskLoader
from tvarc.files.resources import stdlib_dir

KEPT = "TVARC_TESTS_LIBRARY"
"""Set to the folder in which a run leaves the trees of the library for the next one, if any."""
# Of other sources nothing is kept: each test reads its own anew.
_LIBRARY = ("library-", "pattern-", "rows-", "tables-")


class LibraryCache(MemoryCache):
    """A cache in memory and in the folder `KEPT`. It takes the trees and rows of the standard
    library, and the parser's tables. They are those of the sources: property tests of the cache
    hold that."""

    __slots__ = ("_disk",)

    def __init__(self) -> None:
        super().__init__(None)
        self._disk = Cache(os.environ.get(KEPT), None)

    def get(self, key: str) -> memoryview | None:
        found = super().get(key)
        if found is None and (found := self._disk.get(key)) is not None:
            super().put(key, bytes(found))
        return found

    def put(self, key: str, data: bytes) -> None:
        if key.startswith(_LIBRARY):
            super().put(key, data)
            self._disk.put(key, data)


@cache
def library_cache() -> LibraryCache:
    """The one of this process."""
    return LibraryCache()


# --- commands, which have no cache or a new one --------------------------------------------------


def own_cache(folder: Path) -> Path:
    """A new folder for the caches of programs, *folder*. It has what all programs share, as an
    earlier run, the cache of all tests or that of the test before has it: to make that takes longer
    than a small command."""
    mine, before = folder / "tvarc", _last_own()
    folder.mkdir(parents=True)
    mine.mkdir(mode=0o700)
    kept = [Path(os.environ[KEPT])] if KEPT in os.environ else []
    for home in (*before, Path(os.environ["XDG_CACHE_HOME"], "tvarc"), *kept):
        for entry in home.glob("*-*"):
            if entry.name.startswith(_LIBRARY):
                _put(entry, mine / entry.name)
    before[:] = [mine]
    return folder


def _put(entry: Path, place: Path) -> None:
    """The file *entry* at *place* too: copied if they are on two file systems."""
    with suppress(FileExistsError):
        try:
            os.link(entry, place)
        except OSError as error:
            if error.errno != errno.EXDEV:
                raise
            shutil.copyfile(entry, place)


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
