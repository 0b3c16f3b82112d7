"""Which GPU runs code made for which compute capability.

Machine code for X.y runs on X.z with z >= y, within one major only. Code for a target with the
suffix `a` runs on that very capability alone; `f` is for a family, which lies within one major.
"""

from __future__ import annotations

import re
from enum import IntEnum

from tvarc.light import dataclass
from tvarc.values import Version

_NAMED_SUFFIX = re.compile(r"\d([af])$", re.ASCII)
_CAPABILITY = re.compile(r"(\d{1,3})\.(\d{1,2})([af]?)", re.ASCII)


class Reach(IntEnum):
    """How a build meets a GPU; greater is better."""

    UNSERVED = -1
    NO_GPU = 0  # the build is for CPUs alone
    SAME_MAJOR = 1
    EXACT = 2


@dataclass(frozen=True, slots=True)
class Capability:
    """A compute capability in parts; `suffix` is `a`, `f` or empty."""

    major: int
    minor: int
    suffix: str = ""


def is_capability(text: str) -> bool:
    """Whether *text* is a compute capability, such as `9.0` or `10.0a`."""
    return _CAPABILITY.fullmatch(text) is not None


def capability(version: Version, suffix: str = "") -> Capability | None:
    """*version* in parts, None when it is no compute capability. A *suffix* that the row states
    apart counts when the version has none."""
    found = _CAPABILITY.fullmatch(version.text)
    if found is None:
        return None
    return Capability(int(found[1]), int(found[2]), found[3] or suffix)


def suffix_of(row: str) -> str:
    """The suffix that the name of a row states: `a` for `sm90a`."""
    found = _NAMED_SUFFIX.search(row)
    return found[1] if found is not None else ""


def reach(build: Capability, device: Capability) -> Reach:
    """How code made for *build* meets *device*."""
    if (build.major, build.minor) == (device.major, device.minor):
        return Reach.EXACT
    if build.suffix != "a" and build.major == device.major and build.minor < device.minor:
        return Reach.SAME_MAJOR
    return Reach.UNSERVED
