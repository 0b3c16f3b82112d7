"""The tables of the standard library, without any program."""

from __future__ import annotations

from tvarc.advice.library.products import named_products, nearest_product
from tvarc.files.cache import Cache
from tvarc.light import Callable, Final, Iterator, dataclass
from tvarc.meaning import hir
from tvarc.meaning.names.load import ModuleInputs, load
from tvarc.meaning.resolve import resolve
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import CompilerBug, Severity, Sink
from tvarc.text.diagnostics.suggest import nearest
from tvarc.text.source import FileKind, Source, SourceLoader, SourceMap
from tvarc.values.row_facts import product_names
from tvarc.values.value import RowValue, Version, is_version

_NIXPKGS: Final = "NixOS/nixpkgs"
_ENTRY: Final = "<the standard library>"
_USES_PROGRAM: Final = 'use "./program.tvar" as program\n'
# The fields besides its name by which a user can name a row.
_VERSIONS: Final = ("version", "capability")


@dataclass(frozen=True, slots=True)
class Found:
    """A row and its table."""

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

    def hash_of_commit(self, github: str, rev: str) -> str:
        """The hash that a pin of the commit *rev* of *github* needs; empty if no row has it."""
        for found in self.rows():
            facts = found.row.facts
            commit, hash_ = facts.get("rev"), facts.get("hash")
            if commit is None or hash_ is None or commit.value != rev:
                continue
            # A release is a commit of nixpkgs.
            repository = facts["github"].value if "github" in facts else _NIXPKGS
            if repository == github and isinstance(hash_.value, str):
                return hash_.value
        return ""

    def named(self, name: str) -> list[Found]:
        """The rows with the name *name*, as it is written or as people spell it (`sm_103`,
        `armv8.2`). If there are none, the rows that have it among their products, then those of
        that architecture or compute capability, then those of the GPU in a longer name."""
        plain = _plain(name)
        if not plain:
            return []
        exact = [found for found in self.rows() if found.row.name == name]
        return (
            exact
            or [found for found in self.rows() if _plain(found.row.name) == plain]
            # `haswell` for `gcc-haswell`
            or [found for found in self.rows() if found.row.name.partition("-")[2] == name]
            or [found for found in self.rows() if plain in map(_plain, product_names(found.row))]
            or [found for found in self.rows() if _plain(_architecture(found.row)) == plain]
            or [found for found in self.rows() if _capability(found.row) == name]
            or self.products(name)
        )

    def products(self, name: str) -> list[Found]:
        """The rows of the GPU that a program which lists devices, or a user, calls *name*."""
        known = {found.row: found for found in self.rows()}
        return [known[row] for row in named_products(name, known)]

    def within(self, name: str) -> list[hir.Table]:
        """The table *name*, or the tables of the module *name* (`cuda`, `std.cuda`)."""
        name = name.removeprefix("std.")
        table = self.tables.get(name)
        if table is not None:
            return [table]
        return [one for one in self.tables.values() if one.span.file == f"std/{name}.tvar"]

    def of_version(self, tables: list[hir.Table], version: str) -> list[Found]:
        """The rows of *tables* whose version equals *version* or begins with it, as 13.0 and 13.1
        begin with 13. If there are none, the rows whose version is the beginning of *version*.
        """
        plain = _plain(version)
        rows = [Found(table, row) for table in tables for row in table.rows.values()]
        exact = [one for one in rows if plain == _plain(one.row.name)]
        if exact or not is_version(version):
            return exact
        wanted = Version(version)
        found = [one for one in rows if any(_is_of(v, wanted) for v in _known_by(one.row))]
        return found or [one for one in rows if any(_begins(wanted, v) for v in _known_by(one.row))]

    def meant(self, name: str, version: str | None) -> list[Found]:
        """The rows that a user names.

        Without a *version*, these are the rows with the name *name*. With a *version*, *name* is a
        table, and these are the rows of the table with that version. If no table has that name, the
        two words together are the name of a row, as in `GTX 1080`.
        """
        if version is None:
            return self.named(name)
        tables = self.within(name)
        return self.of_version(tables, version) if tables else self.named(f"{name} {version}")

    def suggestion(self, name: str) -> str | None:
        """The name of a table or row that *name* was probably meant to be."""
        names = [*self.tables, *(found.row.name for found in self.rows())]
        names += {table.span.file[4:-5] for table in self.tables.values()}
        return nearest(name, names) or nearest_product(name, [one.row for one in self.rows()])


