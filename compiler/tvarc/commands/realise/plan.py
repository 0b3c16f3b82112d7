"""The plan of a build: derivations, machines, and variants that no machine builds."""

# ruff: noqa: PTH100, PTH117, PTH118, PTH119, PTH120
# pathlib costs too much at start.
from __future__ import annotations

import json
import os
import pwd
import tempfile

from tvarc.build.driver import Compilation
from tvarc.commands.evaluation.evaluate import instantiated
from tvarc.commands.realise.faults import asking
from tvarc.commands.realise.text import report_bad_machines, report_refusing_store
from tvarc.digest import sha256
from tvarc.farm.realise.engine import command, parts
from tvarc.farm.realise.machines import Machine, machines_in, machines_of, takers
from tvarc.farm.realise.model import Fate, Unplaced
from tvarc.farm.realise.store import (
    StoreRefused,
    missing,
    needing,
    outputs,
    requirements,
    settings,
    unbuilt,
    unbuilt_here,
)
from tvarc.light import Callable, Collection, Final, Mapping, Sequence, dataclass, field
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.judge.evaluate import Derived
from tvarc.nix.judge.model import Evaluation
from tvarc.nix.judge.nix import NotInstalled, refuse_missing
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource

IN_STORE: Final = (Fate.THERE, Fate.FETCHED, Fate.BUILT)
_OUTPUTS, _SYSTEM, _FEATURES = _ATTRIBUTES = ("outputs", "system", "requiredSystemFeatures")


@dataclass(frozen=True, slots=True)
class Options:
    """How to build: on the machines in the file *builders*, with at most *jobs* builds at a time on
    this one, or as Nix's settings say. With *keep_going*, a broken recipe stops only the builds
    that need it. *logs* is the folder of the logs, *to* a store to copy the variants to, *links* a
    folder of links to them."""

    logs: str
    builders: str | None = None
    jobs: int | None = None
    keep_going: bool = False
    to: str | None = None
    links: str | None = None


@dataclass(slots=True)
class Plan:
    """A plan: the derivation of each variant that has one, the derivations to build, the command,
    and the variants that cannot be built."""

    evaluation: Evaluation
    options: Options
    recipes: Mapping[str, ir.Recipe]
    named: dict[str, list[str]] = field(default_factory=dict)
    """The variants of each derivation."""
    todo: list[str] = field(default_factory=list)
    """The derivations of the variants to build."""
    output_names: dict[str, list[str]] = field(default_factory=dict)
    """The names of the outputs of each derivation of a variant."""
    outputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The paths of the outputs of each derivation, if they are copied to another store."""
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
        """The number of variants that a store already has."""
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
        """The variants to build."""
        return [name for path in self.todo for name in self.named[path]]


def logs_folder(program: str) -> str:
    """The default folder for the logs of *program*, next to the other states of this user's
    programs."""
    base = os.environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(_home(), ".local", "state")
    folder = os.path.dirname(os.path.abspath(program))
    digest = sha256(os.path.abspath(program).encode()).hexdigest()
    return os.path.join(base, "tvarc", f"{os.path.basename(folder)}-{digest[:8]}")


def _home() -> str:
    """The state folder of this user; a temporary one if the system has none."""
    named = os.environ.get("HOME", "")
    if os.path.isabs(named):  # an empty one would be expanded to `/`
        return named
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return tempfile.gettempdir()


def planned(
    made: Compilation,
    variants: Sequence[Variant],
    options: Options,
    machines: list[Machine] | None,
    sink: Sink,
    note: Callable[[int], object],
) -> Plan | None:
    """The plan for *variants*, which have no errors, on *machines*; None stands for the machines of
    Nix's settings. None after reporting why nothing can be built. The plan says why some variants
    cannot be built."""
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
        refuse_missing_nix(sink, "finding what is built already", fault)
        return None
    return plan


def refuse_missing_nix(sink: Sink, wants: str, fault: NotInstalled) -> None:
    help_ = "install all programs of Nix: `nix-instantiate`, `nix-store` and `nix`"
    refuse_missing(sink, wants, help_, *map(str, fault.args))


def listed_machines(builders: str | None, sink: Sink) -> list[Machine] | None:
    """The machines that the file *builders* names; None where there is no such option."""
    if builders is None:
        return None
    try:
        machines, bad = machines_in(builders)
    except UnreadableSource as fault:
        report_bad_machines(builders, fault.reason, sink)
        return []
    for one in bad:
        report_bad_machines(f"{one.file}:{one.line}", one.because, sink)
    return machines


def _look_there(plan: Plan, store: str, sink: Sink) -> None:
    """Find out which paths *store* has already, or report that it refuses. Raises StoreRefused and
    NotInstalled.
    """
    plan.outputs = outputs({path: len(names) for path, names in plan.output_names.items()})
    try:
        absent = missing(store, [path for paths in plan.outputs.values() for path in paths])
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink, store)
        return
    plan.cached = {one for one, paths in plan.outputs.items() if absent.isdisjoint(paths)}


def _place(plan: Plan, derived: Mapping[str, Derived], listed: list[Machine] | None) -> None:
    """Take the derivations that no machine builds out of the *plan*. Raises StoreRefused and
    NotInstalled."""
    here = settings()
    plan.keys = here.keys
    if "://" in here.store:
        return  # only that store knows its machines
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
    """Take *derivations* out of the plan, because no machine builds them or their inputs."""
    gone = set(derivations)
    names = tuple([name for path in plan.todo if path in gone for name in plan.named[path]])
    if names:
        span = asking(plan.recipes[names[0]], through)
        plan.unplaced.append(Unplaced(names, system, features, span, through))
        plan.todo = [path for path in plan.todo if path not in gone]


def _words(derived: Derived, name: str) -> list[str]:
    """The words of an attribute; empty if it does not exist."""
    text = derived.attributes.get(name, "")
    if not derived.structured:
        return text.split()
    value = json.loads(text or "[]")
    return [str(one) for one in value] if isinstance(value, list) else str(value).split()
