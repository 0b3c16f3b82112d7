"""Judge a cell of a matrix for one host: why it fits, why not, and how good it would be."""

from __future__ import annotations

from functools import cmp_to_key

from tvarc.hosts import cpu, driver, gpu
from tvarc.hosts.gpu import Capability, Reach
from tvarc.hosts.model import Gpu, Host
from tvarc.hosts.rows import has_fact, text_fact, texts_fact, version_fact
from tvarc.hosts.toolkit import Toolkit, toolkit_of
from tvarc.light import Callable, Final, Literal, Sequence, dataclass, field
from tvarc.sema import hir
from tvarc.values import RowValue, Value, Version, show

Kind = Literal["gpu", "cpu", "driver", "platform", "unknown"]
Platforms = Callable[[], tuple[str, ...]]

_version_key = cmp_to_key(Version.compare)
_NAMED: Final = 8  # features; of more the count is told
_NO_VERSION: Final = Version("0")


@dataclass(frozen=True, slots=True)
class Reason:
    """One thing that speaks for a cell, or against it: what kind, about which value (`gpu=sm90`,
    empty for none in particular), and a clause for a person."""

    kind: Kind
    value: str
    text: str


@dataclass(frozen=True, slots=True)
class Rank:
    """How good a cell is for the host if it runs there at all; compare by `key`."""

    reach: Reach
    target: tuple[str, int]  # suffix and minor of the GPU that the build is made for
    weight: tuple[int, int]
    cuda: Version

    @property
    def key(self) -> tuple[int, tuple[str, int], tuple[int, int], object]:
        return (self.reach, self.target, self.weight, _version_key(self.cuda))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What there is to say of one cell; it fits when nothing speaks against it. `foreign` tells
    that it is for another platform or another GPU altogether, which nothing on this host changes.
    """

    rank: Rank
    reasons: tuple[Reason, ...]
    refusals: tuple[Reason, ...]
    foreign: bool

    @property
    def fits(self) -> bool:
        return not self.refusals


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What one axis value says: reasons for, reasons against, and its share of the rank."""

    reasons: tuple[Reason, ...] = ()
    refusals: tuple[Reason, ...] = ()
    foreign: bool = False
    reach: Reach = Reach.NO_GPU
    target: Capability | None = None
    weight: tuple[int, int] = (0, 0)
    platform: bool = False  # whether it speaks of the platform at all


