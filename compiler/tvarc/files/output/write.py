"""Writes what changed, and only over files that this compiler wrote.

A run first compares everything and decides; then it writes. What must not be written stops
the run before the first byte reaches the disk. Files are made twice for this, the second time
those only that are written: so none has to be kept, however many there are.
"""

# Plain `os` calls: a run may write ten thousand files, and path objects would double its time.
from __future__ import annotations

import os
from itertools import compress

from tvarc.doing import each
from tvarc.files.output.atomic import flush_folder, put
from tvarc.files.output.compare import NEW, SAME, TAKEN, Comparison
from tvarc.files.output.folders import reason_of
from tvarc.files.output.leftovers import clear_leftovers, temporary_name
from tvarc.files.output.model import (
    Adopted,
    Claim,
    File,
    Files,
    Protected,
    Sweep,
    Swept,
    WriteMode,
    WriteReport,
)
from tvarc.files.output.on_disk import changed_since, holds, state_of
from tvarc.files.output.refusals import Reason, Refusals
from tvarc.files.output.stale import Stale, find_stale
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Collection,
    Final,
    Iterable,
    Iterator,
    Sequence,
    suppress,
)
from tvarc.text.diagnostics.model import Sink

if TYPE_CHECKING:
    from tvarc.files.output.record import Notes

_NOTHING: Final = Protected()
_ANY: Final = Claim()
# To ask whether a name is there takes half as long as to be told that it is not.
_LOOKS_AT_LINKS = {os.access} <= os.supports_dir_fd & os.supports_follow_symlinks


class _Kept:
    """Files that are all at hand."""

    def __init__(self, files: Iterable[File]) -> None:
        self._files = tuple(files)

    def __iter__(self) -> Iterator[File]:
        return iter(self._files)

    def among(self, wanted: Sequence[int]) -> Iterator[File]:
        return compress(self._files, wanted)


def write_files(
    files: Files | Iterable[File],
    root: str,
    mode: WriteMode,
    sink: Sink,
    *,
    protected: Protected = _NOTHING,
    claim: Claim = _ANY,
    sweep: Sweep | None = None,
    notes: Notes | None = None,
    progress: Callable[[int], None] | None = None,
) -> WriteReport:
    """Bring the files below the folder *root* up to date; never deletes a file of another.

    With *sweep* those that the program has no longer are looked for, and removed where it says
    so, once all others are written.

    *files* may be made while they are gone through, and are gone through again for what has
    changed. *notes* take down what the files are to hold. *progress* is told how many files have
    been compared so far.

    Faults go to *sink*: E801 a file is not ours, E802 the system refuses, E803 a path is not
    plainly below the root, E402 a path is given twice. When *sink* holds an error after the
    comparison, nothing is written. An error while writing ends the run; each file is then
    either wholly old or wholly new.
    """
    again: Files = files if hasattr(files, "among") else _Kept(files)  # type: ignore[assignment]
    comparison = Comparison(os.path.realpath(root), mode, protected, claim, notes)
    try:
        hashes = comparison.run(again, progress)
    finally:
        comparison.folders.leave()
    if not mode.check:
        comparison.ask_whether_writable()
    comparison.refusals.report(sink)
    kinds = comparison.kinds
    if sink.has_errors:
        return WriteReport((), (), comparison.unchanged)
    stale = None
    if sweep is not None:
        stale = find_stale(
            comparison.folders, sweep, hashes, again, comparison.full(), comparison.sources
        )
    del hashes
    if mode.check:
        done = [file.path for file in again.among(kinds)]
        created = list(compress(done, [kind == NEW for kind in kinds if kind != SAME]))
        taken = _would_take(comparison, again) if TAKEN in kinds else []
    else:
        writing = _Writing(comparison, sink, force=mode.force, notes=notes)
        done, created = writing.run(again)
        taken = writing.taken
    swept = Swept()
    if sweep is not None and stale is not None and stale:
        swept = _sweep(comparison, sweep, stale, again, sink, mode)
    return WriteReport(
        tuple(done),
        tuple(created),
        comparison.unchanged,
        tuple(comparison.used),
        swept,
        tuple(taken),
        comparison.inherited,
        tuple(comparison.merged),
        tuple(protected.left),
    )


def _would_take(comparison: Comparison, files: Files) -> list[Adopted]:
    """The files of a person that would be taken; none that cannot be read any more."""
    from tvarc.files.output.backup import adopted

    found: list[Adopted] = []
    for file in files.among(bytes([kind == TAKEN for kind in comparison.kinds])):
        folder = file.path.rpartition("/")[0]
        with suppress(OSError):
            handle = comparison.folders.enter(folder)
            found.append(adopted(handle, file.path, file.data(), keep=False))
    comparison.folders.leave()
    return found


def _sweep(
    comparison: Comparison,
    sweep: Sweep,
    stale: Stale,
    files: Files,
    sink: Sink,
    mode: WriteMode,
) -> Swept:
    """Remove what is stale, if that is wanted and nothing has gone wrong."""
    if not sweep.remove or sink.has_errors:
        return Swept(
            stale=tuple(stale.found), edited=tuple(stale.edited), unsure=tuple(stale.unsure)
        )
    from tvarc.files.output.prune import remove, renames

    chosen = stale.all() if mode.force else stale.found
    renamed = renames(comparison.folders, chosen, files) if chosen else {}
    removed = list(chosen)
    if not mode.check:
        faults = Refusals()
        removed = remove(comparison.folders, chosen, sweep.places, faults)
        faults.report(sink, f"{len(removed)} of {len(chosen)} files had been removed")
    left = set(chosen).difference(removed)
    return Swept(
        stale=tuple([path for path in chosen if path in left]),
        removed=tuple(removed),
        edited=() if mode.force else tuple(stale.edited),
        unsure=() if mode.force else tuple(stale.unsure),
        renamed={old: path for old, path in renamed.items() if old not in left},
    )


