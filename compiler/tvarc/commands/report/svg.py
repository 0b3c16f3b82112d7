"""The picture of a matrix as SVG, for a README or a pull request: it has a light and a dark form,
as the reader prefers, and needs no script.

Cells of one kind are one path, so ten thousand cells take a hundred kilobytes.
"""

from __future__ import annotations

from tvarc.commands.report.picture import HUES, Cell, Picture
from tvarc.commands.shown.html import Markup, element
from tvarc.light import Final, Iterator, Sequence, dataclass
from tvarc.text.diagnostics.render_cells import cell_width

_MARK: Final = "Drawn by tvarc report."
_HEAD: Final = 2048  # bytes at the start that name the program that drew a picture

_MARGIN: Final = 16
_WIDTH: Final = 900  # the preferred width of a picture
_LETTER: Final = 7.2  # the width of a letter of 13 px
_LINE: Final = 18
_NARROWEST: Final = 13  # cells, in pixels; a cell that is lower than a line of text has no name
_WIDEST: Final = 96
_HIGHEST: Final = 26
_NUMBERED: Final = 18  # a cell as wide as this has the number of its reason
_WORDED: Final = 64  # and one as wide as this a word

_STYLE: Final = """
text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328 }
.h { font-size: 16px; font-weight: 600 }
.s { font-size: 12px; fill: #59636e }
.m { text-anchor: middle }
.w { text-anchor: middle; fill: #fff }
.bg { fill: #fff; stroke: #d0d7de }
.calm { fill: #d5dae0 }
.out { fill-opacity: .22; stroke-dasharray: 3 2 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .s { fill: #9198a1 }
  .w { fill: #fff }
  .bg { fill: #0d1117; stroke: #3d444d }
  .calm { fill: #363d46 }
}
"""


@dataclass(frozen=True, slots=True)
class _Kind:
    """Cells with the same look. Cells without a hue are in the background. `word` and `number` are
    printed in each cell if there is room.
    """

    hue: int | None
    out: bool
    word: str
    number: str
    text: str
    note: str = ""

    @property
    def colour(self) -> str:
        """A colour on which white is legible, and which is visible on white and on black."""
        return f"hsl({self.hue}, 65%, 45%)" if self.out else f"hsl({self.hue}, 62%, 32%)"


@dataclass(frozen=True, slots=True)
class _Head:
    """A value over `count` neighbouring rows or columns, beginning with `first`."""

    text: str
    label: str
    first: int
    count: int


@dataclass(frozen=True, slots=True)
class _Place:
    """The origin of the cells, and the width and height of each."""

    x: int
    y: int
    wide: int
    high: int


def matrix_svg(picture: Picture) -> str:
    """The picture as a file of SVG."""
    rows, columns = picture.keys(picture.rows), picture.keys(picture.columns)
    left, top = _heads(picture, picture.rows, rows), _heads(picture, picture.columns, columns)
    indents = [_indent(level, labelled=level is left[-1]) for level in left]
    start = _MARGIN + sum(indents)
    wide = (_WIDTH - start - _MARGIN) // max(1, len(columns))
    wide = min(_WIDEST, max(_NARROWEST, wide))
    high = min(_HIGHEST, wide)
    width = max(start + wide * len(columns) + _MARGIN, 480)
    y = _MARGIN
    drawn: list[Markup] = []
    subject = (picture.title, "h"), (picture.subject, "s"), (f"{picture.summary}.", "")
    for text, kind in subject:
        for line in _lines(text, width - 2 * _MARGIN, 10 if kind == "h" else _LETTER):
            drawn.append(_text(line, _MARGIN, y + 14, kind))
            y += _LINE
        y += 3
    y += 3
    for level in top:
        tall = _tall(level, wide)
        for one in level:
            x = start + wide * one.first + wide * one.count // 2
            drawn.append(
                _text(one.text, x, y + tall - 4, "m") if tall == _LINE
                else _turned(one.text, x + 4, y + tall - 4)
            )  # fmt: skip
        y += tall
    place = _Place(start, y, wide, high)
    x = _MARGIN
    for level, indent in zip(left, indents, strict=True):
        for one in level:
            base = y + high * one.first + high // 2 + 5
            drawn.append(_text(one.text, x, base, "", one.label if level is left[-1] else ""))
        x += indent
    kinds = _kinds(picture)
    drawn += _cells(picture, kinds, rows, columns, place)
    height, legend = _legend(picture, kinds, y + high * len(rows) + 16, width)
    svg = element(
        "svg",
        element("title", f"{picture.title}: {picture.summary}", id="title"),
        element("desc", " ".join([_MARK, *_told(picture, kinds)]), id="desc"),
        element("style", Markup(_STYLE)),
        element(
            "rect", class_="bg", x=".5", y=".5", width=str(width - 1), height=str(height - 1),
            rx="8",
        ),
        *drawn, *legend,
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}", width=str(width),
        height=str(height), role="img", aria_labelledby="title desc",
    )  # fmt: skip
    return f"{svg.text}\n"


