"""Resolve: modules become one program, in which no string names a thing."""

from __future__ import annotations

from tvarc.blocks import OF_RECIPE
from tvarc.light import TYPE_CHECKING, Callable, dataclass, field, replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.axes import Axes
from tvarc.meaning.declarations.expressions import Expressions, Join
from tvarc.meaning.declarations.facts import Extensions, Facts
from tvarc.meaning.declarations.inputs import Inputs
from tvarc.meaning.declarations.lets import Lets
from tvarc.meaning.declarations.matrices import Matrices, Shape
from tvarc.meaning.declarations.outputs import OF_JOBS, Outputs
from tvarc.meaning.declarations.recipes import Recipes
from tvarc.meaning.declarations.settings import Settings, describe
from tvarc.meaning.declarations.sources import Sources, is_nixpkgs
from tvarc.meaning.names.clashes import Reported, refuse_rows_like_axes
from tvarc.meaning.names.load import LoadedModule, ModuleGraph, dotted, lost_names
from tvarc.meaning.names.scope import (
    IN_RECIPE,
    PLAIN_SETTINGS,
    Marked,
    ModuleScope,
    Symbol,
    SymbolKind,
    View,
)
from tvarc.syntax import ast
from tvarc.syntax.terminals import NAMED
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.diagnostics.warning_names import JUDGED
from tvarc.text.source import SourceMap, Span
from tvarc.values.value import show_key

if TYPE_CHECKING:
    from tvarc.meaning.declarations.needs import Waiting
    from tvarc.meaning.declarations.noted import Notes
    from tvarc.meaning.names.library_names import LibraryNames


@dataclass(frozen=True, slots=True)
class Folders:
    """Finds the folders that declarations name by a relative path: the nixpkgs of a pin, and the
    folder of an input. Both methods raise UnreadableSource for a folder that no recipe should read.
    """

    pin: Join
    input: Join


@dataclass(slots=True)
class Collected:
    """The declarations of all modules so far."""

    recipes: dict[str, hir.RecipeDef] = field(default_factory=dict)
    overlays: list[hir.OverlayDef] = field(default_factory=list)
    pins: list[hir.PinDef] = field(default_factory=list)
    inputs: dict[str, hir.LetDef] = field(default_factory=dict)
    shapes: dict[str, Shape] = field(default_factory=dict)
    matrices: list[Shape] = field(default_factory=list)  # the same, in the order of the text
    extended_elsewhere: set[str] = field(default_factory=set)
    extended_at_all: set[str] = field(default_factory=set)
    tables: Extensions = field(default_factory=Extensions)
    outputs: list[hir.OutputDef] = field(default_factory=list)
    checks: list[hir.Check] = field(default_factory=list)
    conditions: list[hir.Condition] = field(default_factory=list)
    warn_off: list[hir.WarnOff] = field(default_factory=list)
    warns: dict[str, Span] = field(default_factory=dict)
    clashing: Reported = field(default_factory=set)
    marked: list[Marked] = field(default_factory=list)
    looked_for: set[str] = field(default_factory=set)
    links: list[Waiting] = field(default_factory=list)
    needed: list[Span] = field(default_factory=list)  # where needs are written


@dataclass(frozen=True, slots=True)
class Resolution:
    """The program; the names of the entry file, for expressions from the command line; and the
    texts for lints on sources."""

    program: hir.Program
    scope: ModuleScope
    marked: tuple[Marked, ...] = ()


