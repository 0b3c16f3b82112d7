"""Hashes of dependencies that a program sets without effect. A package may have fetched already,
with the hash that it had before the program changed it."""

from __future__ import annotations

from tvarc.light import Final, Iterator, dataclass, replace
from tvarc.nix import ir
from tvarc.nix.judge.evaluate import Derived
from tvarc.nix.judge.leaving_out import Part, changes_of
from tvarc.values.value import show

_NAMES: Final = frozenset(
    ["cargoHash", "cargoSha256", "modSha256", "mvnHash", "npmDepsHash", "vendorHash",
     "vendorSha256"]
)  # fmt: skip
"""Names of hashes that only functions that build packages accept."""
_ANOTHER: Final = f"sha256-{'B' * 42}A="


@dataclass(frozen=True, slots=True)
class StatedHash:
    """A hash that is `part` of a recipe or of an overlay. `path` is that of the package; it is
    empty for the recipe's own package."""

    part: Part
    path: ir.Path


def hashes_of(recipe: ir.Recipe) -> Iterator[StatedHash]:
    """The hashes that *recipe* sets: in its own package, and in packages that its overlays change.
    """
    for changes, path, within in changes_of(recipe):
        for one in changes.attrs:
            if one.key in _NAMES and len(one.path) == 2 and not _is_handed_on(one, changes):
                part = Part("hash", one.key, one.origin.span, one.path, within=within)
                yield StatedHash(part, path)


def with_another(recipe: ir.Recipe, stated: StatedHash) -> ir.Recipe:
    """*recipe* with another hash in place of *stated*."""
    if not stated.path:
        return replace(recipe, changes=_changed(recipe.changes, stated.part))
    overlays = [
        replace(one, changes=_changed(one.changes, stated.part))
        if one.declared == stated.part.within
        else one
        for one in recipe.overlays
    ]
    return replace(recipe, frame=replace(recipe.frame, overlays=tuple(overlays)))


def is_read(stated: StatedHash, before: Derived, after: Derived) -> bool:
    """Whether a derivation reads a hash, which was changed between *before* and *after*: something
    besides the attribute itself differs then. For example, the path of a fetched file contains its
    hash."""
    name = stated.part.name
    if "outputHash" in before.attributes:
        return True
    return any(
        before.attributes.get(key) != after.attributes.get(key)
        for key in before.attributes.keys() | after.attributes.keys()
        if key != name
    )


def _is_handed_on(hash: ir.Setting, changes: ir.Changes) -> bool:
    """Whether *changes* also use the *hash* in another place, such as a fetcher."""
    text = hash.value if isinstance(hash.value, str) else ""
    others = [one.value for one in changes.built() if one != hash]
    parts = [part.text for script in changes.scripts for part in script.parts if part.text]
    return not text or any(text in show(value) for value in (*others, *parts))


def _changed(changes: ir.Changes, part: Part) -> ir.Changes:
    changed = [
        replace(one, value=_ANOTHER) if one.path == part.path else one for one in changes.settings
    ]
    return ir.Changes.to(changed, changes.unset)
