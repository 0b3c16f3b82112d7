"""Rows: the values of a variant's axes as numbers, which are quick to look up.

What some axes decide is remembered by the numbers of these axes, which are picked from the row.
"""

from __future__ import annotations

from operator import getitem, itemgetter

from tvarc.light import TYPE_CHECKING, Callable, Mapping, Sequence, TypeVar

if TYPE_CHECKING:
    from tvarc.matrix.variants import Variant
    from tvarc.meaning import hir
    from tvarc.values.value import Value

Row = tuple[int, ...]
"""The numbers of the values of all axes of a matrix, in their order."""
Key = object
"""The numbers of the values of some axes: one number for one axis, a tuple for several."""

T = TypeVar("T")


def picker(places: Sequence[int]) -> Callable[[tuple[T, ...]], Key]:
    """Gives what is at *places* of a tuple: one thing, or a tuple of several."""
    return itemgetter(*places) if places else itemgetter(slice(0))


class Rows:
    """Numbers the values of axes. Equal values have one number."""

    __slots__ = ("_columns", "_numbers")

    def __init__(self) -> None:
        self._numbers: dict[Value, int] = {}
        # The numbers of the values of each axis of a matrix, by the matrix's id.
        self._columns: dict[str, list[list[int]]] = {}

    def of(self, variant: Variant) -> Row:
        """The row of *variant*."""
        built = variant.built
        matrix = built.matrix
        columns = self._columns.get(matrix.id)
        if columns is None:
            columns = [list(map(self._number, pick.values)) for pick in matrix.axes]
            self._columns[matrix.id] = columns
        return tuple(map(getitem, columns, built.grid.indices(variant.cell)))

    def of_values(self, matrix: hir.MatrixDef, values: Mapping[str, Value]) -> Row:
        """The row of the cell of *matrix* with these *values*, by axis."""
        return tuple([self._number(values[pick.axis.name]) for pick in matrix.axes])

    def _number(self, value: Value) -> int:
        return self._numbers.setdefault(value, len(self._numbers))
