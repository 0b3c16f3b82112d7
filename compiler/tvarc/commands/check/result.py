"""The result of `check --eval` for a program."""

from __future__ import annotations

from tvarc.commands.evaluation.result import Underived, underived
from tvarc.light import Mapping, dataclass
from tvarc.nix.judge.model import Evaluation, Fake, Hidden, Idle, Misfit, Unnamed, Unrun, Useless
from tvarc.values.plain import Ordinal


@dataclass(frozen=True, slots=True)
class Derivation:
    """A variant and its derivation."""

    name: str
    derivation: str | None
    """Its path; null where there is none."""


@dataclass(frozen=True, slots=True)
class Result:
    """The results of Nix for the variants of a program."""

    KEYS = (("underived", ""),)

    variants: tuple[Derivation, ...]
    systems: Mapping[str, Ordinal]
    """How many variants were evaluated for which."""
    underived: Underived
    not_shown: tuple[Hidden, ...]
    """What the derivations do not have."""
    idle: tuple[Idle, ...]
    """Overlays and patches without which the derivations are the same."""
    without_effect: tuple[Useless, ...]
    """Settings that have no effect in any variant that has them: a `-=` that removes nothing, or a
    value that nothing reads."""
    not_run: tuple[Unrun, ...]
    """Scripts that no build runs, and flags that no tool reads."""
    not_in_name: tuple[Unnamed, ...]
    """A `pname` or `version` that the name of the derivation does not have."""
    unfit_sources: tuple[Misfit, ...]
    """A `src` that does not fit what the package does with its own."""
    fake_hashes: tuple[Fake, ...]
    """Sources that are fetched with a hash that no content has."""
    same: tuple[tuple[str, ...], ...]
    """Variants that are one derivation."""


def result_of(found: Evaluation) -> Result:
    """The output of `--json`."""
    return Result(
        variants=tuple([Derivation(one, found.derivations.get(one)) for one in found.variants]),
        systems=dict(found.systems),
        underived=underived(found),
        not_shown=found.hidden,
        idle=found.idle,
        without_effect=found.useless,
        not_run=found.unrun,
        not_in_name=found.unnamed,
        unfit_sources=found.unfit,
        fake_hashes=found.fakes,
        same=found.same,
    )
