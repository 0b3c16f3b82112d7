"""Variants without a derivation, for the results of `check --eval` and `realise`."""

from __future__ import annotations

from tvarc.light import dataclass
from tvarc.nix.judge.model import Evaluation
from tvarc.text.source import Span


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
