"""Describe a machine: ask it, and read what it answers."""

from __future__ import annotations

from tvarc.hosts import amd, darwin, nvidia_smi
from tvarc.hosts.cpuinfo import Cpu, parse_cpuinfo
from tvarc.hosts.machine import Machine
from tvarc.hosts.model import Gpu, Host
from tvarc.light import Final

# Names that systems have for what Nix calls otherwise.
ARCHES: Final = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}


def describe(machine: Machine) -> Host:
    """The host that *machine* is. What cannot be found out is said in the notes."""
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
        gpus = _nvidia(machine, notes) + amd.read_gpus(machine)
    return Host(system, arch, cpu.model, cpu.flags, gpus, tuple(notes))


def _cpu(machine: Machine, notes: list[str]) -> Cpu:
    text = machine.read("/proc/cpuinfo")
    cpu = parse_cpuinfo(text or "")
    if not cpu.flags:
        why = "cannot be read" if text is None else "lists none"
        notes.append(f"the CPU's features are unknown: /proc/cpuinfo {why}")
    return cpu


def _nvidia(machine: Machine, notes: list[str]) -> tuple[Gpu, ...]:
    ran = machine.run(nvidia_smi.COMMAND)
    if ran.fault and nvidia_smi.UNKNOWN in f"{ran.fault}\n{ran.output}":
        _tell_names(machine, notes)
        return ()
    if ran.missing:
        notes.append(f"no NVIDIA GPU is assumed: {ran.fault}")
        return ()
    # It may fail for one GPU, or for a fault that harms none, and describe the others.
    gpus, remarks = nvidia_smi.parse_nvidia_smi(ran.output)
    if ran.fault and gpus:
        notes.append(f"there may be more GPUs: {ran.fault}")
        return gpus
    if ran.fault:
        notes.append(f"no NVIDIA GPU is assumed: {ran.fault}")
        return ()
    notes += remarks
    if not gpus and not remarks:
        notes.append("no NVIDIA GPU: nvidia-smi lists none")
    return gpus


def _tell_names(machine: Machine, notes: list[str]) -> None:
    ran = machine.run(nvidia_smi.NAMES)
    names = dict.fromkeys(line.strip() for line in ran.output.splitlines() if line.strip())
    notes += (
        f"{name[:120]} is passed over: this nvidia-smi does not tell compute capabilities; "
        "add it to a description of the host"
        for name in list(names)[:8] or ["a GPU"]
    )
