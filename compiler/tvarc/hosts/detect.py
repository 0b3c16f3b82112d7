"""Describe a machine: ask it, and read what it answers."""

from __future__ import annotations

from tvarc.hosts import darwin, nvidia_smi
from tvarc.hosts.cpuinfo import Cpu, parse_cpuinfo
from tvarc.hosts.machine import Machine
from tvarc.hosts.model import Gpu, Host
from tvarc.light import Final

_ARCH: Final = {"amd64": "x86_64", "x64": "x86_64", "arm64": "aarch64"}


def describe(machine: Machine) -> Host:
    """The host that *machine* is. What cannot be found out is said in the notes."""
    system = machine.system().lower()
    arch = machine.arch().lower()
    arch = _ARCH.get(arch, arch)
    notes: list[str] = []
    if system == "darwin":
        ran = machine.run(darwin.COMMAND)
        if ran.fault:
            notes.append(f"the CPU's features are unknown: {ran.fault}")
        if darwin.is_translated(ran.output):
            arch = "aarch64"
        cpu = darwin.parse_sysctl(ran.output)
        # No Mac that runs a system of these years has a driver for one.
        gpus: tuple[Gpu, ...] = ()
    else:
        cpu = _cpu(machine, notes)
        gpus = _gpus(machine, notes)
    return Host(system, arch, cpu.model, cpu.flags, gpus, tuple(notes))


def _cpu(machine: Machine, notes: list[str]) -> Cpu:
    text = machine.read("/proc/cpuinfo")
    cpu = parse_cpuinfo(text or "")
    if not cpu.flags:
        why = "cannot be read" if text is None else "lists none"
        notes.append(f"the CPU's features are unknown: /proc/cpuinfo {why}")
    return cpu


def _gpus(machine: Machine, notes: list[str]) -> tuple[Gpu, ...]:
    ran = machine.run(nvidia_smi.COMMAND)
    if ran.fault:
        notes.append(f"no NVIDIA GPU is assumed: {ran.fault}")
        return ()
    gpus, remarks = nvidia_smi.parse_nvidia_smi(ran.output)
    notes += remarks
    if not gpus and not remarks:
        notes.append("no NVIDIA GPU: nvidia-smi lists none")
    return gpus
