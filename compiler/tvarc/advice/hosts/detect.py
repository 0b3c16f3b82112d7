"""Describes a machine by its files and by the output of its programs."""

from __future__ import annotations

import re

from tvarc.advice.hosts import nvidia_smi
from tvarc.advice.hosts.machine import Machine
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.light import Final, dataclass

_KERNEL: Final = "/proc/sys/kernel/osrelease"  # of WSL `6.6.87.2-microsoft-standard-WSL2`
# Names of systems for which Nix has another name.
ARCHES: Final = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}


def describe(
    machine: Machine, capability_of: nvidia_smi.CapabilityOf = nvidia_smi.nothing_known
) -> Host:
    """Describe *machine* as a host. The notes say what could not be detected. *capability_of*
    returns the capability of a GPU by its name, in case nothing else states it.
    """
    system = machine.system().lower()
    arch = machine.arch().lower()
    arch = ARCHES.get(arch, arch)
    notes: list[str] = []
    if system == "darwin":
        ran = machine.run(SYSCTL)
        if is_translated(ran.output):
            arch = "aarch64"
        cpu = parse_sysctl(ran.output)
        if not cpu.flags:
            notes.append(f"the CPU's features are unknown: {ran.fault or 'sysctl lists none'}")
        # No Mac that runs a system of these years has a driver for one.
        gpus: tuple[Gpu, ...] = ()
    else:
        cpu = _cpu(machine, notes)
        gpus = _nvidia(machine, notes, capability_of) + amd_gpus(machine)
    return Host(system, arch, cpu.model, cpu.flags, gpus, tuple(notes))


def described(cpuinfo: str, smi: str | None, capability_of: nvidia_smi.CapabilityOf) -> Host | None:
    """The Linux host with the content *cpuinfo* of /proc/cpuinfo and the output *smi* of
    nvidia-smi, None if it has none. None if *cpuinfo* lists no features of a CPU.
    """
    cpu = parse_cpuinfo(cpuinfo)
    if not cpu.flags:
        return None
    # x86 lists `flags`, Arm `Features`.
    arch = "aarch64" if cpu.features_of_arm else "x86_64"
    found = nvidia_smi.parse_nvidia_smi(smi, capability_of) if smi is not None else None
    gpus, notes = found if found is not None else ((), ())
    if found is None:
        notes = ("tvarc assumes no NVIDIA GPU: no output of nvidia-smi was given",)
    elif not gpus and not notes:
        notes = ("no NVIDIA GPU: nvidia-smi lists none",)
    return Host("linux", arch, cpu.model, cpu.flags, gpus, notes)


def _cpu(machine: Machine, notes: list[str]) -> Cpu:
    text = machine.read("/proc/cpuinfo")
    cpu = parse_cpuinfo(text or "")
    if not cpu.flags:
        why = "cannot be read" if text is None else "lists none"
        notes.append(f"the CPU's features are unknown: /proc/cpuinfo {why}")
    return cpu


def _nvidia(
    machine: Machine, notes: list[str], capability_of: nvidia_smi.CapabilityOf
) -> tuple[Gpu, ...]:
    ran = machine.run(nvidia_smi.COMMAND)
    if ran.fault and nvidia_smi.UNKNOWN in f"{ran.fault}\n{ran.output}":
        _tell_names(machine, notes)
        return ()
    if ran.missing:
        notes.append(f"tvarc assumes no NVIDIA GPU: {ran.fault}")
        return ()
    # It may fail for one GPU, or for a harmless reason, and still describe the others.
    found, remarks = nvidia_smi.parse_nvidia_smi(ran.output, capability_of)
    gpus = _with_versions(machine, found)
    if ran.fault and gpus:
        notes.append(f"there may be more GPUs: {ran.fault}")
        return gpus
    if ran.fault:
        notes.append(f"tvarc assumes no NVIDIA GPU: {ran.fault}")
        return ()
    notes += remarks
    if not gpus and not remarks:
        notes.append("no NVIDIA GPU: nvidia-smi lists none")
    return gpus


