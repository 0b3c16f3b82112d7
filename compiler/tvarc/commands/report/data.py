"""What a page knows of each variant: its settings, the lines of its recipes, the lines of source
behind each, and what lints find in it.

What many variants share is kept once and named by its number, so a thousand variants take the room
of what they differ in.
"""

from __future__ import annotations

from tvarc.advice.lints.model import Finding
from tvarc.build.assembly.source_map import MappedVariant
from tvarc.commands.shown.data import (
    added_nothing,
    all_reads,
    fact_text,
    named,
    place_of,
)
from tvarc.commands.shown.inputs import shown
from tvarc.commands.shown.lookup import path_text
from tvarc.commands.shown.source_map import entry_text
from tvarc.commands.shown.tree import Node, SharedNodes, recipe_tree, script_text
from tvarc.commands.shown.why import Why
from tvarc.light import Callable, Final, Iterable, Iterator, Mapping, dataclass, field
from tvarc.nix import ir
from tvarc.text.source import SourceMap, Span
from tvarc.values.plain import Data, Json
from tvarc.values.provenance import Lines, Numbering, Place
from tvarc.values.value import Missing, NixText

_WITHIN: Final = ("element", "line", "removed")
"""Nodes within a setting: no variant is coloured by one."""

_AROUND: Final = 5
"""So many lines of a source are kept before and after one that something comes from."""


@dataclass(slots=True)
class _Pool:
    """Things that are kept once, by their numbers."""

    items: list[Json] = field(default_factory=list)
    _numbers: dict[object, int] = field(default_factory=dict)

    def number(self, key: object, make: Callable[[], Json]) -> int:
        """The number of the thing with *key*; a new one is made by *make*."""
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.items)
            self.items.append(make())
        return known

    def text(self, text: str) -> int:
        """The number of *text*."""
        return self.number(text, lambda: text)