def is_picture(data: bytes) -> bool:
    """Whether *data* begins like such a picture."""
    return _MARK.encode() in data[:_HEAD]


# --- heads ------------------------------------------------------------------------------------


def _heads(
    picture: Picture, axes: Sequence[str], keys: Sequence[tuple[int, ...]]
) -> list[list[_Head]]:
    """For each of *axes* the values over the rows or columns *keys*."""
    levels: list[list[_Head]] = []
    for depth, axis in enumerate(axes):
        firsts = [
            place
            for place, key in enumerate(keys)
            if not place or keys[place - 1][: depth + 1] != key[: depth + 1]
        ]
        ends = [*firsts[1:], len(keys)]
        levels.append(
            [
                _Head(*picture.text(axis, keys[first][depth]), first, end - first)
                for first, end in zip(firsts, ends, strict=True)
            ]
        )
    return levels


def _indent(level: Sequence[_Head], *, labelled: bool) -> int:
    """The width of the heads of rows."""
    texts = [f"{one.text}  {one.label}" if labelled else one.text for one in level]
    return round(max(map(_wide, texts), default=0)) + 12


def _tall(level: Sequence[_Head], wide: int) -> int:
    """The height of the heads of columns: they are turned if one of them does not fit."""
    if all(_wide(one.text) <= wide * one.count - 4 for one in level):
        return _LINE
    return round(max(_wide(one.text) for one in level)) + 10


# --- cells ------------------------------------------------------------------------------------


def _kinds(picture: Picture) -> dict[str, _Kind]:
    """All kinds of cells, by the name that `_kind` gives."""
    changes = picture.against is not None
    kinds = {
        "": _Kind(None, False, "", "", "as before")
        if changes
        else _Kind(138, False, "", "\N{CHECK MARK}", "kept"),
        "new": _Kind(208, False, "new", "+", "new"),
        "changed": _Kind(30, False, "changed", "~", "changed"),
        "renamed": _Kind(265, False, "renamed", "=", "renamed"),
        "gone": _Kind(0, True, "gone", "\N{MINUS SIGN}", "gone"),
    }
    for number, one in enumerate(picture.causes):
        cause = one.cause
        note = f"{cause.place}: {cause.text}"
        kinds[f"cause {number}"] = _Kind(
            HUES[number % len(HUES)], True, "", str(number + 1),
            f"dropped: {cause.because or cause.text}", note if cause.because else cause.place,
        )  # fmt: skip
    return kinds


def _kind(cell: Cell) -> str:
    if cell.change or not cell.reasons:
        return cell.change
    return f"cause {cell.reasons[0][0]}"


