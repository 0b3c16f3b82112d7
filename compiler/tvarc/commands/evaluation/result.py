"""The result of `check --eval`, and variants without a derivation, as `realise` has them too."""

from __future__ import annotations

from tvarc.light import Mapping, dataclass
from tvarc.nix.judge.model import (
    Elsewhere,
    Evaluation,
    Fake,
    Hidden,
    Idle,
    Misfit,
    Mixed,
    Twice,
    Unnamed,
    Unplaced,
    Unrun,
    Useless,
)
from tvarc.text.source import Span
from tvarc.values.plain import Ordinal


@dataclass(frozen=True, slots=True)
class Refused:
    """Variants for which Nix makes no derivation."""

    KEYS = (("place", ""),)

    variants: tuple[str, ...]
    place: Span
    nix: str
    """Nix's own words."""
    at: str | None
    """The place in nixpkgs that Nix names."""


@dataclass(frozen=True, slots=True)
class NotEvaluated:
    """Variants that Nix did not get to, and why."""

    variants: tuple[str, ...]
    because: str


@dataclass(frozen=True, slots=True)
class Underived:
    """The variants without a derivation."""

    refused: tuple[Refused, ...]
    not_evaluated: tuple[NotEvaluated, ...]


def underived(found: Evaluation) -> Underived:
    """The variants that Nix refuses, and those that it did not reach."""
    refused = [
        Refused(one.variants, one.span, "\n".join(one.words), one.place or None)
        for one in found.faults
        if not one.lost
    ]
    lost = [NotEvaluated(one.variants, "\n".join(one.words)) for one in found.faults if one.lost]
    return Underived(tuple(refused), tuple(lost))


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
    other_toolkits: tuple[Mixed, ...]
    """Packages of another CUDA toolkit than that of the variants which run with them."""
    several_builds: tuple[Twice, ...]
    """Libraries of which a variant gets several builds."""
    other_systems: tuple[Elsewhere, ...]
    """Derivations for another system than the one that was asked for."""
    unplaced: tuple[Unplaced, ...]
    """With `--builders`: variants that no machine builds."""
    same: tuple[tuple[str, ...], ...]
    """Variants that are one build."""


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
        other_toolkits=found.mixed,
        several_builds=found.twice,
        other_systems=found.elsewhere,
        unplaced=found.unplaced,
        same=found.same,
    )
