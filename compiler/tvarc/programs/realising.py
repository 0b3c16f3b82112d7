"""From variants to what is built: Nix does it, on the machines that it is told of."""

# ruff: noqa: PTH100, PTH111, PTH117, PTH118, PTH119, PTH120
# pathlib costs too much at start.
from __future__ import annotations

import json
import os
from time import monotonic

from tvarc import ir
from tvarc.diagnostics.model import Sink
from tvarc.digest import sha256
from tvarc.driver import Compilation
from tvarc.judge.evaluate import Derived
from tvarc.judge.model import Evaluation
from tvarc.judge.nix import NotInstalled, refuse_missing
from tvarc.light import (
    Callable,
    Collection,
    Final,
    Mapping,
    Protocol,
    Sequence,
    dataclass,
    field,
    replace,
)
from tvarc.matrix.variants import Variant
from tvarc.output.atomic import put_one
from tvarc.output.folders import reason_of
from tvarc.programs.build_faults import asking
from tvarc.programs.evaluation import instantiated
from tvarc.realise.engine import command, parts, run
from tvarc.realise.follow import Following, lacks_features
from tvarc.realise.logs import Logs, put_aside
from tvarc.realise.machines import Machine, machines_in, machines_of, takers
from tvarc.realise.model import Broken, Build, Fate, Outcome, Realised, State, Unplaced
from tvarc.realise.roots import Roots
from tvarc.realise.store import (
    StoreRefused,
    deliver,
    missing,
    needing,
    outputs,
    requirements,
    settings,
    unbuilt,
    unbuilt_here,
)
from tvarc.report.realising import report_bad_machines, report_refusing_store

IN_STORE: Final = (Fate.THERE, Fate.FETCHED, Fate.BUILT)
_REPORT: Final = "report.json"
_OUTPUTS, _SYSTEM, _FEATURES = _ATTRIBUTES = ("outputs", "system", "requiredSystemFeatures")
_MOST_ROUNDS: Final = 3
"""Of running Nix again for what a machine that went away did not finish."""


@dataclass(frozen=True, slots=True)
class Options:
    """Where and how to build: the machines that the file *builders* names, and so many *jobs* at a
    time on this one, or as Nix's settings say; with *keep_going* whatever a broken recipe does not
    keep from being built. *logs* is the folder of the logs, *to* a store that the variants are to
    go to, *links* a folder of links to them."""

    logs: str
    builders: str | None = None
    jobs: int | None = None
    keep_going: bool = False
    to: str | None = None
    links: str | None = None


@dataclass(slots=True)
class Plan:
    """What is to be done: the derivation of each variant that has one, those that are to be built,
    by which command, and who is not."""

    evaluation: Evaluation
    options: Options
    recipes: Mapping[str, ir.Recipe]
    named: dict[str, list[str]] = field(default_factory=dict)
    """The variants of each derivation."""
    todo: list[str] = field(default_factory=list)
    """The derivations of variants that are to be built."""
    output_names: dict[str, list[str]] = field(default_factory=dict)
    """What the outputs of each derivation of a variant are called."""
    outputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Of each derivation their paths, where they are to go to another store."""
    cached: set[str] = field(default_factory=set)
    """The derivations that this store has."""
    keys: tuple[str, ...] = ()
    """The files of the keys that this user's Nix signs with."""
    unplaced: list[Unplaced] = field(default_factory=list)
    machines: list[Machine] = field(default_factory=list)

    @property
    def commands(self) -> list[list[str]]:
        return [self.command_for(some) for some in parts(self.todo)]

    def command_for(self, derivations: Sequence[str]) -> list[str]:
        """The command that builds *derivations*. A machine that goes away is no reason to end the
        builds of others, so where there are some Nix goes on after any failure; with the first
        broken recipe it is ended, if that is wanted."""
        options = self.options
        goes_on = options.keep_going or self.has_machines
        return command(derivations, options.builders, options.jobs, keep_going=goes_on)

    @property
    def has_machines(self) -> bool:
        """Whether others than this machine may build."""
        return bool(self.machines)

    @property
    def there(self) -> int:
        """How many variants are in a store already."""
        gone = sum(len(one.variants) for one in self.unplaced)
        return sum(map(len, self.named.values())) - len(self.to_build) - gone

    @property
    def there_already(self) -> list[str]:
        """The derivations of variants that this store has."""
        gone = {name for one in self.unplaced for name in one.variants}
        other = {*self.todo, *self.cached}
        named = self.named.items()
        return [path for path, names in named if path not in other and names[0] not in gone]

    @property
    def to_build(self) -> list[str]:
        """The variants that are to be built."""
        return [name for path in self.todo for name in self.named[path]]


class Watcher(Protocol):
    """Is told what happens: of each build that begins or ends; `tick` from time to time."""

    def build(self, build: Build) -> None: ...
    def tick(self) -> None: ...


