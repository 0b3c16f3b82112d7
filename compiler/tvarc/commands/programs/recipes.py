"""Recipes on disk: the program and the variant that made them, and the source lines of their lines.

A recipe is recognised by its digest. Its lines are explained only if its program now makes the same
text, because then the map is valid for its lines.
"""

# pathlib costs too much at start.
# ruff: noqa: PTH100, PTH113, PTH118, PTH119, PTH120
from __future__ import annotations

import os

from tvarc.build.assembly.collection_map import MappedCollection, collections_of, mapped, name_of
from tvarc.build.assembly.outputs import OutputFiles
from tvarc.build.assembly.source_map import MappedFile, MappedVariant, SourceMaps
from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.programs.find import find_source, source_from, source_name
from tvarc.commands.shown.data import place_of
from tvarc.commands.shown.lookup import Unknown, look_up, path_text
from tvarc.commands.shown.source_map import Sharpness
from tvarc.commands.shown.tree import Node, line_nodes, recipe_tree
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.trace import Trace
from tvarc.files.disk import read_plain
from tvarc.files.output.folders import reason_of
from tvarc.files.output.header import DIGEST_PREFIX, Ownership, head_lines, inspect_bytes, made_from
from tvarc.light import Callable, Final, Iterator, dataclass, suppress
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.language.quoting import comment_line
from tvarc.text.diagnostics.model import Diagnostic, Failed, filled
from tvarc.text.source import UnreadableSource
from tvarc.values.plain import Ordinal
from tvarc.values.provenance import Lines, Place

