"""The plan of a build: derivations, machines, and variants that no machine builds. Also finds the
place in the program that made a build fail."""

# pathlib costs too much at start.
# ruff: noqa: PTH100, PTH117, PTH118, PTH119, PTH120
from __future__ import annotations

import json
import os
import pwd
import re
import shlex
import tempfile

from tvarc.build.diff.programs import compare_programs, variants_meant
from tvarc.build.diff.states import State
from tvarc.build.driver import Compilation
from tvarc.build.lock.log import mismatches
from tvarc.build.lock.match_reports import match_reports
from tvarc.commands.evaluation.derivations import derivation_outcomes
from tvarc.commands.evaluation.evaluate import instantiated
from tvarc.commands.evaluation.files import Test
from tvarc.commands.evaluation.machines import (
    asking,
    overlays_for,
    refuse_missing_nix,
    report_refusing_store,
)
from tvarc.digest import sha256
from tvarc.farm.realise.follow import command, parts
from tvarc.farm.realise.machines import Builders, Machine, machines_of, takers
from tvarc.farm.realise.model import Broken, Build, BuildFault, Fate
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
from tvarc.light import Callable, Collection, Final, Iterator, Mapping, Sequence, dataclass, field
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import Variant
from tvarc.meaning.evaluation.formats import is_open
from tvarc.nix import ir
from tvarc.nix.judge.evaluate import LICENCES, Derived
from tvarc.nix.judge.model import Evaluation, Unplaced
from tvarc.nix.judge.nix import NotInstalled
from tvarc.nix.lower.tests import TIMEOUT
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import SourceMap, Span
from tvarc.values.value import PathValue, Value, values_in

_PATCH: Final = re.compile(r"^applying patch (\S+)")
_HASHED: Final = re.compile(r"^[0-9a-z]{32}-(.*)$")
_NOT_FOUND: Final = re.compile(r"(\S+): (?:command )?not found$")
_TOO_LONG: Final = re.compile(r"timeout: the test took longer than \d+ s")
_PHASE: Final = "Phase"
_LAST: Final = 10  # lines of a builder's output in which to look for a place
_TELLING: Final = 3  # characters that occur in many places


def build_faults(
    made: Compilation, plan: Plan, broken: Sequence[Broken]
) -> list[BuildFault]:
    """The errors of recipes and tests among the *broken* builds of *plan*. An error without a known
    place is reported at the package.
    """
    return [
        _of_test(made, one, plan)
        or _hash(made, one)
        or _placed(made, one, [plan.recipes[name] for name in one.variants])
        for one in broken
        if not one.lost and one.variants
    ]


def _of_test(made: Compilation, broken: Broken, plan: Plan) -> BuildFault | None:
    """The place of a test that failed: its timeout if it took longer, the first expectation that is
    not met, or the line of its script that printed the last words, else the place of its script."""
    test = plan.tests.get(broken.variants[0]) if broken.own else None
    if test is None:
        return None
    fields = test.fields
    if TIMEOUT in fields and any(map(_TOO_LONG.fullmatch, broken.build.last(_LAST))):
        span = fields[TIMEOUT].origin.span
        return BuildFault(broken, span, "the test took longer", test=test.setting.key)
    from tvarc.commands.realise.unmet import unmet

    places = unmet(made, test, broken.build.tail)
    if places:
        (span, label), *others = places
        return BuildFault(broken, span, label, test=test.setting.key, others=tuple(others))
    span = fields.get("script", test.setting).origin.span
    span = next(_printed(made, broken.build, [span]), span)
    return BuildFault(broken, span, "this test", test=test.setting.key)


def _placed(made: Compilation, broken: Broken, recipes: Sequence[ir.Recipe]) -> BuildFault:
    for recipe in recipes:
        for span, label in _places(made, broken, recipe):
            return BuildFault(broken, span, label)
    return BuildFault(broken, recipes[0].package.origin.span)


def _hash(made: Compilation, broken: Broken) -> BuildFault | None:
    """The place of a hash, if the hash of a source differs from the one in the recipe."""
    reports = mismatches(broken.build.words)
    if not reports:
        return None
    matched = match_reports(reports, made.elaboration.shared.hashes)
    file = shlex.quote(os.path.relpath(broken.log))
    take = f"`tvarc lock --from-log {file}` takes the hash that Nix found"
    for asked, _ in matched.found:
        label = "its hash is not locked"
        return BuildFault(broken, asked.place, label, asked.source.describe(), take)
    for asked, known, _ in matched.changed:
        span = asked.stated.get(known) or asked.place
        label = "this hash is stated" if known in asked.stated else "the lock has another hash"
        help_ = "find out why the hash changed before you trust the new one"
        return BuildFault(broken, span, label, asked.source.describe(), help_)
    for asked, report in matched.stated:
        help_ = "write `hash = unlocked` here, and run `tvarc lock`, or `lock --from-log FILE`"
        label = "no content has this hash" if is_open(report.wanted) else ""
        span = asked.stated[report.wanted]
        return BuildFault(broken, span, label, asked.source.describe(), help_)
    return None


