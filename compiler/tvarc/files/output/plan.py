"""Decides which files a run writes, by comparing them with the disk. This module also has the
classes of its options and of its report."""

# Plain `os` calls: a run may compare ten thousand files, and path objects would double its time.
# ruff: noqa: PTH116, PTH118, PTH119, PTH120
from __future__ import annotations

import errno
import os
import stat

from tvarc.files.output.folders import (
    LARGEST,
    READ,
    Folders,
    Reason,
    Refusals,
    Refused,
    Sources,
    State,
    read_all,
    state_of,
    words_of,
)
from tvarc.files.output.header import (
    Conflict,
    File,
    Ownership,
    VersionsOf,
    conflict_of,
    inspect_bytes,
    is_of_tvarc,
    made_from,
    mark_of,
)
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Collection,
    Enum,
    Final,
    Iterable,
    Mapping,
    Sequence,
    assert_never,
    dataclass,
    field,
)
from tvarc.text.paths import Fault, fault_of, folded

Mark = tuple[int, int, bytes]
"""The data that identifies a file: its size, and the result of `mark_of`."""


class Kind(Enum):
    """The action of a run on a file, by the content of its place."""

    SAME = "same"
    """No action: the place has the same text."""
    STAYS = "stays"
    """No action: the file there stays, because it is left to the user, or because the run refuses
    it."""
    NEW = "new"
    """Create the file."""
    OTHER = "other"
    """Replace an older file of this program."""
    TAKEN = "taken"
    """With `--adopt`: replace a file that does not belong to this program, and keep a copy of
    it."""


@dataclass(slots=True, eq=False)
class Entry:
    """A file of a run, and the action on it. `state` and `mode` are those of the replaced file,
    None for a new file. `mark` identifies its text, None before the text is made. `kept` is its
    text until it is written, if the comparison has kept it.
    """

    path: str
    kind: Kind
    file: File
    state: State | None = None
    mode: int | None = None
    mark: Mark | None = None
    kept: bytes | None = None

    @property
    def folder(self) -> str:
        """The folder of its path, "" for the root."""
        return self.path.rpartition("/")[0]


@dataclass(frozen=True, slots=True)
class WriteMode:
    """The extent of a run. With `check` it writes nothing, and the report says what it would write.
    With `force` it also overwrites files that do not belong to the program. `adopt` does the same,
    but keeps copies of them, and reports these."""

    check: bool = False
    force: bool = False
    adopt: bool = False


@dataclass(frozen=True, slots=True)
class Protected:
    """Files that are never overwritten. `sources` are the absolute real paths of the program's
    sources. `checkouts` are those of folders that are read as a whole: nothing is written into
    them. `left` are files that stay unchanged, whoever wrote them, by their paths below the
    root."""

    sources: Collection[str] = ()
    checkouts: Collection[str] = ()
    left: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Author:
    """The program that owns files.

    `name` is the name in their heads. `path` is the absolute real path of its folder with its file
    name, empty if no other program is searched. `writes` says whether another program, given by
    such a path, may write to an absolute folder.
    """

    name: str
    path: str = ""
    writes: Callable[[str, str], bool] = lambda _program, _folder: True


@dataclass(frozen=True, slots=True)
class Claim:
    """The files that belong to the program: those of the program `author`, and those with conflicts
    of a merge if both sides belonged to it. `versions` returns these sides."""

    author: Author | None = None
    versions: VersionsOf | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """The place of the files of one output: `folder`, or folders that are `steps` below it."""

    folder: str
    steps: int

    def has(self, folder: str) -> bool:
        """Whether *folder*, relative to the output root, is one of these folders. The root itself
        is the empty text."""
        parts = folder.split("/") if folder else []
        above = len(parts) - self.steps
        return above >= 0 and "/".join(parts[:above]) == self.folder


@dataclass(frozen=True, slots=True)
class Sweep:
    """The search for files of this program that it no longer has. With `remove` they are deleted,
    unless they were edited or may be another program's; without it they are only reported."""

    places: tuple[Place, ...]
    author: Author
    remove: bool


