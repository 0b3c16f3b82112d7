"""Judge a cell of a matrix for one host: why it fits, why not, and how good it would be."""

from __future__ import annotations

from functools import cmp_to_key

from tvarc.hosts import driver
from tvarc.hosts.gpu import Reach
from tvarc.hosts.model import Gpu, Host
from tvarc.hosts.stated import NOTHING, Stated
from tvarc.hosts.toolkit import Toolkit, gap_of, in_gap, toolkit_of
from tvarc.hosts.verdict import SILENT, Reason, Verdict, targets_verdict, verdict
from tvarc.light import Callable, Final, dataclass, field
from tvarc.sema import hir
from tvarc.values import RowValue, Value, Version, show

StatedOf = Callable[[], Stated]

_version_key = cmp_to_key(Version.compare)
_FOREIGN: Final = ("platform", "gpu", "unknown")  # kinds of refusals
_NO_VERSION: Final = Version("0")


@dataclass(frozen=True, slots=True)
class Rank:
    """How good a cell is for the host if it runs there at all; compare by `key`."""

    reach: Reach
    use: tuple[int, ...]  # how much of the GPU the target uses
    weight: tuple[int, int, int]
    cuda: Version

    @property
    def key(self) -> tuple[int, tuple[int, ...], tuple[int, int, int], object]:
        return (self.reach, self.use, self.weight, _version_key(self.cuda))


@dataclass(frozen=True, slots=True)
class Judgement:
    """What there is to say of one cell; it fits when nothing speaks against it. `foreign` tells
    that it is for another platform or another GPU altogether, which nothing on this host changes.
    `targets` are the GPUs that it is made for.
    """

    rank: Rank
    reasons: tuple[Reason, ...]
    refusals: tuple[Reason, ...]
    foreign: bool
    targets: tuple[str, ...]

    @property
    def fits(self) -> bool:
        return not self.refusals


@dataclass(slots=True)
class Judge:
    """Judges cells of *program* for *host* and, of its GPUs, those of one kind; what an axis
    value says is found out once."""

    host: Host
    kind: tuple[Gpu, ...]
    program: hir.Program
    # By identity: an extended copy of a table has other facts under the same names. The program
    # keeps its values, so an identity stands for one value.
    _known: dict[tuple[str, int], Verdict] = field(default_factory=dict)

    def cell(
        self, matrix: hir.MatrixDef, values: dict[str, Value], stated_of: StatedOf
    ) -> Judgement:
        """The judgement on the cell *values* of *matrix*. *stated_of* gives what its recipe
        states; it is asked where no axis tells of GPUs, or of the platform."""
        verdicts = [self.verdict(axis, value) for axis, value in values.items()]
        of_gpus = [one for one in verdicts if one.targets]
        stated = NOTHING
        if not of_gpus or not any(one.platform for one in verdicts):
            stated = stated_of()
        if not of_gpus and stated.targets:
            of_gpus = [targets_verdict(self.kind, stated.setting, stated.targets)]
            verdicts += of_gpus
        reasons = [reason for one in verdicts for reason in one.reasons]
        refusals = [reason for one in verdicts for reason in one.refusals]
        if not any(one.platform for one in verdicts):
            refusals += self.platforms(stated.platforms)
        # Where several axes tell of GPUs, the least of them decides.
        best = min(of_gpus, key=lambda one: one.reach, default=SILENT)
        toolkit: Toolkit | None = None
        if of_gpus:
            toolkit = toolkit_of(matrix, values, self.program)
        if toolkit is not None:
            refusals += self.hosts_of(toolkit, values)
        for one in of_gpus:
            if one.nvidia:
                self.driver(one, toolkit, reasons, refusals)
        if not of_gpus:
            self.without_target(stated, reasons, refusals)
        rank = Rank(
            best.reach,
            best.use,
            max((one.weight for one in verdicts), default=(0, 0, 0)),
            toolkit.version if toolkit is not None else _NO_VERSION,
        )
        targets = tuple(target for one in of_gpus for target in one.targets)
        foreign = any(one.kind in _FOREIGN for one in refusals)
        return Judgement(rank, tuple(reasons), tuple(refusals), foreign, targets)

    def verdict(self, axis: str, value: Value) -> Verdict:
        """What the *value* of *axis* says."""
        known = self._known.get((axis, id(value)))
        if known is None:
            named = f"{axis}={value.name if isinstance(value, RowValue) else show(value)}"
            known = verdict(self.host, self.kind, named, value)
            self._known[axis, id(value)] = known
        return known

    def platforms(self, platforms: tuple[str, ...]) -> list[Reason]:
        if not platforms or self.host.platform in platforms:
            return []
        text = f"for {', '.join(platforms)}, the host is {self.host.platform}"
        return [Reason("platform", "", text)]

    def hosts_of(self, toolkit: Toolkit, values: dict[str, Value]) -> list[Reason]:
        """What speaks against *toolkit* because no host with a GPU of *values* has it."""
        found: list[Reason] = []
        for axis, value in values.items():
            gap = gap_of(value)
            if gap is not None and in_gap(toolkit.version, toolkit.version, gap):
                name = value.name if isinstance(value, RowValue) else ""
                text = f"CUDA {toolkit.version.text} is for no host with {name}: {gap.shown}"
                found.append(Reason("toolkit", f"{axis}={name}", text))
        return found

    def without_target(self, stated: Stated, reasons: list[Reason], refusals: list[Reason]) -> None:
        """What there is to say of a build that names no GPU."""
        if stated.gpus and not self.kind:
            refusals.append(Reason("gpu", "", "made for GPUs, there is none"))
        elif stated.gpus:
            text = "a build with GPU support; which GPUs it is made for is unknown"
            reasons.insert(0, Reason("unknown", "", text))
        elif self.kind:
            reasons.insert(0, Reason("gpu", "", "a build without GPU support"))

    def driver(
        self,
        build: Verdict,
        toolkit: Toolkit | None,
        reasons: list[Reason],
        refusals: list[Reason],
    ) -> None:
        """Whether the host's driver will do for *build* with *toolkit*."""
        floor = driver.floor(toolkit, build.first_driver, build.name)
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
