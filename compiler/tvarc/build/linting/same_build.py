"""Finds variants that may be the same build (lint W114), without deciding each of them.

A variant consists of parts: its package, its settings, its scripts. Two variants that differ in a
part are two builds. A part is decided once for each combination of the axes that it depends on. If
for each axis some part has a different value for each value of the axis, all variants of the matrix
are different builds, and none is decided. Only variants that their parts do not distinguish are
decided and compared.
"""

from __future__ import annotations

from itertools import accumulate

from tvarc.advice.lints.flags import Flags
from tvarc.advice.lints.model import Finding
from tvarc.advice.lints.run import Lints
from tvarc.advice.lints.variants import NumberOf, is_built, same_build
from tvarc.blocks import IN_PARTS
from tvarc.build.linting.subjects import SubjectTables
from tvarc.build.linting.tables import Table, combined
from tvarc.build.linting.texts import Inserted, lines_of, pieces
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.plan import GroupKey, is_none
from tvarc.light import Final, Iterator, Sequence, replace
from tvarc.matrix.present import Present
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.budget import COST_OF_RECIPE, Total
from tvarc.text.diagnostics.model import Failed
from tvarc.text.source import Span

_MANY: Final = 512
"""A part with more combinations is not used to distinguish variants."""

_MOST_EXPORTS: Final = 1 << 14
"""With more variants than this, exports are not compared, because each may have another text."""

_SHARE: Final = 4
_NOT_ALL: Final = "there are too many variants to compare them with each other"
_UNTOLD: Final = Finding(
    Span("", 0, 0),
    "from this variant on",
    "what they build would be decided again for each of them",
    "let fewer settings depend on all axes",
    (),
    _NOT_ALL,
)


