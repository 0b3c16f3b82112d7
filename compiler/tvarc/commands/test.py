"""`tvarc test`: the tests of variants, in the sandbox of Nix or on this machine."""

from __future__ import annotations

from functools import partial
from time import monotonic

from tvarc.blocks import ON_HOST, TEST
from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.evaluation.files import Test
from tvarc.commands.evaluation.text import many, named
from tvarc.commands.line import exits
from tvarc.commands.line.announcer import Announcer
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.pick import HostFiles, chosen, host_of, report_none
from tvarc.commands.realise.building import built, compiled, decided, options_of
from tvarc.commands.realise.plan import IN_STORE, Plan
from tvarc.doing import Doing
from tvarc.farm.realise.logs import Logs
from tvarc.farm.realise.model import Broken, Fate, Outcome, Realised, State
from tvarc.farm.realise.on_host import run
from tvarc.farm.realise.store import outputs
from tvarc.light import Iterator, Sequence, replace
from tvarc.matrix.variants import Variant
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.words import time_text
from tvarc.text.source import Span


@in_session
def command(session: Session, given: Arguments) -> int:
    """Run the tests of the selected variants; the exit code. With `--on-host`, run those of the
    variants for this machine, which need its hardware."""
    on_host = given.flag("on_host")
    made, selectors = compiled(session, given)
    variants = session.select(selectors)
    if on_host:
        variants = _for_this_machine(session, made, variants)
    decided(session, made, variants)
    tests = [one for variant in variants for one in _tests(made, variant, on_host=on_host)]
    _report_untested(session, made, variants)
    tested = {one.variant.name for one in tests}
    variants = [one for one in variants if one.name in tested]
    options = options_of(session, given, made)
    after = partial(_run_here, session.sink) if on_host else None
    return built(session, given, made, variants, options, tests, after)


def _tests(made: Compilation, variant: Variant, *, on_host: bool) -> Iterator[Test]:
    """The tests of *variant* that run on a host, or else in the sandbox."""
    recipe = made.recipe(variant)
    for setting in recipe.changes.of(TEST) if recipe is not None else ():
        test = Test(variant, setting)
        place = test.fields.get("on")
        if (place is not None and place.value == ON_HOST) is on_host:
            yield test


def _report_untested(session: Session, made: Compilation, variants: Sequence[Variant]) -> None:
    """Report the *variants* that have no test at all, if others have some."""
    without: dict[Span, list[str]] = {}
    for variant in variants:
        recipe = made.recipe(variant)
        if recipe is not None and not recipe.changes.of(TEST):
            without.setdefault(recipe.package.origin.span, []).append(variant.name)
    if sum(map(len, without.values())) == len(variants):
        return
    for span, names in without.items():
        session.sink.report(msg.builds.UNTESTED, span, variants=many(names), notes=named(names))


def _for_this_machine(
    session: Session, made: Compilation, variants: Sequence[Variant]
) -> Sequence[Variant]:
    """The best of *variants* for each kind of GPU of this machine, or for its CPU. It ignores the
    results of earlier runs. Ends the command if there is none."""
    host = host_of(HostFiles(), session.cache, session.sink)
    choice = chosen(made, host, variants, by_ledger=False)
    session.stop_on_errors()
    best = [kind.best.variant for kind in choice.kinds if kind.best is not None]
    if not best:
        report_none(host, session.sink)
        session.finish(exits.FAILED)
    return list({one.name: one for one in best}.values())


def _run_here(
    sink: Sink, plan: Plan, logs: Logs, found: Realised, announce: Announcer
) -> Realised:
    """Run the programs of the built tests on this machine, and return *found* with their results. A
    signal ends them; the results of programs that ran before are kept. A program that cannot be
    started is reported and has no result. The time of the run includes that of the programs."""
    outcomes: list[Outcome] = []
    broken = [*found.broken]
    interrupted = found.interrupted
    counts = {path: len(names) for path, names in plan.output_names.items()}
    programs = outputs(counts) if interrupted is None else {}
    began = monotonic()
    for one in found.outcomes:
        if one.fate not in IN_STORE or one.derivation not in programs:
            outcomes.append(one)
            continue
        if interrupted is None:
            announce(f"{one.name}: testing")
            try:
                with Doing(f"testing {one.name}"):
                    build = run(programs[one.derivation][0], one.derivation, logs)
            except KeyboardInterrupt as fault:
                interrupted = fault
        if interrupted is not None:
            outcomes.append(replace(one, fate=Fate.STOPPED))
            continue
        log = logs.path(one.derivation)
        if build.state is State.LOST:
            sink.report(msg.builds.CANNOT_START, test=one.name, reason=build.words)
            outcomes.append(replace(one, fate=Fate.UNPLACED))
            continue
        passed = build.state is State.BUILT
        if not passed:
            broken.append(Broken(build, (one.name,), log, on_host=True))
        announce(f"{one.name}: {'passed' if passed else 'failed'}, {time_text(build.seconds(0))}")
        fate = Fate.BUILT if passed else Fate.FAILED
        outcomes.append(replace(one, fate=fate, seconds=int(build.seconds(0)), log=log))
    return replace(
        found,
        outcomes=tuple(outcomes),
        broken=tuple(broken),
        interrupted=interrupted,
        seconds=found.seconds + monotonic() - began,
    )
