"""A folder of recipes → a program that is proven to build the same, and what it leaves out."""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from fnmatch import fnmatchcase

from tvarc.cache import Cache
from tvarc.disk import DiskLoader
from tvarc.importing.flakes import FLAKE, packages_of
from tvarc.importing.likeness import Likeness, likeness, with_likeness
from tvarc.importing.model import Recipe
from tvarc.importing.needs import needed_by
from tvarc.importing.program import Drifting, Family, Written, write_program
from tvarc.importing.proof import PROGRAM, Proof, prove
from tvarc.importing.reading import Sibling, read_recipe
from tvarc.importing.recipes import PROSE
from tvarc.importing.reduce import NotImported, Read
from tvarc.importing.shapes import Shape, shapes_of
from tvarc.importing.tables import Table
from tvarc.importing.trees import path_of, root_of
from tvarc.light import (
    Final,
    Iterable,
    Iterator,
    Literal,
    Mapping,
    Sequence,
    dataclass,
    field,
    replace,
)
from tvarc.nix.quoting import is_attribute_name
from tvarc.nix.reader import NixParser
from tvarc.nix.syntax import NixApply, NixExpr
from tvarc.source import UnreadableSource
from tvarc.values import show

_NAMED: Final = re.compile(r"\./(?:[\w.+-]+/)*([\w.+-]+)")
_ROUNDS: Final = 8
_PATIENT: Final = 4  # after so many rounds all of a shape may be left out

Prose = Literal["keep", "module", "drop"]


