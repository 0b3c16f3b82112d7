"""Flakes whose packages are files: finds the file of each package, its arguments, and the nixpkgs
that calls it."""

from __future__ import annotations

import posixpath

from tvarc.byhand.reading.pins import archive
from tvarc.byhand.reading.trees import last_name
from tvarc.light import Final, Iterator, Mapping, Sequence, dataclass
from tvarc.nix.language.printer import print_expr
from tvarc.nix.language.reader import NixParser, NotNix
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixFormal,
    NixFormals,
    NixIdent,
    NixInherit,
    NixLambda,
    NixLet,
    NixPath,
    NixSelect,
    NixString,
    children,
    extent_of,
    names_in,
    walk,
)

FLAKE: Final = "flake.nix"
LOCK: Final = "flake.lock"
_KNOWN: Final = frozenset(("pkgs", "lib", "true", "false", "null", "builtins"))
_SYSTEM: Final = "system"
_CALLER: Final = "caller's-packages"

_Bound = tuple[NixBinding | NixInherit, ...]
"""The bindings of one `let` or function."""


@dataclass(frozen=True, slots=True)
class FlakePackage:
    """A package of a flake: its `name`, the `path` of its file in the flake, and the text of a
    recipe that calls the file, empty if this is its first call without arguments; or why there is
    none. `nixpkgs` is a function from the caller's packages to the nixpkgs that calls the file,
    empty if no lock states it. The call is on `line` of the flake."""

    name: str
    path: str
    text: str
    fault: str
    nixpkgs: str
    line: int


def packages_of(parser: NixParser, text: str, inputs: Mapping[str, NixExpr]) -> list[FlakePackage]:
    """The packages that the flake *text* makes by `NAME = callPackage FILE { … }`; none if the text
    is not a flake. *inputs* are those of its inputs that a lock can fetch."""
    try:
        root = parser.parse(text)
    except NotNix:
        return []
    found: dict[str, FlakePackage] = {}
    around = _around(root, inputs) if inputs else None
    for binding, lets in _bindings(root):
        match binding.path[-1], binding.value:
            case str() as name, NixApply(NixApply(called, NixPath() as file), NixAttrs() as given):
                path = posixpath.normpath(file.text)
                outside = path.startswith(("../", "/")) or file.home
                if last_name(called) != "callPackage" or outside:
                    continue
                is_again = any(one.path == path and not one.text for one in found.values())
                made = _recipe(file, given) if given.entries or is_again else ""
                own = sorted(_free(given) - _KNOWN)
                fault = f"the call passes a value of the flake: `{own[0]}`" if own else ""
                nixpkgs = _within([around, *lets], called) if around is not None else ""
                line = 1 + text.count("\n", 0, extent_of(called).start)
                found.setdefault(name, FlakePackage(name, path, made, fault, nixpkgs, line))
            case _:
                pass
    return list(found.values())


def _recipe(file: NixPath, given: NixAttrs) -> str:
    """A recipe that calls *file* with the arguments *given*."""
    names = ("callPackage", "pkgs", "lib")
    formals = NixFormals(tuple([NixFormal(name) for name in names]))
    call = NixApply(NixApply(NixIdent("callPackage"), file), given)
    return print_expr(NixLambda(formals, call))


def inputs_of(lock: str) -> dict[str, NixExpr]:
    """The inputs of a flake that its *lock* fetches from GitHub, each as a call of a fetcher; none
    if the text is not a lock."""
    import json

    found: dict[str, NixExpr] = {}
    try:
        data = json.loads(lock)
        nodes = data["nodes"]
        for name, node in nodes[data["root"]]["inputs"].items():
            locked = nodes[node].get("locked", {}) if isinstance(node, str) else {}
            if locked.get("type") == "github" and "dir" not in locked:
                place, digest = f"{locked['owner']}/{locked['repo']}", str(locked["narHash"])
                found[name] = _tarball(place, str(locked["rev"]), digest)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}
    return found


def _tarball(repository: str, revision: str, digest: str) -> NixExpr:
    given = {"url": NixString((archive(repository, revision),)), "sha256": NixString((digest,))}
    fetch = NixSelect(NixIdent("builtins"), ("fetchTarball",))
    return NixApply(fetch, NixAttrs(tuple([NixBinding((key,), one) for key, one in given.items()])))


def _around(root: NixExpr, inputs: Mapping[str, NixExpr]) -> _Bound:
    """The arguments of the outputs of a flake: its *inputs*, and the system of the builder."""
    system = NixSelect(NixIdent(_CALLER), ("stdenv", "hostPlatform", _SYSTEM))
    named = tuple([NixBinding((name,), node) for name, node in inputs.items()])
    whole = [
        binding.value.whole
        for binding in (root.entries if isinstance(root, NixAttrs) else ())
        if isinstance(binding, NixBinding) and isinstance(binding.value, NixLambda)
    ]
    all_of = {name: NixAttrs(named) for name in ("inputs", *whole) if name not in (*inputs, "")}
    more: dict[str, NixExpr] = {**all_of, _SYSTEM: system}
    return (*named, *[NixBinding((name,), node) for name, node in more.items()])


def _within(lets: Sequence[_Bound], node: NixExpr) -> str:
    """A function from the caller's packages to *node*, with the names that *lets* bind."""
    for entries in reversed(lets):
        node = NixLet(entries, node) if entries else node
    return print_expr(NixLambda(_CALLER, node))


def _bindings(root: NixExpr) -> Iterator[tuple[NixBinding, list[_Bound]]]:
    """The bindings in *root*, each with the bindings around it, the outermost first."""
    waiting: list[tuple[NixExpr, list[_Bound]]] = [(root, [])]
    while waiting:
        node, lets = waiting.pop()
        entries = node.entries if isinstance(node, NixAttrs | NixLet) else ()
        if isinstance(node, NixLet):
            # The system is that of the builder, whichever one the flake names.
            lets = [*lets, _without(node.entries, {_SYSTEM})]
        elif isinstance(node, NixLambda):
            handed = {node.whole, *[formal.name for formal in node.formals]}
            lets = [_without(entries, handed) for entries in lets]
        for entry in entries:
            if isinstance(entry, NixBinding):
                yield entry, lets
        waiting += [(one, lets) for one in reversed(children(node))]


def _without(entries: _Bound, names: set[str]) -> _Bound:
    """*entries* without *names*."""
    return tuple(
        [
            NixInherit(tuple([name for name in one.names if name not in names]), one.source)
            if isinstance(one, NixInherit)
            else one
            for one in entries
            if not (isinstance(one, NixBinding) and one.path[0] in names)
        ]
    )


def _free(node: NixExpr) -> set[str]:
    """The names in *node*. A function in it adds a name that is never bound."""
    functions = ["a function" for one in walk([node]) if isinstance(one, NixLambda)]
    return {*names_in([node]), *functions}
