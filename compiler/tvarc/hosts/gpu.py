"""Which GPU runs code made for which target.

Machine code for X.y runs on X.z with z >= y, within one major only, and not on the GPUs of Tegras
or of another Tegra than it was made for (NVIDIA, CUDA C++ Programming Guide, binary
compatibility). Code for a target with the suffix `a` runs on that very capability alone; `f` is for
a family, which lies within one major. With `+PTX` the driver of a later GPU compiles it anew.

Code for an AMD target runs on that target alone.
"""

from __future__ import annotations

import re
from enum import IntEnum

from tvarc.light import Final, dataclass
from tvarc.values import Version

_NAMED_SUFFIX = re.compile(r"\d([af])$", re.ASCII)
_CAPABILITY = re.compile(r"(0|[1-9]\d{0,2})\.(0|[1-9]\d?)([af]?)", re.ASCII)
_GFX = re.compile(r"gfx\d[0-9a-z-]{0,30}", re.ASCII)
# The GPUs of Tegras; of 8.8 NVIDIA names no product, nixpkgs takes it for one.
TEGRA: Final = frozenset(((5, 3), (6, 2), (7, 2), (8, 7), (8, 8), (10, 1)))
_SUFFIXES: Final = ("", "f", "a")  # each may use more of a GPU than those before it


class Reach(IntEnum):
    """How a build meets a GPU; greater is better."""

    UNSERVED = -1
    NO_GPU = 0  # the build is for CPUs alone
    COMPILED_ANEW = 1
    SAME_MAJOR = 2
    EXACT = 3


@dataclass(frozen=True, slots=True)
class Capability:
    """A compute capability in parts; `suffix` is `a`, `f` or empty; `ptx` tells that code which
    later GPUs can compile anew comes with it."""

    major: int
    minor: int
    suffix: str = ""
    ptx: bool = False

    @property
    def text(self) -> str:
        return f"{self.major}.{self.minor}{self.suffix}"

    @property
    def use(self) -> tuple[int, ...]:
        """Of two targets that one GPU runs, the one that uses more of it is greater."""
        return (self.major, self.minor, _SUFFIXES.index(self.suffix))


def is_capability(text: str) -> bool:
    """Whether *text* is a compute capability, such as `9.0` or `10.0a`."""
    return _CAPABILITY.fullmatch(text) is not None


def capability(version: Version, suffix: str = "") -> Capability | None:
    """*version* in parts, None when it is no compute capability. A *suffix* that the row states
    apart counts when the version has none."""
    return capability_of(version.text, suffix)


def capability_of(text: str, suffix: str = "") -> Capability | None:
    """The target that *text* is as PyTorch spells it: `9.0`, `10.0a`, `8.0+PTX`; None when it is
    none."""
    found = _CAPABILITY.fullmatch(text.removesuffix("+PTX"))
    if found is None:
        return None
    return Capability(int(found[1]), int(found[2]), found[3] or suffix, text.endswith("+PTX"))


def gfx_of(text: str) -> str:
    """The AMD target that *text* is, without the features that may follow it (`gfx90a:xnack-`);
    empty when it is none."""
    plain = text.partition(":")[0]
    return plain if _GFX.fullmatch(plain) else ""


def suffix_of(row: str) -> str:
    """The suffix that the name of a row states: `a` for `sm90a`."""
    found = _NAMED_SUFFIX.search(row)
    return found[1] if found is not None else ""


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
