"""Finds files that this program wrote and has no longer. Reads only.

A file is this program's when its head says so: a file in one of its outputs' places that names
another source, or none, is another's. Where another program of that name may have written too, a
file is nobody's for sure.
"""

# Plain `os` calls: there may be a hundred thousand names to look at.
# ruff: noqa: PTH121, PTH208
from __future__ import annotations

import os
import stat

from tvarc.files.output.folders import Folders
from tvarc.files.output.header import Ownership, inspect_bytes, is_sealed, made_from
from tvarc.files.output.model import File, Place, Sweep
from tvarc.files.output.on_disk import LARGEST, READ, Sources, read_all, state_of
from tvarc.files.output.ownership import OtherPrograms
from tvarc.light import TYPE_CHECKING, Iterable, Iterator, suppress
from tvarc.text.paths import folded

if TYPE_CHECKING:
    from collections.abc import Container

_ENDINGS = (".nix", ".yml", ".yaml", ".json", ".jsonl")
_HEAD = 1 << 13
_MARK = b"<<<<<<<"  # of a conflict that a merge left
_MOST_FOLDERS = 200_000


class Stale:
    """Files that were found, in order: each path with the state that the file was in. `unsure` may
    be another program's."""

    __slots__ = ("edited", "found", "unsure")

    def __init__(self) -> None:
        self.found: dict[str, tuple[int, ...]] = {}
        self.edited: dict[str, tuple[int, ...]] = {}
        self.unsure: dict[str, tuple[int, ...]] = {}

    def __bool__(self) -> bool:
        return bool(self.found or self.edited or self.unsure)

    def all(self) -> dict[str, tuple[int, ...]]:
        """All that were found, by path."""
        return dict(sorted((self.found | self.edited | self.unsure).items()))


def find_stale(
    folders: Folders,
    sweep: Sweep,
    hashes: Container[int],
    files: Iterable[File],
    full: tuple[str, int] | None = None,
    sources: Sources | None = None,
) -> Stale:
    """What *sweep* is to find. *hashes* are those of the paths of *files*, all of this program.

    *full* is a folder and how many of *files* are there: if it holds no more, it holds no other.
    What *sources* have is read by the program, and so in use.
    """
    stale = Stale()
    for place in sweep.places:
        # What cannot be read is left alone: nothing is lost by it.
        for folder in _folders(folders, place):
            with suppress(OSError):
                _look(folders, folder, sweep, hashes, stale, full)
    folders.leave()
    if stale:
        _keep_respelt(folders, stale, files)
        for path in stale.all() if sources is not None else ():
            if sources is not None and sources.holds(folders.full(path)):
                _forget(stale, path)
        _keep_doubtful(folders, stale, sweep)
    return stale


def _keep_doubtful(folders: Folders, stale: Stale, sweep: Sweep) -> None:
    """Set apart what another program of the same name may have written."""
    others = OtherPrograms(sweep.author, folders.root)
    for path in list(stale.found):
        if others.namesake(folders.full(path.rpartition("/")[0])):
            stale.unsure[path] = stale.found.pop(path)


def _forget(stale: Stale, path: str) -> None:
    for one in (stale.found, stale.edited, stale.unsure):
        one.pop(path, None)


def _folders(folders: Folders, place: Place) -> Iterator[str]:
    """The folders of *place* that are there, in order, none of them behind a link."""
    level = [place.folder]
    for _ in range(place.steps):
        below: list[str] = []
        for folder in level:
            with suppress(OSError):
                below += _subfolders(folders, folder)
        level = sorted(below)[:_MOST_FOLDERS]
    for folder in level:
        if folders.state(folder) is True:
            yield folder


def _subfolders(folders: Folders, folder: str) -> list[str]:
    if folders.state(folder) is not True:
        return []
    prefix = f"{folder}/" if folder else ""
    with os.scandir(folders.full(folder)) as entries:
        return [prefix + one.name for one in entries if one.is_dir(follow_symlinks=False)]


def _look(
    folders: Folders,
    folder: str,
    sweep: Sweep,
    hashes: Container[int],
    stale: Stale,
    full: tuple[str, int] | None,
) -> None:
    """Add to *stale* what is in *folder*."""
    handle = folders.enter(folder)
    prefix = f"{folder}/" if folder else ""
    names = os.listdir(handle)
    if (folder, len(names)) == full:
        return
    others = [
        name for name in names if hash(prefix + name) not in hashes and name.endswith(_ENDINGS)
    ]
    for name in sorted(others):
        with suppress(OSError):
            _judge(handle, name, prefix + name, sweep, stale)


def _judge(folder: int, name: str, path: str, sweep: Sweep, stale: Stale) -> None:
    """Add *path* to *stale* when it is this program's; raises OSError."""
    handle = os.open(name, READ, dir_fd=folder)
    try:
        here = os.fstat(handle)
        if not stat.S_ISREG(here.st_mode) or here.st_size > LARGEST:
            return
        head = _whole_lines(os.pread(handle, _HEAD, 0))
        marked = _MARK in head
        if not marked and not _is_by(head, sweep):
            return
        data = read_all(handle, here.st_size)
    finally:
        os.close(handle)
    if marked and not _is_by(head, sweep):
        from tvarc.files.output.conflicts import conflict_of

        conflict = conflict_of(data)
        if conflict is None or not any(_is_by(side, sweep) for side in conflict.sides):
            return
    edited = inspect_bytes(data) is not Ownership.OURS
    (stale.edited if edited else stale.found)[path] = state_of(here)


def _is_by(head: bytes, sweep: Sweep) -> bool:
    """Whether *head* says that this program has made the file."""
    return made_from(head) == sweep.author.name and is_sealed(head)


def _whole_lines(data: bytes) -> bytes:
    return data if len(data) < _HEAD else data[: data.rfind(b"\n") + 1]


def _keep_respelt(folders: Folders, stale: Stale, files: Iterable[File]) -> None:
    """Leave out what is a file of the program after all, under a spelling that this file system
    takes for the same."""
    alike: dict[str, list[str]] = {}
    for path in stale.all():
        alike.setdefault(folded(path), []).append(path)
    for file in files:
        for path in alike.get(folded(file.path), ()):
            with suppress(OSError):
                if os.path.samefile(folders.full(path), folders.full(file.path)):
                    _forget(stale, path)
