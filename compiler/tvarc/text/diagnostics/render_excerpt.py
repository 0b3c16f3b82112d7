"""The excerpt of one file: source lines with their marks, as rows of styled pieces.

A label on one line is underlined there. A label over several lines has a lane on the left of the
text, which joins its first line to its last line. The lines between are left out.
"""

from __future__ import annotations

from tvarc.light import Enum, Iterator, Sequence, dataclass
from tvarc.text.diagnostics.model import Label
from tvarc.text.diagnostics.render_cells import Cells, cell_width, lay_out, safe, wrap
from tvarc.text.diagnostics.render_style import Piece, Style
from tvarc.text.source import Source

_LEAST_TEXT = 20
_CUT = "…"


class _Kind(Enum):
    WHOLE = 0
    OPEN = 1
    CLOSE = 2


@dataclass(frozen=True, slots=True)
class _Mark:
    """The part of a label on one line: characters `start` to `end` (exclusive) of that line."""

    kind: _Kind
    start: int
    end: int
    text: str
    primary: bool
    lane: int = 0


@dataclass(frozen=True, slots=True)
class _Extent:
    """The first and last position of a label: lines from 1, characters of a line from 0."""

    first_line: int
    first: int
    last_line: int
    end: int


@dataclass(frozen=True, slots=True)
class _View:
    """The part of a line that is shown, and the cells of its marks."""

    text: str
    places: tuple[tuple[int, int], ...]


def last_line(source: Source, labels: Sequence[Label]) -> int:
    """The greatest line number that the excerpt of *labels* shows."""
    return max(_extent(source, label).last_line for label in labels)


def excerpt(
    source: Source, labels: Sequence[Label], *, gutter: int, width: int, accent: Style
) -> Iterator[list[Piece]]:
    """The rows for *labels*, all of *source*; *gutter* is the room for line numbers.

    *width* is that of the whole row in cells, *accent* the style of primary labels.
    """
    yield from _Excerpt(source, labels, gutter, width, accent).rows()


