"""AMD GPUs as their Linux driver describes them.

KFD, the part of the driver that ROCm uses, lists the CPUs and GPUs of a host as nodes, each with a
file of properties. `gfx_target_version 90010` there is gfx90a: two digits each for minor and
stepping; compilers write the stepping in hexadecimal. A CPU has 0.
"""

from __future__ import annotations

import re

from tvarc.advice.hosts.machine import Machine
from tvarc.advice.hosts.model import Gpu
from tvarc.light import Final

_NODES: Final = 64  # more than any host has; a container sees gaps between those that it may use
_VERSION = re.compile(r"^gfx_target_version (\d{5,6})$", re.ASCII | re.MULTILINE)


def properties(node: int) -> str:
    """The file that describes *node*."""
    return f"/sys/class/kfd/kfd/topology/nodes/{node}/properties"


def read_gpus(machine: Machine) -> tuple[Gpu, ...]:
    """The AMD GPUs of *machine* that ROCm may use."""
    found = (_VERSION.search(machine.read(properties(node)) or "") for node in range(_NODES))
    return tuple(
        Gpu("AMD GPU", gfx=_target(int(version[1]))) for version in found if version is not None
    )


def _target(version: int) -> str:
    major, rest = divmod(version, 10_000)
    minor, stepping = divmod(rest, 100)
    return f"gfx{major}{minor}{stepping:x}"
