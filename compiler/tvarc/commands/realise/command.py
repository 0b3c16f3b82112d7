"""`tvarc realise`: variants built by Nix, on the machines that it has."""

from __future__ import annotations

from tvarc.build.driver import Compilation
from tvarc.commands.evaluation.text import (
    lines_without_eval_jobs,
    report_nix_faults,
)
from tvarc.commands.line import exits
from tvarc.commands.line.announcer import Announcer
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, run
from tvarc.commands.line.signals import interrupted
from tvarc.commands.programs.selecting import may_be_evaluated
from tvarc.commands.realise.building import watcher
from tvarc.commands.realise.faults import build_faults
from tvarc.commands.realise.links import has_folder_of_links, refuse_links
from tvarc.commands.realise.plan import Options, listed_machines, logs_folder, planned
from tvarc.commands.realise.realising import carried_out, keep_report, opened_logs
from tvarc.commands.realise.result import result_of
from tvarc.commands.realise.text import (
    dry_run_lines,
    realised_lines,
    report_broken_builds,
    report_lost_builds,
    report_unplaced,
)
from tvarc.doing import Doing, each
from tvarc.farm.realise.model import Fate, Realised
from tvarc.light import Sequence
from tvarc.matrix.variants import Variant
from tvarc.values.plain import json_text

_BROKEN = (Fate.FAILED, Fate.REFUSED)
_MISSING = (Fate.LOST, Fate.UNPLACED, Fate.STOPPED)


def command(given: Arguments) -> int:
    """Build the selected variants; the exit code."""
    file, selectors = given.program_and_words()
    jobs = given.number("max_jobs", 0, "give a number; 0 means only other machines")
    for name in ("builders", "to", "logs", "out_link"):
        if given.text(name) == "":
            raise Misused("it must not be empty", f"--{name.replace('_', '-')}")
    return run(given, lambda session: _realise(session, given, file, selectors, jobs))


def _realise(
    session: Session,
    given: Arguments,
    file: str | None,
    selectors: Sequence[str],
    jobs: int | None,
) -> int:
    session.tells_fake_hashes = True
    made = session.compile(file)
    session.demand_matrix()
    session.demand_output()
    session.stop_on_errors()
    variants = _chosen(session, given, made, selectors)
    may_be_evaluated(made, variants)
    session.stop_on_errors()
    needed = made.stack.closure(variants) if made.is_stacked else variants
    for variant in each("compiling", needed, len(needed), "variants"):
        made.recipe(variant)
    session.stop_on_errors()
    options = Options(
        given.text("logs") or logs_folder(made.file),
        given.text("builders"),
        jobs,
        given.flag("keep_going"),
        given.text("to"),
        given.text("out_link"),
    )
    machines = listed_machines(options.builders, session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    with Doing("evaluating", len(variants), "variants") as progress:
        plan = planned(made, variants, options, machines, session.sink, progress)
    if plan is None:
        session.finish(exits.UNJUDGED)
    for line in lines_without_eval_jobs(plan.evaluation):
        session.console.error(f"{line}\n")
    refuse_links(plan, session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    report_nix_faults(plan.evaluation, session.sink)
    report_unplaced(plan.unplaced, plan.machines, options.builders, session.sink)
    code = exits.FAILED if plan.evaluation.faults else exits.UNJUDGED
    if session.sink.has_errors and not options.keep_going:
        session.finish(code)
    if given.flag("dry_run"):
        session.show()
        lines = dry_run_lines(plan.commands, plan.to_build, plan.there)
        session.console.out("".join(f"{line}\n" for line in lines))
        return code if session.sink.has_errors else exits.OK
    logs = opened_logs(plan, session.sink) if has_folder_of_links(plan, session.sink) else None
    if logs is None:
        session.finish(exits.FAILED)
    announce = Announcer(session, as_json=given.flag("json"))
    told = watcher(announce, plan.named, len(plan.todo))
    found = carried_out(plan, logs, session.sink, told)
    if found is None:
        session.finish(exits.UNJUDGED)
    faults = build_faults(made, plan.recipes, found.broken)
    report_broken_builds(faults, session.sink)
    report_lost_builds(found, session.sink)
    result = result_of(found, faults, plan.evaluation, options.to, session.sources)
    text = json_text(result)
    kept = keep_report(logs, text, session.sink)
    session.show()
    if given.flag("json"):
        session.console.data(text)
    else:
        for line in realised_lines(found, options.logs, options.to):
            announce(line)
    return _code(session, found) if kept or found.interrupted is not None else exits.FAILED


def _chosen(
    session: Session, given: Arguments, made: Compilation, selectors: Sequence[str]
) -> Sequence[Variant]:
    """The variants to build: with `--only-changed` those whose derivation differs from that of the
    other state."""
    variants = session.select(selectors)
    against = given.text("only_changed")
    if against is None:
        return variants
    from tvarc.build.diff.states import open_state
    from tvarc.commands.realise.only_changed import only_changed

    state = open_state(made.file, against, session.sink)
    if state is None:
        session.finish(exits.FAILED)
    found = None
    if not state.made.sink.has_errors:
        found = only_changed(state, made, selectors, variants, session.sink)
    if found is None:
        if session.sink.has_errors:
            session.finish(exits.FAILED)
        session.finish_with(*state.diagnostics())
    return found


def _code(session: Session, found: Realised) -> int:
    """Broken recipes are an error of the program; a build that is missing for another reason is
    not."""
    fates = {one.fate for one in found.outcomes}
    if found.interrupted is not None:
        return interrupted(found.interrupted)
    if fates.intersection(_BROKEN):
        return exits.FAILED
    return exits.UNJUDGED if session.sink.has_errors or fates.intersection(_MISSING) else exits.OK
