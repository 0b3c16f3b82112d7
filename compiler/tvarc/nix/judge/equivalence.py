"""Whether a recipe by hand is the derivation of a variant, and in what the two differ."""

from __future__ import annotations

from tvarc.light import Literal, dataclass
from tvarc.nix.judge.derivation import Unreadable
from tvarc.nix.judge.difference import Difference, differences
from tvarc.nix.judge.evaluate import Derived, Outcome, RefusedByNix


@dataclass(frozen=True, slots=True)
class Equivalence:
    """What became of the file *path* beside the variant that it is for: `equal` derivations; in
    what they `differ`; or why one of them has none, in a line: the one that is `without`."""

    path: str
    variant: str
    equal: bool
    differ: tuple[Difference, ...] = ()
    unknown: str = ""
    without: Literal["", "file", "variant"] = ""


def equivalence(
    path: str, variant: str, by_hand: Outcome | None, made: Outcome | None
) -> Equivalence:
    """The file *path* beside *variant*, by what Nix makes of each."""
    if not isinstance(by_hand, Derived):
        return _without("file", path, variant, by_hand)
    if not isinstance(made, Derived):
        return _without("variant", path, variant, made)
    if by_hand.path == made.path:
        return Equivalence(path, variant, equal=True)
    try:
        return Equivalence(path, variant, equal=False, differ=differences(by_hand.path, made.path))
    except Unreadable as fault:
        return Equivalence(path, variant, equal=False, unknown=f"another derivation; {fault}")


def _without(
    which: Literal["file", "variant"], path: str, variant: str, outcome: RefusedByNix | None
) -> Equivalence:
    reason = outcome.reason if outcome is not None else "it was not evaluated"
    unknown = f"the {which}: {reason}"
    return Equivalence(path, variant, equal=False, unknown=unknown, without=which)
