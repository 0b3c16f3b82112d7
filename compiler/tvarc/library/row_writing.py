"""Rows of the library as numbers and texts: what the cache keeps of a module. How they lie is told
in `row_reading`."""

from __future__ import annotations

from tvarc.cache import Cache
from tvarc.diagnostics.model import Sink
from tvarc.library.row_reading import (
    FALSE,
    KIND,
    LIST,
    NULL,
    ROW,
    TABLE,
    TEXT,
    TRUE,
    VERSION,
    WHOLE,
)
from tvarc.light import Mapping, suppress
from tvarc.packed import pack
from tvarc.sema import hir
from tvarc.sema.facts import is_written_out
from tvarc.source import Source
from tvarc.syntax import ast
from tvarc.syntax.kept import module_tree
from tvarc.values import RowValue, Value, Version


def keep_rows(source: Source, tables: Mapping[str, hir.Table], sink: Sink, cache: Cache) -> None:
    """Put the rows of the module *source*, which are in *tables*, into *cache*; not those with
    faults, of which *sink* is told as they are read."""
    if len(sink):
        return
    written = write_rows(module_tree(source, sink, cache, std=True), tables)
    if written is None or len(sink):
        return
    with suppress(ValueError):  # text that is no Unicode
        cache.put(cache.key(KIND, source.text), pack(*written))


def write_rows(
    tree: ast.Module, tables: Mapping[str, hir.Table]
) -> tuple[list[int], list[str]] | None:
    """The rows of the module *tree*, as *tables* have them, as numbers and texts.

    None for a module without, and for one whose rows rest on more than its own text: on what their
    facts name, or on another module with more rows or fields for a table.
    """
    written = [item for item in tree.items if isinstance(item, ast.Facts)]
    if not written or not all(_is_own(item, tables.get(item.name.text)) for item in written):
        return None
    writing = _Writing()
    for item in written:
        writing.table(tables[item.name.text])
    return writing.numbers(), ["".join(writing.texts)]


def _is_own(item: ast.Facts, table: hir.Table | None) -> bool:
    """Whether *table* is what *item* says, and all its facts are written out."""
    if table is None or item.extends or table.span != item.name.span:
        return False
    same = list(table.rows) == [row.name.text for row in item.rows]
    return same and all(_is_plain(part) for row in item.rows for part in row.body)


def _is_plain(item: ast.Item) -> bool:
    """Whether *item* is a fact that is written out, and no list that holds another."""
    if not isinstance(item, ast.Assign) or not is_written_out(item.value):
        return False
    items = item.value.items if isinstance(item.value, ast.ListLit) else ()
    return not any(isinstance(one, ast.ListLit) for one in items)


class _Writing:
    """Collects texts and values, each once, and tables."""

    __slots__ = ("elements", "length", "lists", "places", "tables", "texts", "values")

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.length = 0
        self.places: dict[str, tuple[int, int]] = {}
        self.values: dict[tuple[int, int, int], int] = {}
        self.lists: dict[tuple[int, ...], int] = {}
        self.elements: list[int] = []
        self.tables: list[list[int]] = []

    def numbers(self) -> list[int]:
        found = [len(self.tables), len(self.values), len(self.elements)]
        for value in self.values:
            found += value
        found += self.elements
        for table in self.tables:
            found += table
        return found

    def table(self, table: hir.Table) -> None:
        fields = {name: number for number, name in enumerate(_fields(table))}
        head = [*self.text(table.name), *self.text(table.origin)]
        names = [number for name in fields for number in self.text(name)]
        rows = [self.row(row, fields) for row in table.rows.values()]
        starts, at = list[int](), TABLE + len(names) + len(rows)
        for row in rows:
            starts.append(at)
            at += len(row)
        found = [*head, at, len(fields), len(rows), *names, *starts]
        for row in rows:
            found += row
        self.tables.append(found)

    def row(self, row: RowValue, fields: Mapping[str, int]) -> list[int]:
        found = [*self.text(row.name), row.span.start, row.span.end, len(row.facts)]
        assert len(found) == ROW
        for name, fact in row.facts.items():
            found += [fields[name], self.value(fact.value), fact.span.start, fact.span.end]
        return found

    def value(self, value: Value) -> int:
        """The number of *value*, which is a scalar or a list of them."""
        match value:
            case None:
                told = (NULL, 0, 0)
            case bool():
                told = (TRUE if value else FALSE, 0, 0)
            case int():
                told = (WHOLE, *self.text(str(value)))
            case str():
                told = (TEXT, *self.text(value))
            case Version():
                told = (VERSION, *self.text(value.text))
            case tuple():
                told = (LIST, self.listed(tuple([self.value(one) for one in value])), len(value))
            case _:
                raise AssertionError(f"{type(value).__name__} is nothing that is written out")
        return self.values.setdefault(told, len(self.values))

    def listed(self, numbers: tuple[int, ...]) -> int:
        """Where the elements *numbers* of a list begin among those of all lists."""
        if numbers not in self.lists:
            self.lists[numbers] = len(self.elements)
            self.elements += numbers
        return self.lists[numbers]

    def text(self, text: str) -> tuple[int, int]:
        """Where *text* begins in the text of all, and its length."""
        if text not in self.places:
            self.places[text] = (self.length, len(text))
            self.texts.append(text)
            self.length += len(text)
        return self.places[text]


def _fields(table: hir.Table) -> list[str]:
    """The fields in the order in which rows have them first."""
    return list(dict.fromkeys(name for row in table.rows.values() for name in row.facts))
