"""The decided parts of the variants of a matrix. Each is decided once for each combination of the
axes that it depends on."""

from __future__ import annotations

from tvarc.build.linting.tables import Table
from tvarc.decide.decide import Deciding
from tvarc.decide.dependencies import declarations, overlays_dependencies, pin_dependencies
from tvarc.decide.elaborate import Elaboration, config_of, is_list_of
from tvarc.decide.merge import origin_of, rank_of
from tvarc.decide.parts import decide_pin
from tvarc.decide.plan import GroupKey, Placed, group_of, is_none, key_of
from tvarc.decide.texts import decide_text
from tvarc.light import Callable, Final, Iterable, replace
from tvarc.matrix.dependencies import DependencySet
from tvarc.matrix.present import FEW, Present
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.budget import Weight
from tvarc.meaning.evaluation.kinds import walk
from tvarc.meaning.names.scope import NEEDS
from tvarc.nix import ir
from tvarc.values.value import NONE

PACKAGE: Final[GroupKey] = ("package", "")
PIN: Final[GroupKey] = ("pin", "")
CONFIG: Final[GroupKey] = ("config", "")
OVERLAYS: Final[GroupKey] = ("overlays", "")
_WHOLE: Final = (PACKAGE, PIN, CONFIG, OVERLAYS)

Axes = tuple[frozenset[str], bool]
"""The axes that something depends on, and whether it depends on the variant's name."""

Decision = Callable[[Deciding], object]


