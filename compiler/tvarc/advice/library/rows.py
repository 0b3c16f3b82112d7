"""Rows of the library's tables, for callers that need a few. They are read from the cache, so
neither the trees of the modules nor their resolution is needed.
"""

from __future__ import annotations

from tvarc.advice.library.prebuilt import rows_of
from tvarc.files.cache import Cache
from tvarc.light import Any, Callable, Final, Mapping, Protocol, dataclass, suppress
from tvarc.text.source import SourceLoader, UnreadableSource
from tvarc.values.value import RowValue, Version


class Table(Protocol):
    """The rows of one table, see `LibraryRows`."""

    def all(self) -> tuple[RowValue, ...]: ...

    def having(self, field: str, text: str) -> tuple[RowValue, ...]: ...


class LibraryRows:
    """Rows of the library's tables, whose names begin with those of their modules. A module is read
    when one of its tables is first needed, because most programs need none. The facts of a row are
    read when they are needed, too. A missing table has no rows."""

    __slots__ = ("cache", "extended", "loader", "modules")

    def __init__(
        self,
        loader: SourceLoader,
        cache: Cache | None = None,
        extended: Mapping[str, Mapping[str, RowValue]] | None = None,
    ) -> None:
        self.loader = loader
        self.cache = cache
        # The tables to which a program adds, by name, with the additions.
        self.extended = {name: _Resolved(rows) for name, rows in (extended or {}).items()}
        self.modules: dict[str, Mapping[str, Table]] = {}

    def all(self, table: str) -> tuple[RowValue, ...]:
        """The rows of *table*, in their order."""
        return self.table(table).all()

    def having(self, table: str, field: str, text: str) -> tuple[RowValue, ...]:
        """The rows of *table* whose *field* is the string *text*, or the version with this
        spelling."""
        return self.table(table).having(field, text)

    def derived(self, kind: str, table: str, make: Callable[[], Any]) -> Any:
        """The result of *make* for the rows of *table*: plain data, which is cached under *kind*.
        Making the names of the GPUs takes 2 % of a build of 44 recipes.
        """
        file = self.loader.std(table.partition("-")[0])
        if table in self.extended or file is None or self.cache is None:
            return make()
        try:
            key = self.cache.key(kind, self.loader.read(file).text)
        except UnreadableSource:
            return make()
        found = self.cache.load(key)
        if found is None:
            found = make()
            self.cache.store(key, found)
        return found

    def table(self, name: str) -> Table:
        if name in self.extended:
            return self.extended[name]
        module = name.partition("-")[0]
        tables = self.modules.get(module)
        if tables is None:
            tables = self.modules[module] = self.module(module)
        return tables.get(name) or _NO_TABLE

    def module(self, name: str) -> Mapping[str, Table]:
        """The tables of the module *name*, from the cache or else by resolving the module."""
        file = self.loader.std(name)
        if file is None:
            return {}
        if self.cache is not None:
            with suppress(UnreadableSource):
                found = rows_of(self.loader.read(file), self.cache)
                if found is not None:
                    return found
        # The reader of modules is loaded only if a module has to be read.
        from tvarc.advice.library.tables import load_module

        tables = load_module(self.loader, name, self.cache).tables
        return {table.name: _Resolved(table.rows) for table in tables.values()}


@dataclass(slots=True, eq=False)
class _Resolved:
    """A table that was resolved, so all its rows exist."""

    rows: Mapping[str, RowValue]

    def all(self) -> tuple[RowValue, ...]:
        return tuple(self.rows.values())

    def having(self, field: str, text: str) -> tuple[RowValue, ...]:
        return tuple([row for row in self.rows.values() if _spelled(row, field) == text])


_NO_TABLE: Final = _Resolved({})


def _spelled(row: RowValue, field: str) -> str | None:
    fact = row.facts.get(field)
    value = fact.value if fact is not None else None
    return value.text if isinstance(value, Version) else value if isinstance(value, str) else None