def _places(made: Compilation, broken: Broken, recipe: ir.Recipe) -> Iterator[tuple[Span, str]]:
    """The parts of *recipe* that may have made it fail, the most likely first."""
    overlays = overlays_for(recipe, broken.build.derivation)
    changes = [recipe.changes] if broken.own else [one.changes for one in overlays]
    patches = [setting for one in recipe.overlays for setting in one.patch]
    if broken.own or not overlays:
        patches += [s for one in changes for s in one.attrs if s.key == "patches"]
    patch = _last_patch(broken.build.last())
    if patch:
        for setting in patches:
            span = _names(setting, patch)
            if span is not None:
                yield span, "this patch"
    for one in changes:
        yield from _script(made, one, broken.build)
    if not broken.own:
        for overlay in overlays:
            yield overlay.listed.span, f"this changes `{overlay.target[-1]}`"


def _script(made: Compilation, changes: ir.Changes, build: Build) -> Iterator[tuple[Span, str]]:
    """The script of the phase in which *build* ended: the line that printed its last words, or else
    the first part."""
    stem = build.phase.removesuffix(_PHASE)
    capital = stem[:1].upper() + stem[1:]
    around = (build.phase, f"pre{capital}", f"post{capital}")
    parts = [
        part.origin.span
        for script in changes.scripts
        if script.key in around
        for part in script.parts
        if part.origin is not None
    ]
    for found in _printed(made, build, parts):
        yield found, f"in {build.phase}"
    for span in parts:
        yield span, f"this runs in {build.phase}"


def _printed(made: Compilation, build: Build, spans: Sequence[Span]) -> Iterator[Span]:
    """The lines within *spans* that printed the last words of *build*, the last word first."""
    for line in reversed(build.last(_LAST)):
        missing = _NOT_FOUND.search(line)
        words = missing[1] if missing is not None else line.strip()
        for span in spans:
            found = _line_with(made.sources, span, words)
            if found is not None:
                yield found


def _line_with(sources: SourceMap, span: Span, words: str) -> Span | None:
    """The line within *span* that has *words*. If several have them, it is the line that begins
    with them. None if it is ambiguous."""
    source = sources.get(span.file)
    if source is None or len(words) < _TELLING:
        return None
    at = span.start
    found: list[Span] = []
    first: list[Span] = []
    for line in source.text[span.start : span.end].splitlines(keepends=True):
        indent = len(line) - len(line.lstrip())
        place = Span(span.file, at + indent, at + len(line.rstrip()))
        if words in line:
            found.append(place)
        if line.startswith(words, indent):
            first.append(place)
        at += len(line)
    return next((some[0] for some in (found, first) if len(some) == 1), None)


def _last_patch(tail: Sequence[str]) -> str:
    """The name of the patch that was applied last; empty if there was none."""
    for line in reversed(tail):
        found = _PATCH.match(line)
        if found is not None:
            base = os.path.basename(found[1])
            hashed = _HASHED.match(base)
            return hashed[1] if hashed is not None else base
    return ""


def _names(setting: ir.Setting, file: str) -> Span | None:
    """The place in *setting* that names the *file*."""
    for element in setting.elements or ():
        if _has(element.value, file):
            return element.origin.span
    return setting.origin.span if _has(setting.value, file) else None


def _has(value: Value, file: str) -> bool:
    paths = [one.file for one in values_in(value) if isinstance(one, PathValue)]
    return file in map(os.path.basename, paths)


IN_STORE: Final = (Fate.THERE, Fate.FETCHED, Fate.BUILT)
_OUTPUTS, _SYSTEM, _FEATURES = _ATTRIBUTES = ("outputs", "system", "requiredSystemFeatures")


@dataclass(frozen=True, slots=True)
class Options:
    """How to build: on the machines of *builders*, with at most *jobs* builds at a time on
    this one, or as Nix's settings say. With *keep_going*, a broken recipe stops only the builds
    that need it. *logs* is the folder of the logs, *to* a store to copy the variants to, *links* a
    folder of links to them, *bills* a folder of their bills of materials. With *record*, the
    results go to the ledger."""

    logs: str
    builders: Builders | None = None
    jobs: int | None = None
    keep_going: bool = False
    to: str | None = None
    links: str | None = None
    bills: str | None = None
    record: bool = False