def resolve(
    graph: ModuleGraph,
    sources: SourceMap,
    sink: Sink,
    join: Join,
    folders: Folders | None = None,
    library_names: Callable[[], LibraryNames] | None = None,
    notes: Notes | None = None,
) -> Resolution:
    """The program of *graph*. After errors it has only the resolved part. *join* returns the names
    of the files that `path(…)` means, and *folders* those of pins and inputs; all may raise
    UnreadableSource. *library_names* finds the module that has an unknown name, for messages.
    *notes* gets the meanings of all names that are not in the library."""
    collected = Collected()
    folders = folders or Folders(join, join)
    scopes: dict[str, ModuleScope] = {}
    modules: list[_Module] = []
    flags = _all_flags(graph)
    for file, module in graph.modules.items():
        source = sources.get(file)
        lost = lost_names(module, source) if source else frozenset()
        scope = ModuleScope(file, lost=lost)
        expressions = _expressions(scope, sink, join, None if module.std else notes)
        made = _Module(module, scopes, collected, sink, expressions, folders, flags)
        taken = graph.input_of(file)
        if taken is not None:
            # The declaration is checked in its own module.
            quiet = Expressions(made.scope, Sink(), join)
            made.expressions.inside = Inputs(quiet, folders.input, quiet.sink).input(taken.item)
        modules.append(made)
        scopes[file] = made.scope
        made.scope.library_names = None if module.std else library_names
        made.declare_all()
    if notes is not None:
        notes.scopes.update(scopes)
    # A table is known when the last module has added to it. Nothing else is resolved before that,
    # so a table is the same in all places.
    collected.tables.finish(sink)
    for one in modules:
        one.resolve()
    _check_warn_off(collected, sink)
    entry = scopes[graph.entry]
    matrices = [
        shape.matrix()
        for shape in collected.matrices
        if not shape.open and shape.id not in collected.extended_elsewhere
    ]
    patterns = [shape for shape in collected.matrices if shape.open]
    # Other programs may extend the matrices of a library. So may what was left out of this one.
    library = not any(output.span.file == graph.entry for output in collected.outputs)
    library = library or not graph.whole
    _refuse_open(patterns, collected, scopes, graph.entry, library=library, sink=sink)
    if collected.needed:
        matrices = _with_needs(matrices, collected, library=library, sink=sink)
    program = hir.Program(
        graph.entry,
        entry.lets,
        dict(entry.tables),
        _all_axes(scopes, entry),
        tuple(collected.pins),
        tuple(collected.overlays),
        tuple(collected.recipes.values()),
        tuple(matrices),
        tuple(entry.exclusions),
        _excludes_of(matrices, scopes, entry),
        tuple(collected.checks),
        tuple(collected.conditions),
        tuple(collected.warn_off),
        tuple([output for output in collected.outputs if output.form == "recipes"]),
        tuple(
            hir.Pattern(one.name, tuple(term.axis.name for term in one.open), one.span)
            for one in patterns
        ),
        collected.tables.extended,
        tuple([output for output in collected.outputs if output.form in ("all", "flake")]),
        tuple(collected.inputs.values()),
        bool(collected.needed),
        any(one.link.by_argument for one in collected.links),
        tuple([output for output in collected.outputs if output.form == "flox-manifest"]),
        tuple([output for output in collected.outputs if output.form in OF_JOBS]),
        tuple([output for output in collected.outputs if output.form == "docs"]),
        frozenset(collected.looked_for),
    )
    return Resolution(program, entry, tuple(collected.marked))


def _expressions(scope: ModuleScope, sink: Sink, join: Join, notes: Notes | None) -> Expressions:
    """The expressions of the module with *scope*. *notes*, if there are any, get their meanings."""
    if notes is None:
        return Expressions(scope, sink, join)
    from tvarc.meaning.declarations.noted import NotedExpressions

    return NotedExpressions(scope, sink, join, notes)


def _with_needs(
    matrices: list[hir.MatrixDef], collected: Collected, *, library: bool, sink: Sink
) -> list[hir.MatrixDef]:
    """*matrices* with the needs of their recipes: links are filled in, and cells without a needed
    variant are dropped.
    """
    from tvarc.meaning.declarations.needs import (
        exclusions,
        finish_links,
        refuse_circles,
        refuse_many,
    )

    if refuse_many(collected.recipes, sink):
        return []
    dropping = [
        replace(
            one, excludes=(*one.excludes, *exclusions(one.recipe, one.layers, collected.recipes))
        )
        for one in matrices
    ]
    shapes = {one.id: tuple(term.axis for term in one.terms) for one in collected.matrices}
    finish_links(collected.links, dropping, shapes, library=library, sink=sink)
    refuse_circles(dropping, collected.recipes, sink)
    return dropping


