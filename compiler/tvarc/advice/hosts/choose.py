"""Choose the variants that run on a host, the best first. Also find why better ones do not run, and
which cells would run but are not in a matrix."""

from __future__ import annotations

from collections import Counter
from itertools import islice, product

from tvarc.advice.hosts.capability import gfx_of
from tvarc.advice.hosts.gpu import Reach
from tvarc.advice.hosts.judge import Judge, Judgement, Stated, with_parts
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.advice.hosts.verdict import Reason
from tvarc.light import Callable, Final, Iterable, Sequence, dataclass
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
    """A cell that would run but is not built: its matrix, its values, and the exclusions that drop
    it."""

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

    A cell that is not built has no recipe. So a matrix whose recipes, and no axis, state the GPU or
    the platform is left out.
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
    """The exclusions that drop the cell. Errors in them were reported when cells were dropped."""
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


# Brands of GPUs without forward compatibility.
_CONSUMER: Final = ("GEFORCE", "TITAN")

ValuesOf = Callable[[Variant], dict[str, Value]]
PartsOf = Callable[[Variant], Sequence[Variant]]
WorksOf = Callable[[Variant], int]


@dataclass(frozen=True, slots=True)
class Judged:
    """A variant with its verdict for this host."""

    variant: Variant
    judgement: Judgement


@dataclass(frozen=True, slots=True)
class KindChoice:
    """The choice for one kind of GPU, or for the CPU alone when `gpus` is empty.

    `fits` has the best first. `better` are the `refused` variants that would come before the best.
    `missing` are the cells that would come before it but are in no matrix. `remarks` say what the
    matrices do not offer for this GPU.
    """

    gpus: tuple[Gpu, ...]
    fits: tuple[Judged, ...]
    refused: tuple[Judged, ...]
    better: tuple[Judged, ...]
    missing: tuple[MissingCell, ...]
    remarks: tuple[str, ...]

    @property
    def best(self) -> Judged | None:
        return self.fits[0] if self.fits else None


@dataclass(frozen=True, slots=True)
class Choice:
    """The choice for each kind of GPU of a host. `serves_all` is the best variant that uses every
    one of several kinds; None if there is none, or only one kind.
    """

    host: Host
    kinds: tuple[KindChoice, ...]
    serves_all: Variant | None


def own_values(variant: Variant) -> dict[str, Value]:
    """The axis values of *variant* alone."""
    return variant.values


def unknown(_: Variant) -> int:
    """Return 0: it is not known whether a variant works."""
    return 0


def no_parts(_: Variant) -> Sequence[Variant]:
    """Return no needs: a variant needs nothing that was built for other values."""
    return ()


def choose(
    program: hir.Program,
    expansion: Expansion,
    host: Host,
    stated_of: StatedOf,
    among: Sequence[Variant] | None = None,
    values_of: ValuesOf = own_values,
    parts_of: PartsOf = no_parts,
    works: WorksOf = unknown,
) -> Choice:
    """The variants of *program* for *host*, of those in *among* if it is given. *stated_of* returns
    the statements of a variant's recipe about its machines; it is called if no axis decides.
    *values_of* returns the axis values of a variant, and of its needs; *parts_of* returns the needs
    that were built for other values. *works* is 1 for a variant that is known to work, -1 for one
    that is known to fail, else 0: what works comes first.
    """
    kinds = host.kinds() or ((),)
    known: dict[str, Stated] = {}

    def stated(variant: Variant) -> Stated:
        if variant.name not in known:
            known[variant.name] = stated_of(variant)
        return known[variant.name]

    some = expansion.variants if among is None else tuple(among)
    offered = _Offer(expansion, some, values_of, parts_of)
    chosen = tuple(_for_kind(Judge(host, kind, program), offered, stated, works) for kind in kinds)
    return Choice(host, chosen, _serves_all(chosen) if len(chosen) > 1 else None)


@dataclass(frozen=True, slots=True)
class _Offer:
    """The variants to choose from: all, or some."""

    expansion: Expansion
    variants: Sequence[Variant]
    values_of: ValuesOf
    parts_of: PartsOf

    @property
    def whole(self) -> bool:
        return len(self.variants) == len(self.expansion.variants)

    def none(self, predicate: str) -> str:
        """The sentence that the program has no variant that fulfils *predicate*."""
        among = "" if self.whole else "of those that are selected "
        return f"{among}no variant {predicate}"

    def matrices(self) -> frozenset[str]:
        """The matrices of which all variants are available. For the others it is unknown which
        cells the user means.
        """
        every = Counter(variant.matrix.id for variant in self.expansion.variants)
        mine = Counter(variant.matrix.id for variant in self.variants)
        return frozenset(id for id, count in mine.items() if count == every[id])