class _Excerpt:
    """Draws from top to bottom. `lanes` has the content of each lane in the row that is drawn."""

    __slots__ = ("accent", "gutter", "lanes", "marks", "room", "source")

    def __init__(
        self, source: Source, labels: Sequence[Label], gutter: int, width: int, accent: Style
    ) -> None:
        self.source = source
        self.gutter = gutter
        self.accent = accent
        self.marks, lanes = _marks(source, labels)
        self.lanes: list[Piece] = [(" ", Style.PLAIN)] * lanes
        self.room = max(width - gutter - 3 - 2 * lanes, _LEAST_TEXT)

    def rows(self) -> Iterator[list[Piece]]:
        yield self._row(None)
        before = 0
        for number in self._shown_lines():
            if before and number > before + 1:
                dots: Piece = ("...".ljust(self.gutter + 3), Style.GUTTER)
                yield [dots, *self._lane_pieces()]
            before = number
            yield from self._line(number)

    def _shown_lines(self) -> list[int]:
        """Lines with marks, and a single line between two of them rather than dots."""
        lines: list[int] = []
        for number in sorted(self.marks):
            if lines and number == lines[-1] + 2:
                lines.append(number - 1)
            lines.append(number)
        return lines

    def _line(self, number: int) -> Iterator[list[Piece]]:
        text = self.source.line(number)
        marks = self.marks.get(number, [])
        groups = [marks]
        view = _view(text, marks, self.room)
        if view is None:
            # The marks are too far apart for one row, so the line is shown once for each.
            groups = [[mark] for mark in marks]
        for group in groups:
            shown = view or _view(text, group, self.room)
            if shown is not None:
                yield from self._group(number, text, group, shown)

    def _group(
        self, number: int, text: str, marks: list[_Mark], view: _View
    ) -> Iterator[list[Piece]]:
        joined = [
            mark for mark in marks if mark.kind is _Kind.OPEN and not text[: mark.start].strip()
        ]
        for mark in joined:
            self.lanes[mark.lane] = ("/", self._style(mark))
        yield self._row(number, [(view.text, Style.PLAIN)])
        for mark in joined:
            self.lanes[mark.lane] = ("|", self._style(mark))
        placed = list(zip(marks, view.places, strict=True))
        whole = [item for item in placed if item[0].kind is _Kind.WHOLE]
        if whole:
            yield from self._underlines(whole)
        for mark, (start, _) in placed:
            if mark.kind is _Kind.OPEN and mark not in joined:
                yield self._arm(mark, start)
                self.lanes[mark.lane] = ("|", self._style(mark))
        for mark, (_, end) in placed:
            if mark.kind is _Kind.CLOSE:
                yield self._arm(mark, end - 1)
                self.lanes[mark.lane] = (" ", Style.PLAIN)

    def _underlines(self, placed: list[tuple[_Mark, tuple[int, int]]]) -> Iterator[list[Piece]]:
        """The row of underlines. One label is at the end of its underline, and the others are
        below."""
        line: list[Piece] = [(" ", Style.PLAIN)] * max(end for _, (_, end) in placed)
        for mark, (start, end) in sorted(placed, key=lambda item: item[0].primary):
            for cell in range(start, end):
                line[cell] = ("^" if mark.primary else "-", self._style(mark))
        beside = max(placed, key=lambda item: (item[1][1], item[1][0], item[0].primary))
        row = _runs(line)
        wanted = len(line) + 1 + min(cell_width(beside[0].text), _LEAST_TEXT)
        if len(placed) == 1 and wanted > self.room:
            # There is no room on the right, so the label is below, as far left as necessary.
            style, width = self._style(beside[0]), cell_width(beside[0].text)
            indent = max(min(beside[1][0], self.room - min(width, self.room)), 0)
            yield self._row(None, row)
            for text in wrap(beside[0].text, self.room - indent):
                yield self._row(None, [(" " * indent, Style.PLAIN), (text, style)])
            return
        if len(placed) == 1:
            indent = len(line) + 1
            texts = wrap(beside[0].text, self.room - indent)
            style = self._style(beside[0])
            yield self._row(None, [*row, (f" {texts[0]}", style)])
            for text in texts[1:]:
                yield self._row(None, [(" " * indent, Style.PLAIN), (text, style)])
            return
        fits = wanted <= self.room
        yield self._row(
            None, [*row, (f" {beside[0].text}", self._style(beside[0]))] if fits else row
        )
        hung = sorted(
            [
                (start, mark)
                for mark, (start, _) in placed
                if mark.text and not (fits and mark is beside[0])
            ],
            key=lambda item: item[0],
        )
        if hung:
            yield self._row(None, self._strings(hung))
        while hung:
            start, mark = hung.pop()
            left = self._strings([item for item in hung if item[0] < start])
            used = sum(len(text) for text, _ in left)
            pad: Piece = (" " * (start - used), Style.PLAIN)
            yield self._row(None, [*left, pad, (mark.text, self._style(mark))])

    def _strings(self, hung: list[tuple[int, _Mark]]) -> list[Piece]:
        """The strokes that connect labels with the underlines above them."""
        pieces: list[Piece] = []
        used = 0
        for start, mark in hung:
            if start >= used:
                pieces.append((" " * (start - used), Style.PLAIN))
                pieces.append(("|", self._style(mark)))
                used = start + 1
        return pieces

    def _arm(self, mark: _Mark, cell: int) -> list[Piece]:
        """The row that joins a lane to the first or last character of its label."""
        style = self._style(mark)
        line: list[Piece] = [piece for lane in self.lanes for piece in (lane, (" ", Style.PLAIN))]
        line.extend([(" ", Style.PLAIN)] * cell)
        for index in range(2 * mark.lane + 1, len(line)):
            if line[index][0] == " ":
                line[index] = ("_", style)
        line.append(("^" if mark.primary else "-", style))
        text = mark.text if mark.kind is _Kind.CLOSE else ""
        return [*self._margin(None), *_runs(line), (f" {text}", style)]

    def _row(self, number: int | None, pieces: Sequence[Piece] = ()) -> list[Piece]:
        return [*self._margin(number), *self._lane_pieces(), *pieces]

    def _margin(self, number: int | None) -> list[Piece]:
        shown = "" if number is None else str(number)
        return [(f"{shown:>{self.gutter}} |", Style.GUTTER), (" ", Style.PLAIN)]

    def _lane_pieces(self) -> list[Piece]:
        return [piece for lane in self.lanes for piece in (lane, (" ", Style.PLAIN))]

    def _style(self, mark: _Mark) -> Style:
        return self.accent if mark.primary else Style.SECOND


