"""The recipes of one matrix, put together from pieces.

What a variant's file says of one setting depends on a few axes only. So each setting is decided,
lowered and printed once for each combination of those, by the functions that make whole files,
and a file is the joining of what has been printed. A *frame* is what stands around the settings:
the file with slots in their place, printed in the same way. A setting can stand in a slot where
the lines around it are the same whatever it is: in a set or list that goes over lines.

A build of the 237 recipes of `examples/torch-2.10` takes a quarter of the CPU so, and one of a
hundred thousand little more than writing them. To measure it, have `Matrix` raise `Unfit`, so that
the plain path makes all files, and run `python -m bench --sizes 237,948 --only tvarc`.
"""

from __future__ import annotations

from itertools import compress

from tvarc import ir
from tvarc.assembly.columns import Column, Made, Making, Names, Table, merged, rows
from tvarc.assembly.fillings import Fillings
from tvarc.assembly.pieces import ContextOf, Facts, Piece, Unfit, blocks_of, pieces_of, printed
from tvarc.assembly.present import Present
from tvarc.assembly.templates import Template, Unsteady
from tvarc.backend.nix.context import Context, Formals, Frame, Relative
from tvarc.backend.nix.lower import context_of, lower_around
from tvarc.elaborate.decide import MOST_PIECES, Deciding
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.holes import Hole, Holed, with_holes
from tvarc.elaborate.parts import changes, decide_pin
from tvarc.elaborate.plan import GroupKey, Plan
from tvarc.elaborate.total import check_total
from tvarc.light import TYPE_CHECKING, Callable, Iterable, Iterator, Sequence, TypeVar, dataclass
from tvarc.matrix.cells import Batch, Projection
from tvarc.matrix.variants import Variant
from tvarc.nix.printer import print_around
from tvarc.nix.syntax import NixFormal
from tvarc.sema.budget import FREE_RECIPE, LIMIT_ALL_RECIPES, LIMIT_RECIPE, Total
from tvarc.sema.failed import Failed
from tvarc.values import Value

if TYPE_CHECKING:
    from tvarc.assembly.fragments import Beside, PinBeside
    from tvarc.provenance.model import Lines

# A setting that is decided so often is decided less often if its texts have holes.
_AXES = 2
_OFTEN = 8
_SHARE = 256
_TRIES = 12
_MOST_FRAMES = 4096


