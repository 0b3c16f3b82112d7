"""Files that a user wrote, in whole or in part. Each is written whole or not at all, and is never
overwritten if it has changed since it was read."""

# Plain `os` calls: pathlib costs too much at start.
# ruff: noqa: PTH102, PTH106, PTH108, PTH110, PTH112, PTH114, PTH116, PTH118, PTH120
from __future__ import annotations

import errno
import os
import stat

from tvarc.files import messages as msg
from tvarc.files.disk import read_plain
from tvarc.files.inventory import read_text
from tvarc.files.output.folders import (
    READ,
    Folders,
    Reason,
    Refusals,
    Refused,
    Sources,
    put_one,
    read_all,
    reason_of,
)
from tvarc.files.output.plan import Adopted, BuildOptions, Shared
from tvarc.light import (
    Callable,
    Collection,
    Final,
    Iterable,
    Mapping,
    Sequence,
    dataclass,
    suppress,
)
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource

_LARGEST: Final = 1 << 30
_LARGEST_SHARED: Final = 1 << 22  # bytes; a settings file of a user has some thousand


def _report_not_written(file: str, fault: OSError | UnreadableSource, sink: Sink) -> None:
    reason = fault.reason if isinstance(fault, UnreadableSource) else reason_of(fault)
    sink.report(msg.paths.NOT_WRITTEN, file=file, reason=reason)


# --- files that were read ---------------------------------------------------------------------


def rewrite(file: str, before: bytes, after: bytes, sink: Sink) -> bool:
    """Replace the content of *file*, which was *before* when it was read, by *after*. Returns
    whether it is replaced. A link is followed; owner, permissions and extended attributes stay.
    Other hard links keep the old content. At any time the file is wholly old or wholly new. E802
    goes to *sink* if the system refuses, or if the content is no longer *before*.
    """
    path = os.path.realpath(file)
    folder, name = os.path.split(path)
    try:
        old = os.stat(path)
        if not os.access(path, os.W_OK):  # its folder would still allow a replacement
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        if read_plain(path, file, len(before) + 1) != before:
            sink.report(msg.paths.CHANGED_SINCE, file=file)
            return False
        put_one(folder, name, after, old)
    except (OSError, UnreadableSource) as fault:
        _report_not_written(file, fault, sink)
        return False
    return True


def rewrite_all(texts: Mapping[str, tuple[str, str]], sink: Sink) -> bool:
    """Replace the old text of each file by the new one. If one file cannot be written, the others
    keep their old text, and the result is False."""
    done: list[str] = []
    for name, (old, new) in texts.items():
        if rewrite(name, old.encode(), new.encode(), sink):
            done.append(name)
            continue
        for other in done:
            before, after = texts[other]
            rewrite(other, after.encode(), before.encode(), sink)
        return False
    return True


# --- files next to recipes --------------------------------------------------------------------


def write_beside(
    folder: str,
    name: str,
    data: bytes,
    is_ours: Callable[[bytes], bool],
    sink: Sink,
    *,
    force: bool,
) -> bool:
    """Write *data* to the file *name* in the existing *folder*. Returns whether that changed it.
    Only plain files are replaced, and a file that *is_ours* does not recognize only with *force*.
    Otherwise E801 goes to *sink*, or E802 if the system refuses.
    """
    shown = os.path.join(folder, name)
    try:
        path = os.path.realpath(folder)
        whole = os.path.join(path, name)
        old = os.lstat(whole) if os.path.lexists(whole) else None
        if old is not None:
            known = read_plain(whole, whole, _LARGEST) if stat.S_ISREG(old.st_mode) else None
            if known == data:
                return False
            if known is None or not (force or is_ours(known)):
                option = None if known is None else "--force"
                sink.report(msg.paths.IN_THE_WAY, file=shown, option=option)
                return False
        put_one(path, name, data, old)
    except (OSError, UnreadableSource) as fault:
        _report_not_written(shown, fault, sink)
        return False
    return True


def write_new(path: str, data: bytes, sink: Sink) -> None:
    """Write the file *path*, in an existing folder. An existing file stays unchanged, and is
    reported."""
    folder, name = os.path.split(path)
    write_beside(folder or ".", name, data, lambda _: False, sink, force=False)


