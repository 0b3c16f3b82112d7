"""Builds a plan with Nix, on the machines of the plan, and makes links to the results."""

# pathlib costs too much at start.
# ruff: noqa: PTH100, PTH118, PTH119
from __future__ import annotations

import os
from time import monotonic

from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.evaluation.machines import refuse_missing_nix, report_refusing_store
from tvarc.commands.realise.plan import IN_STORE, Plan
from tvarc.commands.realise.result import licences_table
from tvarc.doing import Doing
from tvarc.farm import ledger
from tvarc.farm.realise.follow import Following, lacks_features, parts, run
from tvarc.farm.realise.logs import Logs, put_aside
from tvarc.farm.realise.model import Broken, Build, Fate, Outcome, Realised, State
from tvarc.farm.realise.store import (
    Roots,
    StoreRefused,
    closure_sizes,
    deliver,
    in_the_way,
    link,
    links_of,
    make_folder,
    needing,
    outputs,
    packages_of,
    unbuilt_here,
)
from tvarc.files.output.folders import put_one, reason_of
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Collection,
    Final,
    Mapping,
    Protocol,
    Sequence,
    replace,
)
from tvarc.nix.judge.nix import NotInstalled
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.words import counted

if TYPE_CHECKING:
    from tvarc.farm.realise.bills import Component


def refuse_links(plan: Plan, sink: Sink) -> None:
    """Report files at the places of the links of *plan*, and links with the same name."""
    folder = plan.options.links
    if folder is None:
        return
    wanted: dict[str, str] = {}  # the variant of each link
    for path, names in plan.named.items():
        for name in names:
            for one in links_of(name, plan.output_names[path]):
                other = wanted.setdefault(one, name)
                if other != name:
                    sink.report(msg.builds.SHARED_LINK, first=other, second=name, link=one)
    found = in_the_way(folder, wanted)
    if found:
        more = counted(len(found) - 1, "other") if len(found) > 1 else ""
        sink.report(msg.builds.LINK_IN_THE_WAY, file=found[0], more=more)


def has_folder_of_links(plan: Plan, sink: Sink) -> bool:
    """Whether there is a folder for the links of *plan*, or links are not requested. Reports if it
    cannot be made."""
    folder = plan.options.links
    try:
        if folder is not None:
            make_folder(folder)
    except OSError as fault:
        sink.report(msg.builds.NO_LINKS, folder=folder, reason=reason_of(fault))
        return False
    return True


def linked(plan: Plan, found: Realised, sink: Sink) -> None:
    """Make links to the built variants if they are requested, or report why it fails."""
    folder = plan.options.links
    if folder is None or found.interrupted is not None:
        return
    there = {one.name: one.derivation for one in found.outcomes if one.fate in IN_STORE}
    try:
        link(os.path.abspath(folder), there)
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink)


def billed(plan: Plan, found: Realised, sink: Sink) -> bool:
    """Write a bill of materials for each built variant, and a table of all licences, if they are
    requested, or report why it fails. Returns whether all are written."""
    folder = plan.options.bills
    there = [one for one in found.outcomes if one.fate in IN_STORE]
    if folder is None or not there or found.interrupted is not None:
        return False
    from tvarc.farm.realise.bills import bill, closure, components_of, licences_in

    try:
        counts = {one.derivation: len(plan.output_names[one.derivation]) for one in there}
        paths = outputs(counts)
        every = [path for some in paths.values() for path in some]
        components = components_of(every, licences_in(plan.licences))
        whole: dict[str, list[Component]] = {}
        make_folder(folder)
        for one in there:
            whole[one.name] = closure(paths[one.derivation], components)
            text = bill(one.name, paths[one.derivation], whole[one.name])
            put_one(os.path.abspath(folder), f"{one.name}.cdx.json", text.encode())
        put_one(os.path.abspath(folder), _LICENCES, licences_table(whole).encode())
        return True
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink)
    except OSError as fault:
        sink.report(msg.builds.NO_BILLS, folder=folder, reason=reason_of(fault))
    return False


_LICENCES: Final = "licences.md"


