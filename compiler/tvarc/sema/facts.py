"""Resolve facts tables: their rows are values, known before any variant is."""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.light import Callable, Final, Iterable, Mapping
from tvarc.sema import hir
from tvarc.sema.compare import equal
from tvarc.sema.constants import Constants, Demand
from tvarc.sema.evaluate import LIMIT_LIST, Evaluator
from tvarc.sema.expressions import Expressions
from tvarc.sema.failed import Failed
from tvarc.sema.scope import ModuleScope, View
from tvarc.sema.value_kinds import article, value_kind
from tvarc.source import Span
from tvarc.syntax import ast
from tvarc.values import (
    Fact,
    LaterFacts,
    RowValue,
    Value,
    Version,
    holds_nix,
    is_version,
    show,
    type_name,
)

FIELD_KINDS = ("string", "int", "bool", "version", "path", "record", "list")
ROW_VIEW = View("a fact", axes=False, settings=False)


class Facts:
    """Resolves the facts tables of one module into its scope, in the order of the text."""

    __slots__ = ("demand", "expressions", "failed", "later", "scope", "sink")

    def __init__(
        self,
        scope: ModuleScope,
        expressions: Expressions,
        sink: Sink,
        demand: Demand,
        *,
        later: bool,
    ) -> None:
        # Rows of the standard library, which is shipped without faults, are resolved when a fact
        # is read: of hundreds a program reads a few.
        self.later = later
        self.demand = demand
        self.scope = scope
        self.expressions = expressions
        self.sink = sink
        # Facts that have no value, which has been reported: their `None` is no null.
        self.failed: set[Span] = set()

    # --- facts ---------------------------------------------------------------------------

    def facts(self, item: ast.Facts) -> None:
        name = item.name.text
        if item.extends:
            base = self.scope.table_at(name, item.span.start)
            if base is None:
                if not self.scope.is_lost(name):
                    known = list(self.scope.tables)
                    self.sink.error(
                        "E201",
                        f"there is no facts table `{name}` to extend",
                        item.name.span,
                        "unknown table",
                        help=did_you_mean(name, known),
                    )
                return
            table = self.extend(base, item)
        else:
            origin = f"{self.scope.file}::{name}"
            fields = self.fields(item.fields)
            rows = self.rows(item.rows, origin, fields)
            table = hir.Table(name, origin, fields, rows, item.name.span)
        self.scope.tables.setdefault(name, []).append((item.span.start, table))

    def fields(self, declared: tuple[ast.FieldDecl, ...]) -> dict[str, hir.FieldType]:
        fields: dict[str, hir.FieldType] = {}
        seen: dict[str, Span] = {}
        for field in declared:
            if field.name.text in fields:
                self.sink.error(
                    "E202",
                    f"field `{field.name.text}` is declared twice",
                    field.name.span,
                    "again here",
                    others=((seen[field.name.text], "first here"),),
                )
                continue
            seen[field.name.text] = field.name.span
            fields[field.name.text] = self.type(field.type)
        return fields

    def type(self, written: ast.TypeExpr) -> hir.FieldType:
        match written:
            case ast.NamedType():
                if written.name not in FIELD_KINDS:
                    self.sink.error(
                        "E201",
                        f"there is no type `{written.name}`",
                        written.span,
                        "unknown type",
                        notes=("types: " + ", ".join(FIELD_KINDS) + ", `[T]`, `T?`, `one_of(…)`",),
                        help=did_you_mean(written.name, FIELD_KINDS),
                    )
                    return hir.FieldType("any")
                return hir.FieldType(written.name)
            case ast.ListType():
                return hir.FieldType("list", self.type(written.element))
            case ast.OptionalType():
                inner = self.type(written.element)
                return hir.FieldType(inner.kind, inner.element, True, inner.allowed)
            case ast.OneOfType():
                allowed = tuple(
                    value
                    for choice in written.values
                    if (value := self.constant(choice, ROW_VIEW)) is not None
                )
                kinds = {value_kind(value) for value in allowed}
                return hir.FieldType(kinds.pop() if len(kinds) == 1 else "any", allowed=allowed)

    def rows(
        self, written: Iterable[ast.Row], origin: str, fields: dict[str, hir.FieldType] | None
    ) -> dict[str, RowValue]:
        rows: dict[str, RowValue] = {}
        for row in written:
            if row.name.text in rows:
                self.sink.error(
                    "E202",
                    f"row `{row.name.text}` is written twice",
                    row.name.span,
                    "again here",
                    others=((rows[row.name.text].span, "first here"),),
                )
                continue
            facts: Mapping[str, Fact]
            if self.later and fields is not None:
                facts = LaterFacts(self.finder(row, fields))
            else:
                facts = self.checked_facts(row, fields)
            rows[row.name.text] = RowValue(origin, row.name.text, facts, row.name.span)
        return rows

    def finder(
        self, row: ast.Row, fields: dict[str, hir.FieldType]
    ) -> Callable[[], dict[str, Fact]]:
        return lambda: self.checked_facts(row, fields)

    def checked_facts(
        self, row: ast.Row, fields: dict[str, hir.FieldType] | None
    ) -> dict[str, Fact]:
        facts = self.row_facts(row)
        if fields is not None:
            self.check_row(row, facts, fields)
        return facts

    def row_facts(self, row: ast.Row) -> dict[str, Fact]:
        facts: dict[str, Fact] = {}
        for item in row.body:
            if not isinstance(item, ast.Assign) or item.op != "=" or len(item.path) != 1:
                self.sink.error(
                    "E209",
                    "a row holds facts only",
                    item.span,
                    "cannot stand here",
                    help="write `field = value`",
                )
                if isinstance(item, ast.Assign):  # or it would be missed as well
                    self.failed.add(item.span)
                    facts.setdefault(item.path[0].text, Fact(None, item.span))
                continue
            key = item.path[0]
            if key.text in facts:
                self.sink.error(
                    "E202",
                    f"`{key.text}` is written twice in one row",
                    key.span,
                    "again here",
                    others=((facts[key.text].span, "first here"),),
                )
                continue
            try:
                value = self.evaluate(item.value, ROW_VIEW)
            except Failed:
                self.failed.add(item.span)
                facts[key.text] = Fact(None, item.span)
                continue
            if holds_nix(value):
                self.sink.error(
                    "E302", "a fact is known before Nix runs", item.value.span, "known to Nix only"
                )
                self.failed.add(item.span)
                value = None
            facts[key.text] = Fact(value, item.span)
        return facts

    def check_row(
        self, row: ast.Row, facts: dict[str, Fact], fields: dict[str, hir.FieldType]
    ) -> None:
        for name, fact in facts.items():
            if name not in fields:
                self.sink.error(
                    "E207",
                    f"the table has no field `{name}`",
                    fact.span,
                    "unknown field",
                    notes=("its fields: " + ", ".join(fields),) if fields else (),
                    help=did_you_mean(name, fields),
                )
            elif not self.fits(fact, fields[name]):
                self.wrong(name, fact, fields[name])
        missing = [n for n, kind in fields.items() if n not in facts and not kind.optional]
        if missing:
            self.sink.error(
                "E208",
                f"row `{row.name.text}` lacks `{'`, `'.join(missing)}`",
                row.name.span,
                "facts missing",
                notes=tuple(f"`{name}` is {type_text(fields[name])}" for name in missing),
                help="write the fact, or declare the field with `?` so that it may be left out",
            )
        for name, kind in fields.items():
            if kind.optional and name not in facts:
                facts[name] = Fact(None, row.name.span)

    def fits(self, fact: Fact, kind: hir.FieldType) -> bool:
        """Whether a fact is of its type; one that failed has been told of."""
        return fact.span in self.failed or fits(fact.value, kind)

    def wrong(self, name: str, fact: Fact, kind: hir.FieldType) -> None:
        if kind.allowed and value_kind(fact.value) == kind.kind:
            listed = ", ".join(map(show, kind.allowed))
            self.sink.error(
                "E301",
                f"`{name}` is one of {listed}",
                fact.span,
                f"this is {show(fact.value)}",
                help=did_you_mean(str(fact.value), map(str, kind.allowed)),
            )
            return
        self.sink.error(
            "E301",
            f"`{name}` is {type_text(kind)}",
            fact.span,
            _misfit(fact.value, kind),
            help=_type_help(fact.value, kind),
        )

    def extend(self, base: hir.Table, item: ast.Facts) -> hir.Table:
        """A copy of *base* with rows added, or fields added to its rows."""
        fields, rows = dict(base.fields), dict(base.rows)
        new: list[tuple[ast.Row, dict[str, Fact]]] = []
        for row in item.rows:
            facts = self.row_facts(row)
            old = rows.get(row.name.text)
            if old is None:
                new.append((row, facts))
                rows[row.name.text] = RowValue(base.origin, row.name.text, facts, row.name.span)
                continue
            for name, fact in facts.items():
                previous = old.facts.get(name)
                if previous is not None and previous.value is not None:
                    self.sink.error(
                        "E202",
                        f"`{row.name.text}` has a fact `{name}` already",
                        fact.span,
                        "again here",
                        others=((previous.span, "first here"),),
                        help="facts are never overridden; use another field or another row",
                    )
                if name in base.fields:
                    if not self.fits(fact, base.fields[name]):
                        self.wrong(name, fact, base.fields[name])
                elif name not in fields:
                    fields[name] = hir.FieldType(value_kind(fact.value), optional=True)
                elif not self.fits(fact, fields[name]):
                    self.wrong(name, fact, fields[name])
            rows[row.name.text] = RowValue(
                base.origin, row.name.text, {**old.facts, **facts}, old.span
            )
        for row, facts in new:  # they may have the fields that other rows bring
            self.check_row(row, facts, fields)
        added = [name for name in fields if name not in base.fields]
        for key, value in rows.items():
            lacking = {n: Fact(None, value.span) for n in added if n not in value.facts}
            if lacking:
                rows[key] = RowValue(
                    value.table, value.name, {**value.facts, **lacking}, value.span
                )
        return hir.Table(base.name, base.origin, fields, rows, base.span)

    # --- constants -----------------------------------------------------------------------

    def evaluate(self, expr: ast.Expr, view: View) -> Value:
        """The value of an expression that no variant changes. Raises Failed after reporting."""
        plain = written_out(expr)
        if not isinstance(plain, _NotPlain):
            return plain
        resolved = self.expressions.resolve(expr, view)
        return Evaluator(Constants(self.sink, self.demand), self.sink).value(resolved)

    def constant(self, expr: ast.Expr, view: View) -> Value:
        try:
            return self.evaluate(expr, view)
        except Failed:
            return None