def _all_flags(graph: ModuleGraph) -> frozenset[str]:
    """The names of all flags that recipes and matrices of any module declare. The recipe that lists
    an overlay decides which of them the overlay can read."""
    bodies = [
        item.body
        for module in graph.modules.values()
        for item in module.tree.items
        if isinstance(item, ast.Recipe | ast.Matrix | ast.Variant)
    ]
    return frozenset(
        inner.name.text
        for body in bodies
        for inner in body
        if isinstance(inner, ast.Flag) and inner.type is not None
    )


def _excludes_of(
    matrices: list[hir.MatrixDef], scopes: dict[str, ModuleScope], entry: ModuleScope
) -> dict[str, tuple[hir.Check, ...]]:
    """The exclusions of each file with matrices that apply to no others."""
    found: dict[str, tuple[hir.Check, ...]] = {}
    for file in dict.fromkeys(file for matrix in matrices for file in matrix.files):
        own = tuple(c for c in scopes[file].exclusions if c not in entry.exclusions)
        if own:
            found[file] = own
    return found


def _refuse_open(
    patterns: list[Shape],
    collected: Collected,
    scopes: dict[str, ModuleScope],
    entry: str,
    *,
    library: bool,
    sink: Sink,
) -> None:
    """Report each axis without values of a matrix of the file *entry* that nothing extends. A file
    that may be a library is not reported: its patterns are for the programs that extend them."""
    for shape in patterns:
        if shape.span.file != entry or shape.id in collected.extended_at_all or library:
            continue
        for term in shape.open:
            name, table = term.axis.name, term.axis.table
            symbol = scopes[entry].own.get(name)
            if symbol is not None and symbol.kind == "axis" and symbol.id != term.axis.id:
                continue  # its values are wrong, which is already reported
            if scopes[entry].is_lost(name):
                continue
            own = term.written.span.file == entry
            written = term.written.base if isinstance(term.written, ast.Index) else term.written
            elsewhere = _given_elsewhere(term.axis, scopes)
            places = [(term.axis.span, "named here")]
            if not own:
                places.append((written.span, "used here"))
            places += [(axis.span, "given values here") for _, axis in elsewhere]
            alias = next(
                (
                    alias
                    for alias, module in scopes[entry].aliases.items()
                    if any(file == module.file for file, _ in elsewhere)
                ),
                "",
            )
            sink.report(
                msg.declarations.NO_VALUES
                if not elsewhere
                else msg.declarations.VALUES_IN_MODULE
                if alias
                else msg.declarations.VALUES_ELSEWHERE,
                written.span if own else shape.span,
                others=places,
                name=name,
                module=alias if own else None,
                table=table.name if table else "TABLE",
            )


def _given_elsewhere(
    axis: hir.AxisDef, scopes: dict[str, ModuleScope]
) -> list[tuple[str, hir.AxisDef]]:
    """The axes with this name to which other modules give values of this table, each with its file.
    """
    found: list[tuple[str, hir.AxisDef]] = []
    for file, scope in scopes.items():
        given = scope.axes.get(axis.name) if axis.name in scope.own else None
        if given is None or given.values is None:
            continue
        if axis.table is None or (given.table and given.table.origin == axis.table.origin):
            found.append((file, given))
    return found


def _all_axes(scopes: dict[str, ModuleScope], entry: ModuleScope) -> dict[str, hir.AxisDef]:
    found: dict[str, hir.AxisDef] = {}
    for scope in (*scopes.values(), entry):
        for name, axis in scope.axes.items():
            if axis.values is not None or name not in found:
                found[name] = axis
    return found


def _check_warn_off(collected: Collected, sink: Sink) -> None:
    known = (*collected.warns, *LINTS, *JUDGED)
    for off in collected.warn_off:
        if off.name not in known:
            sink.report(
                msg.declarations.UNKNOWN_WARNING,
                off.span,
                notes=(
                    *(("warnings: " + ", ".join(collected.warns),) if collected.warns else ()),
                    "lints: " + ", ".join(LINTS),
                    "warnings of `check --eval`: " + ", ".join(JUDGED),
                ),
                name=off.name,
                guess=guess(off.name, known),
            )