def recorded(
    made: Compilation, plan: Plan, found: Realised, logs: Logs, sink: Sink, *, wanted: bool
) -> bool:
    """Add the results *found*, of variants or of their tests, to the ledger of the program. Results
    of tests are added together with those of the tested variants. Returns whether this succeeds, or
    was not *wanted*. A failure is reported. A test that did not run, because its variant is broken,
    has no result."""
    variants = {one.name: (one, "") for one in made.variants}
    variants |= {name: (test.variant, test.setting.key) for name, test in plan.tests.items()}
    inputs = ledger.Inputs(made)
    tested, paths = _tested(plan, found, logs) if plan.tests else ([], {})
    sizes = _sizes(paths if plan.tests else _paths(plan, found))
    phases = {name: one.build.phase for one in found.broken for name in one.variants}
    for one in tested:
        if one.fate is Fate.FAILED:
            phases[one.name] = found.builds[one.through or one.derivation].phase
    when, host = ledger.now(), os.uname().nodename
    entries: list[ledger.Entry] = []
    for one in (*tested, *found.outcomes):
        variant, test = variants[one.name]
        if one.fate not in (*IN_STORE, Fate.CACHED, Fate.FAILED) or (test and one.through):
            continue
        good, bad = _EVENTS_OF_TESTS if test else _EVENTS
        entries.append(
            ledger.Entry(
                variant=variant.name,
                test=test,
                event=bad if one.fate is Fate.FAILED else good,
                derivation=one.derivation,
                inputs=inputs.digest(variant),
                when=when,
                machine=one.machine or host,
                seconds=one.seconds,
                size=sizes.get(one.derivation),
                through=one.through,
                phase=phases.get(one.name, ""),
                log=os.path.basename(one.log),
            )
        )
    return ledger.record(made.file, entries, sink, wanted=wanted)


def _tested(plan: Plan, found: Realised, logs: Logs) -> tuple[list[Outcome], dict[str, str]]:
    """The outcomes of the variants with tests in *plan*, if the store answers, and the path of each
    derivation that exists. A variant that neither exists nor was built has no outcome."""
    try:
        packages = packages_of(plan.named)
        absent = unbuilt_here({path for path, _ in packages.values()}) if packages else set()
        failed = [path for path, one in found.builds.items() if one.state is State.FAILED]
        above = {path: needing([path]) for path in failed if absent}
    except (NotInstalled, StoreRefused):
        return [], {}
    outcomes: dict[str, Outcome] = {}
    paths: dict[str, str] = {}
    for name, test in plan.tests.items():
        package = packages.get(plan.evaluation.derivations.get(name, ""))
        if package is None:
            continue
        derivation, path = package
        build = found.builds.get(derivation)
        fate, through = Fate.FAILED, ""
        if derivation not in absent:
            fate = Fate.THERE if build is None else Fate.BUILT
            paths[derivation] = path
        elif build is None or build.state is not State.FAILED:
            through = next((one for one in failed if derivation in above[one]), "")
            if not through:
                continue
        variant = test.variant.name
        log = logs.path(derivation) if build is not None else ""
        outcomes[variant] = _outcome(variant, derivation, fate, through, build, log)
    return list(outcomes.values()), paths


_EVENTS: Final[tuple[ledger.Event, ledger.Event]] = ("built", "failed")
_EVENTS_OF_TESTS: Final[tuple[ledger.Event, ledger.Event]] = ("tested", "test-failed")


def _paths(plan: Plan, found: Realised) -> dict[str, str]:
    """The first output of each existing derivation of a variant, if the store answers."""
    there = [one.derivation for one in found.outcomes if one.fate in IN_STORE]
    try:
        several = outputs({path: len(plan.output_names[path]) for path in there})
    except (NotInstalled, StoreRefused):
        return {}
    return {derivation: paths[0] for derivation, paths in several.items()}


def _sizes(paths: Mapping[str, str]) -> dict[str, int]:
    """The size in bytes of the closure of each of *paths*, by derivation, if the store answers."""
    try:
        sizes = closure_sizes(set(paths.values())) if paths else {}
    except (NotInstalled, StoreRefused):
        return {}
    return {derivation: sizes[path] for derivation, path in paths.items() if path in sizes}


_REPORT: Final = "report.json"
_MOST_ROUNDS: Final = 3
"""The greatest number of repeated runs of Nix, for builds that a lost machine did not finish."""


class Watcher(Protocol):
    """Gets the events between `__enter__` and `__exit__`: each build that begins or ends; `tick` is
    called from time to time."""

    def __enter__(self) -> object: ...
    def __exit__(self, *_: object) -> object: ...

    def build(self, build: Build) -> None: ...
    def tick(self) -> None: ...


