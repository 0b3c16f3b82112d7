"""Rows of the library's tables, for those who ask for a few: kept in the cache as they are, so that
neither the trees of the modules nor what resolves them is needed."""

from __future__ import annotations

from tvarc.cache import Cache
from tvarc.library.row_reading import KIND, WRONG, read_rows
from tvarc.light import Final, Mapping, Protocol
from tvarc.packed import Damaged, unpack
from tvarc.source import SourceLoader, UnreadableSource
from tvarc.values import RowValue, Version


class Table(Protocol):
    """The rows of one table, see `LibraryRows`."""

    def all(self) -> tuple[RowValue, ...]: ...

    def having(self, field: str, text: str) -> tuple[RowValue, ...]: ...


class LibraryRows:
    """Rows of the library's tables, whose names begin with those of their modules. A module is read
    when one of its tables is first asked for, since most programs need none; and of a row its
    facts. Of a table that there is not, there are no rows."""

    __slots__ = ("cache", "loader", "modules", "resolved")

    def __init__(self, loader: SourceLoader, cache: Cache | None = None) -> None:
        self.loader = loader
        self.cache = cache
        self.modules: dict[str, Mapping[str, Table]] = {}
        self.resolved: dict[str, dict[str, _Resolved]] = {}

    def all(self, table: str) -> tuple[RowValue, ...]:
        """The rows of *table*, in their order."""
        try:
            return self.table(table).all()
        except WRONG:
            return self.as_written(table).all()

    def having(self, table: str, field: str, text: str) -> tuple[RowValue, ...]:
        """The rows of *table* whose *field* is the string, or the version spelled, *text*."""
        try:
            return self.table(table).having(field, text)
        except WRONG:
            return self.as_written(table).having(field, text)

    def table(self, name: str) -> Table:
        module = _module_of(name)
        tables = self.modules.get(module)
        if tables is None:
            tables = self.modules[module] = self.module(module)
        return tables.get(name) or _NO_TABLE

    def as_written(self, name: str) -> Table:
        """The table *name* of a module whose entry turned out to be none."""
        module = _module_of(name)
        tables = self.modules[module] = self.resolve(module)
        return tables.get(name) or _NO_TABLE

    def module(self, name: str) -> Mapping[str, Table]:
        """The tables of the module *name*: from the cache, else as they are resolved."""
        file = self.loader.std(name)
        if file is None:
            return {}
        if self.cache is not None:
            try:
                source = self.loader.read(file)
                data = self.cache.get(self.cache.key(KIND, source.text))
                if data is not None:
                    return read_rows(*unpack(data), source, self.rows_of)
            except (Damaged, UnreadableSource):
                pass
        return self.resolve(name)

    def resolve(self, name: str) -> dict[str, _Resolved]:
        """The tables of the module *name* out of its text; they are kept."""
        found = self.resolved.get(name)
        if found is None:
            # What reads a module is not loaded where none is to be read.
            from tvarc.library.tables import load_module

            tables = load_module(self.loader, name, self.cache).tables
            found = {table.name: _Resolved(table.rows) for table in tables.values()}
            self.resolved[name] = found
        return found

    def rows_of(self, table: str) -> Mapping[str, RowValue]:
        """The rows of *table* by name, as they are resolved."""
        found = self.resolve(_module_of(table)).get(table)
        return found.rows if found is not None else {}


class _Resolved:
    """A table whose rows are all there."""

    __slots__ = ("rows",)

    def __init__(self, rows: Mapping[str, RowValue]) -> None:
        self.rows = rows

    def all(self) -> tuple[RowValue, ...]:
        return tuple(self.rows.values())

    def having(self, field: str, text: str) -> tuple[RowValue, ...]:
        return tuple([row for row in self.rows.values() if _spelled(row, field) == text])


_NO_TABLE: Final = _Resolved({})


def _spelled(row: RowValue, field: str) -> str | None:
    fact = row.facts.get(field)
    value = fact.value if fact is not None else None
    return value.text if isinstance(value, Version) else value if isinstance(value, str) else None


def _module_of(table: str) -> str:
    return table.partition("-")[0]
