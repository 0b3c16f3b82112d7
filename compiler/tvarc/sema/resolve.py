"""Resolve: modules become one program in which nothing is named by a string any more."""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.registry import LINTS
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.light import dataclass, field, replace
from tvarc.sema import hir
from tvarc.sema.axes import Axes
from tvarc.sema.expressions import Expressions, Join
from tvarc.sema.facts import Facts
from tvarc.sema.lets import Lets
from tvarc.sema.load import LoadedModule, ModuleGraph, lost_names
from tvarc.sema.matrices import Matrices
from tvarc.sema.recipes import Recipes
from tvarc.sema.scope import ModuleScope, Symbol, SymbolKind, View
from tvarc.sema.settings import Settings, describe
from tvarc.sema.sources import Sources
from tvarc.source import SourceMap, Span
from tvarc.syntax import ast


@dataclass(slots=True)
class Collected:
    """What all modules have declared so far."""

    recipes: dict[str, hir.RecipeDef] = field(default_factory=dict)
    overlays: list[hir.OverlayDef] = field(default_factory=list)
    pins: list[hir.PinDef] = field(default_factory=list)
    matrices: list[hir.MatrixDef] = field(default_factory=list)
    outputs: list[hir.OutputDef] = field(default_factory=list)
    checks: list[hir.Check] = field(default_factory=list)
    conditions: list[hir.Condition] = field(default_factory=list)
    warn_off: list[hir.WarnOff] = field(default_factory=list)
    warns: dict[str, Span] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Resolution:
    """The program, and the names of the entry file, for expressions from the command line."""

    program: hir.Program
    scope: ModuleScope


def resolve(graph: ModuleGraph, sources: SourceMap, sink: Sink, join: Join) -> Resolution:
    """The program of *graph*. Where there are errors it holds what could be resolved."""
    collected = Collected()
    scopes: dict[str, ModuleScope] = {}
    for file, module in graph.modules.items():
        source = sources.get(file)
        lost = lost_names(module, source) if source else frozenset()
        scopes[file] = _Module(file, module, scopes, collected, sink, join, lost).resolve()
    _check_warn_off(collected, sink)
    entry = scopes[graph.entry]
    program = hir.Program(
        graph.entry,
        tuple(collected.matrices),
        tuple(collected.recipes.values()),
        tuple(collected.overlays),
        tuple(collected.pins),
        tuple(collected.outputs),
        tuple(entry.exclusions),
        _excludes_of(collected.matrices, scopes, entry),
        tuple(collected.checks),
        tuple(collected.conditions),
        tuple(collected.warn_off),
        entry.lets,
        _all_axes(scopes, entry),
        {name: copies[-1][1] for name, copies in entry.tables.items()},
    )
    return Resolution(program, entry)


def _excludes_of(
    matrices: list[hir.MatrixDef], scopes: dict[str, ModuleScope], entry: ModuleScope
) -> dict[str, tuple[hir.Check, ...]]:
    """The exclusions of each file with matrices that apply to no others."""
    found: dict[str, tuple[hir.Check, ...]] = {}
    for file in dict.fromkeys(matrix.span.file for matrix in matrices):
        own = tuple(c for c in scopes[file].exclusions if c not in entry.exclusions)
        if own:
            found[file] = own
    return found


def _all_axes(scopes: dict[str, ModuleScope], entry: ModuleScope) -> dict[str, hir.AxisDef]:
    found: dict[str, hir.AxisDef] = {}
    for scope in (*scopes.values(), entry):
        for name, axis in scope.axes.items():
            if axis.values is not None or name not in found:
                found[name] = axis
    return found


