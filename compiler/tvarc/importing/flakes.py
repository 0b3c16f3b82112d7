"""Flakes whose packages are files: which package is which file, called with what."""

from __future__ import annotations

import posixpath

from tvarc.light import Final, Iterator, dataclass
from tvarc.nix.printer import print_expr
from tvarc.nix.reader import NixParser, NotNix
from tvarc.nix.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixFormal,
    NixFormals,
    NixIdent,
    NixLambda,
    NixPath,
    NixSelect,
    children,
    names_in,
    walk,
)

FLAKE: Final = "flake.nix"
_KNOWN: Final = frozenset(("pkgs", "lib", "true", "false", "null", "builtins"))


@dataclass(frozen=True, slots=True)
class FlakePackage:
    """A package of a flake: its *name*, the *path* of its file in the flake, and the text of a
    recipe that calls that file, empty where it is called without arguments; or why there is none.
    """

    name: str
    path: str
    text: str
    fault: str = ""


def packages_of(parser: NixParser, text: str) -> list[FlakePackage]:
    """The packages that the flake *text* makes by `NAME = callPackage FILE { … }`; none of what
    is no flake."""
    try:
        root = parser.parse(text)
    except NotNix:
        return []
    found: dict[str, FlakePackage] = {}
    for binding in _bindings(root):
        match binding.path[-1], binding.value:
            case str() as name, NixApply(NixApply(called, NixPath() as file), NixAttrs() as given):
                path = posixpath.normpath(file.text)
                outside = path.startswith(("../", "/")) or file.home
                if not _is_call_package(called) or outside:
                    continue
                made = _recipe(file, given) if given.entries else ""
                own = sorted(_free(given) - _KNOWN)
                fault = f"it is called with what the flake alone has: `{own[0]}`" if own else ""
                found.setdefault(name, FlakePackage(name, path, made, fault))
            case _:
                pass
    return list(found.values())


def _recipe(file: NixPath, given: NixAttrs) -> str:
    """A recipe that calls *file* with what it is *given*."""
    names = ("callPackage", "pkgs", "lib")
    formals = NixFormals(tuple([NixFormal(name) for name in names]))
    call = NixApply(NixApply(NixIdent("callPackage"), file), given)
    return print_expr(NixLambda(formals, call))


def _bindings(root: NixExpr) -> Iterator[NixBinding]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        entries = getattr(node, "entries", ())
        for entry in entries:
            if isinstance(entry, NixBinding):
                yield entry
        waiting += reversed(children(node))


def _is_call_package(node: NixExpr) -> bool:
    match node:
        case NixIdent(name):
            return name == "callPackage"
        case NixSelect(_, path):
            return path[-1] == "callPackage"
        case _:
            return False


def _free(node: NixExpr) -> set[str]:
    """The names that stand in *node*; a function of its own counts as none that is known."""
    functions = ["a function" for one in walk([node]) if isinstance(one, NixLambda)]
    return {*names_in([node]), *functions}
