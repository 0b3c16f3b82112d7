"""The folders of output: their content, the reasons why something must not be written, and the
replacement of files, so that a reader sees the whole old or the whole new file. A run writes a file
under a temporary name, which contains the number of its process, and renames it when it is
complete. So a temporary file with the number of a process that has ended can be removed.
"""

# Plain `os` calls: a run may examine ten thousand files, and path objects would double its time.
# ruff: noqa: PTH102, PTH103, PTH108, PTH112, PTH114, PTH116, PTH118, PTH120, PTH208
from __future__ import annotations

import errno
import os
import stat

from tvarc.files.output.header import Ownership, inspect_bytes
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Collection,
    Enum,
    Final,
    Iterable,
    dataclass,
    suppress,
)
from tvarc.text.diagnostics.model import Sink
from tvarc.text.paths import is_reserved

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message

# The limit of Linux, including the end. A system with a lower limit refuses to make the folder.
_LONGEST_PATH: Final = 4096
_NAMED: Final = 50  # paths that a message lists

LARGEST: Final = 1 << 26
"""The most bytes of a file that may be a recipe. A larger file is not read; no recipe is nearly as
large."""
READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
"""The flags to open a file of unknown kind: no link is followed, and a special file is opened
without waiting. The caller checks its kind after that."""
FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
"""The flags to open a folder that must not be a link."""

State = tuple[int, int, int, int]
"""A state that changes if a file is written or replaced."""

# --- why files are not written ----------------------------------------------------------------


class Reason(Enum):
    """A reason why a file is not written. Its value is the name of the message."""

    EDITED = 1
    FOREIGN = 2
    ABSOLUTE = 3
    PARENT = 4
    NOT_PLAIN = 5
    SYMLINK = 6
    NO_FILE = 7
    SOURCE = 8
    TWICE = 9
    FOLDER_TOO = 10
    SYSTEM = 11
    KEPT = 12
    OTHER_PROGRAM = 13
    MEANWHILE = 14
    MERGED = 15
    LARGE = 16
    CHECKOUT = 17
    RESERVED = 18


class Refusals:
    """The paths that a run does not write, by reason. Each reason is reported once."""

    __slots__ = ("_paths",)

    def __init__(self) -> None:
        self._paths: dict[tuple[Reason, str], dict[str, None]] = {}

    def add(self, reason: Reason, path: str, detail: str = "") -> None:
        """Add *path*. *detail* is the system's reason, for `Reason.SYSTEM` and `Reason.KEPT`, or
        the name of the program for `Reason.OTHER_PROGRAM`."""
        self._paths.setdefault((reason, detail), {})[path] = None

    def add_error(self, path: str, error: OSError) -> None:
        """Add *path*, for which the system reports *error*."""
        self.add(Reason.SYSTEM, path, reason_of(error))

    def __bool__(self) -> bool:
        return bool(self._paths)

    def unwritten(self) -> list[tuple[str, str]]:
        """Each path, with the detail from `add`."""
        return [(path, detail) for (_, detail), paths in self._paths.items() for path in paths]

    def report(self, sink: Sink, note: str = "") -> None:
        """Add the diagnostics to *sink*, each with *note* at its end."""
        for (reason, detail), given in self._paths.items():
            paths = list(given)
            sink.report(
                _message(reason),
                count=len(paths),
                path=paths[0],
                listed=_listed(paths) if len(paths) > 1 else "",
                detail=detail,
                mend=_mend(detail),
                notes=(note,) if note else (),
            )


def _listed(paths: list[str]) -> str:
    from tvarc.text.diagnostics.render_cells import safe

    shown = [f"  {safe(path)}" for path in paths[:_NAMED]]
    if len(paths) > _NAMED:
        shown.append(f"  and {len(paths) - _NAMED} more")
    return "\n".join(["they are:", *shown])


def _message(reason: Reason) -> Message:
    from tvarc.files import messages as msg  # most runs refuse nothing

    return {
        Reason.EDITED: msg.refusals.EDITED,
        Reason.FOREIGN: msg.refusals.FOREIGN,
        Reason.ABSOLUTE: msg.refusals.ABSOLUTE,
        Reason.PARENT: msg.refusals.PARENT,
        Reason.NOT_PLAIN: msg.refusals.NOT_PLAIN,
        Reason.SYMLINK: msg.refusals.SYMLINK,
        Reason.NO_FILE: msg.refusals.NO_FILE,
        Reason.SOURCE: msg.refusals.SOURCE,
        Reason.TWICE: msg.refusals.TWICE,
        Reason.FOLDER_TOO: msg.refusals.FOLDER_TOO,
        Reason.SYSTEM: msg.refusals.SYSTEM,
        Reason.KEPT: msg.refusals.KEPT,
        Reason.OTHER_PROGRAM: msg.refusals.OTHER_PROGRAM,
        Reason.MEANWHILE: msg.refusals.MEANWHILE,
        Reason.MERGED: msg.refusals.MERGED,
        Reason.LARGE: msg.refusals.LARGE,
        Reason.CHECKOUT: msg.refusals.CHECKOUT,
        Reason.RESERVED: msg.refusals.RESERVED,
    }[reason]


