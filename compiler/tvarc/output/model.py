"""What goes to disk, and what became of it."""

from __future__ import annotations

from tvarc.diagnostics.model import CompilerBug
from tvarc.light import Iterator, Protocol, Sequence, dataclass, field


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
class WriteReport:
    """What a run wrote, or would have written if it only checked.

    `written` are paths below the root in the order given; `created` are those of them that
    did not exist before; `unchanged` counts the files that were as they should be already.
    `folders` are those of all files.
    """

    written: tuple[str, ...]
    created: tuple[str, ...]
    unchanged: int
    folders: tuple[str, ...] = field(default=(), compare=False)