@dataclass(slots=True)
class Plan:
    """A plan: the derivation of each variant that has one, the derivations to build, the command,
    and the variants that cannot be built."""

    evaluation: Evaluation
    options: Options
    recipes: Mapping[str, ir.Recipe]
    tests: Mapping[str, Test] = field(default_factory=dict)
    """The tests by their names, if tests are built and not variants."""
    named: dict[str, list[str]] = field(default_factory=dict)
    """The variants of each derivation."""
    todo: list[str] = field(default_factory=list)
    """The derivations of the variants to build."""
    output_names: dict[str, list[str]] = field(default_factory=dict)
    """The names of the outputs of each derivation of a variant."""
    outputs: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """The paths of the outputs of each derivation, if they are copied to another store."""
    licences: list[str] = field(default_factory=list)
    """The licences of each variant's packages, as its evaluator reports them."""
    cached: set[str] = field(default_factory=set)
    """The derivations that this store has."""
    keys: tuple[str, ...] = ()
    """The files of the keys with which this user's Nix signs."""
    unplaced: list[Unplaced] = field(default_factory=list)
    machines: Sequence[Machine] = ()

    @property
    def commands(self) -> list[list[str]]:
        return [self.command_for(some) for some in parts(self.todo)]

    def command_for(self, derivations: Sequence[str]) -> list[str]:
        """The command that builds *derivations*. A lost machine must not end the builds on other
        machines. So with machines, Nix continues after each failure. tvarc ends it after the first
        broken recipe, unless the user wants to continue."""
        options = self.options
        goes_on = options.keep_going or self.has_machines
        builders = options.builders.setting if options.builders is not None else None
        return command(derivations, builders, options.jobs, keep_going=goes_on)

    @property
    def has_machines(self) -> bool:
        """Whether other machines than this one may build."""
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
    """The default folder for the logs of *program*, in the folder of the user's program states."""
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
    sink: Sink,
    note: Callable[[int], object],
    tests: Sequence[Test] | None = None,
) -> Plan | None:
    """The plan for *variants*, which have no errors, or for *tests* of them. None after reporting
    why nothing can be built. The plan says why some variants or tests cannot be built."""
    more = () if options.bills is None else (LICENCES,)
    found = instantiated(made, variants, (*_ATTRIBUTES, *more), sink, note, tests)
    if found is None:
        return None
    evaluation, derived = found
    named = {one.name: one for one in variants}
    if tests is not None:
        named = {one.name: one.variant for one in tests}
    recipes = {
        name: recipe for name, one in named.items() if (recipe := made.recipe(one)) is not None
    }
    plan = Plan(evaluation, options, recipes, {one.name: one for one in tests or ()})
    for name, path in evaluation.derivations.items():
        plan.named.setdefault(path, []).append(name)
        plan.output_names[path] = _words(derived[name], _OUTPUTS) or ["out"]
        plan.licences.append(derived[name].attributes.get(LICENCES, ""))
    try:
        if options.to is not None and plan.named:
            _look_there(plan, options.to, sink)
            if sink.has_errors:
                return None
        wanted = [path for path in plan.named if path not in plan.cached]
        absent = unbuilt_here(wanted) if wanted else set()
        plan.todo = [path for path in wanted if path in absent]
        if plan.todo or options.to is not None:
            _place(plan, derived)
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink)
        return None
    except NotInstalled as fault:
        refuse_missing_nix(sink, "finding what is built already", fault)
        return None
    return plan


def _look_there(plan: Plan, store: str, sink: Sink) -> None:
    """Find out which paths *store* already has, or report that it refuses. Raises StoreRefused and
    NotInstalled.
    """
    plan.outputs = outputs({path: len(names) for path, names in plan.output_names.items()})
    try:
        absent = missing(store, [path for paths in plan.outputs.values() for path in paths])
    except StoreRefused as fault:
        report_refusing_store(str(fault), sink, store)
        return
    plan.cached = {one for one, paths in plan.outputs.items() if absent.isdisjoint(paths)}


def _place(plan: Plan, derived: Mapping[str, Derived]) -> None:
    """Take the derivations that no machine builds out of the *plan*. Raises StoreRefused and
    NotInstalled."""
    here = settings()
    plan.keys = here.keys
    if "://" in here.store:
        return  # only that store has the list of its machines
    listed = plan.options.builders
    plan.machines = machines_of(here.builders)[0] if listed is None else listed.machines
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
        test = plan.tests.get(names[0])
        asked = test.fields.get("features") if test is not None and not through else None
        span = asking(plan.recipes[names[0]], through)
        if asked is not None:
            span = asked.origin.span
        plan.unplaced.append(Unplaced(names, system, features, span, through))
        plan.todo = [path for path in plan.todo if path not in gone]


def _words(derived: Derived, name: str) -> list[str]:
    """The words of an attribute; empty if it does not exist."""
    text = derived.attributes.get(name, "")
    if not derived.structured:
        return text.split()
    value = json.loads(text or "[]")
    return [str(one) for one in value] if isinstance(value, list) else str(value).split()


def only_changed(
    before: State,
    made: Compilation,
    selectors: Sequence[str],
    variants: Sequence[Variant],
    sink: Sink,
) -> list[Variant] | None:
    """The selected *variants* whose derivation is new or differs from the state *before*, and the
    variants that need one of these. None after reporting an error to *sink* or to the sink of
    *before*."""
    names = {one.name for one in variants}
    meant = variants_meant(join_pairs(selectors), before.made, made)
    old = meant[0] if isinstance(meant, tuple) else ()
    changes = compare_programs(before.made, made, old, variants)
    if changes is None:
        return None
    found = derivation_outcomes(before, made, changes, sink, in_what=False)
    if found is None:
        return None
    changed = {name for name, became in found.became.items() if became != "same"}
    changed |= names - found.became.keys()
    if made.is_stacked:
        changed |= made.stack.needing(changed, variants).keys()
    return [one for one in variants if one.name in changed]