def _check_warn_off(collected: Collected, sink: Sink) -> None:
    known = (*collected.warns, *LINTS)
    for off in collected.warn_off:
        if off.name not in known:
            sink.error(
                "E201",
                f"no warning is called `{off.name}`",
                off.span,
                "unknown warning",
                notes=(
                    *(("warnings: " + ", ".join(collected.warns),) if collected.warns else ()),
                    "lints: " + ", ".join(LINTS),
                ),
                help=did_you_mean(off.name, known),
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


class _Module:
    """Resolves one module, all it imports being done."""

    def __init__(
        self,
        file: str,
        module: LoadedModule,
        scopes: dict[str, ModuleScope],
        collected: Collected,
        sink: Sink,
        join: Join,
        lost: frozenset[str] | None,
    ) -> None:
        self.module = module
        self.items = module.tree.items
        self.scopes = scopes
        self.collected = collected
        self.sink = sink
        self.scope = ModuleScope(file, lost=lost)
        self.expressions = Expressions(self.scope, sink, join)
        self.lets = Lets(self.expressions, sink)
        self.facts = Facts(self.scope, self.expressions, sink, self.lets.demand, later=module.std)
        self.axes = Axes(self.facts)
        self.settings = Settings(self.scope, self.expressions, self.facts, collected.warns, sink)
        self.from_outside = Sources(self.settings)
        self.recipes = Recipes(self.items, self.settings, self.lets, collected.recipes)

    def resolve(self) -> ModuleScope:
        self.imports()
        self.declare()
        self.lets.declare(
            self.items, self.scope.lets, self.scope.file, View("a `let`", roots=frozenset({"pkgs"}))
        )
        for item in self.items:
            if isinstance(item, ast.Facts):
                self.facts.facts(item)
        for item in self.items:
            if isinstance(item, ast.Axis):
                axis = self.axes.axis(item)
                if axis is not None and item.name.text in self.scope.own:
                    self.scope.axes[item.name.text] = axis
                    if axis.values is not None:
                        self.scope.given.add(axis.id)
        for let in self.scope.lets.values():
            self.lets.demand(let)
        for item in self.items:
            if isinstance(item, ast.Recipe):
                self.recipes.recipe(item)
        matrices = Matrices(self.scope, self.settings, self.axes, self.collected.recipes, self.sink)
        for item in self.items:
            self.item(item, matrices)
        return self.scope

    # --- names ---------------------------------------------------------------------------

    def imports(self) -> None:
        excluded = self.module.excluded
        for span, file in excluded.items():
            self.scope.excluded[span] = self.scopes[file] if file is not None else None
        for found in self.module.imports:
            other = self.scopes[found.file]
            if found.file not in excluded.values():  # or that says where they apply
                self.scope.take_exclusions(other)
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
            for name, axis in other.axes.items():
                if name in other.own:
                    self.take_axis(name, axis)
            for name, copies in other.tables.items():
                if name in other.own:
                    self.scope.tables[name] = [(-1, copies[-1][1])]

    def take_axis(self, name: str, axis: hir.AxisDef) -> None:
        """An axis in scope: one with values counts for more than one that is only named."""
        known = self.scope.axes.get(name)
        if known is None or known.values is None:
            self.scope.axes[name] = axis
        if axis.values is not None:
            self.scope.given.add(axis.id)

    def add(self, symbol: Symbol) -> None:
        first = self.scope.own.get(symbol.name)
        if first is not None:
            self.sink.error(
                "E202",
                f"`{symbol.name}` is declared twice",
                symbol.span,
                "again here",
                others=((first.span, "first here"),),
                help="give one of them another name",
            )
            return
        for other in self.scope.imported.get(symbol.name, ()):
            named_only = other.kind == "axis" and symbol.kind == "axis"
            if not named_only or self.axis_has_values(other):
                self.sink.error(
                    "E202",
                    f"`{symbol.name}` is declared twice",
                    symbol.span,
                    "again here",
                    others=((other.span, "imported from here"),),
                    help="give it another name, or import the module as `use … as NAME`",
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
            name = getattr(item, "name", None)
            if kind is None or not isinstance(name, ast.Name):
                continue
            if isinstance(item, ast.Facts) and item.extends:
                if name.text not in self.scope.own:
                    self.scope.own[name.text] = Symbol(kind, name.text, self.scope.file, name.span)
                continue
            self.add(Symbol(kind, name.text, self.scope.file, name.span))

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
                matrix = matrices.matrix(
                    item, symbol, self.recipes.inherited, self.recipes.body_view
                )
                if matrix is not None:
                    self.collected.matrices.append(matrix)
            case ast.Output() if symbol:
                output = matrices.output(item)
                if output is not None:
                    self.collected.outputs.append(output)
            case ast.Exclude() | ast.Require() | ast.Warn() | ast.When():
                self.check(item, ())
            case ast.Input():
                self.sink.error("E213", "inputs are not supported by this version", item.span)
            case ast.Assign() | ast.Block() | ast.Script() | ast.Part() | ast.Flag() | ast.Needs():
                self.sink.error(
                    "E209",
                    f"{describe(item)} cannot stand at top level",
                    item.span,
                    "cannot stand here",
                    help="settings stand in a recipe",
                )
            case _:
                pass

    def own_symbol(self, item: ast.Item) -> Symbol | None:
        name = getattr(item, "name", None)
        if not isinstance(name, ast.Name):
            return None
        symbol = self.scope.own.get(name.text)
        return symbol if symbol is not None and symbol.span == name.span else None

    def check(self, item: ast.Item, conditions: tuple[hir.Condition, ...]) -> None:
        """Top-level checks, for every matrix that has all the axes they name."""
        view = View("a check")
        match item:
            case ast.When():
                expr = self.expressions.condition(
                    item.condition, replace(view, what="`when`"), "when"
                )
                condition = hir.Condition(expr, item.condition.span)
                if item.body:
                    self.collected.conditions.append(condition)
                else:
                    self.settings.empty_when(item)
                for inner in item.body:
                    self.check(inner, (*conditions, condition))
            case ast.Exclude():
                self.settings.add_check(item, view, conditions, self.scope.exclusions)
            case ast.Warn() if item.condition is None:
                if conditions:
                    self.settings.misplaced(item, "a warning is switched off at top level")
                elif item.because is None:
                    self.sink.error(
                        "E208",
                        "a warning is switched off for a reason",
                        item.span,
                        "no `because`",
                        help=f'`warn {item.name.text} = off because "…"`',
                    )
                self.collected.warn_off.append(
                    hir.WarnOff(item.name.text, self.settings.because(item.because), item.name.span)
                )
            case ast.Warn():
                self.settings.add_check(item, view, conditions, self.collected.checks)
            case ast.Require():
                self.settings.add_check(item, view, conditions, self.collected.checks)
            case _:
                self.settings.misplaced(
                    item,
                    f"{describe(item)} cannot stand in a top-level `when`",
                    "`exclude`, `require` and `warn` can; settings stand in a recipe",
                )
