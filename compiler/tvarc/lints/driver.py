"""The lint on the driver that a build needs, which its description has to state."""

from __future__ import annotations

from tvarc.hosts import toolkit
from tvarc.hosts.driver import Floor, floor
from tvarc.hosts.rows import version_fact
from tvarc.light import Iterator
from tvarc.lints.cuda import Cuda, Target
from tvarc.lints.facts import Facts
from tvarc.lints.model import Finding
from tvarc.lints.subjects import Subjects
from tvarc.values import Value, Version, is_nix


def driver_not_stated(subjects: Subjects, facts: Facts) -> Iterator[Finding]:
    """A CUDA build of which nobody can tell which driver it needs, or that states too old a one.

    Only branches count: 580 states 580.65.06 as well.
    """
    cuda = subjects.cuda
    if not cuda.on or not cuda.with_torch or cuda.toolkit is None:
        return
    needed = _floor(cuda, facts)
    if needed is None or not needed.driver.parts[0].isdigit():
        return
    named = subjects.words.stated
    branch = int(needed.driver.parts[0])
    if any(int(one.parts[0]) >= branch for one, _ in named):
        return
    if not named and any(_unknown(setting.value) for setting in subjects.words.settings):
        return
    wanted = f"{needed.asked_by} needs driver {needed.driver.text} or newer (std.cuda: RN131, RN132"
    wanted += "; std.nvidia: NV-RN131)"
    if named:
        version, setting = named[0]
        yield Finding(
            setting.origin.span,
            f"states {version.text}",
            wanted,
            "state that driver, or a newer one",
        )
        return
    words = subjects.words
    yield Finding(
        words.settings[-1].origin.span if words.settings else words.package,
        "names no driver",
        wanted,
        f'state it in `meta`: `longDescription = "Driver: {branch} or newer."`',
    )


def _floor(cuda: Cuda, facts: Facts) -> Floor | None:
    """The oldest driver on which one of the build's GPUs runs it."""
    kit = cuda.toolkit
    assert kit is not None
    used = toolkit.Toolkit(kit.first if kit.exact else Version(kit.major), kit.min_driver)
    floors = [floor(used, _first_driver(one, facts), one.name) for one in cuda.targets]
    known = [one for one in floors or [floor(used, None, "")] if one is not None]
    if len(known) < len(floors):
        return None
    lowest: Floor | None = None
    for one in known:
        if lowest is None or one.driver.compare(lowest.driver) < 0:
            lowest = one
    return lowest


def _first_driver(target: Target, facts: Facts) -> Version | None:
    row = target.row
    if row is None or "first-driver" not in row.facts:
        row = facts.gpu(target.capability)
    return version_fact(row, "first-driver")


def _unknown(value: Value) -> bool:
    return is_nix(value) or not isinstance(value, str)
