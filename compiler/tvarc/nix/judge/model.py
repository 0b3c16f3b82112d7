"""The results of evaluating the variants of a program."""

from __future__ import annotations

from tvarc.light import Iterable, Iterator, Literal, TypeVar, dataclass, replace
from tvarc.nix import ir
from tvarc.nix.judge.evaluate import Fetched
from tvarc.nix.judge.graph import Copy
from tvarc.nix.judge.leaving_out import Part
from tvarc.nix.judge.not_shown import NotShown
from tvarc.nix.judge.phases import NotRun
from tvarc.nix.judge.sources import Unfit
from tvarc.text.source import Span


@dataclass(frozen=True, slots=True)
class Fault:
    """An error of Nix in these variants, at one place of the program, in the words of Nix. If
    `lost`, the words are the reason why the variants were not evaluated. `sure` says that this
    place is the cause; otherwise Nix only passed it on the way to the error. `help` is the text to
    write instead, if that is known."""

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
    """An overlay or a patch that these variants do not need: without it, their derivations are the
    same."""

    SHOWN = ("variants", "span", "kind", "name")
    KEYS = (("span", ""), ("name", "overlay"))

    variants: tuple[str, ...]
    overlay: ir.Overlay
    others: int = 0
    """How many variants list it and would have another derivation without it."""

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
    """A part that has no effect in these variants, and no other variant has it. It is a `-=`
    without which their derivations are the same, or a setting that nothing reads."""

    KEYS = (("part", ""),)

    variants: tuple[str, ...]
    part: Part


@dataclass(frozen=True, slots=True)
class Unrun:
    """A script that no build of these variants runs, or flags that no build reads."""

    KEYS = (("found", ""),)

    variants: tuple[str, ...]
    found: NotRun


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A `pname` or `version` of these variants that is missing from the names of their derivations;
    or a `name` with another version than `version`. `derivation` is the name of the first of these
    derivations."""

    SHOWN = ("variants", "span", "attribute", "derivation", "version")
    KEYS = (("span", ""), ("attribute", "name"))
    NULLS = ("version",)

    variants: tuple[str, ...]
    attribute: str
    span: Span
    derivation: str
    version: str = ""


@dataclass(frozen=True, slots=True)
class Misfit:
    """A source of these variants that does not fit the package it is given to."""

    KEYS = (("found", ""),)

    variants: tuple[str, ...]
    found: Unfit


@dataclass(frozen=True, slots=True)
class Fake:
    """Sources that these variants fetch with a hash that no content has. The place is the one in
    the program that causes the fetch."""

    KEYS = (("span", ""), ("fetched", ""))

    variants: tuple[str, ...]
    span: Span
    fetched: Fetched


@dataclass(frozen=True, slots=True)
class Twice:
    """A library of which these variants get several builds. The paths are those of the first
    variant. `others` are further libraries that they get several times."""

    KEYS = (("span", ""),)

    variants: tuple[str, ...]
    span: Span
    library: str
    copies: tuple[Copy, ...]
    others: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mixed:
    """Variants for the toolkit `wanted` that get packages of another one. The first of these has
    the path of the first variant."""

    KEYS = (("span", ""), ("first", ""))

    variants: tuple[str, ...]
    span: Span
    wanted: str
    first: Copy
    others: int = 0
    """How many more packages of that toolkit they get."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Variants whose derivations are not built on the system that they were evaluated for."""

    KEYS = (("span", ""),)

    variants: tuple[str, ...]
    span: Span
    wanted: str
    system: str


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Variants that no machine builds, as the setting at *span* demands: they are for this system,
    and ask for these features; or a derivation that they depend on does, *through*.
    """

    KEYS = (("span", ""),)

    variants: tuple[str, ...]
    system: str
    features: tuple[str, ...]
    span: Span
    through: str = ""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What Nix found for the variants. It has the derivation of each variant that has one, and the
    faults. It has the settings that do not show, have no effect, are not run or are not read. It
    has the sources with a fake hash, what does not fit together in the graph, and the variants that
    share one result. `systems` is the number of evaluated variants for each system. `without` is
    the reason why `nix-eval-jobs`, though installed, could not evaluate all variants."""

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
    twice: tuple[Twice, ...] = ()
    mixed: tuple[Mixed, ...] = ()
    elsewhere: tuple[Elsewhere, ...] = ()
    unplaced: tuple[Unplaced, ...] = ()
    same: tuple[tuple[str, ...], ...] = ()
    without: str = ""


T = TypeVar("T", bound="Elsewhere | Fault | Hidden | Mixed | Twice | Unnamed")


def joined(found: Iterable[tuple[object, T]]) -> Iterator[T]:
    """*found*, where those with an equal key are one, for the variants of all of them."""
    by_key: dict[object, T] = {}
    for key, one in found:
        first = by_key.get(key)
        names = (*first.variants, *one.variants) if first is not None else one.variants
        by_key[key] = replace(first or one, variants=names)
    return iter(by_key.values())
