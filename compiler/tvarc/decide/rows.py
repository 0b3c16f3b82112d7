"""Rows: the values of a variant's axes as numbers, for quick lookups.

A result that depends on some axes is cached by the numbers of these axes, which are picked from the
row.
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Callable, Mapping, Sequence, TypeVar, itemgetter

if TYPE_CHECKING:
    from tvarc.meaning import hir
    from tvarc.values.value import Value

Row = tuple[int, ...]
"""The numbers of the values of all axes of a matrix, in their order."""
Key = object
"""The numbers of the values of some axes: one number for one axis, a tuple for several."""

T = TypeVar("T")


def picker(places: Sequence[int]) -> Callable[[tuple[T, ...]], Key]:
    """A function that returns the elements of a tuple at *places*: one element, or a tuple of
    several."""
    return itemgetter(*places) if places else itemgetter(slice(0))


class Rows:
    """Numbers the values of the axes of each matrix. The number of a value that an axis lists is
    its place in the axis. Other values get further numbers, one for all equal values."""

    __slots__ = ("_numbers",)

    def __init__(self) -> None:
        # The numbers of the values of each axis of a matrix, by the matrix's id.
        self._numbers: dict[str, list[dict[Value, int]]] = {}

    def of_values(self, matrix: hir.MatrixDef, values: Mapping[str, Value]) -> Row:
        """The row of the cell of *matrix* with these *values*, by axis."""
        numbers = self._numbers.get(matrix.id)
        if numbers is None:
            numbers = self._numbers[matrix.id] = [
                {value: place for place, value in enumerate(pick.values)} for pick in matrix.axes
            ]
        return tuple(
            [
                known.setdefault(values[pick.axis.name], len(pick.values) + len(known))
                for known, pick in zip(numbers, matrix.axes, strict=True)
            ]
        )
