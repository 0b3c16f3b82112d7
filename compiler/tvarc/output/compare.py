"""Compares files with what is on the disk, and decides which of them are to be written."""

# Plain `os` calls: a run may compare ten thousand files, and path objects would double its time.
# ruff: noqa: PTH116, PTH120
from __future__ import annotations

import errno
import os
import stat
from array import array

from tvarc.light import TYPE_CHECKING, Callable, Collection, Iterable, Iterator, assert_never
from tvarc.output.folders import Folders, Refused, reason_of
from tvarc.output.header import Ownership, inspect_bytes, made_from
from tvarc.output.model import File, Files
from tvarc.output.refusals import Reason, Refusals
from tvarc.output.rivals import Author, Rivals
from tvarc.spelling import folded

if TYPE_CHECKING:
    from tvarc.output.record import Notes

# No recipe comes near: a file of this size is somebody else's, and is not read to be told so.
_LARGEST = 1 << 26
_HEAD = 1 << 13

# A special file is opened without waiting for anybody: it is told apart when it has been.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC

_NIX = ".nix"
_NO_NAMES = ("", ".", "..")
_SHORT = 120  # letters of a name that every file system takes
_OFTEN = 64  # files between two reports of progress

SAME, NEW, OTHER, TAKEN = 0, 1, 2, 3
"""What a file is to be compared with what is there. One that is taken has been a person's."""


class Sources:
    """The files that a program reads, by path and by what they are on the disk."""

    __slots__ = ("_ids", "folders", "paths")

    def __init__(self, paths: Collection[str]) -> None:
        """*paths* are absolute and real; a file need not be there."""
        self.paths = frozenset(paths)
        self.folders = frozenset(map(os.path.dirname, paths))
        self._ids = _identities(paths)

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