class Builds:
    """The parts of some variants of a matrix, as numbers. Equal parts have equal numbers."""

    __slots__ = ("_number_of", "_numbers", "_same", "_tables", "groups", "is_distinct", "present")

    def __init__(self, tables: SubjectTables, number_of: NumberOf) -> None:
        self._tables = tables
        self._number_of = number_of
        self.present = tables.settings.present
        self._numbers: dict[GroupKey, Table | None] = {}
        self._same: dict[int, int] = {}
        settings = tables.settings
        self.groups = sorted(
            [group for group in settings.groups if is_built(*group)],
            key=lambda group: settings.many(settings.axes(group)),
        )
        self.is_distinct = self._are_all_distinct()

    def own_parts(self) -> int:
        """The number of parts that are decided separately for each variant."""
        settings, cells = self._tables.settings, len(self.present.cells)
        return sum(settings.many(settings.axes(group)) >= cells for group in self.groups)

    def number(self, group: GroupKey) -> Table | None:
        """The numbers of *group*; None if it has many combinations."""
        if group not in self._numbers:
            settings = self._tables.settings
            many = settings.many(settings.axes(group)) > _MANY
            self._numbers[group] = (
                combined(self.present, [settings.decided(group)], self._number)
                if not many
                else None
            )
        return self._numbers[group]

    def _number(self, part: object) -> int:
        number = self._number_of.of(part)
        return self._same.setdefault(number, number)  # one object for equal numbers

    def set_of(self, group: GroupKey) -> set[object] | None:
        """All numbers of *group*; None if there are many."""
        if group not in self.groups:
            return {0}
        table = self.number(group)
        return set(table.values.values()) if table is not None else None

    def tables(self) -> Iterator[Table]:
        """The numbers of parts with few combinations, the cheapest first."""
        wide = []
        for group in self.groups:
            if self._tables.texts.is_wide(group):
                wide.append(group)
            elif (found := self.number(group)) is not None:
                yield found
        if len(self.present.cells) <= _MOST_EXPORTS:
            yield combined(self.present, [self._tables.of("exports")], _exported)
        for group in wide:
            yield from self._lines(group)
        yield from filter(None, map(self.number, wide))

    def _lines(self, group: GroupKey) -> Iterator[Table]:
        """The lines of a text that all variants have in common, except for its insertions."""
        texts = self._tables.texts
        for line in self._fixed_lines(group):
            inserted = [one for one in line if isinstance(one, Inserted)]
            if not inserted or any(one.is_name for one in inserted):
                continue
            axes = texts.axes([one.expr for one in inserted])
            if self._tables.settings.many(axes) <= _MANY and (made := texts.line(line)) is not None:
                yield made

    def _fixed_lines(self, group: GroupKey) -> list[list[str | Inserted]]:
        """The lines of a text whose parts all variants have; none for anything else."""
        settings, found = self._tables.settings, list[hir.Expr]()
        if group[0] in IN_PARTS:
            for part in settings.parts(group):
                write = part[0].write
                if len(part) > 1 or write.conditions or is_none(write.value):
                    return []
                found.append(write.value)
        elif group in settings.plan.groups:
            placed = settings.plan.groups[group]
            write = placed[0].write
            if len(placed) > 1 or write.conditions or write.op != "=" or write.path != group:
                return []
            found.append(write.value)
        whole: list[str | Inserted] = []
        for expr in found:
            those = pieces(expr)
            if those is None:
                return []
            whole += those
        texts = self._tables.texts
        for one in whole:
            if isinstance(one, Inserted) and not one.is_name and texts.inserted(one) is None:
                return []
        return lines_of(whole)

    def _are_all_distinct(self) -> bool:
        """Whether all of these variants are different builds."""
        present = self.present
        left = {
            place
            for place in present.positions.values()
            if len(present.keys(present.built.projections.on([place]))) > 1
        }
        if not left or self._names_itself():
            return True
        waiting: list[Table] = []
        for table in self.tables():
            waiting.append(table)
            known = len(left) + 1
            while len(left) < known:
                known = len(left)
                for one in waiting:
                    if not left.isdisjoint(one.projection.axes) and self._tells(one, left):
                        left -= set(one.projection.axes)
            if not left:
                return True
        return False

    def _tells(self, table: Table, left: set[int]) -> bool:
        """Whether the number in *table* decides the values of all of its axes, given those of its
        axes that are not in *left*."""
        projection = table.projection
        known = self.present.built.projections.on(set(projection.axes) - left)
        keys = self.present.keys(projection)
        numbers = [table.values[key] for key in keys]
        places = known.keys(self.present.batch(projection))
        return len(set(zip(places, numbers, strict=True))) == len(keys)

    def _names_itself(self) -> bool:
        """Whether a text of the build has a line that only differs in the variant's name. Names are
        unique, so such variants are different builds."""
        return any(
            len(inserted) == 1 and inserted[0].is_name
            for group in self.groups
            if self._tables.settings.axes(group)[1]
            for line in self._fixed_lines(group)
            if (inserted := [one for one in line if isinstance(one, Inserted)])
        )


def _exported(flags: Flags) -> int:
    """A number for the exports. Builds with different flags have different numbers."""
    return hash(tuple([(export.name, export.value) for export in flags.exports]))


def compare(elaboration: Elaboration, builds: list[Builds], lints: Lints) -> None:
    """Compare the variants that may be the same build. *builds* are those of all matrices."""
    doubtful = _doubtful(builds)
    if not any(doubtful):
        return
    is_possible = Total(elaboration.sink, _SHARE).asks(_least(builds, doubtful))
    total = Total(elaboration.sink, _SHARE)
    total.reported = True  # the lint itself reports that the budget is spent, which is no error

    def number_of(variant: Variant) -> int:
        return lints.compare(elaboration.recipe(elaboration.deciding(variant), lambda _: ()))

    found: set[int] = set()
    place = 0
    for one in builds:
        for batch, names in one.present.batches():
            for cell, name in zip(batch.cells, names, strict=True):
                if doubtful[place]:
                    try:
                        if not is_possible:
                            raise Failed  # as after most of the work
                        variant = Variant(one.present.built, cell, name)
                        number = elaboration.shared.again(number_of, variant, total)
                    except Failed:
                        span = one.present.built.matrix.span
                        lints.note(same_build, replace(_UNTOLD, span=span), name)
                        return
                    if number in found and same_build.name in lints.off:
                        return  # one pair is enough
                    found.add(number)
                place += 1


