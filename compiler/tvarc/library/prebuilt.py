"""Rows of the standard library's tables, ready made: read out of the cache, of which a wheel brings
these entries.

Lints ask the library for a few rows of a few tables. To have them of the modules takes their trees
and resolving them; here a row is made of plain data, when it is asked for. `tvarc check` of
`examples/torch-2.10` takes a fifth longer without: have `rows_of` find nothing, and time it.
"""

from __future__ import annotations

from tvarc.cache import Cache, dumped, loaded
from tvarc.diagnostics.model import Sink
from tvarc.light import TYPE_CHECKING, Any, Final, Iterator, Mapping
from tvarc.source import Source, Span
from tvarc.values import Fact, RowValue, Value, Version

if TYPE_CHECKING:
    from tvarc.sema import hir
    from tvarc.syntax import ast

KIND: Final = "rows"  # of the entry in the cache


class PrebuiltTable:
    """A table of which each row is made when it is asked for, and once. Of those of a module a
    build reads every third: the others stay bytes."""

    __slots__ = ("_rows", "_written", "by_text", "file", "made", "origin")

    def __init__(self, origin: str, written: bytes, file: str) -> None:
        """*written* are plain rows as `dumped` has made them, with spans in *file*."""
        self.origin = origin
        self._written = written
        self._rows: list[Any] | None = None
        self.file = file
        self.made: dict[int, RowValue] = {}
        self.by_text: dict[str, dict[str, list[int]]] = {}  # rows by a field's text, of each field

    @property
    def rows(self) -> list[Any]:
        """The rows as plain data."""
        if self._rows is None:
            self._rows = list(loaded(self._written))
        return self._rows

    def all(self) -> tuple[RowValue, ...]:
        """Every row, in their order."""
        return tuple([self.row(number) for number in range(len(self.rows))])

    def having(self, field: str, text: str) -> tuple[RowValue, ...]:
        """The rows whose *field* is the string, or the version spelled, *text*."""
        found = self.by_text.get(field)
        if found is None:
            found = self.by_text[field] = {}
            for number, (_, _, _, facts) in enumerate(self.rows):
                spelled = _spelled(facts[field][0]) if field in facts else None
                if spelled is not None:
                    found.setdefault(spelled, []).append(number)
        return tuple([self.row(number) for number in found.get(text, ())])

    def row(self, number: int) -> RowValue:
        row = self.made.get(number)
        if row is None:
            name, start, end, written = self.rows[number]
            facts = _WrittenFacts(written, self.file)
            row = RowValue(self.origin, name, facts, Span(self.file, start, end))
            self.made[number] = row
        return row


class _WrittenFacts(Mapping[str, Fact]):
    """The facts of a row, each made of plain data when it is asked for, and once: of the 24 of a
    GPU the lints of a build read six."""

    __slots__ = ("_file", "_made", "_written")

    def __init__(self, written: Mapping[str, Any], file: str) -> None:
        self._written = written
        self._file = file
        self._made: dict[str, Fact] = {}

    def __getitem__(self, name: str) -> Fact:
        fact = self._made.get(name)
        if fact is None:
            value, start, end = self._written[name]
            fact = self._made[name] = Fact(_value(value), Span(self._file, start, end))
        return fact

    def __contains__(self, name: object) -> bool:
        return name in self._written

    def __iter__(self) -> Iterator[str]:
        return iter(self._written)

    def __len__(self) -> int:
        return len(self._written)


def rows_of(source: Source, cache: Cache) -> dict[str, PrebuiltTable] | None:
    """The tables of the module *source* by name; None where *cache* does not have them."""
    data = cache.load(cache.key(KIND, source.text))
    return tables_of(data, source.file) if data is not None else None


def tables_of(data: Any, file: str) -> dict[str, PrebuiltTable]:
    """The tables by name of which *data* is what `plain` has made."""
    return {name: PrebuiltTable(origin, rows, file) for name, (origin, rows) in data.items()}


def keep_rows(source: Source, tables: Mapping[str, hir.Table], sink: Sink, cache: Cache) -> None:
    """Put the rows of the module *source*, which are in *tables*, into *cache*; not those with
    faults, of which *sink* is told as they are read."""
    if len(sink):
        return
    from tvarc.syntax.prebuilt import library_tree

    data = plain(library_tree(source, sink, cache), tables)
    if data is not None and not len(sink):
        cache.store(cache.key(KIND, source.text), data)


def plain(tree: ast.Module, tables: Mapping[str, hir.Table]) -> dict[str, object] | None:
    """The rows of the module *tree*, as *tables* have them, as plain data: of each table by its
    name its origin and its rows, these as `dumped` makes them; of a row its name, its span, and by
    their names its facts; of a fact its value and its span. A version is a tuple of its text.

    None for a module without, and for one whose rows rest on more than its own text: on what their
    facts name, or on another module with more rows or fields for a table.
    """
    from tvarc.syntax import ast

    written = [item for item in tree.items if isinstance(item, ast.Facts)]
    if not written or not all(_is_own(item, tables.get(item.name.text)) for item in written):
        return None
    found: dict[str, object] = {}
    for item in written:
        table = tables[item.name.text]
        rows = [_plain_row(row) for row in table.rows.values()]
        found[table.name] = (table.origin, dumped(rows))
    return found


def _is_own(item: ast.Facts, table: hir.Table | None) -> bool:
    """Whether *table* is what *item* says, and all its facts are written out."""
    if table is None or item.extends or table.span != item.name.span:
        return False
    same = list(table.rows) == [row.name.text for row in item.rows]
    return same and all(_is_written_out(part) for row in item.rows for part in row.body)


def _is_written_out(item: ast.Item) -> bool:
    """Whether *item* is a fact that is written out, and no list that holds another."""
    from tvarc.sema.facts import is_written_out
    from tvarc.syntax import ast

    if not isinstance(item, ast.Assign) or not is_written_out(item.value):
        return False
    items = item.value.items if isinstance(item.value, ast.ListLit) else ()
    return not any(isinstance(one, ast.ListLit) for one in items)


def _plain_row(row: RowValue) -> tuple[object, ...]:
    facts = {
        name: (_plain_value(fact.value), fact.span.start, fact.span.end)
        for name, fact in row.facts.items()
    }
    return row.name, row.span.start, row.span.end, facts


def _plain_value(value: Value) -> object:
    match value:
        case None | bool() | int() | str():
            return value
        case Version():
            return (value.text,)
        case tuple():
            return [_plain_value(one) for one in value]
        case _:
            raise AssertionError(f"{type(value).__name__} is nothing that is written out")


def _value(data: Any) -> Value:
    if type(data) is tuple:
        return Version(*data)
    return tuple([_value(one) for one in data]) if type(data) is list else data


def _spelled(data: Any) -> str | None:
    """The text of a string or a version; None for anything else."""
    text = data[0] if type(data) is tuple else data
    return text if isinstance(text, str) else None
