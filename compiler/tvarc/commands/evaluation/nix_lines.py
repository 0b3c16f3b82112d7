"""Finds the lines of the program for a place in the Nix code of an evaluation."""

# ruff: noqa: PTH100, PTH119
# pathlib costs too much at start.
from __future__ import annotations

import os
import re

from tvarc.blocks import IN_PARTS
from tvarc.build.assembly.collection_map import MappedCollection
from tvarc.build.assembly.source_map import MappedFile, SourceMaps
from tvarc.build.assembly.together import together
from tvarc.build.driver import Compilation
from tvarc.commands.evaluation.files import Prepared
from tvarc.commands.programs.recipes import Collected, Recipe
from tvarc.commands.shown.source_map import Sharpness
from tvarc.light import Final, Iterable, Iterator, Mapping, Sequence
from tvarc.nix import ir
from tvarc.nix.judge.faults import NixFault, NixPlace
from tvarc.nix.judge.named_files import files_in, files_in_text, names_in
from tvarc.nix.lower.context import Traced
from tvarc.nix.lower.lower import lacked_scope, stated_release
from tvarc.text.source import Span
from tvarc.values.provenance import Place
from tvarc.values.value import Value

_LACKED: Final = re.compile(
    r"attribute '(?P<attribute>[^']+)' missing|required argument '(?P<argument>[^']+)'"
    r"|undefined variable '(?P<variable>[^']+)'|has no package `(?P<package>[^`]+)`"
)
"""The words of Nix, or of a guard of a recipe, for a missing name."""
_TELLING: Final = 6
"""Shorter texts may occur in many places."""


