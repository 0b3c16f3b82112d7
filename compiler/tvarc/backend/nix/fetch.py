"""One source by itself, as an expression that Nix can build: to find out what its hash is."""

from __future__ import annotations

from tvarc import ir
from tvarc.backend.nix.context import AsNamed, Context, Formals
from tvarc.backend.nix.settings import EMPTY_ATTRS
from tvarc.backend.nix.values import apply_nix, builtin, lower_value
from tvarc.light import dataclass
from tvarc.nix.printer import print_expr
from tvarc.nix.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixIdent,
    NixList,
    NixPath,
    NixSearchPath,
    NixString,
)
from tvarc.nixpkgs import FEATURES
from tvarc.values import NixCall, Value


@dataclass(frozen=True, slots=True)
class Nixpkgs:
    """The nixpkgs whose fetchers are used: a tarball, and its hash where it is known, or a folder
    by its absolute path."""

    url: str
    hash: str | None
    path: str = ""


def fetch_text(
    function: str, arguments: tuple[tuple[str, Value], ...], nixpkgs: Nixpkgs | None
) -> str:
    """The source that `github(…)` or `url(…)` or, by `fetchpatch`, a patch is with these
    arguments, fetched by *nixpkgs*, or by `<nixpkgs>` where there is none."""
    found = NixSearchPath("nixpkgs") if nixpkgs is None else _tarball(nixpkgs)
    plain = NixAttrs((NixBinding(("config",), EMPTY_ATTRS), NixBinding(("overlays",), NixList(()))))
    # The oldest forms: nixpkgs of each age takes them, and fetches the same.
    context = Context(
        apply_nix(NixIdent("import"), found, plain),
        None,
        AsNamed(),
        Formals(),
        age=ir.Age(lacks=frozenset(FEATURES)),
    )
    if function == "fetchpatch":
        fields = tuple(
            NixBinding(("sha256" if key == "hash" else key,), lower_value(value, context))
            for key, value in arguments
        )
        return print_expr(NixApply(context.package_set(("fetchpatch",)), NixAttrs(fields)))
    return print_expr(lower_value(NixCall(function, arguments), context))


def _tarball(nixpkgs: Nixpkgs) -> NixExpr:
    if nixpkgs.path:
        return NixPath(nixpkgs.path)
    fields = [NixBinding(("url",), NixString((nixpkgs.url,)))]
    if nixpkgs.hash is not None:
        fields.append(NixBinding(("sha256",), NixString((nixpkgs.hash,))))
    return NixApply(builtin("fetchTarball"), NixAttrs(tuple(fields)))
