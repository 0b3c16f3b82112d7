"""Needs that nothing reads."""

from __future__ import annotations

from tvarc.decide.parts import Overlays
from tvarc.decide.plan import Plan
from tvarc.light import Iterable, Iterator
from tvarc.meaning import hir
from tvarc.meaning.evaluation.kinds import walk
from tvarc.meaning.names.scope import NEEDS
from tvarc.text.source import Span


def unread_needs(
    program: hir.Program, plans: Iterable[Plan], overlays: Overlays
) -> Iterator[hir.Write]:
    """The needs of variants that nothing reads, in source order. *plans* and *overlays* are those
    of a *program* whose variants are all decided. Needs that drop cells have an effect, and are
    left out."""
    written: dict[Span, hir.Write] = {}
    read: set[Span] = set()
    anywhere = _names_read([check.expr for check in program.checks])
    for plan in plans:
        names = anywhere | _read_in(plan)
        for (block, name), placed in plan.groups.items():
            if block == NEEDS:
                written |= {one.write.span: one.write for one in placed}
                read |= {one.write.span for one in placed} if name in names else set()
    for overlay in overlays.plans_used():
        names = _read_in(overlay)
        groups = overlay.lister.groups if overlay.lister is not None else {}
        for (block, name), placed in groups.items():
            if block == NEEDS and name in names:
                read |= {one.write.span for one in placed}
    for span in sorted(written.keys() - read, key=lambda one: (one.file, one.start)):
        if written[span].or_exclude is None:
            yield written[span]


def _read_in(plan: Plan) -> set[str]:
    """The names of the needs that any part of *plan* reads."""
    exprs = [one.write.value for group in plan.groups.values() for one in group]
    exprs += [flag.default for flag, _ in plan.flags.values()]
    exprs += [condition.expr for condition in plan.conditions]
    for check in plan.checks:
        exprs += [check.expr, *(condition.expr for condition in check.conditions)]
    return _names_read(exprs)


def _names_read(exprs: list[hir.Expr]) -> set[str]:
    found = walk(exprs, lets=True)
    return {expr.name for expr in found if isinstance(expr, hir.NeedRef)}
