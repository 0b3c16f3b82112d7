"""Lints on the CUDA toolkit of a build, and on the driver that it needs."""

from __future__ import annotations

from tvarc.advice.hosts import toolkit
from tvarc.advice.hosts.driver import Floor, floor, of_gpu
from tvarc.advice.hosts.toolkit import GAP, compiles_for, gap_of, in_gap
from tvarc.advice.lints.cuda import (
    CUDA_SETS,
    Cuda,
    Target,
    Toolkit,
    named_set,
    resolved_set,
    set_settings,
    text_of,
    whole_set,
)
from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.model import Finding, lint
from tvarc.advice.lints.subjects import Words
from tvarc.light import Final, Iterator
from tvarc.values.row_facts import cite, corrected, corrections, has_fact, texts_fact, version_fact
from tvarc.values.value import NixRef, RowValue, Value, Version, is_nix

_DROP: Final = (
    "use another toolkit, or exclude these cells: `exclude std.impossible` does so if `gpu` and "
    "`toolkit` are axes of nvidia and cuda-toolkit"
)
_KNOWN: Final = ("first-cuda", "last-cuda")
_GPUS: Final = "std/nvidia.tvar::nvidia"
_CHECKED: Final = ("first-cuda", "hosts", "machines")  # facts that rows of the library have


@lint(
    "W102",
    "gpu-unknown-to-toolkit",
    "GPU unknown to the toolkit",
    "this CUDA toolkit does not support the GPU",
)
def gpu_unknown_to_toolkit(cuda: Cuda, facts: Facts) -> Iterator[Finding]:
    """A CUDA toolkit that is too old or too new for a GPU.

    It also finds a GPU whose hosts are not known to have such a toolkit.
    """
    if not cuda.on or cuda.toolkit is None:
        return
    for target in cuda.targets:
        row = target_row(target, facts)
        if row is None:
            continue
        gap, help = gap_of(row), _DROP
        if why := refused(cuda.toolkit, row):
            told = f"{cuda.toolkit.name} does not support {target.name}; {why} "
            told += cite(row, of=_KNOWN)
        elif gap is not None and in_gap(cuda.toolkit.first, cuda.toolkit.last, gap):
            told = f"no host with {target.name} is known to have {cuda.toolkit.name}: {gap.shown} "
            told += cite(row, of=GAP, doubted=False)  # all sources agree about the hosts
            help = "use another toolkit, or exclude these cells, unless you have such a host"
        else:
            continue
        yield Finding(
            target.span,
            f"builds for {target.name}",
            told,
            help,
            corrections(row, *_KNOWN, *GAP),
            by_hand="use another toolkit, or remove the GPU",
        )


@lint(
    "W138",
    "gpu-facts-unknown",
    "facts of a GPU are unknown",
    "checks skip a GPU, because its row lacks facts",
)
def gpu_facts_unknown(cuda: Cuda, facts: Facts) -> Iterator[Finding]:
    """A GPU of a row that a program adds to `nvidia` without the facts that checks need."""
    if not cuda.on:
        return
    for target in cuda.targets:
        row = target.row
        if row is None or row.table != _GPUS:
            continue
        facts_of = [(name, row.facts.get(name)) for name in _CHECKED]
        unknown = [name for name, fact in facts_of if fact is None or fact.value is None]
        if "first-cuda" not in unknown:
            continue  # other facts are unknown in rows of the library, too
        yield Finding(
            target.span,
            f"builds for {target.name}",
            f"checks of toolkits and hosts skip {row.name}: its row lacks "
            + ", ".join(f"`{name}`" for name in unknown),
            "add the facts to the row when they are known",
        )


def target_row(target: Target, facts: Facts) -> RowValue | None:
    """The row that says which toolkits support *target*. A target with a suffix has a row of its
    own."""
    if target.row is not None and version_fact(target.row, "first-cuda") is not None:
        return target.row
    return facts.target(target.text) if target.capability.suffix else facts.gpu(target.capability)


