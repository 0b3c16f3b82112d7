"""The plan of a matrix: the writes of its recipe chain, grouped by setting.

A plan is the same for all variants of a matrix. It also has the axes that each setting depends on,
through conditions, `let`s and other settings. A setting is decided once for each combination of
their values, for all variants that have this combination.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, CONFIG, IN_PARTS, OF_PIN
from tvarc.decide import messages as msg
from tvarc.decide.rows import Key, Row
from tvarc.light import Callable, Final, Iterable, Iterator, dataclass, field
from tvarc.matrix.dependencies import Dependencies, DependencySet
from tvarc.meaning import hir
from tvarc.meaning.evaluation.hash_places import SOURCE_ATTRIBUTES, leaves_hashes
from tvarc.meaning.evaluation.kinds import walk
from tvarc.meaning.names.scope import NEEDED, NEEDS
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.values.value import NONE

GroupKey = tuple[str, str]

OF_ITS_SOURCE: Final = DependencySet(frozenset(), frozenset((*SOURCE_ATTRIBUTES, ("package",))))
"""The data that decides an unlocked hash: its source."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A write, and the depth of its recipe in the recipe chain."""

    write: hir.Write
    depth: int


@dataclass(slots=True, eq=False)
class Plan:
    """The writes for the variants of a matrix, or for an overlay in them.

    - `groups`: the writes by block and first key; `package` and the like have no key.
    - `part_order`: the order of the parts of each text.
    - `lister`: for an overlay, the plan of the recipe that lists it, whose flags it reads.
    """

    groups: dict[GroupKey, list[Placed]] = field(default_factory=dict)
    part_order: dict[GroupKey, tuple[object, ...]] = field(default_factory=dict)
    flags: dict[str, tuple[hir.FlagDef, int]] = field(default_factory=dict)
    checks: list[hir.Check] = field(default_factory=list)
    conditions: list[hir.Condition] = field(default_factory=list)
    axes: tuple[str, ...] = ()
    # The writes in the blocks of each pin, by its id. Which pin applies is itself a setting.
    pin_blocks: dict[str, tuple[hir.Write, ...]] = field(default_factory=dict)
    lister: Plan | None = None
    # Whether `attrs` changes a package; otherwise it changes nixpkgs or a set.
    of_package: bool = True
    # Returns the axes that decide the recipes that a need puts in, by the need's name.
    inner: Callable[[str], tuple[frozenset[str], bool]] | None = None
    _dependencies: dict[GroupKey, frozenset[str]] = field(default_factory=dict)
    # For some axes, the function that returns their numbers from a row.
    picks: dict[frozenset[str], Callable[[Row], Key]] = field(default_factory=dict)

    def add_layer(self, layer: hir.Layer, depth: int) -> None:
        for write in layer.writes:
            self.add(write, depth)
        for flag in layer.flags:
            self.flags[flag.name] = (flag, depth)
        self.checks.extend(layer.checks)
        self.conditions.extend(layer.conditions)

    def add(self, write: hir.Write, depth: int) -> None:
        self.groups.setdefault(group_of(write.path), []).append(Placed(write, depth))

    def keys(self, block: str) -> list[str]:
        """The keys of *block* that are written, in the order of their first writes."""
        return [key for head, key in self.groups if head == block]

    def config_keys(self) -> list[str]:
        """The keys of `config` that any pin or recipe writes."""
        pins = [write for writes in self.pin_blocks.values() for write in writes]
        found = [write.path[1] for write in pins if write.path[0] == CONFIG]
        return list(dict.fromkeys([*found, *self.keys(CONFIG)]))

    def related(self, path: hir.Path) -> Iterator[tuple[hir.Write, int]]:
        """The writes to the setting *path*, to a key of it, or to a record that may contain it,
        each with its depth."""
        group = group_of(path)
        written = [(one.write, one.depth) for one in self.groups.get(group, ())]
        if group[0] in OF_PIN:
            blocks = self.pin_blocks.values()
            written += [(one, 0) for writes in blocks for one in writes if one.path[0] == group[0]]
        for write, depth in written:
            if write.path[: len(path)] == path or (
                path[: len(write.path)] == write.path
                and _may_hold(write.value, path[len(write.path)])
            ):
                yield write, depth

    def flags_read(self) -> Iterator[hir.SettingRef]:
        """The reads of flags in the plan of an overlay, in source order."""
        read: list[hir.Expr] = [one.expr for one in self.conditions]
        read += [one.write.value for group in self.groups.values() for one in group]
        for expr in walk(read):
            if isinstance(expr, hir.SettingRef) and expr.path[0] == "flag":
                yield expr

    def dependencies(self, group: GroupKey, reads: Dependencies) -> frozenset[str]:
        """The axes of this matrix that *group* depends on, also through other settings."""
        known = self._dependencies.get(group)
        if known is None:
            known, _ = self.transitive_dependencies([group], reads)
            self._dependencies[group] = known
        return known

    def forget_dependencies(self, group: GroupKey) -> None:
        """Find the axes of *group* again: other values are written to it."""
        self._dependencies.pop(group, None)

    def transitive_dependencies(
        self, groups: Iterable[GroupKey], reads: Dependencies
    ) -> tuple[frozenset[str], bool]:
        """The axes of this matrix that *groups* depend on, also through other settings, and whether
        they depend on the variant's name, which depends on all axes."""
        found: set[str] = set()
        waiting = list(groups)
        seen = set(waiting)
        while waiting:
            group = waiting.pop()
            if group[0] == "variant":
                return frozenset(self.axes), True
            others: tuple[frozenset[str], bool] | None = None
            if group[0] in ("flag", NEEDS, NEEDED) and self.lister is not None:
                others = self.lister.transitive_dependencies([group], reads)
            elif group[0] == NEEDS and self.inner is not None:
                others = self.inner(group[1])
            if others is not None:
                axes, name = others
                if name:
                    return frozenset(self.axes), True
                found |= axes
            if self.lister is not None and others is not None:
                continue
            for expr_reads in self.reads(group, reads):
                found |= expr_reads.axes
                for path in expr_reads.settings:
                    target = group_of(path)
                    if target not in seen:
                        seen.add(target)
                        waiting.append(target)
        return frozenset(found & set(self.axes)), False

    def reads(self, group: GroupKey, reads: Dependencies) -> Iterable[DependencySet]:
        """The reads of the writes of *group*, with their conditions."""
        if group[0] in OF_PIN:
            yield DependencySet(frozenset(), frozenset({("pin",)}))
            for writes in self.pin_blocks.values():
                for write in writes:
                    if group_of(write.path) == group:
                        yield reads.expr(write.value) | reads.conditions(write.conditions)
        if group[0] == NEEDED:
            for placed in self.groups.get((NEEDS, group[1]), ()):
                yield reads.conditions(placed.write.conditions)
        for placed in self.groups.get(group, ()):
            yield reads.expr(placed.write.value) | reads.conditions(placed.write.conditions)
            if group[0] == ATTRIBUTES and leaves_hashes(
                placed.write.value, placed.write.path[1:]
            ):
                yield OF_ITS_SOURCE
        if group[0] == "flag" and group[1] in self.flags:
            yield reads.expr(self.flags[group[1]][0].default)