def logs_folder(program: str) -> str:
    """Where the logs of *program* are kept if nobody says where: with the other states of this
    user's programs."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(os.path.expanduser("~"), ".local", "state")
    folder = os.path.dirname(os.path.abspath(program))
    digest = sha256(os.path.abspath(program).encode()).hexdigest()
    return os.path.join(base, "tvarc", f"{os.path.basename(folder)}-{digest[:8]}")


def planned(
    made: Compilation,
    variants: Sequence[Variant],
    options: Options,
    machines: list[Machine] | None,
    sink: Sink,
    note: Callable[[int], object],
) -> Plan | None:
    """What is to be done for *variants*, which have no errors, on *machines*, where None are those
    of Nix's settings; None after reporting why nothing can be. What keeps some of them from being
    built is in the plan."""
    found = instantiated(made, variants, _ATTRIBUTES, sink, note)
    if found is None:
        return None
    evaluation, derived = found
    recipes = {one.name: recipe for one in variants if (recipe := made.recipe(one)) is not None}
    plan = Plan(evaluation, options, recipes)
    for name, path in evaluation.derivations.items():
        plan.named.setdefault(path, []).append(name)
        plan.output_names[path] = _words(derived[name], _OUTPUTS) or ["out"]
    try:
        if options.to is not None and plan.named:
            _look_there(plan, options.to, sink)
            if sink.has_errors:
                return None
        wanted = [path for path in plan.named if path not in plan.cached]
        absent = unbuilt_here(wanted) if wanted else set()
        plan.todo = [path for path in wanted if path in absent]
        if plan.todo or options.to is not None:
            _place(plan, derived, machines)
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink)
        return None
    except NotInstalled as fault:
        _refuse_missing(sink, "what is there already", fault)
        return None
    return plan


def _refuse_missing(sink: Sink, wants: str, fault: NotInstalled) -> None:
    help_ = "all of Nix is wanted: `nix-instantiate`, `nix-store` and `nix`"
    refuse_missing(sink, wants, help_, *map(str, fault.args))


def listed_machines(builders: str | None, sink: Sink) -> list[Machine] | None:
    """The machines that the file *builders* names; None where there is no such option."""
    if builders is None:
        return None
    try:
        machines, bad = machines_in(builders)
    except OSError as fault:
        report_bad_machines(builders, reason_of(fault), sink)
        return []
    for one in bad:
        report_bad_machines(f"{one.file}:{one.line}", one.because, sink)
    return machines


def _look_there(plan: Plan, store: str, sink: Sink) -> None:
    """Find out what *store* has already, or report that it refuses. Raises StoreRefused and
    NotInstalled."""
    plan.outputs = outputs({path: len(names) for path, names in plan.output_names.items()})
    try:
        absent = missing(store, [path for paths in plan.outputs.values() for path in paths])
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink, store)
        return
    plan.cached = {one for one, paths in plan.outputs.items() if absent.isdisjoint(paths)}


def _place(plan: Plan, derived: Mapping[str, Derived], listed: list[Machine] | None) -> None:
    """Take out of the *plan* what no machine builds. Raises StoreRefused and NotInstalled."""
    here = settings()
    plan.keys = here.keys
    if "://" in here.store:
        return  # who builds there only that store knows
    plan.machines = machines_of(here.builders)[0] if listed is None else listed
    if plan.options.jobs is not None:
        here = here.with_jobs(plan.options.jobs)
    nowhere: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    in_no_cache = unbuilt(plan.todo) if plan.todo else set()
    for path in plan.todo:
        if path not in in_no_cache:
            continue
        attributes = derived[plan.named[path][0]]
        system = "".join(_words(attributes, _SYSTEM))
        features = tuple(sorted(_words(attributes, _FEATURES)))
        if system and not takers(plan.machines, here, system, features):
            nowhere.setdefault((system, features), []).append(path)
    for (system, features), paths in nowhere.items():
        _leave_out(plan, paths, system, features)
        if not needing(paths).isdisjoint(plan.todo):  # some of them need others
            for path in paths:
                _leave_out(plan, needing([path]), system, features, path)
    made_of = in_no_cache.difference(plan.named) if plan.todo else set()
    for path, (system, features) in sorted(requirements(made_of).items()):
        if system and not takers(plan.machines, here, system, features):
            _leave_out(plan, needing([path]), system, features, path)


def _leave_out(
    plan: Plan,
    derivations: Collection[str],
    system: str,
    features: tuple[str, ...],
    through: str = "",
) -> None:
    """Take *derivations* out of what is to be built: no machine takes them, or that of which they
    are made."""
    gone = set(derivations)
    names = tuple([name for path in plan.todo if path in gone for name in plan.named[path]])
    if names:
        span = asking(plan.recipes[names[0]], through)
        plan.unplaced.append(Unplaced(names, system, features, span, through))
        plan.todo = [path for path in plan.todo if path not in gone]


def _words(derived: Derived, name: str) -> list[str]:
    """The words of an attribute; none where there is no such one."""
    text = derived.attributes.get(name, "")
    if not derived.structured:
        return text.split()
    value = json.loads(text or "[]")
    return [str(one) for one in value] if isinstance(value, list) else str(value).split()


def opened_logs(plan: Plan, sink: Sink) -> Logs | None:
    """Where what builders print is kept; None after reporting that it cannot be."""
    try:
        return Logs(plan.options.logs, {path: names[0] for path, names in plan.named.items()})
    except OSError as fault:
        sink.error(
            "E802",
            f"the logs cannot be kept in `{plan.options.logs}`",
            notes=(reason_of(fault),),
            help="`--logs DIR` names a folder that can be written to",
        )
        return None


def realised(
    plan: Plan,
    logs: Logs,
    sink: Sink,
    watcher: Watcher,
    roots: Roots,
    clock: Callable[[], float] = monotonic,
) -> Realised | None:
    """Build what is to be built by *plan*, and close its *logs*; None after reporting why that
    cannot even begin. *watcher* is told of what happens, and *roots* keep what there is."""
    began = clock()
    following = Following(logs, clock, _unbuilt_yet)
    try:
        if plan.todo or plan.options.to is not None:  # else it is over at once
            roots.hold(plan.there_already)
        interrupted, rounds = _rounds(plan, following, watcher, roots)
        return _account(plan, following, logs, interrupted, rounds, clock() - began)
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink)
    except NotInstalled as fault:
        _refuse_missing(sink, "building", fault)
    finally:
        logs.close()
    return None


def _unbuilt_yet(derivations: Collection[str]) -> set[str]:
    """`unbuilt_here` while Nix builds: a store that has no time for a question ends nothing, and is
    asked again."""
    try:
        return unbuilt_here(derivations)
    except StoreRefused:
        return set(derivations)


def delivered(plan: Plan, found: Realised, sink: Sink) -> Realised:
    """What *found* says, after what there is was copied to where it is to go, or a report of why
    that cannot be."""
    store = plan.options.to
    names = [one for one in found.outcomes if one.fate in IN_STORE]
    if store is None or not names or found.interrupted is not None:
        return found
    try:
        paths = {path for one in names for path in plan.outputs[one.derivation]}
        deliver(store, paths, plan.keys)
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink, store)
        return found
    except KeyboardInterrupt as fault:
        return replace(found, interrupted=fault)
    return replace(found, copied=tuple([one.name for one in names]))


def keep_report(logs: Logs, text: str, sink: Sink) -> bool:
    """Put the report of a run beside its *logs*; one that is there gets a number. Whether all of
    them are kept, or a report of what is not."""
    folder, before = logs.folder, len(sink)
    if logs.fault:
        sink.error("E802", f"not all logs can be kept in `{folder}`", notes=(logs.fault,))
    try:
        put_aside(os.path.join(folder, _REPORT))
        put_one(folder, _REPORT, text.encode())
    except OSError as fault:
        sink.error("E802", f"`{_REPORT}` cannot be kept in `{folder}`", notes=(reason_of(fault),))
    return len(sink) == before


def _rounds(
    plan: Plan, following: Following, watcher: Watcher, roots: Roots
) -> tuple[KeyboardInterrupt | None, int]:
    """Have Nix build, and once more what a machine that went away did not finish, as long as that
    helps; by what it was interrupted, and how often Nix was run."""

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
    """Have Nix build *todo*, as much at once as it can be told of; by what it was interrupted."""

    def note(build: Build | None) -> None:
        if build is not None:
            watcher.build(build)
        watcher.tick()

    to_the_end = plan.options.keep_going or not plan.has_machines  # else Nix ends with the first
    several = parts(todo)
    for number, some in enumerate(several):
        wanted = some
        if number and following.failed:  # what that broke is not to be tried again
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
    """What cannot be built, since it is made of something of which the recipe is broken."""
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
    """What the run came to, by what the store has now."""
    left = unbuilt_here(plan.todo) if plan.todo else set()
    failures = [
        one
        for one in following.begun.values()
        if one.state in (State.FAILED, State.LOST) and one.derivation in left
    ]
    reached: dict[str, Build] = {}
    broken: list[Broken] = []
    # What is broken is told before what is lost: it stays so.
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
            fate, through = Fate.BUILT if build is not None else Fate.FETCHED, None
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
    )


def _outcome(
    name: str, path: str, fate: Fate, through: str, build: Build | None, log: str
) -> Outcome:
    """What has become of the variant *name*, of which the own *build*, if there was one, is logged
    in *log*."""
    if build is None:
        return Outcome(name, path, fate, through)
    seconds = build.seconds(build.began)
    return Outcome(name, path, fate, through, build.machine, seconds, log)
