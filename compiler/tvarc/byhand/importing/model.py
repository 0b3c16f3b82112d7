"""What a recipe says, whatever its spelling: the noun that is aligned, and that proof compares."""

from __future__ import annotations

from tvarc.byhand.importing.comments import NONE, Comments
from tvarc.byhand.importing.places import Original
from tvarc.light import Final, dataclass
from tvarc.nix.language.syntax import NixExpr

PROSE: Final = ("meta.description", "meta.longDescription")
"""The settings that are texts for people."""


@dataclass(frozen=True, slots=True)
class Pin:
    """The tarball of a nixpkgs, as it is fetched."""

    url: str
    hash: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """A change of nixpkgs. With a *value*, `set.name` is set to it, in no set where `set` is empty;
    without one the package of that name is changed by *changes*, settings by path. `via` is how a
    set was changed, where that matters. From the version of a package *until* on, both by their
    names, it is superfluous."""

    set: str
    name: str
    via: str
    value: NixExpr | None
    changes: tuple[tuple[str, NixExpr], ...]
    until: tuple[str, str] | None = None

    def parts(self) -> list[NixExpr]:
        """All that it says."""
        value = [self.value] if self.value is not None else []
        return [*value, *[one for _, one in self.changes]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe: its nixpkgs, None for that of the caller, what is built, overlays, settings by path
    such as `args.cudaSupport`, and what somebody wrote; names that it binds and nothing
    reads, its comments, the files that it imports, those that it names, by their paths from the
    program, and of these the functions that it gives arguments; the names of arguments that its
    caller has to give it, and those among them that are other recipes."""

    pin: Pin | None
    package: NixExpr
    overlays: tuple[Overlay, ...]
    settings: dict[str, NixExpr]
    original: Original | None = None
    unused: tuple[str, ...] = ()
    comments: Comments = NONE
    imports: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    filled: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    handed: tuple[str, ...] = ()
