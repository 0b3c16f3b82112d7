"""Temporary names, and the removal of the files and folders that killed runs left under them.

A run makes a file or a folder under a temporary name, which holds the number of its process, and
renames it when it is whole. So what bears the number of a process that is gone can be removed.
"""

# Plain `os` calls: a folder may hold a hundred thousand names.
# ruff: noqa: PTH108, PTH208
from __future__ import annotations

import os
import stat
import time

from tvarc.light import Final, own_user, suppress

_PREFIX: Final = ".tvarc-"
# Not `.nix`: a Nix tool that takes every file of a folder for a package must not see it.
_SUFFIX: Final = ".tmp"
_NEW: Final = 10  # seconds within which whoever makes a folder begins to hold it
FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""How a folder is opened that must not be a link."""


def temporary_name() -> str:
    """The name under which this process writes a file, one at a time."""
    return f"{_PREFIX}{os.getpid()}{_SUFFIX}"


def clear_leftovers(folder: str) -> None:
    """Remove the temporary files and folders that killed runs left in the absolute *folder*.

    Those of a run that is still alive stay. What cannot be removed stays, without an error:
    it hinders nobody.
    """
    with suppress(OSError):
        # There may be a hundred thousand names, and most are not of this kind.
        for name in [name for name in os.listdir(folder) if name.startswith(_PREFIX)]:
            if _is_temporary(name) and not _in_use(name):
                path = f"{folder}/{name}"
                with suppress(OSError):
                    if stat.S_ISDIR(os.lstat(path).st_mode):
                        _remove_unlocked(folder, name)
                    else:
                        os.unlink(path)


def _is_temporary(name: str) -> bool:
    """Whether *name* is as `put` makes them: anything else may be a person's file."""
    owner = name[len(_PREFIX) : -len(_SUFFIX)]
    shaped = name.startswith(_PREFIX) and name.endswith(_SUFFIX)
    return shaped and owner.isascii() and owner.isdigit() and len(owner) <= 9


def _in_use(name: str) -> bool:
    """Whether another process that is alive made the temporary file *name*."""
    owner = name[len(_PREFIX) : -len(_SUFFIX)]
    if int(owner) == 0:
        return False
    if int(owner) == os.getpid():
        return False
    try:
        os.kill(int(owner), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _remove_unlocked(folder: str, name: str) -> None:
    """Remove the folder *name* in the absolute *folder* if a run made it under a temporary name,
    unless it is another user's, or that run goes on."""
    import fcntl

    with suppress(OSError):
        outer = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            inner = os.open(name, FOLDER, dir_fd=outer)
            try:
                fcntl.flock(inner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_marked(inner, name):
                    _remove(outer, name, inner)
                else:
                    os.rmdir(name, dir_fd=outer)  # if it is empty: the run was killed at once
            finally:
                os.close(inner)
        finally:
            os.close(outer)


def _is_marked(inner: int, name: str) -> bool:
    try:
        mark = os.stat(name, dir_fd=inner, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return stat.S_ISREG(mark.st_mode) and mark.st_uid == own_user()


def remove_folder(outer: int, name: str) -> None:
    """Remove the folder *name* of this user in the open folder *outer*, as far as that is possible.
    No link is followed."""
    with suppress(OSError):
        inner = os.open(name, FOLDER, dir_fd=outer)
        try:
            _remove(outer, name, inner)
        finally:
            os.close(inner)


def _remove(outer: int, name: str, inner: int) -> None:
    if os.fstat(inner).st_uid != own_user():
        return
    with os.scandir(inner) as found:
        entries = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in found]
    entries.sort(key=lambda entry: entry[0] == name)  # what marks it goes last
    for one, is_folder in entries:
        if is_folder:
            remove_folder(inner, one)
        else:
            os.unlink(one, dir_fd=inner)
    os.rmdir(name, dir_fd=outer)


def clear_abandoned(folder: str, prefix: str) -> None:
    """Remove the folders of this user in *folder* whose names begin with *prefix*, and that no run
    has `Held` for a while: what made them was killed. What cannot be removed stays."""
    import fcntl

    with suppress(OSError):
        outer = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            for name in [name for name in os.listdir(folder) if name.startswith(prefix)]:
                with suppress(OSError):
                    inner = os.open(name, FOLDER, dir_fd=outer)
                    try:
                        fcntl.flock(inner, fcntl.LOCK_EX | fcntl.LOCK_NB)
                        if time.time() - os.fstat(inner).st_mtime > _NEW:
                            _remove(outer, name, inner)
                    finally:
                        os.close(inner)
        finally:
            os.close(outer)


class Held:
    """Within, no other run takes *folder* for one that was left behind."""

    __slots__ = ("_folder", "_handle")

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._handle = -1

    def __enter__(self) -> None:
        import fcntl

        self._handle = os.open(self._folder, FOLDER)
        with suppress(OSError):  # a file system without locks: then it is old enough or not
            fcntl.flock(self._handle, fcntl.LOCK_SH)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)
