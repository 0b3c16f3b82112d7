"""Resolve matrices and variants."""

from __future__ import annotations

from tvarc.blocks import IN_PARTS, OF_RECIPE
from tvarc.light import Iterator, Literal, Sequence, TypeGuard, dataclass, replace
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.axes import Axes
from tvarc.meaning.declarations.facts import is_written_out
from tvarc.meaning.declarations.recipes import Recipes
from tvarc.meaning.declarations.settings import Body, Holder, Settings
from tvarc.meaning.evaluation.kinds import kind_of, walk
from tvarc.meaning.names.extended import extended, named_by, refuse_circle
from tvarc.meaning.names.scope import MATRIX_FIELDS, PLAIN_SETTINGS, Symbol, View
from tvarc.syntax import ast
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span
from tvarc.values.value import Value, type_name

DEFAULT_LIMIT = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """One factor of `axes`, as the module of `by` wrote it. `values` is None if the axis is only
    named."""

    axis: hir.AxisDef
    values: tuple[Value, ...] | None
    written: ast.Expr
    by: Matrices


@dataclass(frozen=True, slots=True, eq=False)
class Shape:
    """A matrix, or a pattern of one: some of its axes may have no values yet.

    `lets` and `flags` are those of its body and of all that it extends. Matrices that extend it
    inherit them.
    """

    name: str
    id: str
    recipe: hir.RecipeDef
    terms: tuple[Term, ...]
    name_expr: hir.Expr
    excludes: tuple[hir.Check, ...]
    layers: tuple[hir.Layer, ...]
    limit: int
    single: bool
    span: Span
    lets: dict[str, hir.LetDef]
    flags: dict[str, hir.FlagDef]
    extends: bool

    @property
    def open(self) -> tuple[Term, ...]:
        """The factors that have no values."""
        return tuple(term for term in self.terms if term.values is None)

    def matrix(self) -> hir.MatrixDef:
        """The matrix, which has values on all axes."""
        picks = [hir.AxisPick(t.axis, t.values or (), t.written.span) for t in self.terms]
        return hir.MatrixDef(
            self.name,
            self.id,
            self.recipe,
            tuple(picks),
            self.name_expr,
            self.excludes,
            self.layers,
            self.limit,
            self.single,
            self.span,
        )


def _own_lets(view: View, symbol: Symbol) -> dict[str, hir.LetDef]:
    return {name: let for name, let in view.lets.items() if let.id == f"{symbol.id}::{name}"}


def flags_used(layer: hir.Layer) -> Iterator[tuple[str, Span]]:
    """The flags that *layer* sets or reads, also through `let`s, each with its place."""
    read: list[hir.Expr] = [condition.expr for condition in layer.conditions]
    read += [check.expr for check in layer.checks]
    read += [flag.default for flag in layer.flags]
    for write in layer.writes:
        if write.path[0] == "flag":
            yield write.path[1], write.span
        read.append(write.value)
    for expr in walk(read, lets=True):
        if isinstance(expr, hir.SettingRef) and expr.path[0] == "flag":
            yield expr.path[1], expr.span


