"""The number of evaluators that may run in parallel on this machine."""

# ruff: noqa: PTH123
# pathlib costs too much at start.
from __future__ import annotations

import os

from tvarc.light import Final

MEMORY_EACH: Final = 2 << 30
"""The memory in bytes that an evaluator of nixpkgs may need."""


def evaluators_here() -> int:
    """The number of evaluators for this machine: one for each core, but no more than fit in memory
    with a nixpkgs each. At least one."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, min(cores or 1, _free_memory() // MEMORY_EACH))


def _free_memory() -> int:
    """The free memory in bytes. If the system does not report it, the memory of one evaluator."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                name, _, amount = line.partition(":")
                if name == "MemAvailable":
                    return int(amount.split()[0]) << 10
    except (OSError, ValueError):
        pass
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (OSError, ValueError):
        return MEMORY_EACH
