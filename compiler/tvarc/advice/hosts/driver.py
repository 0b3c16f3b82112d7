"""Which NVIDIA driver a build needs on Linux.

There are two limits. The CUDA of a build needs a driver of its major version: the CUDA runtime
itself refuses an older one, so such a build does not start (`cudaErrorInsufficientDriver`). A GPU
needs the first driver that supports it: this limit is only documented, and some hosts run older
drivers. An enforced limit refuses a build; any other limit warns.

Source of the floors: NVIDIA, CUDA 13.1 and 13.2 toolkit release notes, and CUDA Compatibility for
11. A row of a toolkit states its own floor. These floors are for programs that name a version only.
"""

from __future__ import annotations

from tvarc.advice.hosts.toolkit import Toolkit
from tvarc.light import Final, dataclass
from tvarc.values.row_facts import has_fact, is_enforced, version_fact
from tvarc.values.value import RowValue, Value, Version

FLOOR_OF_MAJOR: Final = {"11": Version("450.80.02"), "12": Version("525"), "13": Version("580")}
_OF_GPUS: Final = ("min-driver", "first-driver")


@dataclass(frozen=True, slots=True)
class Floor:
    """The oldest known driver that works, and the reason for it. The CUDA runtime, or a row that
    says so, refuses a driver older than `enforced`; it is None if nothing enforces a limit. `row`
    has the limit in its `field`; it is None if no row does.
    """

    driver: Version
    asked_by: str
    enforced: Version | None = None
    row: RowValue | None = None
    field: str = ""

    @property
    def wanted(self) -> str:
        return f"{self.asked_by} needs {self.driver.text} or newer"


def suffices(driver: Version, asked: Version, *, windows: bool) -> bool:
    """Whether *driver* is at least *asked*, a version for Linux. A driver of Windows is compared by
    its branch, since its later numbers differ.
    """
    if windows:
        return Version(driver.parts[0]).compare(Version(asked.parts[0])) >= 0
    return driver.compare(asked) >= 0


def brings(cuda: Version | None, toolkit: Toolkit | None) -> bool:
    """Whether *cuda* is enough for builds of *toolkit*, whatever the version of the driver. By
    minor-version compatibility any CUDA of the same major version is enough."""
    return cuda is not None and toolkit is not None and (
        Version(cuda.parts[0]).compare(Version(toolkit.version.parts[0])) >= 0
    )  # fmt: skip


def of_gpu(gpu: Value, name: str = "") -> Floor | None:
    """The first driver that knows the GPU of the row *gpu*, which messages call *name*: its
    `min-driver`, else the driver that came with the first toolkit for it, `first-driver`. None if
    the row has neither field, or is not the row of a GPU: `min-driver` of a toolkit has another
    meaning."""
    if not isinstance(gpu, RowValue):
        return None
    for field in _OF_GPUS:
        known = version_fact(gpu, field)
        if known is not None and (field != "min-driver" or has_fact(gpu, "capability")):
            enforced = known if is_enforced(gpu, field, unsaid=False) else None
            return Floor(known, name or gpu.name, enforced, gpu, field)
    return None


def of_toolkit(toolkit: Toolkit | None) -> Floor | None:
    """The driver that *toolkit* needs. For a known major version the CUDA runtime enforces the
    branch, whatever a row says."""
    if toolkit is None:
        return None
    major = FLOOR_OF_MAJOR.get(toolkit.version.parts[0])
    asked = toolkit.min_driver or major
    if asked is None:
        return None
    branch = Version(major.parts[0]) if major is not None else None
    row = toolkit.row if toolkit.min_driver is not None else None
    enforced = branch
    if row is not None and is_enforced(row, "min-driver", unsaid=True):
        enforced = asked
    return Floor(asked, f"CUDA {toolkit.version.text}", enforced, row, "min-driver")


def of_ptx(toolkit: Toolkit | None, newest: Version | None) -> Floor | None:
    """The oldest driver that compiles the PTX of *toolkit*: a driver of the branch that came with
    it. None if that is not known, or if programs have its CUDA anyway by *newest*.
    """
    came = toolkit.driver if toolkit is not None else None
    if toolkit is None or came is None:
        return None
    if newest is not None and newest.compare(toolkit.version) >= 0:
        return None
    branch = Version(came.parts[0])
    enforced = branch if is_enforced(toolkit.row, "driver", unsaid=True) else None
    return Floor(branch, f"the PTX of CUDA {toolkit.version.text}", enforced, toolkit.row, "driver")


def floor(toolkit: Toolkit | None, gpu: Floor | None) -> Floor | None:
    """The newer of two floors, the toolkit's (None if unknown) and the GPU's. The toolkit's floor
    if both are equal; None if nothing is known.
    """
    kit = of_toolkit(toolkit)
    if kit is not None and (gpu is None or gpu.driver.compare(kit.driver) <= 0):
        return kit
    return gpu
