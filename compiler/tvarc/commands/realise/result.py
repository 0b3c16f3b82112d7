"""The result of `realise` for a program, and the content of `report.json`."""

from __future__ import annotations

from tvarc.commands.evaluation.result import Underived, underived
from tvarc.farm.realise.model import BuildFault, Outcome, Realised
from tvarc.light import Iterable, Literal, dataclass
from tvarc.nix.judge.model import Evaluation
from tvarc.text.source import Span


@dataclass(frozen=True, slots=True)
class Broken:
    """A build that failed."""

    KEYS = (("place", ""),)

    variants: tuple[str, ...]
    derivation: str
    place: Span
    kind: Literal["build", "hash"]
    """hash: a source has another hash than the program states."""
    phase: str | None
    """Where the builder was last."""
    nix: str
    """Nix's own words."""
    log: str


@dataclass(frozen=True, slots=True)
class Lost:
    """A build whose machine went away."""

    variants: tuple[str, ...]
    derivation: str
    machine: str
    nix: str
    log: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine that builds."""

    address: str | None
    """null for this one."""
    built: int
    """How many derivations it has built."""
    away: str | None
    """The message when it went away or did not answer; null otherwise."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result for each variant that was built. The folder of logs has it as report.json."""

    KEYS = (("underived", ""),)

    variants: tuple[Outcome, ...]
    broken: tuple[Broken, ...]
    """Builds that failed, each at the line of the program that is known to be at fault, or that of
    the package."""
    lost: tuple[Lost, ...]
    """Builds whose machine went away: nothing is known about their recipes."""
    machines: tuple[Machine, ...]
    underived: Underived
    to: str | None
    """The store that variants are to go to."""
    copied: tuple[str, ...]
    """The variants that were copied there."""
    warnings: tuple[str, ...]
    """Nix's own."""
    ended_by: str | None
    """An error that ended the run and belongs to no build."""
    interrupted: bool
    rounds: int
    """How often Nix was run; once more after a machine went away."""
    seconds: int


def result_of(
    found: Realised,
    faults: Iterable[BuildFault],
    evaluation: Evaluation,
    store: str | None,
) -> Result:
    """The output of `--json`: *store* is the one that variants are to go to."""
    return Result(
        variants=found.outcomes,
        broken=tuple(
            [
                Broken(
                    variants=one.broken.variants,
                    derivation=one.broken.build.derivation,
                    place=one.span,
                    kind="hash" if one.source else "build",
                    phase=one.broken.build.phase or None,
                    nix=one.broken.build.words,
                    log=one.broken.log,
                )
                for one in faults
            ]
        ),
        lost=tuple(
            [
                Lost(one.variants, build.derivation, build.machine, build.words, one.log)
                for one in found.broken
                for build in [one.build]
                if one.lost
            ]
        ),
        machines=tuple(
            [
                Machine(name or None, found.machines.get(name, 0), found.away.get(name))
                for name in sorted({*found.machines, *found.away})
            ]
        ),
        underived=underived(evaluation),
        to=store,
        copied=found.copied,
        warnings=found.warnings,
        ended_by=found.fault or None,
        interrupted=found.interrupted is not None,
        rounds=found.rounds,
        seconds=int(found.seconds),
    )
