"""Syntax trees as numbers and texts: what the cache keeps of a source.

Nodes are written in groups: all of one class on one level above the leaves, column by column, so
that reading makes each group at once. A value is named by its place: the constants, the texts, the
integers, the spans, rows that stand apart, then tuples and nodes as they are made.

The items of a row may stand apart, those of each row by themselves: the tables of the standard
library have hundreds of rows, and a program reads a few.
"""

from __future__ import annotations

from tvarc.diagnostics.model import CompilerBug
from tvarc.light import TypeVar
from tvarc.source import Span
from tvarc.syntax import ast
from tvarc.syntax.shapes import (
    COLUMNS,
    CONSTANTS,
    ITEMS,
    LATER,
    NUMBER_OF,
    ROW,
    TUPLES,
    Allowed,
)

_T = TypeVar("_T")


def write_tree(tree: ast.Module, *, rows_apart: bool = False) -> tuple[list[int], list[str]]:
    """*tree* as numbers and texts; its name and its own span are left out."""
    texts: dict[str, int] = {}
    rows: list[list[int]] | None = [] if rows_apart else None
    main = _Writing(texts, rows).whole(tree.items)
    apart = rows or []
    out = [len(apart), *[len(row) for row in apart], *main]
    for row in apart:
        out += row
    return out, list(texts)


class _Group:
    """Values of one kind on one level: their numbers, and those of the parts of each."""

    __slots__ = ("numbers", "rows")

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.rows: list[list[int]] = []


class _Writing:
    """Numbers the values of a tree, sorts them into groups, then writes these."""

    __slots__ = (
        "all_texts", "constants", "groups", "integers", "later", "levels", "plans", "rows", "spans",
        "texts",
    )  # fmt: skip

    def __init__(self, all_texts: dict[str, int], rows: list[list[int]] | None) -> None:
        """*all_texts* are those of the whole tree; *rows* takes rows that stand apart."""
        self.all_texts = all_texts
        self.rows = rows
        self.levels = [0] * len(CONSTANTS)  # of each value, above the leaves
        self.constants = dict(zip(CONSTANTS, range(len(CONSTANTS)), strict=True))
        self.texts: dict[str, int] = {}
        self.integers: dict[int, int] = {}
        self.spans: dict[tuple[int, int], int] = {}
        self.later: dict[int, int] = {}
        self.groups: dict[tuple[int, int], _Group] = {}  # by level and kind
        self.plans: dict[int, list[tuple[str, int]]] = {}  # by class

    def whole(self, items: tuple[ast.Item, ...]) -> list[int]:
        root = self.listed(items, ITEMS)
        known = self.all_texts
        out = [len(self.texts)]
        out += [known.setdefault(text, len(known)) for text in self.texts]
        out.append(len(self.integers))
        out += [known.setdefault(str(value), len(known)) for value in self.integers]
        out.append(len(self.spans))
        out += [start for start, _ in self.spans]
        out += [end for _, end in self.spans]
        out += [len(self.later), *self.later]
        groups = sorted(self.groups.items(), key=_order)
        place = self.places([group for _, group in groups]).__getitem__
        out.append(len(groups))
        for (_, kind), group in groups:
            out += [kind, len(group.rows)]
            if kind < TUPLES:
                out += [len(row) for row in group.rows]
                out += [place(number) for row in group.rows for number in row]
            else:
                for column in zip(*group.rows, strict=True):
                    out += map(place, column)
        out.append(place(root))
        return out

    def places(self, groups: list[_Group]) -> list[int]:
        """Where each value stands, by its number."""
        found = [0] * len(self.levels)
        at = 0
        leaves = (self.constants, self.texts, self.integers, self.spans, self.later)
        for numbers in (*[one.values() for one in leaves], *[group.numbers for group in groups]):
            for number in numbers:
                found[number] = at
                at += 1
        return found

    def leaf(self, known: dict[_T, int], value: _T) -> int:
        number = known.get(value)
        if number is None:
            number = known[value] = len(self.levels)
            self.levels.append(0)
        return number

    def add(self, kind: int, row: list[int]) -> int:
        levels = self.levels
        level = 1 + max(map(levels.__getitem__, row), default=0)
        group = self.groups.get((level, kind))
        if group is None:
            group = self.groups[level, kind] = _Group()
        number = len(levels)
        levels.append(level)
        group.numbers.append(number)
        group.rows.append(row)
        return number

    def listed(self, values: tuple[object, ...], kind: int) -> int:
        return self.add(kind, [self.value(value, 0) for value in values])

    def value(self, value: object, kind: int) -> int:
        """The number of *value*; *kind* says of a tuple which it is."""
        number = NUMBER_OF.get(type(value))
        if number is None or number == ROW:
            if isinstance(value, str):
                return self.leaf(self.texts, value)
            if not isinstance(value, ast.Row):
                return self.other(value, kind)
            if self.rows is not None:
                return self.apart(value, self.rows)
            number = ROW
        row = [
            self.value(getattr(value, name), inner)
            for name, inner in self.plans.get(number) or self.plan(number)
        ]
        span: Span = value.span  # type: ignore[attr-defined]  # every node has one
        row.append(self.leaf(self.spans, (span.start, span.end)))
        return self.add(number, row)

    def other(self, value: object, kind: int) -> int:
        match value:
            case tuple():
                return self.listed(value, kind)
            case None | bool():
                return self.constants[value]
            case int():
                return self.leaf(self.integers, value)
            case Span():
                return self.leaf(self.spans, (value.start, value.end))
            case _:
                raise CompilerBug(f"{type(value).__name__} in a syntax tree")

    def apart(self, row: ast.Row, rows: list[list[int]]) -> int:
        parts = [self.value(row.name, 0), self.leaf(self.later, len(rows))]
        rows.append(_Writing(self.all_texts, None).whole(row.body))
        return self.add(ROW, [*parts, self.value(row.span, 0)])

    def plan(self, number: int) -> list[tuple[str, int]]:
        """The fields of a class but its span, with the kind of tuple that each may hold."""
        found = self.plans[number] = [
            (name, _tuple_kind(allowed)) for name, allowed in COLUMNS[number][:-1]
        ]
        return found


def _order(entry: tuple[tuple[int, int], _Group]) -> tuple[int, int]:
    return entry[0]


def _tuple_kind(allowed: Allowed) -> int:
    """Which of the tuples *allowed* has; there is one at most."""
    return next((kind for kind in allowed if isinstance(kind, int) and LATER < kind < TUPLES), 0)