class Comparison:
    """Decides for each file whether it is to be written, and gathers what is refused.

    `kinds` has a byte for each file; `modes` and `seen` are of the files that are to be
    replaced, `seen` with four numbers of each. `used` are the folders of files that may be
    written, `changing` those in which one has to be. `inherited` counts the files that a program
    has left, by its name.
    """

    __slots__ = (
        "_adopt",
        "_author",
        "_before",
        "_beside_sources",
        "_force",
        "_handle",
        "_hashes",
        "_inspected",
        "_made",
        "_notes",
        "_rivals",
        "_told",
        "changing",
        "folders",
        "inherited",
        "kinds",
        "modes",
        "refusals",
        "seen",
        "sources",
        "unchanged",
        "used",
    )

    def __init__(
        self,
        root: str,
        force: bool,
        sources: Collection[str],
        *,
        adopt: bool = False,
        notes: Notes | None = None,
        author: Author | None = None,
    ) -> None:
        self.folders = Folders(root)
        self.inherited: dict[str, int] = {}
        self.refusals = Refusals()
        self.kinds = bytearray()
        self.modes = array("L")
        self.seen = array("Q")
        self.unchanged = 0
        self._adopt = adopt
        self._author = author.name if author is not None else ""
        self._made = f"\n# Made by tvarc from {self._author}: ".encode("utf-8", "surrogateescape")
        self._rivals = Rivals(author, root) if author is not None else None
        self._force = force
        self._hashes = array("q")
        self._inspected = 0
        self._notes = notes
        self.sources = Sources(sources)
        # Of the folder that the last file was in.
        self._before: str | None = None
        self._beside_sources = False
        self._handle = -1
        self._told = False  # whether it is known that it changes
        self.used: dict[str, None] = {}
        self.changing: dict[str, None] = {}

    def run(self, files: Files, progress: Callable[[int], None] | None) -> set[int]:
        """Compare all of *files*. Gives the hashes of their paths."""
        add, kind_of = self.kinds.append, self._kind
        for count, file in enumerate(files, 1):
            kind = kind_of(file)
            add(kind)
            if kind and not self._told:
                self._told = True
                self.changing[file.path.rpartition("/")[0]] = None
            if progress is not None and (count < _OFTEN or not count % _OFTEN):
                progress(count)
        hashes = set(self._hashes)
        self._finish(files, hashes)
        self._refuse_folders_like_files(files)
        return hashes

    def ask_whether_writable(self) -> None:
        """Refuse folders in which a file has to be written and none can be."""
        for folder in self.changing:
            reason = self.folders.closed(folder)
            if reason:
                self.refusals.add(Reason.SYSTEM, folder or self.folders.root, reason)

    def full(self) -> tuple[str, int] | None:
        """The folder of all files, and how many of them are there; None for several folders."""
        if len(self.used) != 1:
            return None
        return next(iter(self.used)), len(self.kinds) - self.kinds.count(NEW)

    def _kind(self, file: File) -> int:
        path = file.path
        start = path.rfind("/") + 1
        name = path[start:]
        plain = name.isascii() and "\0" not in name and name not in _NO_NAMES
        if not (plain and path[:start] == self._before) and not self._enter(path, start):
            return SAME
        self._hashes.append(hash(path))
        if self._beside_sources and self.folders.full(path) in self.sources.paths:
            self.refusals.add(Reason.SOURCE, path)
            return SAME
        if self._handle < 0:
            if not (plain and len(name) < _SHORT) and self.folders.too_long(name):
                self.refusals.add(Reason.SYSTEM, path, os.strerror(errno.ENAMETOOLONG))
                return SAME
            if self._notes is not None:
                self._notes.add(name, None)
            return NEW
        data = file.data()
        if self._notes is not None:
            self._notes.add(name, data)
        try:
            handle = os.open(name, _READ, dir_fd=self._handle)
        except FileNotFoundError:
            return NEW
        except OSError as error:
            return self._closed(path, error)
        try:
            if os.read(handle, len(data) + 1) == data:
                self.unchanged += 1
                return SAME
            return self._other(path, data, handle)
        except OSError as error:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                self.refusals.add(Reason.SYSTEM, path, reason_of(error))
            else:
                self.refusals.add(Reason.NO_FILE, path)
            return SAME
        finally:
            os.close(handle)

    def _enter(self, path: str, start: int) -> bool:
        """Go to the folder of *path*, the first *start* letters; whether it may be written."""
        self._before = None
        fault = _path_fault(path)
        if fault is not None:
            self.refusals.add(fault, path)
            return False
        folders, folder = self.folders, path[: start - 1] if start else ""
        there = folders.state(folder)
        if isinstance(there, Refused):
            self.refusals.add(there.reason, there.at, there.detail)
            return False
        try:
            self._handle = folders.enter(folder) if there else -1
        except OSError as error:
            self.refusals.add(Reason.SYSTEM, folder or folders.root, reason_of(error))
            return False
        self.used[folder] = None
        if self._notes is not None:
            self._notes.enter(folder)
        self._told = False
        self._beside_sources = os.path.dirname(folders.full(path)) in self.sources.folders
        self._before = path[:start]
        return True

    def _closed(self, path: str, error: OSError) -> int:
        """Refuse *path*, which is there and cannot be opened."""
        try:
            mode = os.lstat(self.folders.full(path)).st_mode
        except OSError:
            mode = stat.S_IFREG
        if stat.S_ISLNK(mode):
            self.refusals.add(Reason.SYMLINK, path)
        elif stat.S_ISREG(mode):
            self.refusals.add(Reason.SYSTEM, path, reason_of(error))
        else:
            self.refusals.add(Reason.NO_FILE, path)
        return SAME

    def _other(self, path: str, data: bytes, handle: int) -> int:
        """Decide on *path*, open as *handle*, where something else stands than *data*."""
        # First the state, then the content: what somebody writes after this changes the state.
        kind, rival = OTHER, ""
        old = os.fstat(handle)
        reason = self._refusal(old)
        if reason is None:
            present = read_all(handle, old.st_size)
            if present == data:
                self.unchanged += 1
                return SAME
            if not self._force:
                reason, rival = self._owned(path, present)
                if reason is not None and self._adopt:
                    kind, reason = TAKEN, None
        if reason is not None:
            self.refusals.add(reason, path, rival)
            return SAME
        self.modes.append(stat.S_IMODE(old.st_mode))
        self.seen.extend(state_of(old))
        return kind

    def _refusal(self, old: os.stat_result) -> Reason | None:
        """Why a file must not be written over, whatever is in it."""
        if not stat.S_ISREG(old.st_mode):
            return Reason.NO_FILE
        if self.sources.has(old):
            return Reason.SOURCE
        if old.st_size > _LARGEST and not (self._force or self._adopt):
            return Reason.FOREIGN
        return None

    def _owned(self, path: str, present: bytes) -> tuple[Reason | None, str]:
        """Why a file that holds *present* is not ours to be written over, and the program of which
        it is for `Reason.RIVAL`."""
        if not present.strip(b"\0"):  # what a power cut may leave; nothing is lost with it
            return None, ""
        self._inspected += 1
        ownership = inspect_bytes(present, self._inspected)
        match ownership:
            case Ownership.OURS:
                return self._rival(path, present)
            case Ownership.EDITED:
                return Reason.EDITED, ""
            case Ownership.FOREIGN:
                return Reason.FOREIGN, ""
            case _:
                assert_never(ownership)

    def _rival(self, path: str, present: bytes) -> tuple[Reason | None, str]:
        """The other program that has made *present*, which tvarc has written, if it is there."""
        # Nearly all say so on a line of their own, and to look for it takes no time.
        if self._rivals is None or present.find(self._made, 0, _HEAD) >= 0:
            return None, ""
        name = made_from(present[:_HEAD])
        if name in ("", self._author):
            return None, ""
        if self._rivals.named(name, os.path.dirname(self.folders.full(path))):
            return Reason.RIVAL, name
        self.inherited[name] = self.inherited.get(name, 0) + 1
        return None, ""

    def _finish(self, files: Files, hashes: set[int]) -> None:
        """Refuse paths that are given twice, and names that one output wants for a file and
        another for a folder. Paths are kept as numbers: what two share is looked at again."""
        known = self.folders.known()
        suspects = hashes.intersection(map(hash, known))
        if len(hashes) < len(self._hashes):
            suspects.update(_repeated(self._hashes))
        if not suspects:
            return
        seen: set[str] = set()
        for file in files:
            path = file.path
            if hash(path) in suspects and path in seen:
                self.refusals.add(Reason.TWICE, path)
            elif hash(path) in suspects:
                seen.add(path)
        for folder in known:
            if folder in seen:
                self.refusals.add(Reason.FOLDER_TOO, folder)

    def _refuse_folders_like_files(self, files: Files) -> None:
        """Refuse files that have the name of a folder where case does not count."""
        alike = {folded(name): name for name in self.folders.known() if folded(name[-4:]) == _NIX}
        if not alike:
            return
        for file in files:
            folder = alike.get(folded(file.path))
            if folder is not None and folder != file.path:
                self.refusals.add(Reason.FOLDER_TOO, file.path)


