"""Cells that would run on a host but that no matrix has, and the exclusions that drop them."""

from __future__ import annotations

from itertools import islice, product

from tvarc.advice.hosts.judge import Judge, Judgement
from tvarc.advice.hosts.stated import Stated
from tvarc.light import Callable, dataclass
from tvarc.matrix.expand import CellEnvironment, Expansion
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import Value

StatedOf = Callable[[Variant], Stated]

_MOST = 100_000  # cells that are looked at
_KEPT = 3


@dataclass(frozen=True, slots=True)
class MissingCell:
    """A cell that is not built though it would run: its matrix, its values, and the exclusions
    that drop it."""

    matrix: hir.MatrixDef
    values: dict[str, Value]
    excluded_by: tuple[hir.Check, ...]
    judgement: Judgement


def missing_cells(
    judge: Judge,
    expansion: Expansion,
    best: Judgement | None,
    stated_of: StatedOf,
    asked: frozenset[str],
) -> tuple[MissingCell, ...]:
    """The cells of the matrices *asked* that would come before *best*, the first few of them, the
    best first.

    A cell that is not built has no recipe to ask: if recipes, and no axis, state the GPU or the
    platform, nothing is said of a matrix.
    """
    built: dict[str, set[tuple[int, ...]]] = {}
    matrices: dict[str, hir.MatrixDef] = {}
    silent: set[str] = set()
    for variant in expansion.variants:
        id = variant.matrix.id
        if id not in asked:
            continue
        if id not in matrices:
            matrices[id] = variant.matrix
            if _unknowable(judge, variant, stated_of):
                silent.add(id)
        built.setdefault(id, set()).add(variant.indices)
    found: list[MissingCell] = []
    for id, matrix in matrices.items():
        if id in silent:
            continue
        picks = [
            [i for i, value in enumerate(pick.values) if not _refused(judge, pick, value)]
            for pick in matrix.axes
        ]
        for indices in islice(product(*picks), _MOST):
            if indices in built[id]:
                continue
            values = {
                pick.axis.name: pick.values[i] for pick, i in zip(matrix.axes, indices, strict=True)
            }
            judgement = judge.cell(matrix, values, Stated)
            if judgement.fits and (best is None or judgement.rank.key > best.rank.key):
                why = _excluding(matrix, values, expansion.excludes.get(id, ()))
                found.append(MissingCell(matrix, values, why, judgement))
    found.sort(key=lambda cell: cell.judgement.rank.key, reverse=True)
    return tuple(found[:_KEPT])


def _unknowable(judge: Judge, variant: Variant, stated_of: StatedOf) -> bool:
    """Whether a statement of its recipe, which no axis repeats, may exclude *variant* on the
    host.
    """
    verdicts = [judge.verdict(axis, value) for axis, value in variant.values.items()]
    by_target, by_platform = any(v.targets for v in verdicts), any(v.platform for v in verdicts)
    if by_target and by_platform:
        return False
    stated = stated_of(variant)
    return (not by_target and stated.gpus) or (
        not by_platform and bool(judge.platforms(stated.platforms))
    )


def _refused(judge: Judge, pick: hir.AxisPick, value: Value) -> bool:
    return bool(judge.verdict(pick.axis.name, value).refusals)


def _excluding(
    matrix: hir.MatrixDef, values: dict[str, Value], checks: tuple[hir.Check, ...]
) -> tuple[hir.Check, ...]:
    """The exclusions that drop the cell. Their faults were reported when cells were dropped."""
    silent = Sink()
    evaluator = Evaluator(CellEnvironment(matrix, values, silent), silent)

    def drops(check: hir.Check) -> bool:
        try:
            return all(evaluator.truth(c.expr, "when") for c in check.conditions) and (
                evaluator.truth(check.expr, "exclude")
            )
        except Failed:
            return False

    return tuple(check for check in checks if drops(check))
