"""Puts a file in place so that whoever looks sees the old one whole or the new one whole."""

# Plain `os` calls: a run may write ten thousand files, and path objects would double its time.
from __future__ import annotations

import errno
import os
import stat

from tvarc.files.output.leftovers import temporary_name
from tvarc.light import Callable, Final, suppress

CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


class NotMade(Exception):
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

    *mode* is that of the file replaced, None for a new one, which gets 0644 less the umask.
    *temporary* is `temporary_name()`. *finish* is given the new file, open, before it takes its
    place. After an error nothing has changed and no temporary file is left.
    """
    # A signal may raise at any step, also between that the file is made and that this is known.
    try:
        try:
            handle = os.open(temporary, CREATE, 0o644, dir_fd=folder)
        except OSError as fault:
            raise NotMade from fault
        try:
            write_all(handle, data)
            if mode is not None:
                os.fchmod(handle, mode)
            if finish is not None:
                finish(handle)
        finally:
            os.close(handle)
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except NotMade as fault:
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
    attributes of the *old* one.

    It lasts over a power cut when this returns, and before its name does: there is no moment at
    which a person's work could be lost.
    """

    def finish(handle: int) -> None:
        if old is not None:
            _own(handle, old)
            _copy_attributes(f"{folder}/{name}", handle)
        os.fsync(handle)

    mode = stat.S_IMODE(old.st_mode) if old is not None else None
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        put(handle, temporary_name(), name, data, mode, finish)
    finally:
        os.close(handle)
    flush_folder(folder)


def _own(handle: int, old: os.stat_result) -> None:
    """Give the open file *handle* owner and group of the *old* one: where the system keeps it from
    giving files away, the group alone; raises OSError where not even that."""
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
    """Give the open file *handle* what is noted on the file *path*, its list of who may do what
    above all, as far as the system lets."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(path):
            with suppress(OSError):
                os.setxattr(handle, name, os.getxattr(path, name))


def flush_folder(folder: str) -> None:
    """Make the names in the absolute *folder* last over a power cut; raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network file systems cannot flush a folder at all.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(handle)