class NixLines:
    """The map of the evaluated file, made on first use."""

    def __init__(self, made: Compilation, prepared: Prepared) -> None:
        """The file is that of *prepared*."""
        self._made = made
        self._file = prepared.printed
        self._source = prepared.source
        self._moved = prepared.moved
        self._names = frozenset(prepared.together)
        self._maps: SourceMaps | None = None
        self._whole: Collected | None = None

    def span_of(self, fault: NixFault, recipe: ir.Recipe, needed: Iterable[ir.Recipe] = ()) -> Span:
        """The place in the program of *fault*, an error of Nix in *recipe* or the recipes *needed*.
        It is the place of the thing that the error names, or else of a line of the trace, or else
        of the package."""
        needed = tuple(needed)
        named = self.named(fault, recipe, needed)
        if named is not None:
            return named
        for place in fault.places:
            found = self._span(place)
            if found is not None:
                return found
        return recipe.package.origin.span

    def named(
        self, fault: NixFault, recipe: ir.Recipe, needed: Sequence[ir.Recipe]
    ) -> Span | None:
        """The thing that *fault* itself names: the value at its place, the release of a pin, or a
        setting or a file by its name. None if it is about something in nixpkgs."""
        for one in (recipe, *needed):
            fields = dict(one.pin.fields) if one.pin is not None else {}
            if one.pin is not None and fault.words[0].startswith(stated_release(one.pin)):
                return fields["release"].span
            if one.scope is not None and fault.words[0].startswith(lacked_scope(one.scope_path)):
                return one.scope.origin.span
        user = self._user(fault, recipe, needed)
        if user is not None:
            return user
        for place in (*self._written(fault, recipe), *fault.places[:1]):
            found = self._span(place)
            if found is not None:
                return found
        settings = [setting for one in (recipe, *needed) for setting in _settings(one)]
        for setting in settings:
            if any(_quotes(line, setting.key) for line in fault.words):
                return setting.origin.span
        for setting in (*settings, *(one.package for one in (recipe, *needed))):
            files = (*files_in(setting.value), *files_in_text(setting.value))
            if any(_names(line, file) for line in fault.words for file in files):
                return setting.origin.span
        return None

    def _user(
        self, fault: NixFault, recipe: ir.Recipe, needed: Sequence[ir.Recipe]
    ) -> Span | None:
        """The one value that uses the name which Nix does not find. The map distinguishes lines,
        and several settings may be on one line. None if there is no such value, or more than
        one."""
        lacked = _LACKED.search(fault.words[0])
        inside = not fault.places or fault.places[0].file == self._file
        if lacked is None or not (inside or (lacked["argument"] and self._file in fault.words[0])):
            return None
        name = next(filter(None, lacked.groups())).split(".")[-1]
        values = (value for one in (recipe, *needed) for value in values_of(one))
        users = {span for value, span in values if name in names_in(value)}
        return users.pop() if len(users) == 1 else None

    def of_line(self, fault: NixFault, line: int, needed: Mapping[str, ir.Recipe]) -> set[str]:
        """The variants that have the code which Nix refuses at *line*: the variants of that line
        and of equal lines, or the one variant; none if no variant has it."""
        mapped = self._collected().mapped
        if not 1 <= line <= len(mapped.variants):
            return set()
        owner = mapped.variants[line - 1]
        if owner:
            return self._alike(owner, self.span_of(fault, needed[owner]))
        span = self._span(NixPlace(self._file, line, 1))
        text = mapped.file.text.split("\n")
        found: set[str] = set()
        for number, owner in enumerate(mapped.variants, 1):
            shared = not owner and text[number - 1] == text[line - 1]
            if shared and self._span(NixPlace(self._file, number, 1)) == span:
                found.update(_next_run(mapped.variants[number:]))
        return found

    def _alike(self, variant: str, span: Span) -> set[str]:
        """*variant*, and the variants with the same lines from the code of *span*."""
        mapped = self._collected().mapped
        text, found = mapped.file.text.split("\n"), {variant: list[str]()}
        own = [n for n, owner in enumerate(mapped.variants, 1) if owner == variant]
        lines = {text[n - 1] for n in own if self._span(NixPlace(self._file, n, 1)) == span}
        for number, owner in enumerate(mapped.variants, 1):
            line = text[number - 1]
            if owner and line in lines and self._span(NixPlace(self._file, number, 1)) == span:
                found.setdefault(owner, []).append(line)
        return {name for name, told in found.items() if told == found[variant]} - {""}

    def _written(self, fault: NixFault, recipe: ir.Recipe) -> Iterator[NixPlace]:
        """The place of the text of a `throw` that the program wrote: older versions of Nix do not
        report the place."""
        words = fault.words[0]
        whole = self._collected() if recipe.variant in self._names else None
        if whole is None or len(words) < _TELLING:
            return
        text = whole.mapped.file.text
        owners = whole.mapped.variants
        for number, line in enumerate(text.split("\n"), 1):
            if words in line and owners[number - 1] in ("", recipe.variant):
                yield NixPlace(self._file, number, 1)

    def _span(self, place: NixPlace) -> Span | None:
        recipe = self._recipe(place)
        if recipe is None or not 1 <= place.line <= recipe.count:
            return None
        lines = self._lines(recipe, place.line)
        own = [line for line in lines if not line[0].startswith("std/")]
        span = self._span_of_line(*(own or lines)[0]) if lines else None
        if span is None:
            return None
        return self._setting_in(span, recipe, place.line) or span

    def _setting_in(self, line: Span, recipe: Recipe, number: int) -> Span | None:
        """The one setting within the *line* of the program that line *number* of Nix is from."""
        names = recipe.maps.numbering.values(recipe.file.made[number - 1])
        keys = {path[-1] for path in names if path}
        whole = recipe.mapped.recipe
        changes = (whole.changes, *(overlay.changes for overlay in whole.overlays))
        found = {
            leaf.origin.span
            for one in changes
            for setting in one.settings
            for leaf in _leaves(setting)
            if leaf.key in keys and line.has(leaf.origin.span)
        }
        return found.pop() if len(found) == 1 else None

    def _lines(self, recipe: Recipe, number: int) -> Sequence[Place]:
        """The lines behind line *number*, the most informative first. Lines that only name the
        variant are never the cause."""
        numbering = recipe.maps.numbering
        head = recipe.mapped.recipe.prov
        naming = head.name | head.declared if head is not None else 0
        made, around = recipe.file.made[number - 1], recipe.file.around[number - 1]
        candidates = map(numbering.places, (made & ~naming, around & ~naming, made))
        found = next((places for places in candidates if places), ())
        return Sharpness(numbering, recipe.file, recipe.made.file).ordered(found)

    def _span_of_line(self, file: str, number: int) -> Span | None:
        source = self._made.sources.get(file)
        if source is None:
            return None
        start, text = source.line_starts()[number - 1], source.line(number)
        indent = len(text) - len(text.lstrip())
        return Span(file, start + indent, start + max(len(text.rstrip()), indent + 1))

    def _recipe(self, place: NixPlace) -> Recipe | None:
        if place.file == self._file:
            whole = self._collected()
            return whole.at(place.line) if place.line <= whole.count else None
        return None

    def _traced(self) -> SourceMaps:
        if self._maps is None:
            self._maps = SourceMaps(self._made.traced(), self._source, self._made.file)
        return self._maps

    def _collected(self) -> Collected:
        if self._whole is None:
            self._whole = self._mapped()
        return self._whole

    def _mapped(self) -> Collected:
        maps = self._traced()
        variants = [one for one in self._made.variants if one.name in self._names]
        found = [maps.recipe(variant) for variant in variants]
        recipes = [self._moved(one) for one in found if one is not None]
        traced = Traced(maps.numbering.value)
        whole = together(recipes, self._source, self._made.file, traced)
        file = MappedFile(self._file, whole.text, whole.made, whole.around)
        mapped = MappedCollection(file, whole.variants)
        return Collected(self._file, self._made, maps, mapped)