class Matrix:
    """The bodies of the files of some variants of a matrix: all but their headers.

    Where their frames are of several kinds, the variants of each kind are put together by
    themselves. Raises Unfit, with nothing reported, where one of them cannot be made, or not in
    this way: then each of them is to be made by itself, which reports what is wrong.
    """

    __slots__ = (
        "_attempt",
        "_columns",
        "_elaboration",
        "_fill",
        "_holed",
        "_kind_of",
        "_kinds",
        "_present",
        "_relative",
        "_solid",
        "_values",
    )

    def __init__(
        self,
        elaboration: Elaboration,
        present: Present,
        relative: Relative,
        *,
        holes: bool,
        solid: Iterable[GroupKey] = (),
    ) -> None:
        """The groups that are *solid* have no holes."""
        self._elaboration = elaboration
        self._present = present
        self._relative = relative
        self._values = elaboration.silent()
        self._fill = Fillings(elaboration, present)
        self._solid = set(solid)
        self._columns: list[Column] = []
        self._attempt: Attempt | None = None
        self._kinds: dict[object, Matrix] = {}
        self._kind_of: Differ | None = None
        columns: list[Column] | None = None
        try:
            for _ in range(_TRIES):
                columns = self._try(holes=holes)
                if columns is not None:
                    break
            else:
                columns = self._try(holes=False)
        except Failed:
            raise Unfit from None
        except Differ as differ:
            self._kind_of = differ
            for kind, some in present.split(differ.projection, differ.kinds).items():
                self._kinds[kind] = Matrix(elaboration, some, relative, holes=holes, solid=solid)
            return
        if columns is None:
            raise Unfit
        if elaboration.tracing is not None:
            self._columns = columns  # what is joined can no longer be looked up by what it is of
            return
        self._columns = merged(columns, present.built.projections, present.keys, len(present.cells))

    @property
    def columns(self) -> Sequence[Column]:
        """What the bodies of all files are made of, where they are of one kind."""
        return self._columns

    @property
    def attempt(self) -> Attempt:
        """What was found out about the pieces, where they are traced and of one kind."""
        assert self._attempt is not None
        return self._attempt

    def leaves(self, batch: Batch, names: Sequence[str]) -> Iterator[Leaf]:
        """The cells of *batch*, those of one kind together."""
        if self._kind_of is None:
            yield Leaf(self, batch, names, range(len(names)))
            return
        kinds = [self._kind_of.kinds[key] for key in self._kind_of.projection.keys(batch)]
        for kind in dict.fromkeys(kinds):
            flags = [kind == one for one in kinds]
            some = Batch(self._present.built.grid, list(compress(batch.cells, flags)))
            places = list(compress(range(len(kinds)), flags))
            for leaf in self._kinds[kind].leaves(some, list(compress(names, flags))):
                yield Leaf(leaf.matrix, leaf.batch, leaf.names, [places[p] for p in leaf.places])

    def bodies(self, batch: Batch, names: Sequence[str]) -> Iterator[tuple[bytes, ...]]:
        """For each cell of *batch* the texts that its file's body is made of."""
        if self._kind_of is None:
            return rows(self._columns, batch, names)
        return self._by_kind(batch, names, self._kind_of)

    def _by_kind(
        self, batch: Batch, names: Sequence[str], differ: Differ
    ) -> Iterator[tuple[bytes, ...]]:
        kinds = [differ.kinds[key] for key in differ.projection.keys(batch)]
        found: dict[object, Iterator[tuple[bytes, ...]]] = {}
        for kind in dict.fromkeys(kinds):
            flags = [kind == one for one in kinds]
            some = Batch(self._present.built.grid, list(compress(batch.cells, flags)))
            found[kind] = self._kinds[kind].bodies(some, list(compress(names, flags)))
        return (next(found[kind]) for kind in kinds)

    # --- one try -------------------------------------------------------------------------

    def _try(self, *, holes: bool) -> list[Column] | None:
        """The columns; None after noting which settings have to do without holes."""
        silent = self._elaboration.silent()
        matrix = self._present.built.matrix
        plan = self._elaboration.plan(matrix)
        reads = self._elaboration.shared.reads
        holed = Holed(plan, {})
        if holes:
            traced = silent.tracing is not None
            holed = with_holes(
                plan, reads, self._is_often, self._fill.refuses, self._solid, traced=traced
            )
        self._holed = holed
        silent.plans[matrix.id] = holed.plan
        self._check_first(silent)
        attempt = Attempt(self._present, silent, self._relative, holed)
        attempt.learn()
        solid = {p.group for p in attempt.closed() if self._has_holes(p.group, holed)}
        if solid:
            self._solid |= solid
            return None
        columns: list[Column] = []
        texts, slots = attempt.frame()
        for text, slot in zip(texts, [*slots, None], strict=True):
            columns.append(text)
            if slot is None:
                continue
            name, indent = slot
            for piece in attempt.pieces:
                if piece.slot == name:
                    try:
                        columns += self._piece(piece, indent)
                    except Unsteady:
                        columns += self._without_holes(piece, attempt, indent)
        if (
            len(silent.sink)
            or len(self._values.sink)
            or _is_large(columns, len(self._present.cells))
        ):
            raise Unfit
        if silent.tracing is not None:
            self._attempt = attempt
        return columns

    def _check_first(self, elaboration: Elaboration) -> None:
        """Raises Failed where the first recipe is too large: before any of it is laid out, which
        takes far longer than to decide it."""
        built, cell = self._present.built, self._present.cells[0]
        # What is decided here is kept, so the variant has its own name.
        (name,) = built.names(Batch(built.grid, [cell]))
        deciding = elaboration.deciding(Variant(built, cell, name))
        check_total((), (), changes(deciding), Total(elaboration.sink), elaboration.sink)

    def _is_often(self, axes: frozenset[str]) -> bool:
        if len(self._present.projection(axes).axes) < _AXES:
            return False  # a hole would have as many fillings
        return self._present.many(axes) > max(_OFTEN, len(self._present.cells) // _SHARE)

    def _has_holes(self, group: GroupKey, holed: Holed) -> bool:
        plan = self._elaboration.plan(self._present.built.matrix)
        if group[0] == "script":
            return holed.plan.scripts.get(group[1]) is not plan.scripts.get(group[1])
        return holed.plan.groups.get(group) is not plan.groups.get(group)

    # --- pieces --------------------------------------------------------------------------

    def _without_holes(self, piece: Piece, attempt: Attempt, indent: int) -> list[Column]:
        """The columns of a piece of which the layout depends on what would fill its holes."""
        plan = self._elaboration.plan(self._present.built.matrix)
        for whole in attempt.pieces_of(plan, self._values):
            if whole.group == piece.group and whole.slot == piece.slot:
                whole.learn(self._present, old=False)
                return self._piece(whole, indent)
        raise Unfit

    def _piece(self, piece: Piece, indent: int) -> list[Column]:
        """The columns of one piece; raises Unsteady."""
        if piece.lone:
            return [Made(self._one_by_one(piece, indent))]
        templates = piece.templates(indent, self._holed.holes)
        if piece.beside:
            templates = {
                key: ((_adding(first, piece.beside[key]), *more), holes)
                for key, ((first, *more), holes) in templates.items()
            }
        kinds = {holes for _, holes in templates.values()}
        if len(kinds) == 1:
            return self._woven(piece.projection, templates, kinds.pop())
        return [Made(self._filled(piece.projection, templates))]

    def _woven(
        self, projection: Projection, templates: dict[int, Template], holes: str
    ) -> list[Column]:
        """Texts and fillings in turn, where all texts have the same holes."""
        columns: list[Column] = []
        for place in range(len(holes) + 1):
            texts = {key: template[0][place] for key, template in templates.items()}
            columns.append(Table(projection, texts))
            if place < len(holes):
                columns += self._fillings(self._holed.holes[holes[place]])
        return columns

    def _filled(self, projection: Projection, templates: dict[int, Template]) -> Making:
        """Fills the holes of texts that have different ones."""
        used = sorted({char for _, holes in templates.values() for char in holes})
        fillings = {char: self._fillings(self._holed.holes[char]) for char in used}
        join = self._join()

        def make(batch: Batch, names: Sequence[str]) -> list[bytes]:
            columns = {
                char: list(map(join, rows(filling, batch, names)))
                for char, filling in fillings.items()
            }
            found: list[bytes] = []
            for place, key in enumerate(projection.keys(batch)):
                texts, holes = templates[key]
                parts = [texts[0]]
                for char, text in zip(holes, texts[1:], strict=True):
                    parts += (columns[char][place], text)
                found.append(join(parts))
            return found

        return make

    def _join(self) -> Callable[[Sequence[bytes]], bytes]:
        """What joins texts, be they fragments."""
        if self._elaboration.tracing is None:
            return b"".join
        from tvarc.assembly.fragments import joined

        return joined

    def _one_by_one(self, piece: Piece, indent: int) -> Making:
        built = self._present.built

        def make(batch: Batch, names: Sequence[str]) -> list[bytes]:
            found: list[bytes] = []
            for cell, name in zip(batch.cells, names, strict=True):
                variant = Variant(built, cell, name)  # decided before, to learn of its frame
                nodes, _ = piece.elaboration.shared.again(piece.nodes, variant)
                text = printed(nodes, indent, (), traced=bool(piece.beside))[0][0]
                if piece.beside:
                    key = piece.projection.keys(Batch(built.grid, (cell,)))[0]
                    text = _adding(text, piece.beside[key])
                found.append(text)
            piece.forget()
            return found

        return make

    # --- what fills holes ----------------------------------------------------------------

    def _fillings(self, hole: Hole) -> list[Column]:
        if hole.expr is None:
            if self._elaboration.tracing is None:
                return [Names()]
            return [Names(), *self._name_parts(hole)]
        found = self._fill.of(hole)
        if found is None:
            raise Unsteady
        projection, texts = found
        if hole.expr is None or self._elaboration.tracing is None:
            return [Table(projection, {key: text.encode() for key, text in texts.items()})]
        from tvarc.assembly.fragments import filled

        made: dict[int, bytes] = {
            key: filled(self._values, variant, hole, texts[key])
            for key, variant in self._present.variants(projection)
        }
        return [Table(projection, made)]

    def _name_parts(self, hole: Hole) -> list[Column]:
        """What the name was made of that fills *hole*: columns without a text."""
        from tvarc.assembly.fragments import filling, name_parts

        values = self._values
        return [
            Table(at, {key: filling(values, hole, b"", lines) for key, lines in found.items()})
            for at, found in name_parts(self._values, self._present)
        ]


def _adding(text: bytes, beside: Beside) -> bytes:
    from tvarc.assembly.fragments import Fragment

    return text.adding(beside.adds) if isinstance(text, Fragment) else text


def _is_large(columns: Sequence[Column], cells: int) -> bool:
    """Whether a file may be larger than a recipe can be, or all files than all recipes, which is
    told of each by itself; or all pieces together are too large to be kept."""
    file = kept = 0
    for column in columns:
        if isinstance(column, Table):
            lengths = [len(text) for text in column.texts.values()]
            file += max(lengths, default=0)
            kept += sum(lengths)
    all_files = (file - FREE_RECIPE) * cells
    return file > LIMIT_RECIPE or kept > MOST_PIECES or all_files > LIMIT_ALL_RECIPES


@dataclass(frozen=True, slots=True)
class Leaf:
    """Some cells of a batch whose frames are of one kind; where they stand in the batch."""

    matrix: Matrix
    batch: Batch
    names: Sequence[str]
    places: Sequence[int]


class Differ(Exception):
    """The frames are of several kinds; `kinds` tells which, by combination."""

    def __init__(self, projection: Projection, kinds: dict[int, object]) -> None:
        super().__init__()
        self.projection = projection
        self.kinds = kinds


T = TypeVar("T")


class Attempt:
    """What is found out about the pieces and the frame of one plan."""

    def __init__(
        self, present: Present, elaboration: Elaboration, relative: Relative, holed: Holed
    ) -> None:
        self.present = present
        self.elaboration = elaboration
        self.relative = relative
        self.plan = holed.plan
        self.reads = elaboration.shared.reads
        self.pin_beside: dict[int, PinBeside] = {}
        self.ages: dict[tuple[Value, ...], Lines] = {}
        self.pin_projection, self.age, self.pin_axes = self.pin()
        self.all_ages = set(self.ages.values())
        self.pinned = self.age is not None
        self.extended = False
        self.merged, self.plain = blocks_of(self.age)
        self.pieces = self.pieces_of(self.plan, elaboration)
        self.extended = self.overlaid()
        self.old = False
        self.open: frozenset[str] = frozenset()

    def pieces_of(self, plan: Plan, elaboration: Elaboration) -> list[Piece]:
        inner, outer = self.context_of(), self.context_of(bare=True)
        always = self.pin_axes if len(self.all_ages) > 1 else frozenset[str]()
        return pieces_of(plan, elaboration, self.present, inner, outer, always)

    def pin(self) -> tuple[Projection, ir.Age | None, frozenset[str]]:
        """What is known of the nixpkgs that these recipes pin, None for those that pin none, and
        the axes that the pin depends on."""
        axes, name = self.plan.reach([("pin", "")], self.reads)
        for pin in self.elaboration.program.pins:
            for write in pin.made_of():
                found = self.reads.expr(write.value) | self.reads.conditions(write.conditions)
                axes |= found.axes
                name = name or bool(found.settings)
        if name:
            raise Unfit
        kinds: dict[int, ir.Age | None] = {}
        projection = self.present.projection(axes)
        for key, variant in self.present.variants(projection):
            deciding = self.elaboration.deciding(variant)
            decided = decide_pin(deciding, self.elaboration.pins)
            kinds[key] = decided.age if decided is not None else None
            if self.elaboration.tracing is not None:
                from tvarc.assembly.fragments import pin_beside

                beside = pin_beside(self.elaboration, deciding, decided)
                self.pin_beside[key] = beside
                self.ages[deciding.key(axes)] = beside.age
        return projection, _alike(projection, kinds), axes

    def overlaid(self) -> bool:
        """Whether overlays decide where the settings stand, as they do without a pin."""
        for piece in self.pieces if not self.pinned else ():
            if piece.slot == "overlays":
                if piece.lone:
                    raise Unfit
                piece.learn(self.present, old=False)
                there = {key: facts.there for key, facts in piece.facts.items()}
                return _alike(piece.projection, there)
        return False

    def context_of(self, *, bare: bool = False) -> ContextOf:
        """Where settings stand, or with *bare* overlays do."""

        def made(deciding: Deciding, formals: Formals) -> Context:
            extended = self.extended and not bare
            return context_of(self.age, extended, self.relative, formals)

        if self.elaboration.tracing is None:
            return made
        from tvarc.assembly.fragments import tracing_context

        return tracing_context(made, self.elaboration, self.pin_age)

    def pin_age(self, deciding: Deciding) -> Lines:
        """The lines that say of which age the nixpkgs is."""
        if len(self.all_ages) == 1:  # whatever the pin of this cell, which need not be built
            return next(iter(self.all_ages))
        return self.ages[deciding.key(self.pin_axes)]

    def learn(self) -> None:
        """What the pieces say of themselves, and so where there can be slots."""
        for piece in self.pieces:
            if piece.slot not in self.plain:
                piece.learn(self.present, old=False)
        certain = {piece.slot for piece in self.pieces if piece.facts and piece.is_certain()}
        self.old = not certain.isdisjoint(self.merged)
        for piece in self.pieces:
            if piece.slot in self.plain:
                piece.learn(self.present, old=not self.old)
                if piece.is_certain():
                    certain.add(piece.slot)
        entries = sum(p.is_certain() for p in self.pieces if p.slot in self.plain)
        entries += sum(block in certain for block in self.merged)
        slots = certain & {*self.merged, "config", "overlays"}
        if entries > 1:
            slots |= certain & set(self.plain)
        if sum(p.is_certain() for p in self.pieces if p.slot == "args") > 1:
            slots.add("args")
        self.open = frozenset(slots)

    def closed(self) -> list[Piece]:
        """The pieces that stand in no slot: they are part of the frame."""
        return [piece for piece in self.pieces if piece.slot not in self.open]

    def frame(self) -> tuple[list[Column], list[tuple[str, int]]]:
        """The texts around the slots, and the slots with the indentation of their lines."""
        axes, lone = self.plan.reach([("package", "")], self.reads)
        axes |= self.pin_axes
        pieces = self.closed() + self.clashing()
        old = self.mentions_old()
        pieces += old
        pieces += [p for p in self.pieces if not p.is_even(lambda facts: facts.formals)]
        pieces += [p for p in self.pieces if not p.is_even(lambda facts: facts.looked_at)]
        if not self.pinned:
            pieces += [p for p in self.pieces if p.slot == "config"]
        places = {place for piece in pieces for place in piece.projection.axes}
        projections = self.present.built.projections
        projection = projections.on(places | set(self.present.projection(axes).axes))
        if lone or any(piece.lone for piece in pieces):
            raise Unfit
        if len(self.present.keys(projection)) > _MOST_FRAMES:
            raise Unfit
        self.flags()
        texts: dict[int, list[bytes]] = {}
        kinds: dict[int, tuple[tuple[str, int], ...]] = {}
        for key, variant in self.present.firsts(projection).items():
            texts[key], found = self.one_frame(variant, old)
            kinds[key] = tuple(found)
        slots = _alike(projection, kinds)
        columns: list[Column] = [
            Table(projection, {key: around[place] for key, around in texts.items()})
            for place in range(len(slots) + 1)
        ]
        return columns, list(slots)

    def one_frame(
        self, variant: Variant, old: list[Piece]
    ) -> tuple[list[bytes], list[tuple[str, int]]]:
        deciding = self.elaboration.deciding(variant)
        recipe = self.elaboration.recipe(variant, deciding, _no_files)
        mentions = self.old or any(self.facts(p, variant).old for p in old)
        formals: set[NixFormal] = set()
        for piece in self.pieces:
            formals |= self.facts(piece, variant).formals
        frame = Frame(self.open, mentions)
        if self.elaboration.tracing is not None:
            from tvarc.assembly.fragments import frame_of

            return frame_of(self.elaboration, recipe, self.relative, frame, formals)
        texts, slots = print_around(lower_around(recipe, self.relative, frame, formals))
        return [text.encode() for text in texts], slots

    def facts(self, piece: Piece, variant: Variant) -> Facts:
        if piece.lone:  # its facts are all alike, or there would be no frame
            return next(iter(piece.facts.values()))
        batch = Batch(self.present.built.grid, (variant.cell,))
        return piece.facts[piece.projection.keys(batch)[0]]

    def mentions_old(self) -> list[Piece]:
        """The pieces that decide whether anything mentions `old`; none if something always does."""
        if self.old:
            return []
        pieces = [p for p in self.pieces if p.slot in (*self.plain, *self.merged)]
        for piece in pieces:
            if piece.slot in self.merged:
                for facts in piece.facts.values():
                    facts.old = facts.there
            if piece.facts and all(facts.old for facts in piece.facts.values()):
                self.old = True
                return []
        return [p for p in pieces if any(facts.old for facts in p.facts.values())]

    def clashing(self) -> list[Piece]:
        """The pieces that may be an attribute and a script of one name, which is an error, as it is
        where a variable is an attribute too."""
        found: dict[str, list[Piece]] = {}
        for piece in self.pieces:
            if piece.slot in self.plain:
                found.setdefault(piece.group[1], []).append(piece)
        return [piece for pieces in found.values() if len(pieces) > 1 for piece in pieces]

    def flags(self) -> None:
        """Every flag is decided, read or not."""
        for name in self.plan.flags:
            axes, lone = self.plan.reach([("flag", name)], self.reads)
            if lone:
                raise Unfit
            for _, variant in self.present.variants(self.present.projection(axes)):
                self.elaboration.deciding(variant).decide(("flag", name))


def _alike(projection: Projection, kinds: dict[int, T]) -> T:
    """The kind that all combinations are of; raises Differ where there are several."""
    found = set(kinds.values())
    if len(found) > 1:
        raise Differ(projection, dict(kinds))
    return found.pop()


def _no_files(_: object) -> tuple[tuple[str, str], ...]:
    return ()