@dataclass(frozen=True, slots=True)
class HandMade:
    """A file of a folder: its *path*, the *name* of its package, its text, or why there is none."""

    path: str
    name: str
    text: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A file that is not imported, and why: the line of the cause, from 1 on."""

    path: str
    line: int
    reason: str


@dataclass(frozen=True, slots=True)
class Choices:
    """How to import: what becomes of descriptions, axes that are named by a pattern of words, and
    the folder that the program writes to, relative to it. `place` is the folder in which the
    program is to stand, `source` that of the recipes as it is seen from there, and `texts` the
    name of the module for descriptions."""

    prose: Prose
    axes: tuple[tuple[str, str], ...]
    folder: str
    place: str = ""
    source: str = ""
    texts: str = "texts.tvar"


@dataclass(frozen=True, slots=True)
class Imported:
    """A program, empty where nothing could be imported, and the module of its texts, empty where it
    has none; the files that it builds, those that they
    import, and those that are left out; drift; bindings that nothing reads, by file; lines of
    comments that are left out; patterns of axes that no word is like; recipes that
    say nearly what one of the library does."""

    text: str
    texts: str
    files: tuple[str, ...]
    helpers: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    drift: tuple[Drifting, ...]
    unused: tuple[tuple[str, tuple[str, ...]], ...]
    matrices: int
    comments: tuple[LeftOut, ...]
    idle: tuple[str, ...]
    alike: tuple[tuple[str, Likeness], ...]


def import_recipes(
    files: Sequence[HandMade],
    read: Read,
    tables: Mapping[str, Table],
    choices: Choices,
    std_folder: str,
    cache: Cache | None,
) -> Imported:
    """The program of *files*; *read* finds what they import. Raises NoReader, where it has none."""
    parser = NixParser()
    files, deeper = _without_common(_of_flake(files, read, parser))
    if deeper:
        choices = replace(choices, folder=posixpath.join(choices.folder, deeper))
    left: dict[str, LeftOut] = {}
    known: dict[str, Recipe] = {}
    path_of: dict[str, str] = {}
    ends: dict[str, list[int]] = {}
    imports: set[str] = set()
    filled: set[str] = set()
    lower: dict[str, str] = {}  # names as a disk may see them that knows no case
    for file in files:
        ends[file.path] = [at for at, character in enumerate(file.text) if character == "\n"]
        stem = file.name.replace(".", "-")
        try:
            if file.fault:
                raise NotImported(file.fault)
            if not is_attribute_name(stem):
                raise NotImported(f"{show(stem)[:80]} cannot be a variant's name")
            if stem.lower() in lower:
                other = lower[stem.lower()]
                alike = "" if other == stem else ", but for upper and lower case"
                raise NotImported(f"`{path_of[other]}` has the same name{alike}")
            recipe = read_recipe(parser, file.text, file.path, read, choices.source)
            _look_for(recipe.files, choices.place)
        except NotImported as fault:
            line = 1 + sum(end < fault.offset for end in ends[file.path])
            left[file.path] = LeftOut(file.path, line, fault.reason)
            continue
        lower[stem.lower()] = stem
        imports.update(recipe.imports)
        filled.update(recipe.filled)
        known[stem] = _without_prose(recipe) if choices.prose == "drop" else recipe
        path_of[stem] = file.path
    siblings = _siblings(known, path_of, files, choices.source)
    alone: dict[str, Recipe] = {}
    for file in files if siblings else ():
        stem = file.name.replace(".", "-")
        handed = stem in known and not {*known[stem].arguments}.isdisjoint(known)
        named = handed or _names_any(file.text, siblings)
        is_free = lower.setdefault(stem.lower(), stem) == stem and is_attribute_name(stem)
        if path_of.get(stem, file.path) != file.path or not (named and is_free):
            continue
        try:
            recipe = read_recipe(parser, file.text, file.path, read, choices.source, siblings)
            _look_for(recipe.files, choices.place)
        except NotImported:
            continue
        if needed_by(recipe):
            left.pop(file.path, None)
            if recipe.handed and stem in known:
                alone[stem] = known[stem]
            known[stem] = _without_prose(recipe) if choices.prose == "drop" else recipe
            path_of[stem] = file.path
    functions = {path: posixpath.join(choices.source, path) in filled for path in path_of.values()}
    for stem, path in list(path_of.items()):
        if functions[path]:
            del known[stem], path_of[stem]
    functions |= {path: posixpath.join(choices.source, path) in filled for path in left}
    helpers = tuple(
        sorted(
            {path for path in (*functions, *left) if functions[path] or path in imports & {*left}}
        )
    )
    for path in helpers:
        left.pop(path, None)
    search = _Search(known, path_of, ends, tables, choices, parser, std_folder, cache, alone)
    made = search.run()
    left |= search.left
    likes = {made.recipes[one.shape.name]: like for one, like in search.alike()} if known else {}
    for recipe_name, like in likes.items():
        made.text = with_likeness(made.text, recipe_name, like)
    unused = [(path_of[stem], one.unused) for stem, one in known.items() if one.unused]
    return Imported(
        made.text if known else "",
        made.texts if known else "",
        tuple([path_of[stem] for stem in known]),
        helpers,
        tuple(sorted(left.values(), key=lambda one: one.path)),
        tuple(made.drift) if known else (),
        tuple(unused),
        made.matrices,
        tuple(_comments_left(known, path_of, ends, made.kept)),
        tuple([f"{name}={glob}" for name, glob in choices.axes if not _is_found(glob, path_of)]),
        tuple(likes.items()),
    )


def _comments_left(
    known: Mapping[str, Recipe],
    path_of: Mapping[str, str],
    ends: Mapping[str, Sequence[int]],
    kept: set[tuple[str, int]],
) -> Iterator[LeftOut]:
    """The lines of comments that are not *kept*, each as the reason."""
    for stem, recipe in known.items():
        path = path_of[stem]
        for offset, text in recipe.comments.lines:
            if (path, offset) not in kept:
                yield LeftOut(path, 1 + bisect_left(ends[path], offset), text)


def _is_found(glob: str, stems: Iterable[str]) -> bool:
    """Whether a word of *stems* is like *glob*."""
    return any(fnmatchcase(word, glob) for stem in stems for word in stem.split("-"))


@dataclass(slots=True)
class _Search:
    """Finds the program of the recipes *known*, by the names of their variants, of which those are
    taken out that it would not build as they are: these are *left*, by their paths. What is
    *alone* by its name may be an argument of any kind in the place of another recipe."""

    known: dict[str, Recipe]
    path_of: Mapping[str, str]
    ends: Mapping[str, Sequence[int]]
    tables: Mapping[str, Table]
    choices: Choices
    parser: NixParser
    std_folder: str
    cache: Cache | None
    alone: dict[str, Recipe]
    left: dict[str, LeftOut] = field(default_factory=dict)

    def run(self) -> Written:
        """The program; an empty one where nothing can be built."""
        stem_of = {path: stem for stem, path in self.path_of.items()}
        for number in range(_ROUNDS):
            if not self.known:
                break
            made = self.written(self.known)
            for path, reason in made.unsaid.items():
                self.leave(stem_of[path], reason)
            if made.unsaid:
                continue
            proof = self.proof(made, self.known)
            if not proof.error and not proof.differing:
                return made
            if proof.error or number >= _PATIENT:
                for shape in self.shapes(self.known):
                    for stem, reason in self.refused(shape.stems, stem_of).items():
                        self.leave(stem, f"the program that was found is refused: {reason}")
            for stem, reason in proof.differing.items():
                if stem in self.known:
                    self.leave(stem, reason)
        for stem in list(self.known):
            self.leave(stem, "no program was found that builds it and the others")
        return Written("")

    def shapes(self, stems: Iterable[str]) -> list[Shape]:
        kinds = {stem: _kind(self.known[stem].package) for stem in stems}
        return shapes_of(kinds, self.tables, self.choices.axes)

    def families(self, stems: Iterable[str]) -> list[Family]:
        return [
            Family(
                shape,
                tuple([self.known[stem] for stem in shape.stems]),
                tuple([self.path_of[stem] for stem in shape.stems]),
            )
            for shape in self.shapes(stems)
        ]

    def alike(self) -> Iterator[tuple[Family, Likeness]]:
        """The families that are like a recipe of the library."""
        for family in self.families(self.known):
            found = likeness(family, self.tables, self.parser, self.std_folder, self.cache)
            if found is not None:
                yield family, found

    def written(self, stems: Iterable[str]) -> Written:
        families = self.families(stems)
        texts = self.choices.texts if self.choices.prose == "module" else ""
        return write_program(families, self.tables, self.choices.folder, self.ends, texts)

    def proof(self, made: Written, recipes: Mapping[str, Recipe]) -> Proof:
        if made.fault:
            return Proof({}, made.fault)
        choices = self.choices
        sources = {PROGRAM: made.text, choices.texts: made.texts}
        return prove(
            sources,
            recipes,
            self.parser,
            self.std_folder,
            choices.place,
            choices.folder,
            self.cache,
        )

    def refused(self, stems: Sequence[str], stem_of: Mapping[str, str]) -> dict[str, str]:
        """Those of *stems*, which are of one shape, that keep a program of them from being right,
        with the reason: files of which one alone does, else those with drift, else all."""
        made = self.written(self.with_needs(stems))
        proof = self.proof(made, {stem: self.known[stem] for stem in self.with_needs(stems)})
        reason = proof.error or next(iter(proof.differing.values()), "")
        if not reason:
            return {}
        alone: dict[str, str] = {}
        for stem in stems if len(stems) > 1 else ():
            few = self.with_needs([stem])
            error = self.proof(self.written(few), {one: self.known[one] for one in few}).error
            if error:
                alone[stem] = error
        drifting = [stem_of[file] for one in made.drift for file in one.files]
        return alone or dict.fromkeys(drifting or stems, reason)

    def with_needs(self, stems: Sequence[str]) -> list[str]:
        """*stems* with all that they need."""
        found = dict.fromkeys(stems)
        waiting = list(stems)
        while waiting:
            for one in needed_by(self.known[waiting.pop()]):
                if one not in found:
                    found[one] = None
                    waiting.append(one)
        return list(found)

    def leave(self, stem: str, reason: str) -> None:
        """Leave out *stem*, and what needs it."""
        path = self.path_of[stem]
        if stem in self.alone:
            self.known[stem] = self.alone.pop(stem)
            return
        self.left[path] = LeftOut(path, 1, reason)
        del self.known[stem]
        for other in [one for one, recipe in self.known.items() if stem in needed_by(recipe)]:
            if other in self.known:
                self.leave(other, f"it needs `{path}`, which is not imported")


def _of_flake(files: Sequence[HandMade], read: Read, parser: NixParser) -> list[HandMade]:
    """*files*, named as the flake in their folder calls them, and a recipe for each of its packages
    that is a call with arguments."""
    there = read(FLAKE, f"./{FLAKE}")
    if isinstance(there, str):
        return list(files)
    by_path = {file.path: file for file in files}
    made: dict[str, HandMade] = {}
    for one in packages_of(parser, there[1]):
        path = one.path if one.path in by_path else posixpath.join(one.path, "default.nix")
        if one.text:
            name = f"{FLAKE}#{one.name}"
            made[name] = HandMade(name, one.name, one.text, one.fault)
        elif path in by_path:
            made.setdefault(path, replace(by_path[path], name=one.name))
    return list({**by_path, **made}.values())


def _without_common(files: Sequence[HandMade]) -> tuple[list[HandMade], str]:
    """*files* without the folders that the names of all begin with, and these."""
    if len(files) < 2:
        return list(files), ""
    common = posixpath.commonpath([_folder(file.path) for file in files])
    start = f"{common.replace('/', '.')}."
    if not common or not all(file.name.startswith(start) for file in files):
        return list(files), ""
    return [replace(file, name=file.name.removeprefix(start)) for file in files], common


def _folder(path: str) -> str:
    """The folder of the package that the file *path* is."""
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


def _names_any(text: str, siblings: Mapping[str, Sibling]) -> bool:
    names = {posixpath.basename(path) for path in siblings}
    names |= {posixpath.basename(posixpath.dirname(path)) for path in siblings}
    return not names.isdisjoint(_NAMED.findall(text))


def _kind(package: NixExpr) -> str:
    """The name of what is built or of what builds it, whatever set it is of."""
    while isinstance(package, NixApply) and path_of(package) is None:
        package = package.function
    where = root_of(package)
    return where[1][-1] if where is not None and where[1] else path_of(package) or ""


def _look_for(files: Sequence[str], place: str) -> None:
    """Refuse a recipe that names files which are not there."""
    loader = DiskLoader("")
    for path in files:
        try:
            loader.kind(posixpath.join(place, path))
        except UnreadableSource as fault:
            raise NotImported(f"it names `{path}`: {fault.reason}") from None


def _without_prose(recipe: Recipe) -> Recipe:
    kept = {name: value for name, value in recipe.settings.items() if name not in PROSE}
    return replace(recipe, settings=kept)
