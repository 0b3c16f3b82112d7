"""What Nix made of the variants of a program."""

from __future__ import annotations

from tvarc import ir
from tvarc.judge.not_shown import NotShown
from tvarc.light import dataclass
from tvarc.source import Span


@dataclass(frozen=True, slots=True)
class Fault:
    """What Nix refuses in these variants, at one place of the program, in its own words; or with
    `lost` why they were not evaluated."""

    variants: tuple[str, ...]
    span: Span
    words: tuple[str, ...]
    place: str = ""
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Hidden:
    """A setting of these variants that their derivations do not show."""

    variants: tuple[str, ...]
    found: NotShown


@dataclass(frozen=True, slots=True)
class Idle:
    """An overlay without which these variants have the derivations that they have; so many of the
    `others` that list it have another one."""

    variants: tuple[str, ...]
    overlay: ir.Overlay
    others: int = 0


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What Nix made of variants: the derivation of each that has one; what is wrong; what does not
    show; which are one derivation. `systems` says how many of them were evaluated for which.
    `without` says why `nix-eval-jobs`, which is here, could not be asked for all of them."""

    variants: tuple[str, ...]
    derivations: dict[str, str]
    systems: tuple[tuple[str, int], ...] = ()
    faults: tuple[Fault, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    idle: tuple[Idle, ...] = ()
    same: tuple[tuple[str, ...], ...] = ()
    without: str = ""
