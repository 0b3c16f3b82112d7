"""Compares files with what is on the disk, and decides which of them are to be written."""

# Plain `os` calls: a run may compare ten thousand files, and path objects would double its time.
# ruff: noqa: PTH120
from __future__ import annotations

import errno
import os
import stat
from array import array

from tvarc.files.output.folders import Folders, Refused, reason_of
from tvarc.files.output.header import Ownership, inspect_bytes, made_from
from tvarc.files.output.model import Claim, File, Files, Protected, WriteMode
from tvarc.files.output.on_disk import LARGEST, READ, Sources, read_all, state_of
from tvarc.files.output.ownership import OtherPrograms
from tvarc.files.output.refusals import Reason, Refusals
from tvarc.light import TYPE_CHECKING, Callable, Iterable, Iterator, assert_never
from tvarc.text.paths import Fault, fault_of, folded

if TYPE_CHECKING:
    from tvarc.files.output.conflicts import Conflict
    from tvarc.files.output.record import Notes

_HEAD = 1 << 13
_NIX = ".nix"
_NO_NAMES = ("", ".", "..")
_SHORT = 120  # letters of a name that every file system takes
_OFTEN = 64  # files between two reports of progress

SAME, NEW, OTHER, TAKEN = 0, 1, 2, 3
"""What a run does with a file, by what stands in its place: nothing, since it has the same text;
make it; replace an older one of this program; or, with `--adopt`, replace one that is not of this
program, of which a copy is kept."""


class Comparison:
    """Decides for each file whether it is to be written, and gathers what is refused.

    `kinds` has a byte for each file; `modes` and `seen` are of the files that are to be
    replaced, `seen` with four numbers of each. `used` are the folders of files that may be
    written, `changing` those in which one has to be. `inherited` counts the files that a program
    has left, by its name. `merged` are the files of ours in which a merge has left conflicts.
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
        "_left",
        "_made",
        "_notes",
        "_others",
        "_told",
        "_versions",
        "changing",
        "folders",
        "inherited",
        "kinds",
        "merged",
        "modes",
        "refusals",
        "seen",
        "sources",
        "unchanged",
        "used",
    )

    def __init__(
        self, root: str, mode: WriteMode, protected: Protected, claim: Claim, notes: Notes | None
    ) -> None:
        """*notes* take down what the files are to hold."""
        author = claim.author
        self.folders = Folders(root)
        self.inherited: dict[str, int] = {}
        self.refusals = Refusals()
        self.kinds = bytearray()
        self.merged: list[str] = []
        self.modes = array("L")
        self.seen = array("Q")
        self.unchanged = 0
        self._adopt = mode.adopt
        self._left = protected.left
        self._author = author.name if author is not None else ""
        self._made = f"\n# Made by tvarc from {self._author}: ".encode("utf-8", "surrogateescape")
        self._others = OtherPrograms(author, root) if author is not None else None
        self._force = mode.force
        self._hashes = array("q")
        self._inspected = 0
        self._notes = notes
        self.sources = Sources(protected.sources, protected.checkouts)
        # Of the folder that the last file was in.
        self._before: str | None = None
        self._beside_sources = False
        self._handle = -1
        self._told = False  # whether it is known that it changes
        self._versions = claim.versions
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
            handle = os.open(name, READ, dir_fd=self._handle)
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
        if self.sources.encloses(os.path.dirname(folders.full(path))):
            self.refusals.add(Reason.CHECKOUT, path)
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
        if path in self._left:
            return SAME
        kind, other = OTHER, ""
        old = os.fstat(handle)
        reason = self._refusal(old)
        if reason is None:
            present = read_all(handle, old.st_size)
            if present == data:
                self.unchanged += 1
                return SAME
            if not self._force:
                reason, other = self._owned(path, present)
                if reason is not None and self._adopt:
                    kind, reason = TAKEN, None
        if reason is not None:
            self.refusals.add(reason, path, other)
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
        if old.st_size > LARGEST and not (self._force or self._adopt):
            return Reason.LARGE
        return None

    def _owned(self, path: str, present: bytes) -> tuple[Reason | None, str]:
        """Why a file that holds *present* is not ours to be written over, and the program of which
        it is for `Reason.OTHER_PROGRAM`."""
        if not present.strip(b"\0"):  # what a power cut may leave; nothing is lost with it
            return None, ""
        self._inspected += 1
        ownership = inspect_bytes(present, self._inspected)
        if ownership is not Ownership.OURS:
            from tvarc.files.output.conflicts import conflict_of

            conflict = conflict_of(present)
            if conflict is not None and conflict.is_of_recipe:
                return self._after_merge(path, conflict)
        match ownership:
            case Ownership.OURS:
                return self._other_program(path, present)
            case Ownership.EDITED:
                return Reason.EDITED, ""
            case Ownership.FOREIGN:
                return Reason.FOREIGN, ""
            case _:
                assert_never(ownership)

    def _after_merge(self, path: str, conflict: Conflict) -> tuple[Reason | None, str]:
        """As `_owned`, of a recipe in which a merge has left conflicts."""
        from tvarc.files.output.conflicts import is_of_tvarc

        for side in conflict.sides:
            reason, other = self._other_program(path, side)
            if reason is not None:
                return reason, other
        merges, place = self._versions, self.folders.full(path)
        if merges is None:
            shown = is_of_tvarc(conflict, ())
        else:
            shown = is_of_tvarc(conflict, merges(place), lambda name: merges.knows(place, name))
        if not shown:
            return Reason.MERGED, ""
        self.merged.append(path)
        return None, ""

    def _other_program(self, path: str, present: bytes) -> tuple[Reason | None, str]:
        """The other program that has made *present*, which tvarc has written, if it is there."""
        # Nearly all say so on a line of their own, and to look for it takes no time.
        if self._others is None or present.find(self._made, 0, _HEAD) >= 0:
            return None, ""
        name = made_from(present[:_HEAD])
        if name in ("", self._author):
            return None, ""
        other = self._others.named(name, os.path.dirname(self.folders.full(path)))
        if other:
            return Reason.OTHER_PROGRAM, other
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


def _repeated(numbers: Iterable[int]) -> Iterator[int]:
    """Those of *numbers* that have been there before."""
    seen: set[int] = set()
    for number in numbers:
        if number in seen:
            yield number
        seen.add(number)


def _path_fault(path: str) -> Reason | None:
    """Why *path* is not plainly that of a file below the root, or None."""
    match fault_of(path):
        case Fault.ABSOLUTE:
            return Reason.ABSOLUTE
        case Fault.PARENT:
            return Reason.PARENT
        case Fault.EMPTY_STEP:
            return Reason.NOT_PLAIN
        case Fault.RESERVED:
            return Reason.RESERVED
        case None:
            pass
    if "\0" in path:
        return Reason.NOT_PLAIN
    if not path.isascii():
        try:
            os.fsencode(path)
        except UnicodeEncodeError:
            return Reason.NOT_PLAIN
    return None
