"""The dependencies of the overlays and the pin of a matrix, before any of them is decided.

`Plan.transitive_dependencies` has those of a single setting. The list of overlays and the choice of
the pin are settings, too. So all overlays that may be listed and all pins that may be chosen count.
"""

from __future__ import annotations

from tvarc.decide.parts import Overlays
from tvarc.decide.plan import Plan
from tvarc.light import Iterable
from tvarc.matrix.dependencies import Dependencies
from tvarc.meaning import hir
from tvarc.meaning.evaluation.kinds import walk
from tvarc.values.value import DeclValue


def overlays_dependencies(
    plan: Plan, ids: set[str], overlays: Overlays, matrix: hir.MatrixDef
) -> tuple[frozenset[str], bool]:
    """The axes that the overlays with these ids depend on, and whether they depend on the variant's
    name, which depends on all axes."""
    found: set[str] = set()
    for id_, overlay in overlays.by_id.items():
        if id_ not in ids:
            continue
        inner = overlays.plan(overlay, matrix)
        axes, name = inner.transitive_dependencies(inner.groups, overlays.shared.reads)
        if name:
            return frozenset(plan.axes), True
        found |= axes
    return frozenset(found), False


def pin_dependencies(
    plan: Plan, pins: Iterable[hir.PinDef], reads: Dependencies, *, whole: bool = False
) -> tuple[frozenset[str], bool]:
    """The axes that the pin of *plan*, one of *pins*, depends on, and whether it depends on the
    variant's name, which depends on all axes. With *whole*, the settings of the pin count as well.
    """
    axes, name_dependent = plan.transitive_dependencies([("pin", "")], reads)
    for pin in pins:
        for write in (*pin.made_of(), *pin.blocks) if whole else pin.made_of():
            found = reads.expr(write.value) | reads.conditions(write.conditions)
            axes |= found.axes
            name_dependent = name_dependent or bool(found.settings)
    return (frozenset(plan.axes) if name_dependent else axes), name_dependent


def declarations(plan: Plan) -> set[str]:
    """The ids of all declarations that values of *plan* name."""
    written = [placed.write.value for group in plan.groups.values() for placed in group]
    return {
        expr.value.id
        for expr in walk(written, lets=True)
        if isinstance(expr, hir.Const) and isinstance(expr.value, DeclValue)
    }
