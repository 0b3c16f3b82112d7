"""Resolve facts tables and axes: their rows are values, known before any variant is."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.sema import hir
from tvarc.sema.evaluate import Evaluator, Failed, article, equal, value_kind
from tvarc.sema.expressions import Expressions, where_view
from tvarc.sema.scope import ModuleScope, View
from tvarc.source import Span
from tvarc.syntax import ast
from tvarc.values import Fact, RowValue, Value, Version, holds_nix, is_version, show, type_name

FIELD_KINDS = ("string", "int", "bool", "version", "path", "record", "list")
ROW_VIEW = View("a fact", axes=False, settings=False)


Demand = Callable[[hir.LetDef], "hir.Expr | None"]


class Constants:
    """The environment of expressions that are the same for every variant.

    `demand` resolves a `let` that a fact reads before its turn has come.
    """

    __slots__ = ("demand", "row", "sink", "values")

    def __init__(self, sink: Sink, demand: Demand, row: RowValue | None = None) -> None:
        self.sink = sink
        self.row = row
        self.demand = demand
        self.values: dict[str, Value] = {}

    def axis(self, ref: hir.AxisRef) -> Value:
        self.sink.error(
            "E304",
            f"a fact cannot read axis `{ref.axis}`",
            ref.span,
            "differs from variant to variant",
        )
        raise Failed

    def setting(self, ref: hir.SettingRef) -> Value:
        self.sink.error("E302", "a fact cannot read a setting", ref.span, "decided later")
        raise Failed

    def let(self, ref: hir.LetRef) -> Value:
        if ref.target.id not in self.values:
            expr = self.demand(ref.target)
            if expr is None:
                raise Failed
            self.values[ref.target.id] = Evaluator(self, self.sink).value(expr)
        return self.values[ref.target.id]

    def field(self, ref: hir.FieldRef) -> Value:
        fact = self.row.facts.get(ref.name) if self.row is not None else None
        return fact.value if fact is not None else None


class Tables:
    """Resolves the tables and axes of one module into its scope, in the order of the text."""

    __slots__ = ("demand", "expressions", "scope", "sink")

    def __init__(
        self, scope: ModuleScope, expressions: Expressions, sink: Sink, demand: Demand
    ) -> None:
        self.demand = demand
        self.scope = scope
        self.expressions = expressions
        self.sink = sink

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
            facts = self.row_facts(row)
            if fields is not None:
                self.check_row(row, facts, fields)
            rows[row.name.text] = RowValue(origin, row.name.text, facts, row.name.span)
        return rows

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
                facts[key.text] = Fact(None, item.span)
                continue
            if holds_nix(value):
                self.sink.error(
                    "E302", "a fact is known before Nix runs", item.value.span, "known to Nix only"
                )
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
            elif not fits(fact.value, fields[name]) and fact.value is not None:
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
                    if not fits(fact.value, base.fields[name]):
                        self.wrong(name, fact, base.fields[name])
                elif name not in fields:
                    fields[name] = hir.FieldType(value_kind(fact.value), optional=True)
                elif not fits(fact.value, fields[name]):
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

    # --- axes ----------------------------------------------------------------------------

    def axis(self, item: ast.Axis) -> hir.AxisDef | None:
        """The axis declared by *item*; None after reporting what is wrong."""
        name, ident = item.name.text, f"{self.scope.file}::{item.name.text}"
        if item.table is not None:
            table = self.table(ast.Ref(item.table.text, item.table.span))
            return hir.AxisDef(name, ident, None, table, item.name.span) if table else None
        if item.rows is not None:
            rows = self.rows(item.rows, ident, None)
            own = self.own_table(name, ident, rows, item)
            return hir.AxisDef(name, ident, tuple(rows.values()), own, item.name.span)
        source = item.source
        if isinstance(source, ast.ListLit):
            return self.listed(name, ident, source, item)
        picks: tuple[ast.Expr | ast.RangePick | ast.WherePick, ...] = ()
        if isinstance(source, ast.Index):
            base: ast.Expr = source.base
            picks = source.picks
        elif source is not None:
            base = source
        else:
            return None
        table = self.table(base)
        if table is None:
            return None
        before = len(self.sink)
        values = (
            self.pick(picks, tuple(table.rows.values()), table)
            if picks
            else tuple(table.rows.values())
        )
        if not values and len(self.sink) > before:
            return None
        if not values:
            self.sink.error("E406", f"axis `{name}` has no values", item.span, "nothing fits")
            return None
        return hir.AxisDef(name, ident, values, table, item.name.span)

    def own_table(
        self, name: str, ident: str, rows: dict[str, RowValue], item: ast.Axis
    ) -> hir.Table:
        """The table of an axis with its own rows: all rows have the same fields."""
        if not rows:
            self.sink.error("E406", f"axis `{name}` has no values", item.span, "no rows")
        fields: dict[str, hir.FieldType] = {}
        for row in rows.values():
            for key, fact in row.facts.items():
                kind = value_kind(fact.value)
                known = fields.setdefault(key, hir.FieldType(kind))
                if known.kind == "null" or kind == "null":
                    other = kind if known.kind == "null" else known.kind
                    fields[key] = hir.FieldType(other, optional=True)
                elif known.kind != kind:
                    self.sink.error(
                        "E301",
                        f"`{key}` holds {known.kind} in the rows above",
                        fact.span,
                        f"this is {type_name(fact.value)}",
                    )
        for row in rows.values():
            missing = [key for key in fields if key not in row.facts]
            if missing:
                self.sink.error(
                    "E208",
                    f"row `{row.name}` lacks `{'`, `'.join(missing)}`",
                    row.span,
                    "facts missing",
                    notes=("other rows of this axis have them",),
                    help="write the fact, with `null` where there is none",
                )
        return hir.Table(name, ident, fields, rows, item.name.span)

    def table(self, base: ast.Expr) -> hir.Table | None:
        """The table that an axis names, perhaps in a module: `nvidia`, `n.nvidia`."""
        if isinstance(base, ast.Ref):
            found = self.scope.find(base.name)
            table = self.scope.table_at(base.name, base.span.start)
            if table is not None:
                return table
            if found:
                self.sink.error(
                    "E301",
                    f"{found[0].describe()} is not a facts table",
                    base.span,
                    "expected a table",
                    others=((found[0].span, "declared here"),),
                )
            elif not self.scope.is_lost(base.name):
                self.sink.error(
                    "E201",
                    f"there is no facts table `{base.name}`",
                    base.span,
                    "unknown table",
                    help=did_you_mean(base.name, self.scope.tables),
                )
            return None
        if isinstance(base, ast.Member) and isinstance(base.base, ast.Ref):
            module = self.scope.aliases.get(base.base.name)
            if module is not None:
                table = module.table_at(base.name.text, 1 << 60)
                if table is None:
                    self.sink.error(
                        "E201",
                        f"`{base.base.name}` declares no table `{base.name.text}`",
                        base.name.span,
                        "unknown table",
                        help=did_you_mean(base.name.text, module.tables),
                    )
                return table
        self.sink.error(
            "E301",
            "an axis takes its values from a table or a list",
            base.span,
            "not a table",
            help="`axis a = TABLE[v, w]`, or `axis a = [12.8, 13.0]`",
        )
        return None

    def listed(
        self, name: str, ident: str, source: ast.ListLit, item: ast.Axis
    ) -> hir.AxisDef | None:
        """`[12.8, 13.0]`: plain values; or bare names, which become rows without facts."""
        values: list[Value] = []
        rows: dict[str, RowValue] = {}
        for element in source.items:
            if isinstance(element, ast.Ref) and not self.scope.find(element.name):
                known = self.scope.rows_named(element.name, element.span.start)
                value: Value = (
                    known[0] if len(known) == 1 else RowValue(ident, element.name, {}, element.span)
                )
                if isinstance(value, RowValue) and value.table == ident:
                    rows[element.name] = value
            else:
                try:
                    inner = element.value if isinstance(element, ast.Spread) else element
                    value = self.evaluate(inner, View("an axis", axes=False, settings=False))
                except Failed:
                    continue
                if isinstance(element, ast.Spread):
                    self.sink.error("E209", "an axis lists its values one by one", element.span)
                    continue
            if isinstance(value, bool) or not isinstance(value, str | int | Version | RowValue):
                self.sink.error(
                    "E301",
                    f"{type_name(value)} is no axis value",
                    element.span,
                    help="versions, strings, integers and names can be axis values",
                )
                continue
            if any(equal(value, other) for other in values):
                self.sink.error(
                    "E202", f"{show(value)} is listed twice", element.span, "again here"
                )
                continue
            values.append(value)
        if not values:
            if not source.items:
                self.sink.error("E406", f"axis `{name}` has no values", item.span, "empty list")
            return None
        kinds = {(type(v), v.table if isinstance(v, RowValue) else "") for v in values}
        if len(kinds) > 1:
            self.sink.error(
                "E301",
                f"axis `{name}` mixes kinds of values",
                source.span,
                ", ".join(sorted({type_name(v) for v in values})),
                help="all values of one axis are of one kind",
            )
            return None
        table = hir.Table(name, ident, {}, rows, item.name.span) if rows else None
        first = values[0]
        if table is None and isinstance(first, RowValue):
            table = next(
                (t for t in self.scope.all_tables(item.span.start) if t.origin == first.table), None
            )
        return hir.AxisDef(name, ident, tuple(values), table, item.name.span)

    # --- picks ---------------------------------------------------------------------------

    def pick(
        self,
        picks: tuple[ast.Expr | ast.RangePick | ast.WherePick, ...],
        values: tuple[Value, ...],
        table: hir.Table | None,
    ) -> tuple[Value, ...]:
        """The values that *picks* take of *values*, in the order of the picks."""
        chosen: list[Value] = []
        for pick in picks:
            match pick:
                case ast.RangePick():
                    found = self.range(pick, values, table)
                case ast.WherePick():
                    found = self.where(pick, values, table)
                case _:
                    one = self.one(pick, values, table)
                    found = () if one is None else (values[one],)
            for value in found:
                if any(equal(value, other) for other in chosen):
                    self.sink.error(
                        "E202", f"{show(value)} is picked twice", pick.span, "again here"
                    )
                else:
                    chosen.append(value)
        return tuple(chosen)

    def one(self, pick: ast.Expr, values: tuple[Value, ...], table: hir.Table | None) -> int | None:
        """The index of the value that *pick* names; None after reporting."""
        if isinstance(pick, ast.Ref):
            for index, value in enumerate(values):
                if isinstance(value, RowValue) and value.name == pick.name:
                    return index
            names = [value.name for value in values if isinstance(value, RowValue)]
            listed = table is not None and pick.name in table.rows
            why = ("the table has it, this axis does not",) if listed else ()
            if names:
                self.sink.error(
                    "E406",
                    f"`{pick.name}` is not among the values",
                    pick.span,
                    "unknown value",
                    notes=why,
                    help=did_you_mean(pick.name, names)
                    or "it has " + ", ".join(names[:12]) + (" …" if len(names) > 12 else ""),
                )
                return None
        try:
            wanted = self.evaluate(pick, View("a pick", axes=False, settings=False))
        except Failed:
            return None
        for index, value in enumerate(values):
            if equal(value, wanted):
                return index
        shown = [show(value) for value in values]
        self.sink.error(
            "E406",
            f"{show(wanted)} is not among the values",
            pick.span,
            "unknown value",
            help=did_you_mean(show(wanted), shown) or "it has " + ", ".join(shown[:12]),
        )
        return None

    def range(
        self, pick: ast.RangePick, values: tuple[Value, ...], table: hir.Table | None
    ) -> tuple[Value, ...]:
        first, last = self.one(pick.first, values, table), self.one(pick.last, values, table)
        if first is None or last is None:
            return ()
        if first > last:
            self.sink.error(
                "E406",
                "the range ends before it begins",
                pick.span,
                "nothing lies between",
                notes=("values stand in the order in which they are declared",),
                help="exchange the two ends",
            )
            return ()
        return values[first : last + 1]

    def where(
        self, pick: ast.WherePick, values: tuple[Value, ...], table: hir.Table | None
    ) -> tuple[Value, ...]:
        if table is None or not table.fields:
            self.sink.error("E301", "`where` asks for facts, these values have none", pick.span)
            return ()
        view = where_view(View("`where`", axes=False, settings=False), table)
        condition = self.expressions.condition(pick.condition, view, "where")
        if isinstance(condition, hir.Broken):
            return ()
        found: list[Value] = []
        for value in values:
            if not isinstance(value, RowValue):
                continue
            try:
                if Evaluator(Constants(self.sink, self.demand, value), self.sink).truth(
                    condition, "where"
                ):
                    found.append(value)
            except Failed:
                return ()
        if not found:
            self.sink.error("E406", "no value fits this condition", pick.span, "picks nothing")
        return tuple(found)

    # --- constants -----------------------------------------------------------------------

    def evaluate(self, expr: ast.Expr, view: View) -> Value:
        """The value of an expression that no variant changes. Raises Failed after reporting."""
        resolved = self.expressions.resolve(expr, view)
        return Evaluator(Constants(self.sink, self.demand), self.sink).value(resolved)

    def constant(self, expr: ast.Expr, view: View) -> Value:
        try:
            return self.evaluate(expr, view)
        except Failed:
            return None


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
