"""The matrix of a program as data for a page: every variant with its settings, the lines of its
recipe and the lines of source behind each; every dropped cell with its reasons.

What many variants share is kept once and named by its number, so a thousand variants take the room
of what they differ in.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.assembly.shared_maps import MappedFiles
from tvarc.light import Callable, Final, Iterable, Mapping, dataclass, field
from tvarc.lints.model import Finding
from tvarc.matrix.exclusion_eval import Dropped, Exclusion
from tvarc.matrix.variants import Variant, axis_text
from tvarc.plain import Data, Json
from tvarc.provenance.model import Lines, Numbering, Place
from tvarc.report.data import span_text
from tvarc.report.excluded import cause_of
from tvarc.report.inputs import shown
from tvarc.report.lookup import path_text
from tvarc.report.source_map import entry_text
from tvarc.report.tree import Node, recipe_tree, script_text
from tvarc.source import SourceMap, Span
from tvarc.values import Missing, NixText

MOST_DROPPED: Final = 20_000
"""Dropped cells that a page has; of more it has their number."""

_WITHIN: Final = ("element", "line", "removed")
"""Nodes within a setting: no variant is coloured by one."""


@dataclass(slots=True)
class _Pool:
    """Things that are kept once, by their numbers."""

    items: list[Json] = field(default_factory=list)
    _numbers: dict[object, int] = field(default_factory=dict)

    def number(self, key: object, make: Callable[[], Json]) -> int:
        """The number of what *key* stands for, which *make* gives where it is new."""
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.items)
            self.items.append(make())
        return known

    def text(self, text: str) -> int:
        """The number of *text*."""
        return self.number(text, lambda: text)


class MatrixData:
    """Gathers the variants of one program, which *file* declares."""

    def __init__(self, file: str, sources: SourceMap, inputs: Mapping[str, Span]) -> None:
        self._file = file
        self._sources = sources
        self._inputs = inputs
        self._axes: dict[str, _Pool] = {}
        self._matrices: dict[str, Data] = {}
        self._entries = _Pool()
        self._texts = _Pool()
        self._lines = _Pool()
        self._sets = _Pool()
        self._places = _Pool()
        self._lints = _Pool()
        self._causes = _Pool()
        self._variants: dict[str, Data] = {}
        self._dropped: list[Json] = []

    def add(
        self,
        variant: Variant,
        recipe: ir.Recipe,
        found: Iterable[tuple[str, str, Finding]],
    ) -> None:
        """Add *variant*, which *recipe* is, and what lints *found* in it: each lint's name, what it
        says is wrong, and the finding."""
        matrix = variant.matrix
        self._matrices.setdefault(
            matrix.name,
            {"recipe": matrix.recipe.name, "axes": [pick.axis.name for pick in matrix.axes]},
        )
        tree = recipe_tree(recipe, self._inputs)
        nodes = [node for node in tree.walk() if _says(node)]
        self._variants[variant.name] = {
            "name": variant.name,
            "matrix": matrix.name,
            "values": self._values(variant),
            "entries": [*map(self._entry, nodes)],
            "lints": [*sorted({self._lint(*one) for one in found})],
            "files": [],
            "beside": [],
        }

    def add_lines(self, mapped: MappedFiles, numbering: Numbering) -> None:
        """Add the recipes of a variant that is there, and what stands on none of their lines."""
        variant = self._variants[mapped.variant]
        files: list[Json] = []
        for file in mapped.files:
            lines: list[Json] = []
            texts = file.text.split("\n")[:-1]  # what follows the last line end is no line
            for text, made, around in zip(texts, file.made, file.around, strict=False):
                sets: list[Json] = [self._set(made, numbering), self._set(around, numbering)]
                lines.append(self._line(text, sets))
            files.append({"path": file.path, "lines": lines})
        told = dict.fromkeys((entry_text(entry), entry.lines) for entry in mapped.entries)
        variant["files"] = files
        variant["beside"] = [[text, self._set(lines, numbering)] for text, lines in told]

    def add_dropped(self, dropped: Dropped) -> None:
        """Add the dropped cells of a matrix."""
        name, count = dropped.matrix.name, 0
        for cell in dropped.cells():
            count += 1
            if len(self._dropped) >= MOST_DROPPED:
                continue
            reasons: list[Json] = [
                [self._cause(reason.check), ", ".join(reason.texts())] for reason in cell.reasons
            ]
            self._dropped.append(
                {
                    "name": cell.variant.name,
                    "matrix": name,
                    "values": self._values(cell.variant),
                    "reasons": reasons,
                }
            )
        self._matrices.setdefault(
            name,
            {
                "recipe": dropped.matrix.recipe.name,
                "axes": [pick.axis.name for pick in dropped.matrix.axes],
            },
        )
        self._matrices[name]["dropped"] = count

    def data(self, states: Mapping[str, Json]) -> Data:
        """All that was added; *states* says of variants what became of them in a build."""
        variants: list[Json] = [
            {**one, "state": states[name]} if name in states else one
            for name, one in self._variants.items()
        ]
        return {
            "program": self._file,
            "axes": {name: one.items for name, one in self._axes.items()},
            "matrices": dict(self._matrices.items()),
            "entries": self._entries.items,
            "texts": self._texts.items,
            "lines": self._lines.items,
            "sets": self._sets.items,
            "places": self._places.items,
            "lints": self._lints.items,
            "causes": self._causes.items,
            "variants": variants,
            "dropped": self._dropped,
        }

    # --- what is shared ------------------------------------------------------------------

    def _values(self, variant: Variant) -> Data:
        """Which value of each axis, by the axis."""
        found: Data = {}
        for axis, value in variant.values.items():
            found[axis] = self._axes.setdefault(axis, _Pool()).text(axis_text(value))
        return found

    def _entry(self, node: Node) -> int:
        text = _text(node)
        place = self._sources.locate(node.span) if node.span is not None else ""
        notes = tuple(self._notes(node))
        path = path_text(node.path)
        return self._entries.number(
            (path, text, place, notes),
            lambda: {
                "path": path,
                "text": text,
                "place": place,
                "notes": [*notes],
                "within": node.kind in _WITHIN,
            },
        )

    def _notes(self, node: Node) -> Iterable[str]:
        if node.because:
            yield f"because {node.because}"
        for span in node.origin.conditions if node.origin is not None else ():
            yield f"when {span_text(span, self._sources)}"
        for lost in node.shadowed:
            where = self._sources.locate(lost.origin.span)
            yield f"shadows {shown(lost.value)} ({lost.reason}) {where}"

    def _cause(self, check: Exclusion) -> int:
        """The number of what drops cells."""

        def made() -> Data:
            cause = cause_of(check, self._sources)
            return {
                "text": cause.text,
                "place": cause.place,
                "because": cause.because,
                "through": cause.brought_in,
            }

        return self._causes.number(id(check), made)

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
        """The number of a line of a recipe, with the sets of lines that made it and what stands
        around it."""
        number = self._texts.text(text)
        return self._lines.number((number, *sets), lambda: [number, *sets])

    def _set(self, lines: Lines, numbering: Numbering) -> int:
        """The number of a set of lines of source."""
        return self._sets.number(
            lines, lambda: [self._place(place) for place in numbering.places(lines)]
        )

    def _place(self, place: Place) -> int:
        file, number = place
        source = self._sources.get(file)
        text = source.line(number) if source is not None else ""
        return self._places.number(place, lambda: [file, number, text])


def _says(node: Node) -> bool:
    """Whether there is a value, or that there is none any more; the variant itself is its name."""
    return bool(node.path) and (
        not isinstance(node.value, Missing) or node.kind in ("unset", "removed", "part")
    )


def _text(node: Node) -> str:
    if isinstance(node.value, Missing):
        return "the package's own" if node.kind == "part" else "none"
    sign = "+= " if node.extends else ""
    if isinstance(node.value, str | NixText) and "\n" in script_text(node.value):
        return sign + script_text(node.value)
    if node.kind in ("plain", "pin") and isinstance(node.value, str):
        return node.value
    return sign + shown(node.value)