def refused(toolkit: Toolkit, row: RowValue) -> str:
    """The reason why *toolkit*, or every toolkit of its range, does not compile for the GPU *row*;
    empty if one does."""
    first, last = version_fact(row, "first-cuda"), version_fact(row, "last-cuda")
    if first is None:
        return ""
    if toolkit.last.compare(first) < 0:
        return f"the first CUDA that does is {first.text}"
    if last is not None and not compiles_for(toolkit.first, first, last):
        return "" if toolkit.first.compare(first) < 0 else f"the last CUDA that does is {last.text}"
    return ""


@lint(
    "W104",
    "moving-alias",
    "CUDA set changes with the pin",
    "this CUDA set changes with the pin",
)
def moving_alias(cuda: Cuda, facts: Facts) -> Iterator[Finding]:
    """A CUDA set with a name whose meaning changes, such as `cudaPackages_13`."""
    for setting in set_settings(cuda):
        value = whole_set(setting.value)
        name = named_set(value)
        # An overlay may define this name itself.
        if not _moves(name) or resolved_set(value, cuda.plain) != name:
            continue
        row = facts.alias(name)
        if row is None:
            continue
        means = texts_fact(row, "means") or ()
        sets = _sets(cuda, name, means, facts)
        root = value.root if isinstance(value, NixRef) else "pkgs"
        yield Finding(
            setting.origin.span,
            f"`{name}` depends on the pin",
            f"`{name}` has meant {', then '.join(means)} {cite(row)}",
            "name the exact set" + (f", such as `{root}.{sets[0]}`" if sets else ""),
        )


def _moves(name: str) -> bool:
    """Whether *name* is a set with only a major version: `cudaPackages_13`."""
    return name == CUDA_SETS or (
        name.startswith(f"{CUDA_SETS}_") and name.removeprefix(f"{CUDA_SETS}_").isdecimal()
    )


def _sets(cuda: Cuda, alias: str, means: tuple[str, ...], facts: Facts) -> list[str]:
    """The sets to which *alias* may refer. Those that the pin is known to have come first."""
    pin = facts.pin(cuda.pin) if cuda.pin is not None else None
    known = (texts_fact(pin, "cuda-sets") or ()) if pin is not None else ()
    fit = [name for name in (*known, *means) if name.count("_") == 2]
    return [name for name in fit if name.startswith(f"{alias}_")]


TOO_OLD: Final = "the description states a driver that is too old"


@lint(
    "W112",
    "driver-not-stated",
    "driver not stated",
    "the description does not state the driver that the build needs",
)
def driver_not_stated(cuda: Cuda, words: Words, facts: Facts) -> Iterator[Finding]:
    """A CUDA build that states no driver, or a driver that is too old for its toolkit.

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
    targets = (*cuda.gpu_targets, *cuda.capabilities)
    written = [one for one in targets if (text_of(one.value) or "").endswith("+PTX")]
    if not written or not stated:
        return
    row = facts.toolkit(cuda.toolkit.first)
    came, least = (version_fact(row, name) if row is not None else None for name in _DRIVERS)
    if row is None or came is None or least is None:
        return
    branches = [int(one.parts[0]) for one, _ in stated]
    if max(branches) >= int(came.parts[0]) or max(branches) < int(least.parts[0]):
        return  # it says so; or it is too old altogether, which another lint reports
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
    """The source, in brackets, of the fact that *needed* is needed."""
    row = needed.row
    if row is None or (corrected(row, needed.field) is None and row.table.startswith("std/")):
        if row is None or not has_fact(row, "capability"):
            return "(std.cuda: RN131, RN132, COMPAT)"
        if needed.field == "first-driver":
            return "(std.nvidia: NV-RN131)"  # the driver that came with a toolkit
    return cite(row, of=(needed.field,))


def _gpu(target: Target, facts: Facts) -> RowValue | None:
    """The row that says which drivers support *target*."""
    row = target.row
    if row is None or not (has_fact(row, "min-driver") or has_fact(row, "first-driver")):
        return facts.gpu(target.capability)
    return row


def _unknown(value: Value) -> bool:
    return is_nix(value) or not isinstance(value, str)
