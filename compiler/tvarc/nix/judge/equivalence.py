"""Whether a hand-written recipe has the same derivation as a variant, and how they differ."""

from __future__ import annotations

from tvarc.light import Literal, dataclass
from tvarc.nix.judge.derivation import Unreadable
from tvarc.nix.judge.difference import Difference, differences
from tvarc.nix.judge.evaluate import Derived, Outcome, RefusedByNix


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The result for the file *path* and its variant: their derivations are `equal`, or they
    `differ`. If one of them has no derivation, `unknown` has the reason in one line, and `without`
    says which one it is. `callers` says from where in nixpkgs both were called. A difference is for
    the last of these callers."""

    SHOWN = ("path", "variant", "equal", "differ", "unknown", "callers")
    KEYS = (("path", "file"), ("differ", "differing"))
    NULLS = ("unknown",)

    path: str
    variant: str
    equal: bool
    differ: tuple[Difference, ...] = ()
    unknown: str = ""
    without: Literal["", "file", "variant"] = ""
    callers: tuple[str, ...] = ()


def equivalence(
    path: str, variant: str, by_hand: Outcome | None, made: Outcome | None
) -> Equivalence:
    """Compare the file *path* with *variant*, by their derivations."""
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
