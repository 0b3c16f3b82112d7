"""Which NVIDIA driver a build needs on Linux.

A build runs on the oldest driver of its toolkit's major, by minor-version compatibility, and on no
driver that does not know the GPU yet. Source of the floors: NVIDIA, CUDA 13.1 and 13.2 toolkit
release notes, and CUDA Compatibility for 11. A row of a toolkit states its own; these serve
programs that name a version.
"""

from __future__ import annotations

from tvarc.hosts.toolkit import Toolkit
from tvarc.light import Final, dataclass
from tvarc.row_facts import has_fact, version_fact
from tvarc.values import Value, Version

FLOOR_OF_MAJOR: Final = {"11": Version("450.80.02"), "12": Version("525"), "13": Version("580")}


@dataclass(frozen=True, slots=True)
class Floor:
    """The oldest driver that will do, and what asks for it."""

    driver: Version
    asked_by: str


def suffices(driver: Version, asked: Version, *, windows: bool) -> bool:
    """Whether *driver* is *asked*, which is one for Linux, or newer. One of Windows is compared by
    its branch: what comes after that is numbered otherwise."""
    if windows:
        return Version(driver.parts[0]).compare(Version(asked.parts[0])) >= 0
    return driver.compare(asked) >= 0


def brings(cuda: Version | None, toolkit: Toolkit | None) -> bool:
    """Whether programs have the *cuda* that builds of *toolkit* ask for, whatever the number of the
    driver says: by minor-version compatibility any of its major."""
    return cuda is not None and toolkit is not None and (
        Version(cuda.parts[0]).compare(Version(toolkit.version.parts[0])) >= 0
    )  # fmt: skip


def first_driver(gpu: Value) -> Version | None:
    """The first driver that knows the GPU of the row *gpu*: its `min-driver`, else the driver that
    came with the first toolkit for it, `first-driver`. None where it has neither, and for a value
    that is no row of a GPU: `min-driver` of a toolkit is something else."""
    known = version_fact(gpu, "min-driver") if has_fact(gpu, "capability") else None
    return known or version_fact(gpu, "first-driver")


def floor(toolkit: Toolkit | None, first_driver: Version | None, gpu: str) -> Floor | None:
    """The floor for a build with *toolkit*, None if that is unknown, for the GPU called *gpu*,
    which *first_driver* was the first to know. None when nothing is known."""
    if toolkit is not None:
        branch = toolkit.min_driver or FLOOR_OF_MAJOR.get(toolkit.version.parts[0])
        if branch is not None and (first_driver is None or first_driver.compare(branch) <= 0):
            return Floor(branch, f"CUDA {toolkit.version.text}")
    return Floor(first_driver, gpu) if first_driver is not None else None
