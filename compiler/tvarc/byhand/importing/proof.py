"""Proves a program: reads the recipes that it builds, and compares them with the imported files."""

from __future__ import annotations

import posixpath

from tvarc.build.driver import Compilation, compile_file
from tvarc.byhand.importing.model import Overlay, Recipe
from tvarc.byhand.importing.needs import needed_by
from tvarc.byhand.importing.pinned import Sibling, Siblings
from tvarc.byhand.importing.reading import read_recipe
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import attrs_of, entries_of, own, rewritten, selected, unmarked
from tvarc.files.cache import Cache
from tvarc.files.disk import DiskLoader
from tvarc.light import Final, Mapping, dataclass, lru_cache
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import NixAttrs, NixExpr, NixFloat, NixIdent, NixSelect
from tvarc.text.source import FileKind, Source, UnreadableSource
from tvarc.values.value import float_text

Overlays = tuple[object, ...]
"""Overlays in comparable form, in order."""


def canonical(recipe: Recipe, parser: RecipeParser) -> tuple[dict[str, object], Overlays]:
    """*recipe* in comparable form: its settings by path, and its overlays. `final` and `prev` are
    equal if no overlay changes the attribute that is read. A recipe beneath it is compared in the
    same way, independent of its spelling. *parser* has read it."""
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
    """A key for everything that decides the derivation of *recipe*: all settings except `meta`."""
    settings, overlays = canonical(recipe, parser)
    return frozenset([one for one in settings.items() if not one[0].startswith("meta.")]), overlays


def _outside(node: NixExpr) -> NixExpr:
    """*node* of a setting in comparable form."""
    return _sorted(_bare(unmarked(node)))


@lru_cache(maxsize=None)
def _canonical_overlays(compared: tuple[Overlay, ...]) -> Overlays:
    """Overlays in comparable form."""
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
    """*node* with the keys of its sets in order, and each float in its shortest spelling."""

    def change(one: NixExpr) -> NixExpr | None:
        if isinstance(one, NixAttrs):
            entries = sorted(entries_of(one), key=lambda pair: pair[0])
            return attrs_of([(key, _sorted(value)) for key, value in entries])
        if isinstance(one, NixFloat):
            return NixFloat(float_text(float(one.text)))
        return None

    return rewritten(node, change)


def _bare(node: NixExpr) -> NixExpr:
    """*node*, without the defaults of the package's own attributes."""

    def change(one: NixExpr) -> NixExpr | None:
        name = own(one)
        return NixSelect(NixIdent("@old"), (name,)) if name is not None else None

    return rewritten(node, change)


def _read_bare(recipe: Recipe) -> set[str]:
    """The attributes of its package that *recipe* reads without a default. `_bare` compares them
    alike."""
    bare: set[str] = set()

    def look(one: NixExpr) -> NixExpr | None:
        match one:
            case NixSelect(NixIdent("@old"), (str() as key,), None):
                bare.add(key)
            case _ if own(one) is not None:
                return one
            case _:
                pass
        return None

    for value in recipe.settings.values():
        rewritten(value, look)
    return bare


PROGRAM: Final = "variants.tvar"


class _InMemory(DiskLoader):
    """A loader with the sources of one program in memory, as if they were in the folder *place*. It
    reads only the standard library from disk."""

    __slots__ = ("place", "sources")

    def __init__(self, std_folder: str, sources: Mapping[str, str], place: str) -> None:
        super().__init__(std_folder)
        self.sources = sources
        self.place = place

    def read(self, file: str) -> Source:
        if file in self.sources:
            return Source(file, self.sources[file])
        if not file.startswith("std/"):
            raise UnreadableSource(file, "no such file or directory")
        return super().read(file)

    def identity(self, file: str) -> str:
        return super().identity(file) if file.startswith("std/") else file

    def kind(self, file: str) -> FileKind:
        return super().kind(posixpath.join(self.place, file))


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools that compile programs and read their recipes: the `parser` that has read the
    recipes, the folder of the library, and the `cache`, which has no folder if nothing is
    stored."""

    parser: RecipeParser
    std_folder: str
    cache: Cache


@dataclass(frozen=True, slots=True)
class Proof:
    """The faults of a program: the difference of each recipe, by the name of its variant, and the
    first error of the program, if it has any."""

    differing: dict[str, str]
    error: str = ""


def prove(
    sources: Mapping[str, str],
    recipes: Mapping[str, Recipe],
    place: str,
    tools: Tools,
) -> Proof:
    """Check whether the program of *sources*, in the folder *place*, builds *recipes*, by the names
    of variants."""
    built, error = built_by(sources, place, tools)
    if error:
        return Proof({}, error)
    siblings = {
        built[name][0]: Sibling(name, recipe.pin is not None)
        for name, recipe in recipes.items()
        if name in built
    }
    differing: dict[str, str] = {}
    for name, recipe in recipes.items():
        reason = _difference(recipe, built.get(name), tools.parser, siblings)
        if reason:
            differing[name] = reason
    for name in built:
        if name not in recipes:
            return Proof(differing, f"the program builds `{name}`, and there is no such file")
    return Proof(differing)


def built_by(
    sources: Mapping[str, str], place: str, tools: Tools
) -> tuple[dict[str, tuple[str, str]], str]:
    """The files that the program of *sources*, in the folder *place*, builds: path and text by
    name; or its first error, which may be about a line without an effect."""
    loader = _InMemory(tools.std_folder, sources, place)
    made = compile_file(PROGRAM, loader, (), tools.cache)
    built: dict[str, tuple[str, str]] = {}
    if made.expansion is not None and not _error(made):
        files = made.files(PROGRAM, lints=False)
        # After an error there are fewer files than variants.
        for variant, file in zip(made.expansion.variants, files, strict=False):
            built[variant.name] = file.path, file.data().decode("utf-8")
        made.elaboration.finish(made.expansion)
    return built, _error(made)


def _error(made: Compilation) -> str:
    if made.expansion is not None and not made.sink.has_errors:
        return ""
    errors = [one for one in made.sink if one.code.startswith("E")]
    return f"{errors[0].code}, {errors[0].title}" if errors else "it cannot be compiled"


def unread(*_: str) -> str:
    """Return a reason: the imports of a recipe that is read back are not read."""
    return "the program does not write it"


def _difference(
    recipe: Recipe,
    built: tuple[str, str] | None,
    parser: RecipeParser,
    siblings: Siblings,
) -> str:
    """The first difference of the file that was *built*, at a path; empty if there is none."""
    if built is None:
        return "no variant builds it"
    path, text = built
    try:
        other = read_recipe(parser, text, path, unread, "", siblings, places=False)
    except NotNix as fault:
        return f"what the program builds cannot be read back: {fault.reason}"
    needs, handed = {*needed_by(recipe)}, {*needed_by(other)}
    if handed and handed <= {*recipe.arguments} and not needs:
        # it takes the same arguments as its file, whoever passes them
        other = read_recipe(parser, text, path, unread, places=False)
        handed = {*needed_by(other)}
    mine, my_overlays = canonical(recipe, parser)
    theirs, their_overlays = canonical(other, parser)
    if {*recipe.handed} & needs != {*other.handed} & handed:
        return "the program would pass it other recipes as arguments"
    for name in sorted({*mine, *theirs}):
        if mine.get(name) != theirs.get(name):
            return f"the program would build it with another `{name}`"
    lacking = _read_bare(other) - _read_bare(recipe)
    if lacking:
        return f"the program would read `old.{min(lacking)}` without the default"
    if my_overlays != their_overlays:
        return "the program would build it with other overlays"
    return ""
