"""Rows of the standard library's tables, prepared and read from the cache. A wheel includes these
entries.

Lints read a few rows of a few tables. To read them from the modules means to parse and resolve
these. Here a row is made from plain data when a lint needs it. Without this, `tvarc check` of
`examples/torch-2.10` takes a fifth longer: to measure it, let `rows_of` return None.
"""

from __future__ import annotations

from tvarc.files.cache import Cache, dumped, loaded
from tvarc.light import TYPE_CHECKING, Any, Collection, Final, Iterator, Mapping, Sequence
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, Span
from tvarc.values.value import Fact, RowValue, Value, Version

if TYPE_CHECKING:
    from tvarc.meaning import hir
    from tvarc.syntax import ast

KIND: Final = "rows"  # the kind of the cache entry


class PrebuiltTable:
    """A table that reads each column and makes each row on the first access. Lints of a build read
    six of the 24 columns of the GPUs: the others stay bytes.
    """

    __slots__ = ("_columns", "_names", "_places", "_written", "by_text", "file", "made", "origin")

    def __init__(self, written: tuple[Any, ...], file: str) -> None:
        """*written* is a table in the form of `plain`, with spans in *file*."""
        self._written: Mapping[str, bytes]
        self.origin, self._names, self._places, self._written = written
        self.file = file
        self._columns: dict[str, list[Any]] = {}
        self.made: dict[int, RowValue] = {}
        self.by_text: dict[str, dict[str, list[int]]] = {}  # for each field, its rows by text

    @property
    def fields(self) -> Collection[str]:
        """The fields that each row has."""
        return self._written.keys()

    def column(self, field: str) -> Sequence[Any]:
        """The values of *field* in all rows, see `plain`. Raises KeyError if the table has no such
        field.
        """
        found = self._columns.get(field)
        if found is None:
            found = self._columns[field] = loaded(self._written[field])
        return found

    def all(self) -> tuple[RowValue, ...]:
        """Every row, in their order."""
        return tuple([self.row(number) for number in range(len(self._names))])

    def having(self, field: str, text: str) -> tuple[RowValue, ...]:
        """The rows whose *field* is the string *text*, or the version with this spelling."""
        found = self.by_text.get(field)
        if found is None:
            found = self.by_text[field] = {}
            for number, fact in enumerate(self.column(field) if field in self.fields else ()):
                spelled = _spelled(fact[0]) if fact is not None else None
                if spelled is not None:
                    found.setdefault(spelled, []).append(number)
        return tuple([self.row(number) for number in found.get(text, ())])

    def row(self, number: int) -> RowValue:
        row = self.made.get(number)
        if row is None:
            place = self._places[number]
            facts = _WrittenFacts(self, number, place)
            row = RowValue(self.origin, self._names[number], facts, Span(self.file, *place))
            self.made[number] = row
        return row


class _WrittenFacts(Mapping[str, Fact]):
    """The facts of a row, each made on the first access."""

    __slots__ = ("_made", "_number", "_place", "_table")

    def __init__(self, table: PrebuiltTable, number: int, place: tuple[int, int]) -> None:
        """The row *number* of *table*. Its name is at *place*."""
        self._table = table
        self._number = number
        self._place = place
        self._made: dict[str, Fact] = {}

    def __getitem__(self, name: str) -> Fact:
        fact = self._made.get(name)
        if fact is None:
            written = self._table.column(name)[self._number]
            value, start, end = written or (None, *self._place)
            fact = self._made[name] = Fact(_value(value), Span(self._table.file, start, end))
        return fact

    def __contains__(self, name: object) -> bool:
        return name in self._table.fields

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the written facts, and then those of the missing ones."""
        facts = [(name, self._table.column(name)[self._number]) for name in self._table.fields]
        written = sorted((one for one in facts if one[1] is not None), key=lambda one: one[1][1])
        yield from [name for name, _ in written]
        yield from [name for name, fact in facts if fact is None]

    def __len__(self) -> int:
        return len(self._table.fields)


def rows_of(source: Source, cache: Cache) -> dict[str, PrebuiltTable] | None:
    """The tables of the module *source* by name; None if *cache* does not have them."""
    data = cache.load(cache.key(KIND, source.text))
    return tables_of(data, source.file) if data is not None else None


def tables_of(data: Any, file: str) -> dict[str, PrebuiltTable]:
    """Read *data*, the result of `plain`, as tables by name."""
    return {name: PrebuiltTable(written, file) for name, written in data.items()}


def keep_rows(source: Source, tables: Mapping[str, hir.Table], sink: Sink, cache: Cache) -> None:
    """Store the rows of the module *source*, which are in *tables*, in *cache*. Rows with errors
    are not stored: reading them puts the errors into *sink*."""
    if len(sink):
        return
    from tvarc.syntax.prebuilt import library_tree

    data = plain(library_tree(source, sink, cache), tables)
    if data is not None and not len(sink):
        cache.store(cache.key(KIND, source.text), data)


def plain(tree: ast.Module, tables: Mapping[str, hir.Table]) -> dict[str, object] | None:
    """The rows of the module *tree*, as *tables* have them, as plain data.

    The data has an entry for each table, by its name: the origin of the table, the names and the
    places of its rows, and its columns by their names, in the form of `dumped`. A column has the
    value, the start and the end of the fact of each row, or None for a row without that fact. A
    version is a tuple of its text.

    None for a module without tables, and for one whose rows depend on more than its own text: on
    names in their facts, or on another module with more rows or fields for a table.
    """
    from tvarc.syntax import ast

    written = [item for item in tree.items if isinstance(item, ast.Facts)]
    if not written or not all(_is_own(item, tables.get(item.name.text)) for item in written):
        return None
    found: dict[str, object] = {}
    for item in written:
        table = tables[item.name.text]
        rows = table.rows.values()
        columns = {
            name: dumped([_plain_fact(row, row.facts[name]) for row in rows])
            for name in table.fields
        }
        places = [(row.span.start, row.span.end) for row in rows]
        found[table.name] = (table.origin, [row.name for row in rows], places, columns)
    return found


def _is_own(item: ast.Facts, table: hir.Table | None) -> bool:
    """Whether *item* declares *table*, with all facts as literals."""
    if table is None or item.extends or table.span != item.name.span:
        return False
    same = list(table.rows) == [row.name.text for row in item.rows]
    return same and all(_is_written_out(part) for row in item.rows for part in row.body)


def _is_written_out(item: ast.Item) -> bool:
    """Whether *item* is a literal, and not a list that contains a list."""
    from tvarc.meaning.declarations.facts import is_written_out
    from tvarc.syntax import ast

    if not isinstance(item, ast.Assign) or not is_written_out(item.value):
        return False
    items = item.value.items if isinstance(item.value, ast.ListLit) else ()
    return not any(isinstance(one, ast.ListLit) for one in items)


def _plain_fact(row: RowValue, fact: Fact) -> object:
    if fact.value is None and fact.span == row.span:
        return None
    return _plain_value(fact.value), fact.span.start, fact.span.end


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
