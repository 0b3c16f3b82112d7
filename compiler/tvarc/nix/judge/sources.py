"""Whether a source that a program gives to a package fits the package's own scripts, and the
settings that the package has for its source."""

from __future__ import annotations

import re

from tvarc.light import Final, Iterator, dataclass
from tvarc.nix import ir
from tvarc.nix.judge.derivation import name_of
from tvarc.nix.judge.evaluate import Derived
from tvarc.nix.judge.leaving_out import changes_of
from tvarc.nix.nixpkgs import REPOSITORY, folder_of_root
from tvarc.text.source import Span
from tvarc.values.value import NixRef

READ: Final = ("src", "sourceRoot", "setSourceRoot", "postUnpack")
"""The attributes that decide whether a source fits."""
_ARCHIVE: Final = re.compile(r"\.(?:tar(?:\.\w+)?|tgz|tbz2?|txz|zip|crate|gem|whl)$")
_VERSION: Final = re.compile(r"\d+(?:\.\d+)+")
_IN_REPOSITORY: Final = re.compile(rf"(?<![\w./-]){REPOSITORY}/")


@dataclass(frozen=True, slots=True)
class Replaced:
    """A `src` that the program sets at `span`, for the package at `path`. The path is empty for the
    recipe's own package. `own` are the names of `READ` that the program sets as well."""

    path: ir.Path
    span: Span
    own: frozenset[str]
    declared: Span | None = None


@dataclass(frozen=True, slots=True)
class Unfit:
    """A `src` without the folder that `attribute` of the package refers to."""

    SHOWN = ("span", "source", "attribute")
    KEYS = (("span", ""),)

    span: Span
    attribute: str
    text: str
    source: str


def replaced_by(recipe: ir.Recipe) -> Iterator[Replaced]:
    """The sources that *recipe* replaces: that of its own package, and those that an overlay
    replaces for one package."""
    for changes, path, declared in changes_of(recipe):
        own = {setting.key for setting in (*changes.attrs, *changes.scripts)}
        for setting in changes.attrs:
            if setting.key == "src" and len(setting.path) == 2:
                yield Replaced(path, setting.origin.span, frozenset(own & set(READ)), declared)


def of_package(recipe: ir.Recipe, path: ir.Path) -> ir.Recipe:
    """The package at *path* in the nixpkgs of *recipe*, as the overlays of the recipe make it."""
    package = ir.Setting(recipe.package.path, NixRef("pkgs", path), recipe.package.origin)
    old = recipe.frame
    frame = ir.Frame(package, config=old.config, pin=old.pin, overlays=old.overlays)
    return ir.Recipe(
        recipe.variant, recipe.matrix, recipe.matrix_span, recipe.recipes, recipe.axes, frame,
        ir.Changes(), (), recipe.files, needs=recipe.needs,
    )  # fmt: skip


def unfit(one: Replaced, derived: Derived) -> Unfit | None:
    """The setting of the package that does not fit its new source; None if every setting seems to
    fit."""
    found = derived.attributes
    source = name_of(found.get("src", ""))
    if not source:
        return None
    archive = _ARCHIVE.search(source)
    root = found.get("sourceRoot", "")
    first = folder_of_root(root)
    # An archive unpacks to a folder named by its makers, and a repository to one named by nixpkgs.
    if archive:
        another = first == REPOSITORY or _are_versions_apart(first, source)
    else:
        another = first != source
    if first and another and "sourceRoot" not in one.own:
        return Unfit(one.span, "sourceRoot", root, source)
    for name in ("setSourceRoot", "postUnpack"):
        text = found.get(name, "")
        if archive and name not in one.own and _IN_REPOSITORY.search(text):
            return Unfit(one.span, name, text.strip(), source)
    return None


def _are_versions_apart(folder: str, archive: str) -> bool:
    """Whether the names *folder* and *archive* have different versions: `a-1.0` and `b-2.0.zip`. A
    version may be the beginning of the other: `a-1.0` may be in `a-1.0.2.zip`."""
    found = [_VERSION.search(name) for name in (folder, archive)]
    one, other = [f"{version[0]}." if version else "" for version in found]
    return not (one.startswith(other) or other.startswith(one))
