"""The lint on the driver that a build needs, which its description has to state."""

from __future__ import annotations

from tvarc.advice.hosts import toolkit
from tvarc.advice.hosts.driver import Floor, floor, of_gpu
from tvarc.advice.lints.cuda import Cuda, Item, Target, text_of
from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.model import Finding, lint
from tvarc.advice.lints.subjects import Words
from tvarc.light import Final, Iterator
from tvarc.values.row_facts import cite, corrected, corrections, has_fact, version_fact
from tvarc.values.value import RowValue, Value, Version, is_nix

TOO_OLD: Final = "the description states a driver that is too old"


@lint(
    "W112",
    "driver-not-stated",
    "driver not stated",
    "the description does not state the driver that the build needs",
)
def driver_not_stated(cuda: Cuda, words: Words, facts: Facts) -> Iterator[Finding]:
    """A CUDA build that does not state the driver that it needs, or states one that is too old.

    Only branches count: 580 states 580.65.06 as well.
    """
    if not cuda.on or not cuda.with_torch or cuda.toolkit is None:
        return
    needed = _floor(cuda, facts)
    if needed is None or not needed.driver.parts[0].isdigit():
        return
    named = words.stated
    branch = int(needed.driver.parts[0])
    if any(int(one.parts[0]) >= branch for one, _ in named):
        return
    if not named and any(_unknown(setting.value) for setting in words.settings):
        return
    wanted = f"{needed.asked_by} needs driver {needed.driver.text} or newer "
    wanted += _source(needed)
    if named:
        version, setting = named[0]
        yield Finding(
            setting.origin.span,
            f"states {version.text}",
            wanted,
            "state that driver, or a newer one",
            corrections(needed.row, needed.field),
            what=TOO_OLD,
        )
        return
    yield Finding(
        words.settings[-1].origin.span if words.settings else words.package,
        "states no driver",
        wanted,
        f'state it in `meta`: `longDescription = "Driver: {branch} or newer."`',
        corrections(needed.row, needed.field),
        by_hand=f'state it in `meta`: `longDescription = "Driver: {branch} or newer.";`',
    )


@lint(
    "W128",
    "ptx-needs-driver",
    "PTX needs a newer driver",
    "the stated driver is too old to compile the PTX",
)
def ptx_needs_driver(cuda: Cuda, words: Words, facts: Facts) -> Iterator[Finding]:
    """`+PTX` with a driver that is older than the toolkit's.

    The code of the toolkit runs on that driver, but its PTX does not.
    """
    stated = words.stated
    if not cuda.on or not cuda.with_torch or cuda.toolkit is None or not cuda.toolkit.exact:
        return
    written = [one for one in (*cuda.gpu_targets, *cuda.capabilities) if _is_ptx(one)]
    if not written or not stated:
        return
    row = facts.toolkit(cuda.toolkit.first)
    came, least = (version_fact(row, name) if row is not None else None for name in _DRIVERS)
    if row is None or came is None or least is None:
        return
    branches = [int(one.parts[0]) for one, _ in stated]
    if max(branches) >= int(came.parts[0]) or max(branches) < int(least.parts[0]):
        return  # it says so; or it is too old for all of it, which another lint reports
    version, setting = stated[0]
    yield Finding(
        setting.origin.span,
        f"states {version.text}",
        f"{text_of(written[0].value)} contains PTX, and only a driver as new as the toolkit "
        f"compiles it: {cuda.toolkit.name} came with {came.text} {cite(row, of=_DRIVERS)}; "
        "compatibility with older drivers does not cover PTX (std.cuda: COMPAT)",
        f"state driver {came.parts[0]}, or remove `+PTX`",
        ((written[0].span, "PTX"), *corrections(row, *_DRIVERS)),
    )


_DRIVERS: Final = ("driver", "min-driver")


def _is_ptx(item: Item) -> bool:
    return (text_of(item.value) or "").endswith("+PTX")


def _floor(cuda: Cuda, facts: Facts) -> Floor | None:
    """The oldest driver on which one of the build's GPUs runs it."""
    kit = cuda.toolkit
    assert kit is not None
    used = toolkit.Toolkit(kit.first if kit.exact else Version(kit.major), kit.row)
    floors = [floor(used, of_gpu(_gpu(one, facts), one.name)) for one in cuda.targets]
    known = [one for one in floors or [floor(used, None)] if one is not None]
    if len(known) < len(floors):
        return None
    lowest: Floor | None = None
    for one in known:
        if lowest is None or one.driver.compare(lowest.driver) < 0:
            lowest = one
    return lowest


def _source(needed: Floor) -> str:
    """Where it is from that *needed* is needed, in brackets."""
    row = needed.row
    if row is None or (corrected(row, needed.field) is None and row.table.startswith("std/")):
        if row is None or not has_fact(row, "capability"):
            return "(std.cuda: RN131, RN132, COMPAT)"
        if needed.field == "first-driver":
            return "(std.nvidia: NV-RN131)"  # the driver that came with a toolkit
    return cite(row, of=(needed.field,))


def _gpu(target: Target, facts: Facts) -> RowValue | None:
    """The row that says which drivers know *target*."""
    row = target.row
    if row is None or not (has_fact(row, "min-driver") or has_fact(row, "first-driver")):
        return facts.gpu(target.capability)
    return row


def _unknown(value: Value) -> bool:
    return is_nix(value) or not isinstance(value, str)
