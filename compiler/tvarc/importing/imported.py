"""A folder of recipes → a program that is proven to build the same, and what it leaves out."""

from __future__ import annotations

from tvarc.cache import Cache
from tvarc.importing.model import Recipe
from tvarc.importing.program import Drifting, Family, Written, write_program
from tvarc.importing.proof import Proof, prove
from tvarc.importing.reading import read_recipe
from tvarc.importing.reduce import NotImported, Read
from tvarc.importing.shapes import shapes_of
from tvarc.importing.tables import Table
from tvarc.light import Final, Iterable, Literal, Mapping, Sequence, dataclass, field, replace
from tvarc.nix.reader import NixParser

_ROUNDS: Final = 8
_PATIENT: Final = 4  # after so many rounds all of a shape may be left out

Prose = Literal["keep", "drop"]
_PROSE: Final = ("meta.description", "meta.longDescription")


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
    the folder that the program writes to, relative to it."""

    prose: Prose
    axes: tuple[tuple[str, str], ...]
    folder: str


@dataclass(frozen=True, slots=True)
class Imported:
    """A program, empty where nothing could be imported; the files that it builds, those that they
    import, and those that are left out; drift; bindings that nothing reads, by file; how many
    lines of comments are left out."""

    text: str
    files: tuple[str, ...]
    helpers: tuple[str, ...]
    left_out: tuple[LeftOut, ...]
    drift: tuple[Drifting, ...]
    unused: tuple[tuple[str, tuple[str, ...]], ...]
    matrices: int
    comments: int


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
    left: dict[str, LeftOut] = {}
    known: dict[str, Recipe] = {}
    path_of: dict[str, str] = {}
    ends: dict[str, list[int]] = {}
    imports: set[str] = set()
    for file in files:
        ends[file.path] = [at for at, character in enumerate(file.text) if character == "\n"]
        stem = file.name.replace(".", "-")
        try:
            if file.fault:
                raise NotImported(file.fault)
            if stem in known:
                raise NotImported(f"`{path_of[stem]}` has the same name")
            recipe = read_recipe(parser, file.text, file.path, read)
        except NotImported as fault:
            line = 1 + sum(end < fault.offset for end in ends[file.path])
            left[file.path] = LeftOut(file.path, line, fault.reason)
            continue
        imports.update(recipe.imports)
        known[stem] = _without_prose(recipe) if choices.prose == "drop" else recipe
        path_of[stem] = file.path
    helpers = tuple([path for path in left if path in imports])
    for path in helpers:
        del left[path]
    search = _Search(known, path_of, ends, tables, choices, parser, std_folder, cache)
    made = search.run()
    left |= search.left
    unused = [(path_of[stem], one.unused) for stem, one in known.items() if one.unused]
    return Imported(
        made.text if known else "",
        tuple([path_of[stem] for stem in known]),
        helpers,
        tuple(sorted(left.values(), key=lambda one: one.path)),
        tuple(made.drift) if known else (),
        tuple(unused),
        made.matrices,
        max(0, sum(known[stem].comments.count for stem in known) - made.kept),
    )


@dataclass(slots=True)
class _Search:
    """Finds the program of the recipes *known*, by the names of their variants, of which those are
    taken out that it would not build as they are: these are *left*, by their paths."""

    known: dict[str, Recipe]
    path_of: Mapping[str, str]
    ends: Mapping[str, Sequence[int]]
    tables: Mapping[str, Table]
    choices: Choices
    parser: NixParser
    std_folder: str
    cache: Cache | None
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
                for shape in shapes_of(list(self.known), self.tables, self.choices.axes):
                    for stem, reason in self.refused(shape.stems, stem_of).items():
                        self.leave(stem, f"the program that was found is refused: {reason}")
            for stem, reason in proof.differing.items():
                if stem in self.known:
                    self.leave(stem, reason)
        for stem in list(self.known):
            self.leave(stem, "no program was found that builds it and the others")
        return Written("")

    def written(self, stems: Iterable[str]) -> Written:
        families = [
            Family(
                shape,
                tuple([self.known[stem] for stem in shape.stems]),
                tuple([self.path_of[stem] for stem in shape.stems]),
            )
            for shape in shapes_of(list(stems), self.tables, self.choices.axes)
        ]
        return write_program(families, self.tables, self.choices.folder, self.ends)

    def proof(self, made: Written, recipes: Mapping[str, Recipe]) -> Proof:
        if made.fault:
            return Proof({}, made.fault)
        return prove(made.text, recipes, self.parser, self.std_folder, self.cache)

    def refused(self, stems: Sequence[str], stem_of: Mapping[str, str]) -> dict[str, str]:
        """Those of *stems*, which are of one shape, that keep a program of them from being right,
        with the reason: files of which one alone does, else those with drift, else all."""
        made = self.written(stems)
        proof = self.proof(made, {stem: self.known[stem] for stem in stems})
        reason = proof.error or next(iter(proof.differing.values()), "")
        if not reason:
            return {}
        alone: dict[str, str] = {}
        for stem in stems if len(stems) > 1 else ():
            error = self.proof(self.written([stem]), {stem: self.known[stem]}).error
            if error:
                alone[stem] = error
        drifting = [stem_of[file] for one in made.drift for file in one.files]
        return alone or dict.fromkeys(drifting or stems, reason)

    def leave(self, stem: str, reason: str) -> None:
        path = self.path_of[stem]
        self.left[path] = LeftOut(path, 1, reason)
        del self.known[stem]


def _without_prose(recipe: Recipe) -> Recipe:
    kept = {name: value for name, value in recipe.settings.items() if name not in _PROSE}
    return replace(recipe, settings=kept)
