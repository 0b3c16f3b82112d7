"""The names that an expression of a Nix text sees, and what each of them is bound to."""

from __future__ import annotations

from tvarc.light import Iterable, dataclass
from tvarc.nix.language.syntax import (
    NixBinding,
    NixExpr,
    NixIdent,
    NixInherit,
    NixLambda,
    NixSelect,
    NixSlot,
)


@dataclass(frozen=True, slots=True)
class Bound:
    """What a name stands for: an expression in the scope that it was written in, or a root."""

    node: NixExpr | None
    scope: Scope
    root: str = ""


class Scope:
    """The names that an expression sees, those of inner constructs first."""

    __slots__ = ("above", "names", "within")

    def __init__(self, above: Scope | None = None) -> None:
        self.above = above
        self.names: dict[str, Bound] = {}
        self.within: tuple[NixExpr, Scope] | None = None  # the set of a `with`

    def bind(self, bindings: NixBindings, outer: Scope | None = None) -> Scope:
        """Add the names of a `let` or of a recursive set; *outer* is where `inherit` looks."""
        for one in bindings:
            if isinstance(one, NixBinding):
                if len(one.path) == 1 and isinstance(one.path[0], str):
                    self.names[one.path[0]] = Bound(one.value, self)
                continue
            if isinstance(one, NixSlot):
                continue
            for name in one.names:
                if one.source is None:
                    self.names[name] = Bound(NixIdent(name, extent=one.extent), outer or Scope())
                else:
                    node = NixSelect(one.source, (name,), extent=one.extent)
                    self.names[name] = Bound(node, self)
        return self

    def entered(self, function: NixLambda, root: str) -> Scope:
        """The scope of the body of *function*, which is applied to what is called *root*."""
        inner = Scope(self)
        if function.whole:
            inner.names[function.whole] = Bound(None, inner, root)
        for formal in function.formals:
            inner.names[formal.name] = Bound(None, inner, f"{root}.{formal.name}")
        return inner

    def look(self, name: str) -> Bound | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.names.get(name)
            if found is not None:
                return found
            scope = scope.above
        return None

    def surrounding(self) -> Iterable[tuple[NixExpr, Scope]]:
        """The sets of the `with`s around, the innermost first."""
        scope: Scope | None = self
        while scope is not None:
            if scope.within is not None:
                yield scope.within
            scope = scope.above


NixBindings = Iterable[NixBinding | NixInherit | NixSlot]
Located = tuple[NixExpr, Scope]
"""An expression, and the scope that it was written in."""
