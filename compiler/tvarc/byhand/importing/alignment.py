"""Aligns sequences, so that similar items are in one column."""

from __future__ import annotations

import re
from collections import Counter
from itertools import islice, repeat

from tvarc.byhand.reading.marks import plain
from tvarc.light import Callable, Final, Generic, Sequence, TypeVar, lru_cache

T = TypeVar("T")

_TOKEN: Final = re.compile(
    "\ue004[^\ue005]*\ue005|\ue000[^\ue001]*\ue001|\ue002[^\ue003]*\ue003"
    r"|sha(?:256|512)-[A-Za-z0-9+/]{43,}=*|v(?=\d+\.\d)|\d+(?:\.\d+)+|[A-Za-z0-9_]+|[ ]+|.",
    re.DOTALL,
)
_DIGITS: Final = re.compile(r"\d+")
_SAME: Final = 2.0
_COMPARED: Final = 6
_ALIKE: Final = 0.55
_ALIKE_BY_LABEL: Final = 0.3


@lru_cache(maxsize=None)
def tokens(text: str) -> tuple[str, ...]:
    """The words of *text*, and the characters between them."""
    return tuple(_TOKEN.findall(text))


_plain: Final = lru_cache(maxsize=None)(plain)


@lru_cache(maxsize=None)
def _words(text: str) -> Counter[str]:
    found = Counter(map(_plain, tokens(text.strip())))
    found.pop(" ", None)
    return found


@lru_cache(maxsize=None)
def similar(left: str, right: str) -> float:
    """The similarity of two lines; negative if they are not similar."""
    if left == right:
        return _SAME
    mine, theirs = _words(left), _words(right)
    count = mine.total() + theirs.total()
    if not count:
        return 1.5
    share = 2 * (mine & theirs).total() / count
    label = left.split(":")[0] == right.split(":")[0]
    if share > _ALIKE or (label and share > _ALIKE_BY_LABEL):
        return share * 1.4
    # A number may be half of a short line.
    return _ALIKE if _DIGITS.sub("#", left) == _DIGITS.sub("#", right) else -1.0


@lru_cache(maxsize=None)
def similar_words(left: str, right: str) -> float:
    """The same for words."""
    if left == right or _plain(left) == _plain(right):
        return _SAME
    return 0.6 if _is_word(left) and _is_word(right) else -1.0


def _is_word(text: str) -> bool:
    return text[0].isalnum() or text[0] in "_\ue000\ue004"


def side_by_side(
    rows: Sequence[Sequence[T]], cells: Sequence[int], score: Callable[[T, T], float]
) -> list[tuple[tuple[int, ...], list[T]]]:
    """The aligned items of *rows*, one row for each of *cells*: for each column the cells with an
    item in it, and these items."""
    distinct = list(dict.fromkeys(map(tuple, rows)))
    place = {row: number for number, row in enumerate(distinct)}
    row_of = {cell: place[tuple(row)] for cell, row in zip(cells, rows, strict=True)}
    found: list[tuple[tuple[int, ...], list[T]]] = []
    for column in align(distinct, score):
        here = tuple([cell for cell in cells if row_of[cell] in column])
        found.append((here, [column[row_of[cell]] for cell in here]))
    return found


class Aligned(Generic[T]):
    """A column: items by their sequence."""

    __slots__ = ("items", "kinds")

    def __init__(self, row: int, item: T) -> None:
        self.items: dict[int, T] = {row: item}
        self.kinds: dict[T, None] = {item: None}


def align(sequences: Sequence[Sequence[T]], score: Callable[[T, T], float]) -> list[dict[int, T]]:
    """The columns of *sequences*. Each has its items by the number of their sequence. All items are
    in some column, and the order of each sequence is kept. Longer sequences are aligned first."""
    if not sequences:
        return []
    order = sorted(range(len(sequences)), key=lambda row: -len(sequences[row]))
    columns = [Aligned(order[0], item) for item in sequences[order[0]]]
    for row in order[1:]:
        columns = _laid(columns, row, sequences[row], score)
    return [column.items for column in columns]


def _laid(
    columns: list[Aligned[T]], row: int, items: Sequence[T], score: Callable[[T, T], float]
) -> list[Aligned[T]]:
    """*columns* with one more aligned sequence."""
    start = 0
    while start < len(columns) and start < len(items) and items[start] in columns[start].kinds:
        columns[start].items[row] = items[start]
        start += 1
    end = 0
    while (
        end < len(columns) - start
        and end < len(items) - start
        and items[len(items) - 1 - end] in columns[len(columns) - 1 - end].kinds
    ):
        columns[len(columns) - 1 - end].items[row] = items[len(items) - 1 - end]
        end += 1
    middle = _joined(
        columns[start : len(columns) - end], row, items[start : len(items) - end], score
    )
    return [*columns[:start], *middle, *columns[len(columns) - end :]]


def _joined(
    columns: list[Aligned[T]], row: int, items: Sequence[T], score: Callable[[T, T], float]
) -> list[Aligned[T]]:
    if not items:
        return columns
    height, width = len(columns), len(items)
    best = [[0.0] * (width + 1) for _ in range(height + 1)]
    move = [[1] * (width + 1) for _ in range(height + 1)]
    for i in range(height - 1, -1, -1):
        move[i][width] = 2
        below, here, moves = best[i + 1], best[i], move[i]
        kinds = columns[i].kinds
        for j in range(width - 1, -1, -1):
            found, chosen = (below[j], 2) if below[j] >= here[j + 1] else (here[j + 1], 1)
            item = items[j]
            if item in kinds:
                points = _SAME
            else:
                points = max(map(score, islice(kinds, _COMPARED), repeat(item)))
            if points > 0 and below[j + 1] + points >= found:
                found, chosen = below[j + 1] + points, 3
            here[j], moves[j] = found, chosen
    made: list[Aligned[T]] = []
    i = j = 0
    while i < height or j < width:
        chosen = move[i][j] if i < height else 1
        if chosen == 1:
            made.append(Aligned(row, items[j]))
            j += 1
            continue
        if chosen == 3:
            columns[i].items[row] = items[j]
            columns[i].kinds[items[j]] = None
            j += 1
        made.append(columns[i])
        i += 1
    return made
