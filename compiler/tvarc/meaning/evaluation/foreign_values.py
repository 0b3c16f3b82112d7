"""Values that an `exclude` compares with an axis that does not have them. Such a comparison is
never true. The exclusion does not show that if another part of it holds."""

from __future__ import annotations

from tvarc.light import Final, Iterable, Iterator, dataclass, fields
from tvarc.meaning import hir
from tvarc.meaning.evaluation.compare import equal
from tvarc.text.source import Span
from tvarc.values.value import RowValue, Value, Version, show

_LISTED: Final = 20
_ASKS: Final = ("==", "!=", "in", "not in")


@dataclass(frozen=True, slots=True)
class ForeignValue:
    """The value `name` at *span*, and the values of `axis`."""

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


def foreign_in(expr: hir.Expr, known: dict[str, dict[str, Value]]) -> Iterator[ForeignValue]:
    """The foreign values in *expr*. *known* has the values of each axis, by their names. If an axis
    is compared with several values and has one of them, it probably had the others earlier, so they
    are not reported."""
    for compare in _comparisons(expr):
        for one, other in ((compare.left, compare.right), (compare.right, compare.left)):
            if isinstance(one, hir.AxisRef) and one.axis in known:
                values = known[one.axis]
                named = list(_named(other))
                if not any(_has(values, value) for _, value in named):
                    for span, value in named:
                        yield ForeignValue(span, _name(value), one.axis, tuple(values))


def _named(expr: hir.Expr) -> Iterator[tuple[Span, Value]]:
    """The values that *expr* names, one or a list of them."""
    for item in expr.items if isinstance(expr, hir.ListOf) else (expr,):
        if isinstance(item, hir.Const):
            yield item.span, item.value


def _name(value: Value) -> str:
    return value.name if isinstance(value, RowValue) else show(value)


def _has(values: dict[str, Value], value: Value) -> bool:
    if isinstance(value, Version):  # 3.0 and 3.0.0 are equal
        return any(equal(value, one) for one in values.values())
    return _name(value) in values


def axes_of(matrices: Iterable[hir.MatrixDef]) -> dict[str, dict[str, Value]]:
    """The values of each axis by their names, whether or not a matrix uses them."""
    found: dict[str, dict[str, Value]] = {}
    for pick in (pick for matrix in matrices for pick in matrix.axes):
        values = found.setdefault(pick.axis.name, {})
        values.update((_name(one), one) for one in pick.axis.values or pick.values)
    return {axis: values for axis, values in found.items() if values}


def _comparisons(node: object) -> Iterator[hir.Compare]:
    """The comparisons in an expression, but not those in the declarations that it names."""
    if isinstance(node, hir.Compare) and node.op in _ASKS:
        yield node
    elif isinstance(node, hir.Logic | hir.Not | hir.If):
        for one in fields(node):
            yield from _comparisons(getattr(node, one.name))
