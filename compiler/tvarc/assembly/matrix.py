"""The recipes of one matrix, put together from fragments.

What a variant's file says of one setting depends on a few axes only. So each setting is decided,
lowered and printed once for each combination of those, by the functions that make whole files,
and a file is the joining of what has been printed. A *frame* is what stands around the settings:
the file with slots in their place, printed in the same way. A setting can stand in a slot where
the lines around it are the same whatever it is: in a set or list that goes over lines.

A build of the 237 recipes of `examples/torch-2.10` takes a quarter of the CPU so, and one of a
hundred thousand little more than writing them. To measure it, have `Matrix` raise `NotShareable`,
so that the plain path makes all files, and run `python -m bench --sizes 237,948 --only tvarc`.
"""

from __future__ import annotations

from itertools import compress

from tvarc import ir
from tvarc.assembly.columns import Column, Made, Making, Names, Table, merged, rows
from tvarc.assembly.fragments import (
    ContextOf,
    Facts,
    Fragment,
    blocks_of,
    fragments_of,
    printed,
)
from tvarc.assembly.present import NotShareable, Present
from tvarc.assembly.templates import Fillings, Template, Unsteady
from tvarc.backend.nix.context import Context, Formals, Frame, Relative
from tvarc.backend.nix.lower import context_of, lower_around
from tvarc.diagnostics.model import Failed
from tvarc.elaborate.decide import MOST_FRAGMENTS, Deciding
from tvarc.elaborate.dependencies import pin_dependencies
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.parts import changes, decide_pin
from tvarc.elaborate.placeholders import Placeholder, PlaceholderPlan, with_placeholders
from tvarc.elaborate.plan import GroupKey, Plan
from tvarc.elaborate.total import check_total
from tvarc.light import TYPE_CHECKING, Callable, Iterable, Iterator, Sequence, TypeVar, dataclass
from tvarc.matrix.cells import Batch, Projection
from tvarc.matrix.variants import Variant
from tvarc.nix.printer import print_around
from tvarc.nix.syntax import NixFormal
from tvarc.sema.budget import FREE_MADE, FREE_RECIPE, LIMIT_ALL_RECIPES, LIMIT_RECIPE, Total
from tvarc.sema.scope import NEEDS
from tvarc.values import Value

if TYPE_CHECKING:
    from tvarc.assembly.mapped_text import FragmentProvenance, PinProvenance
    from tvarc.provenance.model import Lines

# A setting that is decided so often is decided less often if its texts have placeholders.
_AXES = 2
_OFTEN = 8
_SHARE = 256
_TRIES = 12
_MOST_FRAMES = 4096
_LONGEST_NAME = 200


