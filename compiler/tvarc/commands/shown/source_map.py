"""The source map of a program as data: for editors, and for pages."""

from __future__ import annotations

import posixpath

from tvarc.build.assembly.entries import Entry
from tvarc.build.assembly.source_map import MappedFile, Runs, SharedFile, SourceMaps
from tvarc.commands.shown.lookup import path_text
from tvarc.files.output.header import DIGEST_PREFIX
from tvarc.light import Callable, Final, Iterable, Sequence
from tvarc.matrix.variants import Variant
from tvarc.values.plain import Data, Json
from tvarc.values.provenance import Filled, Lines, Numbering, Place, all_filled

MARK: Final = "tvarc-source-map"
"""The key that marks a source map. Its value is the version of the format."""
VERSION: Final = 1

_Line = tuple[Lines, Lines]  # the sets of one line of a recipe


class Sharpness:
    """Sorts the lines of source of one line of a recipe, the most informative first."""

    def __init__(self, numbering: Numbering, file: MappedFile, program: str) -> None:
        """*program* is the name of the file that declares the recipe."""
        self._numbering = numbering
        self._file = file
        self._program = program
        self._reach: dict[Place, int] = {}

    def ordered(self, places: Iterable[Place]) -> tuple[Place, ...]:
        """*places*, the best explanation of a line first. A place from which few other lines come
        is first. Among equals, places of the program are first, and a later line is before an
        earlier one, which contains it. Lines with only a fence or a bracket are last."""
        return tuple(sorted(places, key=self._key))

    def _key(self, place: Place) -> tuple[bool, int, bool, int]:
        reach = self._reach.get(place)
        if reach is None:
            bit = self._numbering.line(*place)
            reach = self._reach[place] = sum([1 for line in self._file.made if line & bit])
        source = self._numbering.sources.get(place[0])
        text = source.line(place[1]) if source is not None else ""
        says = any(letter.isalnum() for letter in text)
        return not says, reach, place[0] != self._program, -place[1]


def entry_text(entry: Entry) -> str:
    """The data about values that are on no line."""
    path = path_text(entry.path)
    match entry.kind:
        case "withheld":
            return f"{path}: a condition leaves something out"
        case "removed":
            return f"{path}: {entry.what} is removed"
        case "shadowed":
            return f"{path}: another value replaces {entry.what}"
        case "order":
            return f"{path}: the first write decides its place"


class MapData:
    """Gathers the maps of variants. Equal sets of lines are stored once."""

    def __init__(self, maps: SourceMaps, folder: str, name: Callable[[str], str]) -> None:
        """*folder* is the folder of the map, in the form of outputs' paths; *name* gives the name
        of a source relative to it."""
        self._maps = maps
        self._folder = folder
        self._name = name
        self._sources: dict[str, int] = {}
        self._sets: dict[tuple[Place, ...], int] = {}
        self._known: dict[Lines, int] = {}
        self._recipes: list[Json] = []
        self._pairs: dict[_Line, Json] = {}
        self._runs = Runs(self._run)
        self._late: Lines = 0  # the bits of the late parts of the recipe that is added

    def add(self, variants: Iterable[Variant]) -> None:
        """Add the maps of *variants*, without those that have an error."""
        for variant in variants:
            recipe = self._maps.recipe(variant, late=True)
            if recipe is None:
                continue
            entries: list[Json] = []
            for one in self._maps.entries(variant, recipe):
                told: Data = {"kind": one.kind, "path": path_text(one.path), "what": one.what}
                entries.append({**told, "made": self._number(one.lines)})
            for _, path in recipe.files:
                file = self._maps.shared_file(recipe, path)
                digest = file.head[-1].removeprefix(DIGEST_PREFIX)
                lines = self._lines(file, recipe.changes.filled)
                self._add(path, digest, lines, recipe.variant, entries)

    def add_file(self, file: MappedFile) -> None:
        """Add one file of all variants, which has no entries."""
        # No line is after the last line end.
        pairs = list(zip(file.made, file.around, strict=True))[:-1]
        self._add(file.path, _digest(file.text), list(map(self._pair, pairs)), "", [])

    def _add(
        self, path: str, digest: str, lines: list[Json], variant: str, entries: list[Json]
    ) -> None:
        self._recipes.append(
            {
                "file": posixpath.relpath(path, self._folder or "."),
                "variant": variant,
                "digest": digest,
                "lines": lines,
                "entries": entries,
            }
        )

    def _lines(self, file: SharedFile, filled: Filled) -> list[Json]:
        """The numbers of the lines of *file*. *filled* has the lines of its late parts."""
        found = list(map(self._pair, file.made))
        self._late = sum([bit for some in filled for bit in some])  # each is a bit of its own
        for pairs, late in self._runs.of(file.body, self._late):
            start = len(found)
            found += pairs
            for place, line in late:
                made, around = all_filled(line, filled)
                found[start + place] = self._pair((made, around))
        return found

    def _run(
        self, lines: Sequence[tuple[object, _Line]]
    ) -> tuple[list[Json], list[tuple[int, _Line]]]:
        """The numbers of *lines*, and the lines with late parts, which have no number yet, with
        their places."""
        made = [line for _, line in lines]
        late = [(at, line) for at, line in enumerate(made) if (line[0] | line[1]) & self._late]
        own = {at for at, _ in late}
        return [self._pair(one) if at not in own else None for at, one in enumerate(made)], late

    def _pair(self, line: _Line) -> Json:
        """The numbers of the two sets of *line*; equal ones are one list."""
        known = self._pairs.get(line)
        if known is None:
            known = self._pairs[line] = [*map(self._number, line)]
        return known

    def data(self, program: str) -> Data:
        """All gathered data of the program *program*."""
        sets: list[Json] = [
            [[self._sources[file], line] for file, line in one] for one in self._sets
        ]
        return {
            MARK: VERSION,
            "program": program,
            "sources": [self._name(file) for file in self._sources],
            "sets": sets,
            "recipes": self._recipes,
        }

    def _number(self, lines: Lines) -> int:
        """The number of a set."""
        known = self._known.get(lines)
        if known is None:
            places = self._maps.numbering.places(lines)
            for file, _ in places:
                self._sources.setdefault(file, len(self._sources))
            known = self._known[lines] = self._sets.setdefault(places, len(self._sets))
        return known


def _digest(text: str) -> str:
    start = text.find(f"\n{DIGEST_PREFIX}") + 1 + len(DIGEST_PREFIX)
    return text[start : text.find("\n", start)]
