"""The attributes of the set `pkgs` that Nix text names.

callPackage passes packages by name, so the names must be known before Nix runs.
"""

from __future__ import annotations

from tvarc.light import Final, Iterable, dataclass, field
from tvarc.nix.language.reader import NixParser, NotNix
from tvarc.nix.language.syntax import (
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixHas,
    NixIdent,
    NixIf,
    NixInherit,
    NixLambda,
    NixLet,
    NixSelect,
    NixSlot,
    NixWith,
    children,
    walk,
)

GLOBALS: Final = frozenset(
    (
        "abort", "baseNameOf", "break", "builtins", "derivation", "derivationStrict", "dirOf",
        "false", "fetchGit", "fetchMercurial", "fetchTarball", "fetchTree", "fromTOML", "import",
        "isNull", "map", "null", "placeholder", "removeAttrs", "scopedImport", "throw",
        "toString", "true",
    )
)  # fmt: skip
"""Names that Nix itself binds around each file. A `with` never replaces them."""

_MAY_DROP: Final = frozenset(("mkIf", "optional", "optionalAttrs", "optionalString", "optionals"))
"""Functions of `lib` that do not evaluate their last argument if their condition is false."""


@dataclass(slots=True)
class Uses:
    """The attributes of a set that a text names.

    - `required`: Nix stops if one of them is missing.
    - `optional`: these may be missing, because the value of the text may not depend on them.
    - `computed`: whether the text also takes attributes whose names only Nix knows.
    - `whole`: whether it passes on the set itself.
    - `named`: whether the set is in the text at all. `with pkgs; 1` takes nothing from it, but Nix
      still looks up the variable.
    - `bare`: the names without the set before them, below a `with` of it.
    """

    required: set[str] = field(default_factory=set)
    bare: set[str] = field(default_factory=set)
    optional: set[str] = field(default_factory=set)
    computed: bool = False
    whole: bool = False
    named: bool = False


def uses_of(text: str, name: str, around: Iterable[str] = ()) -> Uses:
    """The attributes that the Nix expression *text* takes from the set in the free variable *name*.
    *around* are other names that are bound around the text, which a `with` never replaces. A text
    that cannot be read counts as using the whole set."""
    try:
        tree = NixParser().parse(text)
    except NotNix:
        return Uses(whole=True, named=True)
    found = Uses()
    _Search(name, found).look(tree, frozenset(around) - {name}, within=False)
    if _decides(tree):
        found.optional |= found.required
        found.required.clear()
    return found


def named_below_with(text: str, around: Iterable[str] = ()) -> frozenset[str]:
    """The names in the Nix expression *text* that a `with` provides. A `with` of `pkgs` or `caller`
    does not count. The names *around*, which are bound outside of the text, do not count either: a
    bound name hides one of a `with`. A text that cannot be read has no such names."""
    try:
        tree = NixParser().parse(text)
    except NotNix:
        return frozenset()
    found = Uses()
    _BelowOthers("", found).look(tree, frozenset(around), within=False)
    return frozenset(found.bare)


def _decides(tree: NixExpr) -> bool:
    """Whether evaluating *tree* may skip some of its names, or may look up a name in several sets.
    """
    scopes = 0
    for node in walk([tree]):
        match node:
            case NixIf() | NixHas():
                return True
            case NixSelect(_, _, default) if default is not None:
                return True
            case NixBinary("&&" | "||" | "->"):
                return True
            case NixIdent(name) | NixSelect(_, (*_, str(name))) if name in _MAY_DROP:
                return True
            case NixWith():
                scopes += 1
    return scopes > 1


class _Search:
    """Walks a tree with the names that are bound around each node."""

    __slots__ = ("_found", "_name")

    def __init__(self, name: str, found: Uses) -> None:
        self._name = name
        self._found = found

    def look(self, node: NixExpr, bound: frozenset[str], *, within: bool) -> None:
        """Note the uses in *node*. *within* says that it is below a `with` of the set."""
        match node:
            case NixIdent(name):
                if self._is_set(node, bound):
                    self._found.whole = True
                elif within and name not in bound and not _is_global(name):
                    self._found.required.add(name)
                    self._found.bare.add(name)
            case NixSelect(base, (str(first), *_)) | NixHas(base, (str(first), *_)) if (
                self._is_set(base, bound)
            ):
                self._found.required.add(first)
                self._all(children(node)[1:], bound, within)
            case NixSelect(base) | NixHas(base) if self._is_set(base, bound):
                self._found.computed = True
                self._all(children(node)[1:], bound, within)
            case NixWith(environment, body) if self._is_set(environment, bound):
                self.look(body, bound, within=True)
            case NixAttrs(entries, recursive):
                inner = bound | _names(entries) if recursive else bound
                self._entries(entries, bound, inner, within)
            case NixLet(entries, body):
                inner = bound | _names(entries)
                self._entries(entries, bound, inner, within)
                self.look(body, inner, within=within)
            case NixLambda():
                names = {node.whole, *[formal.name for formal in node.formals]}
                self._all(children(node), bound | names, within)
            case _:
                self._all(children(node), bound, within)

    def _all(self, nodes: Iterable[NixExpr], bound: frozenset[str], within: bool) -> None:
        for node in nodes:
            self.look(node, bound, within=within)

    def _entries(
        self,
        entries: Iterable[NixBinding | NixInherit | NixSlot],
        outer: frozenset[str],
        inner: frozenset[str],
        within: bool,
    ) -> None:
        """Note the uses in *entries*. An `inherit` without a source refers to the names around
        them."""
        for entry in entries:
            match entry:
                case NixInherit(names, None):
                    self._all(map(NixIdent, names), outer, within)
                case NixInherit(names, source) if source is not None:
                    if self._is_set(source, inner):
                        self._found.required |= set(names)
                    else:
                        self.look(source, inner, within=within)
                case NixBinding(path, value):
                    computed = [step for step in path if not isinstance(step, str)]
                    self._all((*computed, value), inner, within)

    def _is_set(self, node: NixExpr, bound: frozenset[str]) -> bool:
        if not isinstance(node, NixIdent) or node.name != self._name or self._name in bound:
            return False
        self._found.named = True
        return True


class _BelowOthers(_Search):
    """Finds the names that may come from a `with` of anything except a set of packages."""

    __slots__ = ()

    def look(self, node: NixExpr, bound: frozenset[str], *, within: bool) -> None:
        """Note the uses in *node*. *within* says that it is below such a `with`."""
        match node:
            case NixWith(NixIdent("pkgs" | "caller")):
                super().look(node, bound, within=within)
            case NixWith(environment, body):
                self.look(environment, bound, within=within)
                self.look(body, bound, within=True)
            case _:
                super().look(node, bound, within=within)


def _is_global(name: str) -> bool:
    return name in GLOBALS or name.startswith("__")  # `__currentSystem` and the like


def _names(entries: Iterable[NixBinding | NixInherit | NixSlot]) -> frozenset[str]:
    """The names that *entries* of a `let` or a `rec` bind."""
    found: set[str] = set()
    for entry in entries:
        match entry:
            case NixInherit(names):
                found |= set(names)
            case NixBinding((str(first), *_)):
                found.add(first)
    return frozenset(found)
