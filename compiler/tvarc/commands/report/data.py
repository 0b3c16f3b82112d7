"""What a page knows of each variant: its settings, the lines of its recipes, the lines of source
behind each, and what lints find in it.

What variants share is kept once and named by its number: a setting, a run of settings, a line, a
run of lines. A text that differs only in late parts or in the name of the variant has marks in
their places, and each variant has the texts that the page fills in. So a thousand variants take the
room of what they differ in.
"""

from __future__ import annotations

from tvarc.advice.lints.model import Finding
from tvarc.blocks import OF_PACKAGE
from tvarc.build.assembly.source_map import Runs, SharedFile, SourceMaps
from tvarc.commands.shown.data import (
    SHORT,
    Why,
    added_nothing,
    all_reads,
    fact_text,
    named,
    place_of,
)
from tvarc.commands.shown.lookup import path_text
from tvarc.commands.shown.source_map import entry_text
from tvarc.commands.shown.tree import Node, SharedNodes, node_of, recipe_tree, script_text, shown
from tvarc.decide.late import with_marks
from tvarc.decide.plan import group_of
from tvarc.decide.trace import Trace
from tvarc.light import (
    Callable,
    Final,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    dataclass,
    field,
    replace,
)
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.lower.memo import Line
from tvarc.text.source import SourceMap, Span
from tvarc.values.plain import Data, Json
from tvarc.values.provenance import Lines, Place
from tvarc.values.reads import NameRead
from tvarc.values.value import MARK_OF_NAME, Missing, NixText, is_mark, quote

_WITHIN: Final = ("element", "line", "removed")
"""Nodes within a setting: no variant is coloured by one."""

_MARKED: Final = frozenset([*[block.name for block in OF_PACKAGE], "files"])
"""The blocks of which settings may have marks."""

_SHORT_NAME: Final = SHORT - len(quote(""))
"""A name of a variant that is longer is not shown where something reads it."""

_VARIANT: Final = 3
_ENTRY: Final = 4
"""A variant, and a setting that it does not share, take as much as so many evaluations."""
_RUNS: Final = 3
_FILLS: Final = 12
_LINES: Final = 4
_CHARACTERS: Final = 8
_PAIRS: Final = 3
"""So many shared runs of a variant, texts that it fills in, lines of a recipe, and characters and
pairs of elements as powers of 2, take as much as one evaluation."""

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


class _Lists(dict[tuple[Json, ...], int]):
    """Lists that are kept once: the number of each, by a tuple of what is in it."""

    def __init__(self) -> None:
        self.items_of: list[Json] = []

    def __missing__(self, key: tuple[Json, ...]) -> int:
        number = self[key] = len(self.items_of)
        self.items_of.append([*key])
        return number


