"""The names that a Nix text binds, and their expressions."""

from __future__ import annotations

from tvarc.light import Final, dataclass
from tvarc.nix.language.syntax import NixExpr


@dataclass(slots=True, eq=False)
class Scope:
    """The names that are bound here, each to an expression and its scope, and outer names."""

    outer: Scope | None
    names: dict[str, Bound]
    file: str
    environment: Bound | None = None

    def look(self, name: str) -> Bound | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.outer
        return None

    def environments(self) -> list[Bound]:
        """The sets of the surrounding `with`s, the innermost first."""
        found: list[Bound] = []
        scope: Scope | None = self
        while scope is not None:
            if scope.environment is not None:
                found.append(scope.environment)
            scope = scope.outer
        return found


@dataclass(slots=True, eq=False)
class Bound:
    """The expression of a name, and its scope. `used` says that something reads the name. `reduced`
    is its value, which is evaluated once for all reads, and `size` the number of its parts.
    `headed` is the expression evaluated until its kind is clear. Only equal values have the same
    `sign`, which is None while it is not known. During the evaluation of the value, `knot` may
    already be known: the value for reads of the name within its own expression.
    """

    node: NixExpr
    scope: Scope
    used: bool = False
    reduced: NixExpr | None = None
    knot: NixExpr | None = None
    size: int = 0
    headed: tuple[NixExpr, Scope] | None = None
    sign: object = None


def root_scope(file: str) -> Scope:
    """A scope in which nothing is bound, for the text of *file*."""
    return Scope(None, {}, file)


NOWHERE: Final = root_scope("")
REDUCED: Final = root_scope("")
"""The scope of an expression that is already reduced."""