class _NotPlain:
    """The answer for an expression that names something."""

    __slots__ = ()


_NOT_PLAIN: Final = _NotPlain()


def written_out(expr: ast.Expr | ast.Spread) -> Value | _NotPlain:
    """The value of a literal or of a list of them, as resolving and evaluating find it: nearly
    every fact is one, and there are hundreds."""
    match expr:
        case ast.StringLit(parts=parts):
            texts = [part for part in parts if isinstance(part, str)]
            return "".join(texts) if len(texts) == len(parts) else _NOT_PLAIN
        case ast.VersionLit():
            return Version(expr.text)
        case ast.IntLit() | ast.BoolLit():
            return expr.value
        case ast.NullLit():
            return None
        case ast.ListLit(items=items) if expr.span.end - expr.span.start < LIMIT_LIST:
            values: list[Value] = []
            for item in items:
                value = written_out(item)
                if isinstance(value, _NotPlain):
                    return value
                values.append(value)
            return tuple(values)
        case _:
            return _NOT_PLAIN


def is_written_out(expr: ast.Expr) -> bool:
    """Whether *expr* names nothing and computes nothing: its value is what its text says."""
    return not isinstance(written_out(expr), _NotPlain)


def fits(value: Value, kind: hir.FieldType) -> bool:
    """Whether *value* is of the declared type."""
    if value is None:
        return kind.optional or kind.kind in ("any", "null")
    if kind.kind != "any" and value_kind(value) != kind.kind:
        return False
    if kind.allowed and not any(equal(value, choice) for choice in kind.allowed):
        return False
    if kind.element is not None and isinstance(value, tuple):
        return all(fits(item, kind.element) for item in value)
    return True


def type_text(kind: hir.FieldType) -> str:
    """A type in words: `a version`, `a list, [version]`."""
    text = article(kind.kind) + (f", `{kind.show()}`" if kind.element is not None else "")
    return f"{text}, or null" if kind.optional else text


def _misfit(value: Value, kind: hir.FieldType) -> str:
    if kind.element is not None and isinstance(value, tuple):
        for number, item in enumerate(value, start=1):
            if not fits(item, kind.element):
                return f"element {number} is {type_name(item)}"
    return f"this is {type_name(value)}"


def _type_help(value: Value, kind: hir.FieldType) -> str:
    if kind.kind == "version" and isinstance(value, str) and is_version(value):
        return f"write it without quotes: `{value}`"
    if kind.kind == "version" and isinstance(value, int):
        return f"a version has a dot: `{value}.0`"
    if kind.kind == "string" and isinstance(value, Version):
        return f'write it in quotes: "{value.text}"'
    if kind.kind == "list" and not isinstance(value, tuple):
        return "write a list: `[…]`"
    return ""
