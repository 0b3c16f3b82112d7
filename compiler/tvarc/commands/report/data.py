"""The data of a page about each variant: its settings, the lines of its recipes, the source lines
of each, and the findings of lints. Data that variants share is stored once and has a number: a
setting, a run of settings, a line, a run of lines. A text that differs only in late parts or in the
name of the variant is a list with the numbers of these parts in their places, and each variant has
the texts that the page fills in. So the size of a page depends on the differences between variants,
not on their number.
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
from tvarc.commands.shown.tree import (
    Node,
    SharedNodes,
    node_of,
    recipe_tree,
    script_pieces,
    script_text,
    shown,
    shown_pieces,
)
from tvarc.decide.late import late_in
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
from tvarc.nix.language.late import MappedLine, Piece, Printed
from tvarc.text.source import SourceMap, Span
from tvarc.values.plain import Data, Json
from tvarc.values.provenance import Lines, Place
from tvarc.values.reads import NameRead
from tvarc.values.value import Late, Missing, NixText, quote

_WITHIN: Final = ("element", "line", "removed")
"""Nodes within a setting. They never decide the colour of a variant."""

_OPEN: Final = frozenset([*[block.name for block in OF_PACKAGE], "files"])
"""The blocks whose settings may have late parts."""

_NAME: Final = Late(frozenset(), whole=False)
"""The name of the variant, as a late part of a text."""

_SHORT_NAME: Final = SHORT - len(quote(""))
"""The greatest length of a variant's name that is shown as a read value."""

_VARIANT: Final = 3
_ENTRY: Final = 4
"""The evaluations that a variant, and a setting that it does not share, count as."""
_RUNS: Final = 3
_FILLS: Final = 12
_LINES: Final = 4
_CHARACTERS: Final = 8
_PAIRS: Final = 3
"""The shared runs of a variant, the texts that it fills in, the lines of a recipe, and the
characters and pairs of elements (as powers of 2) that count as one evaluation."""

_Text = str | tuple[Piece, ...]
"""A text, or its pieces if it has late parts."""

_AROUND: Final = 5
"""The number of source lines that are kept before and after a line from which something comes."""


@dataclass(slots=True)
class _Pool:
    """Things that are stored once, each with a number."""

    items: list[Json] = field(default_factory=list)
    _numbers: dict[object, int] = field(default_factory=dict)

    def number(self, key: object, make: Callable[[], Json]) -> int:
        """The number of the thing with *key*; a new one is made by *make*."""
        known = self._numbers.get(key)
        if known is None:
            known = self._numbers[key] = len(self.items)
            self.items.append(make())
        return known


