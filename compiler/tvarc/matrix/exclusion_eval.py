"""Dropped cells: the cells that exclusions drop from a matrix, and the reasons."""

from __future__ import annotations

from itertools import compress

from tvarc.light import Final, Iterable, Iterator, dataclass
from tvarc.matrix import messages as msg
from tvarc.matrix.cells import Grid, Projections
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.expand import CellEnvironment
from tvarc.matrix.truth import Truth, Truths
from tvarc.matrix.variants import Unbuilt
from tvarc.meaning import hir
from tvarc.meaning.budget import Total
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.evaluation.operands import Operand, asked_about, operands
from tvarc.meaning.functions import kind_text
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.paths import fault_of_name
from tvarc.values.value import Value, show

Exclusion = hir.Check
"""An exclusion of one matrix, or of all."""

Through = hir.ExcludeModule
"""A line `exclude MODULE`, which applies the exclusions of a module."""


_LEAST_OPERANDS: Final = 4  # the operands that take as long as a reason


@dataclass(frozen=True, slots=True, eq=False)
class Reason:
    """An exclusion that drops a cell, and the values of its operands there."""

    check: hir.Check
    operands: tuple[Operand, ...]

    def texts(self, *, everything: bool = False) -> tuple[str, ...]:
        """The operands as `text = value`. Axes are included only with *everything*, since columns
        show them already."""
        return tuple(
            f"{one.text} = {show(one.value)[:100]}"
            for one in self.operands
            if everything or not isinstance(one.expr, hir.AxisRef)
        )


@dataclass(frozen=True, slots=True, eq=False)
class DroppedCell:
    """A cell that exclusions drop. `variant` is the variant that it would be. Its name is empty if
    it cannot have one."""

    variant: Unbuilt
    reasons: tuple[Reason, ...]


class Dropped:
    """The dropped cells of one matrix. Each iteration computes them again, unless `chosen` has
    them."""

    __slots__ = ("_tables", "chosen", "excludes", "matrix", "reads")

    def __init__(self, matrix: hir.MatrixDef, excludes: tuple[hir.Check, ...]) -> None:
        self.matrix = matrix
        self.excludes = excludes
        self.reads = Dependencies()
        self.chosen: list[DroppedCell] | None = None
        self._tables: Tables | None = None

    @property
    def tables(self) -> Tables:
        """The tables of all exclusions. They are made when they are first needed."""
        if self._tables is None:
            self._tables = Tables(self.matrix, self.excludes, self.reads)
        return self._tables

    def may_be_listed(self, total: Total, sink: Sink) -> bool:
        """Whether *total* has enough budget for all reasons of all cells. Otherwise it is reported.
        """
        if total.asks(self.tables.effort_of_reasons()):
            return True
        total.report_spent(
            sink, msg.cells.TOO_MANY_REASONS_TO_LIST, self.matrix.span, self.matrix.name
        )
        return False

    def cells(self) -> Iterable[DroppedCell]:
        if self.chosen is not None:
            return self.chosen
        return dropped_cells(self.matrix, self.excludes, self.reads)


def dropped_cells(
    matrix: hir.MatrixDef, excludes: tuple[hir.Check, ...], reads: Dependencies
) -> Iterator[DroppedCell]:
    """The cells of *matrix* that any of *excludes* drops, in axis order, each with all exclusions
    that drop it. Faults of conditions are not reported, because `expand` has already done so."""
    names = _Names(matrix, reads)
    for indices, reasons in dropped_reasons(matrix, excludes, reads):
        yield DroppedCell(names.named(indices), reasons)


def dropped_reasons(
    matrix: hir.MatrixDef, excludes: tuple[hir.Check, ...], reads: Dependencies
) -> Iterator[tuple[tuple[int, ...], tuple[Reason, ...]]]:
    """The same cells, by the indices of their axis values, and without names."""
    tables = Tables(matrix, excludes, reads)
    for cell in tables.dropped():
        indices = tables.grid.indices(cell)
        yield indices, tables.reasons(indices)


def count_dropped(
    matrix: hir.MatrixDef, excludes: tuple[hir.Check, ...], reads: Dependencies
) -> int:
    """The number of cells of *matrix* that any of *excludes* drops."""
    return sum(1 for _ in Tables(matrix, excludes, reads).dropped())


