"""Resolve `needs`: the variants and recipes that a recipe takes. Links are finished after all
modules are resolved, because all matrices are known only then."""

from __future__ import annotations

from tvarc.light import Final, Iterator, Sequence, dataclass, replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.expressions import Expressions, where_view
from tvarc.meaning.evaluation.kinds import walk
from tvarc.meaning.names.extended import named_by
from tvarc.meaning.names.scope import NEEDS, Symbol, View
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import Guess, guess
from tvarc.text.source import Span
from tvarc.values.value import DeclValue


@dataclass(frozen=True, slots=True)
class Waiting:
    """A link to a matrix whose axes are not known yet. The expressions in brackets are resolved in
    `view`."""

    link: hir.Link
    picks: tuple[ast.Pick, ...]
    expressions: Expressions
    view: View


class Targets:
    """Resolves the targets of one module's needs."""

    __slots__ = ("expressions", "sink", "waiting")

    def __init__(self, expressions: Expressions, waiting: list[Waiting]) -> None:
        self.expressions = expressions
        self.sink = expressions.sink
        self.waiting = waiting

    def target(self, item: ast.Needs, view: View) -> hir.Expr:
        """The target of *item*: a matrix, a recipe, or a value of Nix."""
        return self._target(item.target, item, view)

    def _target(self, expr: ast.Expr, item: ast.Needs, view: View) -> hir.Expr:
        if isinstance(expr, ast.Conditional):
            condition = self.expressions.condition(expr.condition, view, "if")
            then = self._target(expr.then, item, view)
            return hir.If(condition, then, self._target(expr.otherwise, item, view), expr.span)
        picks = expr.picks if isinstance(expr, ast.Index) else ()
        base = expr.base if isinstance(expr, ast.Index) else expr
        named = named_by(base)
        symbol = self.symbol(named, view) if named else None
        if symbol is not None and symbol.kind in ("matrix", "variant"):
            self.expressions.names.seen(named[-1].text, named[-1].span, symbol)
            name = ".".join(one.text for one in named)
            link = hir.Link(name, symbol.id, item.by_argument, expr.span)
            self.waiting.append(Waiting(link, picks, self.expressions, view))
            return link
        if len(named) == 1 and self.is_unknown(named[0].text, view):
            self.unknown(named[0])
            return hir.Broken(expr.span)
        if symbol is None and len(named) == 2 and named[0].text in self.expressions.scope.aliases:
            return self.expressions.resolve(base, view)  # this reports what the module lacks
        if symbol is None and named and self.expressions.scope.is_lost(named[0].text):
            return hir.Broken(expr.span)
        if item.by_argument or item.or_exclude:
            word = "by argument" if item.by_argument else "or exclude"
            self.sink.report(
                msg.needs.NOT_A_MATRIX if symbol is not None else msg.needs.NO_MATRIX_NAMED,
                expr.span,
                word=word,
            )
            return hir.Broken(expr.span)
        return self.expressions.resolve(expr, view)

    def symbol(self, named: tuple[ast.Name, ...], view: View) -> Symbol | None:
        """The declaration that *named* names, here or in a module. None for anything else."""
        scope = self.expressions.scope
        if len(named) == 1 and named[0].text not in view.lets:
            found = scope.find(named[0].text)
            return found[0] if len(found) == 1 else None
        if len(named) == 2 and named[0].text in scope.aliases:
            return scope.aliases[named[0].text].own.get(named[1].text)
        return None

    def is_unknown(self, name: str, view: View) -> bool:
        """Whether *name* means nothing here. It may then be a matrix or a recipe whose declaration
        has a fault."""
        scope = self.expressions.scope
        known = name in view.lets or name in view.flags or bool(scope.find(name))
        return not (known or name in view.roots or scope.rows_named(name) or scope.is_lost(name))

    def unknown(self, name: ast.Name) -> None:
        scope = self.expressions.scope
        kinds = ("matrix", "variant", "recipe")
        known = [one.name for one in scope.symbols() if one.kind in kinds]
        matrices = [one.name for one in scope.symbols() if one.kind in kinds[:2]]
        inner = [
            f"{alias}.{one.name}"
            for alias, module in scope.aliases.items()
            for one in module.own.values()
            if one.kind in kinds
        ]
        there = next((one for one in inner if one.rpartition(".")[2] == name.text), "")
        near = Guess(there, sure=True) if there else guess(name.text, matrices)
        self.sink.report(
            msg.needs.NO_MATRIX_OR_RECIPE,
            name.span,
            name=name.text,
            guess=near if near.word else guess(name.text, [*known, *inner]),
        )


