"""Hand-made recipes held against variants, by derivation."""

from __future__ import annotations

from tvarc.judge.derivation import Unreadable
from tvarc.judge.difference import Difference, differences
from tvarc.judge.evaluate import Derived, Outcome
from tvarc.light import dataclass


@dataclass(frozen=True, slots=True)
class Held:
    """What became of the file *path* beside the variant that it is for: `equal` derivations; in
    what they `differ`; or why one of them has none, in a line."""

    path: str
    variant: str
    equal: bool
    differ: tuple[Difference, ...] = ()
    unknown: str = ""


def held(path: str, variant: str, by_hand: Outcome | None, made: Outcome | None) -> Held:
    """The file *path* beside *variant*, by what Nix makes of each."""
    for what, outcome in (("the file", by_hand), ("the variant", made)):
        if not isinstance(outcome, Derived):
            reason = outcome.reason if outcome is not None else "it was not evaluated"
            return Held(path, variant, equal=False, unknown=f"{what}: {reason}")
    assert isinstance(by_hand, Derived) and isinstance(made, Derived)
    if by_hand.path == made.path:
        return Held(path, variant, equal=True)
    try:
        return Held(path, variant, equal=False, differ=differences(by_hand.path, made.path))
    except Unreadable as fault:
        return Held(path, variant, equal=False, unknown=f"another derivation; {fault}")
