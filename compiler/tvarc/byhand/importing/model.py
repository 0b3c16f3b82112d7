"""The content of a recipe, independent of its spelling. Recipes are aligned and compared in this
form."""

from __future__ import annotations

from tvarc.byhand.importing.comments import NONE, Comments
from tvarc.byhand.importing.shapes import Shape
from tvarc.light import Final, dataclass, field
from tvarc.nix.language.reader import NixParser
from tvarc.nix.language.syntax import NixExpr

PROSE: Final = ("meta.description", "meta.longDescription")
"""The settings that are descriptions."""


@dataclass(frozen=True, slots=True)
class Pin:
    """The fetched tarball of a nixpkgs."""

    url: str
    hash: str


@dataclass(frozen=True, slots=True)
class Overlay:
    """A change of nixpkgs. With a `value`, it sets `set.name` to it, or `name` at the top level if
    `set` is empty. Without one, it changes the package of that name by `changes`, settings by path.
    `via` is the form of the change of a set, if it matters. `until` has a package and a version,
    both by name: from this version on the overlay is superfluous."""

    set: str
    name: str
    via: str
    value: NixExpr | None
    changes: tuple[tuple[str, NixExpr], ...]
    until: tuple[str, str] | None = None

    def parts(self) -> list[NixExpr]:
        """All parts of it."""
        value = [self.value] if self.value is not None else []
        return [*value, *[one for _, one in self.changes]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe: its nixpkgs (None for that of the caller), its package, overlays, settings by path
    such as `args.cudaSupport`, and its original text. Also: names that it binds and nothing reads,
    its comments, the files that it imports, the files that it names, by their paths from the
    program, and those of them that are functions with given arguments; the names of the arguments
    that its caller must pass, and those that are other recipes. A setting that is a changed package
    of nixpkgs is a recipe in `beneath`, by the path of the setting."""

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
    """The line of `text`, counted from 1, with *offset*."""
    return 1 + text.count("\n", 0, offset)


@dataclass(slots=True, eq=False)
class Original:
    """The original `text` of a recipe, and its expression `written`. The places of its parts are
    computed on demand, because few callers need them, and this takes as long as parsing."""

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
    """Recipes whose names have one shape, in the order of its cells, and their files. If they are
    only a part of the recipes of a shape, `whole` is that shape, and `part` a name for the part."""

    shape: Shape
    recipes: tuple[Recipe, ...]
    files: tuple[str, ...]
    part: str = ""
    whole: Shape | None = None
