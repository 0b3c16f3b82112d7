"""Marks of the files of a build, so that a later build can check that all of them are unchanged
without making them again. The mark of a file is the offset of its digest line, and half of the
digest. The digest covers the rest of the file, so nothing else has to be stored.
"""

# Plain `os` calls: a build may examine ten thousand files.
from __future__ import annotations

import os

from tvarc.files.output.folders import LARGEST, READ, Folders, clear_leftovers
from tvarc.files.output.header import MARK, recognizing
from tvarc.files.output.plan import Entry, Sweep, WriteReport
from tvarc.files.output.prune import find_stale
from tvarc.light import Callable, Final, Iterable, Iterator, dataclass

_OFTEN: Final = 64  # files between two reports of progress

Known = tuple[str, int, int, bytes]
"""A file: its name, its size, the offset of its digest line, and its mark."""


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected files: each folder, below the root, with its run of consecutive files. It is
    plain data, so that a record can contain it."""

    folders: list[tuple[str, list[Known]]]

    @property
    def count(self) -> int:
        """The number of files."""
        return sum([len(files) for _, files in self.folders])

    def paths(self) -> Iterator[str]:
        """The paths of all files, below the root."""
        for folder, files in self.folders:
            prefix = f"{folder}/" if folder else ""
            for name, *_ in files:
                yield prefix + name

    def confirmed(
        self,
        root: str,
        sweep: Sweep | None,
        *,
        check: bool,
        progress: Callable[[int], None],
    ) -> WriteReport | None:
        """The report of a build that finds all of the files below the absolute real path *root*
        unchanged, and no file of a former variant; otherwise None. Raises OSError, and for damaged
        data TypeError or ValueError. Like any build it removes remains of killed runs, unless it
        only checks (*check*).
        """
        folders = Folders(root)
        try:
            same = self._are_same(folders, progress)
        finally:
            folders.leave()
        if not same or (sweep is not None and find_stale(folders, sweep, set(self.paths()))):
            return None
        for folder in folders.existing() if not check else ():
            clear_leftovers(folder)
        used = dict.fromkeys([folder for folder, _ in self.folders])
        return WriteReport((), (), self.count, tuple(used))

    def _are_same(self, folders: Folders, progress: Callable[[int], None]) -> bool:
        """Whether all files are unchanged."""
        is_same, done = recognizing(self.count), 0
        for folder, files in self.folders:
            if folders.state(folder) is not True:
                return False
            handle = folders.enter(folder)
            for name, size, start, mark in files:
                file = os.open(name, READ, dir_fd=handle)
                try:
                    data = os.read(file, size + 1)
                finally:
                    os.close(file)
                if len(data) != size or not is_same(data, start, mark):
                    return False
                done += 1
                if done < _OFTEN or not done % _OFTEN:
                    progress(done)
        return done > 0


def expected_of(entries: Iterable[Entry]) -> Expected | None:
    """The expected files of a build that has written *entries*; None if one has no mark, because it
    was not made or has no digest."""
    found: list[tuple[str, list[Known]]] = []
    for entry in entries:
        folder, _, name = entry.path.rpartition("/")
        if entry.mark is None or len(entry.mark[2]) < MARK or entry.mark[0] >= LARGEST:
            return None
        if not found or found[-1][0] != folder:
            found.append((folder, []))
        found[-1][1].append((name, *entry.mark))
    return Expected(found)
