"""Resolve: modules become one program in which nothing is named by a string any more."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.sema import hir
from tvarc.sema.axes import Axes
from tvarc.sema.cycles import let_cycles
from tvarc.sema.expressions import Expressions, Join
from tvarc.sema.facts import Facts
from tvarc.sema.load import LoadedModule, ModuleGraph, lost_names
from tvarc.sema.matrices import Matrices
from tvarc.sema.scope import IN_ATTRS, ModuleScope, Symbol, SymbolKind, View
from tvarc.sema.settings import Body, Settings, describe
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
    excludes: list[hir.Check] = field(default_factory=list)
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
        tuple(collected.excludes),
        tuple(collected.checks),
        tuple(collected.conditions),
        tuple(collected.warn_off),
        entry.lets,
        _all_axes(scopes, entry),
        {name: copies[-1][1] for name, copies in entry.tables.items()},
    )
    return Resolution(program, entry)


def _all_axes(scopes: dict[str, ModuleScope], entry: ModuleScope) -> dict[str, hir.AxisDef]:
    found: dict[str, hir.AxisDef] = {}
    for scope in (*scopes.values(), entry):
        for name, axis in scope.axes.items():
            if axis.values is not None or name not in found:
                found[name] = axis
    return found


def _check_warn_off(collected: Collected, sink: Sink) -> None:
    for off in collected.warn_off:
        if off.name not in collected.warns:
            sink.error(
                "E201",
                f"no warning is called `{off.name}`",
                off.span,
                "unknown warning",
                notes=("warnings: " + ", ".join(collected.warns),)
                if collected.warns
                else ("no module in use declares a warning",),
                help=did_you_mean(off.name, collected.warns),
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
        self.facts = Facts(self.scope, self.expressions, sink, self.demand)
        self.axes = Axes(self.facts)
        self.settings = Settings(self.scope, self.expressions, self.facts, collected.warns, sink)
        self.from_outside = Sources(self.settings)
        self.pending: dict[str, tuple[ast.Let, View]] = {}
        self.open_recipes: list[str] = []
        self.circular: set[str] = set()

    def resolve(self) -> ModuleScope:
        self.imports()
        self.declare()
        self.lets(
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
            self.demand(let)
        for item in self.items:
            if isinstance(item, ast.Recipe):
                self.recipe(item)
        matrices = Matrices(self.scope, self.settings, self.axes, self.collected.recipes, self.sink)
        for item in self.items:
            self.item(item, matrices)
        return self.scope

    # --- names ---------------------------------------------------------------------------

    def imports(self) -> None:
        for found in self.module.imports:
            other = self.scopes[found.file]
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

    # --- lets ----------------------------------------------------------------------------

    def lets(
        self, items: tuple[ast.Item, ...], into: dict[str, hir.LetDef], prefix: str, view: View
    ) -> None:
        """Declare the lets among *items*; those that define each other in a circle are broken."""
        written = [item for item in items if isinstance(item, ast.Let)]
        rings = let_cycles(written)
        told: set[str] = set()
        for item in written:
            name = item.name.text
            let = hir.LetDef(name, f"{prefix}::{name}", item.name.span)
            if name in into and into[name].span.file == item.name.span.file:
                continue
            into[name] = let
            if name in rings:
                if name not in told:  # one message a circle
                    self.sink.error(
                        "E205",
                        f"`{name}` is defined by itself",
                        item.name.span,
                        "needs its own value",
                        notes=(" → ".join(rings[name]),),
                        help="give one of them a value of its own",
                    )
                told.update(rings[name])
                let.body.append(hir.Broken(item.span))
            else:
                self.pending[let.id] = (item, view)

    def demand(self, let: hir.LetDef) -> hir.Expr | None:
        """The expression of *let*, resolved now unless it is already."""
        waiting = self.pending.pop(let.id, None)
        if waiting is not None:
            item, view = waiting
            let.body.append(
                self.expressions.resolve(item.value, replace(view, what=f"`let {let.name}`"))
            )
        return let.expr

    # --- recipes -------------------------------------------------------------------------

    def recipe(self, item: ast.Recipe) -> hir.RecipeDef | None:
        symbol = self.scope.own.get(item.name.text)
        if symbol is None or symbol.kind != "recipe" or symbol.span != item.name.span:
            return None
        done = self.collected.recipes.get(symbol.id)
        if done is not None:
            return done
        if symbol.id in self.open_recipes or symbol.id in self.circular:
            return None
        self.open_recipes.append(symbol.id)
        parent = self.parent(item)
        self.open_recipes.pop()
        if isinstance(parent, hir.Broken):
            return None
        lets, flags = self.inherited(parent)
        view = self.body_view(item.body, symbol, lets, flags)
        body = Body(item.name.text, symbol.id, view)
        self.settings.recipe_items(item.body, body)
        for check in body.checks:
            if check.kind == "exclude":
                self.sink.error(
                    "E209",
                    "an `exclude` drops cells of a matrix",
                    check.span,
                    "cannot stand here",
                    help="write it in a matrix or at top level; a recipe may `require`",
                )
        body.checks = [check for check in body.checks if check.kind != "exclude"]
        recipe = hir.RecipeDef(
            item.name.text, symbol.id, parent, body.layer(item.span), item.name.span, view.lets
        )
        self.collected.recipes[symbol.id] = recipe
        return recipe

    def inherited(
        self, recipe: hir.RecipeDef | None
    ) -> tuple[dict[str, hir.LetDef], dict[str, hir.FlagDef]]:
        lets: dict[str, hir.LetDef] = {}
        flags: dict[str, hir.FlagDef] = {}
        for link in recipe.chain() if recipe else ():
            lets |= link.lets
            flags |= {flag.name: flag for flag in link.layer.flags}
        return lets, flags

    def body_view(
        self,
        items: tuple[ast.Item, ...],
        symbol: Symbol,
        lets: dict[str, hir.LetDef],
        flags: dict[str, hir.FlagDef],
    ) -> View:
        """The view of a recipe's body: lets and flags of its own beside the inherited ones."""
        own_lets: dict[str, hir.LetDef] = {}
        own_flags: dict[str, hir.FlagDef] = {}
        seen: dict[str, Span] = {n: let.span for n, let in lets.items()}
        seen |= {n: flag.span for n, flag in flags.items()}
        for item in items:
            declares = isinstance(item, ast.Let) or (
                isinstance(item, ast.Flag) and item.type is not None
            )
            if not declares:
                continue
            assert isinstance(item, ast.Let | ast.Flag)
            name = item.name.text
            known = seen.get(name) or next((s.span for s in self.scope.find(name)), None)
            if known is not None:
                self.sink.error(
                    "E202",
                    f"`{name}` is declared twice",
                    item.name.span,
                    "again here",
                    others=((known, "first here"),),
                    help=f"to set an inherited flag write `flag {name} = …`"
                    if isinstance(item, ast.Flag)
                    else "give it another name",
                )
                continue
            seen[name] = item.name.span
            if isinstance(item, ast.Flag):
                own_flags[name] = hir.FlagDef(
                    name, hir.FieldType("any"), hir.Broken(item.span), "", "", item.name.span
                )
        view = View(
            "a recipe", roots=IN_ATTRS, lets={**lets, **own_lets}, flags={**flags, **own_flags}
        )
        self.lets(items, own_lets, symbol.id, view)
        view = replace(view, lets={**lets, **own_lets})
        for let in own_lets.values():
            if let.id in self.pending:
                self.pending[let.id] = (self.pending[let.id][0], view)
        for let in own_lets.values():
            self.demand(let)
        return view

    def parent(self, item: ast.Recipe) -> hir.RecipeDef | hir.Broken | None:
        """The recipe that *item* extends; Broken after reporting that there is none."""
        if not item.extends:
            return None
        if len(item.extends) > 1:
            return self.parent_in_module(item.extends)
        name, span = item.extends[0].text, item.extends[0].span
        found = self.expressions.names.found(name, span)
        if found is None:
            return hir.Broken(span)
        if found and found[0].kind == "recipe":
            symbol = found[0]
            if symbol.file != self.scope.file:
                return self.collected.recipes.get(symbol.id) or hir.Broken(span)
            if symbol.id in self.open_recipes:
                ring = [
                    i.rpartition("::")[2]
                    for i in self.open_recipes[self.open_recipes.index(symbol.id) :]
                ]
                self.sink.error(
                    "E205",
                    f"recipe `{name}` extends itself",
                    span,
                    "closes the circle",
                    notes=(" → ".join([*ring, name]),),
                    help="let one of them extend nothing",
                )
                self.circular.update(self.open_recipes)
                return hir.Broken(span)
            source = next(
                i for i in self.items if isinstance(i, ast.Recipe) and i.name.span == symbol.span
            )
            return self.recipe(source) or hir.Broken(span)
        if found:
            self.sink.error(
                "E301",
                f"{found[0].describe()} is not a recipe",
                span,
                "expected a recipe",
                others=((found[0].span, "declared here"),),
            )
        elif not self.scope.is_lost(name):
            known = [s.name for s in self.scope.symbols() if s.kind == "recipe"]
            self.sink.error(
                "E201",
                f"no recipe is called `{name}`",
                span,
                "unknown recipe",
                help=did_you_mean(name, known),
            )
        return hir.Broken(span)

    def parent_in_module(self, names: tuple[ast.Name, ...]) -> hir.RecipeDef | hir.Broken:
        """The recipe that `module.recipe` names; Broken after reporting that there is none."""
        first, second = names[0], names[1]
        span = first.span.to(names[-1].span)
        module = self.scope.aliases.get(first.text)
        if module is None or len(names) > 2:
            if not self.scope.is_lost(first.text):
                self.sink.error(
                    "E201",
                    f"no module is imported as `{first.text}`",
                    first.span,
                    "unknown module",
                    help=did_you_mean(first.text, self.scope.aliases)
                    or f"`use … as {first.text}` gives a module this name",
                )
            return hir.Broken(span)
        symbol = module.own.get(second.text)
        known = [s.name for s in module.own.values() if s.kind == "recipe"]
        if symbol is None or symbol.kind != "recipe":
            self.sink.error(
                "E201",
                f"`{first.text}` declares no recipe `{second.text}`",
                second.span,
                "unknown recipe",
                help=did_you_mean(second.text, known),
            )
            return hir.Broken(span)
        return self.collected.recipes.get(symbol.id) or hir.Broken(span)

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
                matrix = matrices.matrix(item, symbol, self.inherited, self.body_view)
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
                self.settings.add_check(item, view, conditions, self.collected.excludes)
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
