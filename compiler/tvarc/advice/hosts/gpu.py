"""Decides which GPU runs code that is made for which target.

Machine code for X.y runs on X.z with z >= y, within one major only, and not on the GPUs of Tegras
or of another Tegra than it was made for (NVIDIA, CUDA C++ Programming Guide, binary compatibility).
Code for a target with the suffix `a` runs on that very capability alone; `f` is for a family, which
lies within one major. With `+PTX` the driver of a later GPU compiles it again.

Code for an AMD target runs on that target alone, except for targets with the instructions of
another: LLVM has one generic target for these, without restrictions.
"""

from __future__ import annotations

from enum import IntEnum

from tvarc.advice.hosts.capability import Capability
from tvarc.light import Final

# The GPUs of Tegras; of 8.8 NVIDIA names no product, nixpkgs takes it for one.
TEGRA: Final = frozenset(((5, 3), (6, 2), (7, 2), (8, 7), (8, 8), (10, 1)))


# The targets of AMD that run the code of another: `runs-as` of std.amd.
RUNS_AS: Final = {f"gfx103{one}": "gfx1030" for one in range(1, 7)}


class Reach(IntEnum):
    """How a build meets a GPU; greater is better."""

    UNSERVED = -1
    NO_GPU = 0  # the build is for CPUs alone
    COMPILED_ANEW = 1
    STANDS_IN = 2  # it was made for another of AMD's targets, which the GPU can pass for
    SAME_MAJOR = 3
    EXACT = 4


def override_of(target: str) -> str:
    """The value of HSA_OVERRIDE_GFX_VERSION that makes a GPU pass for *target*: 10.3.0 for
    gfx1030.
    """
    digits = target.removeprefix("gfx")
    return f"{digits[:-2]}.{digits[-2]}.{int(digits[-1], 16)}"


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
