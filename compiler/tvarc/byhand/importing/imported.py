"""Imports a folder of recipes: a program that is proven to build the same, and a report of what is
left out."""

from __future__ import annotations

from fnmatch import fnmatchcase

from tvarc.blocks import ATTRIBUTES
from tvarc.byhand.importing.folder import Choices, Folder, HandMade, LeftOut
from tvarc.byhand.importing.links import Unlinked, unlinked
from tvarc.byhand.importing.matrices import Drifting
from tvarc.byhand.importing.model import Family, Recipe, line_at
from tvarc.byhand.importing.needs import needed_by
from tvarc.byhand.importing.parting import Parting
from tvarc.byhand.importing.program import Wanted, Written, write_program
from tvarc.byhand.importing.proof import PROGRAM, Proof, Tools, prove
from tvarc.byhand.importing.shapes import Shape, shapes_of, word_kind, words_of
from tvarc.byhand.importing.tables import Table
from tvarc.byhand.reading.reduce import Read
from tvarc.byhand.reading.shared import RecipeParser
from tvarc.byhand.reading.trees import entries_of, last_step, path_of
from tvarc.doing import Doing
from tvarc.files.cache import Cache
from tvarc.light import Final, Iterable, Iterator, Mapping, Sequence, dataclass, field
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinary,
    NixExpr,
    NixIdent,
    NixSelect,
    walk,
)

_TOOLS: Final = (
    "nativeBuildInputs", "propagatedNativeBuildInputs", "depsBuildBuild", "depsBuildTarget",
    "checkInputs", "installCheckInputs", "nativeCheckInputs", "nativeInstallCheckInputs",
)  # fmt: skip
"""The lists of packages for the machine that builds."""
_EVERYWHERE: Final = ("pkgs", "lib", "buildPackages")
_ROUNDS: Final = 12
_PATIENT: Final = 8  # after this many rounds, all recipes of a shape may be left out


@dataclass(frozen=True, slots=True)
class Imported:
    """The result of an import: the program, empty if nothing could be imported, and the module of
    its texts, empty if it has none. Also: the files that it builds, their variants, the files that
    they import, and the files that are left out; drift; bindings that nothing reads, by file; lines
    of comments that are left out; patterns of axes that match no word; lines of a flake that call
    recipes by an unknown nixpkgs, so that the program takes that of its caller; the files that take
    `tools` from `pkgs` (see `_takes_tools`); the names of the tests that are Nix text; and the
    versions that are `unlinked` in some lines."""

    text: str
    texts: str
    files: tuple[str, ...]
    variants: tuple[str, ...]
    helpers: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    drift: tuple[Drifting, ...]
    unused: tuple[tuple[str, tuple[str, ...]], ...]
    matrices: int
    comments: tuple[LeftOut, ...]
    idle: tuple[str, ...]
    unpinned: tuple[LeftOut, ...]
    tools: tuple[str, ...]
    tests: tuple[str, ...]
    unlinked: tuple[Unlinked, ...]


def import_recipes(
    files: Sequence[HandMade],
    read: Read,
    tables: Mapping[str, Table],
    choices: Choices,
    std_folder: str,
    cache: Cache | None,
) -> Imported:
    """The program of *files*; *read* finds what they import."""
    parser = RecipeParser()
    folder = Folder(files, read, parser, choices)
    folder.read_alone()
    folder.read_together()
    folder.need_equal()
    helpers = folder.without_helpers()
    known, path_of, left = folder.known, folder.path_of, folder.left
    # The program is compiled many times, but each module of the library is read once.
    tools = Tools(parser, std_folder, cache or Cache(None, None))
    search = _Search(known, path_of, tables, choices, tools, folder.alone, left)
    made = search.run()
    unused = [(path_of[stem], one.unused) for stem, one in known.items() if one.unused]
    return Imported(
        made.text,
        made.texts,
        tuple([path_of[stem] for stem in known]),
        tuple(known),
        helpers,
        tuple(sorted(left.values(), key=lambda one: one.path)),
        tuple(made.drift),
        tuple(unused),
        made.matrices,
        tuple(_comments_left(known, path_of, made.kept)),
        tuple([f"{name}={glob}" for name, glob in choices.axes if not _is_found(glob, path_of)]),
        tuple(sorted(folder.unpinned, key=lambda one: (one.line, one.reason))),
        tuple([path_of[stem] for stem, one in known.items() if _takes_tools(one)]),
        tuple(dict.fromkeys([name for one in known.values() for name in _tests_of(one)])),
        tuple(unlinked(made.text, made.texts)),
    )


