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
    "mixin",
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
    """The names of one module. `lost` are names that broken items may have declared; None if any
    name may be lost."""

    file: str
    own: dict[str, Symbol] = field(default_factory=dict)
    imported: dict[str, list[Symbol]] = field(default_factory=dict)
    # Names, with their kinds, that are declared more than once. The first declaration counts.
    again: set[tuple[str, SymbolKind]] = field(default_factory=set)
    aliases: dict[str, ModuleScope] = field(default_factory=dict)
    lost: frozenset[str] | None = frozenset()
    # Finds names in the standard library that have no meaning here; None if they are not needed.
    library_names: Callable[[], LibraryNames] | None = None
    # The files that this module uses.
    uses: set[str] = field(default_factory=set)
    tables: dict[str, hir.Table] = field(default_factory=dict)
    axes: dict[str, hir.AxisDef] = field(default_factory=dict)
    lets: dict[str, hir.LetDef] = field(default_factory=dict)
    # The ids of the axes in scope that have values. Other axes are only named.
    given: set[str] = field(default_factory=set)
    # The module's exclusions for all matrices, with those of modules that it uses.
    exclusions: list[hir.Check] = field(default_factory=list)
    # The modules of `exclude MODULE`, by the span of the name. None if there is no such module.
    excluded: dict[Span, ModuleScope | None] = field(default_factory=dict)

    # The package that a recipe, an overlay or a patch in scope changes, by its id, if it states
    # one.
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
        """Whether a module of the standard library has *name*, and this file does not use the
        module. It is then reported with *message*. See `tvarc.meaning.names.library_names`."""
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
        """Apply the exclusions of *other* wherever those of this module apply."""
        self.exclusions += [check for check in other.exclusions if check not in self.exclusions]

    def find(self, name: str) -> list[Symbol]:
        """The symbols that *name* may mean here; more than one is ambiguous."""
        if name in self.own:
            return [self.own[name]]
        return self.imported.get(name, [])

    def all_tables(self) -> Iterator[hir.Table]:
        """The tables in scope, and those of axes that have their own rows."""
        yield from self.tables.values()
        for axis in self.axes.values():
            if axis.table is not None and axis.table.origin == axis.id:
                yield axis.table

    def rows_named(self, name: str) -> list[RowValue]:
        """The rows with this *name* in all tables in scope, one for each table."""
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

    - `what`: the place of the expression, for messages.
    - `lets`, `flags`: those of its recipe and of all recipes that this one extends.
    - `roots`: the Nix roots that are available at its place.
    - `fields`: the table whose rows a `where` filters.
    - `elements`: the names that a `for` gives to elements of lists, with their places.
    - `hash`: the value is a hash, so `unlocked` is allowed. `locks`: names of hashes lead to such
      values. `hashes`: each key of a record here does.
    - `listed_by`: the flags of all recipes, if an overlay may read those of the recipe that lists
      it; else None.
    - `anywhere`: the value is read in other places. Nix text may have other roots there, and
      `unlocked` is allowed because a place may be that of a hash.
    - `path`: the path of the setting with this value.
    """

    what: str
    axes: bool = True
    settings: bool = True
    roots: frozenset[str] = frozenset()
    lets: dict[str, hir.LetDef] = field(default_factory=dict)
    flags: dict[str, hir.FlagDef] = field(default_factory=dict)
    fields: hir.Table | None = None
    elements: dict[str, Span] = field(default_factory=dict)
    hash: bool = False
    hashes: bool = False
    locks: bool = False
    listed_by: frozenset[str] | None = None
    anywhere: bool = False
    path: hir.Path = ()


@dataclass(frozen=True, slots=True)
class Marked:
    """A string with `${` in it, and its place. `names` are the names that its recipe adds. `roots`
    are the roots of Nix that a value in it could begin with."""

    span: Span
    script: bool
    scope: ModuleScope
    names: Collection[str]
    roots: frozenset[str]


NEEDS = "needs"
NEEDED = "needed"
"""In the place of `needs`: only whether a need exists, not the variant that it leads to."""
NEED_NAMED = "need named"
"""In the place of `needs`: only the name of the variant that the need leads to."""
ROOTS = ("pkgs", "caller", "final", "prev", "old", NEEDS)
IN_RECIPE = frozenset({"pkgs", "caller"})
IN_ATTRS = IN_RECIPE | {"old"}
IN_OVERLAY = IN_RECIPE | {"final", "prev"}
IN_OVERRIDE = IN_OVERLAY | {"old"}

PLAIN_SETTINGS = ("package", "pin", "scope", "overlays")
MATRIX_FIELDS = ("recipe", "axes", "name", "limit")
"""The fields of a matrix itself, apart from the settings of its variants."""
LATE_NAMES = ("variant", "recipe", "matrix", "package", "pin", "overlays")
