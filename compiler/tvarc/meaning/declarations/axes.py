"""Resolve axes: where their values come from, and which of them are picked."""

from __future__ import annotations

from tvarc.meaning import hir
from tvarc.meaning.declarations.expressions import where_view
from tvarc.meaning.declarations.facts import Facts
from tvarc.meaning.evaluation.compare import equal
from tvarc.meaning.evaluation.constants import Constants
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.evaluation.value_kinds import value_kind
from tvarc.meaning.names.clashes import refuse_listed
from tvarc.meaning.names.scope import View
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Failed
from tvarc.text.diagnostics.suggest import did_you_mean
from tvarc.values.value import Fact, RowValue, Value, Version, show, type_name


class Axes:
    """Resolves the axes of one module, and picks among values."""

    __slots__ = ("expressions", "facts", "scope", "sink")

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.scope = facts.scope
        self.expressions = facts.expressions
        self.sink = facts.sink

    def axis(self, item: ast.Axis) -> hir.AxisDef | None:
        """The axis declared by *item*; None after reporting what is wrong."""
        name, ident = item.name.text, f"{self.scope.file}::{item.name.text}"
        if item.table is not None:
            table = self.table(ast.Ref(item.table.text, item.table.span))
            return hir.AxisDef(name, ident, None, table, item.name.span) if table else None
        if item.rows is not None:
            rows = self.facts.rows(item.rows, ident, None)
            own = self.own_table(name, ident, rows, item)
            return hir.AxisDef(name, ident, tuple(rows.values()), own, item.name.span)
        source = item.source
        if isinstance(source, ast.ListLit):
            return self.listed(name, ident, source, item)
        picks: tuple[ast.Pick, ...] = ()
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
            self.sink.error(
                "E406", f"axis `{name}` has no values", item.span, "no row fits this pick"
            )
            return None
        return hir.AxisDef(name, ident, values, table, item.name.span)

    def own_table(
        self, name: str, ident: str, rows: dict[str, RowValue], item: ast.Axis
    ) -> hir.Table:
        """The table of an axis with its own rows: all rows have the same fields. What a row lacks
        is added to *rows* as a fact that is wrong, so that nobody reports it again."""
        if not rows:
            self.sink.error(
                "E406", f"axis `{name}` has no values", item.span, "the braces contain no row"
            )
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
                        f"`{key}` is of type {known.kind} in the rows above",
                        fact.span,
                        f"this is {type_name(fact.value)}",
                    )
        for row in list(rows.values()):
            missing = [key for key in fields if key not in row.facts]
            if missing:
                self.sink.error(
                    "E208",
                    f"row `{row.name}` has no value for `{'`, `'.join(missing)}`",
                    row.span,
                    "facts missing",
                    notes=("other rows of this axis have one",),
                    help="write the fact, or `null` if there is no value",
                )
                lacking = {key: Fact(None, row.span, wrong=True) for key in missing}
                filled = {**row.facts, **lacking}
                rows[row.name] = RowValue(row.table, row.name, filled, row.span)
        return hir.Table(name, ident, fields, rows, item.name.span)

    def table(self, base: ast.Expr) -> hir.Table | None:
        """The table that an axis names, perhaps in a module: `nvidia`, `n.nvidia`."""
        if isinstance(base, ast.Ref):
            found = self.expressions.names.found(base.name, base.span)
            if found is None:
                return None
            table = self.scope.tables.get(base.name)
            if table is not None:
                return table
            if found:
                self.sink.error(
                    "E301",
                    f"{found[0].describe()} is not a facts table",
                    base.span,
                    "expected a facts table",
                    others=((found[0].span, "declared here"),),
                    help="name a table; to pick values of an axis, write `axes = AXIS[…]` in a "
                    "matrix",
                )
            elif not self.scope.is_lost(base.name) and not self.scope.refuse_unused(
                base.name,
                base.span,
                f"there is no facts table `{base.name}`",
                "unknown table",
                self.sink,
                rows=False,
            ):
                self.sink.error(
                    "E201",
                    f"there is no facts table `{base.name}`",
                    base.span,
                    "unknown table",
                    help=did_you_mean(base.name, self.scope.tables)
                    or f"for an axis without a table, write a list: `[{base.name}, …]`",
                )
            return None
        if isinstance(base, ast.Member) and isinstance(base.base, ast.Ref):
            module = self.scope.aliases.get(base.base.name)
            if module is not None:
                table = module.tables.get(base.name.text)
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
            "the values of an axis come from a table or a list",
            base.span,
            "not a table",
            help="write `axis a = TABLE[v, w]` or `axis a = [12.8, 13.0]`",
        )
        return None

    def listed(
        self, name: str, ident: str, source: ast.ListLit, item: ast.Axis
    ) -> hir.AxisDef | None:
        """`[12.8, 13.0]`: plain values; or bare names, which become rows without facts."""
        values: list[Value] = []
        rows: dict[str, RowValue] = {}
        for element in source.items:
            found = self.scope.find(element.name) if isinstance(element, ast.Ref) else []
            if isinstance(element, ast.Ref) and found and found[0].kind == "axis":
                refuse_listed(element.name, element.span, found[0].span, self.sink)
                continue
            if isinstance(element, ast.Ref) and not found:
                known = self.scope.rows_named(element.name)
                value: Value = (
                    known[0] if len(known) == 1 else RowValue(ident, element.name, {}, element.span)
                )
                if isinstance(value, RowValue) and value.table == ident:
                    rows[element.name] = value
            else:
                try:
                    inner = element.value if isinstance(element, ast.Spread) else element
                    value = self.facts.evaluate(inner, View("an axis", axes=False, settings=False))
                except Failed:
                    continue
                if isinstance(element, ast.Spread):
                    self.sink.error("E209", "an axis needs its values one by one", element.span)
                    continue
            if not isinstance(value, str | int | Version | RowValue):
                self.sink.error(
                    "E301",
                    f"{type_name(value)} cannot be a value of an axis",
                    element.span,
                    help="use versions, strings, integers, booleans or names",
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
                self.sink.error(
                    "E406", f"axis `{name}` has no values", item.span, "the list is empty"
                )
            return None
        kinds = {(type(v), v.table if isinstance(v, RowValue) else "") for v in values}
        if len(kinds) > 1:
            self.sink.error(
                "E301",
                f"axis `{name}` mixes values of several types",
                source.span,
                ", ".join(sorted({type_name(v) for v in values})),
                help="give all values of one axis the same type",
            )
            return None
        table = hir.Table(name, ident, {}, rows, item.name.span) if rows else None
        first = values[0]
        if table is None and isinstance(first, RowValue):
            table = next((t for t in self.scope.all_tables() if t.origin == first.table), None)
        return hir.AxisDef(name, ident, tuple(values), table, item.name.span)

    # --- picks ---------------------------------------------------------------------------

    def pick(
        self,
        picks: tuple[ast.Pick, ...],
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
                case ast.AxisPick():
                    self.sink.error(
                        "E209",
                        "the name of an axis is allowed only in the brackets of a need",
                        pick.axis.span,
                        "not allowed here",
                        help="pick values by name, or with `where …`",
                    )
                    found = ()
                case _:
                    one = self.one(pick, values, table)
                    found = () if one is None else (values[one],)
            for value in found:
                if any(equal(value, other) for other in chosen):
                    if _is_wrong(value):
                        continue
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
            why = ("the table has this row, but this axis does not",) if listed else ()
            if names:
                self.sink.error(
                    "E406",
                    f"`{pick.name}` is not a value of this axis",
                    pick.span,
                    "unknown value",
                    notes=why,
                    help=did_you_mean(pick.name, names)
                    or "write one of its values: "
                    + ", ".join(names[:12])
                    + (" …" if len(names) > 12 else ""),
                )
                return None
        try:
            wanted = self.facts.evaluate(pick, View("a pick", axes=False, settings=False))
        except Failed:
            return None
        for index, value in enumerate(values):
            if equal(value, wanted):
                return index
        shown = [show(value) for value in values]
        self.sink.error(
            "E406",
            f"{show(wanted)} is not a value of this axis",
            pick.span,
            "unknown value",
            help=did_you_mean(show(wanted), shown)
            or "write one of its values: " + ", ".join(shown[:12]),
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
                "this range is empty",
                notes=("a range follows the order in which the values are declared",),
                help="swap the two ends",
            )
            return ()
        return values[first : last + 1]

    def where(
        self, pick: ast.WherePick, values: tuple[Value, ...], table: hir.Table | None
    ) -> tuple[Value, ...]:
        if table is None or not table.fields:
            self.sink.error("E301", "`where` reads facts, but these values have none", pick.span)
            return ()
        view = where_view(View("`where`", axes=False, settings=False), table)
        condition = self.expressions.condition(pick.condition, view, "where")
        if isinstance(condition, hir.Broken):
            return ()
        found: list[Value] = []
        for value in values:
            if not isinstance(value, RowValue):
                continue
            before = len(self.sink)
            try:
                if Evaluator(Constants(self.sink, self.facts.demand, value), self.sink).truth(
                    condition, "where"
                ):
                    found.append(value)
            except Failed:
                if len(self.sink) > before:
                    return ()
                found.append(value)  # a fact of it is wrong: that it is not here would be no news
        if not found:
            self.sink.error(
                "E406", "no value fits this condition", pick.span, "correct it: this picks nothing"
            )
        return tuple(found)


def _is_wrong(value: Value) -> bool:
    """Whether *value* is a row with a fact that is wrong, which has been reported."""
    return isinstance(value, RowValue) and any(fact.wrong for fact in value.facts.values())
