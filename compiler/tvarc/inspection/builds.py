"""Which variants may be the same build (lint W114), without deciding each of them.

A variant is built of parts: its package, its settings, its scripts. Two variants that differ in
any part are two builds. A part is decided once for each combination of the axes that it reads: that
is a column. If for each axis some part has another value for each value of the axis, all variants
of the matrix are different builds, and none is decided. Only those that their columns do not tell
apart are decided and compared one by one.
"""

from __future__ import annotations

from array import array

from tvarc import ir
from tvarc.assembly.present import NotShareable
from tvarc.diagnostics.model import Failed
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.plan import GroupKey
from tvarc.inspection.parts import Column, Parts
from tvarc.inspection.templates import FEW, Template, Templates
from tvarc.light import Final, Iterator, replace
from tvarc.lints.flags import Flags
from tvarc.lints.model import Finding
from tvarc.lints.run import SAME_BUILD, Lints
from tvarc.lints.variants import is_built, text_lines
from tvarc.matrix.cells import Projection
from tvarc.matrix.variants import Variant
from tvarc.sema.budget import Total
from tvarc.source import Span

# What has more numbers is not counted among those with few.
_MANY = 512


class Marks:
    """The parts that some variants of a matrix are built of, as numbers: equal parts have equal
    numbers, so two variants are two builds where the numbers of one of their parts differ."""

    __slots__ = (
        "_flags",
        "_lints",
        "_numbers",
        "_parts",
        "_templates",
        "groups",
        "is_distinct",
        "present",
    )

    def __init__(
        self, parts: Parts, templates: Templates, lints: Lints, flags: Column | None
    ) -> None:
        """*flags* are the variants' `Flags`, if they are known."""
        self._parts = parts
        self._templates = templates
        self._lints = lints
        self.present = parts.present
        self._numbers: dict[GroupKey, Column] = {}
        self._flags = flags
        built = [group for group in parts.groups if is_built(*group)]
        built.sort(key=lambda group: parts.present.many(parts.dependencies(group)[0]))
        self.groups = dict.fromkeys(built)
        self.is_distinct = self._tells_all_apart()

    def number(self, group: GroupKey) -> Column | None:
        """The numbers of a whole group that has few; None where it has many."""
        if group not in self._numbers:
            if self._parts.is_wide(group, _MANY):
                return None
            try:
                column = self._parts.column(group)
            except (Failed, NotShareable):
                return None
            of = self._lints.number_of.of
            values: dict[int, object] = {key: of(one) for key, one in column.values.items()}
            self._numbers[group] = Column(column.projection, values)
        return self._numbers[group]

    def set_of(self, group: GroupKey) -> set[object] | None:
        """All numbers of *group*; None where they are many."""
        if group not in self.groups:
            return {0}
        column = self.number(group)
        return set(column.values.values()) if column is not None else None

    def columns(self) -> Iterator[Column]:
        """All numbers that are told by few axes, those first that cost least."""
        texts = [group for group in self.groups if self._parts.is_wide(group, FEW)]
        for group in self.groups:
            column = self.number(group) if group not in texts else None
            if column is not None:
                yield column
        if self._flags is not None:
            yield Column(self._flags.projection, _exported(self._flags))
        for group in texts:
            template = self._templates.of(group)
            if template is not None:
                yield from self._lines(template)
        yield from filter(None, map(self.number, texts))

    def _template(self, group: GroupKey) -> Template | None:
        return self._templates.of(group) if self._parts.is_wide(group, FEW) else None

    def _lines(self, template: Template) -> Iterator[Column]:
        """The numbers of each line of a text that varies along few axes."""
        placeholders = template.placeholders
        texts = {
            key: text_lines(value, placeholders) if isinstance(value, ir.Setting) else []
            for key, value in template.column.values.items()
        }
        for place in range(max(map(len, texts.values()), default=0)):
            lines = {key: one[place] if place < len(one) else "" for key, one in texts.items()}
            used = {char for line in lines.values() for char in line if char in placeholders}
            if used and not any(placeholders[char].expr is None for char in used):
                column = self._filled(template.column.projection, lines, used, template)
                if column is not None:
                    yield column

    def _filled(
        self, projection: Projection, lines: dict[int, str], used: set[str], template: Template
    ) -> Column | None:
        axes = set(projection.axes)
        fillings = {
            char: self._templates.fillings(template.placeholders[char]) for char in sorted(used)
        }
        for found in fillings.values():
            if found is None:
                return None
            axes |= set(found[0].axes)
        wider = self.present.built.projections.on(axes)
        if min(wider.size, len(self.present.cells)) > _MANY:
            return None
        keys = self.present.keys(wider)
        batch = self.present.batch(wider)
        at = projection.keys(batch)
        texts = {
            ord(char): [found[1][key] for key in found[0].keys(batch)]
            for char, found in fillings.items()
            if found is not None
        }
        values: dict[int, object] = {}
        for index, key in enumerate(keys):
            table = {code: column[index] for code, column in texts.items()}
            values[key] = hash(lines[at[index]].translate(table))
        return Column(wider, values)

    def _tells_all_apart(self) -> bool:
        """Whether no two of these variants are one build."""
        projections, present = self.present.built.projections, self.present
        places = set(present.positions.values())
        told = {one for one in places if len(present.keys(projections.on([one]))) == 1}
        waiting: list[Column] = []
        for column in self.columns() if told < places else ():
            waiting.append(column)
            more = True
            while more:
                more = False
                for one in waiting:
                    if not told.issuperset(one.projection.axes) and self._tells(one, told):
                        told |= set(one.projection.axes)
                        more = True
            if told >= places:
                return True
        return told >= places or self._names_each()

    def _tells(self, column: Column, told: set[int]) -> bool:
        """Whether the values of all its axes follow from the number, those of *told* known."""
        projection = column.projection
        known = self.present.built.projections.on(told.intersection(projection.axes))
        keys = self.present.keys(projection)
        batch = self.present.batch(projection)
        numbers = [column.values[key] for key in keys]
        return len(set(zip(known.keys(batch), numbers, strict=True))) == len(keys)

    def _names_each(self) -> bool:
        """Whether a text that is built holds the variant's name between words that are the same in
        every variant. Names differ, so such variants are different builds."""
        for group in self.groups:
            template = self._template(group)
            if template is None:
                continue
            names = [
                char
                for char, placeholder in template.placeholders.items()
                if placeholder.expr is None
            ]
            if not names:
                continue
            texts = [
                text_lines(value, template.placeholders)
                for value in template.column.values.values()
                if isinstance(value, ir.Setting)
            ]
            if len(texts) == len(template.column.values) and _alike_but(texts, names[0], template):
                return True
        return False


