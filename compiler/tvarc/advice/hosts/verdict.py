"""The verdict of one axis value, or of a recipe, on a host: reasons for and against."""

from __future__ import annotations

from tvarc.advice.hosts import cpu, gpu
from tvarc.advice.hosts.capability import Capability, capability, capability_of, gfx_of, suffix_of
from tvarc.advice.hosts.cpu import NO_WEIGHT, Weight
from tvarc.advice.hosts.driver import Floor
from tvarc.advice.hosts.driver import of_gpu as of_gpu_row
from tvarc.advice.hosts.gpu import Reach
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.light import Final, Iterable, Literal, dataclass, replace
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import Span
from tvarc.values.row_facts import has_fact, text_fact, texts_fact, version_fact
from tvarc.values.value import RowValue, Value

Kind = Literal["gpu", "cpu", "driver", "platform", "toolkit", "documented", "unknown"]

_NAMED: Final = 8  # features that are printed; the others are only counted
_OF_CPU: Final = ("cpuinfo", "arch", "platform")


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for or against a cell, as a clause for the user. The kind `documented` marks a
    warning: a document asks for more than the host has. `place` is the line of the program with the
    fact, if the program corrects the library."""

    KEYS = (("place", ""),)

    kind: Kind
    value: str
    """The axis value that the reason is about, such as `gpu=sm90`; empty if it is about none."""
    text: str
    place: Span | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of one value: reasons for, reasons against, and its share of the rank. `targets`
    are the GPUs that it is compiled for, empty if it names none. `use` ranks a target among those
    that the GPU runs. `nvidia` says whether it needs an NVIDIA driver, and `driver` which one its
    GPU needs.
    """

    reasons: tuple[Reason, ...] = ()
    refusals: tuple[Reason, ...] = ()
    reach: Reach = Reach.NO_GPU
    targets: tuple[str, ...] = ()
    use: tuple[int, ...] = ()
    nvidia: bool = False
    driver: Floor | None = None
    weight: Weight = NO_WEIGHT
    platform: bool = False  # whether it states a platform


SILENT: Final = Verdict()


def verdict(host: Host, gpus: tuple[Gpu, ...], named: str, value: Value) -> Verdict:
    """The verdict of *value* on *host* and *gpus*, its GPUs of one kind."""
    of_gpu, of_cpu = _row_gpu(gpus, named, value), SILENT
    if any(has_fact(value, name) for name in _OF_CPU):
        of_cpu = _cpu(host, named, value)
    # One row may describe a GPU and the host that contains it.
    return replace(
        of_gpu,
        reasons=of_gpu.reasons + of_cpu.reasons,
        refusals=of_gpu.refusals + of_cpu.refusals,
        driver=of_gpu_row(value),
        weight=of_cpu.weight,
        platform=of_cpu.platform,
    )


def targets_verdict(gpus: tuple[Gpu, ...], named: str, texts: Iterable[str]) -> Verdict:
    """The verdict of a recipe for the targets *texts* (`9.0`, `gfx90a`): the target that uses most
    of the GPU counts.
    """
    found = [_target(gpus, named, text) for text in texts]
    best = max(found, key=lambda one: (one.reach, one.use), default=SILENT)
    targets = tuple(target for one in found for target in one.targets)
    refusals = best.refusals if best.refusals == () or len(found) == 1 else (
        Reason("gpu", named, f"made for {', '.join(targets)}, {_mine(gpus)}"),
    )  # fmt: skip
    return replace(best, refusals=refusals, targets=targets)


def _row_gpu(gpus: tuple[Gpu, ...], named: str, value: Value) -> Verdict:
    version = version_fact(value, "capability")
    if version is not None:
        name = value.name if isinstance(value, RowValue) else ""
        build = capability(version, text_fact(value, "suffix") or suffix_of(name))
        return _nvidia(gpus, named, version.text, build)
    # Other tables have a field `target`, too. Only one that has a target of AMD counts.
    target = text_fact(value, "gfx") or gfx_of(text_fact(value, "target") or "")
    return _amd(gpus, named, target) if target else SILENT


def _target(gpus: tuple[Gpu, ...], named: str, text: str) -> Verdict:
    amd = gfx_of(text)
    return _amd(gpus, named, amd) if amd else _nvidia(gpus, named, text, capability_of(text))


