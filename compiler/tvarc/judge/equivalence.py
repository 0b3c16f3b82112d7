"""Whether a recipe by hand is the derivation of a variant, and in what the two differ."""

from __future__ import annotations

from tvarc.judge.derivation import Unreadable
from tvarc.judge.difference import Difference, differences
from tvarc.judge.evaluate import Derived, Outcome
from tvarc.light import dataclass


@dataclass(frozen=True, slots=True)
class Equivalence:
    """What became of the file *path* beside the variant that it is for: `equal` derivations; in
    what they `differ`; or why one of them has none, in a line."""

    path: str
    variant: str
    equal: bool
    differ: tuple[Difference, ...] = ()
    unknown: str = ""


def equivalence(
    path: str, variant: str, by_hand: Outcome | None, made: Outcome | None
) -> Equivalence:
    """The file *path* beside *variant*, by what Nix makes of each."""
    for what, outcome in (("the file", by_hand), ("the variant", made)):
        if not isinstance(outcome, Derived):
            reason = outcome.reason if outcome is not None else "it was not evaluated"
            return Equivalence(path, variant, equal=False, unknown=f"{what}: {reason}")
    assert isinstance(by_hand, Derived) and isinstance(made, Derived)
    if by_hand.path == made.path:
        return Equivalence(path, variant, equal=True)
    try:
        return Equivalence(path, variant, equal=False, differ=differences(by_hand.path, made.path))
    except Unreadable as fault:
        return Equivalence(path, variant, equal=False, unknown=f"another derivation; {fault}")
