"""Lower: a decided recipe becomes one self-contained Nix file."""

from __future__ import annotations

from tvarc import ir
from tvarc.backend.nix.context import Context, Formals, Relative
from tvarc.backend.nix.overlays import lower_overlay
from tvarc.backend.nix.settings import EMPTY_ATTRS, bindings, changed_package
from tvarc.backend.nix.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixCommented,
    NixExpr,
    NixFile,
    NixFormal,
    NixFormals,
    NixIdent,
    NixInherit,
    NixLambda,
    NixLet,
    NixList,
    NixSearchPath,
    NixSelect,
    NixString,
)
from tvarc.backend.nix.values import OLD, apply_nix, lower_value
from tvarc.values import RowValue, Value, show

PKGS, PINNED = NixIdent("pkgs"), NixIdent("pinned")


def lower(recipe: ir.Recipe, source: str, relative: Relative) -> NixFile:
    """The Nix file of *recipe*. `source` is the file that declares it, as the header names it;
    `relative` gives a file's path as seen from the emitted one."""
    if recipe.pin is None:
        body = _called(recipe, relative)
    else:
        body = _pinned(recipe, recipe.pin, relative)
    return NixFile(header(recipe, source), body)


def header(recipe: ir.Recipe, source: str) -> tuple[str, ...]:
    """What made the file and for which hardware, in the words of the facts."""
    cell = ", ".join(_describe(axis.value) for axis in recipe.axes)
    first = f"{recipe.variant}: {cell}" if cell else recipe.variant
    made = f"Made by tvarc from {source}: matrix {recipe.matrix}, recipe {recipe.recipes[-1]}."
    return (first, made, "Change that file and run `tvarc build`; do not edit this one.")


def _describe(value: Value) -> str:
    if isinstance(value, RowValue):
        label = value.facts.get("label")
        if label is not None and isinstance(label.value, str):
            return label.value
        return value.name
    return value if isinstance(value, str) else show(value)


def _pinned(recipe: ir.Recipe, pin: ir.Pin, relative: Relative) -> NixExpr:
    fetch: list[NixBinding] = [NixBinding(("url",), NixString((pin.url,)))]
    if pin.hash is not None:
        fetch.append(NixBinding(("sha256",), NixString((pin.hash,))))
    tarball = NixApply(NixSelect(NixIdent("builtins"), ("fetchTarball",)), NixAttrs(tuple(fetch)))
    context = Context(PINNED, NixSelect(PINNED, ("lib",)), relative, Formals())
    platform = NixSelect(PKGS, ("stdenv", "hostPlatform"))
    arguments: list[NixBinding | NixInherit] = [NixInherit(("system",), platform)]
    if recipe.config:
        arguments.append(NixBinding(("config",), NixAttrs(bindings(recipe.config, context, OLD))))
    else:
        # An empty one keeps the user's own configuration out of the build.
        arguments.append(NixBinding(("config",), EMPTY_ATTRS))
    arguments.append(NixBinding(("overlays",), _overlays(recipe, context)))
    imported = apply_nix(NixIdent("import"), NixIdent("nixpkgs"), NixAttrs(tuple(arguments)))
    package = lower_value(recipe.package.value, context)
    body = NixLet(
        (NixBinding(("nixpkgs",), tarball), NixBinding(("pinned",), imported)),
        changed_package(package, recipe.changes, context),
    )
    default = apply_nix(NixIdent("import"), NixSearchPath("nixpkgs"), EMPTY_ATTRS)
    return NixLambda(NixFormals((NixFormal("pkgs", default),)), body)


def _called(recipe: ir.Recipe, relative: Relative) -> NixExpr:
    """A function of what it uses; callPackage fills its arguments."""
    formals = Formals()
    context = Context(None, None, relative, formals)
    if recipe.overlays:
        formals.names.add("pkgs")
        extended = apply_nix(NixSelect(PKGS, ("appendOverlays",)), _overlays(recipe, context))
        inner = Context(
            NixIdent("extended"), NixSelect(NixIdent("extended"), ("lib",)), relative, formals
        )
        package = lower_value(recipe.package.value, inner)
        body: NixExpr = NixLet(
            (NixBinding(("extended",), extended),), changed_package(package, recipe.changes, inner)
        )
    else:
        package = lower_value(recipe.package.value, context)
        body = changed_package(package, recipe.changes, context)
    return NixLambda(NixFormals(tuple(NixFormal(name) for name in sorted(formals.names))), body)


def _overlays(recipe: ir.Recipe, context: Context) -> NixList:
    seen: set[ir.Path] = set()
    return NixList(
        tuple(
            NixCommented(
                f"{overlay.name}: {overlay.because}" if overlay.because else overlay.name,
                lower_overlay(overlay, context, seen),
            )
            for overlay in recipe.overlays
        )
    )