def _nvidia(gpus: tuple[Gpu, ...], named: str, text: str, build: Capability | None) -> Verdict:
    if build is None:
        return _no(Reason("unknown", named, f"`{text}` is not a compute capability"), text)
    if not gpus or gpus[0].capability is None:
        what = "a GPU of" if not gpus else "an NVIDIA GPU of"
        told = f"made for {what} compute capability {text}, there is none"
        return _no(Reason("gpu", named, told), build.text)
    mine = gpus[0].target
    device = capability(gpus[0].capability)
    met = gpu.reach(build, device) if device is not None else Reach.UNSERVED
    match met:
        case Reach.EXACT:
            told = f"made for compute capability {mine}{' alone' if build.suffix == 'a' else ''}"
        case Reach.SAME_MAJOR:
            told = f"made for compute capability {text}, runs on {mine}: same major, newer"
        case Reach.COMPILED_ANEW:
            told = (
                f"made for compute capability {text}, which the driver compiles for {mine} if "
                "it is no older than the build's CUDA (std.cuda: COMPAT)"
            )
        case Reach.NO_GPU | Reach.STANDS_IN | Reach.UNSERVED:
            told = f"made for compute capability {_runs_on(build, device)}, the GPU has {mine}"
            return _no(Reason("gpu", named, told), build.text, use=build.use)
    reasons = (Reason("gpu", named, told),)
    return Verdict(reasons, reach=met, targets=(build.text,), use=build.use, nvidia=True)


def _amd(gpus: tuple[Gpu, ...], named: str, target: str) -> Verdict:
    if gpus and gpus[0].gfx == target:
        reason = Reason("gpu", named, f"made for {target}")
        return Verdict((reason,), reach=Reach.EXACT, targets=(target,))
    if gpus and gpu.RUNS_AS.get(gpus[0].gfx) == target:
        told = (
            f"made for {target}, whose code {gpus[0].gfx} runs with "
            f"HSA_OVERRIDE_GFX_VERSION={gpu.override_of(target)}"
        )
        return Verdict((Reason("gpu", named, told),), reach=Reach.STANDS_IN, targets=(target,))
    return _no(Reason("gpu", named, f"made for {target} of AMD, {_mine(gpus)}"), target)


def _no(refusal: Reason, target: str, *, use: tuple[int, ...] = ()) -> Verdict:
    return Verdict(
        (), (refusal,), reach=Reach.UNSERVED, targets=(target,), use=use
    )  # fmt: skip


def _mine(gpus: tuple[Gpu, ...]) -> str:
    if not gpus:
        return "there is no GPU"
    return f"the GPU {'has' if gpus[0].capability is not None else 'is'} {gpus[0].target}"


def _runs_on(build: Capability, device: Capability | None) -> str:
    exact = f"{build.major}.{build.minor}"
    if build.suffix == "a" or (build.major, build.minor) in gpu.TEGRA:
        return f"{exact} alone"
    tegra = device is not None and (device.major, device.minor) in gpu.TEGRA
    but = ", no Tegra" if tegra and device is not None and device.major == build.major else ""
    return f"{exact} or a later {build.major}.x{but}"


def _cpu(host: Host, named: str, value: Value) -> Verdict:
    needed = texts_fact(value, "cpuinfo") or ()
    switched = texts_fact(value, "switches-on")
    weight = cpu.weight(needed, switched)
    platform, arch = text_fact(value, "platform"), text_fact(value, "arch")
    known = platform is not None or arch is not None
    if platform not in (None, host.platform) or arch not in (None, host.arch):
        text = f"for {platform or arch}, the host is {host.platform}"
        refusal = Reason("platform", named, text)
        return Verdict((), (refusal,), weight=weight, platform=True)

    def refused(text: str) -> Verdict:
        return Verdict((), (Reason("cpu", named, text),), weight=weight, platform=known)

    if not has_fact(value, "cpuinfo"):
        text = "which features of a CPU it needs is unknown"
        return Verdict((Reason("unknown", named, text),), weight=weight, platform=known)
    if texts_fact(value, "cpuinfo") is None:
        return refused("/proc/cpuinfo does not show whether the CPU has it")
    if needed and not host.flags:
        return refused(f"it needs {' '.join(needed)}, the CPU's features are unknown")
    found = cpu.features(needed, host.flags)
    if found.missing:
        return refused(f"the CPU lacks {' '.join(found.missing)}")
    text = _has(found) + (_uses(weight, switched is not None) if needed else "")
    return Verdict((Reason("cpu", named, text),), weight=weight, platform=known)


def _uses(weight: cpu.Weight, known: bool) -> str:
    """The reason for the rank of a build among others for the same CPU: its widest vectors, and the
    number of features that its flags switch on, if that is *known*.
    """
    bits, count, *_ = weight
    words = [f"{bits}-bit vectors"] if bits > cpu.LEAST_BITS else []
    words += [counted(count, "feature")] if known and count else []
    return f"; the compiler may use {' and '.join(words)}" if words else ""


def _has(found: cpu.Features) -> str:
    count = len(found.needed)
    if found.assumed:
        return (
            f"needs {count} features; the CPU has {count - len(found.assumed)} of them, and the "
            f"others, {' '.join(found.assumed)}, are taken to be there, as older kernels do not "
            "list them (unsourced)"
        )
    if count == 0:
        return "needs no features of the CPU"
    named = f": {' '.join(found.needed)}" if count <= _NAMED else ""
    if count == 1:
        return f"needs {found.needed[0]}, which the CPU has"
    return f"needs {count} features, which the CPU has{named}"
