"""Writes what changed, and only over files that this compiler wrote.

A run first compares everything and decides; then it writes. What must not be written stops
the run before the first byte reaches the disk.
"""

# ruff: noqa: PTH116
# Plain `os` calls: a run may write ten thousand files, and path objects would double its time.
from __future__ import annotations

import os
import stat
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import assert_never

from tvarc.diagnostics.model import CompilerBug, Sink
from tvarc.output.atomic import clear_leftovers, flush_folder, put
from tvarc.output.folders import Folders, Refused, reason_of
from tvarc.output.header import Ownership, inspect
from tvarc.output.model import OutputFile, WriteReport
from tvarc.output.refusals import Reason, Refusals

# No recipe comes near: a file of this size is somebody else's, and is not read to be told so.
_LARGEST = 1 << 26


@dataclass(frozen=True, slots=True)
class _Change:
    """A file to be written; `mode` is that of the old file, None when there is none."""

    path: str
    data: bytes
    mode: int | None
    seen: tuple[int, int, int, int] | None


def write_files(
    files: Iterable[OutputFile],
    root: str,
    *,
    check: bool,
    force: bool,
    sink: Sink,
    progress: Callable[[int], None] | None = None,
    sources: Collection[str] = (),
) -> WriteReport:
    """Bring the files below the folder *root* up to date; never deletes a file of another.

    *files* may be made while it is read: only what has changed is kept. *progress* is told how
    many files have been compared so far. With *check* nothing is written and the report says
    what would be. With *force* files that are not ours are overwritten too. *sources* are the
    absolute real paths of the program's sources, which are never overwritten.

    Faults go to *sink*: E801 a file is not ours, E802 the system refuses, E803 a path is not
    plainly below the root, E402 a path is given twice. When *sink* holds an error after the
    comparison, nothing is written. An error while writing ends the run; each file is then
    either wholly old or wholly new.
    """
    comparison = _Comparison(os.path.realpath(root), force, sources)
    for count, file in enumerate(files, 1):
        comparison.add(file)
        if progress is not None:
            progress(count)
    comparison.finish()
    comparison.refusals.told(sink)
    unchanged, changes = comparison.unchanged, comparison.changes
    if sink.has_errors:
        return WriteReport((), (), unchanged)
    done = changes if check else _write(changes, comparison.folders, sink, force=force)
    return WriteReport(
        tuple([change.path for change in done]),
        tuple([change.path for change in done if change.mode is None]),
        unchanged,
    )


class _Comparison:
    """Decides for each file whether it is to be written, and gathers what is refused."""

    __slots__ = (
        "_force",
        "_names",
        "_source_ids",
        "_sources",
        "changes",
        "folders",
        "refusals",
        "unchanged",
    )

    def __init__(self, root: str, force: bool, sources: Collection[str]) -> None:
        self.folders = Folders(root)
        self.refusals = Refusals()
        self.changes: list[_Change] = []
        self.unchanged = 0
        self._force = force
        self._names: set[str] = set()
        self._sources = frozenset(sources)
        self._source_ids = _identities(sources)

    def add(self, file: OutputFile) -> None:
        path = file.path
        fault = Reason.TWICE if path in self._names else _path_fault(path)
        if fault is not None:
            self.refusals.add(fault, path)
            return
        self._names.add(path)
        folder = path.rpartition("/")[0]
        there = self.folders.state(folder)
        if isinstance(there, Refused):
            self.refusals.add(there.reason, there.at, there.detail)
            return
        full = self.folders.full(path)
        if full in self._sources:
            self.refusals.add(Reason.SOURCE, path)
            return
        try:
            data = file.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise CompilerBug(f"text for {path!r} cannot be encoded") from error
        try:
            old = os.lstat(full) if there else None
        except FileNotFoundError:
            old = None
        except OSError as error:
            self.refusals.add(Reason.SYSTEM, path, reason_of(error))
            return
        if old is None:
            self.changes.append(_Change(path, data, None, None))
        else:
            self._compare(path, full, old, data)

    def _compare(self, path: str, full: str, old: os.stat_result, data: bytes) -> None:
        """Decide on *path*, which is there already."""
        if not stat.S_ISREG(old.st_mode):
            reason = Reason.SYMLINK if stat.S_ISLNK(old.st_mode) else Reason.NO_FILE
            self.refusals.add(reason, path)
            return
        if (old.st_dev, old.st_ino) in self._source_ids:
            self.refusals.add(Reason.SOURCE, path)
            return
        if old.st_size > _LARGEST and not self._force:
            self.refusals.add(Reason.FOREIGN, path)
            return
        try:
            present = _read(full, old.st_size)
        except OSError as error:
            self.refusals.add(Reason.SYSTEM, path, reason_of(error))
            return
        if present == data:
            self.unchanged += 1
            return
        if not self._force:
            ownership = inspect(present.decode("utf-8", "surrogateescape"))
            match ownership:
                case Ownership.OURS:
                    pass
                case Ownership.EDITED:
                    self.refusals.add(Reason.EDITED, path)
                    return
                case Ownership.FOREIGN:
                    self.refusals.add(Reason.FOREIGN, path)
                    return
                case _:
                    assert_never(ownership)
        self.changes.append(_Change(path, data, stat.S_IMODE(old.st_mode), _state(old)))

    def finish(self) -> None:
        """Refuse names that one output wants for a file and another for a folder."""
        for folder in self.folders.known():
            if folder in self._names:
                self.refusals.add(Reason.FOLDER_TOO, folder)


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


def _state(found: os.stat_result) -> tuple[int, int, int, int]:
    """What changes when somebody writes a file, or puts another in its place."""
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _as_compared(full: str, change: _Change) -> bool:
    """Whether the file is still what it was when it was compared; raises OSError."""
    try:
        return _state(os.lstat(full)) == change.seen
    except FileNotFoundError:
        return change.seen is None


def _read(full: str, size: int) -> bytes:
    """The bytes of a regular file of about *size* bytes; raises OSError."""
    handle = os.open(full, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        data = os.read(handle, size + 1)
        if len(data) == size:
            return data
        # It changed since it was looked at, or is too long for one read.
        parts = [data]
        while data:
            data = os.read(handle, 1 << 20)
            parts.append(data)
        return b"".join(parts)
    finally:
        os.close(handle)


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


def _write(changes: list[_Change], folders: Folders, sink: Sink, *, force: bool) -> list[_Change]:
    """Write *changes* and return those that were: not all after an error, or where somebody
    has written a file since it was compared."""
    for folder in folders.known():
        if folders.state(folder) is True:
            clear_leftovers(folders.full(folder))
    touched: dict[str, None] = {}
    faults = Refusals()
    done: list[_Change] = []
    for change in changes:
        folder, _, name = change.path.rpartition("/")
        try:
            if folder not in touched:
                folders.make(folder)
                touched[folder] = None
            if not force and not _as_compared(folders.full(change.path), change):
                # Somebody has written it since: their work is not lost.
                faults.add(Reason.EDITED, change.path)
                continue
            put(folders.full(folder), name, change.data, change.mode)
        except OSError as error:
            faults.add(Reason.SYSTEM, change.path, reason_of(error))
            break
        done.append(change)
    for folder in sorted({*touched, *folders.parents_of_new()}):
        try:
            flush_folder(folders.full(folder))
        except OSError as error:
            faults.add(Reason.SYSTEM, folder or folders.root, reason_of(error))
    if faults:
        faults.told(
            sink, f"{len(done)} of {len(changes)} files had been written; the rest is as it was"
        )
    return done