class Tables:
    """The cells that some exclusions of a matrix drop, as a table for each exclusion. It has a byte
    for each combination of the axes that the exclusion reads."""

    __slots__ = ("grid", "matrix", "tests")

    def __init__(
        self, matrix: hir.MatrixDef, excludes: tuple[hir.Check, ...], reads: Dependencies
    ) -> None:
        projections = Projections(Grid([len(pick.values) for pick in matrix.axes]))
        self.grid = projections.grid
        self.matrix = matrix
        truths = Truths(matrix, projections, reads, self._asked)
        self.tests = [_Test(check, matrix, reads, truths) for check in excludes]

    def _asked(self, expr: hir.Expr, indices: tuple[int, ...]) -> Value:
        return _evaluator(self.matrix, indices).value(expr)

    def counts(self) -> list[tuple[Exclusion, int]]:
        """Each exclusion with the number of cells that it drops."""
        return [(test.check, test.truth.count) for test in self.tests]

    def effort_of_reasons(self) -> int:
        """The effort to find all reasons of all dropped cells, in evaluations."""
        return sum([effort_of_reasons(check, count) for check, count in self.counts()])

    def dropped(self) -> Iterator[int]:
        """The cells that any of the exclusions drops, in order."""
        whole = 0
        for test in self.tests:
            whole |= test.truth.cells()
        return compress(range(self.grid.cells), whole.to_bytes(self.grid.cells, "little"))

    def reasons(self, indices: tuple[int, ...]) -> tuple[Reason, ...]:
        """The reasons why the cell of *indices* is dropped."""
        found = [test.reason(indices) for test in self.tests]
        return tuple([reason for reason in found if reason is not None])

    def others(self, asked: Iterable[int], wanted: set[int]) -> dict[int, tuple[int, int]]:
        """For each of the *wanted* exclusions, by its identity: the number of cells outside of
        *asked* that it drops, and the number of those that only it drops."""
        once = twice = 0
        drops: list[tuple[int, int]] = []
        for test in self.tests:
            cells = test.truth.cells()
            twice |= once & cells
            once |= cells
            if id(test.check) in wanted:
                drops.append((id(test.check), cells))
        mask = bytearray(self.grid.cells)
        for cell in asked:
            mask[cell] = 1
        left = once & ~int.from_bytes(mask, "little")
        return {
            key: ((cells & left).bit_count(), (cells & left & ~twice).bit_count())
            for key, cells in drops
        }


def reason_at(check: hir.Check, matrix: hir.MatrixDef, values: dict[str, Value]) -> Reason | None:
    """The reason why *check* drops the cell with these axis values; None if it does not. The axes
    need not list the values."""
    evaluator = evaluator_at(matrix, values)
    conditions = [condition.expr for condition in check.conditions]
    try:
        if not all(evaluator.truth(expr, "when") for expr in conditions):
            return None
        if not evaluator.truth(check.expr, "exclude"):
            return None
    except Failed:
        return None
    found: dict[str, Operand] = {}
    for expr in (*conditions, check.expr):
        for one in operands(expr, evaluator.value):
            found.setdefault(one.text, one)
    return Reason(check, tuple(found.values()))


def evaluator_at(matrix: hir.MatrixDef, values: dict[str, Value]) -> Evaluator:
    """An evaluator for names and exclusions of *matrix*. It reports nothing."""
    silent = Sink()
    return Evaluator(CellEnvironment(matrix, values, silent), silent)


def _evaluator(matrix: hir.MatrixDef, indices: tuple[int, ...]) -> Evaluator:
    return evaluator_at(matrix, _values(matrix, indices))


def _values(matrix: hir.MatrixDef, indices: tuple[int, ...]) -> dict[str, Value]:
    return {p.axis.name: p.values[i] for p, i in zip(matrix.axes, indices, strict=True)}