_LARGEST: Final = 64 << 20
"""A size in bytes that no recipe reaches."""


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A line of a source, counted from 1, and its text."""

    file: str
    line: Ordinal
    text: str

    @property
    def place(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class RecipeLine:
    """One line of a recipe. `made` are the lines that made its values, with their conditions.
    `around` are the lines that made the code around the values: keys, brackets, guards. `values`
    are the decided values on the line, `withheld` the conditions that keep parts of them out. If
    the line comes from no source, `frame` says why."""

    file: str
    line: int
    text: str
    tree: Node
    made: tuple[SourceLine, ...]
    around: tuple[SourceLine, ...]
    values: tuple[Node, ...]
    withheld: tuple[SourceLine, ...] = ()
    frame: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """The reason why the lines of a file have no known sources. `foreign` says that tvarc did not
    write the file."""

    fault: Diagnostic
    foreign: bool = False


@dataclass(frozen=True, slots=True)
class Recipe:
    """A recipe as its program makes it, alone or in a file of all variants, according to `kind`.
    `path` is the name of the file as the user gave it."""

    path: str
    made: Compilation
    maps: SourceMaps
    variant: Variant
    mapped: MappedVariant
    file: MappedFile
    kind: str = "recipe"

    @property
    def recipe(self) -> ir.Recipe:
        """The recipe, decided and traced."""
        found = self.maps.recipe(self.variant)
        assert found is not None  # its files are mapped
        return found

    @property
    def count(self) -> int:
        """The number of its lines."""
        return self.file.text.count("\n")

    def at(self, _: int) -> Recipe:
        """The recipe with this line."""
        return self

    def line(self, number: int) -> RecipeLine:
        """The sources of line *number*, from 1, which exists."""
        text = self.file.text.split("\n")[number - 1]
        made, around = self.file.made[number - 1], self.file.around[number - 1]
        tree = recipe_tree(self.recipe)
        lines, beside = self._lines(made), self._lines(around & ~made)
        frame = ""
        if text.startswith(DIGEST_PREFIX):
            frame = "the digest of the rest of the file"
        elif not lines and not beside:
            frame = f"it is in each {self.kind} of this kind, independent of the program"
        found = _nodes(tree, self.maps.numbering.values(made))
        nodes = tuple(
            [node if self._begins(node, number) else self._inmost(node, made) for node in found]
        )
        return RecipeLine(
            self.path, number, text, tree, lines, beside, nodes, tuple(self._kept(nodes)), frame
        )

    @property
    def why(self) -> Trace:
        """The reasons for the values of its variant."""
        return Trace(self.maps.elaboration, self.variant, self.recipe, self.made.sources)

    def _begins(self, node: Node, number: int) -> bool:
        """Whether the value *node* is printed on several lines, and line *number* is the first of
        them. That line has the name of the value, and no piece of it."""
        bit = self.maps.numbering.value(node.path)
        before, here, after = (self.file.made[at] & bit for at in range(number - 2, number + 1))
        return bool(here and after and not before)

    def _inmost(self, node: Node, made: Lines) -> Node:
        """The only innermost piece of the value *node* that was written on a line of *made*."""
        why = self.why
        while True:
            pieces = [one for one in node.children if one.kind in ("element", "setting")]
            pieces = pieces or [one for one in line_nodes(node) if node.kind == "setting"]
            places = [(one, place_of(one, why)) for one in pieces]
            inner = [one for one, at in places if at and self.maps.numbering.first(at) & made]
            if len(inner) != 1:
                return node
            (node,) = inner

    def _kept(self, nodes: tuple[Node, ...]) -> Iterator[SourceLine]:
        """The conditions that keep parts of *nodes* out."""
        paths = {node.path for node in nodes}
        found: dict[Place, None] = {}
        for entry in self.mapped.entries:
            source = self.made.sources.get(entry.span.file)
            if entry.kind == "withheld" and entry.path in paths and source is not None:
                place = (entry.span.file, source.position(entry.span.start).line)
                found.setdefault(place)
        yield from map(self._line, found)

    def sharpest(self, number: int) -> tuple[SourceLine, ...]:
        """The source lines of line *number*, the most informative first."""
        found = self.maps.numbering.places
        places = found(self.file.made[number - 1]) or found(self.file.around[number - 1])
        order = Sharpness(self.maps.numbering, self.file, self.made.file)
        return tuple(map(self._line, order.ordered(places)))

    def _line(self, place: Place) -> SourceLine:
        source = self.made.sources.get(place[0])
        return SourceLine(*place, source.line(place[1]) if source is not None else "")

    def _lines(self, lines: Lines) -> tuple[SourceLine, ...]:
        return tuple(map(self._line, self.maps.numbering.places(lines)))


@dataclass(frozen=True, slots=True)
class Collected:
    """A file of all variants as its program makes it."""

    path: str
    made: Compilation
    maps: SourceMaps
    mapped: MappedCollection

    @property
    def count(self) -> int:
        """The number of its lines."""
        return self.mapped.file.text.count("\n")

    def at(self, number: int) -> Recipe:
        """The recipe with line *number*, alone or with others, at its place in this file."""
        name = self.mapped.variants[number - 1] or self._below(number)
        variant = next(one for one in self.made.variants if one.name == name)
        found = self.maps.of(variant)
        assert found is not None
        file = self.mapped.file
        return Recipe(self.path, self.made, self.maps, variant, found, file, "file")

    def _below(self, number: int) -> str:
        """The first variant below line *number*, or else the first of all: a line that several
        variants share is explained for the next one."""
        named = [name for name in self.mapped.variants[number - 1 :] if name]
        return named[0] if named else self.made.variants[0].name


def _nodes(tree: Node, paths: tuple[tuple[str, ...], ...]) -> Iterator[Node]:
    """The values with these names, without values that contain other ones. A whole overlay is not a
    value."""
    for path in paths:
        if any(other[: len(path)] == path and other != path for other in paths):
            continue
        node = look_up(tree, path_text(path))
        if not isinstance(node, Unknown) and node.kind != "overlay":
            yield node


class Recipes:
    """Finds recipes, and compiles each program that made one of them once."""

    def __init__(self, compiled: Callable[[str], Compilation | None], file: str | None) -> None:
        """*compiled* compiles a program, and returns None if it has errors. *file* is the program
        of all recipes; by default, the one that their heads name."""
        self._compiled = compiled
        self._file = file
        self._programs: dict[str, Compilation | None] = {}

    def find(self, path: str) -> Recipe | Collected | Refused:
        """The recipe at *path*."""
        try:
            data = read_plain(path, path, _LARGEST)
        except (OSError, UnreadableSource) as fault:
            reason = reason_of(fault) if isinstance(fault, OSError) else fault.reason
            return Refused(
                filled(msg.recipes.UNREADABLE, None, {"path": path, "reason": reason}),
                foreign=True,
            )
        match inspect_bytes(data):
            case Ownership.FOREIGN:
                return Refused(filled(msg.recipes.FOREIGN, None, {"path": path}), foreign=True)
            case Ownership.EDITED:
                return Refused(filled(msg.recipes.EDITED, None, {"path": path}))
            case _:
                pass
        name = made_from(data)
        program = self._program(path, name)
        if program is None:
            return Refused(filled(msg.recipes.NO_PROGRAM, None, {"name": name, "path": path}))
        if program not in self._programs:
            self._programs[program] = self._compiled(program)
        made = self._programs[program]
        if made is None:
            return Refused(filled(msg.recipes.PROGRAM_HAS_ERRORS, None, {"program": program}))
        return (
            self._same(path, data, made)
            or self._collected(path, data, made)
            or Refused(
                filled(msg.recipes.OUT_OF_DATE, None, {"path": path, "program": program})
            )
        )

    def _program(self, path: str, name: str) -> str | None:
        """The program that made *path*, by the name that its head states. A program writes to its
        own folder and those below it. For files that Nix has copied, the nearest program is
        tried."""
        if self._file is not None:
            return self._file
        folder = os.path.dirname(os.path.abspath(path))
        while name:
            found = os.path.join(folder, os.path.basename(name))
            if os.path.isfile(found):
                return source_name(found)
            above = os.path.dirname(folder)
            if above == folder:
                break
            folder = above
        nearest = find_source()
        return nearest if nearest and os.path.basename(nearest) == os.path.basename(name) else None

    def _same(self, path: str, data: bytes, made: Compilation) -> Recipe | None:
        """The recipe of *made* with the file *path* and the content *data*."""
        first = next(iter(head_lines(data)), "")
        elaboration = None
        for variant in made.variants:
            name = " ".join(comment_line(variant.name).split())
            if first != name and not first.startswith(f"{name}:"):
                continue
            elaboration = elaboration or made.traced()
            for source in _sources(path, made.file, elaboration, variant):
                maps = SourceMaps(elaboration, source, made.file)
                mapped = maps.of(variant)
                for file in mapped.files if mapped is not None else ():
                    if mapped is not None and file.text.encode() == data:
                        return Recipe(path, made, maps, variant, mapped, file)
        return None

    def _collected(self, path: str, data: bytes, made: Compilation) -> Collected | None:
        """The file of all variants of *made* with the path *path* and the content *data*."""
        if not made.program.collections:
            return None
        whole = os.path.abspath(path)
        elaboration = made.traced()
        for output in made.program.collections:
            if name_of(output) != os.path.basename(whole):
                continue
            folders = [os.path.basename(made.file)]
            if whole.endswith(f"/{output.one_file}"):
                folders.append(source_from(made.file, whole[: -len(output.one_file) - 1]))
            for source in dict.fromkeys(folders):
                maps = SourceMaps(elaboration, source, made.file)
                found = mapped(maps, collections_of(maps, made.variants), output)
                if found.file.text.encode() == data:
                    return Collected(path, made, maps, found)
        return None


def _sources(path: str, program: str, elaboration: Elaboration, variant: Variant) -> Iterator[str]:
    """The paths of *program* relative to the folders from which its outputs may start."""
    yield os.path.basename(program)
    whole = os.path.abspath(path)
    outputs = OutputFiles(elaboration.program.outputs, elaboration.sink)
    files: tuple[tuple[str, str], ...] = ()
    with suppress(Failed):  # `tvarc build` reports why such a variant has no files
        files = outputs.of(elaboration.deciding(variant))
    for _, file in files:
        if whole.endswith(f"/{file}"):
            yield source_from(program, whole[: -len(file) - 1])
