"""Lints on names that nothing reads because a letter is wrong: of `config`, attributes, scripts and
`meta`."""

from __future__ import annotations

from tvarc.advice.lints.cuda import Cuda
from tvarc.advice.lints.facts import Facts
from tvarc.advice.lints.model import Finding, lint
from tvarc.advice.lints.subjects import Key
from tvarc.light import Collection, Final, Iterator
from tvarc.values.row_facts import cite

# Names that nearly every recipe sets. They need no look-up in a table.
_EVERYDAY: Final = frozenset(("allowBroken", "allowUnfree", "cudaCapabilities", "cudaSupport"))


@lint(
    "W125",
    "setting-misspelt",
    "misspelt config setting",
    "nixpkgs does not read this setting",
)
def setting_misspelt(cuda: Cuda, facts: Facts) -> Iterator[Finding]:
    """A key of `config` that is nearly a key that nixpkgs reads."""
    for name, setting in cuda.config.items():
        right = _meant(name, facts.settings()) if name not in _EVERYDAY else ""
        if right:
            yield Finding(
                setting.origin.span,
                f"nothing reads `{name}`",
                f"nixpkgs reads `config.{right}`, and accepts an unknown name without an error "
                "(std.nixpkgs: CFG)",
                f"write `{right}`",
            )


@lint(
    "W126",
    "attribute-misspelt",
    "misspelt attribute",
    "no builder reads this attribute",
)
def attribute_misspelt(keys: tuple[Key, ...], facts: Facts) -> Iterator[Finding]:
    """An attribute or a script that is nearly one that builds read, or an entry of `meta` that is
    nearly one that nixpkgs knows."""
    for key in keys:
        if key.meta:
            yield from _meta_misspelt(key, facts)
            continue
        right = _meant_by(key.name, facts)
        if not right:
            continue
        source = cite(facts.read_by_builds()[right])
        if key.script:
            yield Finding(
                key.span,
                f"nothing runs `{key.name}`",
                f"builds run `{right}`; any other script is a variable that nothing reads "
                + source,
                f"write `script {right}`",
                what="no build runs this script",
                by_hand=f"write `{right}`",
            )
        else:
            yield Finding(
                key.span,
                f"`{key.name}` is a separate variable",
                f"builds read `{right}`; any other attribute is a variable that nothing reads "
                + source,
                f"write `{right}`, or put a variable of your own into `env {{ }}`",
                by_hand=f"write `{right}`, or for a variable of your own `env.{key.name} = …;`",
            )


def _meta_misspelt(key: Key, facts: Facts) -> Iterator[Finding]:
    right = _meant(key.name, facts.meta())
    if right and _is_slip(key.name, right):
        yield Finding(
            key.span,
            f"nothing reads `{key.name}`",
            f"nixpkgs knows `meta.{right}`, and accepts an unknown name without an error "
            "(std.nixpkgs: META)",
            f"write `{right}`",
            what="nixpkgs does not know this name in `meta`",
            by_hand=f"write `{right}`",
        )


def _meant_by(name: str, facts: Facts) -> str:
    """The attribute that *name* was probably meant to be; empty if *name* is an attribute, or may
    be right.
    """
    if name in facts.attributes():
        return ""
    right = _meant(name, facts.read_by_builds())
    return right if right and _is_slip(name, right) and not _is_another(name, right) else ""


def _meant(name: str, known: Collection[str]) -> str:
    """The name in *known* that *name* was probably meant to be; empty if *name* is in *known*, or
    is like none of them."""
    if not known or name in known:
        return ""
    from tvarc.text.diagnostics.suggest import nearest

    return nearest(name, known) or ""


def _is_slip(name: str, right: str) -> bool:
    """Whether *name* is *right* except for one letter that is wrong, missing, added or swapped with
    its neighbour. There are many attributes, so a name that differs more may well be another one.
    """
    small, other = name.lower(), right.lower()
    if small == other:
        return True
    if len(small) > len(other):
        small, other = other, small
    at = next((i for i, (a, b) in enumerate(zip(small, other, strict=False)) if a != b), len(small))
    if len(small) < len(other):
        return small[at:] == other[at + 1 :]
    if small[at + 1 :] == other[at + 1 :]:
        return True
    swapped = small[at + 1 : at + 2] + small[at : at + 1] + small[at + 2 :]
    return swapped == other[at:]


def _is_another(name: str, right: str) -> bool:
    """Whether *name*, one letter off *right*, is likely another word: one that begins differently
    (`qmakeFlags` and `cmakeFlags`, `pversion` and `version`), a plain word that ends differently
    (`versions`), an abbreviation (`wcfPath` and `wafPath`), or the one phase of a list of phases
    (`preBuildPhase`)."""
    if name[0] != right[0] or (name.endswith("Phase") and right == f"{name}s"):
        return True
    small, other = name.lower(), right.lower()
    if small == other:
        return right.islower()
    if sorted(small) == sorted(other):  # two letters are swapped
        return False
    at = next((i for i, (a, b) in enumerate(zip(small, other, strict=False)) if a != b), None)
    if at is None:
        at = min(len(small), len(other))
    if (name.islower() or right.islower()) and small[-1] != other[-1]:
        return True
    begin = max((i for i in range(min(at + 1, len(right))) if right[i].isupper()), default=0)
    end = next((i for i in range(begin + 1, len(right)) if right[i].isupper()), len(right))
    return at == begin or end - begin < _ABBREVIATION


# A part of a name with fewer letters is an abbreviation: with another letter it is another one.
_ABBREVIATION: Final = 4