def opened_logs(plan: Plan, sink: Sink) -> Logs | None:
    """The folder for the logs of builders; None after reporting that it cannot be made."""
    try:
        return Logs(plan.options.logs, {path: names[0] for path, names in plan.named.items()})
    except OSError as fault:
        sink.report(msg.builds.NO_LOGS, folder=plan.options.logs, reason=reason_of(fault))
        return None


def carried_out(plan: Plan, logs: Logs, sink: Sink, watcher: Watcher) -> Realised | None:
    """The results of *plan*: built, copied to another store, and linked; None after reporting why
    building cannot begin. Until it ends, the garbage collector keeps the results."""
    roots = Roots(logs.folder)
    try:
        with watcher:
            found = realised(plan, logs, sink, watcher, roots)
        if found is None:
            return None
        found = delivered(plan, found, sink)
        linked(plan, found, sink)
        return replace(found, billed=billed(plan, found, sink))
    finally:
        roots.drop()


def realised(
    plan: Plan,
    logs: Logs,
    sink: Sink,
    watcher: Watcher,
    roots: Roots,
    clock: Callable[[], float] = monotonic,
) -> Realised | None:
    """Build *plan*, and close its *logs*; None after reporting why Nix cannot begin. *watcher* gets
    each event, and *roots* protect the results from garbage collection."""
    began = clock()
    following = Following(logs, clock, _unbuilt_yet)
    try:
        if plan.todo or plan.options.to is not None:  # otherwise it ends at once
            roots.hold(plan.there_already)
        interrupted, rounds = _rounds(plan, following, watcher, roots)
        return _account(plan, following, logs, interrupted, rounds, clock() - began)
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink)
    except NotInstalled as fault:
        refuse_missing_nix(sink, "building", fault)
    finally:
        logs.close()
    return None


def _unbuilt_yet(derivations: Collection[str]) -> set[str]:
    """Like `unbuilt_here`, while Nix builds. A store that is too busy to answer is no error: the
    query is repeated.
    """
    try:
        return unbuilt_here(derivations)
    except StoreRefused:
        return set(derivations)


def delivered(plan: Plan, found: Realised, sink: Sink) -> Realised:
    """The result *found*, after its paths were copied to their target, or after a report that they
    cannot be copied.
    """
    store = plan.options.to
    names = [one for one in found.outcomes if one.fate in IN_STORE]
    if store is None or not names or found.interrupted is not None:
        return found
    try:
        paths = {path for one in names for path in plan.outputs[one.derivation]}
        with Doing(f"copying {counted(len(paths), 'path')} to {store}"):
            deliver(store, paths, plan.keys)
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink, store)
        return found
    except KeyboardInterrupt as fault:
        return replace(found, interrupted=fault)
    return replace(found, copied=tuple([one.name for one in names]))


def keep_report(logs: Logs, text: str, sink: Sink) -> bool:
    """Write the report of a run next to its *logs*. An existing report gets a number in its name.
    Returns whether all files are written; failures are reported."""
    folder, before = logs.folder, len(sink)
    if logs.fault:
        sink.report(msg.builds.SOME_LOGS, folder=folder, reason=logs.fault)
    try:
        put_aside(os.path.join(folder, _REPORT))
        put_one(folder, _REPORT, text.encode())
    except OSError as fault:
        message = msg.builds.REPORT_NOT_WRITTEN
        sink.report(message, file=_REPORT, folder=folder, reason=reason_of(fault))
    return len(sink) == before


def _rounds(
    plan: Plan, following: Following, watcher: Watcher, roots: Roots
) -> tuple[KeyboardInterrupt | None, int]:
    """Let Nix build, and repeat the builds that a lost machine did not finish, as long as this
    makes progress. The result says what interrupted Nix, and how often it ran."""

    todo = plan.todo
    keep_going = plan.options.keep_going
    rounds = 0
    while todo:
        rounds += 1
        interrupted = _round(plan, todo, following, watcher, roots)
        lost = [
            one
            for one in following.begun.values()
            if one.state is State.LOST and not lacks_features(one)
        ]
        if interrupted is not None or (following.failed and not keep_going):
            return interrupted, rounds
        if not lost or rounds == _MOST_ROUNDS:
            break
        left = unbuilt_here(todo)
        hit = _hit(following, left)
        todo = [path for path in todo if path in left and path not in hit]
    return None, rounds


