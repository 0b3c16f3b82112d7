"""What a matrix's variants are made of: the writes of its recipe chain, grouped by setting.

A plan is the same for all variants of a matrix. It also knows which axes each setting depends
on, through conditions, `let`s and other settings: a setting is decided once for each
combination of those, and shared by all variants that agree on them.
"""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.light import Iterable, dataclass, field
from tvarc.matrix.reads import Reads, ReadsOf
from tvarc.sema import hir

GroupKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Placed:
    """A write and how deep in the recipe chain it stands."""

    write: hir.Write
    depth: int


@dataclass(frozen=True, slots=True)
class PlacedPart:
    write: hir.PartWrite
    depth: int


@dataclass(slots=True, eq=False)
class Plan:
    """`groups` holds writes by block and first key (`package` and its like have no key);
    `scripts` the parts of each script, in their order. `base` is the plan that this one was made
    of: what both have in common reads nothing else, so it is decided once for both."""

    groups: dict[GroupKey, list[Placed]] = field(default_factory=dict)
    scripts: dict[str, list[PlacedPart]] = field(default_factory=dict)
    part_order: dict[str, tuple[object, ...]] = field(default_factory=dict)
    flags: dict[str, tuple[hir.FlagDef, int]] = field(default_factory=dict)
    checks: list[hir.Check] = field(default_factory=list)
    conditions: list[hir.Condition] = field(default_factory=list)
    axes: tuple[str, ...] = ()
    # `config` of each pin, by the pin's id: which one counts is itself a setting.
    pin_config: dict[str, tuple[hir.Write, ...]] = field(default_factory=dict)
    base: Plan | None = None
    _depends: dict[GroupKey, frozenset[str]] = field(default_factory=dict)

    def add_layer(self, layer: hir.Layer, depth: int) -> None:
        for write in layer.writes:
            if isinstance(write, hir.PartWrite):
                self.scripts.setdefault(write.script, []).append(PlacedPart(write, depth))
            else:
                self.add(write, depth)
        for flag in layer.flags:
            self.flags[flag.name] = (flag, depth)
        self.checks.extend(layer.checks)
        self.conditions.extend(layer.conditions)

    def add(self, write: hir.Write, depth: int) -> None:
        self.groups.setdefault(group_of(write.path), []).append(Placed(write, depth))

    def keys(self, block: str) -> list[str]:
        """The keys of *block* that are written, in order of first writing."""
        return [key for head, key in self.groups if head == block]

    def owner(self, group: GroupKey) -> Plan:
        """The first plan, of those that this one was made of, that has *group* as this one has."""
        plan = self
        while plan.base is not None and _parts(plan.base, group) is _parts(plan, group):
            plan = plan.base
        return plan

    def depends(self, group: GroupKey, reads: ReadsOf) -> frozenset[str]:
        """The axes of this matrix that decide *group*, through other settings as well."""
        known = self._depends.get(group)
        if known is None:
            known, _ = self.reach([group], reads)
            self._depends[group] = known
        return known

    def reach(self, groups: Iterable[GroupKey], reads: ReadsOf) -> tuple[frozenset[str], bool]:
        """The axes of this matrix that decide *groups*, through other settings as well, and
        whether the variant's name does, which depends on all of them."""
        found: set[str] = set()
        waiting = list(groups)
        seen = set(waiting)
        while waiting:
            group = waiting.pop()
            if group[0] == "variant":
                return frozenset(self.axes), True
            for expr_reads in self.reads(group, reads):
                found |= expr_reads.axes
                for path in expr_reads.settings:
                    target = group_of(path)
                    if target not in seen:
                        seen.add(target)
                        waiting.append(target)
        return frozenset(found & set(self.axes)), False

    def reads(self, group: GroupKey, reads: ReadsOf) -> Iterable[Reads]:
        """What the writes of *group* read, its conditions among them."""
        if group[0] == "config":
            yield Reads(frozenset(), frozenset({("pin",)}))
            for writes in self.pin_config.values():
                for write in writes:
                    if group_of(write.path) == group:
                        yield reads.expr(write.value) | reads.conditions(write.conditions)
        for placed in self.groups.get(group, ()):
            yield reads.expr(placed.write.value) | reads.conditions(placed.write.conditions)
        if group[0] == "flag" and group[1] in self.flags:
            yield reads.expr(self.flags[group[1]][0].default)
        if group[0] == "script":
            for part in self.scripts.get(group[1], ()):
                yield reads.conditions(part.write.conditions)
                if part.write.text is not None:
                    yield reads.expr(part.write.text)


def _parts(plan: Plan, group: GroupKey) -> object:
    return plan.scripts.get(group[1]) if group[0] == "script" else plan.groups.get(group)


def group_of(path: hir.Path) -> GroupKey:
    """The group a setting's path belongs to: block and first key."""
    return (path[0], path[1]) if len(path) > 1 else (path[0], "")


OLD = "old"


def order_parts(script: str, parts: list[PlacedPart], sink: Sink) -> tuple[object, ...]:
    """The order of a script's parts: names, and unnamed parts as themselves.

    It is the same for all variants: conditions decide whether a part is there, not where. A
    part stands where it was first written, or where its last `before` or `after` puts it.
    """
    order: list[object] = [OLD]
    anchors: dict[object, hir.PartWrite] = {}
    for placed in parts:
        write = placed.write
        name: object = write.name if write.name is not None else write
        if name not in order:
            order.append(name)
        if write.anchor is not None:
            anchors[name] = write
    placed_after: dict[str, list[object]] = {}
    for name, write in anchors.items():
        anchor = write.anchor
        assert anchor is not None
        if anchor not in order or anchor == name:
            known = [entry for entry in order if isinstance(entry, str) and entry != name]
            sink.error(
                "E503",
                f"script `{script}` has no part `{anchor}`",
                write.anchor_span or write.span,
                "unknown part",
                notes=("parts: " + ", ".join(known),),
                help=did_you_mean(anchor, known),
            )
            continue
        order.remove(name)
        index = order.index(anchor)
        if write.placement == "after":
            run = placed_after.setdefault(anchor, [])
            index += 1
            while index < len(order) and order[index] in run:
                index += 1
            run.append(name)
        order.insert(index, name)
    return tuple(order)


def make_plan(matrix: hir.MatrixDef, pins: tuple[hir.PinDef, ...], sink: Sink) -> Plan:
    """The plan of *matrix*: recipe chain from the root, then the matrix's own settings."""
    plan = Plan(axes=tuple(pick.axis.name for pick in matrix.axes))
    plan.pin_config = {pin.id: pin.config for pin in pins}
    for depth, recipe in enumerate(matrix.recipe.chain(), start=1):
        plan.add_layer(recipe.layer, depth)
    plan.add_layer(matrix.layer, len(matrix.recipe.chain()) + 1)
    for name, parts in plan.scripts.items():
        plan.part_order[name] = order_parts(name, parts, sink)
    return plan


def overlay_plan(overlay: hir.OverlayDef, axes: tuple[str, ...], sink: Sink) -> Plan:
    """The plan of an overlay: one layer."""
    plan = Plan(axes=axes)
    plan.add_layer(overlay.layer, 1)
    for name, parts in plan.scripts.items():
        plan.part_order[name] = order_parts(name, parts, sink)
    return plan
