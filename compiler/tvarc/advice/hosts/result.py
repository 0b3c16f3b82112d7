"""The result of `pick`: each variant with the reasons for it and against it, and the description of
the host. See docs/pick.md.
"""

from __future__ import annotations

from tvarc.advice.hosts.choose import Choice, Judged, KindChoice, MissingCell
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.advice.hosts.verdict import Reason
from tvarc.light import Final, Literal, Mapping, dataclass
from tvarc.text.source import Span
from tvarc.values.value import Value

SCHEMA: Final = "tvarc-pick/1"


@dataclass(frozen=True, slots=True)
class Variant:
    """A variant with the reasons for it and against it on this host."""

    variant: str
    matrix: str
    axes: Mapping[str, Value]
    gpu: str
    """How it uses the GPU: `no-gpu` for a build without GPU code."""
    reasons: tuple[Reason, ...]
    refusals: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An exclusion that drops a cell."""

    KEYS = (("place", ""),)

    place: Span
    because: str


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell that would be better than the best variant, and that exclusions drop."""

    KEYS = (("excluded_by", "excluded-by"),)

    matrix: str
    axes: Mapping[str, Value]
    excluded_by: tuple[Exclusion, ...]


@dataclass(frozen=True, slots=True)
class GpuKind:
    """The answer for the GPUs of one kind; for the CPU alone if `gpus` is empty."""

    gpus: tuple[Gpu, ...]
    best: str | None
    """The name of the best variant; null if none runs."""
    fits: tuple[Variant, ...]
    """The variants that run, the best first."""
    refused: tuple[Variant, ...]
    better: tuple[str, ...]
    """The names of those refused variants that would come before the best."""
    missing: tuple[Cell, ...]
    remarks: tuple[str, ...]
    """What the matrices do not offer for this GPU."""


@dataclass(frozen=True, slots=True)
class Result:
    """The variants for a host, by kind of GPU."""

    KEYS = (("serves_all", "serves-all"),)

    schema: Literal["tvarc-pick/1"]
    host: Host
    kinds: tuple[GpuKind, ...]
    serves_all: str | None
    """The best variant that uses the GPUs of every kind; null if there is none, or one kind."""


def result_of(choice: Choice) -> Result:
    """*choice* as the result of `pick`."""
    every = choice.serves_all
    return Result(
        SCHEMA,
        choice.host,
        tuple(map(_kind, choice.kinds)),
        every.name if every is not None else None,
    )


def _kind(kind: KindChoice) -> GpuKind:
    return GpuKind(
        kind.gpus,
        kind.best.variant.name if kind.best is not None else None,
        tuple(map(_judged, kind.fits)),
        tuple(map(_judged, kind.refused)),
        tuple([one.variant.name for one in kind.better]),
        tuple(map(_missing, kind.missing)),
        kind.remarks,
    )


def _judged(one: Judged) -> Variant:
    variant, judgement = one.variant, one.judgement
    return Variant(
        variant.name,
        variant.matrix.name,
        variant.values,
        judgement.rank.reach.name.lower().replace("_", "-"),
        judgement.reasons,
        judgement.refusals,
    )


def _missing(cell: MissingCell) -> Cell:
    checks = [Exclusion(one.span, one.because) for one in cell.excluded_by]
    return Cell(cell.matrix.name, cell.values, tuple(checks))
