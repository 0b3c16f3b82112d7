"""Lints on the CUDA toolkit of a build."""

from __future__ import annotations

from tvarc.advice.hosts.toolkit import GAP, compiles_for, gap_of, in_gap
from tvarc.advice.lints.cuda import (
    CUDA_SETS,
    Cuda,
    Target,
    Toolkit,
    named_set,
    resolved_set,
    set_settings,
    whole_set,
)
from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.model import Finding, lint
from tvarc.light import Final, Iterator
from tvarc.values.row_facts import cite, corrections, texts_fact, version_fact
from tvarc.values.value import NixRef, RowValue

_DROP: Final = (
    "use another toolkit, or exclude these cells: `exclude std.impossible` does so if `gpu` and "
    "`toolkit` are axes of nvidia and cuda-toolkit"
)
_KNOWN: Final = ("first-cuda", "last-cuda")


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
            told += cite(row, of=GAP, doubted=False)  # of the hosts all sources tell the same
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


def target_row(target: Target, facts: Facts) -> RowValue | None:
    """The row that says which toolkits know *target*; of a suffix it is not that of the base."""
    if target.row is not None and version_fact(target.row, "first-cuda") is not None:
        return target.row
    return facts.target(target.text) if target.capability.suffix else facts.gpu(target.capability)


def refused(toolkit: Toolkit, row: RowValue) -> str:
    """Why no toolkit that *toolkit* may be compiles for the GPU *row*; empty when one does."""
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
        # An overlay may say itself what the name stands for.
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
    """Whether *name* is that of a set with no more than a major: `cudaPackages_13`."""
    return name == CUDA_SETS or (
        name.startswith(f"{CUDA_SETS}_") and name.removeprefix(f"{CUDA_SETS}_").isdecimal()
    )


def _sets(cuda: Cuda, alias: str, means: tuple[str, ...], facts: Facts) -> list[str]:
    """The sets that *alias* may refer to, those that the pin is known to have first."""
    pin = facts.pin(cuda.pin) if cuda.pin is not None else None
    known = (texts_fact(pin, "cuda-sets") or ()) if pin is not None else ()
    fit = [name for name in (*known, *means) if name.count("_") == 2]
    return [name for name in fit if name.startswith(f"{alias}_")]
