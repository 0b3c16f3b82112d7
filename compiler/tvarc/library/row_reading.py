"""Rows of the library from the numbers and texts that `row_writing` makes of them.

All names and strings are parts of one text, each told by its start and its length. The numbers:

- how many tables there are, how many values, and how many elements all lists have together;
- of each value its kind and two numbers: a list's first element and how many it has, of any other
  its spelling;
- the elements of all lists, each the number of a value that is no list;
- of each table its name, its origin, how many numbers it is, how many fields and rows it has, the
  names of the fields, and where each row begins, counted from the table's first number; then of
  each row its name, its span, how many facts it has, and of each fact its field, its value and its
  span.

So a row is read by itself, and of it one fact.
"""

from __future__ import annotations

from tvarc.light import Callable, Final, Iterator, Mapping, Sequence
from tvarc.packed import Damaged
from tvarc.source import Source, Span
from tvarc.values import Fact, RowValue, Value, Version

KIND: Final = "rows"  # of the entry in the cache

# Kinds of values.
NULL: Final = 0
TRUE: Final = 1
FALSE: Final = 2
TEXT: Final = 3
VERSION: Final = 4
WHOLE: Final = 5
LIST: Final = 6
_CONSTANTS: Final[Mapping[int, Value]] = {NULL: None, TRUE: True, FALSE: False}

# How many numbers there are …
HEAD: Final = 3  # before the values
VALUE: Final = 3  # of a value
TABLE: Final = 7  # of a table, before its fields
ROW: Final = 5  # of a row, before its facts
FACT: Final = 4  # of a fact

# What reading numbers comes to that no writer made.
WRONG: Final = (Damaged, LookupError, ValueError)

# The rows of a table by their names, as the module itself has them.
Resolved = Callable[[str], Mapping[str, RowValue]]


class KeptTable:
    """A table of which no more is read than what is asked for. Its methods raise one of WRONG for
    numbers that are none of a table."""

    __slots__ = ("by_text", "fields", "made", "module", "name", "origin", "rows", "starts")

    def __init__(self, module: _Module, at: int) -> None:
        numbers, text = module.numbers, module.text
        self.module = module
        self.name = text(at)
        self.origin = text(at + 2)
        fields, rows = numbers[at + 5], numbers[at + 6]
        after = at + TABLE + 2 * fields
        self.fields = [text(place) for place in range(at + TABLE, after, 2)]
        self.starts = [at + start for start in numbers[after : after + rows]]
        if len(self.starts) != rows:
            raise Damaged
        self.rows: tuple[RowValue, ...] | None = None  # all of them, once they are asked for
        self.made: dict[int, RowValue] = {}
        self.by_text: dict[str, dict[str, list[int]]] = {}  # rows by a field's text, of each field

    def all(self) -> tuple[RowValue, ...]:
        """Every row, in their order."""
        if self.rows is None:
            self.rows = tuple([self.row(start) for start in self.starts])
        return self.rows

    def having(self, field: str, text: str) -> tuple[RowValue, ...]:
        """The rows whose *field* is the string, or the version spelled, *text*."""
        found = self.by_text.get(field)
        if found is None:
            found = self.by_text[field] = self.texts_of(field)
        return tuple([self.row(start) for start in found.get(text, ())])

    def row(self, start: int) -> RowValue:
        """The row that begins at *start*; each is made once."""
        row = self.made.get(start)
        if row is None:
            name, span = self.module.text(start), self.module.span(start + 2)
            facts = KeptFacts(self, name, start + ROW)
            row = self.made[start] = RowValue(self.origin, name, facts, span)
        return row

    def texts_of(self, field: str) -> dict[str, list[int]]:
        """The rows by the text that each has in *field*; those without are left out."""
        found: dict[str, list[int]] = {}
        if field not in self.fields:
            return found
        numbers, spelled = self.module.numbers, self.module.spelled
        number = self.fields.index(field)
        for start in self.starts:
            fields = self.fields_at(start + ROW)
            if number in fields:
                text = spelled(numbers[start + ROW + FACT * fields.index(number) + 1])
                if text is not None:
                    found.setdefault(text, []).append(start)
        return found

    def fields_at(self, first: int) -> list[int]:
        """Which fields the row has whose first fact is at *first*."""
        numbers = self.module.numbers
        count = numbers[first - 1]
        fields = list(numbers[first : first + FACT * count : FACT])
        if len(fields) != count:
            raise Damaged
        return fields


