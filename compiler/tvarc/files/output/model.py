"""What goes to disk, and what became of it."""

from __future__ import annotations

from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Collection,
    Enum,
    Mapping,
    Protocol,
    dataclass,
    field,
)
from tvarc.text.diagnostics.model import CompilerBug

if TYPE_CHECKING:
    from tvarc.files.output.conflicts import VersionsOf


class File(Protocol):
    """A file to be written."""

    @property
    def path(self) -> str:
        """The path below the output root, with `/` between its steps."""

    def data(self) -> bytes:
        """The content. It may be made each time it is asked for."""


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file with its text."""

    path: str
    text: str

    def data(self) -> bytes:
        try:
            return self.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise CompilerBug(f"text for {self.path!r} cannot be encoded") from error


State = tuple[int, int, int, int]
"""What changes if somebody writes a file, or puts another in its place."""

Mark = tuple[int, int, bytes]
"""What a file is recognized by: its size, and what `mark_of` gives."""


class Kind(Enum):
    """What a run does with a file, by what is in its place."""

    SAME = "same"
    """Nothing: the same text is there."""
    STAYS = "stays"
    """Nothing: what is there stays, since it is left to a person, or since the run refuses it."""
    NEW = "new"
    """Make it."""
    OTHER = "other"
    """Replace an older file of this program."""
    TAKEN = "taken"
    """With `--adopt`: replace a file that is not of this program, and keep a copy of that."""


@dataclass(slots=True, eq=False)
class Entry:
    """A file of a run, and what the run does with it.

    `state` and `mode` are those of the file that it replaces, None for a new file. `mark` is what
    its text is recognized by, None before that is made. `kept` is its text until that is written,
    if the comparison has kept it.
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
    """How far a run goes. With `check` nothing is written, and the report says what would be. With
    `force` it also overwrites files that are not ours. `adopt` does the same, but keeps what was in
    them beside, and reports it."""

    check: bool = False
    force: bool = False
    adopt: bool = False


@dataclass(frozen=True, slots=True)
class Protected:
    """What is never overwritten. `sources` are the absolute real paths of the program's sources,
    `checkouts` those of folders that are read whole: nothing is written into them. `left` are files
    that stay as they are, whoever wrote them, by their paths below the root."""

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
    """Which files are ours: those of the program `author`, and those in which a merge has left its
    conflicts, if both sides of the merge were ours. `versions` knows these sides."""

    author: Author | None = None
    versions: VersionsOf | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where the files of one output are: in `folder`, or in folders that are `steps` below it."""

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
    checks. `edited` were changed by hand and stay. `unsure` may be of another program of the same
    name, and stay too. `renamed` has the new path of each removed file that says the same under
    another name.
    """

    stale: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Adopted:
    """A file of a person, `path`, that a recipe replaced: the old content is in `backup`, and
    `difference` has the lines that differ."""

    SHOWN = ("path", "backup")
    KEYS = (("path", "file"), ("backup", "copy"))

    path: str
    backup: str
    """Where its copy is; empty if there is none."""
    difference: tuple[str, ...]


@dataclass(slots=True, eq=False)
class Shared:
    """A person's file as it should be, in which entries or, with `is_page`, parts are ours. Their
    names say which of them change. `stale` are entries that stay though their variants are gone,
    `kept` those of them that were changed by hand. `takes_over` says that something which somebody
    wrote is replaced, and `adopted` what was lost by that."""

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

    @property
    def differs(self) -> bool:
        return bool(self.added or self.changed or self.removed)

    @property
    def total(self) -> int:
        """How many entries or parts it should have."""
        return len(self.added) + len(self.changed) + self.unchanged


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What a run wrote, or would have written if it only checked.

    `written` are paths below the root, in the order given; `created` are those of them that are
    new; `unchanged` counts the files that were right already. `folders` are those of all files.
    `swept` are the files that the program no longer has. `adopted` are those of the written files
    that had been a person's. `inherited` counts the written files that had been of a program that
    no longer exists, by its name. `merged` are the written files in which a merge had left its
    conflicts. `by_hand` are files that stay as they are, though a recipe has their path. `entries`
    are all files.
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
