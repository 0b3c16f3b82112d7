"""The folders that output goes to: looked at once each, and made when needed."""

# Plain `os` calls: a run may write ten thousand files, and path objects would double its time.
# ruff: noqa: PTH102, PTH103, PTH112, PTH120
from __future__ import annotations

import errno
import os
import stat

from tvarc.files.output.refusals import Reason
from tvarc.light import Final, dataclass

# What Linux takes, its end included; others take less, and tell so when a folder is made.
_LONGEST_PATH: Final = 4096


@dataclass(frozen=True, slots=True)
class Refused:
    """A folder that nothing may be written to; *at* is the step of its path that says so."""

    reason: Reason
    at: str
    detail: str = ""


class Folders:
    """What is known of the folders below *root*, an absolute path without symbolic links."""

    __slots__ = ("_entered", "_fresh", "_handle", "_known", "_longest", "root")

    def __init__(self, root: str) -> None:
        self.root = root
        self._known: dict[str, bool | Refused] = {}
        self._fresh: set[str] = set()
        self._handle = -1
        self._entered = ""
        self._longest = 0

    def state(self, folder: str) -> bool | Refused:
        """Whether *folder* (relative, "" for the root) is there, or why it must not be used."""
        known = self._known.get(folder)
        if known is None:
            known = self._known[folder] = self._look(folder)
        return known

    def _look(self, folder: str) -> bool | Refused:
        if folder:
            above = self.state(folder.rpartition("/")[0])
            if above is False and (self.too_long(folder) or self._too_deep(folder)):
                return Refused(Reason.SYSTEM, folder, os.strerror(errno.ENAMETOOLONG))
            if above is not True:
                return above
        try:
            mode = os.lstat(self.full(folder)).st_mode
        except FileNotFoundError:
            return False
        except OSError as error:
            return Refused(Reason.SYSTEM, folder or self.root, reason_of(error))
        if stat.S_ISLNK(mode) and not folder:  # a real path is one only where links go in circles
            return Refused(Reason.SYSTEM, self.root, os.strerror(errno.ELOOP))
        if stat.S_ISLNK(mode):
            return Refused(Reason.SYMLINK, folder)
        if not stat.S_ISDIR(mode):
            return Refused(Reason.SYSTEM, folder or self.root, os.strerror(errno.ENOTDIR))
        return True

    def too_long(self, path: str) -> bool:
        """Whether no file or folder can have the last step of *path* as its name. Only what is to
        stand in a folder that is to be made need be asked: of another the system tells."""
        name = path.rpartition("/")[2]
        return len(name if name.isascii() else os.fsencode(name)) > self._name_limit()

    def _too_deep(self, folder: str) -> bool:
        return len(os.fsencode(self.full(folder))) >= _LONGEST_PATH

    def _name_limit(self) -> int:
        if not self._longest:
            try:
                self._longest = os.pathconf(self.nearest(""), "PC_NAME_MAX")
            except (OSError, ValueError):
                self._longest = 255
        return self._longest

    def nearest(self, folder: str) -> str:
        """The absolute path of *folder*, or of what is there of the folders above it."""
        path = self.full(folder)
        while not os.path.isdir(path) and path != "/":
            path = os.path.dirname(path) or "/"
        return path

    def closed(self, folder: str) -> str:
        """Why no file can be made in *folder*, as far as the system tells beforehand, or empty."""
        path = self.nearest(folder)
        if os.access(path, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            return ""
        try:
            fixed = os.statvfs(path).f_flag & os.ST_RDONLY
        except OSError:
            fixed = 0
        return os.strerror(errno.EROFS if fixed else errno.EACCES)

    def full(self, path: str) -> str:
        """The absolute path of *path*, a file or folder below the root."""
        if not path:
            return self.root
        return f"{self.root}{path}" if self.root.endswith("/") else f"{self.root}/{path}"

    def enter(self, folder: str) -> int:
        """A handle of *folder*, which is there, until the next call or `leave`; raises OSError."""
        if self._handle < 0 or folder != self._entered:
            self.leave()
            flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
            self._handle = os.open(self.full(folder), flags)
            self._entered = folder
        return self._handle

    def leave(self) -> None:
        """Close the handle that `enter` gave."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def known(self) -> list[str]:
        """The folders asked for so far, those above them included."""
        return list(self._known)

    def make(self, folder: str) -> None:
        """Make *folder* and those above it where missing; raises OSError."""
        if self._known.get(folder) is True:
            return
        if folder:
            above = folder.rpartition("/")[0]
            self.make(above)
            try:
                os.mkdir(self.full(folder))
            except FileExistsError:
                # Made by another since we looked; a link in its place is still refused.
                if not stat.S_ISDIR(os.lstat(self.full(folder)).st_mode):
                    raise
            self._fresh.add(above)
        else:
            os.makedirs(self.root, exist_ok=True)
        self._known[folder] = True

    def is_there(self, folder: str) -> None:
        """Note that *folder* and those above it have been made."""
        while self._known.get(folder) is not True:
            self._known[folder] = True
            folder = folder.rpartition("/")[0]

    def parents_of_new(self) -> set[str]:
        """The folders in which `make` made another one."""
        return self._fresh


def reason_of(error: OSError) -> str:
    """The system's words for *error*."""
    return error.strerror or str(error)