def _exported(flags: Column) -> dict[int, object]:
    """A number for what is exported: builds that export other flags are not one."""
    found: dict[int, object] = {}
    for key, one in flags.values.items():
        exports = one.exports if isinstance(one, Flags) else ()
        found[key] = hash(tuple([(export.name, export.value) for export in exports]))
    return found


def _alike_but(texts: list[list[str]], name: str, template: Template) -> bool:
    """Whether all of *texts* have a line in one place that is the same but for *name*."""
    for line, *others in zip(*texts, strict=False):
        is_of_name = line.count(name) == 1 and not set(line) & (
            template.placeholders.keys() - {name}
        )
        if is_of_name and all(other == line for other in others):
            return True
    return False


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


def compare(elaboration: Elaboration, marks: list[Marks], lints: Lints) -> None:
    """Hold those variants against each other that may be one build."""
    doubted = {place for place, one in enumerate(marks) if not one.is_distinct}
    for places in _neighbours(marks):
        for index, first in enumerate(places):
            for second in places[index + 1 :]:
                settled = first in doubted and second in doubted
                if not settled and not _are_apart(marks[first], marks[second]):
                    doubted |= {first, second}
    doubtful = [marks[place] for place in sorted(doubted)]
    if not doubtful or sum(len(one.present.cells) for one in doubtful) < 2:
        return
    numbers = array("q")
    for one in doubtful:
        numbers.extend(_numbers(one, doubtful))
    seen: set[int] = set()
    twice: set[int] = set()
    for number in numbers:
        (twice if number in seen else seen).add(number)
    if not twice:
        return
    # What was decided before is decided again here, and may be much: so it has a budget of its own.
    silent = elaboration.silent()
    silent.shared.total = Total(silent.sink, _SHARE)
    found: set[int] = set()
    place = 0
    for one in doubtful:
        for batch, names in one.present.batches():
            for cell, name in zip(batch.cells, names, strict=True):
                if numbers[place] in twice:
                    try:
                        number = _add(silent, Variant(one.present.built, cell, name), lints)
                    except Failed:
                        span = one.present.built.matrix.span
                        lints.note(SAME_BUILD, _NOT_ALL, replace(_UNTOLD, span=span), name)
                        return
                    if number in found and SAME_BUILD in lints.off:
                        return  # that there is one is all that is asked
                    found.add(number)
                place += 1


