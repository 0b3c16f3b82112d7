"""Resolve axes: where their values come from, and which of them are picked."""

from __future__ import annotations

from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.declarations.expressions import where_view
from tvarc.meaning.declarations.facts import Facts
from tvarc.meaning.evaluation.compare import equal
from tvarc.meaning.evaluation.constants import Constants
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.names.clashes import refuse_listed
from tvarc.meaning.names.scope import View
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Failed
from tvarc.text.diagnostics.suggest import guess
from tvarc.values.value import (
    UNLOCKED,
    Fact,
    RowValue,
    Value,
    Version,
    show,
    type_name,
    value_kind,
)


class Axes:
    """Resolves the axes of one module, and picks among values."""

    __slots__ = ("expressions", "facts", "scope", "sink")

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.scope = facts.scope
        self.expressions = facts.expressions
        self.sink = facts.sink

    def axis(self, item: ast.Axis) -> hir.AxisDef | None:
        """The axis declared by *item*; None after reporting a fault."""
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
            self.sink.report(msg.axes.TABLE_WITHOUT_ROWS, item.span, name=name)
            return None
        return hir.AxisDef(name, ident, values, table, item.name.span)

    def own_table(
        self, name: str, ident: str, rows: dict[str, RowValue], item: ast.Axis
    ) -> hir.Table:
        """The table of an axis with its own rows. All rows must have the same fields. A field that
        a row lacks becomes a wrong fact in *rows*, so that no later stage reports it again."""
        if not rows:
            self.sink.report(msg.axes.NO_VALUES_IN_ROWS, item.span, name=name)
        fields: dict[str, hir.FieldType] = {}
        for row in rows.values():
            for key, fact in row.facts.items():
                kind = "string" if fact.value == UNLOCKED else value_kind(fact.value)
                known = fields.setdefault(key, hir.FieldType(kind))
                if known.kind == "null" or kind == "null":
                    other = kind if known.kind == "null" else known.kind
                    fields[key] = hir.FieldType(other, optional=True)
                elif known.kind != kind:
                    self.sink.report(
                        msg.tables.OTHER_TYPE_THAN_ABOVE,
                        fact.span,
                        key=key,
                        kind=known.kind,
                        found=type_name(fact.value),
                    )
        single = self._fields_of_one_row(rows, fields)
        for row in list(rows.values()):
            missing = [key for key in fields if key not in row.facts]
            reported = [key for key in missing if key not in single]
            if reported:
                self.sink.report(
                    msg.tables.AXIS_ROW_LACKS_FIELDS,
                    row.span,
                    row=row.name,
                    missing="`, `".join(reported),
                )
            if missing:
                lacking = {key: Fact(None, row.span, wrong=True) for key in missing}
                filled = {**row.facts, **lacking}
                rows[row.name] = RowValue(row.table, row.name, filled, row.span)
        return hir.Table(name, ident, fields, rows, item.name.span)

    def _fields_of_one_row(
        self, rows: dict[str, RowValue], fields: dict[str, hir.FieldType]
    ) -> set[str]:
        """The fields that are reported since only one of the *rows* has them."""
        if all(len(row.facts) >= len(fields) for row in rows.values()):
            return set()
        from tvarc.meaning.declarations.near_rows import fields_of_one_row

        return fields_of_one_row(rows, fields, self.sink)

    def table(self, base: ast.Expr) -> hir.Table | None:
        """The table that an axis names, perhaps in a module: `nvidia`, `n.nvidia`."""
        if isinstance(base, ast.Ref):
            found = self.expressions.names.found(base.name, base.span)
            if found is None:
                return None
            table = self.scope.tables.get(base.name)
            if table is not None:
                return table
            if found and found[0].kind == "table" and self.scope.is_lost(base.name):
                return None  # its file of data has faults
            if found:
                self.sink.report(
                    msg.axes.NO_TABLE, base.span, others=[found[0].span], found=found[0].describe()
                )
            elif not self.scope.is_lost(base.name) and not self.scope.refuse_unused(
                msg.axes.UNKNOWN_TABLE, base.name, base.span, self.sink, rows=False
            ):
                self.sink.report(
                    msg.axes.UNKNOWN_TABLE,
                    base.span,
                    name=base.name,
                    guess=guess(base.name, self.scope.tables),
                    advice=None,
                )
            return None
        if isinstance(base, ast.Member) and isinstance(base.base, ast.Ref):
            module = self.scope.aliases.get(base.base.name)
            if module is not None:
                table = module.tables.get(base.name.text)
                if table is None:
                    self.sink.report(
                        msg.axes.UNKNOWN_TABLE_OF_MODULE,
                        base.name.span,
                        module=base.base.name,
                        name=base.name.text,
                        guess=guess(base.name.text, module.tables),
                    )
                return table
        self.sink.report(msg.axes.NO_TABLE_OR_LIST, base.span)
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
            if isinstance(element, ast.Each):
                self.sink.report(msg.axes.SPREAD_IN_AXIS, element.span)
                continue
            if isinstance(element, ast.Ref) and not found:
                known = self.scope.rows_named(element.name)
                value: Value = (
                    known[0] if len(known) == 1 else RowValue(ident, element.name, {}, element.span)
                )
                self.expressions.names.picked(element.name, element.span, (value,))
                if isinstance(value, RowValue) and value.table == ident:
                    rows[element.name] = value
            else:
                try:
                    inner = element.value if isinstance(element, ast.Spread) else element
                    value = self.facts.evaluate(inner, View("an axis", axes=False, settings=False))
                except Failed:
                    continue
                if isinstance(element, ast.Spread):
                    self.sink.report(msg.axes.SPREAD_IN_AXIS, element.span)
                    continue
            if not isinstance(value, str | int | Version | RowValue):
                self.sink.report(msg.axes.NO_AXIS_VALUE, element.span, kind=type_name(value))
                continue
            if any(equal(value, other) for other in values):
                self.sink.report(msg.axes.LISTED_TWICE, element.span, value=show(value))
                continue
            values.append(value)
        if not values:
            if not source.items:
                self.sink.report(msg.axes.EMPTY_LIST, item.span, name=name)
            return None
        kinds = {(type(v), v.table if isinstance(v, RowValue) else "") for v in values}
        if len(kinds) > 1:
            self.sink.report(
                msg.axes.MIXED_TYPES,
                source.span,
                name=name,
                types=", ".join(sorted({type_name(v) for v in values})),
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
        """The members of *values* that *picks* select, in the order of the picks."""
        chosen: list[Value] = []
        for pick in picks:
            match pick:
                case ast.RangePick():
                    found = self.range(pick, values, table)
                case ast.WherePick():
                    found = self.where(pick, values, table)
                case ast.AxisPick():
                    self.sink.report(msg.axes.AXIS_IN_PICK, pick.axis.span)
                    found = ()
                case _:
                    one = self.one(pick, values, table)
                    found = () if one is None else (values[one],)
            for value in found:
                if any(equal(value, other) for other in chosen):
                    if _is_wrong(value):
                        continue
                    self.sink.report(msg.axes.PICKED_TWICE, pick.span, value=show(value))
                else:
                    chosen.append(value)
        return tuple(chosen)

    def one(self, pick: ast.Expr, values: tuple[Value, ...], table: hir.Table | None) -> int | None:
        """The index of the value that *pick* names; None after reporting."""
        if isinstance(pick, ast.Ref):
            self.expressions.names.picked(pick.name, pick.span, values)
            for index, value in enumerate(values):
                if isinstance(value, RowValue) and value.name == pick.name:
                    return index
            names = [value.name for value in values if isinstance(value, RowValue)]
            listed = table is not None and pick.name in table.rows
            if names and not listed and self.scope.is_lost(pick.name):
                return None
            if names:
                from tvarc.meaning.declarations.near_rows import having_fact, listed_names

                near, having = guess(pick.name, names), having_fact(values, pick.name)
                extended = table.name if table and table.name in self.scope.tables else ""
                self.sink.report(
                    msg.axes.NOT_OF_THIS_AXIS if listed else msg.axes.UNKNOWN_ROW,
                    pick.span,
                    name=pick.name,
                    guess=near,
                    having=having,
                    table="" if near.sure or having else extended,
                    values=listed_names(names),
                )
                return None
        try:
            wanted = self.facts.evaluate(pick, View("a pick", axes=False, settings=False))
        except Failed:
            return None
        for index, value in enumerate(values):
            if equal(value, wanted):
                return index
        from tvarc.meaning.declarations.near_rows import having_fact, listed_names

        shown = [show(value) for value in values]
        self.sink.report(
            msg.axes.UNKNOWN_VALUE,
            pick.span,
            wanted=show(wanted),
            guess=guess(show(wanted), shown),
            having=having_fact(values, wanted),
            values=listed_names(shown),
        )
        return None

    def range(
        self, pick: ast.RangePick, values: tuple[Value, ...], table: hir.Table | None
    ) -> tuple[Value, ...]:
        first, last = self.one(pick.first, values, table), self.one(pick.last, values, table)
        if first is None or last is None:
            return ()
        if first > last:
            self.sink.report(msg.axes.RANGE_BACKWARDS, pick.span)
            return ()
        return values[first : last + 1]

    def where(
        self, pick: ast.WherePick, values: tuple[Value, ...], table: hir.Table | None
    ) -> tuple[Value, ...]:
        if table is None or not table.fields:
            self.sink.report(msg.axes.WHERE_WITHOUT_FACTS, pick.span)
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
                found.append(value)  # a fact of it failed, which is already reported
        if not found:
            self.sink.report(msg.axes.NOTHING_FITS, pick.span)
        return tuple(found)


def _is_wrong(value: Value) -> bool:
    """Whether *value* is a row with a wrong fact, which is already reported."""
    return isinstance(value, RowValue) and any(fact.wrong for fact in value.facts.values())
