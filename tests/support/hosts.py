"""Hosts for tests: read off machines, made from facts, or made up on the spot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from support.compile import codes, compile_text, compile_variants, messages
from tvarc.driver import Compilation
from tvarc.hosts.choose import Choice, KindChoice, choose
from tvarc.hosts.description import read_description
from tvarc.hosts.detect import describe
from tvarc.hosts.machine import Ran
from tvarc.hosts.model import Host

DATA = Path(__file__).resolve().parents[1] / "data" / "hosts"
MADE = sorted(path.stem for path in (DATA / "made").glob("*.json"))


@dataclass(frozen=True)
class FakeMachine:
    """A machine of which every answer is given. A program without an answer is not there."""

    files: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, Ran] = field(default_factory=dict)
    kernel: str = "Linux"
    cpu: str = "x86_64"

    def system(self) -> str:
        return self.kernel

    def arch(self) -> str:
        return self.cpu

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def run(self, command: Sequence[str]) -> Ran:
        return self.programs.get(command[0], Ran(fault=f"there is no {command[0]}"))


def recorded(name: str) -> Host:
    """A host read off a real machine."""
    cpuinfo = (DATA / "recorded" / f"{name}.cpuinfo").read_text(encoding="utf-8")
    smi = DATA / "recorded" / f"{name}.nvidia-smi.csv"
    programs = {"nvidia-smi": Ran(smi.read_text(encoding="utf-8"))} if smi.exists() else {}
    return describe(FakeMachine({"/proc/cpuinfo": cpuinfo}, programs))


def made(name: str) -> Host:
    """A host made from facts."""
    return read_description((DATA / "made" / f"{name}.json").read_text(encoding="utf-8"))


def compiled(text: str | None = None) -> Compilation:
    """*text*, or the checkout's variants.tvar, without errors."""
    compilation = compile_text(text) if text is not None else compile_variants()
    assert not compilation.sink.has_errors, (codes(compilation), messages(compilation))
    return compilation


def chosen(
    host: Host, compilation: Compilation, platforms: Mapping[str, tuple[str, ...]] | None = None
) -> Choice:
    """The choice for *host*; *platforms* are those that the recipes of variants state."""
    assert compilation.resolution is not None and compilation.expansion is not None
    known = platforms or {}
    return choose(
        compilation.resolution.program,
        compilation.expansion,
        host,
        lambda variant: known.get(variant.name, ()),
    )


def names(kind: KindChoice) -> list[str]:
    return [one.variant.name for one in kind.fits]


def refusals(kind: KindChoice) -> dict[str, list[str]]:
    """The reasons against each refused variant."""
    return {
        one.variant.name: [reason.text for reason in one.judgement.refusals] for one in kind.refused
    }


def reasons(kind: KindChoice, name: str) -> list[str]:
    """The reasons for one variant that fits."""
    (found,) = (one for one in kind.fits if one.variant.name == name)
    return [reason.text for reason in found.judgement.reasons]