def load_library(loader: SourceLoader, cache: Cache | None = None) -> Library:
    """Every table of every module that *loader* has. Raises CompilerBug for a module with errors,
    because the library is part of tvarc."""
    library, sink = _load(loader, loader.std_names(), cache)
    for found in library.rows():
        len(found.row.facts)  # reading a row finds its errors
    for item in sink:
        if item.severity is not Severity.WARNING:
            raise CompilerBug(f"the standard library is broken: {item.title}")
    return library


@dataclass(frozen=True, slots=True)
class ProgramLibrary:
    """The library's tables with a program's changes, None if it adds nothing and corrects nothing.
    `sink` has the faults of the program, and `sources` are its files.
    """

    library: Library | None
    sink: Sink
    sources: SourceMap


def load_with_program(
    loader: SourceLoader,
    program: str,
    cache: Cache | None = None,
    inputs: Callable[[], ModuleInputs] | None = None,
) -> ProgramLibrary:
    """The tables with the additions and corrections of the file *program* and its modules. *inputs*
    makes the finder of modules from inputs."""
    sources, sink = SourceMap(), Sink()
    names = loader.std_names()
    graph = load(_ENTRY, _Users(loader, names, program), sources, sink, cache, inputs)
    assert graph is not None
    if not sink.has_errors and not any(
        isinstance(item, ast.Facts) and item.extends
        for module in graph.modules.values()
        for item in module.tree.items
    ):
        return ProgramLibrary(None, sink, sources)
    resolution = resolve(graph, sources, sink, loader.join)
    own = dict(resolution.program.tables)
    return ProgramLibrary(Library(own, sources), sink, sources)


def load_module(loader: SourceLoader, name: str, cache: Cache | None = None) -> Library:
    """The tables of the module *name* and of those that it uses. Its rows are stored in *cache* if
    they have no errors. `load_library` reports errors."""
    library, sink = _load(loader, (name,), cache)
    source = library.sources.get(f"std/{name}.tvar")
    if cache is not None and source is not None:
        from tvarc.advice.library.prebuilt import keep_rows

        keep_rows(source, library.tables, sink, cache)
    return library


def _load(
    loader: SourceLoader, modules: tuple[str, ...], cache: Cache | None
) -> tuple[Library, Sink]:
    sources, sink = SourceMap(), Sink()
    graph = load(_ENTRY, _Users(loader, modules), sources, sink, cache)
    assert graph is not None
    resolution = resolve(graph, sources, sink, loader.join)
    return Library(resolution.program.tables, sources), sink


@dataclass(slots=True, eq=False)
class _Users:
    """A loader with one more file, a program that uses *modules*, and with the file *program* if
    one is given."""

    loader: SourceLoader
    modules: tuple[str, ...]
    program: str | None = None

    @property
    def inputs(self) -> dict[str, str]:
        return self.loader.inputs

    def read(self, file: str) -> Source:
        if file == _ENTRY:
            uses = "".join(f"use std.{name}\n" for name in self.modules)
            return Source(file, uses + (_USES_PROGRAM if self.program is not None else ""))
        return self.loader.read(file)

    def join(self, importer: str, relative: str) -> str:
        if importer == _ENTRY and self.program is not None:
            return self.program
        return self.loader.join(importer, relative)

    def identity(self, file: str) -> str:
        return file if file == _ENTRY else self.loader.identity(file)

    def kind(self, file: str) -> FileKind:
        return self.loader.kind(file)

    def std(self, name: str) -> str | None:
        return self.loader.std(name)

    def std_names(self) -> tuple[str, ...]:
        return self.loader.std_names()


def _plain(text: str) -> str:
    """*text* in lower case without the separators between words."""
    return "".join(letter for letter in text.lower() if letter.isalnum())


def _known_by(row: RowValue) -> list[Version]:
    facts = [row.facts[name].value for name in _VERSIONS if name in row.facts]
    return [value for value in facts if isinstance(value, Version)]


def _architecture(row: RowValue) -> str:
    fact = row.facts.get("architecture")
    return fact.value if fact is not None and isinstance(fact.value, str) else ""


def _capability(row: RowValue) -> str:
    fact = row.facts.get("capability")
    return fact.value.text if fact is not None and isinstance(fact.value, Version) else ""


def _is_of(one: Version, wanted: Version) -> bool:
    return _begins(one, wanted) or one.compare(wanted) == 0


def _begins(one: Version, wanted: Version) -> bool:
    return one.parts[: len(wanted.parts)] == wanted.parts
