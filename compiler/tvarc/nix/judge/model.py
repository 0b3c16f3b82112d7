"""The results of an evaluation of the variants of a program."""

from __future__ import annotations

from tvarc.light import Literal, dataclass
from tvarc.nix import ir
from tvarc.nix.judge.evaluate import Fetched
from tvarc.nix.judge.leaving_out import Part
from tvarc.nix.judge.not_shown import NotShown
from tvarc.nix.judge.phases import NotRun
from tvarc.nix.judge.sources import Unfit
from tvarc.text.source import Span


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of Nix in these variants, at one place of the program, in Nix's own words; or with
    `lost` the reason why they were not evaluated. `sure` says that this place is the cause, and not
    only on the way to it. `help` is the text to write instead, if that is known.
    """

    variants: tuple[str, ...]
    span: Span
    words: tuple[str, ...]
    place: str = ""
    lost: bool = False
    sure: bool = False
    help: str = ""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A setting of these variants that their derivations do not show."""

    KEYS = (("found", ""),)

    variants: tuple[str, ...]
    found: NotShown


@dataclass(frozen=True, slots=True)
class Idle:
    """An overlay or a patch whose removal leaves the derivations of these variants as they are."""

    SHOWN = ("variants", "span", "kind", "name")
    KEYS = (("span", ""), ("name", "overlay"))

    variants: tuple[str, ...]
    overlay: ir.Overlay
    others: int = 0
    """How many variants list it and have another derivation without it."""

    @property
    def span(self) -> Span:
        """The place where it is listed."""
        return self.overlay.listed.span

    @property
    def kind(self) -> Literal["overlay", "patch"]:
        return "patch" if self.overlay.patch else "overlay"

    @property
    def name(self) -> str:
        return self.overlay.name


@dataclass(frozen=True, slots=True)
class Useless:
    """A part that does nothing in any of these variants, which are all that have it: a `-=` without
    which their derivations are the same, or a setting that nothing reads."""

    KEYS = (("part", ""),)

    variants: tuple[str, ...]
    part: Part


@dataclass(frozen=True, slots=True)
class Unrun:
    """A script that no build of these variants runs, or flags that none reads."""

    KEYS = (("found", ""),)

    variants: tuple[str, ...]
    found: NotRun


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A `pname` or `version` of these variants that the names of their derivations do not
    have. That of the first is `derivation`."""

    SHOWN = ("variants", "span", "attribute", "derivation")
    KEYS = (("span", ""), ("attribute", "name"))

    variants: tuple[str, ...]
    attribute: str
    span: Span
    derivation: str


@dataclass(frozen=True, slots=True)
class Misfit:
    """A source of these variants that does not fit the package that gets it."""

    KEYS = (("found", ""),)

    variants: tuple[str, ...]
    found: Unfit


@dataclass(frozen=True, slots=True)
class Fake:
    """Sources that these variants fetch with a hash that no content has, and the place in the
    program that causes the fetch."""

    KEYS = (("span", ""), ("fetched", ""))

    variants: tuple[str, ...]
    span: Span
    fetched: Fetched


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The results of Nix for variants: the derivation of each that has one; the faults; the
    settings that do not show, do nothing, are not run or are not read; the sources with a fake
    hash; the variants that share one derivation. `systems` is the number of evaluated variants by
    system. `without` says why `nix-eval-jobs`, though installed, could not evaluate all of them.
    """

    variants: tuple[str, ...]
    derivations: dict[str, str]
    systems: tuple[tuple[str, int], ...] = ()
    faults: tuple[Fault, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    idle: tuple[Idle, ...] = ()
    useless: tuple[Useless, ...] = ()
    unrun: tuple[Unrun, ...] = ()
    fakes: tuple[Fake, ...] = ()
    unnamed: tuple[Unnamed, ...] = ()
    unfit: tuple[Misfit, ...] = ()
    same: tuple[tuple[str, ...], ...] = ()
    without: str = ""
