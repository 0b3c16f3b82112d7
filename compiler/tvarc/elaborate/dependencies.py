"""What the overlays of a matrix depend on, before any of them is decided.

Of a single setting `Plan.transitive_dependencies` tells it. Which overlays are there is itself a
setting, so all that may be listed count.
"""

from __future__ import annotations

from tvarc.elaborate.parts import Overlays
from tvarc.elaborate.plan import Plan
from tvarc.sema import hir
from tvarc.sema.kinds import walk
from tvarc.values import DeclValue


def overlays_dependencies(
    plan: Plan, ids: set[str], overlays: Overlays, matrix: hir.MatrixDef
) -> tuple[frozenset[str], bool]:
    """The axes that the overlays of these ids depend on, and whether the variant's name decides
    them, which depends on all axes."""
    found: set[str] = set()
    for id_, overlay in overlays.by_id.items():
        if id_ not in ids:
            continue
        inner = overlays.plan(overlay, matrix)
        groups = [*inner.groups, *(("script", name) for name in inner.scripts)]
        axes, name = inner.transitive_dependencies(groups, overlays.shared.reads)
        if name:
            return frozenset(plan.axes), True
        found |= axes
    return frozenset(found), False


def declarations(plan: Plan) -> set[str]:
    """The ids of all declarations that values of *plan* name."""
    written = [placed.write.value for group in plan.groups.values() for placed in group]
    return {
        expr.value.id
        for expr in walk(written, lets=True)
        if isinstance(expr, hir.Const) and isinstance(expr.value, DeclValue)
    }