def _tests_of(recipe: Recipe) -> Iterator[str]:
    """The names of the tests that *recipe* adds to `passthru.tests`."""
    for key, value in recipe.settings.items():
        match key.split(".", 2):
            case ["passthru", "tests", name]:
                yield name
            case ["passthru", "tests"]:
                yield from _names_in(value)
            case _:
                pass


def _names_in(node: NixExpr) -> Iterator[str]:
    """The names in the sets that are joined in *node*."""
    match node:
        case NixBinary("//", left, right):
            yield from _names_in(left)
            yield from _names_in(right)
        case NixAttrs():
            yield from [name for name, _ in entries_of(node)]
        case _:
            pass


def _takes_tools(recipe: Recipe) -> bool:
    """Whether *recipe* takes packages from the set `pkgs` of its caller for a list of tools. If
    nixpkgs builds for another machine, these are packages for that machine. The program takes each
    as an argument, and nixpkgs puts the package for the building machine into the list."""
    called = recipe.package.argument if isinstance(recipe.package, NixApply) else None
    given = dict(entries_of(called)) if isinstance(called, NixAttrs) else {}
    lists = [recipe.settings.get(f"{ATTRIBUTES}.{name}", given.get(name)) for name in _TOOLS]
    return recipe.pin is None and any(
        isinstance(one, NixSelect)
        and one.base == NixIdent("@pkgs")
        and one.default is None
        and one.path[0] not in (*recipe.arguments, *_EVERYWHERE)
        for one in walk([one for one in lists if one is not None])
    )


def _comments_left(
    known: Mapping[str, Recipe], path_of: Mapping[str, str], kept: set[tuple[str, int]]
) -> Iterator[LeftOut]:
    """The lines of comments that are not *kept*. Each entry has its line as the reason."""
    for stem, recipe in known.items():
        path = path_of[stem]
        for offset, text in recipe.comments.lines:
            if (path, offset) not in kept:
                yield LeftOut(path, line_at(recipe.text, offset), text)


def _is_found(glob: str, stems: Iterable[str]) -> bool:
    """Whether a word of *stems* matches *glob*."""
    return any(fnmatchcase(word, glob) for stem in stems for word in words_of(stem))


