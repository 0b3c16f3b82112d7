"""Lints on the GPUs that a build is for."""

from __future__ import annotations

from tvarc.advice.hosts.capability import Capability, capability_of, dotted, gfx_of
from tvarc.advice.lints.cuda import Cuda, Item, Target, items, text_of, words_of
from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.flags import UNKNOWN, Flags
from tvarc.advice.lints.model import Finding, lint
from tvarc.advice.lints.subjects import Hosts
from tvarc.light import Iterator
from tvarc.values.row_facts import (
    cite,
    corrections,
    is_enforced,
    text_fact,
    texts_fact,
    version_fact,
)
from tvarc.values.value import RowValue, Version, show

_TEGRA = "tegra"
_LEAST = "min-capability"
_GFX = "gfx"
_HOSTS = ("hosts", "unsure-hosts")
# PyTorch's words for several targets, and an architecture that no current toolkit supports.
_WORDS = ("All", "Auto", "Common", "Kepler")
_NO_TARGET = "this is not a GPU target"
_AMD_LISTS = ("gpuTargets", "localGpuTargets")


@lint(
    "W101",
    "impossible-host",
    "no host has this GPU",
    "no machine has this GPU with this CPU architecture",
)
def impossible_host(cuda: Cuda, hosts: Hosts, facts: Facts) -> Iterator[Finding]:
    """A GPU with a CPU that no machine has together."""
    if cuda.refused or not cuda.targets:
        return
    arches, place = hosts.arches, hosts.place
    if not arches:
        return
    for target in cuda.targets:
        row = _with_hosts(target, facts)
        known = _hosts(row) if row is not None else set()
        if row is None or not known or arches & {*known, *(texts_fact(row, "unsure-hosts") or ())}:
            continue
        label = text_fact(row, "label")
        # A GPU on one chip with a CPU never has another CPU. For a card, only documents say which
        # CPUs it has.
        on_chip = is_enforced(row, "hosts", unsaid=False)
        # With two axes, the cause is the matrix that multiplies them.
        crossed = target.row is not None and hosts.crossed
        yield Finding(
            cuda.place if crossed else target.span,
            "makes these variants" if crossed else f"builds for {target.name}",
            f"{target.name} {'exists' if on_chip else 'is listed'} only in "
            f"{_and(sorted(known))} machines{f': {label}' if label else ''}; "
            f"this build is for {_and(sorted(arches))} {cite(row, of=_HOSTS)}",
            "exclude these cells: `exclude std.impossible` does so if `gpu` and `isa` are axes of "
            "nvidia and cpu"
            if on_chip
            else "exclude these cells with `exclude gpu == … and isa == …`, unless you have such a "
            "host",
            (
                *(((place, "for these platforms"),) if place is not None else ()),
                *corrections(row, *_HOSTS),
            ),
            "" if on_chip else "no known machine has this GPU with this CPU architecture",
            by_hand="remove the recipe, or use the platforms and flags of a machine with this GPU",
        )


@lint(
    "W103",
    "target-not-dotted",
    "GPU target without its dot",
    "a GPU target is spelled without its dot",
)
def target_not_dotted(cuda: Cuda, targets: Flags, facts: Facts) -> Iterator[Finding]:
    """A GPU target spelled `sm_90` or `90`, not `9.0`.

    It also finds words that are no target at all.
    """
    listed = (*cuda.gpu_targets, *cuda.arch_list) if cuda.with_torch else ()
    exported = _exported(targets) if cuda.with_torch else ()
    for item in (*listed, *cuda.capabilities, *exported):
        text = text_of(item.value)
        right = dotted(text) if text is not None else ""
        if right:
            yield _undotted(item, right)
        elif text is not None and not _are_targets(text, facts):
            yield Finding(
                item.span,
                f"holds {show(text)}",
                f"{show(text)} is neither a compute capability, such as 9.0 or 10.0a, nor an AMD "
                "target (std.torch: ARCH)",
                'write the compute capability of the GPU, such as "9.0", or its field `capability`',
                what=_NO_TARGET,
                by_hand='write the compute capability of the GPU, such as "9.0"',
            )


@lint(
    "W151",
    "nvidia-target-unknown",
    "unknown NVIDIA target",
    "no compiler knows this GPU",
)
def nvidia_target_unknown(cuda: Cuda, targets: Flags, facts: Facts) -> Iterator[Finding]:
    """A compute capability that no GPU has, or that no compiler of the toolkit knows.

    A capability that is newer than all known ones is not reported.
    """
    listed = (*cuda.gpu_targets, *cuda.arch_list) if cuda.with_torch else ()
    exported = _exported(targets) if cuda.with_torch else ()
    # A row of the library is an existing GPU, so its table need not be read.
    rows = {one.text for one in cuda.targets if one.row and one.row.table.startswith("std/")}
    for item in (*listed, *cuda.capabilities, *exported):
        for word in words_of(item):
            found = capability_of(word) if word not in rows else None
            why = _unknown_target(found, cuda, facts) if found is not None else ""
            if found is None or not why:
                continue
            near = facts.capabilities(found.major) or facts.capabilities()
            yield Finding(
                item.span,
                f"holds {show(text_of(item.value) or '')}",
                why,
                f"write a compute capability that a GPU has: {', '.join(near)}",
            )