class KeptFacts(Mapping[str, Fact]):
    """The facts of a row, each found when it is read. What they say is as good as the digest of the
    whole; were they no facts all the same, the module would be read for them."""

    __slots__ = ("_facts", "_first", "_places", "_row", "_table")

    def __init__(self, table: KeptTable, row: str, first: int) -> None:
        self._table = table
        self._row = row
        self._first = first
        self._places: dict[str, int] | None = None
        self._facts: dict[str, Fact] = {}

    def __getitem__(self, name: str) -> Fact:
        fact = self._facts.get(name)
        if fact is None:
            place = self._all()[name]
            try:
                fact = self._table.module.fact(place)
            except WRONG:
                self._resolve()
                # A field that it was said to have, and has not, is null.
                fact = self._facts.get(name) or Fact(
                    None, Span(self._table.module.source.file, 0, 0)
                )
            self._facts[name] = fact
        return fact

    def __contains__(self, name: object) -> bool:
        return name in self._all()

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def _all(self) -> dict[str, int]:
        """Where each fact is, by its field."""
        places = self._places
        if places is None:
            table, first = self._table, self._first
            try:
                fields = [table.fields[number] for number in table.fields_at(first)]
            except WRONG:
                return self._resolve()
            places = self._places = {
                name: first + FACT * number for number, name in enumerate(fields)
            }
        return places

    def _resolve(self) -> dict[str, int]:
        module = self._table.module
        rows = module.resolved(self._table.name)
        self._facts = dict(rows[self._row].facts) if self._row in rows else {}
        for name in self._places or ():
            # Somebody was told that there is such a field.
            self._facts.setdefault(name, Fact(None, Span(module.source.file, 0, 0)))
        self._places = dict.fromkeys(self._facts, 0)
        return self._places


class _Module:
    """What the tables of one module share."""

    __slots__ = ("elements", "last", "numbers", "resolved", "source", "values", "whole")

    def __init__(
        self, numbers: Sequence[int], whole: str, source: Source, resolved: Resolved
    ) -> None:
        self.numbers = numbers
        self.whole = whole
        self.source = source
        self.resolved = resolved
        self.values = numbers[1]
        self.elements = HEAD + VALUE * self.values
        self.last = self.elements + numbers[2]

    def text(self, at: int) -> str:
        """The text that the number at *at*, and the one after it, tell."""
        start, length = self.numbers[at], self.numbers[at + 1]
        if start + length > len(self.whole):
            raise Damaged
        return self.whole[start : start + length]

    def span(self, at: int) -> Span:
        start, end = self.numbers[at], self.numbers[at + 1]
        if not start <= end <= len(self.source.text):
            raise Damaged
        return Span(self.source.file, start, end)

    def fact(self, at: int) -> Fact:
        return Fact(self.value(self.numbers[at + 1]), self.span(at + 2))

    def value(self, number: int) -> Value:
        at = self.place(number)
        if self.numbers[at] != LIST:
            return self.scalar(number)
        first = self.elements + self.numbers[at + 1]
        end = first + self.numbers[at + 2]
        if end > self.last:
            raise Damaged
        return tuple([self.scalar(element) for element in self.numbers[first:end]])

    def scalar(self, number: int) -> Value:
        at = self.place(number)
        kind = self.numbers[at]
        if kind in _CONSTANTS:
            return _CONSTANTS[kind]
        text = self.text(at + 1)
        if kind == TEXT:
            return text
        if kind == VERSION:
            return Version(text)
        if kind == WHOLE:
            return int(text)
        raise Damaged

    def spelled(self, number: int) -> str | None:
        """The text of a string or a version; None for anything else."""
        at = self.place(number)
        return self.text(at + 1) if self.numbers[at] in (TEXT, VERSION) else None

    def place(self, number: int) -> int:
        if number >= self.values:
            raise Damaged
        return HEAD + VALUE * number


def read_rows(
    numbers: Sequence[int], texts: Sequence[str], source: Source, resolved: Resolved
) -> dict[str, KeptTable]:
    """The tables that `write_rows` was given, by name; their spans are in *source*, and *resolved*
    has the rows of a table where these are none. Raises Damaged."""
    try:
        (whole,) = texts
        module = _Module(numbers, whole, source, resolved)
        found: dict[str, KeptTable] = {}
        at = module.last
        for _ in range(numbers[0]):
            table = KeptTable(module, at)
            found[table.name] = table
            length = numbers[at + 4]
            if length < TABLE:
                raise Damaged  # there would be no end to it
            at += length
    except (LookupError, ValueError) as fault:
        raise Damaged from fault
    return found