def holds(folder: int, name: str, data: bytes) -> bool:
    """Whether *name* in the open *folder* is a file that can be read and has *data* in it."""
    try:
        handle = os.open(name, _READ, dir_fd=folder)
    except OSError:
        return False
    try:
        return stat.S_ISREG(os.fstat(handle).st_mode) and read_all(handle, len(data)) == data
    except OSError:
        return False
    finally:
        os.close(handle)


def changed_since(folder: int, name: str) -> Reason:
    """Whose the change is of *name* in the open *folder*, which is not as it was compared."""
    try:
        handle = os.open(name, _READ, dir_fd=folder)
    except OSError:
        return Reason.EDITED
    try:
        old = os.fstat(handle)
        plain = stat.S_ISREG(old.st_mode) and old.st_size <= _LARGEST
        if plain and inspect_bytes(read_all(handle, old.st_size)) is Ownership.OURS:
            return Reason.MEANWHILE
        return Reason.EDITED
    except OSError:
        return Reason.EDITED
    finally:
        os.close(handle)


def _repeated(numbers: Iterable[int]) -> Iterator[int]:
    """Those of *numbers* that have been there before."""
    seen: set[int] = set()
    for number in numbers:
        if number in seen:
            yield number
        seen.add(number)


def _path_fault(path: str) -> Reason | None:
    """Why *path* is not plainly that of a file below the root, or None."""
    if path.startswith("/"):
        return Reason.ABSOLUTE
    steps = path.split("/")
    if ".." in steps:
        return Reason.PARENT
    if "" in steps or "." in steps:
        return Reason.NOT_PLAIN
    if "\0" in path:
        return Reason.NOT_PLAIN
    if not path.isascii():
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            return Reason.NOT_PLAIN
    return None


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


_MOST = (1 << 64) - 1


def state_of(found: os.stat_result) -> tuple[int, int, int, int]:
    """What changes when somebody writes a file, or puts another in its place."""
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns & _MOST)