def _neighbours(marks: list[Marks]) -> list[list[int]]:
    """The places of *marks* in groups: two places in different groups cannot be one build. A group
    is split by the numbers that its members share, so that thousands of matrices need not be
    compared with each other one by one."""
    lots = [list(range(len(marks)))]
    for group in dict.fromkeys(group for one in marks for group in one.groups):
        found: list[list[int]] = []
        for lot in lots:
            found += _linked(lot, [marks[place].set_of(group) for place in lot])
        lots = found
    return [lot for lot in lots if len(lot) > 1]


def _linked(lot: list[int], sets: list[set[object] | None]) -> list[list[int]]:
    """*lot* split into those whose *sets* share elements with each other, directly or not; None
    may share any."""
    if len(lot) < 2 or any(numbers is None for numbers in sets):
        return [lot]
    lot_of: dict[object, list[int]] = {}
    for place, numbers in zip(lot, sets, strict=True):
        mine = [place]
        for number in numbers or ():
            other = lot_of.get(number)
            if other is not None and other is not mine:
                # The smaller goes into the larger, so that each place moves a few times only.
                small, mine = sorted((mine, other), key=len)
                mine += small
                for key in [key for key, one in lot_of.items() if one is small]:
                    lot_of[key] = mine
            lot_of[number] = mine
    return [sorted(one) for one in {id(one): one for one in lot_of.values()}.values()]


def _are_apart(one: Marks, other: Marks) -> bool:
    """Whether no variant of one is a build of the other."""
    groups = dict.fromkeys([*one.groups, *other.groups])
    for group in groups:
        mine, theirs = one.set_of(group), other.set_of(group)
        if mine is not None and theirs is not None and mine.isdisjoint(theirs):
            return True
    return False


def _numbers(one: Marks, doubtful: list[Marks]) -> Iterator[int]:
    """A number for each variant. Those of two that may be one build are equal."""
    columns: list[Column | None]
    if len(doubtful) == 1:
        columns = [*one.columns()]
    else:
        every = dict.fromkeys(group for mark in doubtful for group in mark.groups)
        shared = [g for g in every if all(mark.set_of(g) is not None for mark in doubtful)]
        columns = [one.number(group) for group in shared]
    for batch, _ in one.present.batches():
        lists = [
            [column.values[key] for key in column.projection.keys(batch)]
            if column is not None
            else [0] * len(batch.cells)
            for column in columns
        ]
        rows = zip(*lists, strict=True) if lists else [()] * len(batch.cells)
        yield from map(hash, rows)


def _add(silent: Elaboration, variant: Variant, lints: Lints) -> int:
    recipe = silent.recipe(silent.deciding(variant), lambda _: ())
    return lints.compare(recipe)
