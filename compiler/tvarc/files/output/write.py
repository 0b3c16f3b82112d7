"""Writes changed files, and overwrites only files that this compiler wrote. A run first compares
and decides everything, and then writes. If any file must not be written, the run stops before the
first byte reaches the disk.
"""

# Plain `os` calls: a run may write ten thousand files, and path objects would double its time.
from __future__ import annotations

import errno
import os

from tvarc.doing import each
from tvarc.files.output.folders import (
    CREATE,
    READ,
    Refusals,
    State,
    changed_since,
    clear_leftovers,
    flush_folder,
    holds,
    is_there,
    put,
    read_all,
    state_of,
    temporary_name,
    write_all,
)
from tvarc.files.output.header import File
from tvarc.files.output.plan import (
    Adopted,
    Claim,
    Comparison,
    Entry,
    Kind,
    Protected,
    Sweep,
    Swept,
    WriteMode,
    WriteReport,
    text_of,
)
from tvarc.files.output.prune import Stale, find_stale
from tvarc.light import TYPE_CHECKING, Callable, Final, Iterable, Iterator, suppress
from tvarc.text.diagnostics.model import Sink

if TYPE_CHECKING:
    from tvarc.files.output.plan import Comparing

_NOTHING: Final = Protected()
_ANY: Final = Claim()


def write_files(
    files: Iterable[File],
    root: str,
    mode: WriteMode,
    sink: Sink,
    *,
    protected: Protected = _NOTHING,
    claim: Claim = _ANY,
    sweep: Sweep | None = None,
    progress: Callable[[int], None] | None = None,
    compare: Comparing = Comparison,
) -> WriteReport:
    """Bring the files below the folder *root* up to date. It never deletes files of other authors.
    With *sweep* it searches for files that the program no longer has. If *sweep* says so, it
    removes them after it has written all others. *progress* is called with the number of compared
    files. *compare* makes the object that compares. Errors go to *sink*: E801 a file does not
    belong to the program, E802 the system refuses, E803 a path is not plainly below the root, E402
    a path is given twice. If *sink* has an error after the comparison, nothing is written. An error
    while writing ends the run. Each file is then either wholly old or wholly new.
    """
    comparison = compare(os.path.realpath(root), mode, protected, claim)
    comparison.run(files, progress)
    if not mode.check:
        comparison.ask_whether_writable()
    comparison.refusals.report(sink)
    folders, entries = comparison.folders, comparison.entries
    if sink.has_errors:
        refused = comparison.refusals.unwritten()
        return WriteReport((), (), comparison.unchanged, unwritten=refused)
    stale = None
    if sweep is not None:
        stale = find_stale(folders, sweep, entries, comparison.sources)
    writing = _Writing(comparison, sink, force=mode.force)
    if mode.check:
        writing.pretend()
    else:
        writing.run()
        comparison.finish(writing.done)
    swept = Swept()
    if sweep is not None and stale is not None and stale:
        swept = _sweep(comparison, sweep, stale, sink, mode)
    return WriteReport(
        tuple([entry.path for entry in writing.done]),
        tuple([entry.path for entry in writing.done if entry.kind is Kind.NEW]),
        comparison.unchanged + writing.unchanged,
        tuple(comparison.used),
        swept,
        tuple(writing.taken),
        comparison.inherited,
        tuple(comparison.merged),
        tuple(protected.left),
        tuple(entries.values()),
        writing.unwritten(),
    )