class _Lists(dict[tuple[Json, ...], int]):
    """Lists that are stored once: the number of each, by a tuple of its content."""

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
        # For each block of settings, by its identity: whether each variant has to decide one of its
        # settings, because a late part is a whole value. The blocks are kept alive.
        self._own: dict[int, tuple[object, bool]] = {}
        # For each shared node, by its identity: whether it has late parts, and the axes on which
        # its notes depend. The nodes are kept alive.
        self._open: dict[int, bool] = {}
        self._axes: dict[tuple[Span, int], frozenset[str] | None] = {}
        # The paths of files without the names of variants, each kept once.
        self._files: dict[_Text, str | NixText] = {}
        self._pieces = Runs(self._piece)
        # The numbers of late parts, by their bits and as parts of texts.
        self._bits: dict[Lines, int] = {}
        self._late: dict[Late, int] = {}

    def add(
        self,
        variant: Variant,
        recipe: ir.Recipe,
        found: Iterable[tuple[str, str, Finding]],
        why: Trace,
    ) -> int:
        """Add *variant*, and the lint findings *found* in it: each lint's name, its message, and
        the finding. *recipe* is that of the variant in the maps and may have late parts. *why* has
        the values that each value read. Returns the cost in evaluations."""
        tree = self._tree(recipe, why)
        changes, name = recipe.changes, recipe.variant
        made = {bit: lines for some in changes.filled for bit, lines in some.items() if bit}
        for bit in made:
            self._bits.setdefault(bit, len(self._bits))
        texts = changes.fills.items()
        fills = [(self._number(late), None if text == name else text) for late, text in texts]
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
        """The data of all added variants."""
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
        """The lines of *file* from which something comes, and the lines around them, by their
        numbers; and the number of its lines."""
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

    def _tree(self, recipe: ir.Recipe, why: Trace) -> Node:
        """The tree of *recipe*. Late parts and the variant's name are not filled in, so that its
        nodes are those of other variants as well."""
        changes = recipe.changes
        blocks = tuple([self._settings_of(one, why) for one in changes.blocks])
        unset = self._settings_of(changes.unset, why)
        texts = [_without_name(file, recipe.variant) for _, file in recipe.files]
        values = [(one, one if isinstance(one, str) else NixText(one)) for one in texts]
        paths = [self._files.setdefault(text, value) for text, value in values]
        shown = replace(recipe, changes=replace(changes, blocks=blocks, unset=unset))
        return recipe_tree(shown, self._inputs, self._nodes, paths)

    def _settings_of(self, settings: tuple[ir.Setting, ...], why: Trace) -> tuple[ir.Setting, ...]:
        """*settings*, decided for the variant of *why* if a late part is a whole value: its kind is
        not known until it is filled in."""
        known = self._own.get(id(settings))
        if known is None:
            own = any(map(_has_whole, settings))
            known = self._own[id(settings)] = (settings, own)
        if not known[1]:
            return settings
        return tuple([
            why.setting(group_of(one.path)) if _has_whole(one) else one for one in settings
        ])

    def _runs_of(self, node: Node, why: Trace, recipe: ir.Recipe) -> Iterator[int]:
        """The runs of the data of *node* and all nodes below it. Variants of one matrix that share
        a node agree on all axes that it reads, so *why* says the same for each of them. Those that
        share a setting with late parts agree on the axes that its notes depend on."""
        is_open = node.path[0] in _OPEN and self._is_open(node)
        shared = node in self._nodes
        if len(node.path) == 1 if is_open else not shared:
            if _says(node):
                yield self._run([self._entry(node, node, why)])
            for one in node.children:
                yield from self._runs_of(one, why, recipe)
            return
        part = self._part_of_notes(node, why, recipe) if is_open else None
        key = (recipe.matrix_span, id(node), part)
        run = self._walked.get(key) if shared else None
        if run is None:
            # The whole text of an element identifies it in its list.
            listed = is_open and any(one.steps != () for one in node.walk())
            whole = node_of(why.setting(group_of(node.path))) if listed else node
            run = self._walked[key] = self._run([*self._walk(node, whole, why, recipe)])
        yield run

    def _walk(self, node: Node, whole: Node, why: Trace, recipe: ir.Recipe) -> Iterator[int]:
        """The entries of *node*, which is *whole* with late parts, and of all nodes below it."""
        if _says(node):
            yield self._entry(node, whole, why)
        # The reads and the place of an element are searched among all elements of its list.
        self._cost += len(node.children) ** 2 >> _PAIRS
        for one, other in zip(node.children, whole.children, strict=True):
            if one in self._nodes:
                for run in self._runs_of(one, why, recipe):
                    yield from self._runs.items_of[run]  # type: ignore[misc]
            else:
                yield from self._walk(one, other, why, recipe)

    def _is_open(self, node: Node) -> bool:
        """Whether a text of *node* or of a node below it has late parts."""
        known = self._open.get(id(node))
        if known is None:
            values = [(one.value, one.head, one.shadowed) for one in node.walk()]
            known = any(late_in(tuple(values)))
            if node in self._nodes:
                self._open[id(node)] = known
        return known

    def _part_of_notes(self, node: Node, why: Trace, recipe: ir.Recipe) -> object:
        """The data besides the node that decides the notes of *node*, which has late parts."""
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
        self._cost += _ENTRY + (sum(map(_length, (text, *notes))) >> _CHARACTERS)
        path = path_text(node.path)
        return self._entries.number(
            (path, text, place, notes),
            lambda: {
                "path": path,
                "text": self._json(text),
                "place": place,
                "notes": list(map(self._json, notes)),
                "within": node.kind in _WITHIN,
                "depth": len(node.path) - 1,
            },
        )

    def _notes(self, node: Node, whole: Node, why: Why) -> Iterator[_Text]:
        """The reasons for a value: the values that conditions read, how ranks compare, and the
        values that were read. *node* is *whole* with late parts."""
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
            yield _joined(["shadows ", *shown_pieces(lost.value), f" ({reason}) {where}"])
        for origin in added_nothing(whole, why):
            yield f"adds nothing: {origin.layer} {locate(origin.span)}"
        reads = all_reads(whole, why)
        for path in reads.settings:
            yield f"reads {path}"
        for name in reads.names:
            yield _joined(["reads ", *_named(name), f" {locate(name.span)}"])
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
        """The lines of a file of the variant *name*: the lines of its head, and runs of lines that
        variants share."""
        head: list[Json] = [self._line(*one) for one in zip(file.head, file.made, strict=True)]
        runs: list[Json] = [*self._pieces.of(file.body)]
        path = _without_name(file.path, name)
        return {"path": self._json(path), "head": head, "runs": runs}

    def _piece(self, lines: Sequence[tuple[tuple[Piece, ...], MappedLine]]) -> int:
        """The run of the *lines* that end in a piece of recipes."""
        texts = [(_joined(pieces), line) for pieces, line in lines]
        self._cost += len(lines) // _LINES
        self._cost += sum([_length(text) for text, _ in texts]) >> _CHARACTERS
        return self._run([self._line(*one) for one in texts])

    def _run(self, numbers: Sequence[int]) -> int:
        """The number of a run of *numbers*, which are those of entries, lines, and the like."""
        return self._runs[tuple(numbers)]

    def _line(self, text: _Text, lines: MappedLine) -> int:
        """The number of a line of a recipe, with the sets of *lines* that made it and the code
        around it."""
        made, around = lines
        number = self._texts.number(text, lambda: self._json(text))
        sets = (self._set(made), self._set(around))
        return self._lines[number, *sets]

    def _json(self, text: _Text) -> Json:
        """*text* as the page has it: None for the name of the variant, and numbers for other late
        parts."""
        if isinstance(text, str):
            return text
        return [self._number(one) if isinstance(one, Late) else one for one in text if one]

    def _number(self, late: Late) -> int | None:
        return None if late is _NAME else self._late.setdefault(late, len(self._late))

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
    """Whether every text that contains *name* has it without escapes."""
    return quote(name) == f'"{name}"'


