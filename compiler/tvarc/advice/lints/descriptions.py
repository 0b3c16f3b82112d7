"""Lints on the GPUs and the CUDA in descriptions."""

from __future__ import annotations

from tvarc.advice.hosts.capability import Capability
from tvarc.advice.lints.cuda import Cuda
from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.model import Finding, Line, lint
from tvarc.advice.lints.names import Named, quoted
from tvarc.light import Iterator, Sequence
from tvarc.values.row_facts import cite


@lint(
    "W119",
    "gpu-misnamed",
    "wrong GPU in a string",
    "a string names the wrong GPU",
)
def gpu_misnamed(cuda: Cuda, line: Line, facts: Facts) -> Iterator[Finding]:
    """A description that gives a GPU the capability of another, or names a GPU for which the build
    is not made."""
    said = facts.said(line.text)
    if said.apart or line.only_cuda:
        return
    if not said.targets:
        if said.gpus and not line.aside:
            yield from _not_built_for(line, said.gpus, cuda, facts)
    elif not said.range:
        yield from _beside(line, said.gpus, said.targets, facts)
        if not line.aside:
            yield from _another(line, said.targets, cuda)


def _beside(
    line: Line, named: Sequence[Named], spelled: Sequence[Capability], facts: Facts
) -> Iterator[Finding]:
    """Names of GPUs beside capabilities that are not theirs."""
    for one in named:
        if any(_fits(one, capability) for capability in spelled):
            continue
        row = facts.gpu(Capability(*min(one.capabilities)))
        right = _and(one)
        yield Finding(
            line.span,
            quoted(line.text),
            f"{one.words} has compute capability {right}, not {spelled[0].text} "
            f"{cite(row) if row else ''}".rstrip(),
            f"write {right} if you mean {one.words}, or name a GPU with {spelled[0].text}",
            line=line,
        )


def _another(line: Line, spelled: Sequence[Capability], cuda: Cuda) -> Iterator[Finding]:
    """A capability that a description names without a GPU, and that is not a target of the
    build."""
    built = [one.capability for one in cuda.targets]
    if not cuda.on or not built or len(spelled) != 1:
        return
    told = spelled[0]
    if any(_serves(one, (told.major, told.minor)) for one in built):
        return
    if any((one.major, one.minor) == (told.major, told.minor) for one in built):
        return
    names = ", ".join(one.text for one in built)
    yield Finding(
        line.span,
        quoted(line.text),
        f"the string names {told.text}, but the build is for {names} (std.nvidia: NV-PG)",
        f"name {names}, or build for {told.text}",
        line=line,
    )


def _not_built_for(
    line: Line, named: Sequence[Named], cuda: Cuda, facts: Facts
) -> Iterator[Finding]:
    """Names of GPUs on which no code of the build runs."""
    built = [one.capability for one in cuda.targets]
    if not cuda.on or not built:
        return
    if any(item.value is not None and "+PTX" in str(item.value) for item in cuda.gpu_targets):
        return  # later GPUs compile it anew
    for one in named:
        if any(_serves(target, own) for target in built for own in one.capabilities):
            continue
        row = facts.gpu(Capability(*min(one.capabilities)))
        names = ", ".join(target.text for target in built)
        yield Finding(
            line.span,
            quoted(line.text),
            f"{one.words} has compute capability {_and(one)}, and a build for {names} does not "
            "run on it "
            f"{cite(row) if row else ''}".rstrip(),
            f"name GPUs that run a build for {names}, or build for {_and(one)}",
            line=line,
        )


@lint(
    "W120",
    "cuda-misnamed",
    "wrong CUDA version in a string",
    "a string states a CUDA version that the build does not use",
)
def cuda_misnamed(cuda: Cuda, line: Line, facts: Facts) -> Iterator[Finding]:
    """A description, a name or a printed line that states another CUDA than the toolkit."""
    if line.aside or not cuda.on:
        return
    stated, toolkit = facts.said(line.text).cuda, cuda.toolkit
    if not stated or toolkit is None:
        return
    if toolkit.first.text in stated:  # nearly all lines that state one are so
        return
    mine = toolkit.first.parts if toolkit.exact else toolkit.first.parts[:1]
    if any(_begin_alike(one.split("."), mine) for one in stated):
        return
    if line.only_cuda and any(_spells(one.capability, stated[0]) for one in cuda.targets):
        return  # `cuda-9.0` is the name of a GPU's capability
    yield Finding(
        line.span,
        quoted(line.text),
        f"the string states CUDA {stated[0]}, but the build uses {toolkit.name}",
        f"state {toolkit.name}, or use the package set of CUDA {stated[0]}",
        line=line,
    )


def _spells(capability: Capability, version: str) -> bool:
    major, minor = capability.major, capability.minor
    return version in (f"{major}.{minor}", f"{major}{minor}")


def _begin_alike(one: Sequence[str], other: Sequence[str]) -> bool:
    return all(a == b for a, b in zip(one, other, strict=False))


def _fits(one: Named, spelled: Capability) -> bool:
    """Whether *one* has this capability, or runs code that is built for it."""
    if (spelled.major, spelled.minor) in one.capabilities:
        return True
    return not one.architecture and any(_serves(spelled, own) for own in one.capabilities)


def _serves(built: Capability, own: tuple[int, int]) -> bool:
    return built.major == own[0] and built.minor <= own[1]


def _and(one: Named) -> str:
    return " or ".join(f"{major}.{minor}" for major, minor in sorted(one.capabilities))
