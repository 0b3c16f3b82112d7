"""Dropped cells: what exclusions leave out of a matrix, and why."""

from __future__ import annotations

from itertools import product

from tvarc.diagnostics.model import Failed, Sink
from tvarc.light import Iterable, Iterator, dataclass
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.expand import CellEnvironment
from tvarc.matrix.variants import Unbuilt
from tvarc.nix.quoting import is_attribute_name
from tvarc.sema import hir
from tvarc.sema.evaluate import Evaluator
from tvarc.sema.functions import kind_text
from tvarc.sema.operands import Operand, operands
from tvarc.values import Value, show

Exclusion = hir.Check
"""What leaves cells out, of a matrix or of all."""


@dataclass(frozen=True, slots=True, eq=False)
class Reason:
    """An exclusion that drops a cell, and the values that it has there."""

    check: hir.Check
    operands: tuple[Operand, ...]

    def texts(self, *, everything: bool = False) -> tuple[str, ...]:
        """The values that the condition reads, as `text = value`; axes when *everything* is
        asked for, since columns show these already."""
        return tuple(
            f"{one.text} = {show(one.value)[:100]}"
            for one in self.operands
            if everything or not isinstance(one.expr, hir.AxisRef)
        )


@dataclass(frozen=True, slots=True, eq=False)
class DroppedCell:
    """`variant` is what the cell would be; its name is empty where it would have none."""

    variant: Unbuilt
    reasons: tuple[Reason, ...]


class Dropped:
    """The dropped cells of one matrix: made anew each time they are asked for, unless some of
    them were `chosen`."""

    __slots__ = ("chosen", "excludes", "matrix", "reads")

    def __init__(self, matrix: hir.MatrixDef, excludes: tuple[hir.Check, ...]) -> None:
        self.matrix = matrix
        self.excludes = excludes
        self.reads = Dependencies()
        self.chosen: list[DroppedCell] | None = None

    def cells(self) -> Iterable[DroppedCell]:
        if self.chosen is not None:
            return self.chosen
        return dropped_cells(self.matrix, self.excludes, self.reads)


def dropped_cells(
    matrix: hir.MatrixDef, excludes: tuple[hir.Check, ...], reads: Dependencies
) -> Iterator[DroppedCell]:
    """The cells of *matrix* that any of *excludes* drops, in the order of its axes, each with all
    that drop it. Faults of conditions are not told again: `expand` has told them."""
    for indices, reasons in dropped_reasons(matrix, excludes, reads):
        yield DroppedCell(_named(matrix, indices), reasons)


def dropped_reasons(
    matrix: hir.MatrixDef, excludes: tuple[hir.Check, ...], reads: Dependencies
) -> Iterator[tuple[tuple[int, ...], tuple[Reason, ...]]]:
    """The same cells by the numbers of their axis values: names are not made."""
    tests = [_Test(check, matrix, reads) for check in excludes]
    if not tests:
        return
    for indices in product(*(range(len(pick.values)) for pick in matrix.axes)):
        found = [test.reason(indices) for test in tests]
        reasons = tuple([reason for reason in found if reason is not None])
        if reasons:
            yield indices, reasons


def count_dropped(
    matrix: hir.MatrixDef, excludes: tuple[hir.Check, ...], reads: Dependencies
) -> int:
    """How many cells of *matrix* any of *excludes* drops."""
    return sum(1 for _ in dropped_reasons(matrix, excludes, reads))


def reason_at(check: hir.Check, matrix: hir.MatrixDef, values: dict[str, Value]) -> Reason | None:
    """Why *check* drops the cell with these axis values, which the axes need not list; None where
    it does not."""
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
    """Evaluates what a name or an exclusion of *matrix* may read, and reports nothing."""
    silent = Sink()
    return Evaluator(CellEnvironment(matrix, values, silent), silent)


def _evaluator(matrix: hir.MatrixDef, indices: tuple[int, ...]) -> Evaluator:
    return evaluator_at(matrix, _values(matrix, indices))


def _values(matrix: hir.MatrixDef, indices: tuple[int, ...]) -> dict[str, Value]:
    return {p.axis.name: p.values[i] for p, i in zip(matrix.axes, indices, strict=True)}


class _Test:
    """One exclusion, asked once for each combination of the axes that it reads."""

    __slots__ = ("check", "known", "matrix", "positions")

    def __init__(self, check: hir.Check, matrix: hir.MatrixDef, reads: Dependencies) -> None:
        self.check = check
        self.matrix = matrix
        axes = reads.check(check).axes
        self.positions = tuple(i for i, p in enumerate(matrix.axes) if p.axis.name in axes)
        self.known: dict[tuple[int, ...], Reason | None] = {}

    def reason(self, indices: tuple[int, ...]) -> Reason | None:
        if len(self.positions) == len(indices):  # no combination comes twice
            return self.ask(indices)
        key = tuple([indices[i] for i in self.positions])
        if key not in self.known:
            self.known[key] = self.ask(indices)
        return self.known[key]

    def ask(self, indices: tuple[int, ...]) -> Reason | None:
        return reason_at(self.check, self.matrix, _values(self.matrix, indices))


def _named(matrix: hir.MatrixDef, indices: tuple[int, ...]) -> Unbuilt:
    """The variant that the cell would be."""
    evaluator = _evaluator(matrix, indices)
    parts = matrix.name_parts
    pieces: list[tuple[str, bool]] = []
    for part in parts:
        if isinstance(part, str):
            pieces.append((part, False))
            continue
        try:
            text = kind_text(evaluator.value(part))
        except Failed:
            text = None
        if text is None:
            return Unbuilt(matrix, indices)
        pieces.append((text, parts != (matrix.name_expr,)))
    if not is_attribute_name("".join(text for text, _ in pieces)):
        return Unbuilt(matrix, indices)
    return Unbuilt(matrix, indices, tuple(pieces))
