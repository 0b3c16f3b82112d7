"""Lower overlays: of nixpkgs, of a package set, of one package; patches among them."""

from __future__ import annotations

from tvarc import ir
from tvarc.backend.nix.context import Context
from tvarc.backend.nix.settings import bindings, changed_package
from tvarc.backend.nix.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixBinding,
    NixExpr,
    NixIdent,
    NixLambda,
    NixList,
    NixSelect,
)
from tvarc.backend.nix.values import OLD, apply_nix, lower_value
from tvarc.light import replace
from tvarc.nixpkgs import is_python_set, usual_form
from tvarc.values import PathValue

FINAL, PREV = NixIdent("final"), NixIdent("prev")


def lower_overlay(overlay: ir.Overlay, context: Context, seen: set[ir.Path]) -> NixExpr:
    """`(final: prev: { … })`.

    `seen` holds the sets that earlier overlays changed by `.override { overrides }`: that form
    forgets earlier ones, so later ones are composed with them.
    """
    lib = NixSelect(PREV, ("lib",))
    outer = replace(context, pkgs=FINAL, lib=lib, final=FINAL, prev=PREV, frame=None)
    set_path = overlay.target if overlay.relation == "in" else overlay.target[:-1]
    if overlay.relation is None:
        body = NixAttrs(bindings(overlay.changes.attrs, outer, PREV))
    elif not set_path:
        name = overlay.target[0]
        package = _package(overlay, NixSelect(PREV, (name,)), outer)
        body = NixAttrs((NixBinding((name,), package),))
    else:
        body = _set_overlay(overlay, set_path, outer, seen)
    return _overlay("final", "prev", body)


def _overlay(final: str, prev: str, body: NixExpr) -> NixExpr:
    return NixLambda(final, NixLambda(prev, body))


def _package(overlay: ir.Overlay, package: NixExpr, context: Context) -> NixExpr:
    if not overlay.patch:
        return changed_package(package, overlay.changes, context)
    patches = NixBinary(
        "++", NixSelect(OLD, ("patches",), NixList(())), NixList((_patch(overlay, context),))
    )
    body = NixAttrs((NixBinding(("patches",), patches),))
    return apply_nix(NixSelect(package, ("overrideAttrs",)), NixLambda("old", body))


def _patch(overlay: ir.Overlay, context: Context) -> NixExpr:
    fields = {setting.key: setting for setting in overlay.patch}
    file = fields.get("file")
    if file is not None and isinstance(file.value, PathValue):
        return lower_value(file.value, context)
    ordered = (
        "name",
        "url",
        "hash",
        "stripLen",
        "extraPrefix",
        "relative",
        "includes",
        "excludes",
        "revert",
    )
    entries = tuple(
        NixBinding((key,), lower_value(fields[key].value, context))
        for key in ordered
        if key in fields
    )
    return NixApply(context.package_set(("fetchpatch",)), NixAttrs(entries))


# --- package sets ------------------------------------------------------------------------------


def _set_overlay(
    overlay: ir.Overlay, path: ir.Path, outer: Context, seen: set[ir.Path]
) -> NixAttrs:
    python = is_python_set(path)
    names = ("pyFinal", "pyPrev") if python else ("setFinal", "setPrev")
    context = outer.within(*names)
    assert context.prev is not None
    if overlay.relation == "in":
        members = NixAttrs(bindings(overlay.changes.attrs, context, context.prev))
    else:
        name = overlay.target[-1]
        package = _package(overlay, NixSelect(context.prev, (name,)), context)
        members = NixAttrs((NixBinding((name,), package),))
    extension = _overlay(*names, members)
    via = overlay.via or usual_form(path)
    if via == "extensions":
        current = NixSelect(PREV, ("pythonPackagesExtensions",))
        added = NixBinary("++", current, NixList((extension,)))
        return NixAttrs((NixBinding(("pythonPackagesExtensions",), added),))
    previous = NixSelect(PREV, path)
    if via in ("scope", "extend"):
        method = "overrideScope" if via == "scope" else "extend"
        changed = apply_nix(NixSelect(previous, (method,)), extension)
    elif path in seen:
        changed = _composed(previous, extension, outer)
    else:
        seen.add(path)
        overrides = NixAttrs((NixBinding(("overrides",), extension),))
        changed = apply_nix(NixSelect(previous, ("override",)), overrides)
    return _nested(path, changed)


def _composed(previous: NixExpr, extension: NixExpr, context: Context) -> NixExpr:
    """`.override` that keeps the overrides that are there already."""
    empty = _overlay("_", "_", NixAttrs(()))
    earlier = NixSelect(OLD, ("overrides",), empty)
    both = apply_nix(context.library(("composeExtensions",)), earlier, extension)
    body = NixAttrs((NixBinding(("overrides",), both),))
    return apply_nix(NixSelect(previous, ("override",)), NixLambda("old", body))


def _nested(path: ir.Path, value: NixExpr) -> NixAttrs:
    """`{ a = prev.a // { b = value; }; }` for a set within a set."""
    for depth in range(len(path) - 1, 0, -1):
        inner = NixAttrs((NixBinding((path[depth],), value),))
        value = NixBinary("//", NixSelect(PREV, path[:depth]), inner)
    return NixAttrs((NixBinding((path[0],), value),))