def finish_links(
    waiting: Sequence[Waiting],
    matrices: Sequence[hir.MatrixDef],
    axes_of: dict[str, tuple[hir.AxisDef, ...]],
    *,
    library: bool,
    sink: Sink,
) -> None:
    """Fill in the matrices of links, and the expressions in their brackets. *axes_of* has the axes
    of each declared matrix by its id, patterns included. A *library* may need a matrix that is
    never built."""
    for one in waiting:
        if one.link.id not in axes_of:
            continue  # its fault is reported already
        targets = [matrix for matrix in matrices if matrix.id == one.link.id]
        targets = targets or [matrix for matrix in matrices if one.link.id in matrix.lineage]
        before = len(sink)
        own = [pick.axis for matrix in targets for pick in matrix.axes]
        axes = {axis.name: axis for axis in (*axes_of[one.link.id], *own)}
        choices = list(_choices(one, axes))
        if not targets and not library:
            refuse_unbuilt(one.link, sink)
        elif len(sink) == before:
            one.link.choices.extend(choices)
            one.link.targets.extend(targets)


def refuse_unbuilt(link: hir.Link, sink: Sink) -> None:
    """Report that no matrix is built from the recipe that *link* names."""
    sink.report(msg.needs.NOT_BUILT, link.span, link=link.name)


def _choices(one: Waiting, axes: dict[str, hir.AxisDef]) -> Iterator[hir.AxisChoice]:
    sink, seen = one.expressions.sink, dict[str, Span]()
    for pick in one.picks:
        if not isinstance(pick, ast.AxisPick):
            sink.report(msg.needs.NO_AXIS_IN_BRACKETS, pick.span)
            continue
        name, span = pick.axis.text, pick.axis.span
        if name in seen:
            sink.report(msg.needs.AXIS_TWICE, span, others=[seen[name]], name=name)
            continue
        seen[name] = span
        axis = axes.get(name)
        if axis is None:
            sink.report(
                msg.needs.UNKNOWN_AXIS if axes else msg.needs.NO_AXES,
                span,
                link=one.link.name,
                name=name,
                axes=", ".join(axes),
                guess=guess(name, axes),
            )
            continue
        made = _value(one, pick, axis)
        if not isinstance(made, hir.Broken):
            yield hir.AxisChoice(name, made, pick.where, pick.span)


def _value(one: Waiting, pick: ast.AxisPick, axis: hir.AxisDef) -> hir.Expr:
    """The expression for the value of *axis*."""
    if not pick.where:
        view = replace(one.view, what=f"axis `{axis.name}`")
        return one.expressions.known(pick.value, view, axis.table)
    if axis.table is None or not axis.table.fields:
        one.expressions.sink.report(msg.needs.WHERE_WITHOUT_FACTS, pick.span, axis=axis.name)
        return hir.Broken(pick.span)
    return one.expressions.condition(pick.value, where_view(one.view, axis.table), "where")


# --- recipes that are put into others ----------------------------------------------------------

MOST_PUT_IN: Final = 512
"""The most recipes that may be put into one. A recipe that is put in several times counts each
time."""


