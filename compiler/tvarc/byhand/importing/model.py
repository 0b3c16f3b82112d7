"""What a recipe says, whatever its spelling: the noun that is aligned, and that proof compares."""

from __future__ import annotations

from tvarc.byhand.importing.comments import NONE, Comments
from tvarc.byhand.importing.shapes import Shape
from tvarc.light import Final, dataclass, field
from tvarc.nix.language.reader import NixParser
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
    caller has to give it, and those among them that are other recipes. A setting that is a changed
    package of nixpkgs is a recipe *beneath* it, by the path of the setting."""

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
    beneath: tuple[tuple[str, Recipe], ...] = ()

    @property
    def text(self) -> str:
        """The text of its file; empty for a recipe without places."""
        return self.original.text if self.original is not None else ""


def line_at(text: str, offset: int) -> int:
    """The line of *text*, from 1 on, on which *offset* is."""
    return 1 + text.count("\n", 0, offset)


@dataclass(slots=True, eq=False)
class Original:
    """The *text* of a recipe, as somebody wrote it, and the expression *written* there. Where its
    parts stand is worked out when somebody asks: few do, and it takes as long as to read what it
    says."""

    parser: NixParser
    text: str
    written: NixExpr
    _root: NixExpr | None = field(default=None)

    def root(self) -> NixExpr:
        """The expression with its places, counted in code points."""
        if self._root is None:
            self._root = self.parser.parse(self.text)
        return self._root


@dataclass(frozen=True, slots=True)
class Family:
    """Recipes whose names have one shape, in the order of its cells, and their files; where they
    are a part of those of a shape, that shape as a *whole*, and a name for the *part*."""

    shape: Shape
    recipes: tuple[Recipe, ...]
    files: tuple[str, ...]
    part: str = ""
    whole: Shape | None = None