class Settings:
    """The decided settings of some variants of a matrix. The variants must be decided and checked.
    """

    __slots__ = (
        "_axes", "_deciding", "_known", "_named", "_part_tables", "_parts", "_places",
        "elaboration", "groups", "plan", "present",
    )  # fmt: skip

    def __init__(self, elaboration: Elaboration, present: Present) -> None:
        self.elaboration = elaboration
        self.present = present
        self.plan = elaboration.plan(present.built.matrix)
        own = [group for group in self.plan.groups if group[0] not in ("config", "flag")]
        self.groups: list[GroupKey] = list(dict.fromkeys([*_WHOLE, *own]))
        self._named = declarations(self.plan) if OVERLAYS in self.plan.groups else set()
        self._axes: dict[GroupKey, Axes] = {}
        # The variant that decides each combination of some axes, if there are few.
        self._deciding: dict[tuple[int, ...], list[tuple[int, Deciding]]] = {}
        self._known: dict[GroupKey, Table] = {}
        self._places: dict[GroupKey, Table] = {}
        self._parts: dict[GroupKey, list[list[Placed]]] = {}
        self._part_tables: dict[tuple[int, bool], Table] = {}

    def forget(self, groups: Iterable[GroupKey]) -> None:
        """Drop the tables of *groups*, which are decided again."""
        for group in groups:
            self._known.pop(group, None)
            self._places.pop(group, None)
            for written in self._parts.pop(group, ()):
                self._part_tables.pop((id(written), True), None)
                self._part_tables.pop((id(written), False), None)

    # --- dependencies -------------------------------------------------------------

    def axes(self, group: GroupKey) -> Axes:
        """The axes that *group* depends on."""
        known = self._axes.get(group)
        if known is None:
            known = self._axes[group] = self._depends(group)
        return known

    def _depends(self, group: GroupKey) -> Axes:
        reads, plan = self.elaboration.shared.reads, self.plan
        if group == CONFIG:
            keys = plan.config_keys()
            return plan.transitive_dependencies([("config", key) for key in keys], reads)
        if group == PIN:
            return pin_dependencies(plan, self.elaboration.program.pins, reads)
        if group == OVERLAYS and group in plan.groups:
            if not self._are_overlays_known():
                return frozenset(plan.axes), True
            axes, by_name = plan.transitive_dependencies([group], reads)
            matrix = self.present.built.matrix
            inner, named = overlays_dependencies(
                plan, self._named, self.elaboration.overlays, matrix
            )
            return axes | inner, by_name or named
        return plan.transitive_dependencies([group], reads)

    def _are_overlays_known(self) -> bool:
        """Whether all overlays that may be listed are written out in the plan."""
        listed = [placed.write.value for placed in self.plan.groups[OVERLAYS]]
        return all(is_list_of(one, self._named) for one in listed)

    def axes_of(self, found: Iterable[DependencySet]) -> Axes:
        """The axes that expressions with these dependencies depend on, also through settings."""
        own: frozenset[str] = frozenset()
        paths: set[hir.Path] = set()
        for one in found:
            own |= one.axes
            paths |= one.settings
        axes, by_name = self.plan.transitive_dependencies(
            map(group_of, paths), self.elaboration.shared.reads
        )
        return axes | (own & frozenset(self.plan.axes)), by_name

    def many(self, axes: Axes) -> int:
        """The number of combinations of *axes* that the variants may have."""
        return len(self.present.cells) if axes[1] else self.present.many(axes[0])

    # --- tables ----------------------------------------------------------------------------

    def table(self, axes: Axes, decide: Decision) -> Table:
        """The results of *decide* for each combination of *axes*. Raises Failed."""
        present, elaboration = self.present, self.elaboration
        again = elaboration.shared.again
        if not axes[1]:
            projection = present.projection(axes[0])
            deciding = self._deciding.get(projection.axes)
            if deciding is None:
                deciding = [
                    (key, elaboration.deciding(variant))
                    for key, variant in present.variants(projection)
                ]
                if len(deciding) <= FEW:
                    self._deciding[projection.axes] = deciding
            return Table(projection, {key: again(decide, one) for key, one in deciding})
        projection = present.built.projections.on(present.positions.values())
        values: dict[int, object] = {}
        for batch, names in present.batches():
            keys = projection.keys(batch)
            for key, cell, name in zip(keys, batch.cells, names, strict=True):
                one = elaboration.deciding(Variant(present.built, cell, name))
                values[key] = again(decide, one)
        return Table(projection, values)

    def decided(self, group: GroupKey) -> Table:
        """The decided values of *group*; None if nothing sets it. Raises Failed."""
        known = self._known.get(group)
        if known is None:
            known = self._known[group] = self.table(self.axes(group), self._decision(group))
        return known

    def _decision(self, group: GroupKey) -> Decision:
        block, key = group
        elaboration = self.elaboration
        if group == PIN:
            return lambda deciding: decide_pin(deciding, elaboration.pins)
        if group == CONFIG:
            return config_of
        if group == OVERLAYS:
            return elaboration.overlays.decide
        if block == NEEDS:
            return lambda deciding: elaboration.needs.need(deciding, key)
        return lambda deciding: deciding.decide(group)

    # --- the parts of scripts --------------------------------------------------------------

    def parts(self, group: GroupKey) -> list[list[Placed]]:
        """The writes of each part of the script *group*, in the order of the parts."""
        known = self._parts.get(group)
        if known is None:
            found: dict[object, list[Placed]] = {}
            for placed in self.plan.groups[group]:
                found.setdefault(key_of(placed.write), []).append(placed)
            order = self.plan.part_order[group]
            known = self._parts[group] = [found[key] for key in order if key in found]
        return known

    def part(self, group: GroupKey, written: list[Placed], *, with_text: bool = True) -> Table:
        """The script *group* with only the part that *written* writes; None if it does not apply.
        Without *with_text*, the part has an empty text. Raises Failed."""
        key = (id(written), with_text)  # `parts` keeps the list *written*
        known = self._part_tables.get(key)
        if known is None:
            known = self._part_tables[key] = self._part(group, written, with_text=with_text)
        return known

    def _part(self, group: GroupKey, written: list[Placed], *, with_text: bool) -> Table:
        key = key_of(written[0].write)
        if not with_text:
            written = [
                Placed(replace(one.write, value=hir.Const("", one.write.span)), one.depth)
                if not is_none(one.write.value)
                else one
                for one in written
            ]
            key = key_of(written[0].write)
        reads = self.elaboration.shared.reads
        found = [
            reads.conditions(one.write.conditions) | reads.expr(one.write.value) for one in written
        ]
        return self.table(
            self.axes_of(found),
            lambda deciding: decide_text(group, written, (key,), deciding, Weight()),
        )

    # --- where settings are written --------------------------------------------------------

    def written(self, group: GroupKey) -> Table | None:
        """The write that decides *group*, None for a variant without one. The whole result is None
        if several writes may make the value of *group*. Raises Failed."""
        placed = self.plan.groups[group]
        if group in self.plan.part_order or not all(_is_whole(one.write) for one in placed):
            return None
        reads = self.elaboration.shared.reads
        axes = self.axes_of([reads.conditions(one.write.conditions) for one in placed])

        def decide(deciding: Deciding) -> hir.Write | None:
            holding = [one for one in placed if deciding.lets_in(one.write)]
            best = max(holding, key=lambda one: rank_of(one.write, one.depth), default=None)
            return best.write if best is not None and not is_none(best.write.value) else None

        return self.table(axes, decide)

    def place(self, group: GroupKey) -> Table:
        """The setting of *group* without its value; None if nothing sets it. Raises Failed."""
        known = self._places.get(group)
        if known is None:
            known = self._places[group] = self._place(group)
        return known

    def _place(self, group: GroupKey) -> Table:
        found = self.written(group)
        if found is None:
            return self.decided(group)
        made = {
            id(write): ir.Setting(group, None, origin_of(write))
            for write in found.values.values()
            if isinstance(write, hir.Write)
        }
        return Table(
            found.projection, {key: made.get(id(write)) for key, write in found.values.items()}
        )


def _is_whole(write: hir.Write) -> bool:
    """Whether *write* alone decides its setting if it wins. It is then no part, and no other value
    may be `none`."""
    if write.op != "=" or write.path != group_of(write.path):
        return False
    return is_none(write.value) or not any(
        isinstance(one, hir.Const) and one.value is NONE for one in walk([write.value], lets=True)
    )