def _round(
    plan: Plan, todo: Sequence[str], following: Following, watcher: Watcher, roots: Roots
) -> KeyboardInterrupt | None:
    """Let Nix build *todo*, with as many builds in one run as fit into a command line. Returns the
    interrupt that ended it, if there was one."""

    def note(build: Build | None) -> None:
        if build is not None:
            watcher.build(build)
        watcher.tick()

    to_the_end = plan.options.keep_going or not plan.has_machines  # else Nix ends with the first
    several = parts(todo)
    for number, some in enumerate(several):
        wanted = some
        if number and following.failed:  # failed builds are not repeated
            left = unbuilt_here(some)
            hit = _hit(following, left)
            wanted = [path for path in some if path not in hit]
        if not wanted:
            continue
        command = plan.command_for(wanted)
        interrupted = run(command, following, note, to_the_end=to_the_end)
        if interrupted is not None or (following.failed and not plan.options.keep_going):
            return interrupted
        try:
            left = _unbuilt_yet(wanted)
            roots.hold([path for path in wanted if path not in left])
        except KeyboardInterrupt as fault:
            return fault
    return None


def _hit(following: Following, left: set[str]) -> set[str]:
    """The derivations that cannot be built because a recipe that they need is broken."""
    broken = [one.derivation for one in following.begun.values() if one.state is State.FAILED]
    return needing([one for one in broken if one in left])


def _account(
    plan: Plan,
    following: Following,
    logs: Logs,
    interrupted: KeyboardInterrupt | None,
    rounds: int,
    seconds: float,
) -> Realised:
    """Determine the results of the run from the contents of the store."""
    left = unbuilt_here(plan.todo) if plan.todo else set()
    failures = [
        one
        for one in following.begun.values()
        if one.state in (State.FAILED, State.LOST) and one.derivation in left
    ]
    reached: dict[str, Build] = {}
    broken: list[Broken] = []
    # Broken recipes are reported before lost builds: they stay broken.
    for one in sorted(failures, key=lambda each: each.state is State.LOST):
        above = needing([one.derivation])
        names = [name for path in plan.todo if path in above for name in plan.named[path]]
        own, lost = one.derivation in plan.named, one.state is State.LOST
        broken.append(Broken(one, tuple(names), logs.path(one.derivation), own, lost))
        for path in above:
            reached.setdefault(path, one)
    unplaced = {name for one in plan.unplaced for name in one.variants}
    todo = set(plan.todo)
    outcomes: list[Outcome] = []
    for path, names in plan.named.items():
        build, through = following.begun.get(path), reached.get(path)
        if names[0] in unplaced:
            fate = Fate.UNPLACED
        elif path not in todo:
            fate = Fate.CACHED if path in plan.cached else Fate.THERE
        elif path not in left:
            # If no cache had the path, another run has built it.
            other_way = Fate.FETCHED if following.fetches else Fate.THERE
            fate, through = Fate.BUILT if build is not None else other_way, None
        elif through is None:
            fate = Fate.STOPPED
        else:
            fate = Fate.LOST if through.state is State.LOST else Fate.FAILED
        other = through.derivation if through is not None and through is not build else ""
        log = logs.path(path) if build is not None else ""
        outcomes += [_outcome(name, path, fate, other, build, log) for name in names]
    refused = [
        Outcome(name, "", Fate.REFUSED)
        for name in plan.evaluation.variants
        if name not in plan.evaluation.derivations
    ]
    by_name = {one.name: one for one in (*outcomes, *refused)}
    machines: dict[str, int] = {}
    for build in following.begun.values():
        if build.state is State.BUILT:
            machines[build.machine] = machines.get(build.machine, 0) + 1
    return Realised(
        tuple([by_name[name] for name in plan.evaluation.variants]),
        tuple(broken),
        machines,
        dict(following.away),
        following.fault if left else "",
        rounds,
        seconds,
        interrupted,
        warnings=tuple(following.warnings),
        builds=dict(following.begun),
    )


def _outcome(
    name: str, path: str, fate: Fate, through: str, build: Build | None, log: str
) -> Outcome:
    """The state of the variant *name*. *build* is its own build, if there was one, and *log* its
    log."""
    if build is None:
        return Outcome(name, path, fate, through)
    seconds = int(build.seconds(build.began))
    return Outcome(name, path, fate, through, build.machine, seconds, log)
