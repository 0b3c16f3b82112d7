"""The names of one module: its own declarations, its imports, and rows of its tables."""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Callable, Collection, Iterator, Literal, dataclass, field
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span
from tvarc.values.value import RowValue

if TYPE_CHECKING:
    from tvarc.meaning.names.library_names import LibraryNames
    from tvarc.text.diagnostics.message import Message

SymbolKind = Literal[
    "let",
    "table",
    "axis",
    "pin",
    "overlay",
    "patch",
    "recipe",
    "matrix",
    "variant",
    "output",
    "input",
    "module",
]


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared name. `file` is its source; `id` is unique in the program."""

    kind: SymbolKind
    name: str
    file: str
    span: Span

    @property
    def id(self) -> str:
        return f"{self.file}::{self.name}"

    def describe(self) -> str:
        if self.kind == "let":
            return f"`let {self.name}`"
        return f"{'facts table' if self.kind == 'table' else self.kind} `{self.name}`"


@dataclass(slots=True)
class ModuleScope:
    """The names of one module. `lost` are names that broken items may have declared; None
    when any name may be lost."""

    file: str
    own: dict[str, Symbol] = field(default_factory=dict)
    imported: dict[str, list[Symbol]] = field(default_factory=dict)
    # Names, each with the kind, that are declared once more and mean what is first.
    again: set[tuple[str, SymbolKind]] = field(default_factory=set)
    aliases: dict[str, ModuleScope] = field(default_factory=dict)
    lost: frozenset[str] | None = frozenset()
    # What the standard library has, for names that mean nothing here; None where nobody asks.
    library_names: Callable[[], LibraryNames] | None = None
    # The files that it uses.
    uses: set[str] = field(default_factory=set)
    tables: dict[str, hir.Table] = field(default_factory=dict)
    axes: dict[str, hir.AxisDef] = field(default_factory=dict)
    lets: dict[str, hir.LetDef] = field(default_factory=dict)
    # Ids of the axes in scope that have values, and are not named only.
    given: set[str] = field(default_factory=set)
    # The module's exclusions for all matrices, with those of modules that it uses.
    exclusions: list[hir.Check] = field(default_factory=list)
    # What `exclude MODULE` names, by the span of the name; None where there is no such module.
    excluded: dict[Span, ModuleScope | None] = field(default_factory=dict)

    # What package a recipe, an overlay or a patch in scope changes, by its id, where it says so.
    packages: dict[str, str] = field(default_factory=dict)

    def refuse_unused(
        self,
        message: Message,
        name: str,
        span: Span,
        sink: Sink,
        *,
        rows: bool,
        kind: str | None = None,
    ) -> bool:
        """Whether a module of the standard library has *name* and this file does not use it, which
        has been reported then by *message*; see `tvarc.meaning.names.library_names`."""
        if self.library_names is None:
            return False
        from tvarc.meaning.names.library_names import unused

        found = unused(name, self.library_names(), self.uses, rows=rows)
        if found is None:
            return False
        cause = f"{self.file} without {found.module}"
        sink.report(
            message, span, cause=cause, name=name, kind=kind, guess=None, advice=found.help
        )
        return True

    def take_exclusions(self, other: ModuleScope) -> None:
        """Let the exclusions of *other* apply wherever those of this module do."""
        self.exclusions += [check for check in other.exclusions if check not in self.exclusions]

    def find(self, name: str) -> list[Symbol]:
        """The symbols that *name* may mean here; more than one is ambiguous."""
        if name in self.own:
            return [self.own[name]]
        return self.imported.get(name, [])

    def all_tables(self) -> Iterator[hir.Table]:
        """Every table in scope, and the rows of axes that carry their own."""
        yield from self.tables.values()
        for axis in self.axes.values():
            if axis.table is not None and axis.table.origin == axis.id:
                yield axis.table

    def rows_named(self, name: str) -> list[RowValue]:
        """Rows called *name* in any table in scope, each table's origin once."""
        found: dict[str, RowValue] = {}
        for table in self.all_tables():
            row = table.rows.get(name)
            if row is not None:
                found[row.table] = row
        return list(found.values())

    def names(self) -> Iterator[str]:
        """Every name in scope, for suggestions."""
        yield from self.own
        yield from self.imported
        for table in self.all_tables():
            yield from table.rows

    def symbols(self) -> Iterator[Symbol]:
        """Every symbol in scope, the module's own first."""
        yield from self.own.values()
        for found in self.imported.values():
            yield from found

    def own_lets(self) -> dict[str, hir.LetDef]:
        """The `let`s that this module declares itself."""
        return {name: let for name, let in self.lets.items() if let.span.file == self.file}

    def is_lost(self, name: str) -> bool:
        return self.lost is None or name in self.lost


@dataclass(frozen=True, slots=True)
class View:
    """The names that one expression may use beyond its module.

    `lets` and `flags` are those of its recipe and of the recipes that this extends; `roots` are the
    Nix roots at its place; `fields` is the table whose row a `where` filters. `what` names the
    place in messages. `hash` says that the place is a hash, so `unlocked` is allowed; `locks` says
    that names of hashes lead to such places, and `hashes` that each key of a record here does.
    `listed_by` are the flags of all recipes, where an overlay may read those of the recipe that
    lists it; None elsewhere. An expression with `anywhere` is read in other places, where Nix text
    may have other roots. `path` is the path of the setting with this value.
    """

    what: str
    axes: bool = True
    settings: bool = True
    roots: frozenset[str] = frozenset()
    lets: dict[str, hir.LetDef] = field(default_factory=dict)
    flags: dict[str, hir.FlagDef] = field(default_factory=dict)
    fields: hir.Table | None = None
    hash: bool = False
    hashes: bool = False
    locks: bool = False
    listed_by: frozenset[str] | None = None
    anywhere: bool = False
    path: hir.Path = ()


@dataclass(frozen=True, slots=True)
class Marked:
    """A text with `${` in it, where it is written; `names` are those that its recipe adds, `roots`
    those of Nix that a value in it could begin with."""

    span: Span
    script: bool
    scope: ModuleScope
    names: Collection[str]
    roots: frozenset[str]


NEEDS = "needs"
NEEDED = "needed"
"""In the place of `needs`: whether there is a need of a name, and not what it leads to."""
ROOTS = ("pkgs", "caller", "final", "prev", "old", NEEDS)
IN_RECIPE = frozenset({"pkgs", "caller"})
IN_ATTRS = IN_RECIPE | {"old"}
IN_OVERLAY = IN_RECIPE | {"final", "prev"}
IN_OVERRIDE = IN_OVERLAY | {"old"}

PLAIN_SETTINGS = ("package", "pin", "scope", "overlays")
MATRIX_FIELDS = ("recipe", "axes", "name", "limit")
"""What a matrix says of itself, beside the settings of its variants."""
LATE_NAMES = ("variant", "recipe", "matrix", "package", "pin", "overlays")
