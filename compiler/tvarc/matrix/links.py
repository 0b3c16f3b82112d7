"""Follows links: finds the variant of a matrix that a cell needs."""

from __future__ import annotations

from bisect import bisect_left

from tvarc.light import TYPE_CHECKING, Sequence, dataclass
from tvarc.matrix import messages as msg
from tvarc.matrix.cells import Grid
from tvarc.matrix.dependencies import Dependencies
from tvarc.meaning import hir
from tvarc.meaning.budget import Budget
from tvarc.meaning.declarations.needs import refuse_unbuilt
from tvarc.meaning.evaluation.evaluate import Environment, Evaluator
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import VARIANTS, DeclValue, NixCall, RowValue, Value, same, show

VARIANT, ARGUMENT = VARIANTS

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a matrix that is needed. The axes of the matrix need not list its values."""

    matrix: hir.MatrixDef
    values: dict[str, Value]

    def number(self) -> int | None:
        """The number of the cell in its matrix; None if an axis does not list its value."""
        number, grid = 0, Grid([len(pick.values) for pick in self.matrix.axes])
        for pick, stride in zip(self.matrix.axes, grid.strides, strict=True):
            wanted = self.values[pick.axis.name]
            index = _place_of(wanted, pick.values)
            if index is None:
                return None
            number += index * stride
        return number

    @property
    def is_built(self) -> bool:
        number = self.number()
        return number is not None and any(_holds(cells, number) for cells in self.matrix.built)


def _place_of(wanted: Value, values: Sequence[Value]) -> int | None:
    """The place of *wanted* in *values*; None if it is not there."""
    for place, one in enumerate(values):
        if one is wanted:  # most are identical; comparing a long axis takes ten times as long
            return place
    return next((place for place, one in enumerate(values) if same(one, wanted)), None)


def _holds(cells: Sequence[int], number: int) -> bool:
    place = bisect_left(cells, number)
    return place < len(cells) and cells[place] == number


def value_of(link: hir.Link, cell: Cell) -> NixCall:
    """The value that represents the variant of *cell*."""
    matrix = DeclValue("matrix", cell.matrix.name, cell.matrix.id)
    function = ARGUMENT if link.by_argument else VARIANT
    return NixCall(function, (("matrix", matrix), *cell.values.items()))


def is_link(value: Value) -> bool:
    """Whether *value* represents a variant of a matrix."""
    return isinstance(value, NixCall) and value.function in VARIANTS


class Chosen:
    """The results of links, each cached for the axis values that it reads. A caller that follows
    links from many cells of one matrix uses one object for all."""

    __slots__ = ("_axes", "_reads", "found")

    def __init__(self, reads: Dependencies) -> None:
        self._reads = reads
        self._axes: dict[int, tuple[str, ...]] = {}
        self.found: dict[tuple[int, ...], Value | None] = {}

    def key(
        self, choice: hir.AxisChoice, pick: hir.AxisPick, values: dict[str, Value]
    ) -> tuple[int, ...]:
        """The cache key for the result of *choice* on *pick*, in a cell with these *values*."""
        axes = self._axes.get(id(choice))
        if axes is None:
            axes = tuple(sorted(self._reads.expr(choice.value).axes))
            self._axes[id(choice)] = axes
        return (id(choice), id(pick), *[id(values.get(axis)) for axis in axes])


class Following:
    """Follows links from one cell of *matrix* with these *values*, and reports faults to *sink*.
    *known* caches results for other cells of the matrix."""

    __slots__ = ("environment", "known", "matrix", "sink", "values")

    def __init__(
        self,
        matrix: hir.MatrixDef,
        values: dict[str, Value],
        environment: Environment,
        sink: Sink,
        known: Chosen | None = None,
    ) -> None:
        self.known = known
        self.matrix = matrix
        self.values = values
        self.environment = environment
        self.sink = sink

    def built(self, link: hir.Link) -> list[Cell]:
        """The built cells that *link* leads to, at most one for each matrix. Raises Failed."""
        if any(not matrix.built for matrix in link.targets):
            raise Failed  # not expanded because of an error
        return [cell for cell in self.cells(link) if cell.is_built]

    def cells(self, link: hir.Link) -> list[Cell]:
        """The cells that *link* leads to, at most one for each matrix. Raises Failed after
        reporting."""
        if not link.targets:
            if not self.sink.has_errors:
                refuse_unbuilt(link, self.sink)
            raise Failed
        found = [self.cell(link, matrix) for matrix in link.targets]
        return [cell for cell in found if cell is not None]

    def cell(self, link: hir.Link, matrix: hir.MatrixDef) -> Cell | None:
        """The cell of *matrix* that *link* leads to. None if a choice fits no value of its axis."""
        choices = {choice.axis: choice for choice in link.choices}
        values: dict[str, Value] = {}
        for pick in matrix.axes:
            name = pick.axis.name
            choice = choices.get(name)
            if choice is None:
                values[name] = self.own(link, pick)
                continue
            found = self.choice(link, choice, pick)
            if found is None:
                return None
            values[name] = found
        return Cell(matrix, values)

    def own(self, link: hir.Link, pick: hir.AxisPick) -> Value:
        """This cell's value for an axis of the needed matrix. Raises Failed after reporting."""
        name = pick.axis.name
        if name not in self.values:
            raise self.lacks_axis(msg.needs.AXIS_NOT_STATED, link, name)
        value = self.values[name]
        mine = value.table if isinstance(value, RowValue) else ""
        theirs = pick.values[0].table if isinstance(pick.values[0], RowValue) else ""
        if mine != theirs:
            raise self.lacks_axis(msg.needs.OTHER_VALUES, link, name)
        return value

    def lacks_axis(self, message: Message, link: hir.Link, axis: str) -> Failed:
        return self.sink.refuse(
            message,
            link.span,
            others=[self.matrix.span],
            cause=f"{link.span.file}:{link.span.start} {self.matrix.id} {axis}",
            axis=axis,
            link=link.name,
            matrix=self.matrix.name,
        )

    def choice(self, link: hir.Link, choice: hir.AxisChoice, pick: hir.AxisPick) -> Value | None:
        """The result of `chosen`, cached. Faults are reported for each cell."""
        if self.known is None:
            return self.chosen(link, choice, pick)
        key = self.known.key(choice, pick, self.values)
        if key in self.known.found:
            return self.known.found[key]
        told = len(self.sink)
        found = self.chosen(link, choice, pick)
        if len(self.sink) == told:
            self.known.found[key] = found
        return found

    def chosen(self, link: hir.Link, choice: hir.AxisChoice, pick: hir.AxisPick) -> Value | None:
        """The value that *choice* selects; None if the axis has no such value."""
        if not choice.where:
            wanted = Evaluator(self.environment, self.sink).value(choice.value)
            for value in pick.values:
                named = isinstance(value, RowValue) and value.name == wanted
                if same(value, wanted) or named:
                    return value
            return wanted if isinstance(wanted, RowValue) else None
        found = [value for value in pick.values if self.fits(value, choice)]
        if len(found) > 1:
            raise self.sink.refuse(
                msg.needs.SEVERAL_VALUES if len(found) <= 3 else msg.needs.MORE_VALUES,
                choice.span,
                cause=f"several {choice.span.file}:{choice.span.start}",
                axis=choice.axis,
                values=" and ".join(map(show, found[:3])),
                cell=self.whole_cell(),
            )
        return found[0] if found else None

    def has_value(self, link: hir.Link, choice: hir.AxisChoice) -> bool:
        """Whether an axis of any target has the value that *choice* selects. Raises Failed."""
        picks = [pick for matrix in link.targets for pick in matrix.axes]
        return any(
            self.chosen(link, choice, pick) is not None
            for pick in picks
            if pick.axis.name == choice.axis
        )

    def fits(self, value: Value, choice: hir.AxisChoice) -> bool:
        if not isinstance(value, RowValue):
            return False
        within = _Row(self.environment, value)
        return Evaluator(within, self.sink).truth(choice.value, "where")

    def whole_cell(self) -> str:
        """This cell in words, by its values."""
        return ", ".join(f"{axis} is {show(value)}" for axis, value in self.values.items())

    def only(self, link: hir.Link, cells: list[Cell]) -> Cell:
        """The single cell in *cells*, which is not empty. Raises Failed after reporting several."""
        if len(cells) > 1:
            raise self.sink.refuse(
                msg.needs.SEVERAL_MATRICES,
                link.span,
                others=[cell.matrix.span for cell in cells],
                cause=f"several {link.span.file}:{link.span.start}",
                link=link.name,
                cell=self.whole_cell(),
            )
        return cells[0]


class _Row:
    """An environment in which the fields of one row are names."""

    __slots__ = ("outer", "row")

    def __init__(self, outer: Environment, row: RowValue) -> None:
        self.outer = outer
        self.row = row

    def axis(self, ref: hir.AxisRef) -> Value:
        return self.outer.axis(ref)

    def setting(self, ref: hir.SettingRef) -> Value:
        return self.outer.setting(ref)

    def let(self, ref: hir.LetRef, budget: Budget) -> Value:
        return self.outer.let(ref, budget)

    def field(self, ref: hir.FieldRef) -> Value:
        fact = self.row.facts.get(ref.name)
        if fact is not None and fact.wrong:
            raise Failed
        return fact.value if fact is not None else None

    def need(self, ref: hir.NeedRef) -> Value:
        return self.outer.need(ref)

    def link(self, link: hir.Link) -> Value:
        return self.outer.link(link)

    def lacks(self, link: hir.Link) -> bool:
        return self.outer.lacks(link)


def spelt(values: dict[str, Value]) -> str:
    """A cell as messages show it: `gpu=sm90 isa=avx2`."""
    return " ".join(f"{axis}={show(value)}" for axis, value in values.items())
