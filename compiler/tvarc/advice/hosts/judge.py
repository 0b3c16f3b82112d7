"""Judge a cell of a matrix for one host: why it runs, why it does not, and its rank."""

from __future__ import annotations

from functools import cmp_to_key

from tvarc.advice.hosts import driver
from tvarc.advice.hosts.cpu import NO_WEIGHT, Weight
from tvarc.advice.hosts.driver import Floor
from tvarc.advice.hosts.gpu import Reach
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.advice.hosts.toolkit import GAP, Gap, Toolkit, gap_of, in_gap, system_cuda, toolkit_of
from tvarc.advice.hosts.verdict import SILENT, Reason, Verdict, targets_verdict, verdict
from tvarc.light import Callable, Final, Sequence, dataclass, field, replace
from tvarc.meaning import hir
from tvarc.nix import ir
from tvarc.text.source import Span
from tvarc.values.row_facts import cite, corrected, version_fact
from tvarc.values.value import RowValue, Value, Version, show


@dataclass(frozen=True, slots=True)
class Stated:
    """`platforms` are its Nix platforms, none for any. `targets` are the GPUs that it is compiled
    for, as PyTorch spells them (`9.0`, `gfx90a`), and `setting` is the setting that names them.
    `gpus` says whether it supports GPUs, even if it names none."""

    platforms: tuple[str, ...] = ()
    gpus: bool = False
    targets: tuple[str, ...] = ()
    setting: str = ""


NOTHING = Stated()


def stated(setting: Callable[[str, str], ir.Setting | None]) -> Stated:
    """The statements of a recipe. *setting* returns a setting by its block and key, None if there
    is none. Values that only Nix knows count as not stated.

    Only the settings that are read here are decided. They depend on few axes, while a recipe may
    depend on all of them.
    """

    def texts(block: str, key: str) -> tuple[str, ...]:
        found = setting(block, key)
        return _texts(found.value) if found is not None else ()

    def supports(name: str) -> Value:
        # Arguments of the package take precedence over the configuration of nixpkgs.
        found = setting("args", name) or setting("config", name)
        return found.value if found is not None else None

    platforms = texts("meta", "platforms")
    supported = [supports(name) for name in ("cudaSupport", "rocmSupport")]
    named = {}
    if True in supported or False not in supported:
        named["gpuTargets"] = texts("args", "gpuTargets")
    if True in supported:
        named["cudaCapabilities"] = texts("config", "cudaCapabilities")
    for name, targets in named.items():
        if targets:
            return Stated(platforms, True, targets, name)
    return Stated(platforms, True in supported)


def _texts(value: Value) -> tuple[str, ...]:
    items = value if isinstance(value, tuple) else ()
    # A version is emitted as a string.
    texts = (item.text if isinstance(item, Version) else item for item in items)
    return tuple(text for text in texts if isinstance(text, str))


StatedOf = Callable[[], Stated]

_version_key = cmp_to_key(Version.compare)
_FOREIGN: Final = ("platform", "gpu", "unknown")  # kinds of refusals
_NO_VERSION: Final = Version("0")
_NOT_ENFORCED: Final = "nothing is known to enforce it, so it is not refused"


def _compare_ages(one: Version, other: Version) -> int:
    """Negative where *one* is the newer."""
    return other.compare(one)


_older_first = cmp_to_key(_compare_ages)


