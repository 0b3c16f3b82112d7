"""A folder of recipes: the files that can be read, their variants, and why other files cannot be
read."""

from __future__ import annotations

import posixpath
import re

from tvarc.byhand.importing.flakes import FLAKE, LOCK, inputs_of, packages_of
from tvarc.byhand.importing.model import PROSE, Recipe, line_at
from tvarc.byhand.importing.needs import needed_by
from tvarc.byhand.importing.pinned import ALONE, Sibling, Siblings
from tvarc.byhand.importing.proof import derived
from tvarc.byhand.importing.reading import read_nixpkgs, read_recipe
from tvarc.byhand.reading.reduce import NotRead, Read
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.doing import each
from tvarc.files.disk import DiskLoader
from tvarc.light import Final, Literal, Mapping, Sequence, dataclass, replace
from tvarc.nix.language.reader import NotNix
from tvarc.nix.language.syntax import NixExpr, NixIdent, NixSelect, NixString, walk
from tvarc.text.paths import fault_of_name
from tvarc.text.source import UnreadableSource
from tvarc.values.plain import Ordinal
from tvarc.values.value import show

_NAMED: Final = re.compile(r"\./(?:[\w.+-]+/)*([\w.+-]+)")

Prose = Literal["keep", "module", "drop"]


@dataclass(frozen=True, slots=True)
class HandMade:
    """A file of a folder: its `path`, the `name` of its package, and its text, or why there is
    none. If a flake calls it, also the nixpkgs of that call and its `line`."""

    path: str
    name: str
    text: str
    fault: str = ""
    caller: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line of a file, and why it, or the file, is left out."""

    KEYS = (("path", "file"),)

    path: str
    line: Ordinal
    """The line of the cause; 1 if the whole file is the cause."""
    reason: str


@dataclass(frozen=True, slots=True)
class Choices:
    """The options of an import: the treatment of descriptions, names of axes by patterns of words,
    and the output folder, relative to the program. `place` is the folder of the program, `source`
    the path from there to the folder of recipes, and `texts` the name of the module for
    descriptions."""

    prose: Prose
    axes: tuple[tuple[str, str], ...]
    folder: str
    place: str = ""
    source: str = ""
    texts: str = "texts.tvar"


class Folder:
    """Reads recipes. `known` has the recipes by the names of variants, `path_of` their paths, and
    `left` the files that are left out. `alone` has recipes as read alone, for those that other
    recipes call with packages. `choices` are the options of the import."""

    def __init__(
        self, files: Sequence[HandMade], read: Read, parser: RecipeParser, choices: Choices
    ) -> None:
        self.files = _without_common(_of_flake(files, read, parser))
        self.unpinned: dict[LeftOut, None] = {}  # lines of a flake with an unknown nixpkgs
        self.choices = choices
        self.known: dict[str, Recipe] = {}
        self.path_of: dict[str, str] = {}
        self.left: dict[str, LeftOut] = {}
        self.alone: dict[str, Recipe] = {}
        self._read = read
        self._parser = parser
        self._imports: set[str] = set()
        self._filled: set[str] = set()
        self._lower: dict[str, str] = {}  # names in the form of a disk that ignores case

    def read_alone(self) -> None:
        """Read each file by itself."""
        for file in each("reading", self.files, len(self.files), "files"):
            stem = file.name
            try:
                if file.fault:
                    raise NotRead(file.fault)
                wrong = fault_of_name(stem)
                if wrong is not None:
                    raise NotRead(f"{show(stem)[:80]} cannot be a variant's name: it {wrong}")
                if stem.lower() in self._lower:
                    other = self._lower[stem.lower()]
                    alike = "" if other == stem else ", except for upper and lower case"
                    raise NotRead(f"`{self.path_of[other]}` has the same name{alike}")
                recipe = self._recipe(file, ALONE)
            except NotNix as fault:
                line = line_at(file.text, fault.offset)
                self.left[file.path] = LeftOut(file.path, line, fault.reason)
                continue
            self._lower[stem.lower()] = stem
            self._imports.update(recipe.imports)
            self._filled.update(recipe.filled)
            self._take(file, recipe)

    def read_together(self) -> None:
        """Read files again that name other files, or take them as arguments, because they may need
        the builds of these."""
        siblings = _siblings(self.known, self.path_of, self.files, self.choices.source)
        for file in self.files if siblings else ():
            stem = file.name
            handed = stem in self.known and not {*self.known[stem].arguments}.isdisjoint(self.known)
            named = handed or _names_any(file.text, siblings)
            is_free = self._lower.setdefault(stem.lower(), stem) == stem
            is_free = is_free and fault_of_name(stem) is None
            if self.path_of.get(stem, file.path) != file.path or not (named and is_free):
                continue
            try:
                recipe = self._recipe(file, siblings)
            except NotNix:
                continue
            if needed_by(recipe):
                self.left.pop(file.path, None)
                if recipe.handed and stem in self.known:
                    self.alone[stem] = self.known[stem]
                self._take(file, recipe)

    def need_equal(self) -> None:
        """Replace a changed package in a recipe by a need of another recipe of the folder with the
        same derivation."""
        if not any(recipe.beneath for recipe in self.known.values()):
            return
        stems = {derived(one, self._parser): stem for stem, one in self.known.items()}
        for stem, recipe in list(self.known.items()):
            needed: dict[str, NixExpr] = {}
            for path, one in recipe.beneath:
                other = stems.get(derived(one, self._parser))
                if other not in (None, stem):
                    needed[path] = NixSelect(NixIdent("@needs"), (str(other),))
            if needed:
                self.alone.setdefault(stem, recipe)
                beneath = tuple([one for one in recipe.beneath if one[0] not in needed])
                settings = {**recipe.settings, **needed}
                self.known[stem] = replace(recipe, settings=settings, beneath=beneath)

    def without_helpers(self) -> tuple[str, ...]:
        """The files that others import or call. They no longer count as recipes, unless a flake
        calls them."""
        source = self.choices.source
        called = {file.path for file in self.files if file.line}
        of_others = {
            path: path not in called and posixpath.join(source, path) in self._filled
            for path in (*self.path_of.values(), *self.left)
        }
        for stem, path in list(self.path_of.items()):
            if of_others[path]:
                del self.known[stem], self.path_of[stem]
        read = self._imports & {*self.left}
        helpers = tuple(sorted({path for path, one in of_others.items() if one or path in read}))
        for path in helpers:
            self.left.pop(path, None)
        return helpers

    def _recipe(self, file: HandMade, siblings: Siblings) -> Recipe:
        source = self.choices.source
        recipe = read_recipe(self._parser, file.text, file.path, self._read, source, siblings)
        if file.line and recipe.pin is None:
            recipe = self._called(recipe, file)
        _look_for(recipe.files, self.choices.place)
        if "\r" in file.text:
            _demand_line_ends(recipe)
        return recipe

    def _called(self, recipe: Recipe, file: HandMade) -> Recipe:
        """*recipe* with the nixpkgs by which a flake calls it, or with its caller's if that nixpkgs
        is not known, which is reported."""
        try:
            if not file.caller:
                raise NotRead(f"no `{LOCK}` says where it is from")
            pin, made = read_nixpkgs(
                self._parser, file.caller, FLAKE, self._read, self.choices.source
            )
        except NotNix as fault:
            self.unpinned[LeftOut(FLAKE, file.line, fault.reason)] = None
            return recipe
        settings = {**made.config, **recipe.settings}
        return replace(recipe, pin=pin, overlays=made.overlays, settings=settings)

    def _take(self, file: HandMade, recipe: Recipe) -> None:
        """Note *recipe* as the content of *file*."""
        is_dropped = self.choices.prose == "drop"
        self.known[file.name] = _without_prose(recipe) if is_dropped else recipe
        self.path_of[file.name] = file.path


def _demand_line_ends(recipe: Recipe) -> None:
    """Refuse a recipe with texts that contain carriage returns: no script of the language has them.
    Only this recipe is refused, so that other files can be imported."""
    for node in walk(recipe.settings.values()):
        if isinstance(node, NixString) and any(
            isinstance(part, str) and "\r" in part for part in node.parts
        ):
            reason = "a string has carriage returns: the file has Windows line endings"
            raise NotRead(reason)


def _of_flake(files: Sequence[HandMade], read: Read, parser: RecipeParser) -> list[HandMade]:
    """*files* with the names that the flake in their folder uses, and a recipe for each of its
    packages that is a call with arguments."""
    there = read(FLAKE, f"./{FLAKE}")
    if isinstance(there, str):
        return list(files)
    lock = read(FLAKE, f"./{LOCK}")
    inputs = inputs_of(lock[1]) if not isinstance(lock, str) else {}
    by_path = {file.path: file for file in files}
    made: dict[str, HandMade] = {}
    for one in packages_of(parser, there[1], inputs):
        path = one.path if one.path in by_path else posixpath.join(one.path, "default.nix")
        if one.text:
            name = f"{FLAKE}#{one.name}"
            made[name] = HandMade(name, one.name, one.text, one.fault, one.nixpkgs, one.line)
        elif path in by_path:
            called = replace(by_path[path], name=one.name, caller=one.nixpkgs, line=one.line)
            made.setdefault(path, called)
    return list({**by_path, **made}.values())


def _without_common(files: Sequence[HandMade]) -> list[HandMade]:
    """*files* with names without the folders that all have in common."""
    if len(files) < 2:
        return list(files)
    common = posixpath.commonpath([_folder(file.path) for file in files])
    start = f"{common.replace('/', '.')}."
    if not common or not all(file.name.startswith(start) for file in files):
        return list(files)
    return [replace(file, name=file.name.removeprefix(start)) for file in files]


def _folder(path: str) -> str:
    """The folder of the package in the file *path*."""
    folder, name = posixpath.split(path)
    return posixpath.dirname(folder) if name == "default.nix" else folder


def _siblings(
    known: Mapping[str, Recipe],
    path_of: Mapping[str, str],
    files: Sequence[HandMade],
    source: str,
) -> dict[str, Sibling]:
    """The recipes that other files name, by their paths from the program."""
    named = {name for file in files for name in _NAMED.findall(file.text)}
    arguments = {name for recipe in known.values() for name in recipe.arguments}
    return {
        posixpath.normpath(posixpath.join(source, path_of[stem])): Sibling(
            stem, recipe.pin is not None
        )
        for stem, recipe in known.items()
        if {posixpath.basename(path_of[stem]), posixpath.basename(stem)} & named
        or stem in arguments
    }


def _names_any(text: str, siblings: Siblings) -> bool:
    names = {posixpath.basename(path) for path in siblings}
    names |= {posixpath.basename(posixpath.dirname(path)) for path in siblings}
    return not names.isdisjoint(_NAMED.findall(text))


def _look_for(files: Sequence[str], place: str) -> None:
    """Refuse a recipe that names missing files."""
    loader = DiskLoader("")
    for path in files:
        try:
            loader.kind(posixpath.join(place, path))
        except UnreadableSource as fault:
            raise NotRead(f"it names `{path}`: {fault.reason}") from None


def _without_prose(recipe: Recipe) -> Recipe:
    kept = {name: value for name, value in recipe.settings.items() if name not in PROSE}
    return replace(recipe, settings=kept)
