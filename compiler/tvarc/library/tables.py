"""The tables of the standard library, without any program."""

from __future__ import annotations

from tvarc.cache import Cache
from tvarc.diagnostics.model import CompilerBug, Severity, Sink
from tvarc.diagnostics.suggest import nearest
from tvarc.light import Final, Iterator, dataclass
from tvarc.sema import hir
from tvarc.sema.load import load
from tvarc.sema.resolve import resolve
from tvarc.source import Source, SourceLoader, SourceMap
from tvarc.values import RowValue, Version, is_version

_ENTRY: Final = "<the standard library>"
# The fields that a row is known by besides its name.
_VERSIONS: Final = ("version", "capability")


@dataclass(frozen=True, slots=True)
class Found:
    """A row and the table it stands in."""

    table: hir.Table
    row: RowValue


@dataclass(frozen=True, slots=True)
class Library:
    """All tables by name, in the order of their modules, and their sources."""

    tables: dict[str, hir.Table]
    sources: SourceMap

    def rows(self) -> Iterator[Found]:
        for table in self.tables.values():
            for row in table.rows.values():
                yield Found(table, row)

    def named(self, name: str) -> list[Found]:
        """The rows called *name*, as written or as people spell it (`sm_103`, `armv8.2`); else
        those that have it among their products."""
        plain = _plain(name)
        if not plain:
            return []
        exact = [found for found in self.rows() if found.row.name == name]
        return (
            exact
            or [found for found in self.rows() if _plain(found.row.name) == plain]
            # `haswell` for `gcc-haswell`
            or [found for found in self.rows() if found.row.name.partition("-")[2] == name]
            or [found for found in self.rows() if plain in map(_plain, _products(found.row))]
        )

    def within(self, name: str) -> list[hir.Table]:
        """The table called *name*, or those of the module called so."""
        table = self.tables.get(name)
        if table is not None:
            return [table]
        return [one for one in self.tables.values() if one.span.file == f"std/{name}.tvar"]

    def of_version(self, tables: list[hir.Table], version: str) -> list[Found]:
        """The rows of *tables* of that version: equal, or of which it is the beginning."""
        plain = _plain(version)
        rows = [Found(table, row) for table in tables for row in table.rows.values()]
        exact = [one for one in rows if plain == _plain(one.row.name)]
        if exact or not is_version(version):
            return exact
        wanted = Version(version)
        for same in (_equal, _begins):
            found = [one for one in rows if any(same(v, wanted) for v in _known_by(one.row))]
            if found:
                return found
        return []

    def suggestion(self, name: str) -> str | None:
        """The name of a table or row that *name* was probably meant to be."""
        names = [*self.tables, *(found.row.name for found in self.rows())]
        names += {table.span.file[4:-5] for table in self.tables.values()}
        return nearest(name, names)


def load_library(loader: SourceLoader, cache: Cache | None = None) -> Library:
    """Every table of every module that *loader* has. Raises CompilerBug for a module with faults:
    the library is shipped, no person wrote it."""
    sources, sink = SourceMap(), Sink()
    graph = load(_ENTRY, _Everything(loader), sources, sink, cache)
    assert graph is not None
    resolution = resolve(graph, sources, sink, loader.join)
    for table in resolution.program.tables.values():
        for row in table.rows.values():
            len(row.facts)  # what is wrong in a row is found when it is read
    for item in sink:
        if item.severity is Severity.WARNING:
            continue
        raise CompilerBug(f"the standard library is broken: {item.title}")
    return Library(resolution.program.tables, sources)


class _Everything:
    """A loader with one file more, which uses every module."""

    __slots__ = ("loader",)

    def __init__(self, loader: SourceLoader) -> None:
        self.loader = loader

    def read(self, file: str) -> Source:
        if file == _ENTRY:
            return Source(file, "".join(f"use std.{name}\n" for name in self.std_names()))
        return self.loader.read(file)

    def join(self, importer: str, relative: str) -> str:
        return self.loader.join(importer, relative)

    def identity(self, file: str) -> str:
        return file if file == _ENTRY else self.loader.identity(file)

    def std(self, name: str) -> str | None:
        return self.loader.std(name)

    def std_names(self) -> tuple[str, ...]:
        return self.loader.std_names()


def _plain(text: str) -> str:
    """*text* in small letters without what people set between words."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def _products(row: RowValue) -> list[str]:
    fact = row.facts.get("products")
    value = fact.value if fact is not None else ()
    return [item for item in value if isinstance(item, str)] if isinstance(value, tuple) else []


def _known_by(row: RowValue) -> list[Version]:
    facts = [row.facts[name].value for name in _VERSIONS if name in row.facts]
    return [value for value in facts if isinstance(value, Version)]


def _equal(one: Version, wanted: Version) -> bool:
    return one.compare(wanted) == 0


def _begins(one: Version, wanted: Version) -> bool:
    return one.parts[: len(wanted.parts)] == wanted.parts
