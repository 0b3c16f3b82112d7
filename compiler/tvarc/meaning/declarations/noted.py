"""Notes what each name and each expression of a program means, for an editor.

The classes extend those that resolve expressions and names. A build uses the plain ones, and notes
nothing.
"""

from __future__ import annotations

from tvarc.light import Final, Iterable, Literal, Mapping, dataclass, field
from tvarc.meaning import hir
from tvarc.meaning.declarations.expressions import Expressions, Join
from tvarc.meaning.evaluation.kinds import kind_of
from tvarc.meaning.functions import SIGNATURES
from tvarc.meaning.names.names import Names
from tvarc.meaning.names.scope import LATE_NAMES, ModuleScope, Symbol, View
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span
from tvarc.values.value import RowValue, Value, show

Meaning = tuple[str, ...]
"""A thing that a name means: its kind, and the data that distinguishes it from others of the kind.
Equal for all names of one thing. `declaration` and its id; `axis` and its name; `row` or `field`,
the origin of its table, and its name; `flag` or `need` and its name; `element` and the place of its
`for`; `setting` and its path."""

OfferKind = Literal[
    "let", "table", "axis", "pin", "overlay", "patch", "recipe", "mixin", "matrix", "variant",
    "output", "input", "module", "row", "field", "flag", "element", "need", "setting", "function",
    "root", "keyword",
]  # fmt: skip


_VALUES: Final = ("let", "axis", "table", "module")
"""The declarations that most expressions name. Others are offered after them."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A name that fits in a place. `detail` says in a few words what it is. A row has its facts."""

    name: str
    kind: OfferKind
    detail: str = ""
    row: RowValue | None = None


@dataclass(slots=True)
class Notes:
    """The notes of one compilation.

    - `names`: the meaning of each name, by its place.
    - `values`: each expression, with its place.
    - `scopes`: the names of each module, by its file.
    - `sought`: a name that no program has. Where it is looked up, `offers` gets all names that fit
      there.
    """

    sought: str = ""
    names: dict[Span, Meaning] = field(default_factory=dict)
    values: list[tuple[Span, hir.Expr]] = field(default_factory=list)
    scopes: dict[str, ModuleScope] = field(default_factory=dict)
    offers: dict[str, Offer] = field(default_factory=dict)

    def note(self, name: str, span: Span, meaning: Meaning) -> None:
        """Note the *meaning* of *name*, unless *span* is more than the name."""
        if span.end - span.start == len(name):
            self.names[span] = meaning

    def offer(self, offers: Iterable[Offer]) -> None:
        for one in offers:
            self.offers.setdefault(one.name, one)


def meaning_of(symbol: Symbol) -> Meaning:
    """The meaning of a name of *symbol*. Modules share an axis by its name."""
    return ("axis", symbol.name) if symbol.kind == "axis" else ("declaration", symbol.id)