class Matrices:
    """Resolves the matrices of one module."""

    __slots__ = (
        "circular", "expressions", "open", "picks", "recipes", "recipes_of_module",
        "scope", "settings", "shapes", "sink", "sources",
    )  # fmt: skip

    def __init__(
        self,
        items: tuple[ast.Item, ...],
        settings: Settings,
        axes: Axes,
        recipes: Recipes,
        shapes: dict[str, Shape],
    ) -> None:
        self.sources = {one.name.span: one for one in items if isinstance(one, ast.Matrix)}
        self.scope = settings.scope
        self.settings = settings
        self.expressions = settings.expressions
        self.picks = axes
        self.recipes_of_module = recipes
        self.recipes = recipes.recipes
        self.shapes = shapes
        self.sink = settings.sink
        self.open: list[str] = []
        self.circular: set[str] = set()

    def matrix(self, item: ast.Matrix | ast.Variant) -> Shape | None:
        """The matrix of *item*. The matrix that it extends is resolved first. None after reporting
        its faults."""
        symbol = self.scope.own.get(item.name.text)
        if symbol is None or symbol.span != item.name.span:
            return None
        done = self.shapes.get(symbol.id)
        if done is not None:
            return done
        if symbol.id in self.open or symbol.id in self.circular:
            return None
        self.open.append(symbol.id)
        base = self.base(item) if isinstance(item, ast.Matrix) and item.extends else None
        self.open.pop()
        shape = None if isinstance(base, hir.Broken) else self.shape(item, symbol, base)
        if shape is None:
            self.circular.add(symbol.id)  # the fault is reported once
        else:
            self.shapes[symbol.id] = shape
        return shape

    def base(self, item: ast.Matrix) -> Shape | hir.Broken:
        """The matrix that *item* extends; Broken after reporting that there is none."""
        symbol = extended(item.extends, "matrix", self.expressions.names)
        span = item.extends[-1].span
        if symbol is None:
            return hir.Broken(span)
        if symbol.id in self.open:
            self.circular.update(refuse_circle(symbol, self.open, span, self.sink))
            return hir.Broken(span)
        if symbol.file == self.scope.file:
            return self.matrix(self.sources[symbol.span]) or hir.Broken(span)
        return self.shapes.get(symbol.id) or hir.Broken(span)

    def shape(
        self, item: ast.Matrix | ast.Variant, symbol: Symbol, base: Shape | None
    ) -> Shape | None:
        single = isinstance(item, ast.Variant)
        fields, rest = self.fields(item)
        inherits = base is not None
        recipe = base.recipe if base and "recipe" not in fields else self.recipe(item, fields)
        if base is not None and "axes" not in fields:
            terms = self.given(base.terms, item.name.span)
        else:
            terms = self.axes(item, fields, single)
        limit = base.limit if base and "limit" not in fields else self.limit(fields)
        if recipe is None:
            # The name may read a `let` of the recipe, which is not known.
            if "name" in fields and is_written_out(fields["name"].value):
                self.name(item, fields, single, View("a matrix"))
            elif base is None and not single:
                self.named(item, fields)
            return None
        lets, flags = self.recipes_of_module.inherited(recipe)
        lost = False
        if base is not None:
            written = fields.get("recipe")
            lost = written is not None and self.refuse_lost_flags(
                base, recipe, flags, written.value.span
            )
            lets, flags = {**lets, **base.lets}, {**flags, **base.flags}
        view = self.recipes_of_module.body_view(rest, symbol, lets, flags)
        view = replace(view, what="a matrix")
        name = (
            self.name(item, fields, single, view)
            if base is None or "name" in fields
            else base.name_expr
        )
        if terms is None or lost:
            return None
        noun: Holder = "matrix" if isinstance(item, ast.Matrix) else "variant"
        body = Body(item.name.text, symbol.id, view, noun)
        included = [one for one in rest if isinstance(one, ast.Include)] if not single else []
        self.settings.recipe_items(tuple([one for one in rest if one not in included]), body)
        excludes = tuple(check for check in body.checks if check.kind == "exclude")
        if included:
            excludes = (self.includes(included, terms, view), *excludes)
        body.checks = [check for check in body.checks if check.kind != "exclude"]
        layer = body.layer(item.span)
        if name is None:
            return None
        return Shape(
            item.name.text,
            symbol.id,
            recipe,
            terms,
            name,
            (*base.excludes, *excludes) if base is not None else excludes,
            (*base.layers, layer) if base is not None else (layer,),
            limit,
            single,
            item.name.span,
            {**(base.lets if base is not None else {}), **_own_lets(view, symbol)},
            {**(base.flags if base is not None else {}), **{f.name: f for f in layer.flags}},
            inherits,
        )

    def includes(
        self, written: Sequence[ast.Include], terms: tuple[Term, ...], view: View
    ) -> hir.Check:
        """The exclusion of the cells that no `include` of a matrix names."""
        view = replace(view, what="`include`", roots=frozenset(), settings=False)
        found: list[hir.Include] = []
        for one in written:
            condition: ast.Expr | None = one.condition
            if isinstance(condition, ast.Product):
                condition = self.of_product(condition, terms)
            expr = (
                self.settings.expressions.condition(condition, view, "include")
                if condition is not None
                else hir.Broken(one.span)
            )
            found.append(hir.Include(expr, self.settings.because(one.because), one.span))
        whole = found[0].expr
        for other in found[1:]:
            whole = hir.Logic("or", whole, other.expr, other.span)
        span = written[0].span
        reason = "no `include` names this cell"
        return hir.Check("exclude", hir.Not(whole, span), reason, (), span, includes=tuple(found))

    def of_product(self, written: ast.Product, terms: tuple[Term, ...]) -> ast.Expr | None:
        """The condition that `sm80 * [avx2, avx512]` means. It has a value, or a list of values,
        for each axis, in the order of the axes. None after reporting another number of them."""
        if len(written.terms) != len(terms):
            self.sink.report(
                msg.matrices.NO_CELL,
                written.span,
                count=len(written.terms),
                axes=" * ".join(term.axis.name for term in terms),
            )
            return None
        parts: list[ast.Expr] = []
        for value, term in zip(written.terms, terms, strict=True):
            axis = ast.Ref(term.axis.name, value.span)
            op: Literal["in", "=="] = "in" if isinstance(value, ast.ListLit) else "=="
            parts.append(ast.Compare(op, axis, value, value.span))
        whole = parts[0]
        for part in parts[1:]:
            whole = ast.Logic("and", whole, part, written.span)
        return whole

    def refuse_lost_flags(
        self,
        base: Shape,
        recipe: hir.RecipeDef,
        flags: dict[str, hir.FlagDef],
        span: Span,
    ) -> bool:
        """Report the flags that *base* sets or reads and that *recipe* does not have. Returns
        whether there are any."""
        told: set[str] = set()
        for layer in base.layers:
            for name, place in flags_used(layer):
                if name in flags or name in base.flags or name in told:
                    continue
                told.add(name)
                self.sink.report(
                    msg.matrices.NO_FLAG_OF_RECIPE,
                    span,
                    others=[place],
                    recipe=recipe.name,
                    name=name,
                    layer=layer.name,
                    base=base.recipe.name,
                )
        return bool(told)

    def given(self, terms: tuple[Term, ...], span: Span) -> tuple[Term, ...] | None:
        """*terms*, those of the matrix that is extended. An axis that is only named gets the values
        that this module gives to it. None after reporting values that do not fit."""
        found = [term if term.values is not None else self.give(term, span) for term in terms]
        done = [term for term in found if term is not None]
        return tuple(done) if len(done) == len(found) else None

    def give(self, term: Term, span: Span) -> Term | None:
        """*term* with the values that its axis has in this module. Unchanged if it has none here.
        """
        name, table = term.axis.name, term.axis.table
        if self.expressions.names.found(name, span) is None:
            return None
        axis = self.scope.axes.get(name)
        if axis is None or axis.values is None:
            return term
        if table is not None and (axis.table is None or axis.table.origin != table.origin):
            self.sink.report(
                msg.matrices.AXIS_OF_OTHER_TABLE,
                axis.span,
                others=(
                    (term.axis.span, "named here"),
                    (span, "this extends a matrix with that axis"),
                ),
                name=name,
                table=table.name,
                kind=type_name(axis.values[0]),
            )
            return None
        values = term.by.slice(term.written, axis)
        return replace(term, axis=axis, values=values) if values is not None else None

    def fields(
        self, item: ast.Matrix | ast.Variant
    ) -> tuple[dict[str, ast.Assign], tuple[ast.Item, ...]]:
        """The matrix's own fields, and its settings, which form the layer above the recipe."""
        fields: dict[str, ast.Assign] = {}
        rest: list[ast.Item] = []
        for inner in item.body:
            if isinstance(inner, ast.When):
                held = [one for one in inner.body if _is_field(one)]
                for one in held:
                    self.sink.report(msg.matrices.FIELD_IN_WHEN, one.span, name=one.path[0].text)
                    fields[one.path[0].text] = one
                others = tuple([one for one in inner.body if one not in held])
                if held and not others:
                    continue
                inner = replace(inner, body=others)
            if not _is_field(inner):
                rest.append(inner)
                continue
            key = inner.path[0].text
            if key in fields:
                self.sink.report(
                    msg.declarations.WRITTEN_TWICE, inner.span, others=[fields[key].span], name=key
                )
            elif inner.op != "=" or inner.strength != "normal":
                self.sink.report(msg.declarations.PLAIN_ONLY, inner.span, name=key)
                fields[key] = inner  # so that it is not reported as missing, too
            else:
                fields[key] = inner
        noun: Holder = "matrix" if isinstance(item, ast.Matrix) else "variant"
        for one in [one for one in rest if _is_misspelt(one)]:
            near = guess(one.path[0].text, MATRIX_FIELDS).word
            if near and near not in fields:
                self.settings.unknown(one, noun)
                fields[near] = one
                rest.remove(one)
        return fields, tuple(rest)

    def recipe(
        self, item: ast.Matrix | ast.Variant, fields: dict[str, ast.Assign]
    ) -> hir.RecipeDef | None:
        written = fields.get("recipe")
        if written is None:
            self.sink.report(msg.matrices.NO_RECIPE_NAMED, item.name.span, name=item.name.text)
            return None
        named = named_by(written.value)
        if not named:
            self.sink.report(msg.matrices.NO_RECIPE, written.value.span)
            return None
        symbol = extended(named, "recipe", self.expressions.names)
        return self.recipes.get(symbol.id) if symbol is not None else None

    def axes(
        self, item: ast.Matrix | ast.Variant, fields: dict[str, ast.Assign], single: bool
    ) -> tuple[Term, ...] | None:
        written = fields.get("axes")
        if written is None:
            if single:
                return ()
            self.sink.report(msg.matrices.NO_AXES, item.name.span, name=item.name.text)
            return None
        parts = written.value.terms if isinstance(written.value, ast.Product) else (written.value,)
        terms = [self.term(part) for part in parts]
        done = [term for term in terms if term is not None]
        seen: dict[str, Span] = {}
        for term in done:
            if term.axis.name in seen:
                self.sink.report(
                    msg.matrices.AXIS_TWICE,
                    term.written.span,
                    others=[seen[term.axis.name]],
                    axis=term.axis.name,
                )
                return None
            seen[term.axis.name] = term.written.span
        return tuple(done) if len(done) == len(terms) else None

    def term(self, written: ast.Expr) -> Term | None:
        """`a`, or `a[v, w]`: an axis, or a slice of one in its declared order."""
        axis = self.axis(written.base if isinstance(written, ast.Index) else written)
        if axis is None:
            return None
        if axis.values is None:
            return Term(axis, None, written, self)
        values = self.slice(written, axis)
        return Term(axis, values, written, self) if values is not None else None

    def slice(self, written: ast.Expr, axis: hir.AxisDef) -> tuple[Value, ...] | None:
        """The values of *axis* that *written* selects. None after reporting that it selects none.
        """
        assert axis.values is not None
        if not isinstance(written, ast.Index):
            return axis.values
        before = len(self.sink)
        chosen = self.picks.pick(written.picks, axis.values, axis.table)
        if not chosen:
            if len(self.sink) == before:
                self.sink.report(msg.matrices.NOTHING_PICKED, written.span, axis=axis.name)
            return None
        return tuple(
            value for value in axis.values if any(value is c or value == c for c in chosen)
        )

    def axis(self, base: ast.Expr) -> hir.AxisDef | None:
        found: tuple[Symbol, ...] = ()
        if isinstance(base, ast.Member) and isinstance(base.base, ast.Ref):
            module = self.scope.aliases.get(base.base.name)
            axis = module.axes.get(base.name.text) if module else None
            name = base.name.text
            if module is None and self.scope.is_lost(base.base.name):
                return None
        elif isinstance(base, ast.Ref):
            axis, name = self.scope.axes.get(base.name), base.name
            symbols = self.expressions.names.found(name, base.span)
            if symbols is None:
                return None
            found = tuple(symbols)
            if self.scope.is_lost(name) and not found:
                return None
        else:
            self.sink.report(msg.matrices.NO_AXIS_NAME, base.span)
            return None
        if axis is not None:
            return axis
        if found and all(symbol.kind != "axis" for symbol in found):
            kind = found[0].kind
            self.sink.report(
                msg.matrices.TABLE_AS_AXIS
                if kind == "table"
                else msg.matrices.MODULE_AS_AXIS
                if kind == "module"
                else msg.matrices.NO_AXIS,
                base.span,
                others=[found[0].span],
                found=found[0].describe(),
                name=name,
            )
            return None
        if not any(symbol.kind == "axis" for symbol in found) and not self.scope.refuse_unused(
            msg.names.UNKNOWN_OF_KIND, name, base.span, self.sink, rows=False, kind="axis"
        ):
            known = list(self.scope.axes)
            self.sink.report(
                msg.matrices.UNKNOWN_AXIS,
                base.span,
                cause=f"{self.scope.file} without {name}",
                leads=True,
                name=name,
                guess=guess(name, known),
            )
        return None

    def name(
        self,
        item: ast.Matrix | ast.Variant,
        fields: dict[str, ast.Assign],
        single: bool,
        body: View,
    ) -> hir.Expr | None:
        """The expression for the names of the variants. It may read the `let`s that *body* may
        read. None after reporting a fault in it."""
        if single and "name" not in fields:
            return hir.Const(item.name.text, item.name.span)
        written = self.named(item, fields)
        if written is None:
            return None
        lets = {key: self.unless_declared(let) for key, let in body.lets.items()}
        view = View("a variant's name", settings=False, lets=lets, flags=body.flags)
        name = self.expressions.known(written.value, view)
        if kind_of(name).name not in ("any", "string"):
            self.sink.report(
                msg.matrices.NAME_IS_NO_STRING, written.value.span, kind=kind_of(name).show()
            )
            return None
        return name

    def unless_declared(self, let: hir.LetDef) -> hir.LetDef:
        """*let*. If it has the name of a declaration, which is already refused, it has no value: in
        another file the name may mean another thing."""
        if let.span.file != self.scope.file or not self.scope.find(let.name):
            return let
        return hir.LetDef(let.name, let.id, let.span, [hir.Broken(let.span)])

    def named(
        self, item: ast.Matrix | ast.Variant, fields: dict[str, ast.Assign]
    ) -> ast.Assign | None:
        """The field `name`; None after reporting that there is none."""
        written = fields.get("name")
        if written is None:
            self.sink.report(
                msg.matrices.NO_NAME,
                item.name.span,
                name=item.name.text,
                example=_name_of_axes(fields.get("axes")),
            )
        return written

    def limit(self, fields: dict[str, ast.Assign]) -> int:
        written = fields.get("limit")
        if written is None:
            return DEFAULT_LIMIT
        if isinstance(written.value, ast.IntLit) and written.value.value > 0:
            return written.value.value
        self.sink.report(msg.declarations.BAD_LIMIT, written.value.span)
        return DEFAULT_LIMIT


def _name_of_axes(written: ast.Assign | None) -> str:
    """A name for variants, as an example, that contains each of the axes *written*."""
    value = written.value if written is not None else None
    terms = value.terms if isinstance(value, ast.Product) else (value,)
    bases = [one.base if isinstance(one, ast.Index) else one for one in terms]
    axes = [one.name for one in bases if isinstance(one, ast.Ref)]
    return "-".join(f"{{{{{axis}}}}}" for axis in axes or ("gpu", "isa"))


def _is_field(item: ast.Item) -> TypeGuard[ast.Assign]:
    """Whether *item* sets a field of a matrix, such as `axes`."""
    return (
        isinstance(item, ast.Assign)
        and len(item.path) == 1
        and item.path[0].text in MATRIX_FIELDS
    )


def _is_misspelt(item: ast.Item) -> TypeGuard[ast.Assign]:
    """Whether *item* sets what no matrix has."""
    return (
        isinstance(item, ast.Assign)
        and len(item.path) == 1
        and item.path[0].text not in (*PLAIN_SETTINGS, *OF_RECIPE, *IN_PARTS)
    )