@dataclass(frozen=True, slots=True)
class Swept:
    """Files of this program that it no longer has, by their paths below the root.

    `stale` were found and not removed. `removed` were removed, or would be by a run that only
    checks. `edited` were changed by hand and stay. `unsure` may belong to another program of the
    same name, and stay, too. `renamed` has the new path of each removed file that has the same
    content under another name.
    """

    stale: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Adopted:
    """A user's file, `path`, that a recipe replaced. The old content is in `backup`, and
    `difference` has the lines that differ."""

    SHOWN = ("path", "backup")
    KEYS = (("path", "file"), ("backup", "copy"))

    path: str
    backup: str
    """The place of its copy; empty if there is none."""
    difference: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Shared:
    """The planned state of a user's file in which tvarc writes entries or, with `is_page`, parts.
    The fields with names say which of them change. `stale` are entries that stay although their
    variants no longer exist, `kept` those of them that were changed by hand. `takes_over` says that
    text of a user is replaced, and `adopted` has that text. `unrecorded` says that the file depends
    on files of which a build reads only the names, so that no record can show whether it
    changes."""

    path: str
    text: str
    is_page: bool
    created: bool = False
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    stale: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
    takes_over: bool = False
    adopted: Adopted | None = None
    unrecorded: bool = False

    @property
    def differs(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    @property
    def total(self) -> int:
        """The number of entries or parts that it should have."""
        return len(self.added) + len(self.changed) + self.unchanged


@dataclass(frozen=True, slots=True)
class WriteReport:
    """The result of a run, or the planned result if it only checked. `written` are paths below the
    root, in the order given; `created` are the new ones among them; `unchanged` is the number of
    files that were already right. `folders` are those of all files. `swept` are the files that the
    program no longer has. `adopted` are the written files that had belonged to a user. `inherited`
    is the number of written files that had belonged to a program that no longer exists, by its
    name. `merged` are the written files that had conflicts of a merge. `by_hand` are files that
    stay unchanged although a recipe has their path. `entries` are all files. `unwritten` are the
    paths that could not be written, with the system's reason if there is one.
    """

    written: tuple[str, ...]
    created: tuple[str, ...]
    unchanged: int
    folders: tuple[str, ...] = field(default=(), compare=False)
    swept: Swept = field(default_factory=Swept)
    adopted: tuple[Adopted, ...] = ()
    inherited: Mapping[str, int] = field(default_factory=dict)
    merged: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    entries: tuple[Entry, ...] = field(default=(), compare=False)
    unwritten: Sequence[tuple[str, str]] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """The options of `tvarc build`. `settings` are pairs: `--flag` or `--set`, and its value;
    `inputs` are the values of `--input`."""

    file: str | None
    out: str | None
    only: tuple[str, ...]
    settings: tuple[tuple[str, str], ...]
    check: bool
    force: bool
    json: bool
    locked: bool = False
    source_map: bool = False
    prune: bool = False
    dry_run: bool = False
    adopt: bool = False
    git: bool = True
    inputs: tuple[str, ...] = ()
    if_equal: bool = False


_HEAD: Final = 1 << 13
_NIX: Final = ".nix"
_NO_NAMES: Final = ("", ".", "..")
_SHORT: Final = 120  # letters of a name that every file system accepts
_OFTEN: Final = 64  # files between two reports of progress
_KEPT: Final = 1 << 23  # bytes of texts that a comparison keeps for writing
_FAULTS: Final[Mapping[Fault, Reason]] = {
    Fault.ABSOLUTE: Reason.ABSOLUTE,
    Fault.PARENT: Reason.PARENT,
    Fault.EMPTY_STEP: Reason.NOT_PLAIN,
    Fault.RESERVED: Reason.RESERVED,
}


def text_of(entry: Entry) -> bytes:
    """The text of *entry*, made if the comparison has not kept it."""
    data, entry.kept = entry.kept, None
    if data is None:
        data = entry.file.data()
    if entry.mark is None:
        entry.mark = (len(data), *mark_of(data))
    return data


class Comparison:
    """Decides for each file whether it is written, and collects the refusals. `entries` has an
    entry for each file, by its path. `used` are their folders. `inherited` is the number of files
    of each program that no longer exists. `merged` are files of the program with conflicts of a
    merge.
    """

    __slots__ = (
        "_before", "_beside_sources", "_claim", "_inspected", "_made", "_mode", "_others", "_room",
        "entries", "folders", "handle", "inherited", "left", "merged", "refusals", "sources",
        "used",
    )  # fmt: skip

    note_written: Callable[[int], object] | None = None
    """Called with each written file, while it is open and complete."""
    unread: Mapping[str, Mark] | None = None
    """The marks of the files to write that were not read because the process knows their content,
    by path. A file whose text is then found to be the same is not written.
    """

    def __init__(self, root: str, mode: WriteMode, protected: Protected, claim: Claim) -> None:
        author = claim.author or Author("")
        self.entries: dict[str, Entry] = {}
        self.folders = Folders(root)
        self.inherited: dict[str, int] = {}
        self.merged: list[str] = []
        self.refusals = Refusals()
        self.sources = Sources(protected.sources, protected.checkouts)
        self.used: dict[str, None] = {}
        self._claim = claim
        self._inspected = 0
        self.left = protected.left
        self._made = f"\n# Made by tvarc from {author.name}: ".encode("utf-8", "surrogateescape")
        self._mode = mode
        self._others = OtherPrograms(author, root)
        self._room = _KEPT
        # These are of the folder of the last file.
        self._before: str | None = None
        self._beside_sources = False
        self.handle = -1

    def run(self, files: Iterable[File], progress: Callable[[int], None] | None) -> None:
        """Compare all of *files*."""
        entries = self.entries
        try:
            for count, file in enumerate(files, 1):
                entry = Entry(file.path, Kind.STAYS, file)
                if self._decide(entry) and entries.setdefault(entry.path, entry) is not entry:
                    self.refusals.add(Reason.TWICE, entry.path)
                if progress is not None and (count < _OFTEN or not count % _OFTEN):
                    progress(count)
        finally:
            self.folders.leave()
        self._refuse_folders_like_files()

    def finish(self, written: Sequence[Entry]) -> None:
        """Called after the files of *written* were written, in the order of `note_written`."""

    def ask_whether_writable(self) -> None:
        """Refuse folders in which a file must be written but cannot be made."""
        for folder in dict.fromkeys([entry.folder for entry in self.changed()]):
            reason = self.folders.closed(folder)
            if reason:
                self.refusals.add(Reason.SYSTEM, folder or self.folders.root, reason)

    @property
    def unchanged(self) -> int:
        """The number of files that already have their text."""
        return sum([entry.kind is Kind.SAME for entry in self.entries.values()])

    def changed(self) -> list[Entry]:
        """The files to write."""
        stays = (Kind.SAME, Kind.STAYS)
        return [entry for entry in self.entries.values() if entry.kind not in stays]

    # --- one file ------------------------------------------------------------------------

    def _decide(self, entry: Entry) -> bool:
        """Decide on *entry*. Returns whether its path can be that of a file."""
        path = entry.path
        start = path.rfind("/") + 1
        name = path[start:]
        plain = name.isascii() and "\0" not in name and name not in _NO_NAMES
        if not (plain and path[:start] == self._before) and not self._enter(path, start):
            return False
        if self._beside_sources and self.folders.full(path) in self.sources.paths:
            self.refusals.add(Reason.SOURCE, path)
        elif self.handle >= 0:
            self._look(entry, name)
        elif not (plain and len(name) < _SHORT) and self.folders.too_long(name):
            self.refusals.add(Reason.SYSTEM, path, words_of(errno.ENAMETOOLONG))
        else:
            entry.kind = Kind.NEW
        return True

    def _look(self, entry: Entry, name: str) -> None:
        """Decide on *entry* by the file *name* in the entered folder."""
        try:
            handle = os.open(name, READ, dir_fd=self.handle)
        except FileNotFoundError:
            entry.kind = Kind.NEW
            return
        except OSError as error:
            self._refuse_closed(entry.path, error)
            return
        try:
            data = text_of(entry)
            if os.read(handle, len(data) + 1) == data:
                entry.kind = Kind.SAME
            elif entry.path not in self.left:
                self._look_at_other(entry, data, handle)
        except OSError as error:
            if stat.S_ISREG(os.fstat(handle).st_mode):
                self.refusals.add_error(entry.path, error)
            else:
                self.refusals.add(Reason.NO_FILE, entry.path)
        finally:
            os.close(handle)

    def replace(
        self, entry: Entry, data: bytes, old: os.stat_result, kind: Kind = Kind.OTHER
    ) -> None:
        """Decide that *data* replaces the file of *entry*, whose state is *old*."""
        entry.kind, entry.state, entry.mode = kind, state_of(old), stat.S_IMODE(old.st_mode)
        if len(data) <= self._room:
            self._room -= len(data)
            entry.kept = data

    def _enter(self, path: str, start: int) -> bool:
        """Enter the folder of *path*, which is its first *start* letters. Returns whether files may
        be written there."""
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
        above = os.path.dirname(folders.full(path))
        if self.sources.encloses(above):
            self.refusals.add(Reason.CHECKOUT, path)
            return False
        try:
            self.handle = folders.enter(folder) if there else -1
        except OSError as error:
            self.refusals.add_error(folder or folders.root, error)
            return False
        self.used[folder] = None
        self._beside_sources = above in self.sources.folders
        self._before = path[:start]
        return True

    def _refuse_closed(self, path: str, error: OSError) -> None:
        """Refuse *path*, which exists and cannot be opened."""
        try:
            mode = os.lstat(self.folders.full(path)).st_mode
        except OSError:
            mode = stat.S_IFREG
        if stat.S_ISLNK(mode):
            self.refusals.add(Reason.SYMLINK, path)
        elif stat.S_ISREG(mode):
            self.refusals.add_error(path, error)
        else:
            self.refusals.add(Reason.NO_FILE, path)

    def _look_at_other(self, entry: Entry, data: bytes, handle: int) -> None:
        """Decide on *entry*. Its place, open as *handle*, does not seem to have the content
        *data*."""
        # First read the state, then the content: a later write changes the state.
        mode, old = self._mode, os.fstat(handle)
        reason, other = self._refusal(old), ""
        kind = Kind.OTHER
        if reason is None:
            present = read_all(handle, old.st_size)
            if present == data:
                entry.kind = Kind.SAME
                return
            if not mode.force:
                reason, other = self._owned(entry.path, present)
                if reason is not None and mode.adopt:
                    kind, reason = Kind.TAKEN, None
        if reason is not None:
            self.refusals.add(reason, entry.path, other)
            return
        self.replace(entry, data, old, kind)

    def _refusal(self, old: os.stat_result) -> Reason | None:
        """The reason why a file must not be overwritten, whatever its content."""
        if not stat.S_ISREG(old.st_mode):
            return Reason.NO_FILE
        if self.sources.has(old):
            return Reason.SOURCE
        if old.st_size > LARGEST and not (self._mode.force or self._mode.adopt):
            return Reason.LARGE
        return None

    def _owned(self, path: str, present: bytes) -> tuple[Reason | None, str]:
        """The reason why a file with the content *present* must not be overwritten because it does
        not belong to the program; and for `Reason.OTHER_PROGRAM` its program."""
        if not present.strip(b"\0"):  # a power cut may leave such a file; nothing is lost with it
            return None, ""
        self._inspected += 1
        ownership = inspect_bytes(present, self._inspected)
        if ownership is not Ownership.OURS:
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
        """Like `_owned`, for a recipe with conflicts of a merge."""
        for side in conflict.sides:
            reason, other = self._other_program(path, side)
            if reason is not None:
                return reason, other
        merges, place = self._claim.versions, self.folders.full(path)
        if merges is None:
            shown = is_of_tvarc(conflict, ())
        else:
            shown = is_of_tvarc(conflict, merges(place), lambda name: merges.knows(place, name))
        if not shown:
            return Reason.MERGED, ""
        self.merged.append(path)
        return None, ""

    def _other_program(self, path: str, present: bytes) -> tuple[Reason | None, str]:
        """The other program that made *present*, a file of tvarc, if it exists."""
        # Nearly all files name the program on a line of its own, which is found at once.
        if self._claim.author is None or present.find(self._made, 0, _HEAD) >= 0:
            return None, ""
        name = made_from(present[:_HEAD])
        if name in ("", self._claim.author.name):
            return None, ""
        other = self._others.named(name, os.path.dirname(self.folders.full(path)))
        if other:
            return Reason.OTHER_PROGRAM, other
        self.inherited[name] = self.inherited.get(name, 0) + 1
        return None, ""

    def _refuse_folders_like_files(self) -> None:
        """Refuse files with the name of a folder, even if the case differs."""
        known = self.folders.known()
        for folder in known:
            if folder in self.entries:
                self.refusals.add(Reason.FOLDER_TOO, folder)
        alike = {folded(name): name for name in known if folded(name[-4:]) == _NIX}
        for path in self.entries if alike else ():
            folder = alike.get(folded(path), path)
            if folder != path:
                self.refusals.add(Reason.FOLDER_TOO, path)


def _path_fault(path: str) -> Reason | None:
    """The reason why *path* is not a plain path of a file below the root; None if it is."""
    fault = fault_of(path)
    if fault is not None:
        return _FAULTS[fault]
    if "\0" in path:
        return Reason.NOT_PLAIN
    try:
        os.fsencode(path)
    except UnicodeEncodeError:
        return Reason.NOT_PLAIN
    return None


# --- other programs ---------------------------------------------------------------------------


if TYPE_CHECKING:
    Comparing = Callable[[str, WriteMode, Protected, Claim], Comparison]
    """Makes the object that compares. The parameters are those of `Comparison`."""


class OtherPrograms:
    """The programs that may write to the same places as *author*, relative to the absolute real
    *root*. The head of a recipe names its source without the folder, so that a recipe is the same
    in every checkout. So another program is searched in the folders in which it could be.
    """

    __slots__ = ("_author", "_known", "_root")

    def __init__(self, author: Author, root: str) -> None:
        self._author = author
        self._known: dict[tuple[str, str, bool], str] = {}
        self._root = root

    def namesake(self, folder: str) -> bool:
        """Whether another program of the same file name may write to the absolute *folder*."""
        return self._found(os.path.basename(self._author.path), folder, anyones=True) != ""

    def named(self, name: str, folder: str) -> str:
        """The path, from the root, of the other program *name*, if it may write to the absolute
        *folder*; otherwise empty. A program that no longer exists was renamed or removed. A file of
        a different user does not count as a program, because anyone may put one into a folder
        above, such as /tmp.
        """
        plain = "/" not in name and "\0" not in name and name not in _NO_NAMES
        return self._found(name, folder, anyones=False) if plain else name

    def _found(self, name: str, folder: str, *, anyones: bool) -> str:
        known = self._known.get((name, folder, anyones))
        if known is None:
            known = self._search(name, folder, anyones=anyones)
            self._known[name, folder, anyones] = known
        return known

    def _search(self, name: str, folder: str, *, anyones: bool) -> str:
        """Search other programs in the folders above, because a program writes to its own folder
        and those below it. If this program writes elsewhere, any other may, too."""
        own = self._author.path
        if not own or not name:
            return ""
        if os.path.dirname(own) != self._root:
            return name
        at = folder
        while True:
            other = os.path.join(at, name)
            there = os.path.lexists(other) if anyones else _is_of_owner(other, own)
            if other != own and there and self._author.writes(other, folder):
                return os.path.relpath(other, self._root)
            above = os.path.dirname(at)
            if above == at:
                return ""
            at = above


def _is_of_owner(other: str, own: str) -> bool:
    """Whether *other* exists and belongs to the owner of *own*. A broken link counts as
    existing."""
    try:
        return os.stat(other).st_uid == os.stat(own).st_uid
    except OSError:
        return os.path.lexists(other)
