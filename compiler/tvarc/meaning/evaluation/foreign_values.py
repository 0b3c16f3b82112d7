"""Rows that an `exclude` compares with an axis that does not have them. Such a comparison is never
true. The exclusion does not show that if another part of it holds."""

from __future__ import annotations

from tvarc.light import Final, Iterable, Iterator, dataclass, fields
from tvarc.meaning import hir
from tvarc.text.source import Span
from tvarc.values.value import RowValue, Value

_LISTED: Final = 20
_ASKS: Final = ("==", "!=", "in", "not in")


@dataclass(frozen=True, slots=True)
class ForeignValue:
    """The row `name` at *span*, and the values of `axis`."""

    span: Span
    name: str
    axis: str
    values: tuple[str, ...]

    @property
    def told(self) -> str:
        """The description of the axis, in words."""
        shown = ", ".join(self.values[:_LISTED]) + (" …" if len(self.values) > _LISTED else "")
        return f"`{self.axis}` is one of {shown}"


def foreign_values(program: hir.Program) -> Iterator[ForeignValue]:
    """The foreign values in the program's own exclusions, one for each place."""
    known = axes_of(program.matrices)
    told: set[Span] = set()
    for check in own_exclusions(program):
        for found in foreign_in(check.expr, known):
            if found.span not in told:
                told.add(found.span)
                yield found


def own_exclusions(program: hir.Program) -> list[hir.Check]:
    """The exclusions in the entry file, one for each place."""
    found: dict[Span, hir.Check] = {}
    for check in (*program.excludes, *(one for some in program.matrices for one in some.excludes)):
        if check.span.file == program.file and check.through is None and not check.need:
            found.setdefault(check.span, check)
    return list(found.values())


def foreign_in(expr: hir.Expr, known: dict[str, tuple[str, ...]]) -> Iterator[ForeignValue]:
    """The foreign values in *expr*. *known* has the names of the values of each axis with rows. If
    an axis is compared with several rows and has one of them, it probably had the others earlier,
    so they are not reported."""
    for compare in _comparisons(expr):
        for one, other in ((compare.left, compare.right), (compare.right, compare.left)):
            if isinstance(one, hir.AxisRef) and one.axis in known:
                values = known[one.axis]
                rows = list(_rows(other))
                if all(row.name not in values for _, row in rows):
                    for span, row in rows:
                        yield ForeignValue(span, row.name, one.axis, values)


def _rows(expr: hir.Expr) -> Iterator[tuple[Span, RowValue]]:
    """The rows that *expr* names, one or a list of them."""
    for item in expr.items if isinstance(expr, hir.ListOf) else (expr,):
        if isinstance(item, hir.Const) and isinstance(item.value, RowValue):
            yield item.span, item.value


def axes_of(matrices: Iterable[hir.MatrixDef]) -> dict[str, tuple[str, ...]]:
    """The names of the values of each axis with rows, whether or not a matrix uses them."""
    found: dict[str, dict[str, None]] = {}
    for matrix in matrices:
        for pick in matrix.axes:
            values: tuple[Value, ...] = pick.axis.values or pick.values
            names = [value.name for value in values if isinstance(value, RowValue)]
            if names:
                found.setdefault(pick.axis.name, {}).update(dict.fromkeys(names))
    return {axis: tuple(names) for axis, names in found.items()}


def _comparisons(node: object) -> Iterator[hir.Compare]:
    """The comparisons in an expression, but not those in the declarations that it names."""
    if isinstance(node, hir.Compare) and node.op in _ASKS:
        yield node
    elif isinstance(node, hir.Logic | hir.Not | hir.If):
        for one in fields(node):
            yield from _comparisons(getattr(node, one.name))