def _joined(pieces: Sequence[Piece]) -> _Text:
    """The *pieces* as one text."""
    text = Printed(pieces)
    return tuple(text.pieces) if text.late_parts else text.filled({})


def _length(text: _Text) -> int:
    """The characters of *text*, with one for each late part."""
    return sum([len(one) if isinstance(one, str) else 1 for one in text])


def _has_whole(setting: ir.Setting) -> bool:
    return any(one.whole for one in late_in(setting))


def _without_name(text: str, name: str) -> _Text:
    """*text* without the *name* of the variant, which is a late part of it."""
    first, *others = text.split(name)
    return _joined([first, *[piece for one in others for piece in (_NAME, one)]])


def _named(one: NameRead) -> list[Piece]:
    """The read values. The name of the variant is a late part of them."""
    text = named(one)
    if one.kind == "variant" and isinstance(one.value, str) and _is_plain(one.value):
        before, found, after = text.rpartition(one.value)
        return [before, _NAME, after] if found and before else [text]
    return [text]


def _says(node: Node) -> bool:
    """Whether *node* has a text: a value, or a note that it is removed or the package's own. The
    text of the variant itself is its name."""
    return bool(node.path) and (
        not isinstance(node.value, Missing) or node.kind in ("unset", "removed", "part")
    )


def _text(node: Node) -> _Text:
    if isinstance(node.value, Missing):
        return {"part": "the package's own", "removed": "taken out"}.get(node.kind, "none")
    if not isinstance(node.head, Missing):
        added = [" ++ ", *shown_pieces(node.value)] if node.value else []
        return _joined([*shown_pieces(node.head), *added])
    if node.path == ("pin", "hash") and node.value is None:
        return "none yet"
    if node.path == ("recipe",) and isinstance(node.value, tuple):
        return " \N{RIGHTWARDS ARROW} ".join(map(str, node.value))
    sign = "+= " if node.extends else ""
    if isinstance(node.value, str | NixText) and "\n" in script_text(node.value):
        return _joined([sign, *script_pieces(node.value)])
    if node.kind in ("plain", "pin") and isinstance(node.value, str | NixText):
        return _joined(script_pieces(node.value))
    return _joined([sign, *shown_pieces(node.value)])
