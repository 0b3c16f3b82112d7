"""What goes to disk, and what became of it."""

from __future__ import annotations

from tvarc.light import (
    TYPE_CHECKING,
    Collection,
    Iterator,
    Mapping,
    Protocol,
    Sequence,
    dataclass,
    field,
)
from tvarc.text.diagnostics.model import CompilerBug

if TYPE_CHECKING:
    from tvarc.files.output.conflicts import VersionsOf
    from tvarc.files.output.ownership import Author


class File(Protocol):
    """A file to be written."""

    @property
    def path(self) -> str:
        """Where it is below the output root, with `/` between its steps."""

    def data(self) -> bytes:
        """What is to stand in it."""


class Files(Protocol):
    """Files that can be gone through several times, and are the same each time."""

    def __iter__(self) -> Iterator[File]: ...

    def among(self, wanted: Sequence[int]) -> Iterator[File]:
        """Of the files, in order, those for which *wanted* holds no 0."""


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A file of which the text is at hand."""

    path: str
    text: str

    def data(self) -> bytes:
        try:
            return self.text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise CompilerBug(f"text for {self.path!r} cannot be encoded") from error


@dataclass(frozen=True, slots=True)
class WriteMode:
    """How far a run goes. With `check` nothing is written, and the report says what would be. With
    `force` files that are not ours are overwritten too; with `adopt` as well, but what was in them
    is kept beside, as the report tells."""

    check: bool = False
    force: bool = False
    adopt: bool = False


@dataclass(frozen=True, slots=True)
class Protected:
    """What is never written over. `sources` are the absolute real paths of the program's sources,
    `checkouts` those of folders of which all is read: nothing is written into them. `left` are
    files that stay as they are, whoever wrote them, by their paths below the root."""

    sources: Collection[str] = ()
    checkouts: Collection[str] = ()
    left: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class Claim:
    """Which files are ours: those of the program `author`, since what another has written is not,
    and those in which a merge has left its conflicts, if what it was made of, which `versions`
    tells, was ours."""

    author: Author | None = None
    versions: VersionsOf | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where the files of one output are: in *folder*, or in folders so many *steps* below it."""

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
    """To look for files of this program that it has no longer.

    With *remove* they are deleted, unless they were edited or may be another's; without it they
    are only counted.
    """

    places: tuple[Place, ...]
    author: Author
    remove: bool


@dataclass(frozen=True, slots=True)
class Swept:
    """Files of this program that it has no longer, paths below the root.

    `stale` are those found and not removed, `removed` those that were, or would be by a
    run that only checks. `edited` were changed by hand and stay. `unsure` may be of another
    program of the same name, and stay too. `renamed` has the new path of each removed file that
    says the same under another name.
    """

    stale: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()
    renamed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Adopted:
    """A file of a person, *path*, in place of which a recipe came: what was there is in *backup*,
    and *difference* says in lines what it had that the recipe has not."""

    path: str
    backup: str
    difference: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WriteReport:
    """What a run wrote, or would have written if it only checked.

    `written` are paths below the root in the order given; `created` are those of them that
    did not exist before; `unchanged` counts the files that were as they should be already.
    `folders` are those of all files. `swept` are the files that the program has no longer.
    `adopted` are those of the written that had been a person's. `inherited` says how many of the
    written had been of a program, by its name, that is no longer there. `merged` are those of the
    written in which a merge had left its conflicts. `by_hand` are files that were to stay as they
    are, though a recipe goes there.
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


@dataclass(frozen=True, slots=True)
class BuildOptions:
    """What `tvarc build` was asked for. `settings` are pairs: `--flag` or `--set`, and what follows
    it; `inputs` are what follows each `--input`."""

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