@dataclass(frozen=True, slots=True)
class Rank:
    """The rank of a cell that runs on the host; compare by `key`. The newer toolkit is better.
    Among the toolkits `beyond` that of the host's system, the older is better. A cell is `doubted`
    if a document says that it needs more than the host has. It comes after cells without doubt, and
    before cells that leave the GPU unused.
    """

    reach: Reach
    use: tuple[int, ...]  # how much of the GPU the target uses
    weight: Weight
    cuda: Version
    beyond: bool = False
    doubted: bool = False

    @property
    def key(self) -> tuple[bool, bool, int, tuple[int, ...], Weight, bool, object]:
        cuda = _older_first(self.cuda) if self.beyond else _version_key(self.cuda)
        used = self.reach > Reach.NO_GPU
        return (used, not self.doubted, self.reach, self.use, self.weight, not self.beyond, cuda)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The reasons for and against one cell. It fits if there is no reason against it. `foreign`
    says that it is for another platform or another GPU, so no change on this host helps. `targets`
    are the GPUs that it is compiled for.
    """

    rank: Rank
    reasons: tuple[Reason, ...]
    refusals: tuple[Reason, ...]
    foreign: bool
    targets: tuple[str, ...]

    @property
    def fits(self) -> bool:
        return not self.refusals


def with_parts(own: Judgement, parts: Sequence[Judgement]) -> Judgement:
    """The judgement on a build that includes *parts*: it runs if all parts run, and uses a GPU as
    little as the part that uses it least.
    """
    if not parts:
        return own
    every = (own, *parts)
    made = [one for one in every if one.targets]
    least = min(made, key=lambda one: one.rank.reach, default=own).rank
    return Judgement(
        replace(
            own.rank,
            reach=least.reach,
            use=least.use,
            doubted=any(one.rank.doubted for one in every),
        ),
        tuple(dict.fromkeys(reason for one in every for reason in one.reasons)),
        tuple(dict.fromkeys(reason for one in every for reason in one.refusals)),
        any(one.foreign for one in every),
        tuple(dict.fromkeys(target for one in every for target in one.targets)),
    )


@dataclass(slots=True)
class Judge:
    """Judges cells of *program* for *host* and its GPUs of one kind. The verdict of an axis value
    is computed once.
    """

    host: Host
    kind: tuple[Gpu, ...]
    program: hir.Program
    # Keys are identities, because an extended copy of a table has other facts under the same names.
    # The program keeps its values alive, so each identity belongs to one value.
    _known: dict[tuple[str, int], Verdict] = field(default_factory=dict)
    _known_from: tuple[Floor | None] | None = None

    def cell(
        self, matrix: hir.MatrixDef, values: dict[str, Value], stated_of: StatedOf
    ) -> Judgement:
        """The judgement on the cell *values* of *matrix*. *stated_of* returns the statements of its
        recipe; it is called if no axis has GPUs or platforms.
        """
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
        # If several axes have GPUs, the one with the lowest verdict decides.
        best = min(of_gpus, key=lambda one: one.reach, default=SILENT)
        toolkit: Toolkit | None = None
        if of_gpus:
            toolkit = toolkit_of(matrix, values, self.program)
        beyond: list[Reason] = []
        doubts: list[Reason] = []
        if toolkit is not None:
            doubts = self.hosts_of(toolkit, values)
            beyond = self.beyond_system(toolkit, values)
            reasons += () if doubts else beyond
        for one in of_gpus:
            if one.nvidia:
                self.driver(one, toolkit, reasons, doubts, refusals)
        reasons += doubts
        if not of_gpus:
            self.without_target(stated, reasons, refusals)
        rank = Rank(
            best.reach,
            best.use,
            max((one.weight for one in verdicts), default=NO_WEIGHT),
            toolkit.version if toolkit is not None else _NO_VERSION,
            bool(beyond),
            bool(doubts),
        )
        targets = tuple(target for one in of_gpus for target in one.targets)
        foreign = any(one.kind in _FOREIGN for one in refusals)
        return Judgement(rank, tuple(reasons), tuple(refusals), foreign, targets)

    def verdict(self, axis: str, value: Value) -> Verdict:
        """The verdict of the *value* of *axis*."""
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
        """The doubts about *toolkit* if no host with a GPU of *values* is known to have it."""
        found: list[Reason] = []
        for axis, value in values.items():
            gap = gap_of(value)
            if gap is not None and in_gap(toolkit.version, toolkit.version, gap):
                name = value.name if isinstance(value, RowValue) else ""
                kit, cited = f"CUDA {toolkit.version.text}", _cited(value, GAP)
                text = f"no host with {name} is known to have {kit}: {gap.shown} {cited}"
                text = f"{text}; {_NOT_ENFORCED}"
                found.append(
                    Reason("documented", f"{axis}={name}", text, _corrected(value, GAP))
                )
        return found

    def beyond_system(self, toolkit: Toolkit, values: dict[str, Value]) -> list[Reason]:
        """The remarks on a *toolkit* that is newer than the CUDA of a Tegra's system. A Tegra
        without a known driver counts too.
        """
        found: list[Reason] = []
        for axis, value in values.items():
            comes, gap = system_cuda(value), gap_of(value)
            if comes is None or gap is None or not self.is_tegra(gap):
                continue
            comes = self.newest_cuda() or comes
            if toolkit.version.compare(comes) > 0:
                text = (
                    f"CUDA {toolkit.version.text} is newer than the {comes.text} that comes with "
                    "its system: it needs NVIDIA's compatibility package"
                )
                name = value.name if isinstance(value, RowValue) else ""
                found.append(Reason("toolkit", f"{axis}={name}", text))
        return found

    def is_tegra(self, gap: Gap) -> bool:
        """Whether the driver is older than those for which hosts with the GPU count as servers."""
        drivers = [one.driver for one in self.kind if one.driver is not None]
        first = driver.FLOOR_OF_MAJOR.get(gap.sbsa.parts[0])
        if not drivers or first is None:
            return bool(self.kind)
        return min(drivers, key=_version_key).compare(first) < 0

    def without_target(self, stated: Stated, reasons: list[Reason], refusals: list[Reason]) -> None:
        """Add the remarks about a build that names no GPU."""
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
        doubts: list[Reason],
        refusals: list[Reason],
    ) -> None:
        """Judge whether the host's driver is new enough for *build* with *toolkit*."""
        if toolkit is None:
            text = "the CUDA version is unknown, so its driver is not checked"
            reasons.append(Reason("unknown", "", text))
        of_gpu, own = build.driver, self.known_from()
        if own is not None and (of_gpu is None or own.driver.compare(of_gpu.driver) > 0):
            of_gpu = own
        floor = driver.floor(toolkit, of_gpu)
        if floor is None:
            return
        drivers = [one.driver for one in self.kind if one.driver is not None]
        if not drivers:
            reasons.append(Reason("unknown", "", f"the driver is unknown; {floor.wanted}"))
            return
        oldest = min(drivers, key=_version_key)
        windows = any(one.windows for one in self.kind)
        shown = f"driver {oldest.text}{' of Windows' if windows else ''}"
        of_kit = driver.of_toolkit(toolkit)
        newest = self.newest_cuda()
        anew = build.reach is Reach.COMPILED_ANEW
        of_ptx = driver.of_ptx(toolkit, newest) if anew else None
        floors = [one for one in (of_kit, of_ptx, of_gpu) if one is not None]
        short = [one for one in floors if not driver.suffices(oldest, one.driver, windows=windows)]
        if not short:
            branch = ", by its branch" if windows else ""
            reasons.append(Reason("driver", "", f"{shown}: {floor.wanted}{branch}"))
        elif len(short) < len(floors):
            met = next(one for one in floors if one not in short)
            reasons.append(Reason("driver", "", f"{shown}: {met.wanted}"))
        soft: list[Reason] = []
        hard: list[Reason] = []
        for one in short:
            place = _corrected(one.row, (one.field,))
            least = one.enforced
            if least is None or driver.suffices(oldest, least, windows=windows):
                cited = f" {_cited(one.row, (one.field,))}" if one.row is not None else ""
                text = (
                    f"{shown} is older than the {one.driver.text} that is named for "
                    f"{one.asked_by}{cited}; {_NOT_ENFORCED}"
                )
                soft.append(Reason("documented", "", text, place))
            elif one is of_kit and newest is not None and driver.brings(newest, toolkit):
                text = (
                    f"{shown} alone is too old: {one.wanted}; but nvidia-smi reports CUDA "
                    f"{newest.text}, as with NVIDIA's forward-compatibility package"
                )
                reasons.append(Reason("driver", "", text))
            else:
                hard.append(Reason("driver", "", f"{shown} is too old: {one.wanted}", place))
        refusals += hard
        doubts += () if hard else soft

    def known_from(self) -> Floor | None:
        """The first driver that supports the GPU of the host, whatever GPU a build is for. None if
        no row of a table states it."""
        mine = self.kind[0].capability if self.kind else None
        if mine is None:
            return None
        if self._known_from is None:
            rows = (row for table in self.program.tables.values() for row in table.rows.values())
            found = (
                driver.of_gpu(row)
                for row in rows
                if (capability := version_fact(row, "capability")) is not None
                and capability == mine
            )
            self._known_from = (next((one for one in found if one is not None), None),)
        return self._known_from[0]

    def newest_cuda(self) -> Version | None:
        """The newest CUDA that programs have on each of the GPUs, where that is known."""
        told = [one.cuda for one in self.kind if one.cuda is not None]
        return min(told, key=_version_key, default=None)


def _cited(row: Value, fields: tuple[str, ...]) -> str:
    """The sources of *fields* of *row*, in brackets."""
    return cite(row, of=fields) if isinstance(row, RowValue) else ""


def _corrected(row: Value, fields: tuple[str, ...]) -> Span | None:
    """The line of the program that corrects one of *fields* of *row*."""
    fact = corrected(row, *fields) if isinstance(row, RowValue) else None
    return fact.span if fact is not None else None
