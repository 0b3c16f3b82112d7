"""Describes a machine by its files and by the output of its programs."""

from __future__ import annotations

from tvarc.advice.hosts import amd, darwin, nvidia_smi
from tvarc.advice.hosts.cpuinfo import Cpu, parse_cpuinfo
from tvarc.advice.hosts.machine import Machine
from tvarc.advice.hosts.model import Gpu, Host
from tvarc.light import Final

_KERNEL: Final = "/proc/sys/kernel/osrelease"  # of WSL `6.6.87.2-microsoft-standard-WSL2`
# Names that systems have for what Nix calls otherwise.
ARCHES: Final = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}


def describe(
    machine: Machine, capability_of: nvidia_smi.CapabilityOf = nvidia_smi.nothing_known
) -> Host:
    """The host that *machine* is. The notes say what cannot be found out. *capability_of* knows
    GPUs by their names, if nothing else gives their capability.
    """
    system = machine.system().lower()
    arch = machine.arch().lower()
    arch = ARCHES.get(arch, arch)
    notes: list[str] = []
    if system == "darwin":
        ran = machine.run(darwin.COMMAND)
        if darwin.is_translated(ran.output):
            arch = "aarch64"
        cpu = darwin.parse_sysctl(ran.output)
        if not cpu.flags:
            notes.append(f"the CPU's features are unknown: {ran.fault or 'sysctl lists none'}")
        # No Mac that runs a system of these years has a driver for one.
        gpus: tuple[Gpu, ...] = ()
    else:
        cpu = _cpu(machine, notes)
        gpus = _nvidia(machine, notes, capability_of) + amd.read_gpus(machine)
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
    # It may fail for one GPU, or for a fault that harms none, and describe the others.
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
    """*gpus* with the CUDA that programs have, and whether their driver is one of Windows."""
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