def _least(builds: list[Builds], doubtful: bytearray) -> int:
    """The least evaluations that comparing the *doubtful* variants of *builds* takes: for each a
    recipe, and each part that has another combination of values in each variant."""
    found = start = 0
    for one in builds:
        end = start + len(one.present.cells)
        found += (COST_OF_RECIPE + one.own_parts()) * sum(doubtful[start:end])
        start = end
    return found


def _doubtful(builds: list[Builds]) -> bytearray:
    """For each variant of *builds*, whether it may be the same build as another one."""
    found = bytearray(sum([len(one.present.cells) for one in builds]))
    starts = list(accumulate([len(one.present.cells) for one in builds], initial=0))
    for place, one in enumerate(builds):
        if not one.is_distinct:
            _mark(found, starts[place], _numbers(one.present, list(one.tables())))
    for places in _neighbours(builds):
        lot = [builds[place] for place in places]
        every = dict.fromkeys(group for one in lot for group in one.groups)
        shared = [group for group in every if all(one.set_of(group) is not None for one in lot)]
        owners: dict[int, int] = {}
        twice: set[int] = set()
        for place, one in zip(places, lot, strict=True):
            for number in _shared_numbers(one, shared):
                if owners.setdefault(number, place) != place:
                    twice.add(number)
        for place, one in zip(places, lot, strict=True):
            for index, number in enumerate(_shared_numbers(one, shared) if twice else ()):
                if number in twice:
                    found[starts[place] + index] = 1
    return found


def _mark(found: bytearray, start: int, numbers: Iterator[int]) -> None:
    """Mark the variants with the same number as another one. *start* is the first variant."""
    first: dict[int, int] = {}
    for place, number in enumerate(numbers, start):
        other = first.setdefault(number, place)
        if other != place:
            found[other] = found[place] = 1


def _neighbours(builds: list[Builds]) -> list[list[int]]:
    """The places of *builds* in groups. Two variants in different groups cannot be the same build.
    A group is split by the numbers that its members share, so that thousands of matrices are not
    compared in pairs."""
    lots = [list(range(len(builds)))]
    groups = dict.fromkeys(group for one in builds for group in one.groups)
    while groups and any(len(lot) > 1 for lot in lots):
        group = next(iter(groups))
        del groups[group]
        found: list[list[int]] = []
        for lot in lots:
            found += _linked(lot, [builds[place].set_of(group) for place in lot])
        lots = found
    return [lot for lot in lots if len(lot) > 1]


def _linked(lot: list[int], sets: list[set[object] | None]) -> list[list[int]]:
    """*lot*, split into groups whose *sets* share elements, directly or through others. None may
    share any element."""
    if len(lot) < 2 or any(numbers is None for numbers in sets):
        return [lot]
    lot_of: dict[object, list[int]] = {}
    for place, numbers in zip(lot, sets, strict=True):
        mine = [place]
        for number in numbers or ():
            other = lot_of.get(number)
            if other is not None and other is not mine:
                # The smaller group is added to the larger one, so that each place moves only a few
                # times.
                small, mine = sorted((mine, other), key=len)
                mine += small
                for key in [key for key, one in lot_of.items() if one is small]:
                    lot_of[key] = mine
            lot_of[number] = mine
    return [sorted(one) for one in {id(one): one for one in lot_of.values()}.values()]


def _shared_numbers(one: Builds, groups: Sequence[GroupKey]) -> Iterator[int]:
    """A number for each variant of *one*, from those of its parts in *groups*."""
    return _numbers(
        one.present, [one.number(group) if group in one.groups else None for group in groups]
    )


def _numbers(present: Present, tables: Sequence[Table | None]) -> Iterator[int]:
    """A number for each variant, from *tables* with the numbers of its parts."""
    for batch, _ in present.batches():
        columns = [
            [table.values[key] for key in table.projection.keys(batch)]
            if table is not None
            else [0] * len(batch.cells)
            for table in tables
        ]
        yield from map(hash, zip(*columns, strict=True) if columns else [()] * len(batch.cells))
