"""The outcomes of derivations between two states of a program."""

from __future__ import annotations

from tvarc.light import dataclass
from tvarc.nix.judge.difference import Difference


class Refused(str):
    """The reason why a recipe has no derivation."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcome for each variant of both states, by its new name: `same`, `other`, or the reason
    why Nix refuses it. `differ` has the differences between derivations with the outcome `other`.
    """

    became: dict[str, str]
    differ: dict[str, tuple[Difference, ...]]

    @property
    def any_differs(self) -> bool:
        """Whether any variant does not stay the same."""
        return any(one != "same" for one in self.became.values())


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """The derivations of two variants with their differences, or the reason why there is none."""

    paths: tuple[str, str]
    differ: tuple[Difference, ...]

    @property
    def is_same(self) -> bool:
        return self.paths[0] == self.paths[1]