def _with_versions(machine: Machine, gpus: tuple[Gpu, ...]) -> tuple[Gpu, ...]:
    """*gpus* with the newest CUDA that programs can use, and whether the driver is one of
    Windows."""
    if not gpus:
        return gpus
    cuda = nvidia_smi.cuda_version(machine.run(nvidia_smi.VERSIONS).output)
    windows = "microsoft" in (machine.read(_KERNEL) or "").lower()
    if cuda is None and not windows:
        return gpus
    return tuple(
        Gpu(one.name, one.capability, one.driver, cuda=cuda, windows=windows) for one in gpus
    )


def _tell_names(machine: Machine, notes: list[str]) -> None:
    ran = machine.run(nvidia_smi.NAMES)
    names = dict.fromkeys(line.strip() for line in ran.output.splitlines() if line.strip())
    notes += (
        f"{name[:120]} is skipped: this nvidia-smi does not print compute capabilities; add it to "
        "a description of the host"
        for name in list(names)[:8] or ["a GPU"]
    )


# --- the CPU, by /proc/cpuinfo ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cpu:
    """A CPU: the name of its model, empty if it has none, and its features, sorted;
    `features_of_arm` is true if they are features of Arm."""

    model: str
    flags: tuple[str, ...]
    features_of_arm: bool = False


def parse_cpuinfo(text: str) -> Cpu:
    """The CPU that *text*, the content of /proc/cpuinfo, describes.

    Cores may differ (big and little ones). A program may run on any core, so only features that all
    cores have count.
    """
    shared: set[str] | None = None
    models: dict[str, None] = {}
    seen: dict[str, str] = {}
    of_arm = False
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        key, value = key.strip(), value.strip()
        if not colon:
            continue
        if key in ("flags", "Features"):
            of_arm = of_arm or key == "Features"
            flags = set(value.split())
            shared = flags if shared is None else shared & flags
        elif key == "model name" and value:
            models.setdefault(value)
        elif key in ("CPU implementer", "CPU part"):
            seen[key] = value
            if key == "CPU part":
                models.setdefault(f"implementer {seen.get('CPU implementer', '?')}, part {value}")
    return Cpu(" + ".join(models), tuple(sorted(shared or ())), of_arm)


# --- the CPU of a Mac -------------------------------------------------------------------------
#
# `sysctl` describes it; these are the names that Linux has for the same features. The pairs follow
# the architecture's own feature names; both systems derive theirs from these.


SYSCTL: Final = ("sysctl", "-i", "sysctl.proc_translated", "machdep.cpu", "hw.optional")

