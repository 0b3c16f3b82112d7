"""Takes the place of a file that a person wrote: what was in it stays beside it."""

from __future__ import annotations

import difflib
import errno
import os

from tvarc.files.output.model import Adopted
from tvarc.files.output.on_disk import READ, is_there, read_all
from tvarc.light import Final, Iterator

# Not `.nix`: a Nix tool that takes every file of a folder for a package must not see it.
_ENDING: Final = ".orig"
_MOST: Final = 1000
_MOST_LINES: Final = 20_000
_CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)


def adopted(folder: int, path: str, data: bytes, *, keep: bool) -> Adopted:
    """What is lost when *data* takes the place of the file *path* in the open *folder*. With
    *keep* the file is kept under a second name first. Raises OSError."""
    name = path.rpartition("/")[2]
    handle = os.open(name, READ, dir_fd=folder)
    try:
        present = read_all(handle, os.fstat(handle).st_size)
        for backup in _names(name):
            if keep and _kept(folder, name, backup, handle, present):
                break
            if not keep and not is_there(folder, backup):
                break
        else:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    finally:
        os.close(handle)
    return Adopted(path, path.removesuffix(name) + backup, _difference(present, data))


def _names(name: str) -> Iterator[str]:
    yield name + _ENDING
    for number in range(1, _MOST):
        yield f"{name}{_ENDING}.{number}"


def _kept(folder: int, name: str, backup: str, handle: int, present: bytes) -> bool:
    """Keep the file *name*, open as *handle*, as *backup* too; False where that name is taken."""
    try:
        os.link(name, backup, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        # A run that was killed may have come as far as this.
        here, there = os.fstat(handle), os.stat(backup, dir_fd=folder, follow_symlinks=False)
        return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return _copied(folder, backup, present, os.fstat(handle).st_mode & 0o777)
    return True


def _copied(folder: int, backup: str, present: bytes, mode: int) -> bool:
    """Write *present* to the new file *backup*; False where there is one."""
    try:
        copy = os.open(backup, _CREATE, mode, dir_fd=folder)
    except FileExistsError:
        return False
    try:
        try:
            done = 0
            while done < len(present):
                done += os.write(copy, present[done:])
            os.fsync(copy)
        finally:
            os.close(copy)
    except BaseException:
        os.unlink(backup, dir_fd=folder)
        raise
    return True


def _difference(old: bytes, new: bytes) -> tuple[str, ...]:
    """The lines of a unified diff, without the names of the files."""
    try:
        before, after = old.decode().splitlines(), new.decode().splitlines()
    except UnicodeDecodeError:
        return (f"the old content is not text: {len(old)} bytes",)
    if len(before) + len(after) > _MOST_LINES:
        return (f"the old content has {len(before)} lines, too many to compare here",)
    found = list(difflib.unified_diff(before, after, lineterm=""))
    return tuple(map(_shown, found[2:]))


def _shown(line: str) -> str:
    """*line* without what would make a terminal do something."""
    return "".join([c if c.isprintable() or c == "\t" else f"\\x{ord(c):02x}" for c in line])