def refuse_many(recipes: dict[str, hir.RecipeDef], sink: Sink) -> bool:
    """Whether a recipe contains more recipes than a file may hold, which is then reported. Each
    recipe is written out where it is needed, with its own needs."""
    counts: dict[str, int] = {}
    for start in recipes.values():
        waiting = [start]
        while waiting:
            recipe = waiting[-1]
            inner = [recipes[one] for one in _put_into(recipe) if one in recipes]
            open_ = [one for one in inner if one.id not in counts]
            if recipe.id not in counts and open_:
                counts[recipe.id] = 0  # part of a circle, which is reported elsewhere
                waiting += open_
                continue
            waiting.pop()
            counts[recipe.id] = sum(1 + counts[one.id] for one in inner)
            if counts[recipe.id] > MOST_PUT_IN:
                sink.report(
                    msg.needs.TOO_MANY_RECIPES,
                    recipe.span,
                    recipe=recipe.name,
                    count=counts[recipe.id],
                    most=MOST_PUT_IN,
                )
                return True
    return False


def _put_into(recipe: hir.RecipeDef) -> list[str]:
    """The ids of the recipes that needs of *recipe* name."""
    written = [write.value for layer in layers_of(recipe) for write in needs_in(layer)]
    found = map(_recipe_id, walk(written, lets=True))
    return [one for one in found if one]


# --- exclusions and circles --------------------------------------------------------------------


def layers_of(recipe: hir.RecipeDef, layers: tuple[hir.Layer, ...] = ()) -> Iterator[hir.Layer]:
    """The layers of *recipe* and then *layers*, which are above it: the weakest first."""
    for one in recipe.chain():
        yield one.layer
    yield from layers


def needs_in(layer: hir.Layer) -> Iterator[hir.Write]:
    """The needs that *layer* writes."""
    for write in layer.writes:
        if write.path[0] == NEEDS:
            yield write


def exclusions(
    recipe: hir.RecipeDef,
    layers: tuple[hir.Layer, ...],
    recipes: dict[str, hir.RecipeDef],
    within: tuple[str, ...] = (),
) -> Iterator[hir.Check]:
    """The exclusions that `needs … or exclude` means. Each applies where no stronger layer writes
    the need. The exclusions of recipes that are put into this one are included. *within* are the
    ids of the recipes that this one is put into."""
    written = [
        (depth, write)
        for depth, layer in enumerate(layers_of(recipe, layers))
        for write in needs_in(layer)
    ]
    for depth, write in written:
        shadows = [
            other
            for above, other in written
            if other.path == write.path
            and other is not write
            and (above > depth or (above == depth and other.conditions and not write.conditions))
        ]
        if any(not other.conditions for other in shadows):
            continue
        conditions = (*write.conditions, *map(_unless, shadows))
        if write.or_exclude is not None:
            lacks = hir.Lacks(write.value, write.value.span)
            name, because = write.path[1], write.or_exclude
            yield hir.Check("exclude", lacks, because, conditions, write.span, need=name)
        for expr, chosen in _chosen(write.value):
            inner = recipes.get(_recipe_id(expr))
            if inner is not None and inner.id not in within:
                for check in exclusions(inner, (), recipes, (*within, inner.id)):
                    yield replace(check, conditions=(*conditions, *chosen, *check.conditions))


def _chosen(
    expr: hir.Expr, conditions: tuple[hir.Condition, ...] = ()
) -> Iterator[tuple[hir.Expr, tuple[hir.Condition, ...]]]:
    """The possible values of *expr*, each with the conditions under which an `if` chooses it."""
    match expr:
        case hir.If():
            chosen = hir.Condition(expr.condition, expr.condition.span)
            other = hir.Condition(hir.Not(expr.condition, chosen.span), chosen.span)
            yield from _chosen(expr.then, (*conditions, chosen))
            yield from _chosen(expr.otherwise, (*conditions, other))
        case hir.LetRef() if expr.target.expr is not None:
            yield from _chosen(expr.target.expr, conditions)
        case _:
            for inner in walk([expr], lets=True):
                yield inner, conditions


def _recipe_id(expr: hir.Expr) -> str:
    """The id of the recipe that *expr* names; empty for anything else."""
    value = expr.value if isinstance(expr, hir.Const) else None
    return value.id if isinstance(value, DeclValue) and value.kind == "recipe" else ""


