"""Writes all files of a folder that is not there yet, and then puts the folder in place.

It is made beside its place under a temporary name: whoever looks sees no folder or the whole of it,
and no file has to be renamed by itself, which would take half as long again. While it is made it is
locked, so that no other run takes it for what a killed one has left, be it of another machine's
processes even; a system without such locks writes its files one by one.
"""

# Plain `os` calls: a run may write ten thousand files, and path objects would double its time.
# ruff: noqa: PTH103, PTH119, PTH120, PTH208
from __future__ import annotations

import fcntl
import os

from tvarc.files.output.atomic import CREATE, NotMade, write_all
from tvarc.files.output.folders import Folders
from tvarc.files.output.leftovers import FOLDER, clear_leftovers, remove_folder, temporary_name
from tvarc.files.output.model import File
from tvarc.files.output.on_disk import is_there
from tvarc.light import TYPE_CHECKING, Iterable, Sequence, suppress

if TYPE_CHECKING:
    from tvarc.files.output.record import Notes


class Placed(Exception):
    """The files have to be written one by one: the folder cannot be made in this way, somebody has
    made it meanwhile, or not all of it has arrived. `written` are the paths that were written into
    a folder that is in its place."""

    def __init__(self, written: Iterable[str] = ()) -> None:
        super().__init__()
        self.written = frozenset(written)


def missing_folder(folders: Folders, used: Sequence[str]) -> str | None:
    """The highest folder that is not there, where it is the same for all of *used*, by its path
    below the root ("" for the root itself); None otherwise."""
    found = {_highest_missing(folders, folder) for folder in used}
    return found.pop() if len(found) == 1 else None


def _highest_missing(folders: Folders, folder: str) -> str | None:
    if folders.state(folder) is not False:
        return None
    while folder and folders.state(folder.rpartition("/")[0]) is False:
        folder = folder.rpartition("/")[0]
    return folder


def write_folder(
    folders: Folders, top: str, files: Iterable[File], notes: Notes | None = None
) -> list[str]:
    """Write *files*, which are all there are, in or below the folder *top*, which `missing_folder`
    found. *notes* take down what they hold.

    Gives their paths; that the folder has its name lasts once the folder above is flushed. Raises
    Placed, and OSError where they cannot be written; then nothing is there.
    """
    place = folders.full(top)
    above = os.path.dirname(place)
    os.makedirs(above, exist_ok=True)
    clear_leftovers(above)
    outer = os.open(above, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        filling = _filled(outer, os.path.basename(place), len(top) + 1 if top else 0, files, notes)
    finally:
        os.close(outer)
    for path in filling.done:
        folders.is_there(path.rpartition("/")[0])
    return filling.done


def _filled(
    outer: int, last: str, start: int, files: Iterable[File], notes: Notes | None
) -> _Filling:
    """The folder *last* in the open folder *outer*, in its place with all that is in it."""
    name = temporary_name()
    inner = -1
    filling: _Filling | None = None
    # A signal may raise at any step, also between that the folder is made and that this is known.
    try:
        try:
            inner = _made(outer, name)
            filling = _Filling(inner, start)
            # Who clears away what a killed run has left knows by it that this is such a folder,
            # and no person's that somebody has given the name. In its place it is one of the
            # temporary files that every run clears away.
            os.close(os.open(name, CREATE, 0o600, dir_fd=inner))
            filling.run(files, notes)
            filling.top = placed = _put_in_place(outer, name, last)
        except NotMade as fault:
            raise Placed from fault
        except BaseException:
            remove_folder(outer, name)
            with suppress(OSError):  # it is in its place already
                os.unlink(name, dir_fd=inner)
            raise
        try:
            with suppress(OSError):
                os.unlink(name, dir_fd=placed)
            if not filling.is_whole():
                raise Placed(filling.done)
        finally:
            os.close(placed)
    finally:
        if filling is not None:
            filling.leave()
        if inner >= 0:
            os.close(inner)
    return filling


def _made(outer: int, name: str) -> int:
    """The new folder *name*, open and locked. Raises NotMade."""
    inner = -1
    try:
        os.mkdir(name, dir_fd=outer)
        inner = os.open(name, FOLDER, dir_fd=outer)
        fcntl.flock(inner, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if inner >= 0:
            os.close(inner)
            with suppress(OSError):
                os.rmdir(name, dir_fd=outer)
        raise NotMade from error
    return inner


def _put_in_place(outer: int, name: str, last: str) -> int:
    """Give the folder *name* the name *last*; the folder, open in its place. Raises Placed.

    Whether the rename has succeeded is asked of the names: a network may lose the answer, and a
    file system may give a renamed folder another number.
    """
    # Over an empty folder a rename would go, and take its owner and permissions away.
    if is_there(outer, last):
        raise Placed
    with suppress(OSError):
        os.rename(name, last, src_dir_fd=outer, dst_dir_fd=outer)
    try:
        placed = os.open(last, FOLDER, dir_fd=outer)
    except OSError as error:
        raise Placed from error
    try:
        if not is_there(outer, name) and is_there(placed, name):  # it is marked with that name
            return placed
    except OSError as error:
        os.close(placed)
        raise Placed from error
    os.close(placed)
    raise Placed


class _Filling:
    """Writes files below the open folder `top`, the first *start* letters of their paths left out.
    `done` are the paths of those that are written."""

    __slots__ = ("_before", "_counts", "_handle", "_start", "done", "top")

    def __init__(self, top: int, start: int) -> None:
        self.top = top
        self._start = start
        self._counts: dict[str, int] = {"": 0}  # what is in each folder
        self._before: str | None = None
        self._handle = -1
        self.done: list[str] = []

    def run(self, files: Iterable[File], notes: Notes | None) -> None:
        """Write *files*, and flush the folders that they are in; raises OSError."""
        start, done, counts = self._start, self.done, self._counts
        for file in files:
            path = file.path
            inside, _, name = path[start:].rpartition("/")
            if inside != self._before:
                self._enter(inside)
            data = file.data()
            one = os.open(name, CREATE, 0o644, dir_fd=self._handle)
            try:
                write_all(one, data)
            finally:
                os.close(one)
            if notes is not None:
                notes.fill(len(done), data)
            done.append(path)
            counts[inside] += 1
        for inside in reversed(counts):
            self._enter(inside)
            os.fsync(self._handle)

    def leave(self) -> None:
        """Close the folder that was entered last."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def is_whole(self) -> bool:
        """Whether all that was written is there, as far as names tell."""
        try:
            for inside, count in self._counts.items():
                self._enter(inside)
                if len(os.listdir(self._handle)) < count:
                    return False
        except OSError:
            return False
        finally:
            self.leave()
        return True

    def _enter(self, inside: str) -> None:
        """Open the folder *inside*, step by step; it is made where it was not entered before."""
        handle = os.open(".", FOLDER, dir_fd=self.top)
        path = ""
        try:
            for step in inside.split("/") if inside else ():
                above, path = path, f"{path}/{step}" if path else step
                if path not in self._counts:
                    os.mkdir(step, dir_fd=handle)
                    self._counts[path] = 0
                    self._counts[above] += 1
                below = os.open(step, FOLDER, dir_fd=handle)
                os.close(handle)
                handle = below
        except BaseException:
            os.close(handle)
            raise
        self.leave()
        self._handle, self._before = handle, inside