def _cells(
    picture: Picture,
    kinds: dict[str, _Kind],
    rows: Sequence[tuple[int, ...]],
    columns: Sequence[tuple[int, ...]],
    place: _Place,
) -> Iterator[Markup]:
    row_of = {key: number for number, key in enumerate(rows)}
    column_of = {key: number for number, key in enumerate(columns)}
    found: dict[str, list[tuple[int, int]]] = {name: [] for name in kinds}
    for cell in picture.cells:
        row = row_of[picture.key(cell, picture.rows)]
        column = column_of[picture.key(cell, picture.columns)]
        found[_kind(cell)].append((place.x + place.wide * column, place.y + place.high * row))
    gap = 2 if place.wide >= _NUMBERED else 1
    for name, corners in found.items():
        if not corners:
            continue
        kind = kinds[name]
        across, down = place.wide - gap, place.high - gap
        moves = [f"M{x} {y}h{across}v{down}h{-across}z" for x, y in sorted(corners)]
        yield _area("".join(moves), kind)
        if place.wide >= _NUMBERED and kind.number:
            sign = kind.word if kind.word and place.wide >= _WORDED else kind.number
            centre, base = across // 2, place.high // 2 + 4
            for x, y in sorted(corners):
                yield _text(sign, x + centre, y + base, "m" if kind.out else "w")


def _area(moves: str, kind: _Kind) -> Markup:
    if kind.hue is None:
        return element("path", d=moves, class_="calm")
    if kind.out:
        return element("path", d=moves, class_="out", fill=kind.colour, stroke=kind.colour)
    return element("path", d=moves, fill=kind.colour)


# --- the legend -------------------------------------------------------------------------------


def _counted(picture: Picture, kinds: dict[str, _Kind]) -> Iterator[tuple[int, _Kind]]:
    """The kinds of cells in the picture, each with its number of cells. A cell that several reasons
    drop counts for each of them."""
    counts = dict.fromkeys(kinds, 0)
    for cell in picture.cells:
        if cell.change or not cell.reasons:
            counts[cell.change] += 1
    for number, one in enumerate(picture.causes):
        counts[f"cause {number}"] = one.count
    for name, kind in kinds.items():
        if counts[name]:
            yield counts[name], kind


def _legend(
    picture: Picture, kinds: dict[str, _Kind], y: int, width: int
) -> tuple[int, list[Markup]]:
    """The height of the whole picture, and the legend, which begins at *y*."""
    drawn: list[Markup] = []
    room, x = width - 2 * _MARGIN - 28, _MARGIN + 28
    for count, kind in _counted(picture, kinds):
        drawn.append(_area(f"M{_MARGIN} {y}h20v16h-20z", kind))
        drawn.append(_text(kind.number, _MARGIN + 10, y + 13, "m" if kind.out else "w"))
        for line in _lines(f"{count} {kind.text}", room, _LETTER):
            drawn.append(_text(line, x, y + 13, ""))
            y += _LINE
        for line in _lines(kind.note, room, 6.7):
            drawn.append(_text(line, x, y + 12, "s"))
            y += _LINE - 2
        y += 5
    return y + _MARGIN - 4, drawn


def _told(picture: Picture, kinds: dict[str, _Kind]) -> Iterator[str]:
    """The picture in words, for people who do not see it."""
    axes = [*picture.rows], [*picture.columns]
    for name, some in zip(("Rows", "Columns"), axes, strict=True):
        if some:
            yield f"{name}: {', '.join(one or 'matrix' for one in some)}."
    for count, kind in _counted(picture, kinds):
        yield f"{count} {kind.text}."


# --- text -------------------------------------------------------------------------------------


def _text(text: str, x: int, y: int, kind: str, label: str = "") -> Markup:
    named = {"class": kind} if kind else {}
    more = [element("tspan", label, class_="s", dx="8")] if label else []
    return element("text", text, *more, x=str(x), y=str(y), **named)


def _turned(text: str, x: int, y: int) -> Markup:
    return element("text", text, transform=f"translate({x} {y}) rotate(-90)")


def _wide(text: str) -> float:
    return cell_width(text) * _LETTER


def _lines(text: str, room: int, letter: float) -> Iterator[str]:
    """*text* in lines of at most *room* pixels."""
    line = ""
    for word in text.split():
        longer = f"{line} {word}" if line else word
        if line and cell_width(longer) * letter > room:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line
