"""Declares the overlays of recipes: one overlay that reads axes for all cells, or one for each."""

from __future__ import annotations

from collections import Counter

from tvarc.blocks import ATTRIBUTES
from tvarc.byhand.importing.links import linked
from tvarc.byhand.importing.model import Overlay, Recipe
from tvarc.byhand.importing.names import key, name_from
from tvarc.byhand.importing.settings import Row, Settings
from tvarc.byhand.importing.sources import has_hash
from tvarc.byhand.importing.statements import Shared
from tvarc.byhand.importing.written import IN_OVERLAY, IN_SET, CannotSay, Site
from tvarc.byhand.reading.marks import plain
from tvarc.byhand.reading.trees import entries_of, own, text_of
from tvarc.light import Sequence
from tvarc.nix.language.syntax import (
    TRUE,
    NixApply,
    NixAttrs,
    NixBinary,
    NixIdent,
    NixList,
    NixSelect,
)
from tvarc.syntax.format.format import because, braced
from tvarc.values.value import quote


class Overlays:
    """Declares the overlays of *recipes*, the cells of one matrix."""

    __slots__ = ("_reasons", "_recipes", "_settings", "_shared", "cells", "declared", "values")

    def __init__(self, recipes: Sequence[Recipe], shared: Shared, settings: Settings) -> None:
        self.values = settings.values
        self.declared = self.values.declared
        self.cells = settings.cells
        self._recipes = recipes
        self._shared = shared
        self._reasons = settings.reasons
        self._settings = settings

    def of_cells(self) -> list[list[str]]:
        """The names of the overlays of each cell; None if no cell has any."""
        cells = list(range(len(self._recipes)))
        lists: list[list[tuple[object, ...]]] = []
        for recipe in self._recipes:
            seen: dict[tuple[object, ...], int] = {}
            names: list[tuple[object, ...]] = []
            for one in recipe.overlays:
                kind: tuple[object, ...] = (
                    one.value is None, one.set, one.name, one.via, one.until,
                )  # fmt: skip
                seen[kind] = seen.get(kind, 0) + 1
                names.append((*kind, seen[kind]))
            lists.append(names)
        if not any(lists):
            return []
        made: dict[tuple[object, ...], dict[int, str]] = {}
        # An overlay can read axes, but not the names of variants.
        without = self.values.templates.with_symbols(
            lambda cell, one: one.without_variant(self.cells, cell)
        )
        with without:
            for each in dict.fromkeys([one for names in lists for one in names]):
                here = [cell for cell in cells if each in lists[cell]]
                overlays = [self._recipes[cell].overlays[lists[cell].index(each)] for cell in here]
                made[each] = self._declared(overlays, here)
        return [[made[one][cell] for one in lists[cell]] for cell in cells]

    def _declared(self, overlays: Sequence[Overlay], cells: Sequence[int]) -> dict[int, str]:
        """The names of the declarations for *overlays* in *cells*: one that reads axes, or one for
        each if that is impossible."""
        found: dict[int, str] = {}
        odd = self._odd_overlays(overlays, cells) if len(set(overlays)) > 1 else set()
        rule = [cell for cell in cells if cell not in odd]
        at = dict(zip(cells, overlays, strict=True))
        if len({at[cell] for cell in rule}) > 1:
            try:
                name = self._declare([at[cell] for cell in rule], rule)
                found = dict.fromkeys(rule, name)
            except CannotSay:
                pass
        for one in dict.fromkeys([at[cell] for cell in cells if cell not in found]):
            here = [cell for cell in cells if cell not in found and at[cell] == one]
            name = self._declare([one], here[:1])
            found.update(dict.fromkeys(here, name))
        return found

    def _odd_overlays(self, overlays: Sequence[Overlay], cells: Sequence[int]) -> set[int]:
        """The few cells in which an overlay differs."""
        shared = self._shared
        kept = (dict(shared.overlays), set(shared.taken))
        with self.declared.leniently():
            try:
                self._declare(overlays, cells)
                odd = set(self.declared.odd)
            except CannotSay:
                usual = Counter(overlays).most_common(1)[0][0]
                others = [cell for cell, one in zip(cells, overlays, strict=True) if one != usual]
                odd = self.cells.missing(others, cells)
            finally:
                shared.overlays = kept[0]
                shared.taken.intersection_update(kept[1])
        return odd if len(odd) <= self.cells.few else set()

    def _declare(self, overlays: Sequence[Overlay], cells: Sequence[int]) -> str:
        first = overlays[0]
        at = Site(cells, name_from(first.name), IN_SET if first.set else IN_OVERLAY)
        if first.value is not None:
            values = [one.value for one in overlays if one.value is not None]
            code = self.values.value(values, at)
            head = (f" in {first.set}" if first.set else "") + _until(first)
            reason = because(self._reasons.why(first.name, cells))
            rows = [*_via(first), f"{key(first.name)} = {code}"]
            return self._named("overlay", first.name, head + reason, rows)
        target = ".".join([key(one) for one in (first.set, first.name) if one]) + _until(first)
        target += because(self._reasons.why(first.name, cells))
        patch = _patch(first) if len(set(overlays)) == 1 else None
        if patch is not None:
            return self._named("patch", first.name, f" for {target}", patch)
        if len(set(overlays)) == 1:
            first, links = linked(first)
            whose = f"{first.name}-overlay"
            codes = {text: self._let(f"{whose}-{name}", text) for text, name in links.items()}
            templates = self.values.templates
            templates.linked.update(codes.values())
            with templates.with_symbols(lambda _, one: one.linked(codes)):
                rows = self._changes([first] * len(cells), at)
        else:
            rows = self._changes(overlays, at)
        return self._named("overlay", first.name, f" for {target}", rows)

    def _let(self, wanted: str, text: str) -> str:
        """The name of a `let` for the *text* that attributes of an overlay read."""
        code = quote(plain(text))
        name = wanted if self._shared.lets.get(wanted) == code else self._shared.name(wanted)
        self._shared.lets[name] = code
        return name

    def _changes(self, overlays: Sequence[Overlay], at: Site) -> list[str]:
        """The lines of an overlay that changes a package."""
        first, cells = overlays[0], at.cells
        names = [tuple([name for name, _ in one.changes]) for one in overlays]
        if len(set(names)) > 1:
            raise CannotSay("an overlay changes different attributes in different recipes")
        rows = _via(first)
        blocks: dict[str, list[str]] = {}
        for number, path in enumerate(names[0]):
            within, _, name = path.partition(".")
            of_cells = {
                cell: one.changes[number][1] for cell, one in zip(cells, overlays, strict=True)
            }
            row = Row(within, name, [of_cells.get(cell) for cell in range(len(self._recipes))])
            for statement in self._settings.said(row, at.named(name_from(name)), cells):
                blocks.setdefault(statement.block, []).append(statement.text)
        for within, lines in blocks.items():
            rows += lines if within in ("", ATTRIBUTES) else braced(within, lines)
        return rows

    def _named(self, word: str, name: str, head: str, rows: Sequence[str]) -> str:
        made = (f"{word} {{}}{head}", tuple(rows))
        found = self._shared.overlays.get(made)
        if found is None:
            found = self._shared.overlays[made] = self._shared.name(name_from(name))
        return found


def _via(overlay: Overlay) -> list[str]:
    """The form of the change of a set by *overlay*, if it is not the usual one."""
    return [f"via = {overlay.via}"] if overlay.via else []


def _until(overlay: Overlay) -> str:
    """The version that makes *overlay* superfluous."""
    return f" until {overlay.until[0]} >= {overlay.until[1]}" if overlay.until else ""


def _patch(overlay: Overlay) -> list[str] | None:
    """The fields of a `patch`, if an overlay only adds one."""
    match overlay.changes:
        case (("attrs.patches", NixBinary("++", left, NixList((NixApply() as call,)))),):
            pass
        case _:
            return None
    if own(left) != "patches" or overlay.via:
        return None
    match call:
        case NixApply(NixSelect(NixIdent(), ("fetchpatch",), None), NixAttrs() as given):
            pass
        case _:
            return None
    fields = dict(entries_of(given))
    if not has_hash(fields):
        return None
    rows: list[str] = []
    for name, value in fields.items():
        text = text_of(value)
        if name == "revert" and value == TRUE:
            rows.append("revert = true")
            continue
        if text is None or name not in ("name", "url", "hash"):
            return None
        rows.append(f"{name} = {quote(plain(text))}")
    return rows