def _may_hold(expr: hir.Expr, key: str) -> bool:
    """Whether the record that *expr* makes may have *key*."""
    return not isinstance(expr, hir.RecordOf) or any(path[0] == key for path, _ in expr.entries)


def is_none(expr: hir.Expr) -> bool:
    """Whether *expr* is a written `none`."""
    return isinstance(expr, hir.Const) and expr.value is NONE


def group_of(path: hir.Path) -> GroupKey:
    """The group of the setting at *path*: its block and first key."""
    return (path[0], path[1]) if len(path) > 1 else (path[0], "")


def own_parts(path: hir.Path) -> tuple[str, ...]:
    """The parts that the text at *path* has even if they are not written: the package's own script.
    """
    return (ir.OLD,) if path[0] in IN_PARTS else ()


def text_named(path: hir.Path) -> str:
    """A description of the text at *path*, for messages."""
    return f"script `{path[1]}`" if path[0] in IN_PARTS else f"`{'.'.join(path)}`"


def key_of(write: hir.Write) -> object:
    """The key of the part in *write*: its name, or the write itself if the part has no name."""
    name = write.part.name if write.part is not None else None
    return name if name is not None else write


def order_all_parts(plan: Plan, sink: Sink) -> None:
    """Find the order of the parts of all texts of *plan*."""
    for group, written in plan.groups.items():
        parts = [placed.write for placed in written if placed.write.part is not None]
        if parts:
            plan.part_order[group] = order_parts(group, parts, sink)