@dataclass(slots=True)
class Judge:
    """Judges cells of *program* for *host* and, of its GPUs, those of one kind; what an axis
    value says is found out once."""

    host: Host
    kind: Sequence[Gpu]
    program: hir.Program
    # By identity: an extended copy of a table has other facts under the same names. The program
    # keeps its values, so an identity stands for one value.
    _known: dict[tuple[str, int], _Verdict] = field(default_factory=dict)

    def cell(
        self, matrix: hir.MatrixDef, values: dict[str, Value], platforms: Platforms
    ) -> Judgement:
        """The judgement on the cell *values* of *matrix*. *platforms* gives the Nix platforms of
        its recipe, for cells of which no axis tells the platform."""
        verdicts = [self.verdict(axis, value) for axis, value in values.items()]
        reasons = [reason for one in verdicts for reason in one.reasons]
        refusals = [reason for one in verdicts for reason in one.refusals]
        foreign = any(one.foreign for one in verdicts)
        if not any(one.platform for one in verdicts):
            wrong = self.platforms(platforms())
            refusals += wrong
            foreign = foreign or bool(wrong)
        toolkit: Toolkit | None = None
        reach, target = Reach.NO_GPU, Capability(0, 0)
        for value, one in zip(values.values(), verdicts, strict=True):
            if one.target is not None:
                reach, target = one.reach, one.target
                toolkit = toolkit_of(matrix, values, self.program)
                if reach > Reach.NO_GPU:
                    self.driver(value, toolkit, reasons, refusals)
        if reach is Reach.NO_GPU and self.kind:
            reasons.insert(0, Reason("gpu", "", "a build without GPU support"))
        rank = Rank(
            reach,
            (target.suffix, target.minor),
            max(one.weight for one in verdicts) if verdicts else (0, 0),
            toolkit.version if toolkit is not None else _NO_VERSION,
        )
        return Judgement(rank, tuple(reasons), tuple(refusals), foreign)

    def verdict(self, axis: str, value: Value) -> _Verdict:
        known = self._known.get((axis, id(value)))
        if known is None:
            known = self.judge(axis, value)
            self._known[axis, id(value)] = known
        return known

    def judge(self, axis: str, value: Value) -> _Verdict:
        named = f"{axis}={value.name if isinstance(value, RowValue) else show(value)}"
        target = version_fact(value, "capability")
        if target is not None:
            return self.gpu(named, target, value)
        if has_fact(value, "gfx"):
            text = "made for AMD GPUs, which are not looked for"
            return _Verdict(refusals=(Reason("gpu", named, text),), foreign=True)
        if any(has_fact(value, name) for name in ("cpuinfo", "arch", "platform")):
            return self.cpu(named, value)
        return _Verdict()

    def gpu(self, named: str, version: Version, value: Value) -> _Verdict:
        name = value.name if isinstance(value, RowValue) else ""
        build = gpu.capability(version, text_fact(value, "suffix") or gpu.suffix_of(name))
        if build is None:
            text = f"`{version.text}` is no compute capability"
            return _Verdict(refusals=(Reason("unknown", named, text),), foreign=True)
        if not self.kind:
            text = f"made for a GPU of compute capability {version.text}, there is none"
            refusal = Reason("gpu", named, text)
            return _Verdict(refusals=(refusal,), foreign=True, reach=Reach.UNSERVED, target=build)
        mine = self.kind[0].capability.text
        device = gpu.capability(self.kind[0].capability)
        met = gpu.reach(build, device) if device is not None else Reach.UNSERVED
        match met:
            case Reach.EXACT:
                only = " alone" if build.suffix == "a" else ""
                reason = Reason("gpu", named, f"made for compute capability {mine}{only}")
            case Reach.SAME_MAJOR:
                text = (
                    f"made for compute capability {version.text}, runs on {mine}: same major, newer"
                )
                reason = Reason("gpu", named, text)
            case Reach.NO_GPU | Reach.UNSERVED:
                text = f"made for compute capability {_runs_on(build)}, the GPU has {mine}"
                return _Verdict(
                    refusals=(Reason("gpu", named, text),),
                    foreign=True,
                    reach=Reach.UNSERVED,
                    target=build,
                )
        return _Verdict((reason,), reach=met, target=build)

    def cpu(self, named: str, value: Value) -> _Verdict:
        needed = texts_fact(value, "cpuinfo") or ()
        weight = (cpu.weight(needed), len(needed))
        platform, arch = text_fact(value, "platform"), text_fact(value, "arch")
        known = platform is not None or arch is not None
        if platform not in (None, self.host.platform) or arch not in (None, self.host.arch):
            text = f"for {platform or arch}, the host is {self.host.platform}"
            refusal = Reason("platform", named, text)
            return _Verdict((), (refusal,), foreign=True, weight=weight, platform=True)
        if has_fact(value, "cpuinfo") and texts_fact(value, "cpuinfo") is None:
            text = "no word of /proc/cpuinfo tells whether the CPU has it"
            return _Verdict((), (Reason("cpu", named, text),), weight=weight, platform=known)
        found = cpu.features(needed, self.host.flags, self.host.arch)
        if found.missing:
            refusal = Reason("cpu", named, f"the CPU lacks {' '.join(found.missing)}")
            return _Verdict((), (refusal,), weight=weight, platform=known)
        if not has_fact(value, "cpuinfo"):
            text = "which features of a CPU it needs is unknown"
            reasons = [Reason("unknown", named, text)]
        else:
            reasons = [Reason("cpu", named, _has(found))]
        return _Verdict(tuple(reasons), weight=weight, platform=known)

    def platforms(self, platforms: tuple[str, ...]) -> list[Reason]:
        if not platforms or self.host.platform in platforms:
            return []
        text = f"for {', '.join(platforms)}, the host is {self.host.platform}"
        return [Reason("platform", "", text)]

    def driver(
        self,
        value: Value,
        toolkit: Toolkit | None,
        reasons: list[Reason],
        refusals: list[Reason],
    ) -> None:
        """Whether the host's driver will do for the GPU *value* with *toolkit*."""
        name = value.name if isinstance(value, RowValue) else show(value)
        floor = driver.floor(toolkit, version_fact(value, "first-driver"), name)
        if toolkit is None:
            text = "the CUDA version is unknown, so its driver is not checked"
            reasons.append(Reason("unknown", "", text))
        if floor is None:
            return
        wanted = f"{floor.asked_by} needs {floor.driver.text} or newer"
        drivers = [one.driver for one in self.kind if one.driver is not None]
        if not drivers:
            reasons.append(Reason("unknown", "", f"the driver is unknown; {wanted}"))
            return
        oldest = min(drivers, key=_version_key)
        if oldest.compare(floor.driver) < 0:
            text = f"driver {oldest.text} is too old: {wanted}"
            refusals.append(Reason("driver", "", text))
        else:
            reasons.append(Reason("driver", "", f"driver {oldest.text}: {wanted}"))


def _runs_on(build: Capability) -> str:
    exact = f"{build.major}.{build.minor}"
    if build.suffix == "a":
        return f"{exact} alone"
    return f"{exact} or a later {build.major}.x"


def _has(found: cpu.Features) -> str:
    count = len(found.needed)
    if found.assumed:
        return (
            f"the CPU has {count - len(found.assumed)} of {count} features; the others, "
            f"{' '.join(found.assumed)}, are taken to be there, as older kernels do not list "
            "them (unsourced)"
        )
    if count == 0:
        return "asks nothing of the CPU"
    named = f": {' '.join(found.needed)}" if count <= _NAMED else ""
    if count == 1:
        return f"the CPU has {found.needed[0]}"
    return f"the CPU has all {count} features{named}"