def write_all_new(files: Mapping[str, bytes], sink: Sink) -> bool:
    """Write new files, and make missing folders. Returns whether all files are written. If one
    cannot be written, which is reported, or if the run is interrupted, the others are removed
    again."""
    before = len(sink)
    tried: list[str] = []
    folders: list[str] = []
    at, whole = "", False
    try:
        for at, data in files.items():
            for missing in _missing(os.path.dirname(at)):
                os.mkdir(missing)
                folders.append(missing)
            tried += [] if os.path.lexists(at) else [at]
            write_new(at, data, sink)
            if len(sink) > before:
                break
        whole = len(sink) == before
    except OSError as fault:
        _report_not_written(os.path.dirname(at) or ".", fault, sink)
    finally:
        if not whole:
            _remove(tried, folders, files)
    return whole


def _missing(folder: str) -> list[str]:
    """The folders that must be made for *folder*, the highest first."""
    found: list[str] = []
    while folder and not os.path.isdir(folder):
        found.insert(0, folder)
        folder = os.path.dirname(folder)
    return found


def _remove(tried: Sequence[str], folders: Sequence[str], files: Mapping[str, bytes]) -> None:
    """Remove those of *files* that are unchanged, and the *folders* that were made for them."""
    for path in tried:
        with suppress(OSError, UnreadableSource):
            if read_plain(path, path, _LARGEST) == files[path]:
                os.unlink(path)
    for folder in reversed(folders):
        with suppress(OSError):
            os.rmdir(folder)


# --- the first files of a project -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NewFile:
    """A new file: its *path* below the folder of the project, `/` between the steps, and its
    content. In a list, each line is independent of the others."""

    path: str
    data: bytes
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Left:
    """A file that is not written: it exists already, or there is a *reason* against it. `lacks` are
    the lines of a list that the file on disk does not have."""

    path: str
    reason: str = ""
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Beginning:
    """The files to write into *folder*, in this order, and the files that are left out."""

    folder: str
    new: tuple[NewFile, ...]
    left: tuple[Left, ...]


def is_fit(folder: str, sink: Sink) -> bool:
    """Whether a project can begin in *folder*, which may be missing. If not, it is reported."""
    reason = _why_no_folder(folder)
    if reason:
        sink.report(msg.paths.NO_PROJECT, folder=folder, reason=reason)
    return not reason


def _why_no_folder(folder: str) -> str:
    if os.path.islink(folder) and not os.path.exists(folder):
        return "it is a link to nothing"
    folders = Folders(os.path.realpath(folder))
    state = folders.state("")
    return (state.detail if isinstance(state, Refused) else folders.closed("")).lower()


def beginning(folder: str, files: Iterable[NewFile]) -> Beginning:
    """Split *files* into those to write into *folder* and those that exist there. Nothing is
    written yet."""
    folders = Folders(os.path.realpath(folder))
    new: list[NewFile] = []
    left: list[Left] = []
    for file in files:
        above = file.path.rpartition("/")[0]
        state = folders.state(above)
        closed = "" if isinstance(state, Refused) else folders.closed(above)
        if isinstance(state, Refused):
            left.append(Left(file.path, _why(state)))
        elif os.path.lexists(folders.full(file.path)):
            left.append(_existing(folders.root, file))
        elif closed:
            left.append(Left(file.path, f"`{above}`: {closed.lower()}"))
        else:
            new.append(file)
    return Beginning(folder, tuple(new), tuple(left))


def _why(state: Refused) -> str:
    if state.reason is Reason.SYMLINK:
        return f"`{state.at}` is a link"
    return f"`{state.at}`: {state.detail.lower()}"


def _existing(root: str, file: NewFile) -> Left:
    """The result for *file* if its place has a file."""
    path = os.path.join(root, file.path)
    if os.path.islink(path) and not os.path.exists(path):
        return Left(file.path, "it is a link to nothing")
    text, fault = read_text(root, file.path)
    if fault or not file.is_list:
        return Left(file.path)
    known = {line.strip() for line in text.splitlines()}
    lines = file.data.decode("utf-8").splitlines()
    lacks = [line for line in lines if not line.startswith("#") and line.strip() not in known]
    return Left(file.path, lacks=tuple(lacks))


