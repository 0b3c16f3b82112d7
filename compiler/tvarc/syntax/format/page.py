"""The lines of a formatted file, and the columns of the comments at their ends."""

from __future__ import annotations

from tvarc.light import Final, Literal, Sequence, dataclass
from tvarc.syntax.format.trivia import Comment

_APART: Final = 2  # blanks between a line and its comment

Kind = Literal["code", "comment", "more", "blank"]


@dataclass(slots=True, eq=False)
class Line:
    """A line that is being written. `more`: it is a comment that continues the one at the end of
    the line above.

    `block` is a number that lines of the same bracket share. Their comments are aligned.
    """

    kind: Kind
    indent: int
    text: str
    comment: Comment | None = None
    block: int = -1
    column: int = 0  # the column of the comment

    @property
    def width(self) -> int:
        return self.indent + len(self.text)


class Page:
    """Takes text from left to right and from top to bottom."""

    __slots__ = ("_blocks", "lines")

    def __init__(self) -> None:
        self.lines: list[Line] = []
        self._blocks = 0

    def block(self) -> int:
        """A number for the lines of another bracket."""
        self._blocks += 1
        return self._blocks

    @property
    def column(self) -> int:
        """The column of the next text of this line."""
        return self.lines[-1].width

    @property
    def indent(self) -> int:
        """The indentation of this line."""
        return self.lines[-1].indent

    def begin(self, indent: int) -> None:
        """Begin a new line."""
        self.lines.append(Line("code", indent, ""))

    def write(self, text: str) -> None:
        self.lines[-1].text += text

    def write_lines(self, lines: Sequence[str]) -> None:
        """The first of *lines* continues the current line. The others contain their indentation."""
        self.write(lines[0])
        indent = self.indent
        for text in lines[1:]:
            self.lines.append(Line("code", 0, text))
        if len(lines) > 1:
            last = self.lines[-1]
            last.indent = min(indent, len(last.text) - len(last.text.lstrip(" ")))
            last.text = last.text[last.indent :]

    def blank(self) -> None:
        """Add an empty line, unless the line above is empty or there is none."""
        if self.lines and self.lines[-1].kind != "blank":
            self.lines.append(Line("blank", 0, ""))

    def comment(self, comment: Comment, indent: int) -> None:
        """A comment on a line of its own."""
        self.lines.append(Line("comment", indent, comment.text))

    def comment_at_end(self, comment: Comment, block: int) -> None:
        """A comment at the end of the current line, or one that continues such a comment."""
        if self.lines[-1].comment is not None:
            self.lines.append(Line("more", self.indent, ""))
        line = self.lines[-1]
        line.comment, line.block = comment, block

    def text(self) -> str:
        _align_comments(self.lines)
        return "".join(f"{_written(line)}\n" for line in self.lines)


def _written(line: Line) -> str:
    start = " " * line.indent + line.text if line.text else ""
    if line.comment is None:
        return start
    return start.ljust(line.column) + line.comment.text


def _align_comments(lines: Sequence[Line]) -> None:
    """Set the column of each comment at the end of a line.

    Comments in one bracket that the author aligned stay aligned; an empty line ends such a group.
    Otherwise the comments of neighbouring lines are aligned.
    """
    paragraph: dict[int, list[tuple[int, Line]]] = {}
    for number, line in enumerate(lines):
        if line.kind == "blank":
            _align_paragraph(paragraph)
        elif line.comment is not None:
            paragraph.setdefault(line.block, []).append((number, line))
    _align_paragraph(paragraph)


def _align_paragraph(paragraph: dict[int, list[tuple[int, Line]]]) -> None:
    for numbered in paragraph.values():
        lines = [line for _, line in numbered]
        columns = {_column(line) for line in lines if line.kind != "more"}
        least = max(_least(line) for line in lines)
        if sum(line.kind != "more" for line in lines) > 1 and len(columns) == 1:
            (column,) = columns
            if column >= least:
                _put(lines, column)
                continue
        run: list[Line] = []
        last = -2
        for number, line in numbered:
            if number != last + 1:
                _put(run, max(map(_least, run), default=0))
                run = []
            run.append(line)
            last = number
        _put(run, max(map(_least, run), default=0))
    paragraph.clear()


def _put(lines: Sequence[Line], column: int) -> None:
    for line in lines:
        line.column = column


def _column(line: Line) -> int:
    """The column where the author put the comment, moved with the indentation of its line."""
    comment = line.comment
    assert comment is not None
    return comment.column - comment.indent + line.indent


def _least(line: Line) -> int:
    return 0 if line.kind == "more" else line.width + _APART