class NotedNames(Names):
    """Looks names up, and notes what they mean."""

    __slots__ = ("notes",)

    def __init__(self, scope: ModuleScope, sink: Sink, notes: Notes) -> None:
        super().__init__(scope, sink)
        self.notes = notes

    def seen(self, name: str, span: Span, symbol: Symbol | None) -> None:
        if symbol is not None:
            self.notes.note(name, span, meaning_of(symbol))

    def picked(self, name: str, span: Span, values: Iterable[Value]) -> None:
        for one in values:
            if isinstance(one, RowValue) and name == self.notes.sought:
                self.notes.offer([Offer(one.name, "row", row=one)])
            elif isinstance(one, RowValue) and name == one.name:
                self.notes.note(name, span, ("row", one.table, name))

    def name(self, name: str, span: Span, view: View, hint: hir.Table | None) -> hir.Expr:
        if name == self.notes.sought:
            self.notes.offer(self.offers(view, hint))
            return hir.Broken(span)
        made = super().name(name, span, view, hint)
        match made:
            case hir.FieldRef() if name in view.elements:
                place = view.elements[name]
                self.notes.note(name, span, ("element", place.file, str(place.start)))
            case hir.FieldRef() if view.fields is not None:
                self.notes.note(name, span, ("field", view.fields.origin, name))
            case hir.LetRef():
                self.notes.note(name, span, ("declaration", made.target.id))
            case hir.Const(value=RowValue() as row):
                self.notes.note(name, span, ("row", row.table, row.name))
            case _:
                pass
        return made

    def found(self, name: str, span: Span) -> list[Symbol] | None:
        found = super().found(name, span)
        if found:
            self.seen(name, span, found[0])
        return found

    def late(self, path: hir.Path, span: Span, view: View) -> hir.Expr:
        if path[-1] == self.notes.sought:
            self.notes.offer([Offer(path[0], "setting")])
            return hir.Broken(span)
        meaning = path if path[0] == "flag" else ("setting", *path)
        self.notes.note(path[-1], Span(span.file, span.end - len(path[-1]), span.end), meaning)
        return super().late(path, span, view)

    def need(self, name: ast.Name | ast.Key, span: Span, view: View) -> hir.NeedRef | None:
        self.notes.note(name.text, name.span, ("need", name.text))
        return super().need(name, span, view)

    def row(self, symbol: Symbol, expr: ast.Member) -> hir.Expr:
        table = self.scope.tables.get(symbol.name)
        self.seen(symbol.name, expr.base.span, symbol)
        if table is not None and expr.name.text == self.notes.sought:
            self.notes.offer(rows_of(table))
            return hir.Broken(expr.span)
        made = super().row(symbol, expr)
        if table is not None:
            name = expr.name.text
            self.notes.note(name, expr.name.span, ("row", table.origin, name))
        return made

    def in_module(self, alias: str, expr: ast.Member, view: View) -> hir.Expr:
        if expr.name.text == self.notes.sought:
            self.notes.offer(map(offer_of, self.scope.aliases[alias].own.values()))
            return hir.Broken(expr.span)
        return super().in_module(alias, expr, view)

    def offers(self, view: View, hint: hir.Table | None) -> Iterable[Offer]:
        """The names that fit into an expression in *view*. Those of the rows of *hint* are first.
        """
        if hint is not None:
            yield from rows_of(hint)
        for name in view.elements:
            yield Offer(name, "element")
        if view.fields is not None:
            yield from fields_of(view.fields)
        for name in view.lets:
            yield Offer(name, "let")
        for name, flag in view.flags.items():
            yield Offer(name, "flag", flag.type.show())
        symbols = list(map(offer_of, self.scope.symbols()))
        yield from [one for one in symbols if one.kind in _VALUES]
        for table in self.scope.all_tables():
            yield from rows_of(table)
        if view.settings:
            for name in LATE_NAMES:
                yield Offer(name, "setting")
        for name in sorted(view.roots):
            yield Offer(name, "root", "a name of Nix")
        for name, signature in SIGNATURES.items():
            yield Offer(name, "function", signature.show())
        for name in ("true", "false", "null", "none"):
            yield Offer(name, "keyword")
        yield from [one for one in symbols if one.kind not in ("output", *_VALUES)]


class NotedExpressions(Expressions):
    """Resolves the expressions of one module, and notes what they mean."""

    __slots__ = ("notes",)

    def __init__(self, scope: ModuleScope, sink: Sink, join: Join, notes: Notes) -> None:
        super().__init__(scope, sink, join)
        self.names = NotedNames(scope, sink, notes)
        self.notes = notes

    def resolve(self, expr: ast.Expr, view: View, hint: hir.Table | None = None) -> hir.Expr:
        made = super().resolve(expr, view, hint)
        self.notes.values.append((expr.span, made))
        if isinstance(made, hir.Member):
            table = origin_of(made.base)
            if table:
                self.notes.note(made.name, made.name_span, ("field", table, made.name))
        return made

    def rows(self, expr: ast.Expr, view: View) -> hir.Rows | hir.Broken | None:
        made = super().rows(expr, view)
        if isinstance(made, hir.Rows):
            name = expr.name.text if isinstance(expr, ast.Member) else made.table.name
            span = expr.name.span if isinstance(expr, ast.Member) else expr.span
            self.notes.note(name, span, ("declaration", made.table.origin))
        return made

    def has_field(self, base: hir.Expr, expr: ast.Member) -> bool:
        if expr.name.text != self.notes.sought:
            return super().has_field(base, expr)
        table = kind_of(base).table
        if table is not None:
            self.notes.offer(fields_of(table))
        elif isinstance(base, hir.Const) and isinstance(base.value, RowValue):
            facts = base.value.facts
            self.notes.offer([Offer(one, "field", show(facts[one].value)) for one in facts])
        return False


def origin_of(expr: hir.Expr) -> str:
    """The origin of the table whose row *expr* is; empty if it is no row of a known table."""
    table = kind_of(expr).table
    if table is not None:
        return table.origin
    row = expr.value if isinstance(expr, hir.Const) else None
    return row.table if isinstance(row, RowValue) else ""


def rows_of(table: hir.Table) -> Iterable[Offer]:
    """The rows of *table*."""
    words = f"a row of {table.name}"
    return [Offer(name, "row", words, row) for name, row in table.rows.items()]


def fields_of(table: hir.Table) -> Iterable[Offer]:
    """The fields of *table*, with their types."""
    fields: Mapping[str, hir.FieldType] = table.fields
    return [Offer(name, "field", one.show()) for name, one in fields.items()]


def offer_of(symbol: Symbol) -> Offer:
    """The name of a declaration."""
    return Offer(symbol.name, symbol.kind, symbol.describe())