def _next_run(owners: Sequence[str]) -> Iterator[str]:
    """The next group of variants with lines in a row: they share the lines above."""
    begun = False
    for owner in owners:
        if owner:
            begun = True
            yield owner
        elif begun:
            return


def _settings(recipe: ir.Recipe) -> Iterator[ir.Setting]:
    """The settings that Nix may name: first those of overlays, then the recipe's own, then those of
    recipes in it."""
    changes = (*(overlay.changes for overlay in recipe.overlays), recipe.changes)
    for one in changes:
        yield from one.built()
    for overlay in recipe.overlays:
        yield from overlay.patch
    if recipe.scope is not None:
        yield recipe.scope
    for need in recipe.needs:
        if need.recipe is not None:
            yield from _settings(need.recipe)


def values_of(recipe: ir.Recipe) -> Iterator[tuple[Value, Span]]:
    """The values of *recipe*, each with the place that wrote it."""
    changes = (*(overlay.changes for overlay in recipe.overlays), recipe.changes)
    settings = [recipe.package, *recipe.config, *(() if recipe.scope is None else (recipe.scope,))]
    for one in changes:
        settings += [setting for setting in one.settings if setting.path[0] not in IN_PARTS]
        for script in one.scripts:
            for part in script.parts:
                if part.origin is not None:
                    yield part.text or "", part.origin.span
    for overlay in recipe.overlays:
        settings += overlay.patch
    for need in recipe.needs:
        if need.recipe is not None:
            yield from values_of(need.recipe)
        elif need.linked is None:
            settings.append(need.setting)
    for setting in settings:
        for leaf in _leaves(setting):
            for element in (*(leaf.elements or ()), *leaf.removed):
                yield element.value, element.origin.span
            if leaf.elements is None:
                yield leaf.value, leaf.origin.span


def _leaves(setting: ir.Setting) -> Iterator[ir.Setting]:
    """The parts of *setting* that were written one by one."""
    if setting.children is None:
        yield setting
    for child in setting.children or ():
        yield from _leaves(child)


def _names(line: str, file: str) -> bool:
    """Whether *line* of Nix's words has *file* in quotes, by its path or as the store has it."""
    path = os.path.abspath(file)
    return _quotes(line, path) or f"-{os.path.basename(path)}'" in line


def _quotes(line: str, name: str) -> bool:
    """Whether *line* of Nix's words has *name* in quotes, of whatever kind, or ends with it after a
    colon: this is how nixpkgs names variables that it rejects."""
    quoted = any(f"{a}{name}{b}" in line for a, b in ("''", "‘’", '""', "``", "`'"))
    return quoted or line.endswith(f": {name}")
