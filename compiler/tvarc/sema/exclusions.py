"""`exclude MODULE`: the exclusions of a module, brought in where this is written."""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.light import replace
from tvarc.sema import hir
from tvarc.sema.scope import ModuleScope


def brought_in(
    line: hir.ExcludeModule,
    module: ModuleScope,
    conditions: tuple[hir.Condition, ...],
    sink: Sink,
) -> list[hir.Check]:
    """Copies of the exclusions of *module* that know of *line*, under its *conditions*."""
    if not module.exclusions:
        sink.error(
            "E601",
            "this `exclude` drops nothing",
            line.span,
            f"`{line.module}` has no exclusions",
            help="remove it; `use` brings in what a module declares",
        )
    return [
        replace(
            check,
            because="; ".join(filter(None, (check.because, line.because))),
            conditions=(*conditions, *check.conditions),
            through=line,
        )
        for check in module.exclusions
    ]
