"""What recipes say as it is compared: one model for two spellings."""

from __future__ import annotations

from tvarc.byhand.importing.model import Overlay, Recipe
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import attrs_of, entries_of, own, rewritten, selected, unmarked
from tvarc.light import lru_cache
from tvarc.nix.language.syntax import NixAttrs, NixExpr, NixIdent, NixSelect

Overlays = tuple[object, ...]
"""Overlays as they are compared, in order."""


def canonical(recipe: Recipe, parser: RecipeParser) -> tuple[dict[str, object], Overlays]:
    """*recipe* as it is compared: its settings by path, and its overlays. Of `final` and `prev`
    there is one where no overlay changes what is asked for. A recipe beneath it is compared in the
    same way, however it is written. *parser* has read it."""
    settings: dict[str, object] = {
        key: parser.once(_outside, node) for key, node in recipe.settings.items()
    }
    for path, one in recipe.beneath:
        inner, overlays = canonical(one, parser)
        settings[path] = frozenset(inner.items()), overlays
    settings["package"] = parser.once(_outside, recipe.package)
    settings["pin"] = recipe.pin
    return settings, _canonical_overlays(recipe.overlays)


def derived(recipe: Recipe, parser: RecipeParser) -> object:
    """What decides the derivation of *recipe*, as a key: all but `meta`."""
    settings, overlays = canonical(recipe, parser)
    return frozenset([one for one in settings.items() if not one[0].startswith("meta.")]), overlays


def _outside(node: NixExpr) -> NixExpr:
    """*node* of a setting as it is compared."""
    return _sorted(_bare(unmarked(node)))


@lru_cache(maxsize=None)
def _canonical_overlays(compared: tuple[Overlay, ...]) -> Overlays:
    """Overlays as they are compared."""
    changed = {overlay.set or overlay.name for overlay in compared}
    changed |= {overlay.name for overlay in compared}

    def same(node: NixExpr) -> NixExpr | None:
        match node:
            case NixSelect(NixIdent("@prev" | "@pkgs"), path, default) if path[0] not in changed:
                return selected(NixIdent("@final"), tuple([str(one) for one in path]), default)
            case NixSelect(NixIdent("@set-prev"), path, default) if path[0] not in changed:
                return selected(NixIdent("@set-final"), tuple([str(one) for one in path]), default)
            case _:
                return None

    def inside(node: NixExpr) -> NixExpr:
        return _sorted(rewritten(_bare(unmarked(node)), same))

    overlays: list[object] = []
    for one in compared:
        value = inside(one.value) if one.value is not None else None
        changes = sorted([(path, inside(node)) for path, node in one.changes], key=lambda x: x[0])
        overlays.append((one.set, one.name, one.via, value, tuple(changes), one.until))
    return tuple(overlays)


def _sorted(node: NixExpr) -> NixExpr:
    def change(one: NixExpr) -> NixExpr | None:
        if isinstance(one, NixAttrs):
            entries = sorted(entries_of(one), key=lambda pair: pair[0])
            return attrs_of([(key, _sorted(value)) for key, value in entries])
        return None

    return rewritten(node, change)


def _bare(node: NixExpr) -> NixExpr:
    """*node*, the package's own attributes as if it had them."""

    def change(one: NixExpr) -> NixExpr | None:
        name = own(one)
        return NixSelect(NixIdent("@old"), (name,)) if name is not None else None

    return rewritten(node, change)
