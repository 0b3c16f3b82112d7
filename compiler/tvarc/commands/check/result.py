"""The result of `check --eval` for a program."""

from __future__ import annotations

from tvarc.commands.evaluation.result import Underived, underived
from tvarc.light import Literal, Mapping, dataclass
from tvarc.nix.judge.leaving_out import Kind as PartKind
from tvarc.nix.judge.model import Evaluation
from tvarc.nix.judge.not_shown import NotShownKind
from tvarc.nix.judge.phases import Kind as RunKind
from tvarc.text.source import SourceMap, Span
from tvarc.values.plain import Ordinal, Place, place_of


@dataclass(frozen=True, slots=True)
class Derivation:
    """A variant and its derivation."""

    name: str
    derivation: str | None
    """Its path; null where there is none."""


@dataclass(frozen=True, slots=True)
class NotShown:
    """A setting that derivations do not have."""

    KEYS = (("place", ""),)

    variants: tuple[str, ...]
    place: Place
    kind: NotShownKind
    name: str
    value: bool
    """Whether they have it with another value."""


@dataclass(frozen=True, slots=True)
class Idle:
    """An overlay or a patch without which the derivations are the same."""

    KEYS = (("place", ""),)

    variants: tuple[str, ...]
    place: Place
    kind: Literal["overlay", "patch"]
    overlay: str


@dataclass(frozen=True, slots=True)
class WithoutEffect:
    """A setting without effect."""

    KEYS = (("place", ""),)

    variants: tuple[str, ...]
    place: Place
    kind: PartKind
    name: str


@dataclass(frozen=True, slots=True)
class NotRun:
    """A script that no build runs, or flags that no tool reads."""

    KEYS = (("place", ""),)

    variants: tuple[str, ...]
    place: Place
    kind: RunKind
    name: str
    because: str


@dataclass(frozen=True, slots=True)
class NotInName:
    """A `pname` or `version` that the name of the derivation does not have."""

    KEYS = (("place", ""),)

    variants: tuple[str, ...]
    place: Place
    name: str
    derivation: str
    """The name of the derivation of the first variant."""


@dataclass(frozen=True, slots=True)
class UnfitSource:
    """A `src`, and the attribute of the package that does not fit it."""

    KEYS = (("place", ""),)

    variants: tuple[str, ...]
    place: Place
    source: str
    attribute: str


@dataclass(frozen=True, slots=True)
class FakeHash:
    """A source that is fetched with a hash that no content has."""

    KEYS = (("place", ""),)

    variants: tuple[str, ...]
    place: Place
    name: str
    hash: str
    url: str
    """Empty where the derivation names none."""


@dataclass(frozen=True, slots=True)
class Result:
    """The results of Nix for the variants of a program."""

    KEYS = (("underived", ""),)

    variants: tuple[Derivation, ...]
    systems: Mapping[str, Ordinal]
    """How many variants were evaluated for which."""
    underived: Underived
    not_shown: tuple[NotShown, ...]
    """What the derivations do not have."""
    idle: tuple[Idle, ...]
    """Overlays and patches without which the derivations are the same."""
    without_effect: tuple[WithoutEffect, ...]
    """Settings that have no effect in any variant that has them: a `-=` that removes nothing, or a
    value that nothing reads."""
    not_run: tuple[NotRun, ...]
    """Scripts that no build runs, and flags that no tool reads."""
    not_in_name: tuple[NotInName, ...]
    """A `pname` or `version` that the name of the derivation does not have."""
    unfit_sources: tuple[UnfitSource, ...]
    """A `src` that does not fit what the package does with its own."""
    fake_hashes: tuple[FakeHash, ...]
    """Sources that are fetched with a hash that no content has."""
    same: tuple[tuple[str, ...], ...]
    """Variants that are one derivation."""


def result_of(found: Evaluation, sources: SourceMap) -> Result:
    """The output of `--json`."""

    def at(span: Span) -> Place:
        return place_of(span, sources)

    return Result(
        variants=tuple([Derivation(one, found.derivations.get(one)) for one in found.variants]),
        systems=dict(found.systems),
        underived=underived(found, sources),
        not_shown=tuple(
            [
                NotShown(
                    one.variants,
                    at(one.found.span),
                    one.found.kind,
                    one.found.name,
                    one.found.value,
                )
                for one in found.hidden
            ]
        ),
        idle=tuple(
            [
                Idle(
                    one.variants,
                    at(one.overlay.listed.span),
                    "patch" if one.overlay.patch else "overlay",
                    one.overlay.name,
                )
                for one in found.idle
            ]
        ),
        without_effect=tuple(
            [
                WithoutEffect(one.variants, at(one.part.span), one.part.kind, one.part.name)
                for one in found.useless
            ]
        ),
        not_run=tuple(
            [
                NotRun(
                    one.variants, at(one.found.span), one.found.kind, one.found.name, one.found.why
                )
                for one in found.unrun
            ]
        ),
        not_in_name=tuple(
            [
                NotInName(one.variants, at(one.span), one.attribute, one.derivation)
                for one in found.unnamed
            ]
        ),
        unfit_sources=tuple(
            [
                UnfitSource(one.variants, at(one.found.span), one.found.source, one.found.attribute)
                for one in found.unfit
            ]
        ),
        fake_hashes=tuple(
            [
                FakeHash(
                    one.variants, at(one.span), one.fetched.name, one.fetched.hash, one.fetched.url
                )
                for one in found.fakes
            ]
        ),
        same=found.same,
    )
