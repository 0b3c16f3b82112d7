"""Whether a source that a program gives to a package fits the package's own scripts and settings
for its source.
"""

from __future__ import annotations

import re

from tvarc.light import Final, Iterator, dataclass
from tvarc.nix import ir
from tvarc.nix.judge.derivation import name_of
from tvarc.nix.judge.evaluate import Derived
from tvarc.nix.nixpkgs import REPOSITORY, folder_of_root
from tvarc.text.source import Span
from tvarc.values.value import NixRef

READ: Final = ("src", "sourceRoot", "setSourceRoot", "postUnpack")
"""The attributes that decide it."""
_ARCHIVE: Final = re.compile(r"\.(?:tar(?:\.\w+)?|tgz|tbz2?|txz|zip|crate|gem|whl)$")
_IN_REPOSITORY: Final = re.compile(rf"(?<![\w./-]){REPOSITORY}/")


@dataclass(frozen=True, slots=True)
class Replaced:
    """A `src` of a program at `span`, for the package at `path`, which is empty for that of the
    recipe. `own` are the names of `READ` that the program sets as well."""

    path: ir.Path
    span: Span
    own: frozenset[str]
    declared: Span | None = None


@dataclass(frozen=True, slots=True)
class Unfit:
    """A `src` that does not have the folder that the package's own `attribute` is about."""

    SHOWN = ("span", "source", "attribute")
    KEYS = (("span", ""),)

    span: Span
    attribute: str
    text: str
    source: str


def replaced_by(recipe: ir.Recipe) -> Iterator[Replaced]:
    """The sources that *recipe* replaces: that of its package, and those of overlays for one."""
    yield from _replaced(recipe.changes, (), None)
    for overlay in recipe.overlays:
        if overlay.relation == "for":
            yield from _replaced(overlay.changes, overlay.target, overlay.declared)


def of_package(recipe: ir.Recipe, path: ir.Path) -> ir.Recipe:
    """The package at *path* of the nixpkgs of *recipe*, as its overlays make it."""
    package = ir.Setting(recipe.package.path, NixRef("pkgs", path), recipe.package.origin)
    old = recipe.frame
    frame = ir.Frame(package, config=old.config, pin=old.pin, overlays=old.overlays)
    return ir.Recipe(
        recipe.variant, recipe.matrix, recipe.matrix_span, recipe.recipes, recipe.axes, frame,
        ir.Changes(), (), recipe.files, needs=recipe.needs,
    )  # fmt: skip


def unfit(one: Replaced, derived: Derived) -> Unfit | None:
    """The setting of the package that does not fit its new source; None if no misfit is known."""
    found = derived.attributes
    source = name_of(found.get("src", ""))
    if not source:
        return None
    archive = _ARCHIVE.search(source)
    root = found.get("sourceRoot", "")
    first = folder_of_root(root)
    # An archive unpacks to a folder that its makers named, a repository to one that nixpkgs names.
    another = first == REPOSITORY if archive else first != source
    if first and another and "sourceRoot" not in one.own:
        return Unfit(one.span, "sourceRoot", root, source)
    for name in ("setSourceRoot", "postUnpack"):
        text = found.get(name, "")
        if archive and name not in one.own and _IN_REPOSITORY.search(text):
            return Unfit(one.span, name, text.strip(), source)
    return None


def _replaced(
    changes: ir.Changes, path: ir.Path, declared: Span | None
) -> Iterator[Replaced]:
    own = {setting.key for setting in (*changes.attrs, *changes.scripts)}
    for setting in changes.attrs:
        if setting.key == "src" and len(setting.path) == 2:
            yield Replaced(path, setting.origin.span, frozenset(own & set(READ)), declared)