_KINDS: dict[type[ast.Item], SymbolKind] = {
    ast.Let: "let",
    ast.Facts: "table",
    ast.Axis: "axis",
    ast.Pin: "pin",
    ast.Overlay: "overlay",
    ast.Patch: "patch",
    ast.Recipe: "recipe",
    ast.Matrix: "matrix",
    ast.Variant: "variant",
    ast.Output: "output",
    ast.Input: "input",
}


def _package_of(item: ast.Item) -> str:
    """The package that *item* changes, if the item states it directly."""
    match item:
        case ast.Overlay() | ast.Patch() if (
            item.target and getattr(item, "relation", "for") == "for"
        ):
            target = item.target[1:] if is_nixpkgs(item.target) else item.target
            keys = [key for key in target if isinstance(key, ast.Key)]
            if len(keys) == len(target):
                return ".".join(("pkgs", *(show_key(key.text) for key in keys)))
        case ast.Recipe():
            for inner in item.body:
                if isinstance(inner, ast.Assign) and [k.text for k in inner.path] == ["package"]:
                    return ".".join(map(show_key, dotted(inner.value)))
    return ""


class _Module:
    """Resolves one module. All modules that it imports must be resolved."""

    def __init__(
        self,
        module: LoadedModule,
        scopes: dict[str, ModuleScope],
        collected: Collected,
        sink: Sink,
        expressions: Expressions,
        folders: Folders,
        flags: frozenset[str],
    ) -> None:
        self.module = module
        self.items = module.tree.items
        self.scopes = scopes
        self.collected = collected
        self.sink = sink
        self.scope = expressions.scope
        self.expressions = expressions
        self.lets = Lets(self.expressions, Inputs(self.expressions, folders.input, sink), sink)
        self.facts = Facts(
            self.scope,
            self.expressions,
            sink,
            self.lets.demand,
            collected.tables,
            module.data,
            later=module.std,
        )
        self.axes = Axes(self.facts)
        self.settings = Settings(
            self.scope,
            self.expressions,
            self.facts,
            collected.warns,
            collected.links,
            collected.needed,
            sink,
        )
        self.from_outside = Sources(self.settings, folders.pin, flags)
        self.recipes = Recipes(self.items, self.settings, self.lets, collected.recipes)

    def declare_all(self) -> None:
        """Declare names, and tables with their rows: everything that other modules may add to."""
        self.imports()
        self.declare()
        self.lets.declare(
            self.items,
            self.scope.lets,
            self.scope.file,
            View("a `let`", roots=IN_RECIPE, anywhere=True),
        )
        for item in self.items:
            if isinstance(item, ast.Facts):
                self.facts.facts(item)

    def resolve(self) -> None:
        """Resolve everything else, after the tables of the program are known."""
        self.import_axes()
        for item in self.items:
            if isinstance(item, ast.Axis):
                axis = self.axes.axis(item)
                if axis is not None and item.name.text in self.scope.own:
                    self.scope.axes[item.name.text] = axis
                    if axis.values is not None:
                        self.scope.given.add(axis.id)
        refuse_rows_like_axes(self.scope, self.imported_at, self.collected.clashing, self.sink)
        for let in self.scope.lets.values():
            self.lets.demand(let)
        for item in self.items:
            if isinstance(item, ast.Recipe):
                self.recipes.recipe(item)
        shapes = self.collected.shapes
        matrices = Matrices(self.items, self.settings, self.axes, self.recipes, shapes)
        for item in self.items:
            self.item(item, matrices)
        if not self.module.std:
            self.collected.marked += self.expressions.marked
            self.collected.looked_for |= self.expressions.looked_for

    # --- names ---------------------------------------------------------------------------

    def imports(self) -> None:
        excluded = self.module.excluded
        for span, file in excluded.items():
            self.scope.excluded[span] = self.scopes[file] if file is not None else None
        for found in self.module.imports:
            other = self.scopes[found.file]
            self.scope.uses.add(found.file)
            if found.use.alias is not None:
                alias = found.use.alias
                self.add(Symbol("module", alias.text, self.scope.file, alias.span))
                self.scope.aliases[alias.text] = other
                continue
            for name, symbol in other.own.items():
                if symbol.kind in ("module", "output"):
                    continue
                into = self.scope.imported.setdefault(name, [])
                if all(known.id != symbol.id for known in into):
                    into.append(symbol)
            self.scope.lets |= other.own_lets()
            self.scope.packages |= other.packages
            for name, table in other.tables.items():
                if name in other.own:
                    self.scope.tables[name] = table

    def import_axes(self) -> None:
        """Add the axes and exclusions of imported modules, which are already resolved."""
        excluded = self.module.excluded
        for found in self.module.imports:
            other = self.scopes[found.file]
            if found.file not in excluded.values():  # or that says where they apply
                self.scope.take_exclusions(other)
            if found.use.alias is None:
                for name, axis in other.axes.items():
                    if name in other.own:
                        self.take_axis(name, axis)

    def imported_at(self, file: str) -> Span | None:
        """The place where this module imports *file*."""
        return next((one.use.target for one in self.module.imports if one.file == file), None)

    def take_axis(self, name: str, axis: hir.AxisDef) -> None:
        """Add an axis to the scope. An axis with values replaces one that is only named."""
        known = self.scope.axes.get(name)
        if known is None or known.values is None:
            self.scope.axes[name] = axis
        if axis.values is not None:
            self.scope.given.add(axis.id)

    def add(self, symbol: Symbol) -> None:
        first = self.scope.own.get(symbol.name)
        if first is not None:
            self.scope.again.add((symbol.name, symbol.kind))
            above, below = first, symbol
            if first.file == symbol.file and symbol.span.start < first.span.start:
                above, below = symbol, first
            shared = {first.kind: first.describe(), symbol.kind: symbol.describe()}
            self.sink.report(
                msg.declarations.DECLARED_TWICE,
                below.span,
                others=[above.span],
                name=symbol.name,
                kinds=" and ".join(shared.values()) if len(shared) > 1 else None,
                module=symbol.name if "module" in shared else None,
            )
            return
        for other in self.scope.imported.get(symbol.name, ()):
            named_only = other.kind == "axis" and symbol.kind == "axis"
            if not named_only or self.axis_has_values(other):
                self.scope.again.add((symbol.name, symbol.kind))
                self.sink.report(
                    msg.declarations.DECLARED_IN_MODULE_TOO,
                    symbol.span,
                    others=[other.span],
                    name=symbol.name,
                )
                return
        self.scope.own[symbol.name] = symbol

    def axis_has_values(self, symbol: Symbol) -> bool:
        axis = (
            self.scopes[symbol.file].axes.get(symbol.name) if symbol.file in self.scopes else None
        )
        return axis is not None and axis.values is not None

    def declare(self) -> None:
        for item in self.items:
            kind = _KINDS.get(type(item))
            if isinstance(item, ast.Recipe) and item.partial:
                kind = "mixin"
            name = getattr(item, "name", None)
            if kind is None or not isinstance(name, ast.Name):
                continue
            if isinstance(item, ast.Facts) and item.extends:
                # One table, wherever it is added to: importers of both see it once.
                table = self.scope.tables.get(name.text)
                file = table.origin.rpartition("::")[0] if table else self.scope.file
                if name.text not in self.scope.own and all(
                    one.kind == "table" for one in self.scope.imported.get(name.text, ())
                ):
                    self.scope.own[name.text] = Symbol(kind, name.text, file, name.span)
                continue
            self.add(Symbol(kind, name.text, self.scope.file, name.span))
            package = _package_of(item)
            if package:
                self.scope.packages[f"{self.scope.file}::{name.text}"] = package

    # --- the rest ------------------------------------------------------------------------

    def item(self, item: ast.Item, matrices: Matrices) -> None:
        symbol = self.own_symbol(item)
        match item:
            case ast.Overlay() if symbol:
                self.collected.overlays.append(self.from_outside.overlay(item, symbol))
            case ast.Patch() if symbol:
                self.collected.overlays.append(self.from_outside.patch(item, symbol))
            case ast.Pin() if symbol:
                self.collected.pins.append(self.from_outside.pin(item, symbol))
            case ast.Matrix() | ast.Variant() if symbol:
                shape = matrices.matrix(item)
                if shape is not None:
                    self.collected.matrices.append(shape)
                    self.extends(shape)
            case ast.Output() if symbol:
                output = Outputs(self.expressions, self.sink).output(item)
                if output is not None:
                    self.collected.outputs.append(output)
            case ast.Exclude() | ast.Require() | ast.Warn() | ast.When():
                self.check(item, ())
            case ast.Input():
                self.only_input(item)
            case ast.Include():
                self.settings.refuse_include(item)
            case ast.Assign() | ast.Block() | ast.Script() | ast.Part() | ast.Flag() | ast.Needs():
                self.not_at_top(item)
            case _:
                pass

    def not_at_top(self, item: ast.Item) -> None:
        """Report an item that belongs in a recipe, or a declaration with the form of such an item.
        """
        first: ast.Key | ast.Name | None = None
        if isinstance(item, ast.Assign) and len(item.path) == 1:
            first = item.path[0]
        elif isinstance(item, ast.Block):
            first = item.name
        word = first.text if first is not None else ""
        message = msg.declarations.NOT_AT_TOP
        if word in ("exclude", "require"):
            message = msg.declarations.SET_LIKE_A_VALUE
        elif word in NAMED:
            message = msg.declarations.NAMELESS
        named = isinstance(item, ast.Assign) and word not in (*OF_RECIPE, *PLAIN_SETTINGS)
        if word in ("locals", "variables", "vars"):
            named, word = True, "NAME"
        self.sink.report(
            message, item.span, item=describe(item), word=word, values=word if named else ""
        )

    def only_input(self, item: ast.Input) -> None:
        """Report *item* if an input of another module has its name. A recipe has one argument for
        each name."""
        own = self.scope.lets[item.name.text]
        first = self.collected.inputs.setdefault(item.name.text, own).span
        if first.file != item.name.span.file:
            self.sink.report(
                msg.declarations.INPUT_TWICE, item.name.span, others=[first], name=item.name.text
            )

    def extends(self, shape: Shape) -> None:
        """Note the matrices that *shape* extends. Those of other modules are replaced by *shape*.
        """
        for base in shape.layers[:-1]:
            self.collected.extended_at_all.add(base.id)
            if base.span.file != shape.span.file:
                self.collected.extended_elsewhere.add(base.id)

    def own_symbol(self, item: ast.Item) -> Symbol | None:
        name = getattr(item, "name", None)
        if not isinstance(name, ast.Name):
            return None
        symbol = self.scope.own.get(name.text)
        return symbol if symbol is not None and symbol.span == name.span else None

    def check(self, item: ast.Item, conditions: tuple[hir.Condition, ...]) -> None:
        """Add a top-level check. It applies to every matrix that has all axes that it names."""
        view = View("a check")
        match item:
            case ast.When():
                into = self.collected.conditions
                for items, held in self.settings.when(item, view, conditions, into):
                    for inner in items:
                        self.check(inner, held)
            case ast.Exclude():
                self.settings.add_check(item, view, conditions, self.scope.exclusions)
            case ast.Include():
                self.settings.refuse_include(item)
            case ast.Warn() if item.condition is None:
                if conditions:
                    self.sink.report(msg.settings.ONLY_AT_TOP, item.span, item=describe(item))
                elif item.because is None:
                    self.sink.report(
                        msg.declarations.OFF_WITHOUT_REASON, item.span, name=item.name.text
                    )
                self.collected.warn_off.append(
                    hir.WarnOff(item.name.text, self.settings.because(item.because), item.name.span)
                )
            case ast.Warn() | ast.Require():
                self.settings.add_check(item, view, conditions, self.collected.checks)
            case _:
                self.sink.report(msg.declarations.IN_TOP_WHEN, item.span, item=describe(item))
