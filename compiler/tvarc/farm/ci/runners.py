"""The runners of GitHub that jobs are for, as an output names them."""

from __future__ import annotations

import re

from tvarc.build.driver import Compilation
from tvarc.farm import messages as msg
from tvarc.farm.ci.github import RUNNERS, USUAL, Entry
from tvarc.farm.ci.model import Job, Jobs
from tvarc.light import Final, Mapping, Sequence
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.values.value import Record, type_name

_LABEL: Final = re.compile(r"[A-Za-z0-9_.:/@=-][A-Za-z0-9_.:/@= -]*")


def entries_of(
    made: Compilation, output: hir.OutputDef | None, variants: Sequence[Variant], jobs: Jobs
) -> list[Entry]:
    """*jobs* of *variants* with the labels of their runners, as *output* says. Raises Failed."""
    expr = dict(output.fields).get("runners") if output is not None else None
    by_name = {variant.name: variant for variant in variants} if expr is not None else {}
    found: list[Entry] = []
    for job in jobs.jobs:
        own = _runners(made, expr, by_name[job.variant]) if expr is not None else {}
        runner = _runner(job, own)
        if runner is None:
            raise made.sink.refuse(
                msg.workflows.NO_RUNNER,
                output.span if output is not None else None,
                system=job.system,
                variant=job.variant,
                known=", ".join(RUNNERS),
            )
        found.append(Entry(job, runner))
    return found


def _runner(job: Job, own: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """The labels of the runner for *job*: by a feature that its builder has to have, or by its
    system."""
    by_feature = (own[one] for one in job.features if one in own)
    system = job.system or USUAL
    return next(by_feature, None) or own.get(system) or RUNNERS.get(system)


def _runners(made: Compilation, expr: hir.Expr, variant: Variant) -> Mapping[str, tuple[str, ...]]:
    """The value of *expr* for *variant*: labels by system or feature. Raises Failed."""
    assert made.elaboration is not None
    value = made.elaboration.deciding(variant).evaluator().value(expr)
    wrong = "" if isinstance(value, Record) else f"this is {type_name(value)}"
    found: dict[str, tuple[str, ...]] = {}
    for key, labels in value if isinstance(value, Record) else ():
        several = labels if isinstance(labels, tuple) else (labels,)
        texts = tuple([one for one in several if isinstance(one, str) and _LABEL.fullmatch(one)])
        if not texts or len(texts) != len(several):
            wrong = f"`{key}` has no label of a runner"
        found[key] = texts
    if wrong:
        raise made.sink.refuse(
            msg.workflows.BAD_RUNNERS, expr.span, wrong=wrong, variant=variant.name
        )
    return found