class MatrixData:
    """Gathers the variants of one program."""

    def __init__(self, sources: SourceMap, inputs: Mapping[str, Span]) -> None:
        self._sources = sources
        self._inputs = inputs
        self._entries = _Pool()
        self._texts = _Pool()
        self._lines = _Pool()
        self._sets = _Pool()
        self._places = _Pool()
        self._lints = _Pool()
        self._reached: dict[str, set[int]] = {}
        self._variants: dict[str, Data] = {}
        self._nodes = SharedNodes()
        self._walked: dict[tuple[Span, int], list[Json]] = {}

    def add(
        self,
        recipe: ir.Recipe,
        found: Iterable[tuple[str, str, Finding]],
        why: Why,
    ) -> None:
        """Add the variant *recipe*, and the lint findings *found* in it: each lint's name, its
        message, and the finding. *why* has the values that each value read."""
        tree = recipe_tree(recipe, self._inputs, self._nodes)
        self._variants[recipe.variant] = {
            "name": recipe.variant,
            "entries": self._entries_of(tree, why, recipe.matrix_span),
            "lints": [*sorted({self._lint(*one) for one in found})],
            "files": [],
            "beside": [],
            "written": True,
        }

    def add_lines(self, mapped: MappedVariant, numbering: Numbering) -> None:
        """Add the recipes of a variant that was added, and its settings that are on no line."""
        files: list[Json] = []
        for file in mapped.texts:
            lines: list[Json] = []
            texts = file.text.split("\n")[:-1]  # no line is after the last line end
            for text, made, around in zip(texts, file.made, file.around, strict=False):
                sets: list[Json] = [self._set(made, numbering), self._set(around, numbering)]
                lines.append(self._line(text, sets))
            files.append({"path": file.path, "lines": lines})
        told = dict.fromkeys((entry_text(entry), entry.lines) for entry in mapped.entries)
        variant = self._variants[mapped.recipe.variant]
        variant["files"] = files
        variant["beside"] = [[text, self._set(lines, numbering)] for text, lines in told]
        variant["written"] = bool(mapped.files)

    def data(self) -> Data:
        """All that was added."""
        return {
            "entries": self._entries.items,
            "texts": self._texts.items,
            "lines": self._lines.items,
            "sets": self._sets.items,
            "places": self._places.items,
            "sources": {file: self._source(file) for file in self._reached},
            "lints": self._lints.items,
            "variants": [*self._variants.values()],
        }

    def _source(self, file: str) -> Data:
        """The lines of *file* that something comes from, and those around them, by their numbers;
        and how many lines it has."""
        source = self._sources.get(file)
        assert source is not None  # it has lines
        count = len(source.text.removesuffix("\n").split("\n"))
        near = {
            line
            for one in self._reached[file]
            for line in range(max(one - _AROUND, 1), min(one + _AROUND, count) + 1)
        }
        return {"count": count, "lines": {str(line): source.line(line) for line in sorted(near)}}

    # --- shared data -----------------------------------------------------------------------

    def _entries_of(self, node: Node, why: Why, matrix: Span) -> list[Json]:
        """The numbers of the data of *node* and all nodes below it. Variants of one *matrix* that
        share a node agree on all axes that it reads, so *why* says the same for each of them."""
        key = (matrix, id(node))
        known = self._walked.get(key)
        if known is not None:
            return known
        found: list[Json] = [self._entry(node, why)] if _says(node) else []
        for child in node.children:
            found += self._entries_of(child, why, matrix)
        if node in self._nodes:
            self._walked[key] = found
        return found

    def _entry(self, node: Node, why: Why) -> int:
        text = _text(node)
        span = place_of(node, why)
        place = self._sources.locate(span) if span is not None else ""
        notes = tuple(self._notes(node, why))
        path = path_text(node.path)
        return self._entries.number(
            (path, text, place, notes),
            lambda: {
                "path": path,
                "text": text,
                "place": place,
                "notes": [*notes],
                "within": node.kind in _WITHIN,
                "depth": len(node.path) - 1,
            },
        )

    def _notes(self, node: Node, why: Why) -> Iterator[str]:
        """Why a value is as it is: what conditions asked, how ranks compare, what was read."""
        locate = self._sources.locate
        if node.of:
            yield node.of
        if node.origin is not None and node.origin.layer:
            yield f"in {node.origin.layer}"
        if node.because:
            yield f"because {node.because}"
        for held in why.conditions(node.origin) if node.origin is not None else ():
            pairs = ", ".join(f"{text} = {shown(value)}" for text, value in held.operands)
            text = f"when {self._sources.text_of(held.span)}"
            yield f"{text}: {pairs}" if pairs else text
        for lost in node.shadowed:
            rank = why.rank(node.origin, lost.origin) if node.origin is not None else ""
            reason = f"{lost.reason}: {rank}" if rank else lost.reason
            where = f"{lost.origin.layer} {locate(lost.origin.span)}"
            yield f"shadows {shown(lost.value)} ({reason}) {where}"
        for origin in added_nothing(node, why):
            yield f"adds nothing: {origin.layer} {locate(origin.span)}"
        reads = all_reads(node, why)
        for path in reads.settings:
            yield f"reads {path}"
        for name in reads.names:
            yield f"reads {named(name)} {locate(name.span)}"
        for fact in reads.facts:
            text = f"reads {fact.table}.{fact.row}.{fact.field} = {fact_text(fact)}"
            yield f"{text} {locate(fact.span)}"
            if fact.because:
                yield f"because {fact.because}"
            if fact.shadowed is not None:
                old = fact.shadowed
                yield f"shadows {fact_text(old, ir.CORRECTED)} {locate(old.span)}"

    def _lint(self, name: str, what: str, finding: Finding) -> int:
        place = self._sources.locate(finding.span)
        what = finding.what or what
        return self._lints.number(
            (name, what, place, finding.case),
            lambda: {
                "name": name,
                "what": what,
                "place": place,
                "case": finding.case,
                "help": finding.help,
            },
        )

    def _line(self, text: str, sets: list[Json]) -> int:
        """The number of a line of a recipe, with the sets of lines that made it and the code around
        it."""
        number = self._texts.text(text)
        return self._lines.number((number, *sets), lambda: [number, *sets])

    def _set(self, lines: Lines, numbering: Numbering) -> int:
        """The number of a set of lines of source."""
        return self._sets.number(
            lines, lambda: [self._place(place) for place in numbering.places(lines)]
        )

    def _place(self, place: Place) -> int:
        file, number = place
        self._reached.setdefault(file, set()).add(number)
        return self._places.number(place, lambda: [file, number])


def _says(node: Node) -> bool:
    """Whether there is a value, or that there is none any more; the variant itself is its name."""
    return bool(node.path) and (
        not isinstance(node.value, Missing) or node.kind in ("unset", "removed", "part")
    )


def _text(node: Node) -> str:
    if isinstance(node.value, Missing):
        return {"part": "the package's own", "removed": "taken out"}.get(node.kind, "none")
    if not isinstance(node.head, Missing):
        return f"{shown(node.head)} ++ {shown(node.value)}" if node.value else shown(node.head)
    if node.path == ("pin", "hash") and node.value is None:
        return "none yet"
    if node.path == ("recipe",) and isinstance(node.value, tuple):
        return " \N{RIGHTWARDS ARROW} ".join(map(str, node.value))
    sign = "+= " if node.extends else ""
    if isinstance(node.value, str | NixText) and "\n" in script_text(node.value):
        return sign + script_text(node.value)
    if node.kind in ("plain", "pin") and isinstance(node.value, str):
        return node.value
    return sign + shown(node.value)
