"""Package sets that overlays change by overlays of their own."""

from __future__ import annotations

from tvarc.byhand.reading.trees import entries_of, selected
from tvarc.light import Callable, Final, dataclass
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixIf,
    NixLambda,
    NixSelect,
)

EXTENSIONS: Final = "pythonPackagesExtensions"
"""The overlays of the packages of every Python."""
_METHODS: Final = {"overrideScope": "scope", "overrideScope'": "scope", "extend": "extend"}
_OVERRIDES: Final = ("overrides", "packageOverrides")
_OLD: Final = (NixIdent("@old"), ("overrides",))
_COMPOSING: Final = NixSelect(NixIdent("@lib"), ("composeExtensions",))


@dataclass(frozen=True, slots=True)
class Extended:
    """The package set `base`, to which `overlay` is applied `via` `scope`, `extend`, `override` or
    `update` (which adds members that are not a function). If `is_all`, the expression does nothing
    else in any release of nixpkgs. If it `replaces`, earlier overrides are lost."""

    base: NixExpr
    via: str
    overlay: NixExpr
    is_all: bool = True
    replaces: bool = False


def extended(node: NixExpr, body: Callable[[NixExpr], NixExpr]) -> Extended | None:
    """The package set that the reduced *node* changes; None for any other expression. *body*
    applies a function to the old arguments, `@old`, and returns any other expression as it is."""
    match node:
        case NixBinary("//", base, members):
            return Extended(base, "update", members, is_all=False)
        case NixApply(function, argument):
            is_all = not isinstance(function, NixIf)
            while isinstance(function, NixIf):
                function = function.then  # which of its forms a nixpkgs has: they do the same
        case _:
            return None
    match function:
        case NixSelect(inner, (*path, str() as method), _) if method in _METHODS:
            base = selected(inner, tuple(map(str, path)))
            is_all = is_all and method != "overrideScope'"  # of which the order has changed
            return Extended(base, _METHODS[method], argument, is_all)
        case NixSelect(inner, (*path, "override"), _):
            made = body(argument)
        case _:
            return None
    entries = entries_of(made) if isinstance(made, NixAttrs) else []
    for key, value in entries:
        if key in _OVERRIDES:
            base = selected(inner, tuple(map(str, path)))
            overlay, is_plain = _composed(value)
            is_all = is_all and is_plain and len(entries) == 1 and key == _OVERRIDES[0]
            return Extended(base, "override", overlay, is_all, replaces=made is argument)
    return None


def _composed(overrides: NixExpr) -> tuple[NixExpr, bool]:
    """The new overlay of `composeExtensions (old.overrides or …) new`, or *overrides* itself; and
    whether it is a function of only the old overrides."""
    match overrides:
        case NixApply(NixApply(function, old), new) if _is_composing(function):
            of_old = isinstance(old, NixSelect) and (old.base, old.path) == _OLD
            return new, of_old and function == _COMPOSING and isinstance(new, NixLambda)
        case _:
            return overrides, isinstance(overrides, NixLambda)


def _is_composing(function: NixExpr) -> bool:
    match function:
        case NixSelect(_, (*_, str() as name), _) | NixIdent(name):
            return name.endswith("composeExtensions")
        case _:
            return False