class _Test:
    """One exclusion: the cells that it drops, and the reasons. Each is computed once for each
    combination of the axes that it depends on."""

    __slots__ = ("asked", "check", "matrix", "strides", "truth")

    def __init__(
        self, check: hir.Check, matrix: hir.MatrixDef, reads: Dependencies, truths: Truths
    ) -> None:
        self.check = check
        self.matrix = matrix
        parts = [truths.of(expr) for expr in (*_conditions(check), check.expr)]
        known = [part for part in parts if part is not None]
        if len(known) == len(parts):
            self.truth = truths.all(known)
        else:
            projection = truths.projection(reads.check(check).axes)
            found = [self.holds(at) for at in truths.combinations(projection)]
            self.truth = Truth(projection, bytes(found))
        projection = self.truth.projection
        sizes = [projection.grid.sizes[axis] for axis in projection.axes]
        strides = Grid(sizes).strides
        self.strides = tuple(zip(projection.axes, strides, strict=True))
        self.asked = _Asked(check, matrix, reads)

    def holds(self, indices: tuple[int, ...]) -> bool:
        return reason_at(self.check, self.matrix, _values(self.matrix, indices)) is not None

    def reason(self, indices: tuple[int, ...]) -> Reason | None:
        key = 0
        for axis, stride in self.strides:
            key += indices[axis] * stride
        return self.asked.reason(indices) if self.truth.table[key] else None


class _Asked:
    """The operands of an exclusion. Each is evaluated once for each combination of the axes that it
    reads."""

    __slots__ = ("check", "known", "matrix", "parts")

    def __init__(self, check: hir.Check, matrix: hir.MatrixDef, reads: Dependencies) -> None:
        self.check = check
        self.matrix = matrix
        self.parts = [
            (node, _places(matrix, reads.expr(node).axes))
            for expr in (*_conditions(check), check.expr)
            for node in asked_about(expr)
        ]
        self.known: list[dict[tuple[int, ...], tuple[Operand, ...]]] = [{} for _ in self.parts]

    def reason(self, indices: tuple[int, ...]) -> Reason:
        """The reason why the exclusion drops the cell of *indices*."""
        found: dict[str, Operand] = {}
        for (node, places), known in zip(self.parts, self.known, strict=True):
            key = tuple([indices[place] for place in places])
            several = known.get(key)
            if several is None:
                several = known[key] = operands(node, _evaluator(self.matrix, indices).value)
            for one in several:
                found.setdefault(one.text, one)
        return Reason(self.check, tuple(found.values()))


def effort_of_reasons(check: hir.Check, cells: int) -> int:
    """The effort, in evaluations, to find why *check* drops this number of *cells*. Eight operands
    take as long as one evaluation. The `include`s of a matrix are one check with the operands of
    all."""
    count = sum([1 for expr in (*_conditions(check), check.expr) for _ in asked_about(expr)])
    return cells * max(count, _LEAST_OPERANDS) >> 3


def _conditions(check: hir.Check) -> tuple[hir.Expr, ...]:
    return tuple([condition.expr for condition in check.conditions])


def _places(matrix: hir.MatrixDef, axes: frozenset[str]) -> tuple[int, ...]:
    """The positions of *axes* among those of *matrix*."""
    return tuple([i for i, pick in enumerate(matrix.axes) if pick.axis.name in axes])


class _Names:
    """Names of cells that are not built. Each part is evaluated once for each combination of the
    axes that it reads."""

    __slots__ = ("known", "matrix", "parts")

    def __init__(self, matrix: hir.MatrixDef, reads: Dependencies) -> None:
        self.matrix = matrix
        self.parts = [
            (part, () if isinstance(part, str) else _places(matrix, reads.expr(part).axes))
            for part in matrix.name_parts
        ]
        self.known: list[dict[tuple[int, ...], str | None]] = [{} for _ in self.parts]

    def named(self, indices: tuple[int, ...]) -> Unbuilt:
        """The variant that the cell would be if it were built."""
        whole = self.matrix.name_parts == (self.matrix.name_expr,)
        pieces: list[tuple[str, bool]] = []
        for (part, places), known in zip(self.parts, self.known, strict=True):
            if isinstance(part, str):
                pieces.append((part, False))
                continue
            key = tuple([indices[place] for place in places])
            if key not in known:
                known[key] = self.text(part, indices)
            text = known[key]
            if text is None:
                return Unbuilt(self.matrix, indices)
            pieces.append((text, not whole))
        if fault_of_name("".join([text for text, _ in pieces])) is not None:
            return Unbuilt(self.matrix, indices)
        return Unbuilt(self.matrix, indices, tuple(pieces))

    def text(self, part: hir.Expr, indices: tuple[int, ...]) -> str | None:
        """The string of a value in the name; None if it has none."""
        try:
            return kind_text(_evaluator(self.matrix, indices).value(part))
        except Failed:
            return None