@dataclass(slots=True)
class _Search:
    """Finds the program for the recipes *known*, by the names of their variants. Recipes that the
    program would build differently are taken out and added to *left*, by their paths. *alone* has,
    by name, recipes in which an argument with the name of another recipe is an ordinary
    argument."""

    known: dict[str, Recipe]
    path_of: Mapping[str, str]
    tables: Mapping[str, Table]
    choices: Choices
    tools: Tools
    alone: dict[str, Recipe]
    left: dict[str, LeftOut]
    parting: Parting = field(default_factory=Parting)
    needs: dict[str, tuple[Recipe, list[str]]] = field(default_factory=dict)

    def needs_of(self, stem: str) -> list[str]:
        """The names of the recipes that the recipe *stem* needs. They are cached."""
        recipe = self.known[stem]
        found = self.needs.get(stem)
        if found is None or found[0] is not recipe:
            found = self.needs[stem] = recipe, needed_by(recipe)
        return found[1]

    def run(self) -> Written:
        """The program; an empty one if nothing can be built."""
        stem_of = {path: stem for stem, path in self.path_of.items()}
        for number in range(_ROUNDS):
            if not self.known:
                break
            families = self.families(self.known)
            made = self.written_of(families, ())
            if self.parting.part(families, made.unsaid):
                continue
            if self.parting.part_each(families, made.unsaid, self.written_of):
                continue
            for path, reason in made.unsaid.items():
                self.leave(stem_of[path], reason)
            if made.unsaid:
                continue
            proof = self.proof(made, self.known)
            if not proof.error and not proof.differing:
                return made
            refused = dict(proof.differing)
            if proof.error or number >= _PATIENT:
                for shape in self.shapes(self.known):
                    for stem, reason in self.refused(shape.stems, stem_of).items():
                        told = f"the program that the import found has an error: {reason}"
                        refused.setdefault(stem, told)
            for stem in self.parting.apart(families, refused):
                del refused[stem]
            for stem, reason in refused.items():
                if stem in self.known:
                    self.leave(stem, reason)
        for stem in list(self.known):
            self.leave(stem, "the import found no program that builds it and the others")
        return Written("")

    def shapes(self, stems: Iterable[str]) -> list[Shape]:
        """The shapes of the names *stems*."""
        kinds = {stem: _kind(stem, self.known[stem].package) for stem in stems}
        return shapes_of(kinds, self.tables, self.choices.axes, self.tools.parser.read_as)

    def families(self, stems: Iterable[str]) -> list[Family]:
        """The families of the recipes *stems*, split into their known parts."""
        found: list[Family] = []
        for shape in self.shapes(stems):
            family = Family(
                shape,
                tuple([self.known[stem] for stem in shape.stems]),
                tuple([self.path_of[stem] for stem in shape.stems]),
            )
            found += self.parting.parts(family)
        return found

    def written(self, stems: Iterable[str]) -> Written:
        """The program of only the recipes *stems*."""
        return self.written_of(self.families(stems), ())

    def written_of(self, families: Sequence[Family], beside: Sequence[Shape]) -> Written:
        """The program of *families*, which may need recipes of the families *beside* them."""
        texts, folder = self.choices.texts, self.choices.folder
        texts = texts if self.choices.prose == "module" else ""
        parser = self.tools.parser
        names = parser.read_as, parser.compared
        with Doing("writing the program"):
            left_out = {path: self.left[path].reason for path in sorted(self.left)}
            return write_program(
                Wanted(families, self.tables, folder, texts, beside, *names, left_out)
            )

    def proof(self, made: Written, recipes: Mapping[str, Recipe]) -> Proof:
        """The faults of the program *made* from *recipes*."""
        if made.fault:
            return Proof({}, made.fault)
        choices = self.choices
        sources = {PROGRAM: made.text, choices.texts: made.texts}
        with Doing("comparing what the program builds with what was imported"):
            return prove(sources, recipes, choices.place, self.tools)

    def refused(self, stems: Sequence[str], stem_of: Mapping[str, str]) -> dict[str, str]:
        """The recipes in *stems*, which have one shape, that prevent a correct program, with the
        reason. These are single files that each prevent it, or else those with drift, or else
        all."""
        made = self.written(self.with_needs(stems))
        proof = self.proof(made, {stem: self.known[stem] for stem in self.with_needs(stems)})
        reason = proof.error
        if not proof.error:
            return {stem: reason for stem, reason in proof.differing.items() if stem in stems}
        alone: dict[str, str] = {}
        for stem in stems if len(stems) > 1 else ():
            few = self.with_needs([stem])
            error = self.proof(self.written(few), {one: self.known[one] for one in few}).error
            if error:
                alone[stem] = error
        drifting = [stem_of[file] for one in made.drift for file in one.files]
        return alone or dict.fromkeys(drifting or stems, reason)

    def with_needs(self, stems: Sequence[str]) -> list[str]:
        """*stems* with all recipes that they need."""
        found = dict.fromkeys(stems)
        waiting = list(stems)
        while waiting:
            for one in self.needs_of(waiting.pop()):
                if one not in found:
                    found[one] = None
                    waiting.append(one)
        return list(found)

    def leave(self, stem: str, reason: str) -> None:
        """Leave out *stem*, and the recipes that need it."""
        path = self.path_of[stem]
        if stem in self.alone:
            self.known[stem] = self.alone.pop(stem)
            return
        self.left[path] = LeftOut(path, 1, reason)
        del self.known[stem]
        for other in [one for one in self.known if stem in self.needs_of(one)]:
            if other in self.known:
                self.leave(other, f"it needs `{path}`, which is not imported")


def _kind(stem: str, package: NixExpr) -> str:
    """The kind of a recipe: the last name of its *package* or of the function that builds it, or
    the path of its file. A kind that is a word of the file name *stem* is replaced by the number of
    the word, so that files which differ in that word have one kind."""
    while isinstance(package, NixApply) and path_of(package) is None:
        package = package.function
    kind, words = last_step(package) or path_of(package) or "", words_of(stem)
    return word_kind(words.index(kind)) if len(words) > 1 and kind in words else kind
