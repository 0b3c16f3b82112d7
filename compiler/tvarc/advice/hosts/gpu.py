"""Decides whether a GPU runs code that was compiled for a target.

Machine code for X.y runs on X.z with z >= y, within one major only, but not on a Tegra, unless it
was compiled for that Tegra (NVIDIA, CUDA C++ Programming Guide, binary compatibility). Code for a
target with the suffix `a` runs only on a GPU of exactly that capability; `f` is for a family, which
is within one major version. With `+PTX` the driver of a later GPU compiles it again.

Code for an AMD target runs on that target alone, except for targets with the same instructions: for
these LLVM has one generic target without restrictions.
"""

from __future__ import annotations

from enum import IntEnum

from tvarc.advice.hosts.capability import Capability
from tvarc.light import Final

# The GPUs of Tegras. NVIDIA names no product with 8.8, which nixpkgs counts as a Tegra.
TEGRA: Final = frozenset(((5, 3), (6, 2), (7, 2), (8, 7), (8, 8), (10, 1)))


# The targets of AMD that run the code of another: `runs-as` of std.amd.
RUNS_AS: Final = {f"gfx103{one}": "gfx1030" for one in range(1, 7)}


class Reach(IntEnum):
    """How well a GPU runs a build; greater is better."""

    UNSERVED = -1
    NO_GPU = 0  # the build is for CPUs alone
    COMPILED_ANEW = 1
    STANDS_IN = 2  # it is for another AMD target, which the GPU can be set to
    SAME_MAJOR = 3
    EXACT = 4


def override_of(target: str) -> str:
    """The value of HSA_OVERRIDE_GFX_VERSION with which a GPU runs code for *target*: 10.3.0 for
    gfx1030.
    """
    digits = target.removeprefix("gfx")
    return f"{digits[:-2]}.{digits[-2]}.{int(digits[-1], 16)}"


def reach(build: Capability, device: Capability) -> Reach:
    """How well *device* runs code that was compiled for *build*."""
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
