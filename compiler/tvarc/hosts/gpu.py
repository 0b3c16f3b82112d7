"""Which GPU runs code made for which target.

Machine code for X.y runs on X.z with z >= y, within one major only, and not on the GPUs of Tegras
or of another Tegra than it was made for (NVIDIA, CUDA C++ Programming Guide, binary
compatibility). Code for a target with the suffix `a` runs on that very capability alone; `f` is for
a family, which lies within one major. With `+PTX` the driver of a later GPU compiles it anew.

Code for an AMD target runs on that target alone.
"""

from __future__ import annotations

from enum import IntEnum

from tvarc.hosts.capability import Capability
from tvarc.light import Final

# The GPUs of Tegras; of 8.8 NVIDIA names no product, nixpkgs takes it for one.
TEGRA: Final = frozenset(((5, 3), (6, 2), (7, 2), (8, 7), (8, 8), (10, 1)))


class Reach(IntEnum):
    """How a build meets a GPU; greater is better."""

    UNSERVED = -1
    NO_GPU = 0  # the build is for CPUs alone
    COMPILED_ANEW = 1
    SAME_MAJOR = 2
    EXACT = 3


def reach(build: Capability, device: Capability) -> Reach:
    """How code made for *build* meets *device*."""
    made, had = (build.major, build.minor), (device.major, device.minor)
    if made == had:
        return Reach.EXACT
    if build.suffix == "a":
        return Reach.UNSERVED
    if build.major == device.major and made < had and not {made, had} & TEGRA:
        return Reach.SAME_MAJOR
    if build.ptx and not build.suffix and made < had:
        return Reach.COMPILED_ANEW
    return Reach.UNSERVED
