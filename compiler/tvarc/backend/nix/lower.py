"""Lower: a decided recipe becomes one self-contained Nix file."""

from __future__ import annotations

from tvarc import ir
from tvarc.backend.nix.context import Context, Formals, Frame, Relative
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
    NixSlot,
    NixString,
)
from tvarc.backend.nix.values import OLD, apply_nix, lower_value
from tvarc.light import Iterator, replace
from tvarc.values import RowValue, Value, show

PKGS, PINNED = NixIdent("pkgs"), NixIdent("pinned")


def lower(recipe: ir.Recipe, source: str, relative: Relative) -> NixFile:
    """The Nix file of *recipe*. `source` is the file that declares it, as the header names it;
    `relative` gives a file's path as seen from the emitted one."""
    if recipe.pin is None:
        body = _called(recipe, relative, Formals())
    else:
        body = _pinned(recipe, recipe.pin, relative)
    return NixFile(header(recipe, source), body)


def lower_around(
    recipe: ir.Recipe, relative: Relative, frame: Frame, formals: frozenset[str]
) -> NixExpr:
    """The file of *recipe* without its header, slots in the place of what *frame* names, which
    needs these *formals*."""
    known = Formals(set(formals))
    if recipe.pin is None:
        return _called(recipe, relative, known, frame)
    return _pinned(recipe, recipe.pin, relative, frame)


def context_of(pinned: bool, extended: bool, relative: Relative, formals: Formals) -> Context:
    """Where the settings of a recipe stand in its file: with a pin, and without one but with
    overlays, they stand below a `let`."""
    if pinned:
        return Context(PINNED, NixSelect(PINNED, ("lib",)), relative, formals)
    if extended:
        pkgs = NixIdent("extended")
        return Context(pkgs, NixSelect(pkgs, ("lib",)), relative, formals)
    return Context(None, None, relative, formals)


def lower_overlays(overlays: tuple[ir.Overlay, ...], context: Context) -> Iterator[NixCommented]:
    """One element of the list of overlays after another."""
    seen: set[ir.Path] = set()
    for overlay in overlays:
        text = f"{overlay.name}: {overlay.because}" if overlay.because else overlay.name
        yield NixCommented(text, lower_overlay(overlay, context, seen))


def header(recipe: ir.Recipe, source: str) -> tuple[str, ...]:
    """What made the file and for which hardware, in the words of the facts."""
    cell = ", ".join(describe(axis.value) for axis in recipe.axes)
    first = f"{recipe.variant}: {cell}" if cell else recipe.variant
    return (first, *made_by(source, recipe.matrix, recipe.recipes[-1]))


def made_by(source: str, matrix: str, recipe: str) -> tuple[str, ...]:
    """The lines of a header that all files of a matrix share."""
    made = f"Made by tvarc from {source}: matrix {matrix}, recipe {recipe}."
    return (made, "Change that file and run `tvarc build`; do not edit this one.")


def describe(value: Value) -> str:
    """The value of an axis in the words of its facts."""
    if isinstance(value, RowValue):
        label = value.facts.get("label")
        if label is not None and isinstance(label.value, str):
            return label.value
        return value.name
    return value if isinstance(value, str) else show(value)


def _pinned(
    recipe: ir.Recipe, pin: ir.Pin, relative: Relative, frame: Frame | None = None
) -> NixExpr:
    fetch: list[NixBinding] = [NixBinding(("url",), NixString((pin.url,)))]
    if pin.hash is not None:
        fetch.append(NixBinding(("sha256",), NixString((pin.hash,))))
    tarball = NixApply(NixSelect(NixIdent("builtins"), ("fetchTarball",)), NixAttrs(tuple(fetch)))
    context = replace(context_of(True, False, relative, Formals()), frame=frame)
    platform = NixSelect(PKGS, ("stdenv", "hostPlatform"))
    arguments: list[NixBinding | NixInherit] = [NixInherit(("system",), platform)]
    if context.in_slot("config"):
        arguments.append(NixBinding(("config",), NixAttrs((NixSlot("config"),))))
    elif recipe.config:
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


def _called(
    recipe: ir.Recipe, relative: Relative, formals: Formals, frame: Frame | None = None
) -> NixExpr:
    """A function of what it uses; callPackage fills its arguments."""
    context = replace(context_of(False, bool(recipe.overlays), relative, formals), frame=frame)
    package = lower_value(recipe.package.value, context)
    body = changed_package(package, recipe.changes, context)
    if recipe.overlays:
        formals.names.add("pkgs")
        outer = Context(None, None, relative, formals, frame=frame)
        extended = apply_nix(NixSelect(PKGS, ("appendOverlays",)), _overlays(recipe, outer))
        body = NixLet((NixBinding(("extended",), extended),), body)
    return NixLambda(NixFormals(tuple(NixFormal(name) for name in sorted(formals.names))), body)


def _overlays(recipe: ir.Recipe, context: Context) -> NixList:
    if context.in_slot("overlays"):
        return NixList((NixSlot("overlays"),))
    return NixList(tuple(lower_overlays(recipe.overlays, context)))
