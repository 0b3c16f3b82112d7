"""Packages as callPackage passes them.

The callPackage of a package set fills the arguments of a function with the packages that have these
names in the set. If nixpkgs builds for another machine, callPackage passes spliced packages: each
list of dependencies takes the package for its own platform. An attribute of the set itself,
`pinned.cmake`, is for one platform only. So a recipe that imports a nixpkgs of its own gets its
packages from callPackage:

    scope = pinned.callPackage (names@{ cmake, hello }: names) { };
"""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Iterable, Mapping, dataclass, field
from tvarc.nix.language.syntax import (
    NULL,
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixFormal,
    NixFormals,
    NixIdent,
    NixLambda,
    NixLet,
    placed,
)

if TYPE_CHECKING:
    from tvarc.values.provenance import Lines

SCOPE = NixIdent("scope")
NAMES = "names"
"""The name for the set of all arguments of a function that callPackage fills."""


@dataclass(slots=True)
class Scope:
    """The names that a part of a recipe takes from a package set, collected while the part is
    lowered.

    `call` is the callPackage of the set. `optional` are names that may be missing there. With
    tracing, `asked` has the source lines behind each name.
    """

    call: NixExpr
    required: set[str] = field(default_factory=set)
    optional: set[str] = field(default_factory=set)
    asked: dict[str, Lines] = field(default_factory=dict)

    def fresh(self) -> Scope:
        """A scope for the same set, without any names."""
        return Scope(self.call)

    def ask(self, other: Scope, lines: Lines) -> None:
        """Add all names of *other*. The code from *lines* uses them."""
        self.required |= other.required
        self.optional |= other.optional
        for name in other.required | other.optional:
            self.asked[name] = self.asked.get(name, 0) | other.asked.get(name, 0) | lines

    def bindings(self) -> tuple[NixBinding, ...]:
        """`scope = …;`, or nothing if no name is taken."""
        names = self.required | self.optional
        if not names:
            return ()
        value = handed(self.call, self.required, self.optional, self.asked)
        lines = 0
        for name in names:
            lines |= self.asked.get(name, 0)
        made = NixBinding((SCOPE.name,), value)
        return (placed(made, 0, lines) if lines else made,)

    def around(self, body: NixExpr) -> NixExpr:
        """*body*, with a binding for the name `scope` if it needs one."""
        made = self.bindings()
        return NixLet(made, body) if made else body


def handed(
    call: NixExpr,
    required: Iterable[str],
    optional: Iterable[str] = (),
    asked: Mapping[str, Lines] | None = None,
) -> NixExpr:
    """The set of the packages with these names that *call*, a callPackage, passes. An *optional*
    name that does not exist is left out of the set. Nix stops if a *required* name does not exist.
    """
    needed, others = frozenset(required), frozenset(optional)
    formals = []
    for name in sorted(needed | others):
        lines = (asked or {}).get(name, 0)
        default = None if name in needed else NULL
        formals.append(NixFormal(_marked(name, lines) if lines else name, default))
    whole = NAMES
    while whole in needed or whole in others:
        whole += "'"
    function = NixLambda(NixFormals(tuple(formals), whole=whole), NixIdent(whole))
    return NixApply(NixApply(call, function), NixAttrs(()))


def _marked(name: str, lines: Lines) -> str:
    from tvarc.values.provenance import marked

    return marked(name, 0, lines)
