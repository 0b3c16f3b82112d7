"""Lints on names that nothing reads because a letter is wrong: of `config`, of attributes."""

from __future__ import annotations

from tvarc.light import Collection, Final, Iterator
from tvarc.lints.facts import Facts
from tvarc.lints.model import Finding
from tvarc.lints.subjects import Subjects

# What nearly every recipe sets: no table has to be asked.
_EVERYDAY: Final = frozenset(("allowBroken", "allowUnfree", "cudaCapabilities", "cudaSupport"))


def setting_misspelt(subjects: Subjects, facts: Facts) -> Iterator[Finding]:
    """A key of `config` that nixpkgs does not read, and that is nearly one which it does."""
    for name, setting in subjects.cuda.config.items():
        right = _meant(name, facts.settings()) if name not in _EVERYDAY else ""
        if right:
            yield Finding(
                setting.origin.span,
                f"`{name}` is read by nothing",
                f"nixpkgs reads `{right}` of its config, and takes any other name without a word "
                "(std.nixpkgs: CFG)",
                f"write `{right}`",
            )


def attribute_misspelt(subjects: Subjects, facts: Facts) -> Iterator[Finding]:
    """An attribute that is nearly one that the builder reads: as it is, it is a variable."""
    for key in subjects.keys:
        right = _meant(key.name, facts.attributes())
        if right and _is_slip(key.name, right):
            yield Finding(
                key.span,
                f"`{key.name}` is a variable of its own",
                f"builders read `{right}`; any other attribute is a variable that nothing asks "
                "for (std.nixpkgs: MANUAL)",
                f"write `{right}`, or give a variable to `env {{ }}`",
                by_hand=f"write `{right}`, or give a variable to `env`: `env.{key.name} = …;`",
            )


def _meant(name: str, known: Collection[str]) -> str:
    """The one of *known* that *name* was meant to be; empty where it is one, or like none."""
    if not known or name in known:
        return ""
    from tvarc.diagnostics.suggest import nearest

    return nearest(name, known) or ""


def _is_slip(name: str, right: str) -> bool:
    """Whether *name* is *right* but for one letter that is wrong, lacking, too many or swapped with
    its neighbour: of attributes there are many, and what is further off may well be another."""
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