def _for_kind(
    judge: Judge, offered: _Offer, stated_of: StatedOf, works: WorksOf
) -> KindChoice:

    def judgement(one: Variant) -> Judgement:
        return judge.cell(one.matrix, offered.values_of(one), lambda: stated_of(one))

    judged = [
        Judged(one, with_parts(judgement(one), list(map(judgement, offered.parts_of(one)))))
        for one in offered.variants
    ]
    fits = [one for one in judged if one.judgement.fits]
    fits.sort(key=lambda one: one.judgement.rank.key, reverse=True)
    closest = fits[:1]
    fits.sort(key=lambda one: works(one.variant), reverse=True)
    refused = [one for one in judged if not one.judgement.fits]
    best = fits[0].judgement if fits else None
    better = [one for one in refused if _is_better(one.judgement, best)]
    better.sort(key=lambda one: one.judgement.rank.key, reverse=True)
    return KindChoice(
        judge.kind,
        tuple(fits),
        tuple(refused),
        tuple(better),
        missing_cells(judge, offered.expansion, best, stated_of, offered.matrices()),
        (
            *_remarks(judge, offered, judged),
            *(_forward(judge.kind[0], better) if judge.kind else ()),
            *(_passed_over(one, works) for one in closest if one is not fits[0]),
        ),
    )


def _passed_over(closest: Judged, works: WorksOf) -> str:
    """Why the variant that fits best is not the first."""
    why = "its last build or test failed" if works(closest.variant) < 0 else "nobody has built it"
    return f"{closest.variant.name} fits better, but {why}, as far as the results say"


def _is_better(one: Judgement, best: Judgement | None) -> bool:
    if one.foreign:
        return False
    return best is None or one.rank.key > best.rank.key


def _remarks(judge: Judge, offered: _Offer, judged: Iterable[Judged]) -> Iterable[str]:
    """A sentence for each GPU of this host for which no variant is built."""
    if not judge.kind:
        return
    mine = judge.kind[0]
    what = "compute capability " if mine.capability is not None else ""
    reached: set[Reach] = set()
    targets: dict[str, None] = {}
    for one in judged:
        reached.add(one.judgement.rank.reach)
        targets |= dict.fromkeys(
            target for target in one.judgement.targets if (gfx_of(target) == "") == bool(what)
        )
    if not targets:
        yield offered.none(f"is made for {'an NVIDIA' if what else 'an AMD'} GPU")
    elif Reach.EXACT not in reached:
        made = "made for" if max(reached) > Reach.NO_GPU else "that runs on"
        there = "there is" if offered.whole else "among those that are selected there is"
        yield f"{there} no variant {made} {what}{mine.target}, only {', '.join(targets)}"


def _forward(mine: Gpu, better: Iterable[Judged]) -> Iterable[str]:
    """The advice that lets a GPU for data centers run builds for which only its driver is too old.
    Source: NVIDIA, CUDA Compatibility, forward compatibility.
    """
    if mine.capability is None or mine.windows or any(w in mine.name.upper() for w in _CONSUMER):
        return
    versions: dict[str, None] = {}
    for one in better:
        if [reason.kind for reason in one.judgement.refusals] == ["driver"]:
            version = one.judgement.rank.cuda.text
            versions.setdefault(version)
    for version in versions:
        package = f"cuda-compat-{version.replace('.', '-')}"
        yield (
            f"with NVIDIA's package {package}, GPUs for data centers run CUDA {version} under an "
            "older driver of a branch that it names; nvidia-smi then reports that CUDA"
        )


def _serves_all(kinds: tuple[KindChoice, ...]) -> Variant | None:
    """Of the variants that use each kind of GPU, the one whose least used GPU is used most."""
    served: dict[str, list[Judgement]] = {}
    for kind in kinds:
        for one in kind.fits:
            if one.judgement.rank.reach > Reach.NO_GPU:
                served.setdefault(one.variant.name, []).append(one.judgement)
    first = {one.variant.name: one.variant for one in kinds[0].fits}
    least = {
        name: min(judgement.rank.key for judgement in served[name])
        for name in first
        if len(served.get(name, ())) == len(kinds)
    }
    # `first` has the best for the first kind first, and `max` keeps that order among equals.
    best = max(least, key=lambda name: least[name], default=None)
    return first[best] if best is not None else None


def group(judged: Iterable[Judged]) -> list[tuple[tuple[Reason, ...], list[Variant]]]:
    """Group the refused variants by their reasons."""
    found: dict[tuple[Reason, ...], list[Variant]] = {}
    for one in judged:
        found.setdefault(one.judgement.refusals, []).append(one.variant)
    return list(found.items())
