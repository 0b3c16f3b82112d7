"""Rows with the name of an axis. The bare name always means the axis. A condition that is meant to
name the row would then test the axis, so such a row is an error."""

from __future__ import annotations

from tvarc.light import Callable, Iterator
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.names.scope import ModuleScope
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span
from tvarc.values.value import RowValue

Reported = set[tuple[str, str]]
"""The rows that are already reported: the origin of the table, and the name."""


def refuse_rows_like_axes(
    scope: ModuleScope, imported_at: Callable[[str], Span | None], reported: Reported, sink: Sink
) -> None:
    """Report each row that has the name of an axis in scope, since the name may mean either of
    them.

    `imported_at` returns the place that imports a file. An error is reported in the first module
    that has both in scope, at the one of them that this module declares. *reported* has the rows
    that earlier modules reported.
    """
    for taker in _takers(scope):
        for row in _rows(taker, scope):
            axis = scope.axes.get(row.name)
            if axis is None or (row.table, row.name) in reported:
                continue
            reported.add((row.table, row.name))
            _refuse(row, axis, taker, scope, imported_at, sink)


def _takers(scope: ModuleScope) -> Iterator[hir.AxisDef]:
    """Every axis that an expression of the module may name."""
    yield from scope.axes.values()
    for module in scope.aliases.values():
        yield from module.axes.values()


def _rows(axis: hir.AxisDef, scope: ModuleScope) -> Iterator[RowValue]:
    """The values of *axis* that have names. For an axis that is only named, all values that it may
    get."""
    if axis.values is not None:
        for value in axis.values:
            if isinstance(value, RowValue):
                yield value
    elif axis.table is not None:
        for name in scope.axes:  # there are few axes, and a table may have thousands of rows
            if name in axis.table.rows:
                yield axis.table.rows[name]


def _refuse(
    row: RowValue,
    axis: hir.AxisDef,
    taker: hir.AxisDef,
    scope: ModuleScope,
    imported_at: Callable[[str], Span | None],
    sink: Sink,
) -> None:
    what = f"a value of axis `{taker.name}`"
    places = [(row.span, what), (axis.span, "the axis")]
    if taker is not axis:
        places.append((taker.span, "this axis may take that value"))
    own = [place for place in places if place[0].file == scope.file]
    if own:
        span, label = own[0]
    else:
        used = imported_at(axis.span.file) or imported_at(taker.span.file)
        span, label = used or row.span, "this `use` brings in both" if used else what
    others = tuple(place for place in places if place[0] != span)
    _report(row.name, span, label, others, sink)


def refuse_listed(name: str, span: Span, axis: Span, sink: Sink) -> None:
    """Report that an axis lists *name* as one of its values, which is itself the name of an axis.
    """
    _report(name, span, "this names the axis", ((axis, "the axis"),), sink)


def _report(
    name: str, span: Span, label: str, others: tuple[tuple[Span, str], ...], sink: Sink
) -> None:
    sink.report(msg.names.ROW_LIKE_AXIS, span, others=others, name=name, label=label)
