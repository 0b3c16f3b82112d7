"""From a place in the Nix that variants were evaluated by to the lines of the program behind it."""

from __future__ import annotations

from tvarc import ir
from tvarc.assembly.collection_map import MappedCollection
from tvarc.assembly.source_map import MappedFile, SourceMaps
from tvarc.assembly.together import together_mapped
from tvarc.backend.nix.context import Traced
from tvarc.driver import Compilation
from tvarc.judge.faults import NixFault, NixPlace
from tvarc.light import Final, Iterable, Iterator, Sequence
from tvarc.programs.recipes import Collected, Recipe
from tvarc.provenance.model import Place
from tvarc.report.source_map import Sharpness
from tvarc.source import Span

_TELLING: Final = 6
"""A text of fewer characters may stand anywhere."""


class NixLines:
    """The map of what was evaluated, made when it is first asked for."""

    def __init__(self, made: Compilation, file: str, source: str, together: Sequence[str]) -> None:
        """*file* holds the variants that are named in *together*; *source* is the program as seen
        from its folder."""
        self._made = made
        self._file = file
        self._source = source
        self._names = frozenset(together)
        self._maps: SourceMaps | None = None
        self._whole: Collected | None = None

    def span_of(self, fault: NixFault, recipe: ir.Recipe, needed: Iterable[ir.Recipe] = ()) -> Span:
        """What in the program *fault* is about, which Nix found in *recipe* or in what it *needed*:
        what stands where it is, or what is named by it, or what led there; or else the package."""
        for place in (*self._written(fault, recipe), *fault.places[:1]):
            found = self._span(place)
            if found is not None:
                return found
        for setting in (setting for one in (recipe, *needed) for setting in _settings(one)):
            if any(_quotes(line, setting.key) for line in fault.words):
                return setting.origin.span
        for place in fault.places:
            found = self._span(place)
            if found is not None:
                return found
        return recipe.package.origin.span

    def variant_at(self, line: int) -> str:
        """The variant that *line* is of; empty for one of several, or of none."""
        owners = self._collected().mapped.variants
        return owners[line - 1] if 1 <= line <= len(owners) else ""

    def alike(self, variant: str, span: Span) -> set[str]:
        """The variants of which the lines that *span* made are those of *variant*, and itself."""
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
        """Where the text of a `throw` stands that the program wrote: older versions of Nix do not
        say by what it was thrown."""
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
        return self._span_of_line(*(own or lines)[0]) if lines else None

    def _lines(self, recipe: Recipe, number: int) -> Sequence[Place]:
        """The lines behind line *number*, those first that say most of it. What only names the
        variant is at fault for nothing."""
        numbering = recipe.maps.numbering
        head = recipe.mapped.recipe.prov
        naming = head.name | head.declared if head is not None else 0
        made, around = recipe.file.made[number - 1], recipe.file.around[number - 1]
        found = next((one for one in (made & ~naming, around & ~naming, made) if one), 0)
        order = Sharpness(numbering, recipe.file, recipe.made.file)
        return order.ordered(numbering.places(found))

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
        found = [maps.of(variant) for variant in variants]
        recipes = [one.recipe for one in found if one is not None]
        traced = Traced(maps.numbering.value)
        whole = together_mapped(recipes, self._source, self._made.file, traced)
        file = MappedFile(self._file, whole.text, whole.made, whole.around)
        mapped = MappedCollection(file, whole.variants)
        return Collected(self._file, self._made, maps, mapped)


def _settings(recipe: ir.Recipe) -> Iterator[ir.Setting]:
    """What sets something by a name that Nix may name; overlays before the recipe's own."""
    changes = (*(overlay.changes for overlay in recipe.overlays), recipe.changes)
    for one in changes:
        yield from (*one.args, *one.attrs, *one.env)


def _quotes(line: str, name: str) -> bool:
    """Whether *line* of Nix's words has *name* in quotes, of whatever kind, or ends with it after a
    colon: so nixpkgs names the variables that it does not take."""
    quoted = any(f"{a}{name}{b}" in line for a, b in ("''", "‘’", '""', "``", "`'"))
    return quoted or line.endswith(f": {name}")
