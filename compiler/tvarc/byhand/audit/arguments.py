"""The function that a recipe is: its arguments, and which of them the recipe itself says."""

from __future__ import annotations

from tvarc.byhand.audit.constants import Constants, Located, given
from tvarc.byhand.reading.scopes import NOWHERE, Bound, Scope
from tvarc.nix.language.syntax import (
    NixApply,
    NixExpr,
    NixFloat,
    NixIdent,
    NixInt,
    NixLambda,
    NixPath,
    NixSearchPath,
    NixSelect,
    NixString,
)
from tvarc.nix.lower.values import INPUT


def body(constants: Constants, root: NixExpr) -> Located:
    """The body of the function that a recipe is, its arguments in scope."""
    node, scope = constants.resolve(root, constants.outside())
    while isinstance(node, NixLambda):
        node, scope = entered(constants, node, scope)
    return node, scope


def entered(constants: Constants, function: NixLambda, scope: Scope) -> Located:
    """The body of *function*, its arguments in scope by their names."""
    inner = Scope(scope, {}, scope.file)
    if function.whole:
        inner.names[function.whole] = Bound(given(function.whole), NOWHERE)
    for formal in function.formals:
        name, default = formal.name, formal.default
        inner.names[name] = Bound(given(name), NOWHERE)
        if default is not None and (name.endswith(INPUT) or _is_said(constants, default, inner)):
            inner.names[name] = Bound(default, inner)
    return constants.resolve(function.body, inner)


def _is_said(constants: Constants, default: NixExpr, scope: Scope) -> bool:
    """Whether a recipe says what an argument is by giving this *default*: a constant, which no
    attribute of nixpkgs takes the place of, or a nixpkgs that it fetches. An input has a name
    that nixpkgs has not, so its default counts whatever it is. `<nixpkgs>` is that
    of the caller, as is a package by its name."""
    match default:
        case NixIdent("true" | "false") | NixInt() | NixFloat():
            return True
        case NixString(parts):
            return all(isinstance(part, str) for part in parts)
        case NixSearchPath():
            return True
        case NixPath():
            return False
        case _:
            pass
    node, at = constants.resolve(default, scope)
    if isinstance(node, NixSelect):
        node, at = constants.resolve(node.base, at)
    if not isinstance(node, NixApply):
        return False
    (function, place), arguments = constants.called(node, at)
    name = (constants.reference(function, place) or "").rpartition(".")[2]
    if name != "import":
        return name == "getFlake" or name.startswith("fetch")
    source, _ = constants.resolve(*arguments[0])
    return not isinstance(source, NixSearchPath)