class _Writing:
    """Writes what a comparison has found to be new or other."""

    __slots__ = (
        "_comparison", "_faults", "_folders", "_force", "_notes", "_placed", "_sink", "taken",
    )  # fmt: skip

    def __init__(
        self, comparison: Comparison, sink: Sink, *, force: bool, notes: Notes | None
    ) -> None:
        self._comparison = comparison
        self._folders = comparison.folders
        self._faults = Refusals()
        self._force = force
        self._notes = notes
        self._sink = sink
        self.taken: list[Adopted] = []
        self._placed: Collection[str] = ()  # what this run has written with their whole folder

    def run(self, files: Files) -> tuple[list[str], list[str]]:
        """The paths that were written, and those of them that are new: not all after an error,
        or where somebody has written a file since it was compared."""
        folders, kinds = self._folders, self._comparison.kinds
        for folder in folders.known():
            if folders.state(folder) is True:
                clear_leftovers(folders.full(folder))
        whole = self._whole(files)
        if whole is not None:
            return whole, list(whole)
        done: list[str] = []
        created: list[str] = []
        touched: dict[str, None] = {}
        try:
            self._write(files, done, created, touched)
        finally:
            folders.leave()
        for folder in sorted({*touched, *folders.parents_of_new()}):
            try:
                flush_folder(folders.full(folder))
            except OSError as error:
                self._faults.add(Reason.SYSTEM, folder or folders.root, reason_of(error))
        if self._faults:
            count = len(kinds) - kinds.count(SAME)
            self._faults.report(
                self._sink, f"{len(done)} of {count} files had been written; the rest is as it was"
            )
        return done, created

    def _whole(self, files: Files) -> list[str] | None:
        """The paths of all files, written into a folder that was not there; None where they have
        to be written one by one."""
        folders, comparison = self._folders, self._comparison
        count = len(comparison.kinds)
        if comparison.kinds.count(NEW) < count:
            return None
        from tvarc.files.output.fresh import Placed, missing_folder, write_folder

        top = missing_folder(folders, list(comparison.used))
        if top is None:
            return None
        done: list[str] = []
        try:
            new = each("writing", files.among(comparison.kinds), count, "files")
            done = write_folder(folders, top, new, self._notes)
            flush_folder(folders.full(top).rpartition("/")[0] or "/")
        except Placed as fault:
            self._placed = fault.written
            return None
        except OSError as error:
            self._faults.add(Reason.SYSTEM, top or folders.root, reason_of(error))
            self._faults.report(
                self._sink, f"{len(done) or 'none'} of {count} files had been written"
            )
        return done

    def _write(
        self, files: Files, done: list[str], created: list[str], touched: dict[str, None]
    ) -> None:
        folders, comparison = self._folders, self._comparison
        modes, seen = iter(comparison.modes), comparison.seen
        temporary = temporary_name()
        place, handle = 0, -1
        before: str | None = None
        notes = self._notes
        numbers = [number for number, kind in enumerate(comparison.kinds) if kind != SAME]
        changed = zip(numbers, files.among(comparison.kinds), strict=True)
        for number, file in each("writing", changed, len(numbers), "files"):
            path, kind, data = file.path, comparison.kinds[number], file.data()
            if notes is not None and kind == NEW:
                notes.fill(number, data)
            folder, _, name = path.rpartition("/")
            state, mode = None, None
            if kind != NEW:
                state, mode = tuple(seen[place : place + 4]), next(modes)
                place += 4
            try:
                if folder != before:
                    folders.make(folder)
                    touched[folder] = None
                    handle, before = folders.enter(folder), folder
                if not self._force and not as_compared(handle, name, state):
                    # Somebody has written it since. Their work is not lost, unless it is ours:
                    # another run of the same program has come first.
                    if holds(handle, name, data):
                        if path in self._placed:
                            done.append(path)
                            created.append(path)
                        else:
                            comparison.unchanged += 1
                    else:
                        self._faults.add(changed_since(handle, name), path)
                    continue
                if kind == TAKEN:
                    self._take(handle, path, data)
                put(handle, temporary, name, data, mode)
            except OSError as error:
                self._faults.add(Reason.SYSTEM, path, reason_of(error))
                break
            done.append(path)
            if kind == NEW:
                created.append(path)

    def _take(self, folder: int, path: str, data: bytes) -> None:
        from tvarc.files.output.backup import adopted

        self.taken.append(adopted(folder, path, data, keep=True))


def as_compared(folder: int, name: str, seen: tuple[int, ...] | None) -> bool:
    """Whether the file is still what it was when it was compared; raises OSError."""
    if seen is None and _LOOKS_AT_LINKS:
        return not os.access(name, os.F_OK, dir_fd=folder, follow_symlinks=False)
    try:
        return state_of(os.stat(name, dir_fd=folder, follow_symlinks=False)) == seen
    except FileNotFoundError:
        return seen is None