# One Linux name, or several, for each name of Darwin.
ARM: Final = {
    "hw.optional.floatingpoint": "fp",
    "hw.optional.AdvSIMD": "asimd",
    "hw.optional.armv8_crc32": "crc32",
    "hw.optional.arm.FEAT_CRC32": "crc32",
    "hw.optional.arm.FEAT_AES": "aes",
    "hw.optional.arm.FEAT_PMULL": "pmull",
    "hw.optional.arm.FEAT_SHA1": "sha1",
    "hw.optional.arm.FEAT_SHA256": "sha2",
    "hw.optional.arm.FEAT_SHA3": "sha3",
    "hw.optional.arm.FEAT_SHA512": "sha512",
    "hw.optional.arm.FEAT_LSE": "atomics",
    "hw.optional.arm.FEAT_LSE2": "uscat",
    "hw.optional.arm.FEAT_RDM": "asimdrdm",
    "hw.optional.arm.FEAT_FP16": "fphp asimdhp",
    "hw.optional.arm.FEAT_FHM": "asimdfhm",
    "hw.optional.arm.FEAT_DotProd": "asimddp",
    "hw.optional.arm.FEAT_DPB": "dcpop",
    "hw.optional.arm.FEAT_DPB2": "dcpodp",
    "hw.optional.arm.FEAT_FCMA": "fcma",
    "hw.optional.arm.FEAT_JSCVT": "jscvt",
    "hw.optional.arm.FEAT_LRCPC": "lrcpc",
    "hw.optional.arm.FEAT_LRCPC2": "ilrcpc",
    "hw.optional.arm.FEAT_FlagM": "flagm",
    "hw.optional.arm.FEAT_FlagM2": "flagm2",
    "hw.optional.arm.FEAT_DIT": "dit",
    "hw.optional.arm.FEAT_PAuth": "paca pacg",
    "hw.optional.arm.FEAT_FRINTTS": "frint",
    "hw.optional.arm.FEAT_BTI": "bti",
    "hw.optional.arm.FEAT_SB": "sb",
    "hw.optional.arm.FEAT_SSBS": "ssbs",
    "hw.optional.arm.FEAT_BF16": "bf16",
    "hw.optional.arm.FEAT_I8MM": "i8mm",
    "hw.optional.arm.FEAT_SME": "sme",
    "hw.optional.arm.FEAT_SME2": "sme2",
}
_INTEL_LISTS: Final = (
    "machdep.cpu.features",
    "machdep.cpu.leaf7_features",
    "machdep.cpu.extfeatures",
)
INTEL: Final = {
    "SSE3": "pni",
    "SSSE3": "ssse3",
    "SSE4.1": "sse4_1",
    "SSE4.2": "sse4_2",
    "POPCNT": "popcnt",
    "CX16": "cx16",
    "LAHF": "lahf_lm",
    "XSAVE": "xsave",
    "AVX1.0": "avx",
    "AVX2": "avx2",
    "FMA": "fma",
    "F16C": "f16c",
    "BMI1": "bmi1",
    "BMI2": "bmi2",
    "LZCNT": "abm",
    "MOVBE": "movbe",
    "AVX512F": "avx512f",
    "AVX512DQ": "avx512dq",
    "AVX512BW": "avx512bw",
    "AVX512VL": "avx512vl",
    "AVX512CD": "avx512cd",
    "AVX512VNNI": "avx512_vnni",
}


def parse_sysctl(text: str) -> Cpu:
    """The CPU of a Mac, from the lines `name: value` that SYSCTL prints."""
    values = dict(_pairs(text))
    found: set[str] = set()
    for name, flags in ARM.items():
        if values.get(name) == "1":
            found.update(flags.split())
    for name in _INTEL_LISTS:
        found.update(INTEL[word] for word in values.get(name, "").split() if word in INTEL)
    return Cpu(values.get("machdep.cpu.brand_string", ""), tuple(sorted(found)))


def is_translated(text: str) -> bool:
    """Whether this program is compiled for Intel and runs on an Apple CPU."""
    return dict(_pairs(text)).get("sysctl.proc_translated") == "1"


def _pairs(text: str) -> list[tuple[str, str]]:
    lines = (line.partition(":") for line in text.splitlines())
    return [(name.strip(), value.strip()) for name, colon, value in lines if colon]


# --- AMD GPUs ---------------------------------------------------------------------------------
#
# KFD, the part of the driver that ROCm uses, lists the CPUs and GPUs of a host as nodes, each with
# a file of properties. `gfx_target_version 90010` there is gfx90a: two digits each for minor and
# stepping; compilers write the stepping in hexadecimal. A CPU has 0.


_NODES: Final = 64  # more than any host has; a container sees gaps between those that it may use
_VERSION = re.compile(r"^gfx_target_version (\d{5,6})$", re.ASCII | re.MULTILINE)


def kfd_properties(node: int) -> str:
    """The file that describes *node*."""
    return f"/sys/class/kfd/kfd/topology/nodes/{node}/properties"


def amd_gpus(machine: Machine) -> tuple[Gpu, ...]:
    """The AMD GPUs of *machine* that ROCm may use."""
    found = (_VERSION.search(machine.read(kfd_properties(node)) or "") for node in range(_NODES))
    return tuple(
        Gpu("AMD GPU", gfx=_target(int(version[1]))) for version in found if version is not None
    )


def _target(version: int) -> str:
    major, rest = divmod(version, 10_000)
    minor, stepping = divmod(rest, 100)
    return f"gfx{major}{minor}{stepping:x}"
