"""Needs that lead back to themselves through an overlay. Nix makes such a need from the recipe's
own nixpkgs, and an overlay of the recipe uses the need to change that nixpkgs."""

from __future__ import annotations

from tvarc.decide import messages as msg
from tvarc.light import Iterable, Iterator, replace
from tvarc.meaning.names.scope import NEEDS
from tvarc.nix import ir
from tvarc.nix.language.syntax import NixExpr, NixIdent, NixRaw, NixSelect
from tvarc.nix.language.syntax import walk as nix_walk
from tvarc.nix.lower.context import AsNamed, Formals
from tvarc.nix.lower.lower import context_of, lower_overlays
from tvarc.nix.lower.settings import bindings
from tvarc.nix.lower.values import OLD, lower_value
from tvarc.text.diagnostics.model import Failed, Sink


def refuse_overlay_circles(recipe: ir.Recipe, sink: Sink) -> None:
    """Refuse each need of *recipe* that an overlay uses in the place of one of the need's own
    dependencies. Raises Failed after reporting."""
    failed = False
    for need in recipe.needs:
        if need.linked is not None or need.recipe is not None:
            continue
        read = set(_packages(need))
        for overlay in recipe.overlays if read else ():
            for changed in _changed_by(overlay, need.name):
                taken = next((path for path in read if path[: len(changed)] == changed), None)
                if taken is not None:
                    _refuse(need, taken, overlay, changed, sink)
                    failed = True
    if failed:
        raise Failed


def _refuse(
    need: ir.Need, taken: ir.Path, overlay: ir.Overlay, changed: ir.Path, sink: Sink
) -> None:
    name = f"{NEEDS}.{need.name}"
    package = ".".join(("pkgs", *taken))
    ring = (name, package, f"overlay `{overlay.name}`", name)
    sink.report(
        msg.overlays.OVERLAY_CIRCLE,
        need.setting.origin.span,
        others=[overlay.listed.span],
        cause=f"circle {need.setting.origin.span} {overlay.name}",
        name=name,
        package=package,
        changed=".".join(changed),
        ring=" → ".join(ring),
    )


_PACKAGES = NixIdent(" pkgs")  # no name of Nix can be this one, which means the package set


def _packages(need: ir.Need) -> Iterator[ir.Path]:
    """The packages that the value of *need* names."""
    context = replace(context_of(None, False, AsNamed(), Formals()), pkgs=_PACKAGES)
    for node in nix_walk([lower_value(need.setting.value, context)]):
        match node:
            case NixSelect(base, path) if base == _PACKAGES:
                names = [step for step in path if isinstance(step, str)]
                if len(names) == len(path):
                    yield tuple(names)
            case NixRaw(parts):
                for part in parts:
                    if isinstance(part, str):
                        yield from _named_in(part)


def _named_in(text: str) -> Iterator[ir.Path]:
    """The packages that Nix text names as `pkgs.a.b`."""
    for word in "".join(c if c.isalnum() or c in "_'-." else " " for c in text).split():
        root, *path = word.split(".")
        if root == "pkgs" and path and all(path):
            yield tuple(path)


def _changed_by(overlay: ir.Overlay, name: str) -> Iterator[ir.Path]:
    """The parts of nixpkgs that *overlay* changes with the value of the need *name*."""
    context = context_of(None, False, AsNamed(), Formals())
    if overlay.relation == "for":
        made = [one.value for one in lower_overlays((overlay,), context)]
        if _reads(made, name):
            yield overlay.target
        return
    within = context.within("final", "prev")
    for setting in overlay.changes.attrs:
        if _reads([one.value for one in bindings((setting,), within, OLD)], name):
            yield (*overlay.target, setting.key)


def _reads(nodes: Iterable[NixExpr], name: str) -> bool:
    for node in nix_walk(nodes):
        match node:
            case NixSelect(NixIdent("needs"), path) if path[0] == name:
                return True
            case NixRaw(parts):
                texts = [part for part in parts if isinstance(part, str)]
                if any(f"{NEEDS}.{name}" in text for text in texts):
                    return True
    return False