def _sweep(
    comparison: Comparison, sweep: Sweep, stale: Stale, sink: Sink, mode: WriteMode
) -> Swept:
    """Remove the files *stale*, if that is requested and there was no error."""
    if not sweep.remove or sink.has_errors:
        return Swept(
            stale=tuple(stale.found), edited=tuple(stale.edited), unsure=tuple(stale.unsure)
        )
    from tvarc.files.output import prune

    chosen = stale.all() if mode.force else stale.found
    files = (entry.file for entry in comparison.entries.values())
    renamed = prune.renames(comparison.folders, chosen, files) if chosen else {}
    removed = list(chosen)
    if not mode.check:
        faults = Refusals()
        removed = prune.remove(comparison.folders, chosen, sweep.places, faults)
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
    """Writes the files that a comparison has found to be new or different. `done` are the written
    entries. After an error, or if a file was written since the comparison, these are not all.
    `taken` are the replaced files of users. `unchanged` is the number of files that another run has
    written in the meantime.
    """

    __slots__ = (
        "_changed", "_faults", "_folders", "_force", "_note", "_sink", "_unread", "done", "taken",
        "unchanged",
    )  # fmt: skip

    def __init__(self, comparison: Comparison, sink: Sink, *, force: bool) -> None:
        self._changed = comparison.changed()
        self._faults = Refusals()
        self._folders = comparison.folders
        self._force = force
        self._note = comparison.note_written
        self._unread = comparison.unread
        self._sink = sink
        self.done: list[Entry] = []
        self.taken: list[Adopted] = []
        self.unchanged = 0

    def unwritten(self) -> list[tuple[str, str]]:
        """The paths that could not be written, with the system's reason."""
        return self._faults.unwritten()

    def pretend(self) -> None:
        """Find out what would be written. A user's file that cannot be read is left out of
        `taken`."""
        self.done = self._changed
        for entry in self._changed:
            if entry.kind is Kind.TAKEN:
                with suppress(OSError):
                    self._take(self._folders.enter(entry.folder), entry, text_of(entry), keep=False)
        self._folders.leave()

    def run(self) -> None:
        """Write the files. Errors are reported."""
        folders = self._folders
        for folder in folders.existing():
            clear_leftovers(folder)
        try:
            touched = self._write()
        finally:
            folders.leave()
        for folder in sorted({*touched, *folders.parents_of_new()}):
            try:
                flush_folder(folders.full(folder))
            except OSError as error:
                self._faults.add_error(folder or folders.root, error)
        if self._faults:
            done = f"{len(self.done)} of {len(self._changed)} files had been written"
            self._faults.report(self._sink, f"{done}; the rest is as it was")

    def _write(self) -> dict[str, None]:
        """Write the files. Returns the folders in which files may have been written."""
        folders, temporary, unread = self._folders, temporary_name(), self._unread
        touched: dict[str, None] = {}
        handle, before = -1, None
        for entry in each("writing", self._changed, len(self._changed), "files"):
            folder, _, name = entry.path.rpartition("/")
            data = text_of(entry)
            if unread and unread.get(entry.path) == entry.mark:
                entry.kind = Kind.SAME
                continue
            try:
                if folder != before:
                    folders.make(folder)
                    touched[folder] = None
                    handle, before = folders.enter(folder), folder
                if not self._force and not as_compared(handle, name, entry.state):
                    # The file was written in the meantime. It must not be lost, unless another run
                    # of this program has written the same.
                    if holds(handle, name, data):
                        self.unchanged += 1
                    else:
                        self._faults.add(changed_since(handle, name), entry.path)
                    continue
                if entry.kind is Kind.TAKEN:
                    self._take(handle, entry, data, keep=True)
                put(handle, temporary, name, data, entry.mode, self._note)
            except OSError as error:
                self._faults.add_error(entry.path, error)
                break
            self.done.append(entry)
        return touched

    def _take(self, folder: int, entry: Entry, data: bytes, *, keep: bool) -> None:
        self.taken.append(adopted(folder, entry.path, data, keep=keep))


def as_compared(folder: int, name: str, seen: State | None) -> bool:
    """Whether the file *name* is unchanged since the comparison; raises OSError."""
    if seen is None:
        return not is_there(folder, name)
    try:
        return state_of(os.stat(name, dir_fd=folder, follow_symlinks=False)) == seen
    except FileNotFoundError:
        return False


# --- files of users ------------------------------------------------------------------------

# Not `.nix`: a Nix tool that takes every file of a folder for a package must not see it.
_ENDING: Final = ".orig"
_MOST: Final = 1000
_MOST_LINES: Final = 20_000
_NO_LINKS: Final = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)


def adopted(folder: int, path: str, data: bytes, *, keep: bool) -> Adopted:
    """The content that is lost if *data* replaces the file *path* of a user in the open *folder*.
    With *keep* the file first gets a second name. Raises OSError."""
    name = path.rpartition("/")[2]
    handle = os.open(name, READ, dir_fd=folder)
    try:
        present = read_all(handle, os.fstat(handle).st_size)
        for backup in _names(name):
            if keep and _kept(folder, name, backup, handle, present):
                break
            if not keep and not is_there(folder, backup):
                break
        else:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    finally:
        os.close(handle)
    return Adopted(path, path.removesuffix(name) + backup, _difference(present, data))


def _names(name: str) -> Iterator[str]:
    yield name + _ENDING
    for number in range(1, _MOST):
        yield f"{name}{_ENDING}.{number}"


def _kept(folder: int, name: str, backup: str, handle: int, present: bytes) -> bool:
    """Give the file *name*, open as *handle*, the second name *backup*. Returns False if that name
    is taken."""
    try:
        os.link(name, backup, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except FileExistsError:
        # A killed run may have come up to this point.
        here, there = os.fstat(handle), os.stat(backup, dir_fd=folder, follow_symlinks=False)
        return (here.st_dev, here.st_ino) == (there.st_dev, there.st_ino)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return _copied(folder, backup, present, os.fstat(handle).st_mode & 0o777)
    return True


def _copied(folder: int, backup: str, present: bytes, mode: int) -> bool:
    """Write *present* to the new file *backup*. Returns False if it exists."""
    try:
        copy = os.open(backup, CREATE, mode, dir_fd=folder)
    except FileExistsError:
        return False
    try:
        try:
            write_all(copy, present)
            os.fsync(copy)
        finally:
            os.close(copy)
    except BaseException:
        os.unlink(backup, dir_fd=folder)
        raise
    return True


def _difference(old: bytes, new: bytes) -> tuple[str, ...]:
    """The lines of a unified diff, without the names of the files."""
    import difflib  # nearly all runs replace no file of a user

    try:
        before, after = old.decode().splitlines(), new.decode().splitlines()
    except UnicodeDecodeError:
        return (f"the old content is not text: {len(old)} bytes",)
    if len(before) + len(after) > _MOST_LINES:
        return (f"the old content has {len(before)} lines, too many to compare here",)
    found = list(difflib.unified_diff(before, after, lineterm=""))
    return tuple(map(_shown, found[2:]))


def _shown(line: str) -> str:
    """*line* without characters that control a terminal."""
    return "".join([c if c.isprintable() or c == "\t" else f"\\x{ord(c):02x}" for c in line])
