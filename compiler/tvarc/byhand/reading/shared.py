"""Parts that recipes copy from each other, letter for letter. Each is reduced once for all
recipes."""

from __future__ import annotations

from tvarc.byhand.reading.marks import PRIVATE
from tvarc.byhand.reading.scopes import Bound, Scope
from tvarc.light import Callable, Final, TypeVar, cast, dataclass, field
from tvarc.nix.language.reader import MAX_BYTES, NixParser, NotNix
from tvarc.nix.language.syntax import (
    NixBinding,
    NixExpr,
    NixFloat,
    NixIdent,
    NixInt,
    NixLambda,
    NixOther,
    NixPath,
    NixSearchPath,
    NixSelect,
    NixString,
    NixWith,
    extent_of,
    names_in,
    walk,
)

_BY_ITSELF: Final = (NixPath, NixSearchPath, NixWith, NixOther)
"""Kinds of nodes whose meaning depends on their place."""

_FIRST: Final = MAX_BYTES + 1
"""The first place of followed files, after the places of any recipe."""

_MOST_ALONE: Final = 32
_PLAIN: Final = (NixIdent, NixInt, NixFloat, NixLambda)
"""Kinds of parts that need no steps to reduce."""

Key = tuple[int, tuple[object, ...]]
"""The identity of a part, and the other data on which its reduced value depends."""
N = TypeVar("N", bound=NixExpr)
T = TypeVar("T")
Bindings = tuple[tuple[str, Bound], ...]
Reduced = tuple[NixExpr, int, Bindings, "tuple[Imported, ...]"]
"""The result of reducing a part: a node, the number of its parts, the names that are bound within
it, and the files that it imports."""


@dataclass(frozen=True, slots=True)
class Followed:
    """Another file that a recipe imports: its path from the folder, its text, the first place in
    it, and its expression."""

    path: str
    text: str
    start: int
    root: NixExpr = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import of `named`, a path relative to the recipe: the file, or the reason
    why it was not followed."""

    named: str
    file: Followed | None
    reason: str = ""


@dataclass(slots=True, eq=False)
class Nixpkgs:
    """A nixpkgs that a recipe makes from a `source` and `arguments`, or from the nixpkgs `base` and
    more `overlays`. A flake has no arguments."""

    source: NixExpr
    arguments: NixExpr | None = None
    base: str = ""
    overlays: NixExpr | None = None


class RecipeParser(NixParser):
    """Reads recipes one after another, and caches the reduced forms of their parts."""

    __slots__ = (
        "_alone", "_files", "_imported", "_kept", "_made", "_names", "_next", "compared",
        "functions", "nixpkgs", "read_as", "reduced",
    )  # fmt: skip

    def __init__(self) -> None:
        super().__init__()
        self.reduced: dict[Key, Reduced] = {}
        self._alone: dict[int, int] = {}  # how many were kept of a part since one was recalled
        self.read_as: dict[str, dict[str, None]] = {}  # the names by which a text is read
        self.compared: dict[str, dict[str, None]] = {}  # what a version is compared with
        self.functions: list[tuple[NixLambda, Scope]] = []
        self.nixpkgs: list[Nixpkgs] = []
        self._files: dict[tuple[str, str], tuple[int, NixExpr]] = {}
        self._imported: dict[str, NixExpr] = {}
        self._next = _FIRST
        self._kept: dict[int, NixExpr] = {}  # the reduced forms of parts, by identity
        self._names: dict[int, tuple[str, ...] | None] = {}
        self._made: dict[tuple[object, int], tuple[NixExpr, object]] = {}

    def _read(
        self, text: str, start: int, known: dict[bytes, NixExpr | NixBinding] | None
    ) -> NixExpr:
        if any(mark in text for mark in PRIVATE):
            raise NotNix("it has private-use characters")
        return super()._read(text, start, known)

    def followed(self, path: str, text: str) -> tuple[int, NixExpr]:
        """The first place in the file *path*, and its expression. It is parsed once for all recipes
        that import it. Its places are different from those of all other files and recipes. Raises
        NotNix."""
        key = path, text
        found = self._files.get(key)
        if found is None:
            found = self._files[key] = self._next, self.parse(text, self._next)
            self._next += len(text) + 1
            for part in walk([found[1]]):
                if not isinstance(part, _PLAIN):
                    self.shared[id(part)] = part
        return found

    def imported(self, text: str) -> NixExpr:
        """The expression in a file with this *text*, without places. Raises NotNix."""
        found = self._imported.get(text)
        if found is None:
            found = self._imported[text] = self.parse_shared(text)
        return found

    def once(self, make: Callable[[N], T], node: N) -> T:
        """The result of *make* for *node*, computed once for all recipes with this node."""
        key = make, id(node)
        found = self._made.get(key)
        if found is None:  # the node is kept, so that no other one has its identity
            found = self._made[key] = node, make(node)
        return cast("T", found[1])

    def names(self, node: NixExpr) -> tuple[str, ...] | None:
        """The names in *node*, which `shared` has; None if its reduced form depends on more than
        their values."""
        if id(node) not in self._names:
            self._names[id(node)] = _names(node)
        return self._names[id(node)]

    def keep(self, key: Key, made: Reduced) -> None:
        """Store the reduced form of a part. After `_MOST_ALONE` results without a hit, no more
        results of the part are looked up."""
        self.reduced[key] = made
        self._kept[id(made[0])] = made[0]
        part = key[0]
        self._alone[part] = self._alone.get(part, 0) + 1
        if self._alone[part] == _MOST_ALONE:
            self.shared.pop(part, None)

    def recalled(self, key: Key) -> Reduced | None:
        """The result that `keep` has stored for *key*."""
        found = self.reduced.get(key)
        if found is not None:
            self._alone[key[0]] = 0
        return found

    def sign(self, bound: Bound) -> object:
        """A value that only equal values of *bound* share; None while it is not known."""
        node = bound.node if bound.reduced is None else bound.reduced
        match node:
            case NixIdent(name) if name.startswith("@") or bound.reduced is not None:
                return name
            case NixSelect(NixIdent(name), path, None) if name.startswith("@"):
                return name, path
            case NixString((str() as text,)):
                return "text", text
            case NixInt(number):
                return "number", number
            case _:
                known = bound.reduced is not None and id(bound.reduced) in self._kept
                return id(bound.reduced) if known else None


def _names(node: NixExpr) -> tuple[str, ...] | None:
    """The names in *node*; None if its meaning depends on its place. A node in a followed file has
    only one place."""
    names = names_in([node])
    if extent_of(node).start < _FIRST and (
        "import" in names or any(isinstance(one, _BY_ITSELF) for one in walk([node]))
    ):
        return None
    return tuple(sorted(names))