def _unknown_target(found: Capability, cuda: Cuda, facts: Facts) -> str:
    """The reason why no compiler supports the target *found*; empty if one may support it."""
    base = f"{found.major}.{found.minor}"
    if facts.gpu(found) is not None:
        if not found.suffix or facts.target(found.text) is not None:
            return ""
        return f"compilers know {base}, but not {found.text} (std.nvidia: PTXAS)"
    known = [Version(one) for one in facts.capabilities()]
    mine = Version(base)
    if not known or mine.compare(known[-1]) > 0:
        return ""
    if mine.compare(known[0]) > 0:
        return (
            f"no GPU has the compute capability {base}, and no compiler knows it "
            "(std.nvidia: NV-CC, NV-LEG, PTXAS)"
        )
    kit = cuda.toolkit
    rows = facts.toolkits_of(kit.first if kit.exact else Version(kit.major)) if kit else ()
    least = [version_fact(row, _LEAST) for row in rows]
    if kit is None or not cuda.on or not least:
        return ""
    if any(one is None or one.compare(mine) <= 0 for one in least):
        return ""
    lowest = least[0].text if least[0] is not None else ""
    return (
        f"{kit.name} compiles for {lowest} and later, not for {base} {cite(rows[0], of=(_LEAST,))}"
    )


def _are_targets(text: str, facts: Facts) -> bool:
    """Whether all words of *text* are targets that PyTorch takes."""
    words = text.replace(";", " ").split()
    return bool(words) and all(_is_target(word, facts) for word in words)


def _is_target(word: str, facts: Facts) -> bool:
    if capability_of(word) is not None or word.lower().startswith(_GFX):
        return True
    name = word.partition("+")[0]  # `Blackwell+Tegra`
    return name in _WORDS or name in facts.architectures()


def _exported(targets: Flags) -> Iterator[Item]:
    """The GPUs that scripts and the environment pass to PyTorch's build in plain text."""
    for one in targets.exports:
        if UNKNOWN in one.value or "$" in one.value:
            continue
        for word in one.value.replace(";", " ").split():
            yield Item(word, one.span)


def _undotted(item: Item, right: str) -> Finding:
    shown = show(text_of(item.value) if isinstance(item.value, RowValue) else item.value)
    return Finding(
        item.span,
        f"holds {shown}",
        f"{shown} means {right}, and PyTorch and nixpkgs accept only that spelling "
        "(std.torch: ARCH)",
        f'write "{right}", or use the field `capability` of the GPU',
        by_hand=f'write "{right}"',
    )


@lint(
    "W110",
    "targets-without-capabilities",
    "GPU targets for Torch only",
    "MAGMA and NCCL ignore gpuTargets",
)
def targets_without_capabilities(cuda: Cuda, facts: Facts) -> Iterator[Finding]:
    """`gpuTargets` without `config.cudaCapabilities`."""
    if not cuda.on or not cuda.with_torch or cuda.pin is None:
        return  # with `pin = none` the caller configures nixpkgs
    if not cuda.gpu_targets or "cudaCapabilities" in cuda.config:
        return
    yield Finding(
        cuda.gpu_targets[0].span,
        "only Torch is built for these GPUs",
        "MAGMA and NCCL are built for the GPUs in config.cudaCapabilities; without that setting "
        "nixpkgs builds them for every GPU that the toolkit supports, and for no other "
        "(std.nixpkgs: FLAGS, CFG)",
        "write the same list in `config`: `config { cudaCapabilities = … }`",
        by_hand="give nixpkgs the same list: `config.cudaCapabilities = [ … ];`",
    )


@lint(
    "W127",
    "amd-target-unknown",
    "unknown AMD target",
    "no compiler knows this GPU",
)
def amd_target_unknown(cuda: Cuda, facts: Facts) -> Iterator[Finding]:
    """A target of AMD that no compiler knows.

    A target that is newer than all known ones is not reported.
    """
    for item in _amd_items(cuda):
        text = text_of(item.value) or ""
        known = facts.amd_targets() if text.lower().startswith(_GFX) else frozenset()
        name = gfx_of(text)
        if not known or name in known or (name and _gfx_major(name) > max(map(_gfx_major, known))):
            continue
        from tvarc.text.diagnostics.suggest import nearest

        near = nearest(text.partition(":")[0], known)
        yield Finding(
            item.span,
            f"holds {show(text)}",
            f"no compiler knows {show(text)} (std.amd: LLVM, LLVM-SRC)",
            f'write "{near}" if you mean that one' if near else "write a target that std.amd lists",
        )


def _amd_items(cuda: Cuda) -> Iterator[Item]:
    yield from cuda.gpu_targets
    for overlay in cuda.overlays:
        for setting in overlay.changes.args:
            if setting.key in _AMD_LISTS and setting is not cuda.arguments.get(setting.key):
                yield from items(setting)


def _gfx_major(name: str) -> int:
    """The generation of `gfx90a`, which is 9: the digits before the last two."""
    number = name.removeprefix(_GFX).partition("-")
    major = number[0] if number[1] else number[0][:-2]
    return int(major) if major.isdecimal() else 0


def _with_hosts(target: Target, facts: Facts) -> RowValue | None:
    if target.row is not None and texts_fact(target.row, "hosts") is not None:
        return target.row
    return facts.gpu(target.capability)


def _hosts(row: RowValue) -> set[str]:
    """CPU architectures of the hosts; empty if a word is not an architecture."""
    words = texts_fact(row, "hosts") or ()
    found = {"aarch64" if word.startswith(("aarch64", _TEGRA)) else word for word in words}
    return found if found <= {"x86_64", "aarch64"} else set()


def _and(words: list[str]) -> str:
    return " and ".join(words)