def write_beginning(made: Beginning, sink: Sink) -> bool:
    """Write the new files of *made*, all or none. Returns whether they are written."""
    folder = "" if made.folder == "." else made.folder
    return write_all_new({os.path.join(folder, one.path): one.data for one in made.new}, sink)


# --- files with a part of tvarc -----------------------------------------------------------


class SharedFile:
    """A file of a user, *path* below *root*, in which tvarc writes a part. `text` is its text, None
    if the file is missing or cannot be read. The latter is reported, and `refused` is true.
    `garbled` is the first line that is not UTF-8, 0 if there is none. The caller, which knows the
    kind of the file, reports it."""

    __slots__ = ("_folder", "_folders", "_sink", "garbled", "path", "refused", "text")

    def __init__(self, root: str, path: str, sources: Collection[str], sink: Sink) -> None:
        """*sources* are the files that the program reads. They are never written."""
        self.path = path
        self.garbled = 0
        self.text: str | None = None
        self._folder = path.rpartition("/")[0]
        self._folders = Folders(os.path.realpath(root or "."))
        self._sink = sink
        refusals = Refusals()
        self._read(refusals, Sources(sources))
        self.refused = bool(refusals)
        refusals.report(sink)

    @property
    def full(self) -> str:
        """Its absolute path."""
        return self._folders.full(self.path)

    def _read(self, refusals: Refusals, sources: Sources) -> None:
        state = self._folders.state(self._folder)
        if isinstance(state, Refused):
            refusals.add(state.reason, state.at, state.detail)
            return
        if sources.holds(self.full):
            refusals.add(Reason.SOURCE, self.path)
            return
        if not state:
            return
        try:
            handle = os.open(self.full, READ)
        except FileNotFoundError:
            return
        except OSError as error:
            link = os.path.islink(self.full)
            reason = Reason.SYMLINK if link else Reason.SYSTEM
            refusals.add(reason, self.path, "" if link else reason_of(error))
            return
        try:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode):
                refusals.add(Reason.NO_FILE, self.path)
            elif found.st_size > _LARGEST_SHARED:
                refusals.add(Reason.SYSTEM, self.path, "it is larger than 4 MiB")
            else:
                self.text = read_all(handle, found.st_size).decode("utf-8")
        except UnicodeDecodeError as error:
            self.garbled = error.object.count(b"\n", 0, error.start) + 1
        except OSError as error:
            refusals.add_error(self.path, error)
        finally:
            os.close(handle)

    def write(self, text: str) -> bool:
        """Replace its text by *text*, unless it has changed since it was read. Returns whether it
        is replaced. E802 goes to the sink."""
        if self.text is not None:
            return rewrite(self.full, self.text.encode(), text.encode(), self._sink)
        try:
            self._folders.make(self._folder)
            if os.path.lexists(self.full):
                raise FileExistsError(0, "it was created meanwhile")
            put_one(*os.path.split(self.full), text.encode())
        except OSError as error:
            _report_not_written(self.path, error, self._sink)
            return False
        return True

    def keep(self, text: str, *, copy: bool) -> Adopted | None:
        """The content that is lost if *text* replaces its text. With *copy*, a copy is written next
        to it. None after reporting that the copy failed."""
        from tvarc.files.output.write import adopted

        try:
            handle = self._folders.enter(self._folder)
            return adopted(handle, self.path, text.encode(), keep=copy)
        except OSError as error:
            reason = reason_of(error)
            self._sink.report(msg.paths.NO_COPY, file=self.path, reason=reason)
            return None
        finally:
            self._folders.leave()


def write_shared(found: Iterable[tuple[Shared, SharedFile]], options: BuildOptions) -> None:
    """Write each file that differs, unless the run only checks."""
    only_checks = options.check or options.dry_run
    for one, file in found:
        if not one.differs:
            continue
        if options.adopt and one.takes_over:
            one.adopted = file.keep(one.text, copy=not only_checks)
            if one.adopted is None:
                continue
        if not only_checks:
            file.write(one.text)
