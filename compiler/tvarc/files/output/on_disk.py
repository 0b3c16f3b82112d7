"""What stands on the disk: a file read whole, its state, and whether a program reads it."""

# Plain `os` calls: a run may compare ten thousand files, and path objects would double its time.
# ruff: noqa: PTH116
from __future__ import annotations

import os
import stat

from tvarc.files.output.header import Ownership, inspect_bytes
from tvarc.files.output.refusals import Reason
from tvarc.light import Collection, Final, Iterable

LARGEST: Final = 1 << 26
"""Bytes of a file that may be a recipe. None comes near: a larger one is not read."""
READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""How a file is opened that may be anything: no link is followed, and a special file is opened
without waiting for anybody; what it is is asked when it is open."""
_STATE: Final = (1 << 64) - 1  # what a number of a state may have


def is_there(folder: int, name: str) -> bool:
    """Whether anything has the *name* in the open *folder*; raises OSError."""
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True


def read_all(handle: int, size: int) -> bytes:
    """The bytes of a regular file of about *size* bytes; raises OSError."""
    data = os.pread(handle, size + 1, 0)
    if len(data) == size:
        return data
    # It changed since it was looked at, or is too long for one read.
    parts = [data]
    done = len(data)
    while data:
        data = os.pread(handle, 1 << 20, done)
        parts.append(data)
        done += len(data)
    return b"".join(parts)


def state_of(found: os.stat_result) -> tuple[int, int, int, int]:
    """What changes when somebody writes a file, or puts another in its place."""
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns & _STATE)


def holds(folder: int, name: str, data: bytes) -> bool:
    """Whether *name* in the open *folder* is a file that can be read and has *data* in it."""
    try:
        handle = os.open(name, READ, dir_fd=folder)
    except OSError:
        return False
    try:
        return stat.S_ISREG(os.fstat(handle).st_mode) and read_all(handle, len(data)) == data
    except OSError:
        return False
    finally:
        os.close(handle)


def changed_since(folder: int, name: str) -> Reason:
    """Why *name* in the open *folder*, which somebody has changed since it was compared, must not
    be written over: a person's edit, or the work of another run."""
    try:
        handle = os.open(name, READ, dir_fd=folder)
    except OSError:
        return Reason.EDITED
    try:
        old = os.fstat(handle)
        plain = stat.S_ISREG(old.st_mode) and old.st_size <= LARGEST
        if plain and inspect_bytes(read_all(handle, old.st_size)) is Ownership.OURS:
            return Reason.MEANWHILE
        return Reason.EDITED
    except OSError:
        return Reason.EDITED
    finally:
        os.close(handle)


class Sources:
    """The files that a program reads, by path and by what they are on the disk, and the folders of
    which it reads all."""

    __slots__ = ("_ids", "_whole", "folders", "paths")

    def __init__(self, paths: Collection[str], whole: Collection[str] = ()) -> None:
        """*paths*, and the folders *whole*, are absolute and real; a file need not be there."""
        self._whole = tuple(f"{folder.rstrip('/')}/" for folder in whole)
        self.paths = frozenset(paths)
        self.folders = frozenset(map(os.path.dirname, paths))
        self._ids = _identities(paths)

    def encloses(self, folder: str) -> bool:
        """Whether the absolute and real *folder* is one of which all is read, or lies in one."""
        return f"{folder.rstrip('/')}/".startswith(self._whole) if self._whole else False

    def has(self, found: os.stat_result) -> bool:
        """Whether *found* is one of them, under whatever name."""
        return (found.st_dev, found.st_ino) in self._ids

    def holds(self, path: str) -> bool:
        """Whether the absolute *path* is one of them."""
        if path in self.paths:
            return True
        try:
            return self.has(os.stat(path))
        except OSError:
            return False


def _identities(paths: Iterable[str]) -> frozenset[tuple[int, int]]:
    """Device and number of each file, by which it is known under a second spelling too."""
    found: list[tuple[int, int]] = []
    for path in paths:
        try:
            here = os.stat(path)
        except OSError:
            continue
        found.append((here.st_dev, here.st_ino))
    return frozenset(found)
