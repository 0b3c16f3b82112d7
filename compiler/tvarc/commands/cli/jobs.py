"""`tvarc jobs`: print jobs for other systems that build the variants."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments, Misused
from tvarc.commands.cli.session import Session, run
from tvarc.commands.programs.jobs import changed_since, judged, output_named
from tvarc.doing import Doing
from tvarc.farm.ci.github import matrix_data
from tvarc.farm.ci.jobs import jobs_of
from tvarc.farm.ci.lines import job_lines
from tvarc.farm.ci.model import Jobs
from tvarc.farm.ci.runners import entries_of
from tvarc.light import Mapping, Sequence, suppress
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Failed
from tvarc.text.diagnostics.words import counted_long
from tvarc.values.plain import json_text


def command(given: Arguments) -> int:
    """Print the jobs of the selected variants; the exit code."""
    file, selectors = given.program_and_words()
    if given.flag("eval") and given.text("form") == "github":
        raise Misused("a matrix has no derivations: it works only with --as lines", "--eval")
    return run(given, lambda session: _jobs(session, given, file, selectors))


def _jobs(session: Session, given: Arguments, file: str | None, selectors: Sequence[str]) -> int:
    made = session.compile(file)
    session.demand_matrix()
    session.demand_output()
    session.stop_on_errors()
    variants = session.select(join_pairs(selectors))
    github = given.text("form") == "github"
    form: hir.OutputForm = "github" if github else "jobs"
    output = output_named(made, given.text("output"), form, session.sink)
    session.stop_on_errors()
    against = given.text("changed_since")
    if against is not None:
        changed = changed_since(made, variants, against, session.sink, output)
        if changed is None:
            session.stop_on_errors()
            session.finish(exits.FAILED)
        variants = changed.variants
        if changed.why_all:
            session.console.error(f"all variants count as changed: {changed.why_all}\n")
    jobs: Jobs | None = None
    finding = Doing(f"finding the jobs of {counted_long(len(variants), 'variant')}")
    with finding, suppress(Failed):
        jobs = jobs_of(made, variants, output) if not session.sink.has_errors else None
    if jobs is None:
        session.finish(exits.FAILED)
    if github:
        return _print_matrix(session, made, variants, output, jobs)
    return _print_lines(session, made, variants, jobs, evaluate=given.flag("eval"))


def _print_matrix(
    session: Session,
    made: Compilation,
    variants: Sequence[Variant],
    output: hir.OutputDef | None,
    jobs: Jobs,
) -> int:
    text = ""
    with suppress(Failed):
        text = json_text(matrix_data(entries_of(made, output, variants, jobs)), indent=None)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    session.show()
    session.console.data(text)
    return exits.OK


def _print_lines(
    session: Session,
    made: Compilation,
    variants: Sequence[Variant],
    jobs: Jobs,
    *,
    evaluate: bool,
) -> int:
    derivations: Mapping[tuple[str, str], str] = {}
    if evaluate and jobs.jobs:
        with Doing("evaluating", len(variants), "variants") as progress:
            found = judged(made, variants, jobs, session.sink, progress)
        if found is None:
            session.finish(exits.UNJUDGED)
        jobs, derivations = found.jobs, found.derivations
    session.show()
    for line in job_lines(jobs, derivations):
        session.console.data(line)
    return exits.FAILED if session.sink.has_errors else exits.OK