def _marks(source: Source, labels: Sequence[Label]) -> tuple[dict[int, list[_Mark]], int]:
    """The marks of each line, and the number of lanes that they need."""
    marks: dict[int, list[_Mark]] = {}
    lane_ends: list[int] = []

    def add(line: int, mark: _Mark) -> None:
        here = marks.setdefault(line, [])
        if mark not in here:
            here.append(mark)

    placed = [(_extent(source, label), label) for label in dict.fromkeys(labels)]
    # Of the labels that begin on one line, the longest one has the outermost lane.
    placed.sort(key=lambda item: (item[0].first_line, -item[0].last_line, item[0].first))
    for extent, label in placed:
        text = safe(" ".join(label.text.split()))
        if extent.first_line == extent.last_line:
            whole = _Mark(_Kind.WHOLE, extent.first, extent.end, text, label.primary)
            add(extent.first_line, whole)
            continue
        free = (index for index, end in enumerate(lane_ends) if end < extent.first_line)
        lane = next(free, len(lane_ends))
        if lane == len(lane_ends):
            lane_ends.append(0)
        lane_ends[lane] = extent.last_line
        opening = _Mark(_Kind.OPEN, extent.first, extent.first + 1, "", label.primary, lane)
        closing = _Mark(_Kind.CLOSE, extent.end - 1, extent.end, text, label.primary, lane)
        add(extent.first_line, opening)
        add(extent.last_line, closing)
    return marks, len(lane_ends)


def _extent(source: Source, label: Label) -> _Extent:
    """The positions at which *label* begins and ends. A line end belongs to the line that it ends.
    """
    span = label.span
    first = source.position(span.start)
    last = source.position(max(span.start, span.end - 1))
    end = last.column if span.end > span.start else last.column - 1
    if last.line > first.line:
        # A last line with only a line end still has one cell to mark.
        end = max(1, min(end, len(source.line(last.line))))
    return _Extent(first.line, first.column - 1, last.line, end)


def _view(text: str, marks: Sequence[_Mark], room: int) -> _View | None:
    """The part of *text* around *marks* in *room* cells. None if the marks are too far apart."""
    if len(text) <= 4 * room:
        cells = lay_out(text)
        if cells.width <= room:
            return _cut(cells, marks, 0, 0, cells.width, after=False)
    if not marks:
        cells = lay_out(text[:room])
        return _cut(cells, marks, 0, 0, room - 1, after=True)
    size = len(text)
    first = min(min(mark.start for mark in marks), size)
    last = max(first, min(max(mark.end for mark in marks), size))
    if last - first > room:
        if len(marks) > 1:
            return None
        last = first + room
    low, high = max(0, first - room), min(size, last + room)
    cells = lay_out(text[low:high])
    left, right = _place(cells, first - low, last - low)
    spare = room - 2 - (right - left)
    if spare < 0 and len(marks) > 1:
        return None
    begin = max(0, left - (spare // 2 if spare >= 0 else room // 8))
    begin = max(0, min(begin, max(left, cells.width) - (room - 2)))
    return _cut(cells, marks, low, begin, begin + room - 2, after=high < size)


def _cut(
    cells: Cells, marks: Sequence[_Mark], skipped: int, begin: int, end: int, *, after: bool
) -> _View:
    """Cells *begin* to *end* of a line. *skipped* characters were left out before them."""
    count = len(cells.glyphs)
    low = 0
    while low < count and cells.starts[low] < begin:
        low += 1
    high = count
    while high > low and cells.ends[high - 1] > end:
        high -= 1
    shown = "".join(cells.glyphs[low:high])
    cut_before, cut_after = low > 0 or skipped > 0, high < count or after
    shift = (cells.starts[low] if low < count else cells.width) - (1 if cut_before else 0)
    most = (1 if cut_before else 0) + cell_width(shown)
    places = []
    for mark in marks:
        start, stop = _place(cells, mark.start - skipped, mark.end - skipped)
        start = min(max(start - shift, 0), most)
        stop = max(start + 1, min(stop - shift, most))
        places.append((start, stop))
    text = (_CUT if cut_before else "") + shown + (_CUT if cut_after else "")
    return _View(text, tuple(places))


def _place(cells: Cells, start: int, end: int) -> tuple[int, int]:
    """Cells under characters *start* to *end*; at least one, also past the end of the line."""
    count = len(cells.glyphs)
    start, end = max(start, 0), min(end, count)
    first = cells.starts[start] if start < count else cells.width
    return first, max(first + 1, cells.ends[end - 1] if end > start else 0)


def _runs(line: Sequence[Piece]) -> list[Piece]:
    """*line* with neighbouring pieces of one style joined."""
    runs: list[Piece] = []
    for text, style in line:
        if runs and runs[-1][1] is style:
            runs[-1] = (runs[-1][0] + text, style)
        else:
            runs.append((text, style))
    return runs