def _mend(detail: str) -> str:
    """The advice for the error *detail* of the system."""
    from tvarc.files.messages.refusals import MEND, MENDING

    for numbers, advice in MENDING:
        if detail in map(words_of, numbers):
            return advice
    return MEND


def reason_of(error: OSError) -> str:
    """The system's words for *error*."""
    return _lowered(error.strerror or str(error))


def words_of(number: int) -> str:
    """The system's words for the error *number*."""
    return _lowered(os.strerror(number))


def _lowered(words: str) -> str:
    """*words* as the end of a sentence."""
    return words[:1].lower() + words[1:]


# --- folders ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Refused:
    """A folder to which nothing may be written. `at` is the step of its path that is the reason."""

    reason: Reason
    at: str
    detail: str = ""


class Folders:
    """The known folders below *root*, an absolute path without symbolic links. Each folder is
    examined once, and made if it is needed."""

    __slots__ = ("_entered", "_fresh", "_handle", "_known", "_longest", "root")

    def __init__(self, root: str) -> None:
        self.root = root
        self._known: dict[str, bool | Refused] = {}
        self._fresh: set[str] = set()
        self._handle = -1
        self._entered = ""
        self._longest = 0

    def state(self, folder: str) -> bool | Refused:
        """Whether *folder* (relative, "" for the root) exists, or why it must not be used."""
        known = self._known.get(folder)
        if known is None:
            known = self._known[folder] = self._look(folder)
        return known

    def _look(self, folder: str) -> bool | Refused:
        if folder:
            above = self.state(folder.rpartition("/")[0])
            if above is False and (self.too_long(folder) or self._too_deep(folder)):
                return Refused(Reason.SYSTEM, folder, words_of(errno.ENAMETOOLONG))
            if above is not True:
                return above
        try:
            mode = os.lstat(self.full(folder)).st_mode
        except FileNotFoundError:
            return False
        except OSError as error:
            return Refused(Reason.SYSTEM, folder or self.root, reason_of(error))
        if stat.S_ISLNK(mode) and not folder:  # a real path is a link only if links form a circle
            return Refused(Reason.SYSTEM, self.root, words_of(errno.ELOOP))
        if stat.S_ISLNK(mode):
            return Refused(Reason.SYMLINK, folder)
        if not stat.S_ISDIR(mode):
            return Refused(Reason.SYSTEM, folder or self.root, words_of(errno.ENOTDIR))
        return True

    def too_long(self, path: str) -> bool:
        """Whether no file or folder can have the last step of *path* as its name. This is only
        needed for a folder that does not exist yet. For any other folder the system reports it."""
        name = path.rpartition("/")[2]
        return len(name if name.isascii() else os.fsencode(name)) > self._name_limit()

    def _too_deep(self, folder: str) -> bool:
        return len(os.fsencode(self.full(folder))) >= _LONGEST_PATH

    def _name_limit(self) -> int:
        if not self._longest:
            try:
                self._longest = os.pathconf(self._nearest(""), "PC_NAME_MAX")
            except (OSError, ValueError):
                self._longest = 255
        return self._longest

    def _nearest(self, folder: str) -> str:
        """The absolute path of *folder*, or of the nearest folder above it that exists."""
        path = self.full(folder)
        while not os.path.isdir(path) and path != "/":
            path = os.path.dirname(path) or "/"
        return path

    def closed(self, folder: str) -> str:
        """The reason, known from the system beforehand, why no file can be made in *folder*; empty
        if one can probably be made."""
        path = self._nearest(folder)
        if os.access(path, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
            return ""
        try:
            fixed = os.statvfs(path).f_flag & os.ST_RDONLY
        except OSError:
            fixed = 0
        return words_of(errno.EROFS if fixed else errno.EACCES)

    def full(self, path: str) -> str:
        """The absolute path of *path*, a file or folder below the root."""
        if not path:
            return self.root
        return f"{self.root}{path}" if self.root.endswith("/") else f"{self.root}/{path}"

    def enter(self, folder: str) -> int:
        """A handle of *folder*, which exists. It is valid until the next call or `leave`. Raises
        OSError."""
        if self._handle < 0 or folder != self._entered:
            self.leave()
            self._handle = os.open(self.full(folder), FOLDER)
            self._entered = folder
        return self._handle

    def leave(self) -> None:
        """Close the handle from `enter`."""
        if self._handle >= 0:
            # A signal may arrive after it is closed, so the handle must not be closed twice.
            handle, self._handle = self._handle, -1
            os.close(handle)

    def existing(self) -> list[str]:
        """The absolute paths of the existing folders among the requested ones."""
        return [self.full(folder) for folder, state in self._known.items() if state is True]

    def known(self) -> list[str]:
        """The requested folders, and those above them."""
        return list(self._known)

    def make(self, folder: str) -> None:
        """Make *folder* and the folders above it that are missing; raises OSError."""
        if self._known.get(folder) is True:
            return
        if folder:
            above = folder.rpartition("/")[0]
            self.make(above)
            try:
                os.mkdir(self.full(folder))
            except FileExistsError:
                # Another process has made it in the meantime. A link in its place is still refused.
                if not stat.S_ISDIR(os.lstat(self.full(folder)).st_mode):
                    raise
            self._fresh.add(above)
        else:
            os.makedirs(self.root, exist_ok=True)
        self._known[folder] = True

    def parents_of_new(self) -> set[str]:
        """The folders in which `make` made another one."""
        return self._fresh


def demand_plain(out: str, home: str, source: str, sink: Sink) -> None:
    """Report that `--out` leads through a link, for a program in the folder *home*, or that recipes
    cannot name *source*, the path of the program from there. Links in a checkout, here or in the
    folder of the program, could lead anywhere. Links above belong to the system.
    """
    from tvarc.files import messages as msg

    try:
        os.path.dirname(source).encode()
    except UnicodeEncodeError:
        sink.report(msg.paths.NAME_NOT_UTF8, folder=os.path.dirname(source))
    real = os.path.realpath(out)
    if any(map(is_reserved, real.split("/"))):
        sink.report(msg.paths.OUT_IN_GIT, real=real)
        return
    inner = [os.path.realpath(folder) for folder in (os.curdir, home)]
    steps = [step for step in out.split("/") if step not in ("", ".")]
    at = "/" if out.startswith("/") else os.curdir
    for place, step in enumerate(steps, 1):
        above = os.path.realpath(at)
        at = os.path.join(at, step)
        last = place == len(steps)
        if os.path.islink(os.path.realpath(at)):  # the links form a circle, which is reported later
            return
        if os.path.islink(at) and (last or any(_is_below(above, one) for one in inner)):
            import shlex  # it loads many modules, and most runs refuse nothing

            link = at.removeprefix("./")
            sink.report(msg.paths.OUT_THROUGH_LINK, link=link, real=shlex.quote(real))
            return


def _is_below(folder: str, other: str) -> bool:
    """Whether the real path *folder* is that of *other*, or of a folder in it."""
    return f"{folder}/".startswith(f"{other}/") or other == "/"


# --- files ------------------------------------------------------------------------------------


def is_there(folder: int, name: str) -> bool:
    """Whether *name* exists in the open *folder*; raises OSError."""
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
    # It has changed since its size was read, or is too long for one read.
    parts = [data]
    done = len(data)
    while data:
        data = os.pread(handle, 1 << 20, done)
        parts.append(data)
        done += len(data)
    return b"".join(parts)


def read_whole(folder: int, name: str) -> tuple[bytes, os.stat_result]:
    """The bytes of the file *name* in the open *folder*, and its state; raises OSError, also if it
    is not a regular file or is larger than `LARGEST`."""
    handle = os.open(name, READ, dir_fd=folder)
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size > LARGEST:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        return read_all(handle, found.st_size), found
    finally:
        os.close(handle)


def holds(folder: int, name: str, data: bytes) -> bool:
    """Whether *name* in the open *folder* is a readable file with the content *data*."""
    try:
        return read_whole(folder, name)[0] == data
    except OSError:
        return False


def changed_since(folder: int, name: str) -> Reason:
    """The reason why *name* in the open *folder*, which has changed since the comparison, must not
    be overwritten: a user edited it, or another run wrote it."""
    try:
        data = read_whole(folder, name)[0]
    except OSError:
        return Reason.EDITED
    return Reason.MEANWHILE if inspect_bytes(data) is Ownership.OURS else Reason.EDITED


def state_of(found: os.stat_result) -> State:
    """The state of a file."""
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


class Sources:
    """The files that a program reads, by path and by identity, and the folders that it reads as a
    whole."""

    __slots__ = ("_ids", "_whole", "folders", "paths")

    def __init__(self, paths: Collection[str], whole: Collection[str] = ()) -> None:
        """*paths*, and the folders *whole*, are absolute and real; a file may be missing."""
        self._whole = tuple(f"{folder.rstrip('/')}/" for folder in whole)
        self.paths = frozenset(paths)
        self.folders = frozenset(map(os.path.dirname, paths))
        self._ids = _identities(paths)

    def encloses(self, folder: str) -> bool:
        """Whether the absolute and real *folder* is one of the folders that are read as a whole, or
        is in one."""
        return f"{folder.rstrip('/')}/".startswith(self._whole) if self._whole else False

    def has(self, found: os.stat_result) -> bool:
        """Whether *found* is one of the files, under any name."""
        return (found.st_dev, found.st_ino) in self._ids

    def holds(self, path: str) -> bool:
        """Whether the absolute *path* is one of the files."""
        if path in self.paths:
            return True
        try:
            return self.has(os.stat(path))
        except OSError:
            return False


def _identities(paths: Iterable[str]) -> frozenset[tuple[int, int]]:
    """The device and the number of each file, which identify it under any spelling."""
    found: list[tuple[int, int]] = []
    for path in paths:
        try:
            here = os.stat(path)
        except OSError:
            continue
        found.append((here.st_dev, here.st_ino))
    return frozenset(found)


# --- atomic replacement of files --------------------------------------------------------


CREATE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_PREFIX: Final = ".tvarc-"
# The ending is not `.nix`, because Nix tools that read every file of a folder as a package must not
# see it.
_SUFFIX: Final = ".tmp"


def temporary_name() -> str:
    """The name under which this process writes a file, one at a time."""
    return f"{_PREFIX}{os.getpid()}{_SUFFIX}"


def clear_leftovers(folder: str) -> None:
    """Remove the temporary files that killed runs left in the absolute *folder*.

    Files of a running process stay. Files that cannot be removed stay, too, without an error.
    """
    with suppress(OSError):
        # There may be very many names, and most are not temporary.
        for name in [name for name in os.listdir(folder) if name.startswith(_PREFIX)]:
            if _is_left(name):
                with suppress(OSError):
                    os.unlink(f"{folder}/{name}")


def _is_left(name: str) -> bool:
    """Whether *name* is a name from `temporary_name` of a process that no longer needs it. Any
    other name may belong to a user's file."""
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
    """No new file or folder could be made under a temporary name. The cause of the exception is the
    reason."""


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
    *temporary* is `temporary_name()`. *finish* is called with the open new file before it replaces
    the old one. After an error nothing has changed, and no temporary file is left.
    """
    # A signal may raise an exception at any step, even between making the file and noting that it
    # exists.
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
    """Like `put`, for one file in the absolute *folder*, which keeps owner, permissions and
    extended attributes of the *old* one. First it removes remains of killed runs. The file is
    flushed to disk before its name, and both before this returns, so that a power cut never loses
    the user's work.
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
    """Give the open file *handle* the owner and group of the *old* file, or only the group if the
    system does not allow changes of owners. Raises OSError if neither is possible."""
    new = os.fstat(handle)
    if (new.st_uid, new.st_gid) == (old.st_uid, old.st_gid):
        return
    try:
        os.fchown(handle, old.st_uid, old.st_gid)
    except OSError:
        if new.st_gid != old.st_gid:
            os.fchown(handle, -1, old.st_gid)
    os.fchmod(handle, stat.S_IMODE(old.st_mode))  # a change of the owner removes some of them


def _copy_attributes(path: str, handle: int) -> None:
    """Give the open file *handle* the extended attributes of the file *path*, above all its access
    control list, as far as the system allows."""
    if not hasattr(os, "listxattr"):
        return
    with suppress(OSError):
        for name in os.listxattr(path):
            with suppress(OSError):
                os.setxattr(handle, name, os.getxattr(path, name))


def flush_folder(folder: str) -> None:
    """Flush the names in the absolute *folder* to disk, so that they survive a power cut; raises
    OSError."""
    handle = os.open(folder, _FOLDER)
    try:
        os.fsync(handle)
    except OSError as error:
        # Some network file systems cannot flush a folder at all.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP, errno.EBADF):
            raise
    finally:
        os.close(handle)