def order_parts(path: hir.Path, parts: list[hir.Write], sink: Sink) -> tuple[object, ...]:
    """The order of the *parts* of the text at *path*, by `key_of`. Own parts are first.

    The order is the same for all variants: conditions decide whether a part is present, not its
    place. The first write of a part decides its place, unless a `before` or `after` does; then the
    last of these decides.
    """
    own = own_parts(path)
    order: list[object] = [*own]
    anchors: dict[object, tuple[hir.Write, hir.PartPlace, str]] = {}
    for write in parts:
        name, place = key_of(write), write.part
        if name not in order:
            order.append(name)
        if place is not None and place.anchor is not None:
            anchors[name] = write, place, place.anchor
    placed_after: dict[str, list[object]] = {}
    for name, (write, place, anchor) in anchors.items():
        if anchor not in order or anchor == name:
            there = {*own, *(key_of(one) for one in parts if not is_none(one.value))}
            known = [one for one in order if isinstance(one, str) and one in there - {name}]
            sink.report(
                msg.parts.NO_NEIGHBOUR if known else msg.parts.ONLY_PART,
                place.anchor_span or write.span,
                path=text_named(path),
                anchor=anchor,
                parts=", ".join(known),
                guess=guess(anchor, known),
                placement=place.placement,
                known=known[-1] if known else None,
            )
            continue
        order.remove(name)
        index = order.index(anchor)
        if place.placement == "after":
            run = placed_after.setdefault(anchor, [])
            index += 1
            while index < len(order) and order[index] in run:
                index += 1
            run.append(name)
        order.insert(index, name)
    return tuple(order)


def make_plan(matrix: hir.MatrixDef, pins: tuple[hir.PinDef, ...], sink: Sink) -> Plan:
    """The plan of *matrix*. It has the writes of the recipe chain from its root, then those of the
    matrices that it extends, and then its own."""
    plan = Plan(axes=tuple(pick.axis.name for pick in matrix.axes))
    plan.pin_blocks = {pin.id: pin.blocks for pin in pins}
    for depth, recipe in enumerate(matrix.recipe.chain(), start=1):
        plan.add_layer(recipe.layer, depth)
    for depth, layer in enumerate(matrix.layers, start=len(matrix.recipe.chain()) + 1):
        plan.add_layer(layer, depth)
    order_all_parts(plan, sink)
    return plan


def overlay_plan(overlay: hir.OverlayDef, lister: Plan, sink: Sink) -> Plan:
    """The plan of an overlay, which is one layer. *lister* is the plan of the recipe that lists it.
    """
    plan = Plan(axes=lister.axes, lister=lister, of_package=overlay.relation == "for")
    for step in overlay.target:
        if isinstance(step, hir.Write):
            plan.add(step, 1)
    if overlay.until is not None:
        plan.add(overlay.until.version, 1)
    plan.add_layer(overlay.layer, 1)
    order_all_parts(plan, sink)
    return plan