class Matrix:
    """The bodies of the files of some variants of a matrix: all but their headers.

    Where their frames are of several kinds, the variants of each kind are put together by
    themselves. Raises NotShareable, with nothing reported, where one of them cannot be made, or not
    in this way: then each of them is to be made by itself, which reports what is wrong.
    """

    __slots__ = (
        "_around",
        "_attempt",
        "_columns",
        "_elaboration",
        "_fill",
        "_kind_of",
        "_kinds",
        "_present",
        "_relative",
        "_solid",
        "_templated",
        "_values",
    )

    def __init__(
        self,
        elaboration: Elaboration,
        present: Present,
        relative: Relative,
        *,
        placeholders: bool,
        solid: Iterable[GroupKey] = (),
        around: Around | None = None,
    ) -> None:
        """The groups that are *solid* have no placeholders. *around* prints what stands around the
        settings, by default a whole file."""
        self._elaboration = elaboration
        self._present = present
        self._relative = relative
        self._values = elaboration.silent()
        self._fill = Fillings(elaboration, present)
        self._solid = set(solid)
        self._around = around
        self._columns: list[Column] = []
        self._attempt: Attempt | None = None
        self._kinds: dict[object, Matrix] = {}
        self._kind_of: Differ | None = None
        columns: list[Column] | None = None
        try:
            for _ in range(_TRIES):
                columns = self._try(placeholders=placeholders)
                if columns is not None:
                    break
            else:
                columns = self._try(placeholders=False)
        except Failed:
            raise NotShareable from None
        except Differ as differ:
            self._kind_of = differ
            for kind, some in present.split(differ.projection, differ.kinds).items():
                self._kinds[kind] = Matrix(
                    elaboration,
                    some,
                    relative,
                    placeholders=placeholders,
                    solid=solid,
                    around=around,
                )
            return
        if columns is None:
            raise NotShareable
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
        """What was found out about the fragments, where they are traced and of one kind."""
        assert self._attempt is not None
        return self._attempt

    @property
    def longest(self) -> int:
        """At most so many bytes are in the body of each file, besides what is made for each cell by
        itself: of that all files together have no more than the budget of evaluations."""
        if self._kind_of is not None:
            return max([matrix.longest for matrix in self._kinds.values()], default=0)
        found = 0
        for column in self._columns:
            match column:
                case Table():
                    found += max(map(len, column.texts.values()), default=0)
                case bytes():
                    found += len(column)
                case Names():
                    found += _LONGEST_NAME
                case _:
                    found += FREE_MADE
        return found

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

    def _try(self, *, placeholders: bool) -> list[Column] | None:
        """The columns; None after noting which settings have to do without placeholders."""
        silent = self._elaboration.silent()
        matrix = self._present.built.matrix
        plan = self._elaboration.plan(matrix)
        if plan.keys(NEEDS) and self._elaboration.needs.differ(plan):
            raise NotShareable
        reads = self._elaboration.shared.reads
        templated = PlaceholderPlan(plan, {})
        if placeholders:
            traced = silent.tracing is not None
            templated = with_placeholders(
                plan, reads, self._is_often, self._fill.refuses, self._solid, traced=traced
            )
        self._templated = templated
        silent.plans[matrix.id] = templated.plan
        self._check_first(silent)
        attempt = Attempt(self._present, silent, self._relative, templated, self._around)
        attempt.learn()
        solid = {p.group for p in attempt.closed() if self._has_placeholders(p.group, templated)}
        if solid:
            if self._has_too_many_frames(plan, solid):
                raise NotShareable  # which needs no second try
            self._solid |= solid
            return None
        columns: list[Column] = []
        texts, slots = attempt.frame()
        for text, slot in zip(texts, [*slots, None], strict=True):
            columns.append(text)
            if slot is None:
                continue
            name, indent = slot
            for fragment in attempt.fragments:
                if fragment.slot == name:
                    try:
                        columns += self._fragment(fragment, indent)
                    except Unsteady:
                        columns += self._without_placeholders(fragment, attempt, indent)
        if (
            len(silent.sink)
            or len(self._values.sink)
            or _is_large(columns, len(self._present.cells))
        ):
            raise NotShareable
        if silent.tracing is not None:
            self._attempt = attempt
        return columns

    def _has_too_many_frames(self, plan: Plan, groups: Iterable[GroupKey]) -> bool:
        """Whether there are too many frames where *groups*, which stand in no slot, have no
        placeholders."""
        axes, _ = plan.transitive_dependencies(groups, self._elaboration.shared.reads)
        return len(self._present.keys(self._present.projection(axes))) > _MOST_FRAMES

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
            return False  # a placeholder would be filled as often
        return self._present.many(axes) > max(_OFTEN, len(self._present.cells) // _SHARE)

    def _has_placeholders(self, group: GroupKey, templated: PlaceholderPlan) -> bool:
        plan = self._elaboration.plan(self._present.built.matrix)
        return templated.plan.groups.get(group) is not plan.groups.get(group)

    # --- fragments -----------------------------------------------------------------------

    def _without_placeholders(
        self, fragment: Fragment, attempt: Attempt, indent: int
    ) -> list[Column]:
        """The columns of a fragment of which the layout depends on what would fill its
        placeholders."""
        plan = self._elaboration.plan(self._present.built.matrix)
        for whole in attempt.fragments_of(plan, self._values):
            if whole.group == fragment.group and whole.slot == fragment.slot:
                whole.learn(self._present, old=False)
                return self._fragment(whole, indent)
        raise NotShareable

    def _fragment(self, fragment: Fragment, indent: int) -> list[Column]:
        """The columns of one fragment; raises Unsteady."""
        if fragment.name_dependent:
            return [Made(self._one_by_one(fragment, indent))]
        templates = fragment.templates(indent, self._templated.placeholders)
        if fragment.provenance:
            templates = {
                key: ((_adding(first, fragment.provenance[key]), *more), placeholders)
                for key, ((first, *more), placeholders) in templates.items()
            }
        kinds = {placeholders for _, placeholders in templates.values()}
        if len(kinds) == 1:
            return self._woven(fragment.projection, templates, kinds.pop())
        return [Made(self._filled(fragment.projection, templates))]

    def _woven(
        self, projection: Projection, templates: dict[int, Template], placeholders: str
    ) -> list[Column]:
        """Texts and fillings in turn, where all texts have the same placeholders."""
        columns: list[Column] = []
        for place in range(len(placeholders) + 1):
            texts = {key: template[0][place] for key, template in templates.items()}
            columns.append(Table(projection, texts))
            if place < len(placeholders):
                columns += self._fillings(self._templated.placeholders[placeholders[place]])
        return columns

    def _filled(self, projection: Projection, templates: dict[int, Template]) -> Making:
        """Fills the placeholders of texts that have different ones."""
        used = sorted({char for _, placeholders in templates.values() for char in placeholders})
        fillings = {char: self._fillings(self._templated.placeholders[char]) for char in used}
        join = self._join()

        def make(batch: Batch, names: Sequence[str]) -> list[bytes]:
            columns = {
                char: list(map(join, rows(filling, batch, names)))
                for char, filling in fillings.items()
            }
            found: list[bytes] = []
            for place, key in enumerate(projection.keys(batch)):
                texts, placeholders = templates[key]
                parts = [texts[0]]
                for char, text in zip(placeholders, texts[1:], strict=True):
                    parts += (columns[char][place], text)
                found.append(join(parts))
            return found

        return make

    def _join(self) -> Callable[[Sequence[bytes]], bytes]:
        """What joins texts, mapped or not."""
        if self._elaboration.tracing is None:
            return b"".join
        from tvarc.assembly.mapped_text import joined

        return joined

    def _one_by_one(self, fragment: Fragment, indent: int) -> Making:
        built = self._present.built

        def make(batch: Batch, names: Sequence[str]) -> list[bytes]:
            found: list[bytes] = []
            for cell, name in zip(batch.cells, names, strict=True):
                variant = Variant(built, cell, name)  # decided before, to learn of its frame
                nodes, _ = fragment.elaboration.shared.again(fragment.nodes, variant)
                text = printed(nodes, indent, (), traced=bool(fragment.provenance))[0][0]
                if fragment.provenance:
                    key = fragment.projection.keys(Batch(built.grid, (cell,)))[0]
                    text = _adding(text, fragment.provenance[key])
                found.append(text)
            fragment.forget()
            return found

        return make

    # --- what fills placeholders ---------------------------------------------------------

    def _fillings(self, placeholder: Placeholder) -> list[Column]:
        if placeholder.expr is None:
            if not self._fill.names_fill():
                raise Unsteady
            if self._elaboration.tracing is None:
                return [Names()]
            return [Names(), *self._name_parts(placeholder)]
        found = self._fill.of(placeholder)
        if found is None:
            raise Unsteady
        projection, texts = found
        if placeholder.expr is None or self._elaboration.tracing is None:
            return [Table(projection, {key: text.encode() for key, text in texts.items()})]
        from tvarc.assembly.mapped_text import filled

        made: dict[int, bytes] = {
            key: filled(self._values, variant, placeholder, texts[key])
            for key, variant in self._present.variants(projection)
        }
        return [Table(projection, made)]

    def _name_parts(self, placeholder: Placeholder) -> list[Column]:
        """What the name was made of that fills *placeholder*: columns without a text."""
        from tvarc.assembly.mapped_text import filling, name_parts

        values = self._values
        return [
            Table(
                at, {key: filling(values, placeholder, b"", lines) for key, lines in found.items()}
            )
            for at, found in name_parts(self._values, self._present)
        ]


def _adding(text: bytes, provenance: FragmentProvenance) -> bytes:
    from tvarc.assembly.mapped_text import MappedText

    return text.adding(provenance.adds) if isinstance(text, MappedText) else text


def _is_large(columns: Sequence[Column], cells: int) -> bool:
    """Whether a file may be larger than a recipe can be, or all files than all recipes, which is
    told of each by itself; or all fragments together are too large to be kept."""
    file = kept = 0
    for column in columns:
        if isinstance(column, Table):
            lengths = [len(text) for text in column.texts.values()]
            file += max(lengths, default=0)
            kept += sum(lengths)
    all_files = (file - FREE_RECIPE) * cells
    return file > LIMIT_RECIPE or kept > MOST_FRAGMENTS or all_files > LIMIT_ALL_RECIPES


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

Around = Callable[
    [ir.Recipe, Relative, Frame, Iterable[NixFormal]], tuple[list[bytes], list[tuple[str, int]]]
]
"""Prints what stands around the slots of a frame, and tells these with their indentation."""


class Attempt:
    """What is found out about the fragments and the frame of one plan."""

    def __init__(
        self,
        present: Present,
        elaboration: Elaboration,
        relative: Relative,
        templated: PlaceholderPlan,
        around: Around | None,
    ) -> None:
        self.around = around
        self.present = present
        self.elaboration = elaboration
        self.relative = relative
        self.plan = templated.plan
        self.reads = elaboration.shared.reads
        self.pin_provenance: dict[int, PinProvenance] = {}
        self.ages: dict[tuple[Value, ...], Lines] = {}
        self.pin_projection, self.age, self.pin_axes = self.pin()
        self.all_ages = set(self.ages.values())
        self.pinned = self.age is not None
        self.extended = False
        self.merged, self.plain = blocks_of(self.age)
        self.fragments = self.fragments_of(self.plan, elaboration)
        self.extended = self.overlaid()
        if self.extended or ("scope", "") in self.plan.groups:
            raise NotShareable  # as above
        self.old = False
        self.open: frozenset[str] = frozenset()

    def fragments_of(self, plan: Plan, elaboration: Elaboration) -> list[Fragment]:
        inner, outer = self.context_of(), self.context_of(bare=True)
        always = self.pin_axes if len(self.all_ages) > 1 else frozenset[str]()
        return fragments_of(plan, elaboration, self.present, inner, outer, always)

    def pin(self) -> tuple[Projection, ir.Age | None, frozenset[str]]:
        """What is known of the nixpkgs that these recipes pin, None for those that pin none, and
        the axes that the pin depends on."""
        axes, name_dependent = pin_dependencies(
            self.plan, self.elaboration.program.pins, self.reads
        )
        if name_dependent:
            raise NotShareable
        kinds: dict[int, ir.Age | None] = {}
        projection = self.present.projection(axes)
        for key, variant in self.present.variants(projection):
            deciding = self.elaboration.deciding(variant)
            decided = decide_pin(deciding, self.elaboration.pins)
            if decided is not None and decided.cross_system:
                raise NotShareable  # which packages a scope hands depends on the whole recipe
            kinds[key] = decided.age if decided is not None else None
            if self.elaboration.tracing is not None:
                from tvarc.assembly.mapped_text import pin_provenance

                provenance = pin_provenance(self.elaboration, deciding, decided)
                self.pin_provenance[key] = provenance
                self.ages[deciding.key(axes)] = provenance.age
        return projection, _alike(projection, kinds), axes

    def overlaid(self) -> bool:
        """Whether overlays decide where the settings stand, as they do without a pin."""
        for fragment in self.fragments if not self.pinned else ():
            if fragment.slot == "overlays":
                if fragment.name_dependent:
                    raise NotShareable
                fragment.learn(self.present, old=False)
                there = {key: facts.there for key, facts in fragment.facts.items()}
                return _alike(fragment.projection, there)
        return False

    def context_of(self, *, bare: bool = False) -> ContextOf:
        """Where settings stand, or with *bare* overlays do."""

        def made(deciding: Deciding, formals: Formals) -> Context:
            extended = self.extended and not bare
            return context_of(self.age, extended, self.relative, formals)

        if self.elaboration.tracing is None:
            return made
        from tvarc.assembly.mapped_text import tracing_context

        return tracing_context(made, self.elaboration, self.pin_age)

    def pin_age(self, deciding: Deciding) -> Lines:
        """The lines that say of which age the nixpkgs is."""
        if len(self.all_ages) == 1:  # whatever the pin of this cell, which need not be built
            return next(iter(self.all_ages))
        return self.ages[deciding.key(self.pin_axes)]

    def learn(self) -> None:
        """What the fragments say of themselves, and so where there can be slots."""
        for fragment in self.fragments:
            if fragment.slot not in self.plain:
                fragment.learn(self.present, old=False)
        certain = {
            fragment.slot for fragment in self.fragments if fragment.facts and fragment.is_certain()
        }
        self.old = not certain.isdisjoint(self.merged)
        for fragment in self.fragments:
            if fragment.slot in self.plain:
                fragment.learn(self.present, old=not self.old)
                if fragment.is_certain():
                    certain.add(fragment.slot)
        entries = sum(p.is_certain() for p in self.fragments if p.slot in self.plain)
        entries += sum(block in certain for block in self.merged)
        slots = certain & {*self.merged, "config", "overlays", NEEDS}
        if entries > 1:
            slots |= certain & set(self.plain)
        if sum(p.is_certain() for p in self.fragments if p.slot == "args") > 1:
            slots.add("args")
        self.open = frozenset(slots)

    def closed(self) -> list[Fragment]:
        """The fragments that stand in no slot: they are part of the frame."""
        return [fragment for fragment in self.fragments if fragment.slot not in self.open]

    def frame(self) -> tuple[list[Column], list[tuple[str, int]]]:
        """The texts around the slots, and the slots with the indentation of their lines."""
        axes, name_dependent = self.plan.transitive_dependencies([("package", "")], self.reads)
        axes |= self.pin_axes
        fragments = self.closed() + self.clashing()
        old = self.mentions_old()
        fragments += old
        fragments += [p for p in self.fragments if not p.is_even(lambda facts: facts.formals)]
        fragments += [p for p in self.fragments if not p.is_even(lambda facts: facts.looked_at)]
        if not self.pinned:
            fragments += [p for p in self.fragments if p.slot == "config"]
        places = {place for fragment in fragments for place in fragment.projection.axes}
        projections = self.present.built.projections
        projection = projections.on(places | set(self.present.projection(axes).axes))
        if name_dependent or any(fragment.name_dependent for fragment in fragments):
            raise NotShareable
        if len(self.present.keys(projection)) > _MOST_FRAMES:
            raise NotShareable
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
        self, variant: Variant, old: list[Fragment]
    ) -> tuple[list[bytes], list[tuple[str, int]]]:
        deciding = self.elaboration.deciding(variant)
        recipe = self.elaboration.recipe(deciding, _no_files)
        mentions = self.old or any(self.facts(p, variant).old for p in old)
        formals: set[NixFormal] = set()
        for fragment in self.fragments:
            formals |= self.facts(fragment, variant).formals
        frame = Frame(self.open, mentions)
        if self.around is not None:
            return self.around(recipe, self.relative, frame, formals)
        if self.elaboration.tracing is not None:
            from tvarc.assembly.mapped_text import frame_of

            return frame_of(self.elaboration, recipe, self.relative, frame, formals)
        texts, slots = print_around(lower_around(recipe, self.relative, frame, formals))
        return [text.encode() for text in texts], slots

    def facts(self, fragment: Fragment, variant: Variant) -> Facts:
        if fragment.name_dependent:  # its facts are all alike, or there would be no frame
            return next(iter(fragment.facts.values()))
        batch = Batch(self.present.built.grid, (variant.cell,))
        return fragment.facts[fragment.projection.keys(batch)[0]]

    def mentions_old(self) -> list[Fragment]:
        """The fragments that decide whether anything mentions `old`; none if something always
        does."""
        if self.old:
            return []
        fragments = [p for p in self.fragments if p.slot in (*self.plain, *self.merged)]
        for fragment in fragments:
            if fragment.slot in self.merged:
                for facts in fragment.facts.values():
                    facts.old = facts.there
            if fragment.facts and all(facts.old for facts in fragment.facts.values()):
                self.old = True
                return []
        return [p for p in fragments if any(facts.old for facts in p.facts.values())]

    def clashing(self) -> list[Fragment]:
        """The fragments that may be an attribute and a script of one name, which is an error, as it
        is where a variable is an attribute too."""
        found: dict[str, list[Fragment]] = {}
        for fragment in self.fragments:
            if fragment.slot in self.plain:
                found.setdefault(fragment.group[1], []).append(fragment)
        return [
            fragment for fragments in found.values() if len(fragments) > 1 for fragment in fragments
        ]

    def flags(self) -> None:
        """Every flag is decided, read or not."""
        for name in self.plan.flags:
            axes, name_dependent = self.plan.transitive_dependencies([("flag", name)], self.reads)
            if name_dependent:
                raise NotShareable
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
