"""Source text and positions in it, and the interface through which all text is read."""

from __future__ import annotations

from tvarc.light import Iterator, Literal, Protocol, dataclass, field

FileKind = Literal["file", "folder"]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A run of characters of one source: offsets in code points. The end is exclusive."""

    file: str
    start: int
    end: int

    def to(self, last: Span) -> Span:
        """The span from the start of this one to the end of *last*, both of one file."""
        return Span(self.file, self.start, max(self.end, last.end))

    def has(self, inner: Span) -> bool:
        """Whether *inner* is inside this span, or equal to it."""
        return self.file == inner.file and self.start <= inner.start and inner.end <= self.end

    def meets(self, other: Span) -> bool:
        """Whether one of this span and *other* is inside the other one."""
        return self.has(other) or other.has(self)


class ElseSpan(Span):
    """The span of an `else`. `failed` is the span of the condition before it, which does not hold.
    """

    __slots__ = ("failed",)

    failed: Span

    def __init__(self, word: Span, failed: Span) -> None:
        super().__init__(word.file, word.start, word.end)
        object.__setattr__(self, "failed", failed)


@dataclass(frozen=True, slots=True)
class Position:
    """A position for a reader: line and column, both from 1. The column is in code points."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Source:
    """The text of one file under the name that messages show (`file` of its spans)."""

    file: str
    text: str
    _starts: list[int] = field(default_factory=list, compare=False, repr=False)

    def line_starts(self) -> list[int]:
        """Offsets of the first character of each line; a lone CR does not end a line."""
        if not self._starts:
            self._starts.append(0)
            found = self.text.find("\n")
            while found >= 0:
                self._starts.append(found + 1)
                found = self.text.find("\n", found + 1)
        return self._starts

    def position(self, offset: int) -> Position:
        """Line and column of *offset*; an offset past the end is the end."""
        from bisect import bisect_right  # most runs report no position

        starts = self.line_starts()
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(starts, offset)
        return Position(line, offset - starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """Line *number* (from 1) without its line ending; empty when there is none."""
        starts = self.line_starts()
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].removesuffix("\r")


class SourceMap:
    """The sources of one run, in the order they were loaded."""

    __slots__ = ("_sources",)

    def __init__(self) -> None:
        self._sources: dict[str, Source] = {}

    def add(self, source: Source) -> None:
        self._sources[source.file] = source

    def get(self, file: str) -> Source | None:
        return self._sources.get(file)

    def __iter__(self) -> Iterator[Source]:
        return iter(self._sources.values())

    def rank(self, file: str) -> int:
        """Place of *file* in load order, for sorting; unknown files come last."""
        for index, name in enumerate(self._sources):
            if name == file:
                return index
        return len(self._sources)

    def locate(self, span: Span) -> str:
        """`file:line` of the start of *span*, as messages and `explain` print it."""
        source = self.get(span.file)
        return f"{span.file}:{source.position(span.start).line}" if source else span.file

    def text_of(self, span: Span) -> str:
        """The text at *span*, on one line. For an `else`, it is the condition that it means."""
        if isinstance(span, ElseSpan):
            return f"not ({self.text_of(span.failed)})"
        source = self.get(span.file)
        return " ".join(source.text[span.start : span.end].split()) if source is not None else ""


LeafKind = Literal["plain", "executable", "link"]


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a file, or the target of a link, as the digest that git has for it."""

    kind: LeafKind
    digest: str


class UnreadableSource(Exception):
    """A source that could not be read. `reason` is a clause for the user; `code` is one of E106 to
    E108."""

    def __init__(self, file: str, reason: str, code: str = "E106") -> None:
        super().__init__(f"{file}: {reason}")
        self.file = file
        self.reason = reason
        self.code = code

    @property
    def folder(self) -> bool:
        """Whether a folder was found where a file is expected."""
        return self.reason.startswith("it is a folder")

    @property
    def missing(self) -> bool:
        """Whether there is no such source at all."""
        return self.reason.startswith("no such file")


class SourceLoader(Protocol):
    """Reads sources, from disk or from memory. `file` is the name in spans."""

    @property
    def inputs(self) -> dict[str, str]:
        """The folders of the inputs whose modules are read, by the first step of the names of their
        files. `recipes/torch.tvar` is in the folder of `recipes`."""

    def read(self, file: str) -> Source:
        """The source with the name *file*. Raises UnreadableSource."""

    def join(self, importer: str, relative: str) -> str:
        """The name of the file that *relative* means in *importer*. Raises UnreadableSource if
        *importer* is a file of an input, and the other file is not in that input."""

    def identity(self, file: str) -> str:
        """The identity of *file*, which is equal for all names of one file."""

    def kind(self, file: str) -> FileKind:
        """The kind of thing that a recipe finds if it names *file*. Raises UnreadableSource if
        there is nothing that it could read."""

    def std(self, name: str) -> str | None:
        """The name of the file of the standard library's module *name*; None if there is none."""

    def std_names(self) -> tuple[str, ...]:
        """The modules of the standard library, sorted."""
