"""One source by itself, as an expression that Nix can build to find its hash."""

from __future__ import annotations

from tvarc.light import Callable, dataclass
from tvarc.nix import ir
from tvarc.nix.language.printer import print_expr
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixIdent,
    NixList,
    NixPath,
    NixSearchPath,
    NixSelect,
    NixString,
)
from tvarc.nix.lower.context import AsNamed, Context, Formals, Relative
from tvarc.nix.lower.lower import lower
from tvarc.nix.lower.settings import EMPTY_ATTRS
from tvarc.nix.lower.values import apply_nix, builtin, lower_value
from tvarc.nix.nixpkgs import FEATURES
from tvarc.values.value import NixCall, Value


@dataclass(frozen=True, slots=True)
class Nixpkgs:
    """The nixpkgs whose fetchers are used: a tarball, with its hash if it is known, or a folder
    with an absolute path."""

    url: str
    hash: str | None
    path: str = ""


def fetch_text(
    function: str, arguments: tuple[tuple[str, Value], ...], nixpkgs: Nixpkgs | None
) -> str:
    """The code that fetches one source: `github(…)`, `url(…)`, or a patch by `fetchpatch`. The
    fetcher is from *nixpkgs*; if this is None, from `<nixpkgs>`."""
    context = _fetchers(nixpkgs, AsNamed())
    if function == "fetchpatch":
        fields = tuple(
            NixBinding(("sha256" if key == "hash" else key,), lower_value(value, context))
            for key, value in arguments
        )
        return print_expr(NixApply(context.package_set(("fetchpatch",)), NixAttrs(fields)))
    return print_expr(lower_value(NixCall(function, arguments), context))


def call_text(call: NixCall, nixpkgs: Nixpkgs | None, seen: Callable[[str], str]) -> str:
    """The code that fetches a source by a function of *nixpkgs*, with the arguments of *call*.
    *seen* is the same as in `recipe_alone`."""
    return print_expr(lower_value(call, _fetchers(nixpkgs, _Anywhere(seen))))


def _fetchers(nixpkgs: Nixpkgs | None, relative: Relative) -> Context:
    """The context for calls of fetchers of *nixpkgs*; if this is None, of `<nixpkgs>`."""
    found = NixSearchPath("nixpkgs") if nixpkgs is None else _tarball(nixpkgs)
    plain = NixAttrs((NixBinding(("config",), EMPTY_ATTRS), NixBinding(("overlays",), NixList(()))))
    # The oldest forms. Each nixpkgs accepts them and fetches the same content.
    return Context(
        apply_nix(NixIdent("import"), found, plain),
        None,
        relative,
        Formals(),
        age=ir.Age(lacks=frozenset(FEATURES)),
    )


def recipe_alone(recipe: ir.Recipe, seen: Callable[[str], str]) -> str:
    """*recipe* as an expression that Nix can build by itself. *seen* returns a path that is valid
    from any folder. A recipe without a pin is called with `<nixpkgs>`."""
    body = lower(recipe, "", _Anywhere(seen)).body
    if recipe.pin is None:
        found = apply_nix(NixIdent("import"), NixSearchPath("nixpkgs"), EMPTY_ATTRS)
        body = apply_nix(NixSelect(found, ("callPackage",)), body, EMPTY_ATTRS)
    return print_expr(body)


@dataclass(frozen=True, slots=True)
class _Anywhere:
    """Returns paths that are valid from any folder."""

    seen: Callable[[str], str]

    def __call__(self, path: str) -> str:
        return self.seen(path)

    def sibling(self, files: tuple[tuple[str, str], ...]) -> str:
        return self.seen(files[0][1])


def _tarball(nixpkgs: Nixpkgs) -> NixExpr:
    if nixpkgs.path:
        return NixPath(nixpkgs.path)
    fields = [NixBinding(("url",), NixString((nixpkgs.url,)))]
    if nixpkgs.hash is not None:
        fields.append(NixBinding(("sha256",), NixString((nixpkgs.hash,))))
    return NixApply(builtin("fetchTarball"), NixAttrs(tuple(fields)))
