"""Puts a file in place so that a reader sees the whole old file or the whole new one, and removes
what killed runs left.

A run writes a file under a temporary name, which holds the number of its process, and renames it
when it is whole. So a temporary file with the number of a process that has ended can be removed.
"""

# Plain `os` calls: a run may write ten thousand files, and path objects would double its time.
# ruff: noqa: PTH108, PTH208
from __future__ import annotations

import errno
import os
import stat

from tvarc.light import Callable, Final, suppress

CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_PREFIX: Final = ".tvarc-"
# Not `.nix`: a Nix tool that takes every file of a folder for a package must not see it.
_SUFFIX: Final = ".tmp"


def temporary_name() -> str:
    """The name under which this process writes a file, one at a time."""
    return f"{_PREFIX}{os.getpid()}{_SUFFIX}"


def clear_leftovers(folder: str) -> None:
    """Remove the temporary files that killed runs left in the absolute *folder*.

    Those of a run that is still alive stay. What cannot be removed stays, without an error.
    """
    with suppress(OSError):
        # There may be very many names, and most are not of this kind.
        for name in [name for name in os.listdir(folder) if name.startswith(_PREFIX)]:
            if _is_left(name):
                with suppress(OSError):
                    os.unlink(f"{folder}/{name}")


def _is_left(name: str) -> bool:
    """Whether *name* is one that `temporary_name` gave to a process that no longer needs it. Any
    other may be a person's file."""
    owner = name[len(_PREFIX) : -len(_SUFFIX)]
    if not name.endswith(_SUFFIX) or not owner.isascii() or not owner.isdigit() or len(owner) > 9:
        return False
    if int(owner) in (0, os.getpid()):
        return True
    try:
        os.kill(int(owner), 0)
    except ProcessLookupError:
        return True
    except OSError:
        pass
    return False


class _NotMade(Exception):
    """There is no new file or folder under a temporary name, for the reason that is the cause."""


def put(
    folder: int,
    temporary: str,
    name: str,
    data: bytes,
    mode: int | None,
    finish: Callable[[int], object] | None = None,
) -> None:
    """Replace or create *name* in the open *folder* with *data*; raises OSError.

    *mode* is that of the replaced file, None for a new one, which gets 0644 less the umask.
    *temporary* is `temporary_name()`. *finish* is called with the new file, open, before that
    takes its place. After an error nothing has changed and no temporary file is left.
    """
    # A signal may raise at any step, also after the file is made and before this is known.
    try:
        try:
            handle = os.open(temporary, CREATE, 0o644, dir_fd=folder)
        except OSError as fault:
            raise _NotMade from fault
        try:
            write_all(handle, data)
            if mode is not None:
                os.fchmod(handle, mode)
            if finish is not None:
                finish(handle)
        finally:
            os.close(handle)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except _NotMade as fault:
        raise fault.__cause__ from None  # type: ignore[misc]
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise


def write_all(handle: int, data: bytes) -> None:
    """Write *data* to the open file *handle*; raises OSError."""
    done = os.write(handle, data)
    while done < len(data):
        done += os.write(handle, data[done:])


def put_one(folder: str, name: str, data: bytes, old: os.stat_result | None = None) -> None:
    """As `put`, for one file in the absolute *folder*, which keeps owner, permissions and extended
    attributes of the *old* one. First removes what killed runs left there.

    The file is flushed to disk before its name is, and both before this returns: there is no moment
    at which a power cut could lose a person's work.
    """

    def finish(handle: int) -> None:
        if old is not None:
            _own(handle, old)
            _copy_attributes(f"{folder}/{name}", handle)
        os.fsync(handle)

    clear_leftovers(folder)
    mode = stat.S_IMODE(old.st_mode) if old is not None else None
    handle = os.open(folder, _FOLDER)
    try:
        put(handle, temporary_name(), name, data, mode, finish)
    finally:
        os.close(handle)
    flush_folder(folder)


def _own(handle: int, old: os.stat_result) -> None:
    """Give the open file *handle* owner and group of the *old* one, or the group alone if the
    system does not let files be given away; raises OSError if not even that is possible."""
    new = os.fstat(handle)
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
        return
    try:
        os.fchown(handle, old.st_uid, old.st_gid)
    except OSError:
        if new.st_gid != old.st_gid:
            os.fchown(handle, -1, old.st_gid)
    os.fchmod(handle, stat.S_IMODE(old.st_mode))  # a new owner takes some of them away


def _copy_attributes(path: str, handle: int) -> None:
    """Give the open file *handle* the extended attributes of the file *path*, above all its access
    control list, as far as the system lets."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(path):
            with suppress(OSError):
                os.setxattr(handle, name, os.getxattr(path, name))


def flush_folder(folder: str) -> None:
    """Make the names in the absolute *folder* last over a power cut; raises OSError."""
    handle = os.open(folder, _FOLDER)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network file systems cannot flush a folder at all.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(handle)