def _unless(write: hir.Write) -> hir.Condition:
    """The condition that not all conditions of *write* hold."""
    expr = write.conditions[0].expr
    for condition in write.conditions[1:]:
        expr = hir.Logic("and", expr, condition.expr, expr.span)
    return hir.Condition(hir.Not(expr, expr.span), expr.span)


@dataclass(frozen=True, slots=True)
class Edge:
    """A need for a matrix or a recipe, with the write that has it."""

    to: str
    write: hir.Write


def refuse_circles(
    matrices: Sequence[hir.MatrixDef], recipes: dict[str, hir.RecipeDef], sink: Sink
) -> None:
    """Report each need that leads back to its own recipe or matrix. The links of such a circle then
    have no targets."""
    named = {matrix.id: matrix.name for matrix in matrices}
    named |= {f"recipe {recipe.id}": recipe.name for recipe in recipes.values()}
    edges = {m.id: list(_edges(layers_of(m.recipe, m.layers))) for m in matrices}
    edges |= {f"recipe {r.id}": list(_edges(layers_of(r))) for r in recipes.values()}
    done: set[str] = set()
    told: set[int] = set()
    broken: list[hir.Link] = []
    for start in edges:
        if start in done:
            continue
        way: list[str] = [start]
        waiting = [iter(edges[start])]
        while waiting:
            edge = next(waiting[-1], None)
            if edge is None:
                done.add(way.pop())
                waiting.pop()
            elif edge.to in way:
                broken += [one for one in walk([edge.write.value]) if isinstance(one, hir.Link)]
                if id(edge.write) not in told:
                    told.add(id(edge.write))
                    _refuse_circle([named[one] for one in way[way.index(edge.to) :]], edge, sink)
            elif edge.to not in done and edge.to in edges:
                way.append(edge.to)
                waiting.append(iter(edges[edge.to]))
    for link in broken:
        link.targets.clear()


def _refuse_circle(ring: list[str], edge: Edge, sink: Sink) -> None:
    sink.report(
        msg.needs.NEEDS_ITSELF_THROUGH_OTHERS if len(ring) > 1 else msg.needs.NEEDS_ITSELF,
        edge.write.value.span,
        name=ring[0],
        ring=" → ".join([*ring, ring[0]]),
    )


def _edges(layers: Iterator[hir.Layer]) -> Iterator[Edge]:
    for layer in layers:
        for write in needs_in(layer):
            for expr in walk([write.value], lets=True):
                if isinstance(expr, hir.Link):
                    for matrix in expr.targets:
                        yield Edge(matrix.id, write)
                elif _recipe_id(expr):
                    yield Edge(f"recipe {_recipe_id(expr)}", write)


def in_order(
    matrices: Sequence[hir.MatrixDef], recipes: Sequence[hir.RecipeDef]
) -> list[hir.MatrixDef]:
    """*matrices* in dependency order: each after the matrices whose cells its exclusions read.
    Circles are reported elsewhere, and are cut here."""
    by_id = {matrix.id: matrix for matrix in matrices}
    of_recipes = {f"recipe {recipe.id}": recipe for recipe in recipes}
    found: dict[str, hir.MatrixDef] = {}
    seen: set[str] = set()

    def edges(node: str) -> Iterator[Edge]:
        if node in by_id:
            return _edges(layers_of(by_id[node].recipe, by_id[node].layers))
        return _edges(layers_of(of_recipes[node])) if node in of_recipes else iter(())

    for matrix in matrices:
        waiting = [] if matrix.id in seen else [(matrix.id, edges(matrix.id))]
        seen.add(matrix.id)
        while waiting:
            node, left = waiting[-1]
            edge = next(left, None)
            if edge is None:
                waiting.pop()
                if node in by_id:
                    found[node] = by_id[node]
            elif edge.to not in seen:
                seen.add(edge.to)
                waiting.append((edge.to, edges(edge.to)))
    return list(found.values())
