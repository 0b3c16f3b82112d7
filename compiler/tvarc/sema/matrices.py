"""Resolve matrices, variants and outputs."""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.light import Callable, replace
from tvarc.sema import hir
from tvarc.sema.axes import Axes
from tvarc.sema.kinds import kind_of
from tvarc.sema.scope import ModuleScope, Symbol, View
from tvarc.sema.settings import Body, Settings
from tvarc.source import Span
from tvarc.syntax import ast

DEFAULT_LIMIT = 100_000
FIELDS = ("recipe", "axes", "name", "limit")

Inherited = Callable[[hir.RecipeDef | None], tuple[dict[str, hir.LetDef], dict[str, hir.FlagDef]]]
BodyView = Callable[
    [tuple[ast.Item, ...], Symbol, dict[str, hir.LetDef], dict[str, hir.FlagDef]], View
]


class Matrices:
    """Resolves the matrices of one module."""

    __slots__ = ("expressions", "picks", "recipes", "scope", "settings", "sink")

    def __init__(
        self,
        scope: ModuleScope,
        settings: Settings,
        axes: Axes,
        recipes: dict[str, hir.RecipeDef],
        sink: Sink,
    ) -> None:
        self.scope = scope
        self.settings = settings
        self.expressions = settings.expressions
        self.picks = axes
        self.recipes = recipes
        self.sink = sink

    def matrix(
        self,
        item: ast.Matrix | ast.Variant,
        symbol: Symbol,
        inherited: Inherited,
        body_view: BodyView,
    ) -> hir.MatrixDef | None:
        """The matrix of *item*; None after reporting what keeps it from being one."""
        single = isinstance(item, ast.Variant)
        fields, rest = self.fields(item)
        recipe = self.recipe(item, fields)
        axes = self.axes(item, fields, single)
        name = self.name(item, fields, single)
        limit = self.limit(fields)
        if recipe is None or axes is None or name is None:
            return None
        lets, flags = inherited(recipe)
        view = replace(body_view(rest, symbol, lets, flags), what="a matrix")
        body = Body(item.name.text, symbol.id, view)
        self.settings.recipe_items(rest, body)
        excludes = tuple(check for check in body.checks if check.kind == "exclude")
        body.checks = [check for check in body.checks if check.kind != "exclude"]
        return hir.MatrixDef(
            item.name.text,
            symbol.id,
            recipe,
            axes,
            name,
            excludes,
            body.layer(item.span),
            limit,
            single,
            item.name.span,
        )

    def fields(
        self, item: ast.Matrix | ast.Variant
    ) -> tuple[dict[str, ast.Assign], tuple[ast.Item, ...]]:
        """The matrix's own fields, and the settings that form its layer above the recipe."""
        fields: dict[str, ast.Assign] = {}
        rest: list[ast.Item] = []
        for inner in item.body:
            own = (
                isinstance(inner, ast.Assign)
                and len(inner.path) == 1
                and inner.path[0].text in FIELDS
            )
            if not own or not isinstance(inner, ast.Assign):
                rest.append(inner)
                continue
            key = inner.path[0].text
            if key in fields:
                self.sink.error(
                    "E202",
                    f"`{key}` is written twice",
                    inner.span,
                    "again here",
                    others=((fields[key].span, "first here"),),
                )
            elif inner.op != "=" or inner.strength != "normal":
                self.sink.error(
                    "E209", f"`{key}` is written with `=`", inner.span, "cannot stand here"
                )
                fields[key] = inner  # or it would be missed as well
            else:
                fields[key] = inner
        return fields, tuple(rest)

    def recipe(
        self, item: ast.Matrix | ast.Variant, fields: dict[str, ast.Assign]
    ) -> hir.RecipeDef | None:
        written = fields.get("recipe")
        if written is None:
            self.sink.error(
                "E208",
                f"`{item.name.text}` names no recipe",
                item.name.span,
                "`recipe` missing",
                help="`recipe = NAME` says what its variants are made of",
            )
            return None
        value = written.value
        if isinstance(value, ast.Ref):
            found = self.expressions.names.found(value.name, value.span)
            if found is None:
                return None
            if found and found[0].kind == "recipe":
                return self.recipes.get(found[0].id)
            if not found and self.scope.is_lost(value.name):
                return None
            if not found:
                known = [s.name for s in self.scope.symbols() if s.kind == "recipe"]
                self.sink.error(
                    "E201",
                    f"no recipe is called `{value.name}`",
                    value.span,
                    "unknown recipe",
                    help=did_you_mean(value.name, known),
                )
                return None
        elif isinstance(value, ast.Member) and isinstance(value.base, ast.Ref):
            module = self.scope.aliases.get(value.base.name)
            target = module.own.get(value.name.text) if module else None
            if target is not None and target.kind == "recipe":
                return self.recipes.get(target.id)
        self.sink.error("E301", "this is not a recipe", value.span, "expected the name of a recipe")
        return None

    def axes(
        self, item: ast.Matrix | ast.Variant, fields: dict[str, ast.Assign], single: bool
    ) -> tuple[hir.AxisPick, ...] | None:
        written = fields.get("axes")
        if written is None:
            if single:
                return ()
            self.sink.error(
                "E208",
                f"matrix `{item.name.text}` has no axes",
                item.name.span,
                "`axes` missing",
                help="`axes = gpu * isa`; a single build without axes is a `variant`",
            )
            return None
        terms = written.value.terms if isinstance(written.value, ast.Product) else (written.value,)
        picks = [self.term(term) for term in terms]
        done = [pick for pick in picks if pick is not None]
        seen: dict[str, Span] = {}
        for pick in done:
            if pick.axis.name in seen:
                self.sink.error(
                    "E202",
                    f"axis `{pick.axis.name}` is multiplied twice",
                    pick.span,
                    "again here",
                    others=((seen[pick.axis.name], "first here"),),
                )
                return None
            seen[pick.axis.name] = pick.span
        return tuple(done) if len(done) == len(picks) else None

    def term(self, term: ast.Expr) -> hir.AxisPick | None:
        """`a`, or `a[v, w]`: an axis, or a slice of one in its declared order."""
        base = term.base if isinstance(term, ast.Index) else term
        axis = self.axis(base)
        if axis is None:
            return None
        assert axis.values is not None
        if not isinstance(term, ast.Index):
            return hir.AxisPick(axis, axis.values, term.span)
        before = len(self.sink)
        chosen = self.picks.pick(term.picks, axis.values, axis.table)
        if not chosen:
            if len(self.sink) == before:
                self.sink.error(
                    "E406", f"no value of axis `{axis.name}` is picked", term.span, "picks nothing"
                )
            return None
        ordered = tuple(
            value for value in axis.values if any(value is c or value == c for c in chosen)
        )
        return hir.AxisPick(axis, ordered, term.span)

    def axis(self, base: ast.Expr) -> hir.AxisDef | None:
        found: tuple[Symbol, ...] = ()
        if isinstance(base, ast.Member) and isinstance(base.base, ast.Ref):
            module = self.scope.aliases.get(base.base.name)
            axis = module.axes.get(base.name.text) if module else None
            name = base.name.text
        elif isinstance(base, ast.Ref):
            axis, name = self.scope.axes.get(base.name), base.name
            symbols = self.expressions.names.found(name, base.span)
            if symbols is None:
                return None
            found = tuple(symbols)
            if self.scope.is_lost(name) and not found:
                return None
        else:
            self.sink.error(
                "E301", "an axis is named", base.span, "not an axis", help="`axes = gpu * isa`"
            )
            return None
        if axis is not None and axis.values is not None:
            return axis
        if axis is not None:
            self.sink.error(
                "E304",
                f"axis `{name}` has no values here",
                base.span,
                "only named, not given",
                others=((axis.span, "named here"),),
                help=f"give it values: `axis {name} = TABLE[…]`",
            )
        elif not any(symbol.kind == "axis" for symbol in found):
            known = list(self.scope.axes)
            self.sink.error(
                "E201",
                f"there is no axis `{name}`",
                base.span,
                "unknown axis",
                help=did_you_mean(name, known) or f"declare it: `axis {name} = …`",
            )
        return None

    def name(
        self, item: ast.Matrix | ast.Variant, fields: dict[str, ast.Assign], single: bool
    ) -> hir.Expr | None:
        written = fields.get("name")
        if written is None:
            if single:
                return hir.Const(item.name.text, item.name.span)
            self.sink.error(
                "E208",
                f"matrix `{item.name.text}` names no variants",
                item.name.span,
                "`name` missing",
                help='`name = "cuda{{under(cuda)}}-{{gpu}}-{{isa}}"`',
            )
            return None
        view = View("a variant's name", settings=False)
        name = self.expressions.known(written.value, view)
        if kind_of(name).name not in ("any", "string"):
            self.sink.error(
                "E301", "a name is a string", written.value.span, f"this is {kind_of(name).show()}"
            )
            return None
        return name

    def limit(self, fields: dict[str, ast.Assign]) -> int:
        written = fields.get("limit")
        if written is None:
            return DEFAULT_LIMIT
        if isinstance(written.value, ast.IntLit) and written.value.value > 0:
            return written.value.value
        self.sink.error("E301", "`limit` is a positive integer", written.value.span, "not one")
        return DEFAULT_LIMIT

    def output(self, item: ast.Output) -> hir.OutputDef | None:
        file: hir.Expr | None = None
        seen: Span | None = None
        wrong = False
        for inner in item.body:
            if (
                not isinstance(inner, ast.Assign)
                or len(inner.path) != 1
                or inner.path[0].text != "file"
            ):
                self.sink.error(
                    "E210",
                    "an output has a `file`, nothing else",
                    inner.span,
                    "unknown setting",
                    help='`file = ".flox/pkgs/{{variant}}.nix"`',
                )
                wrong = True
            elif seen is not None:
                self.sink.error(
                    "E202",
                    "`file` is written twice",
                    inner.span,
                    "again here",
                    others=((seen, "first here"),),
                )
            else:
                seen = inner.span
                view = View("a file's name", settings=True)
                file = self.expressions.known(inner.value, view)
        if file is None and wrong:
            return None
        if file is None:
            self.sink.error(
                "E208",
                f"output `{item.name.text}` names no file",
                item.name.span,
                "`file` missing",
                help='`file = ".flox/pkgs/{{variant}}.nix"`',
            )
            return None
        return hir.OutputDef(item.name.text, file, item.span)
