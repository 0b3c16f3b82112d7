"""The decided parts of a matrix's recipes, each made once for each combination of what it reads."""

from __future__ import annotations

from tvarc.assembly.present import NotShareable, Present
from tvarc.blocks import IN_PARTS
from tvarc.elaborate.decide import Deciding
from tvarc.elaborate.dependencies import (
    declarations,
    overlays_dependencies,
    pin_dependencies,
)
from tvarc.elaborate.elaborate import Elaboration, config_of
from tvarc.elaborate.parts import decide_pin
from tvarc.elaborate.plan import GroupKey, Plan, key_of
from tvarc.light import Callable, Final, dataclass, replace
from tvarc.matrix.cells import Projection
from tvarc.matrix.dependencies import Dependencies
from tvarc.sema.scope import NEEDS
from tvarc.values import DeclValue

PACKAGE: Final[GroupKey] = ("package", "")
PIN: Final[GroupKey] = ("pin", "")
CONFIG: Final[GroupKey] = ("config", "")
OVERLAYS: Final[GroupKey] = ("overlays", "")

PART: Final = "part"
_SLASH: Final = "/"  # no script has it in its name

# What has more combinations is decided variant by variant: all of them would fill the memory.
_MOST: Final = 1 << 14
# What has more values is not tried to be made of fewer axes.
_MOST_NARROWED: Final = 2048


@dataclass(slots=True, eq=False)
class Column:
    """Something of each variant, by the combination of what it depends on."""

    projection: Projection
    values: dict[int, object]


def narrowed(column: Column, present: Present) -> Column:
    """*column* without the axes on which its values do not depend. Equal values are to be one
    object."""
    for axis in column.projection.axes:
        keys = present.keys(column.projection)
        if len(keys) > _MOST_NARROWED:
            break
        rest = present.built.projections.on([a for a in column.projection.axes if a != axis])
        batch = present.batch(column.projection)
        values: dict[int, object] = {}
        for place, key in zip(rest.keys(batch), keys, strict=True):
            if values.setdefault(place, column.values[key]) is not column.values[key]:
                break
        else:
            column = Column(rest, values)
    return column


class Parts:
    """The parts of some variants of a matrix: settings and scripts by their groups, all of
    `config` and all overlays as one each, the pin. Nothing is reported; they are to be decided and
    checked already. Raises NotShareable."""

    __slots__ = (
        "_known",
        "_known_dependencies",
        "elaboration",
        "groups",
        "named",
        "plan",
        "present",
    )

    def __init__(self, elaboration: Elaboration, present: Present, plan: Plan) -> None:
        """*plan* is that of the matrix, or one that is made of it."""
        matrix = present.built.matrix
        self.elaboration = elaboration.silent(again=True)
        self.present = present
        self.plan = plan
        self.elaboration.plans[matrix.id] = self.plan
        self._known: dict[GroupKey, Column] = {}
        self._known_dependencies: dict[GroupKey, tuple[frozenset[str], bool]] = {}
        self.groups = self._groups()
        self.named = declarations(plan) if OVERLAYS in plan.groups else set()

    def _groups(self) -> list[GroupKey]:
        """All groups, those of one block in their order."""
        apart = {PACKAGE: None, PIN: None, CONFIG: None, OVERLAYS: None}
        own = [
            _group_of_script(group[1]) if group[0] in IN_PARTS else group
            for group in self.plan.groups
            if group[0] not in ("config", "flag")
        ]
        return list(dict.fromkeys([*apart, *own]))

    def dependencies(self, group: GroupKey) -> tuple[frozenset[str], bool]:
        """The axes that *group* depends on, and whether the variant's name decides it too."""
        known = self._known_dependencies.get(group)
        if known is None:
            known = self._known_dependencies[group] = self._dependencies(group)
        return known

    def _dependencies(self, group: GroupKey) -> tuple[frozenset[str], bool]:
        reads = self.elaboration.shared.reads
        if group == CONFIG:
            keys = self.plan.config_keys()
            return self.plan.transitive_dependencies([("config", key) for key in keys], reads)
        if group == PIN:
            return pin_dependencies(self.plan, self.elaboration.program.pins, reads)
        axes, name_dependent = self.plan.transitive_dependencies([decided_as(group)], reads)
        if group == OVERLAYS and group in self.plan.groups:
            matrix = self.present.built.matrix
            inner, named = overlays_dependencies(
                self.plan, self.named, self.elaboration.overlays, matrix
            )
            return axes | inner, name_dependent or named
        return axes, name_dependent

    def is_wide(self, group: GroupKey, most: int) -> bool:
        """Whether *group* has more than *most* combinations."""
        axes, name_dependent = self.dependencies(group)
        return name_dependent or self.present.many(axes) > most

    def column(self, group: GroupKey) -> Column:
        """What is decided of *group* for each combination; None where nothing sets it."""
        known = self._known.get(group)
        if known is None:
            axes, name_dependent = self.dependencies(group)
            projection = self.present.projection(axes)
            if name_dependent or self.present.many(axes) > _MOST:
                raise NotShareable
            decide = _DECIDERS.get(group)
            values: dict[int, object] = {}
            for key, variant in self.present.variants(projection):
                deciding = self.elaboration.deciding(variant)
                if decide is not None:
                    values[key] = decide(self, deciding)
                elif group[0] == NEEDS:
                    values[key] = self.elaboration.needs.need(deciding, group[1])
                else:
                    values[key] = deciding.decide(decided_as(group))
            known = self._known[group] = Column(projection, values)
        return known


def decided_as(group: GroupKey) -> GroupKey:
    """The group of the plan by which *group* is decided."""
    return ("script", group[1]) if group[0] == PART else group


def _group_of_script(name: str) -> GroupKey:
    return (PART, name) if _SLASH in name else ("script", name)


def in_parts(plan: Plan, reads: Dependencies) -> Plan:
    """*plan* with each part of a script as a script by itself, of the block `part`: it depends on
    fewer axes than all of them together."""
    found = [one for group in plan.groups for one in plan.reads(group, reads)]
    read = {path[1] for one in found for path in one.settings if path[0] == "script"}
    kept = {
        group: written
        for group, written in plan.groups.items()
        if group[0] not in IN_PARTS or group[1] in read
    }
    made = replace(plan, groups=kept, part_order=dict(plan.part_order), base=plan)
    for (block, name), written in plan.groups.items():
        for index, key in enumerate(plan.part_order[block, name] if block in IN_PARTS else ()):
            own = [placed for placed in written if key_of(placed.write) == key]
            if own:
                made.groups[block, f"{name}{_SLASH}{index}"] = own
                made.part_order[block, f"{name}{_SLASH}{index}"] = (key,)
    return made


def _pin(parts: Parts, deciding: Deciding) -> object:
    return decide_pin(deciding, parts.elaboration.pins)


def _config(parts: Parts, deciding: Deciding) -> object:
    return config_of(deciding)


def _overlays(parts: Parts, deciding: Deciding) -> object:
    listed = deciding.decide(OVERLAYS)
    for element in listed.elements or () if listed is not None else ():
        if not isinstance(element.value, DeclValue) or element.value.id not in parts.named:
            raise NotShareable  # it is not known what it depends on
    return parts.elaboration.overlays.decide(deciding)


_DECIDERS: Final[dict[GroupKey, Callable[[Parts, Deciding], object]]] = {
    PIN: _pin,
    CONFIG: _config,
    OVERLAYS: _overlays,
}
