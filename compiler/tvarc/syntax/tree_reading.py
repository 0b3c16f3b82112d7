"""Syntax trees from the numbers and texts that syntax/tree_writing.py makes of them.

Every place and every kind is checked, so that whatever the bytes say, what comes out is a tree of
this language or nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate, islice, repeat
from operator import le

from tvarc.diagnostics.model import Sink
from tvarc.light import Any, Final, Iterable, Iterator, Sequence, dataclass
from tvarc.packed import Damaged
from tvarc.source import Source, Span
from tvarc.syntax import ast
from tvarc.syntax.shapes import (
    CLASSES,
    COLUMNS,
    CONSTANT,
    CONSTANTS,
    ELEMENTS,
    INTEGER,
    ITEMS,
    LATER,
    ROW,
    SPAN,
    TEXT,
    TRUTH,
    TUPLES,
    WORDS,
)

_LEAVES: Final = frozenset([CONSTANT, TRUTH, TEXT, INTEGER, SPAN, LATER])
_KINDS: Final = (CONSTANT, TRUTH, TRUTH)  # of CONSTANTS


@dataclass(frozen=True, slots=True)
class Moves:
    """Where the items of a tree have gone: those from `starts[i]` on to `starts[i + 1]` are
    `moves[i]` characters further on; with None they are gone, and any span will do."""

    starts: Sequence[int]
    moves: Sequence[int | None]


def read_tree(
    numbers: Sequence[int], texts: list[str], source: Source, moves: Moves | None = None
) -> ast.Module:
    """The tree that `write_tree` was given, its spans in *source*. Raises Damaged.

    With *moves* it was written of another text; it has no rows that stand apart then. Rows that
    stand apart are read when they are asked for. What they say is as good as the digest of the
    whole; were it no tree all the same, the source would be parsed for it.
    """
    try:
        items = _Whole(numbers, texts, source, moves).items()
    except (StopIteration, LookupError, ValueError) as fault:
        raise Damaged from fault
    return ast.Module(source.file, items, Span(source.file, 0, len(source.text)))


class _Whole:
    """A tree and the rows that stand apart from it."""

    __slots__ = ("ends", "main", "moves", "numbers", "source", "texts")

    def __init__(
        self, numbers: Sequence[int], texts: list[str], source: Source, moves: Moves | None
    ) -> None:
        self.numbers = numbers
        self.texts = texts
        self.source = source
        self.moves = moves
        lengths = numbers[1 : 1 + numbers[0]]
        self.ends = list(accumulate(lengths, initial=len(numbers) - sum(lengths)))
        self.main = 1 + numbers[0]
        if len(lengths) != numbers[0] or self.ends[0] < self.main or (moves and lengths):
            raise Damaged

    def items(self) -> tuple[ast.Item, ...]:
        return _Reading(self.numbers[self.main : self.ends[0]], self).items()

    def row(self, number: int, span: Span) -> tuple[ast.Item, ...]:
        """The items of the row at *span*, which stands apart as *number*."""
        part = self.numbers[self.ends[number] : self.ends[number + 1]]
        try:
            return _Reading(part, self).items(apart=True)
        except (Damaged, StopIteration, LookupError, ValueError):
            return _parsed_row(self.source, span)


def _parsed_row(source: Source, span: Span) -> tuple[ast.Item, ...]:
    from tvarc.syntax.parser import parse_module

    for item in parse_module(source, Sink()).items:
        if isinstance(item, ast.Facts | ast.Axis):
            for row in item.rows or ():
                if row.span == span:
                    return row.body
    return ()


class _Apart:
    """Which row stands apart, of which tree."""

    __slots__ = ("number", "whole")

    def __init__(self, whole: _Whole, number: int) -> None:
        self.whole = whole
        self.number = number


class _LaterRow(ast.Row):
    """A row whose items are read when they are asked for; else as any row."""

    __slots__ = ("_apart", "_found")
    _apart: _Apart
    _found: tuple[ast.Item, ...] | None

    def __init__(self, name: ast.Name, apart: _Apart, span: Span) -> None:
        put = object.__setattr__  # a row is frozen
        put(self, "name", name)
        put(self, "span", span)
        put(self, "_apart", apart)
        put(self, "_found", None)

    @property
    def body(self) -> tuple[ast.Item, ...]:
        found = self._found
        if found is None:
            found = self._apart.whole.row(self._apart.number, self.span)
            object.__setattr__(self, "_found", found)
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ast.Row) and (self.name, self.body) == (other.name, other.body)

    def __hash__(self) -> int:
        return hash((self.name, self.body))


_LaterRow.__name__ = _LaterRow.__qualname__ = ast.Row.__name__


class _Reading:
    """Makes the groups in order, checking each column."""

    __slots__ = ("kinds", "leaves", "numbers", "places", "source", "used", "whole")

    def __init__(self, numbers: Sequence[int], whole: _Whole) -> None:
        self.numbers: Iterator[int] = iter(numbers)
        self.whole = whole
        self.source = whole.source
        self.places: list[object] = list(CONSTANTS)
        self.kinds: list[int] = list(_KINDS)
        self.leaves = 0  # how many of the places are no nodes
        self.used: set[int] = set()

    def some(self, count: int) -> list[int]:
        found = list(islice(self.numbers, count))
        if len(found) != count:
            raise Damaged
        return found

    def items(self, *, apart: bool = False) -> tuple[ast.Item, ...]:
        take = self.numbers.__next__
        texts = self.whole.texts
        self.add(TEXT, [texts[place] for place in self.some(take())])
        self.add(INTEGER, [int(texts[place]) for place in self.some(take())])
        self.spans(take())
        self.rows(take(), apart=apart)
        self.leaves = len(self.places)
        for _ in range(take()):
            kind, count = take(), take()
            self.add(kind, self.tuples(kind, count) if kind < TUPLES else self.nodes(kind, count))
        root = take()
        if self.kinds[root] != ITEMS:
            raise Damaged
        return self.places[root]  # type: ignore[return-value]

    def add(self, kind: int, values: Iterable[object]) -> None:
        before = len(self.places)
        self.places += values
        self.kinds += repeat(kind, len(self.places) - before)

    def use(self, places: list[int]) -> None:
        """A node in two places would be no tree, and could grow without bound as it is walked."""
        leaves, used = self.leaves, self.used
        nodes = [place for place in places if place >= leaves]
        before = len(used)
        used.update(nodes)
        if len(used) - before != len(nodes):
            raise Damaged

    def spans(self, count: int) -> None:
        starts, ends = self.some(count), self.some(count)
        if self.whole.moves is not None:
            starts, ends = _moved(starts, ends, self.whole.moves)
        outside = max(ends, default=0) > len(self.source.text) or min(starts, default=0) < 0
        if outside or not all(map(le, starts, ends)):
            raise Damaged
        self.add(SPAN, map(Span, repeat(self.source.file), starts, ends))

    def rows(self, count: int, *, apart: bool) -> None:
        numbers = self.some(count)
        known = len(self.whole.ends) - 1
        if count and (apart or max(numbers) >= known or len(set(numbers)) < count):
            raise Damaged
        self.add(LATER, [_Apart(self.whole, number) for number in numbers])

    def tuples(self, kind: int, count: int) -> Sequence[object]:
        lengths = self.some(count)
        places = self.some(sum(lengths))
        if not ELEMENTS[kind].issuperset(map(self.kinds.__getitem__, places)):
            raise Damaged
        self.use(places)
        values = map(self.places.__getitem__, places)
        return [tuple(islice(values, length)) for length in lengths]

    def nodes(self, kind: int, count: int) -> Iterator[object]:
        columns: list[list[object]] = []
        for _, allowed in COLUMNS[kind]:
            places = self.some(count)
            column = list(map(self.places.__getitem__, places))
            found = column if allowed in WORDS else map(self.kinds.__getitem__, places)
            if not allowed.issuperset(found):
                raise Damaged
            if not allowed <= _LEAVES:
                self.use(places)
            columns.append(column)
        if kind == ROW:
            return map(_row, *columns)
        return map(CLASSES[kind], *columns)


def _moved(starts: list[int], ends: list[int], moves: Moves) -> tuple[list[int], list[int]]:
    by = [moves.moves[bisect_right(moves.starts, start) - 1] for start in starts]
    return (
        [0 if move is None else start + move for start, move in zip(starts, by, strict=True)],
        [0 if move is None else end + move for end, move in zip(ends, by, strict=True)],
    )


def _row(name: Any, body: Any, span: Any) -> ast.Row:
    """A row, of columns that were checked."""
    return ast.Row(name, body, span) if isinstance(body, tuple) else _LaterRow(name, body, span)