class MatrixData:
    """Gathers the variants of one program."""

    def __init__(
        self, sources: SourceMap, inputs: Mapping[str, Span], maps: SourceMaps
    ) -> None:
        """*maps* has the maps of the variants."""
        self._sources = sources
        self._inputs = inputs
        self._maps = maps
        self._cost = 0
        self._entries = _Pool()
        self._texts = _Pool()
        self._lines = _Lists()
        self._runs = _Lists()
        self._sets = _Pool()
        self._places = _Pool()
        self._fills = _Lists()
        self._made = _Lists()
        self._beside = _Lists()
        self._lints = _Pool()
        self._reached: dict[str, set[int]] = {}
        self._variants: list[Json] = []
        self._nodes = SharedNodes()
        self._walked: dict[tuple[object, ...], int] = {}
        # Settings with marks, and blocks of them, by the identity of those without, which are kept,
        # too. None for a setting that each variant has to decide.
        self._with_own: dict[int, tuple[ir.Setting, ir.Setting | None]] = {}
        self._settings: dict[int, tuple[object, tuple[ir.Setting, ...]]] = {}
        # By the identity of a node, for shared ones, which are kept: whether it has marks, and the
        # axes that its notes depend on.
        self._marked: dict[int, bool] = {}
        self._axes: dict[tuple[Span, int], frozenset[str] | None] = {}
        self._files: dict[str, str] = {}  # the names of files with marks, each kept once
        self._pieces = Runs(self._piece)
        self._bits: dict[Lines, int] = {}  # the numbers of late parts

    def add(
        self,
        variant: Variant,
        recipe: ir.Recipe,
        found: Iterable[tuple[str, str, Finding]],
        why: Trace,
    ) -> int:
        """Add *variant*, and the lint findings *found* in it: each lint's name, its message, and
        the finding. *recipe* is that of the variant in the maps and may have late parts. *why* has
        the values that each value read. What it took, in evaluations."""
        tree = recipe_tree(self._with_marks(recipe, why), self._inputs, self._nodes)
        changes, name = recipe.changes, recipe.variant
        made = {bit: lines for some in changes.filled for bit, lines in some.items() if bit}
        for bit in made:
            self._bits.setdefault(bit, len(self._bits))
        fills = [(mark, None if text == name else text) for mark, text in changes.fills.items()]
        told = dict.fromkeys(
            (entry_text(entry), entry.lines) for entry in self._maps.entries(variant, recipe)
        )
        files = [file for _, file in recipe.files] or [f"{name}.nix"]
        runs = [run for one in tree.children for run in self._runs_of(one, why, recipe)]
        self._cost += _VARIANT + len(runs) // _RUNS + (len(fills) + len(made)) // _FILLS
        self._variants.append(
            {
                "name": name,
                "entries": [*runs],
                "fills": self._run(list(map(self._fills.__getitem__, fills))),
                "made": self._run(
                    [self._made[~self._bits[bit], self._set(made[bit])] for bit in made]
                ),
                "lints": [*sorted({self._lint(*one) for one in found})],
                "files": [self._file(self._maps.shared_file(recipe, one), name) for one in files],
                "beside": self._run(
                    [self._beside[text, self._set(lines)] for text, lines in told]
                ),
                "written": bool(recipe.files),
            }
        )
        cost, self._cost = self._cost, 0
        return cost

    def data(self) -> Data:
        """All that was added."""
        return {
            "entries": self._entries.items,
            "texts": self._texts.items,
            "lines": self._lines.items_of,
            "runs": self._runs.items_of,
            "sets": self._sets.items,
            "places": self._places.items,
            "fills": self._fills.items_of,
            "made": self._made.items_of,
            "beside": self._beside.items_of,
            "sources": {file: self._source(file) for file in self._reached},
            "lints": self._lints.items,
            "variants": self._variants,
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

    def _with_marks(self, recipe: ir.Recipe, why: Trace) -> ir.Recipe:
        """*recipe* with marks as the texts of late parts and of the variant's name, so that the
        nodes of its tree are those of other variants as well."""
        changes = recipe.changes
        blocks = tuple([self._settings_of(one, why) for one in changes.blocks])
        unset = self._settings_of(changes.unset, why)
        files = [(output, _without_name(file, recipe.variant)) for output, file in recipe.files]
        return replace(
            recipe,
            changes=replace(changes, blocks=blocks, unset=unset),
            files=tuple([(output, self._files.setdefault(one, one)) for output, one in files]),
        )

    def _settings_of(self, settings: tuple[ir.Setting, ...], why: Trace) -> tuple[ir.Setting, ...]:
        known = self._settings.get(id(settings))
        if known is not None:
            return known[1]
        found: list[ir.Setting] = []
        own = False
        for one in settings:
            made = self._with_own.setdefault(id(one), (one, with_marks(one)))[1]
            own = own or made is None
            found.append(made or why.setting(group_of(one.path)))
        if not own:
            self._settings[id(settings)] = (settings, tuple(found))
        return tuple(found)

    def _runs_of(self, node: Node, why: Trace, recipe: ir.Recipe) -> Iterator[int]:
        """The runs of the data of *node* and all nodes below it. Variants of one matrix that share
        a node agree on all axes that it reads, so *why* says the same for each of them. Those that
        share a setting with marks agree on the axes that its notes depend on."""
        marked = node.path[0] in _MARKED and self._has_marks(node)
        shared = node in self._nodes
        if len(node.path) == 1 if marked else not shared:
            if _says(node):
                yield self._run([self._entry(node, node, why)])
            for one in node.children:
                yield from self._runs_of(one, why, recipe)
            return
        part = self._part_of_notes(node, why, recipe) if marked else None
        key = (recipe.matrix_span, id(node), part)
        run = self._walked.get(key) if shared else None
        if run is None:
            # Which element of a list is meant is known by its whole text.
            listed = marked and any(one.steps != () for one in node.walk())
            whole = node_of(why.setting(group_of(node.path))) if listed else node
            run = self._walked[key] = self._run([*self._walk(node, whole, why, recipe)])
        yield run

    def _walk(self, node: Node, whole: Node, why: Trace, recipe: ir.Recipe) -> Iterator[int]:
        """The entries of *node*, which is *whole* without marks, and of all nodes below it."""
        if _says(node):
            yield self._entry(node, whole, why)
        # What an element read, and its place, are searched for among all elements of its list.
        self._cost += len(node.children) ** 2 >> _PAIRS
        for one, other in zip(node.children, whole.children, strict=True):
            if one in self._nodes:
                for run in self._runs_of(one, why, recipe):
                    yield from self._runs.items_of[run]  # type: ignore[misc]
            else:
                yield from self._walk(one, other, why, recipe)

    def _has_marks(self, node: Node) -> bool:
        """Whether a text of *node* or of a node below it has marks."""
        known = self._marked.get(id(node))
        if known is None:
            texts = [_text(one) for one in node.walk() if _says(one)]
            texts += [shown(lost.value) for one in node.walk() for lost in one.shadowed]
            known = any(not one.isascii() and any(map(is_mark, one)) for one in texts)
            if node in self._nodes:
                self._marked[id(node)] = known
        return known

    def _part_of_notes(self, node: Node, why: Trace, recipe: ir.Recipe) -> object:
        """What decides the notes of *node*, which has marks, besides the node."""
        name = recipe.variant
        place = (recipe.matrix_span, id(node))
        if place in self._axes:
            axes = self._axes[place]
        else:
            origins = [one.origin for one in node.walk() if one.origin is not None]
            axes = why.axes_of_reads(origins)
            if node in self._nodes:
                self._axes[place] = axes
        if axes is None or not _is_plain(name):
            return name
        return why.key(axes), len(name) <= _SHORT_NAME

    def _entry(self, node: Node, whole: Node, why: Trace) -> int:
        text = _text(node)
        span = place_of(whole, why)
        place = self._sources.locate(span) if span is not None else ""
        notes = tuple(self._notes(node, whole, why))
        self._cost += _ENTRY + (len(text) + sum(map(len, notes)) >> _CHARACTERS)
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

    def _notes(self, node: Node, whole: Node, why: Why) -> Iterator[str]:
        """Why a value is as it is: what conditions asked, how ranks compare, what was read. *node*
        is *whole* without marks."""
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
        for origin in added_nothing(whole, why):
            yield f"adds nothing: {origin.layer} {locate(origin.span)}"
        reads = all_reads(whole, why)
        for path in reads.settings:
            yield f"reads {path}"
        for name in reads.names:
            yield f"reads {_named(name)} {locate(name.span)}"
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

    def _file(self, file: SharedFile, name: str) -> Data:
        """The lines of a file of the variant *name*: those of its head, and runs of lines that it
        shares with others."""
        head: list[Json] = [self._line(*one) for one in zip(file.head, file.made, strict=True)]
        runs: list[Json] = [*self._pieces.of(file.body)]
        return {"path": _without_name(file.path, name), "head": head, "runs": runs}

    def _piece(self, lines: Sequence[tuple[str, Line]]) -> int:
        """The run of the *lines* that end in a piece of recipes."""
        self._cost += len(lines) // _LINES
        self._cost += sum([len(text) for text, _ in lines]) >> _CHARACTERS
        return self._run([self._line(*one) for one in lines])

    def _run(self, numbers: Sequence[int]) -> int:
        """The number of a run of *numbers*, which are those of entries, lines, and the like."""
        return self._runs[tuple(numbers)]

    def _line(self, text: str, lines: Line) -> int:
        """The number of a line of a recipe, with the sets of *lines* that made it and the code
        around it."""
        made, around = lines
        number, sets = self._texts.text(text), (self._set(made), self._set(around))
        return self._lines[number, *sets]

    def _set(self, lines: Lines) -> int:
        """The number of a set of lines of source: places, and negative numbers for late parts."""
        return self._sets.number(lines, lambda: self._numbers_of(lines))

    def _numbers_of(self, lines: Lines) -> list[Json]:
        late = [~number for bit, number in self._bits.items() if lines & bit]
        return [*map(self._place, self._maps.numbering.places(lines)), *late]

    def _place(self, place: Place) -> int:
        file, number = place
        self._reached.setdefault(file, set()).add(number)
        return self._places.number(place, lambda: [file, number])


def _is_plain(name: str) -> bool:
    """Whether *name* is written as it is wherever a text has it."""
    return quote(name) == f'"{name}"'


def _without_name(text: str, name: str) -> str:
    """*text* with a mark for the *name* of the variant."""
    return text.replace(name, MARK_OF_NAME)


def _named(one: NameRead) -> str:
    """What was read, with a mark for the name of the variant."""
    text = named(one)
    if one.kind == "variant" and isinstance(one.value, str) and _is_plain(one.value):
        before, found, after = text.rpartition(one.value)
        return f"{before}{MARK_OF_NAME}{after}" if found and before else text
    return text


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
