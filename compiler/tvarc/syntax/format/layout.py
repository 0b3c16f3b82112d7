"""Lays pieces out in lines.

Line breaks of the author are kept. A piece that fits is on one line, and one that does not fit is
broken from the outside in. So formatting again changes nothing.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Sequence, assert_never, dataclass
from tvarc.nix.language.indentation import strip_indentation
from tvarc.syntax.format.align import Alignment, aligned
from tvarc.syntax.format.break_points import (
    NO_BREAKS,
    STEP,
    WIDTH,
    Breaks,
    breaks_at,
    forced_breaks,
    rows_as_written,
    rows_of,
    width_ahead,
)
from tvarc.syntax.format.layout_tree import BRACES, BRANCHES, Bracket, Element, Word
from tvarc.syntax.format.page import Page
from tvarc.syntax.format.trivia import Trivia
from tvarc.syntax.strings import Interpolation, fence_of, read_script

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message, Text


def laid_out(file: Bracket) -> str:
    """The text of a whole file."""
    page = Page()
    layout = _Layout(page)
    layout.rows(file, rows_as_written(file), 0)
    return page.text()


@dataclass(frozen=True, slots=True, eq=False)
class _Layout:
    page: Page

    # --- brackets --------------------------------------------------------------------------

    def rows(self, bracket: Bracket, rows: Sequence[Sequence[Element]], indent: int) -> None:
        """The elements of a broken bracket in their rows, with all its comments."""
        page = self.page
        block = page.block()
        alignment = aligned(bracket, rows, indent)
        comma = "," if bracket.commas else ""
        fresh = True
        for row in rows:
            fresh = self._trivia(row[0].trivia, indent, block, fresh=fresh)
            page.begin(indent)
            if len(row) == 1:
                self._element(row[0], len(comma), alignment)
            else:
                page.write(", ".join(element.flat or "" for element in row))
            page.write(comma)
            fresh = False
        self._trivia(Trivia(bracket.end.comments), indent, block, fresh=fresh)

    def _trivia(self, trivia: Trivia, indent: int, block: int, *, fresh: bool) -> bool:
        """Print the comments before a row. Returns whether nothing is above the row yet."""
        page = self.page
        for comment in trivia.comments:
            above = page.lines[-1].comment if page.lines else None
            goes_on = above is not None and not comment.blank and comment.column == above.column
            if page.lines and (not comment.alone or goes_on):
                page.comment_at_end(comment, page.lines[-1].block if goes_on else block)
                continue
            if comment.blank and not fresh:
                page.blank()
            page.comment(comment, indent)
            fresh = False
        if trivia.blank and not fresh:
            page.blank()
        return fresh

    def _bracket(self, bracket: Bracket, tail: int, *, force: bool = False) -> None:
        """Print a bracket within a line. *tail* is the width of the text that must follow on its
        last line."""
        page = self.page
        flat = bracket.flat
        fits = flat is not None and page.column + len(flat) + tail <= WIDTH
        if flat is not None and (fits or not bracket.splits) and not (force and bracket.elements):
            page.write(flat)
            return
        if flat is None and not bracket.broken and bracket.opener not in BRACES:
            self._hugged(bracket, tail)
            return
        room = WIDTH - page.column - 1 - max(tail, 1)
        if bracket.hanging and bracket.broken and (rows := _hanging(bracket, room)) is not None:
            column = page.column + 1
            page.write(bracket.opener + rows[0])
            for row in rows[1:]:
                page.write(",")
                page.begin(column)
                page.write(row)
            page.write(bracket.closer)
            return
        indent = page.indent
        page.write(bracket.opener)
        self.rows(bracket, rows_of(bracket, WIDTH - indent - STEP), indent + STEP)
        page.begin(indent)
        page.write(bracket.closer)

    def _hugged(self, bracket: Bracket, tail: int) -> None:
        """Print a bracket on one line, except for parts of its elements that are broken."""
        page = self.page
        page.write(bracket.opener)
        last = len(bracket.elements) - 1
        for index, element in enumerate(bracket.elements):
            self._pieces(element, NO_BREAKS, 1 + tail if index == last else 1)
            page.write(bracket.closer if index == last else ", ")

    # --- elements --------------------------------------------------------------------------

    def _element(self, element: Element, tail: int, alignment: Alignment) -> None:
        pad = alignment.get(id(element), 0)
        forced = forced_breaks(element, self.page.indent + pad, tail)
        self._pieces(element, forced, tail, pad)

    def _pieces(self, element: Element, forced: Breaks, tail: int, pad: int = 0) -> None:
        page = self.page
        indent = page.indent
        spread = element.family == BRANCHES and (
            element.flat is None or page.column + len(element.flat) + tail > WIDTH
        )
        for index, (joint, piece) in enumerate(element.pieces):
            body = joint.break_point == "body"
            below = indent if body else indent + STEP
            if joint.trivia.comments:
                self._trivia(Trivia(joint.trivia.comments), below, page.block(), fresh=True)
                page.begin(below)
            elif breaks_at(joint, forced) or (body and page.indent > indent):
                page.begin(below)
            else:
                page.write(joint.glue)
            if index == element.column:
                page.write(" " * pad)
            match piece:
                case Word():
                    self._word(piece)
                case Bracket():
                    ahead = width_ahead(element, index + 1, tail, forced) if piece.splits else 0
                    own_line = body and page.column == indent and index > 0
                    self._bracket(piece, ahead, force=own_line or (body and spread))
                case _:
                    assert_never(piece)

    def _word(self, word: Word) -> None:
        if word.flat is not None:
            self.page.write(word.flat)
        elif word.kind == "SCRIPT_TEXT":
            self.page.write_lines(indented(word.text, self.page.indent))
        else:
            self.page.write_lines(word.text.split("\n"))


def _hanging(bracket: Bracket, room: int) -> list[str] | None:
    """The rows of a call whose arguments are below the first one; None if that is not possible."""
    if not bracket.elements:
        return None
    first, *others = bracket.elements
    between = (*(element.trivia for element in others), bracket.end)
    if first.trivia.newline or bracket.end.newline or any(one.comments for one in between):
        return None
    rows: list[str] = []
    for row in rows_as_written(bracket):
        texts = [element.flat for element in row if element.flat is not None]
        if len(texts) < len(row):
            return None
        rows.append(", ".join(texts))
    return rows if max(map(len, rows)) <= room else None


# --- text over several lines --------------------------------------------------------------------


def indented(written: str, indent: int) -> list[str]:
    """The lines of a text that begins on a line indented by *indent*.

    The first line continues that line. The others contain their indentation. A text is not moved if
    that would change its meaning, such as one that begins beside its quotes.
    """
    fence = fence_of(written, 0)
    body = written[fence:-fence]
    first, *lines = body.split("\n")
    if not lines or first.strip(" "):
        return written.split("\n")
    # If all lines are blank, no blank has a meaning.
    longest = max(map(len, lines))
    common = min((_indent(line) for line in lines if line.strip(" ")), default=longest)
    last = len(lines) - 1
    moved = [
        _moved(line, common, indent if at == last and not line.strip(" ") else indent + STEP)
        for at, line in enumerate(lines)
    ]
    if not lines[last].strip(" "):
        moved[last] = " " * indent
    text = "\n".join(["", *moved])
    if _value(text) != _value(body):
        return written.split("\n")
    quotes = written[:fence]
    return f"{quotes}{text}{quotes}".split("\n")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _moved(line: str, common: int, indent: int) -> str:
    """*line* with the indentation *indent* in place of *common*. A blank line keeps the blanks
    beyond *common*."""
    if line.strip(" "):
        return " " * indent + line[common:]
    return " " * (indent + len(line) - common) if len(line) > common else ""


def _value(body: str) -> list[str]:
    """The value of the text between the quotes, with its interpolations as written."""
    pieces = strip_indentation(read_script(body, 0, len(body), _silent))
    return [
        body[piece.start : piece.end] if isinstance(piece, Interpolation) else piece
        for piece in pieces
    ]


def _silent(message: Message, start: int, end: int, **fields: Text) -> None:
    """Does nothing: the parser has already reported all faults."""
