"""Writes all files of a folder that is not there yet, and then puts the folder in place.

It is made beside its place under a temporary name: whoever looks sees no folder or the whole of it,
and no file has to be renamed by itself, which would take half as long again.
"""

# Plain `os` calls: a run may write ten thousand files, and path objects would double its time.
# ruff: noqa: PTH102, PTH103, PTH104, PTH106, PTH108, PTH118, PTH120, PTH208
from __future__ import annotations

import os
import stat

from tvarc.light import TYPE_CHECKING, Iterable, Sequence, suppress
from tvarc.output.atomic import CREATE, clear_leftovers, flush_folder, temporary_name, write_all
from tvarc.output.folders import Folders
from tvarc.output.model import File

if TYPE_CHECKING:
    from tvarc.output.record import Notes


class Placed(Exception):
    """Somebody has made the folder meanwhile, or it cannot be put in its place: its files have to
    be written one by one. Nothing is left of what was written."""


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

    Gives their paths. Raises Placed, and OSError where they cannot be written; then there is none.
    """
    place = folders.full(top)
    above = os.path.dirname(place)
    os.makedirs(above, exist_ok=True)
    clear_leftovers(above)
    temporary = os.path.join(above, temporary_name())
    os.mkdir(temporary)
    try:
        done, inner = _fill(temporary, len(top) + 1 if top else 0, files, notes)
        for folder in inner:
            flush_folder(folder)
        try:
            os.rename(temporary, place)
        except OSError as error:
            raise Placed from error
    except BaseException:
        remove_folder(temporary)
        raise
    flush_folder(above)
    for path in done:
        folders.is_there(path.rpartition("/")[0])
    return done


def _fill(
    folder: str, start: int, files: Iterable[File], notes: Notes | None
) -> tuple[list[str], list[str]]:
    """Write *files* below *folder*, the first *start* letters of their paths left out. Gives their
    paths, and the folders that they are in, the innermost first."""
    done: list[str] = []
    made = {"": folder}
    before: str | None = None
    handle = -1
    try:
        for file in files:
            path = file.path
            inside, _, name = path[start:].rpartition("/")
            if inside != before:
                if handle >= 0:
                    os.close(handle)
                    handle = -1
                _make(made, inside)
                handle = os.open(made[inside], os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
                before = inside
            data = file.data()
            one = os.open(name, CREATE, 0o644, dir_fd=handle)
            try:
                write_all(one, data)
            finally:
                os.close(one)
            if notes is not None:
                notes.fill(len(done), data)
            done.append(path)
    finally:
        if handle >= 0:
            os.close(handle)
    return done, list(made.values())[::-1]


def _make(made: dict[str, str], inside: str) -> None:
    if inside in made:
        return
    above, _, name = inside.rpartition("/")
    _make(made, above)
    made[inside] = os.path.join(made[above], name)
    os.mkdir(made[inside])


def remove_folder(folder: str) -> None:
    """Remove *folder*, which a run made under a temporary name, as far as that is possible."""
    with suppress(OSError):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            with suppress(OSError):
                if stat.S_ISDIR(os.lstat(path).st_mode):
                    remove_folder(path)
                else:
                    os.unlink(path)
        os.rmdir(folder)
