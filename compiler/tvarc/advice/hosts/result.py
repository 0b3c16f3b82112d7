"""The result of `pick`: each variant with the reasons for it and against it, and the description of
the host. See docs/pick.md.
"""

from __future__ import annotations

from tvarc.advice.hosts import model
from tvarc.advice.hosts.choose import Choice, Judged, KindChoice, MissingCell
from tvarc.advice.hosts.description import SCHEMA as HOST
from tvarc.advice.hosts.verdict import Reason
from tvarc.light import Final, Literal, Mapping, dataclass
from tvarc.text.source import Span
from tvarc.values.plain import ABSENT, Absent
from tvarc.values.value import Value

SCHEMA: Final = "tvarc-pick/1"


@dataclass(frozen=True, slots=True)
class Cpu:
    """The model and the features of a CPU, by their names in Linux' /proc/cpuinfo."""

    model: str
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU: one of NVIDIA has a compute capability and a driver, one of AMD a target."""

    name: str
    gfx: str | Absent = ABSENT
    """The target of a GPU of AMD, such as gfx90a."""
    capability: str | Absent = ABSENT
    """The compute capability of a GPU of NVIDIA, such as 9.0."""
    driver: str | Absent | None = ABSENT
    """The version of the driver of NVIDIA; null if it is not known."""
    cuda: str | Absent = ABSENT
    """The newest CUDA that programs have there, by nvidia-smi."""
    windows: Literal[True] | Absent = ABSENT
    """Whether the driver is one of Windows, seen from its subsystem for Linux."""


@dataclass(frozen=True, slots=True)
class Host:
    """The description of a host."""

    schema: Literal["tvarc-host/1"]
    made: Literal[True] | Absent
    """Whether the description was put together from facts, and read from no machine."""
    facts: tuple[str, ...] | Absent
    """The facts that it was put together from."""
    system: str
    """The operating system as Nix spells it."""
    arch: str
    """The architecture as Nix spells it."""
    cpu: Cpu
    gpus: tuple[Gpu, ...]
    notes: tuple[str, ...]
    """What could not be found out."""


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
        description_of(choice.host),
        tuple(map(_kind, choice.kinds)),
        every.name if every is not None else None,
    )


def _kind(kind: KindChoice) -> GpuKind:
    return GpuKind(
        tuple(map(gpu_of, kind.gpus)),
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


def description_of(host: model.Host) -> Host:
    """The description of *host*."""
    return Host(
        HOST,
        True if host.made else ABSENT,
        host.facts if host.made or host.facts else ABSENT,
        host.system,
        host.arch,
        Cpu(host.cpu, host.flags),
        tuple(map(gpu_of, host.gpus)),
        host.notes,
    )


def gpu_of(gpu: model.Gpu) -> Gpu:
    """The description of *gpu*."""
    if gpu.capability is None:
        return Gpu(gpu.name, gfx=gpu.gfx)
    return Gpu(
        gpu.name,
        capability=gpu.capability.text,
        driver=gpu.driver.text if gpu.driver is not None else None,
        cuda=gpu.cuda.text if gpu.cuda is not None else ABSENT,
        windows=True if gpu.windows else ABSENT,
    )
