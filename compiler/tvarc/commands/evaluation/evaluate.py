"""Evaluation of a program by Nix: the derivations of its variants, settings without effect, and
variants with the same derivation."""

from __future__ import annotations

import re
from collections import Counter
from itertools import count

from tvarc.advice.lints.variants import NumberOf
from tvarc.build.driver import Compilation
from tvarc.commands.evaluation.coherence import elsewhere, mixed, twice
from tvarc.commands.evaluation.files import (
    Prepared,
    Test,
    judged,
    needs,
    of_tests,
    prepare,
)
from tvarc.commands.evaluation.machines import Farm, unplaced
from tvarc.commands.evaluation.nix_lines import NixLines
from tvarc.commands.evaluation.trials import Asked, Trials
from tvarc.decide.checks import refuse_idle_silence
from tvarc.light import (
    Callable,
    Collection,
    Final,
    Iterable,
    Iterator,
    Sequence,
    dataclass,
    field,
    replace,
)
from tvarc.matrix.variants import Variant
from tvarc.nix import ir
from tvarc.nix.judge.eval_jobs import EvalJobs, installed
from tvarc.nix.judge.evaluate import (
    Derived,
    Evaluators,
    Fetched,
    Job,
    Outcome,
    RefusedByNix,
    chunks,
)
from tvarc.nix.judge.faults import NixFault, fault_in
from tvarc.nix.judge.folder import in_lasting_folder
from tvarc.nix.judge.graph import Node
from tvarc.nix.judge.hashes import hashes_of
from tvarc.nix.judge.leaving_out import readable_of, removals_of
from tvarc.nix.judge.machine import evaluators_here
from tvarc.nix.judge.model import (
    Evaluation,
    Fake,
    Fault,
    Hidden,
    Idle,
    Misfit,
    Unnamed,
    Unrun,
    Useless,
    joined,
)
from tvarc.nix.judge.not_shown import not_shown, unnamed
from tvarc.nix.judge.phases import Kind as RunKind
from tvarc.nix.judge.phases import not_run, watched
from tvarc.nix.judge.sources import Replaced, Unfit, of_package, replaced_by, unfit
from tvarc.text.diagnostics.lint_names import LINTS
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.warning_names import JUDGED
from tvarc.text.source import Span

_LACKS: Final = re.compile(
    r"attribute '[^']*' missing|without required argument|is no package|has no "
)
"""The words of Nix, or of a guard, for a needed attribute that was left out."""
_MISSING: Final = re.compile(r"attribute '([\w-]+)' missing")
_CALLED: Final = re.compile(
    r"(?:anonymous )?function at \S*/tvarc-nix-[^/]+/\S+ (called without required arg)"
)
"""The beginning of the message of older versions of Nix about a package that the scope of a recipe
lacks: a place in a temporary file."""
_MOST_ROUNDS: Final = 6
"""The greatest number of rounds to find the variants that prevent Nix from reading the others."""
# The warnings, by the names that switch them off.
(
    _HIDDEN, _IDLE, _SAME, _REMOVED, _UNREAD, _NOT_RUN, _UNNAMED, _UNFIT, _MIXED, _TWICE, _ELSEWHERE
) = JUDGED  # fmt: skip
_OF_KIND: Final[dict[RunKind, str]] = {"script": _NOT_RUN, "flags": _UNREAD}
_NOT_READ: Final = "Nix does not evaluate them before the errors of the other variants are fixed"


@dataclass(slots=True)
class Inputs:
    """The inputs of variants. `fakes` has, by variant, the sources with a hash that no content has.
    `graph` has all packages that the variants need when they run."""

    fakes: dict[str, tuple[Fetched, ...]] = field(default_factory=dict)
    graph: dict[str, Node] = field(default_factory=dict)


def evaluated(
    made: Compilation,
    variants: Sequence[Variant],
    side_by_side: int | None,
    sink: Sink,
    note: Callable[[int], object],
    *,
    checks: bool = False,
    farm: Farm | None = None,
) -> Evaluation | None:
    """The results of Nix for *variants*, which have no errors; None after reporting that Nix cannot
    run. *side_by_side* is the number of evaluators, by default the best for this machine. *note* is
    called with the number of variants that are evaluated. A caller that *checks* may name checkouts
    of inputs, and gets an error for each warning that is switched off and does not occur. With
    a *farm*, the variants that none of its machines builds are found, too."""

    def ask(prepared: Prepared) -> Evaluation:
        return _evaluate(
            made, prepared, side_by_side or evaluators_here(), note, sink if checks else None, farm
        )

    wants, help_ = "evaluating variants", "install Nix; `tvarc check` needs it only with `--eval`"
    return judged(made, variants, ask, sink, wants, help_, checkouts=checks)


def instantiated(
    made: Compilation,
    variants: Sequence[Variant],
    attributes: Sequence[str],
    sink: Sink,
    note: Callable[[int], object],
    tests: Sequence[Test] | None = None,
) -> tuple[Evaluation, dict[str, Derived]] | None:
    """The derivations of *variants*, which have no errors, written to the store, with these
    *attributes* of each; and the errors of Nix in the rest. With *tests* of these variants, the
    derivations are those of the tests. None and the rest as `evaluated`."""

    def ask(prepared: Prepared) -> tuple[Evaluation, dict[str, Derived]]:
        if tests is not None:
            prepared = of_tests(prepared, tests)
        many = evaluators_here()
        first = _eval_jobs(many)
        derived, found = derivations(
            made, prepared, many, note, attributes=attributes, writes=True, first=first
        )
        return replace(found, without="" if first is None else first.ended), derived

    wants, help_ = "evaluating variants", "install Nix; `tvarc build` does not need it"
    return judged(made, variants, ask, sink, wants, help_)


def commands(
    made: Compilation, variants: Sequence[Variant], side_by_side: int | None, sink: Sink
) -> tuple[str, list[tuple[list[str], list[str]]]] | None:
    """A new folder, which stays, and the commands that evaluate *variants* from it, each with its
    variants. None after reporting that there is no such folder.
    """

    def write(folder: str) -> tuple[str, list[tuple[list[str], list[str]]]]:
        prepared = prepare(made, variants, folder)
        many = side_by_side or evaluators_here()
        evaluators = Evaluators(prepared.folder, many, attributes=None)
        return prepared.folder, [
            (evaluators.command(chunk), [job.name for job in chunk])
            for chunk in chunks(prepared.groups, many)
        ]

    return in_lasting_folder(write, sink)


def _evaluate(
    made: Compilation,
    prepared: Prepared,
    many: int,
    note: Callable[[int], object],
    sink: Sink | None,
    farm: Farm | None,
) -> Evaluation:
    """The results of Nix for the *prepared* files. With a *sink*, also settings without effect,
    fake hashes, what does not fit together, and warnings that are switched off and do not occur."""
    if sink is None:
        return derivations(made, prepared, many, note)[1]
    inputs = Inputs()
    derived, found = derivations(made, prepared, many, note, inputs=inputs)
    trials = Trials(made, prepared, many)
    off = _switched_off(made)
    effects = trials.effects(
        derived, overlays=_IDLE not in off, removals=_REMOVED not in off, reads=_UNREAD not in off
    )
    hashes = () if _UNREAD in off else tuple(trials.unread_hashes(derived))
    idle = tuple(_idle(prepared, effects.overlays))
    nothing = {one.overlay.declared for one in idle if not one.others}  # nor do their settings
    found = replace(
        found,
        faults=tuple(
            _with_help(made, one)
            for one in joined(
                ((one.span, one.words, one.place) if one.sure else object(), one)
                for fault in found.faults
                for one in _at_their_lines(prepared, trials, fault)
            )
        ),
        hidden=tuple(joined(_hidden(prepared, derived))),
        idle=idle,
        useless=tuple(
            [
                Useless(tuple(one.variants), one.part)
                for one in (*effects.removals, *effects.unread, *hashes)
                if one.part.within not in nothing
            ]
        ),
        unrun=tuple(_unrun(made, prepared, derived, trials, nothing)),
        fakes=tuple(_fakes(prepared, trials, inputs.fakes)),
        unnamed=tuple(joined(_unnamed(made, prepared, derived))),
        unfit=() if _UNFIT in off else tuple(_unfit(prepared, derived, trials)),
        twice=tuple(joined(twice(prepared, derived, inputs.graph))),
        mixed=tuple(joined(mixed(prepared, derived, inputs.graph))),
        elsewhere=tuple(joined(elsewhere(prepared, derived))),
        same=tuple(_same(prepared, derived)),
    )
    if farm is not None:
        lacking = unplaced(prepared.recipes, found.derivations, inputs.graph, farm)
        found = replace(found, unplaced=tuple(lacking))
    return _silenced(made, prepared, found, sink)


def derivations(
    made: Compilation,
    prepared: Prepared,
    many: int,
    note: Callable[[int], object],
    *,
    attributes: Sequence[str] | None = None,
    writes: bool = False,
    first: EvalJobs | None = None,
    inputs: Inputs | None = None,
) -> tuple[dict[str, Derived], Evaluation]:
    """The results of evaluators, *many* in parallel, for each variant, and their errors.
    *attributes* are requested; all if it is None. With *writes*, derivations are written to the
    store, by *first* as far as it can. *inputs* gets the inputs of the variants."""

    def run(groups: Sequence[Sequence[Job]], tell: Callable[[str], object]) -> dict[str, Outcome]:
        evaluators = Evaluators(
            prepared.folder, many, attributes=attributes, writes=writes, first=first,
            inputs=inputs is not None,
        )  # fmt: skip
        found = evaluators.run(chunks(groups, many), tell)
        if inputs is not None:
            inputs.fakes.update(evaluators.fakes)
            inputs.graph.update(evaluators.graph)
        return found

    known = count(1)
    outcomes = run(prepared.groups, lambda _: note(next(known)))
    lines = _read_in_parts(made, prepared, run, outcomes)
    derived = {
        name: outcome
        for name in prepared.recipes
        if isinstance(outcome := outcomes.get(name), Derived)
    }
    return derived, Evaluation(
        tuple(prepared.recipes),
        {name: one.path for name, one in derived.items()},
        tuple(sorted(Counter(job.system for job in prepared.jobs).items())),
        tuple(joined(_faults(prepared, outcomes, lines))),
    )


def _eval_jobs(many: int) -> EvalJobs | None:
    """`nix-eval-jobs` with *many* workers, if it is installed."""
    return EvalJobs(many) if installed() else None


def reasons(found: Evaluation) -> dict[str, str]:
    """The variants without a derivation, each with the reason."""
    return {name: " ".join(one.words) for one in found.faults for name in one.variants}


def _switched_off(made: Compilation) -> set[str]:
    return {off.name for off in made.program.warn_off}


def _silenced(
    made: Compilation, prepared: Prepared, found: Evaluation, sink: Sink
) -> Evaluation:
    """*found* without the warnings that the program switches off. It is an error if such a warning
    does not occur, and all variants could be evaluated. Warnings that need trials are not searched
    for if they are switched off: then it is an error only if there is nothing to try."""
    program = made.program
    recipes = prepared.recipes.values()
    run, flags = _of_kind(found, "script"), _of_kind(found, "flags")
    occurs: dict[str, object] = {
        _HIDDEN: found.hidden,
        _SAME: found.same,
        _NOT_RUN: run or _of_overlays(recipes, "script"),
        _UNNAMED: found.unnamed,
        _MIXED: found.mixed,
        _TWICE: found.twice,
        _ELSEWHERE: found.elsewhere,
        _UNFIT: any(any(replaced_by(recipe)) for recipe in recipes),
        _IDLE: any(recipe.overlays for recipe in recipes),
        _REMOVED: any(any(removals_of(recipe)) for recipe in recipes),
        _UNREAD: flags
        or _of_overlays(recipes, "flags")
        or any(any(readable_of(recipe)) or any(hashes_of(recipe)) for recipe in recipes),
    }
    whole = len(found.derivations) == len(made.variants)
    for off in program.warn_off:
        if whole and off.span.file == program.file and not occurs.get(off.name, True):
            refuse_idle_silence(off, sink)
    silenced = {off.name for off in program.warn_off}
    return replace(
        found,
        hidden=() if _HIDDEN in silenced else found.hidden,
        same=() if _SAME in silenced else found.same,
        unnamed=() if _UNNAMED in silenced else found.unnamed,
        mixed=() if _MIXED in silenced else found.mixed,
        twice=() if _TWICE in silenced else found.twice,
        elsewhere=() if _ELSEWHERE in silenced else found.elsewhere,
        unrun=(
            *(() if _NOT_RUN in silenced else run),
            *(() if _UNREAD in silenced else flags),
        ),
    )


def _of_overlays(recipes: Iterable[ir.Recipe], kind: RunKind) -> bool:
    """Whether overlays for a package have something of *kind* that needs a trial."""
    return any(
        kind == one
        for recipe in recipes
        for overlay in recipe.overlays
        if overlay.relation == "for"
        for one, _, _ in watched(overlay.changes)
    )


def _of_kind(found: Evaluation, kind: str) -> tuple[Unrun, ...]:
    return tuple([one for one in found.unrun if one.found.kind == kind])


def _same(prepared: Prepared, derived: dict[str, Derived]) -> Iterator[tuple[str, ...]]:
    """The variants with the same result, except those that the lint `same-build` has reported
    without Nix."""
    by_path: dict[str, list[str]] = {}
    for name, one in derived.items():
        by_path.setdefault(one.out or one.path, []).append(name)
    number_of = NumberOf()
    for names in by_path.values():
        alike = {number_of(prepared.recipes[name]): name for name in reversed(names)}
        if len(alike) > 1:
            yield tuple(reversed(alike.values()))


def _at_their_lines(prepared: Prepared, trials: Trials, fault: Fault) -> Iterator[Fault]:
    """*fault*, with the lines of the settings that cause it, if Nix names none. An overlay is the
    cause only if Nix accepts the variant without it: the same error may name another package
    without the overlay."""
    if fault.sure or fault.lost:
        yield fault
        return

    def has_it(name: str, recipe: ir.Recipe) -> bool:
        (outcome,), _ = trials.run([(name, recipe)], tries=False)
        if not isinstance(outcome, RefusedByNix):
            return False
        words = _words(fault_in(outcome.text))
        if outcome.lost or words == fault.words or _LACKS.search(words[0]) is not None:
            return True
        return recipe.changes == prepared.recipes[name].changes  # only overlays are left out

    for names, part in trials.blamed(fault.variants, has_it):
        one = replace(fault, variants=names)
        yield one if part is None else replace(one, span=part.span, sure=True)


def _words(told: NixFault) -> tuple[str, ...]:
    """The words of Nix, without a place in a temporary file."""
    return tuple([_CALLED.sub(r"\1", line) for line in told.words])


def _with_help(made: Compilation, fault: Fault) -> Fault:
    """*fault*, with advice if an overlay of a package set takes a package from the set that only
    nixpkgs has: in such an overlay `final` and `prev` are the set.
    """
    missing = _MISSING.search(" ".join(fault.words))
    source = made.sources.get(fault.span.file)
    if missing is None or source is None:
        return fault
    name = missing[1]
    text = source.text[fault.span.start : fault.span.end]
    taken = re.search(rf"\b(final|prev)\.{re.escape(name)}(?![\w-])", text)
    of_set = any(
        one.relation == "in" or len(one.target) > 1
        for one in made.program.overlays
        if any(write.span == fault.span for write in one.layer.writes)
    )
    if taken is None or not of_set:
        return fault
    help_ = f"here `{taken[1]}` is the package set; for a package of nixpkgs, write `pkgs.{name}`"
    return replace(fault, help=help_)


def _unrun(
    made: Compilation,
    prepared: Prepared,
    derived: dict[str, Derived],
    trials: Trials,
    nothing: Collection[Span],
) -> Iterator[Unrun]:
    """Settings and scripts that no variant reads or runs. The package of an overlay is evaluated in
    the first variant that lists it, and in the others only if something is not run there. The
    overlays declared at *nothing* change no derivation, and are left out."""
    found: dict[object, Unrun | None] = {}

    def look(name: str, changes: ir.Changes, outcome: Outcome | None) -> None:
        one = outcome if isinstance(outcome, Derived) else None
        told = not_run(changes, one) if one is not None else ()
        missing = {(n.kind, n.name, n.span): n for n in told}
        for key in watched(changes):
            first = found.setdefault(key, Unrun((), missing[key]) if key in missing else None)
            variants = (*first.variants, name) if first is not None else ()
            found[key] = Unrun(variants, missing[key]) if variants and key in missing else None

    for name, one in derived.items():
        look(name, prepared.recipes[name].changes, one)
    listed = _overlays_with_scripts(made, prepared, derived, nothing)
    first = [several[0] for several in listed]
    for (name, overlay), outcome in _packages(prepared, trials, first):
        look(name, overlay.changes, outcome)
    rest = [
        one
        for several in listed
        for one in several[1:]
        if any(found.get(key) is not None for key in watched(one[1].changes))
    ]
    for (name, overlay), outcome in _packages(prepared, trials, rest):
        look(name, overlay.changes, outcome)
    return (one for one in found.values() if one is not None)


def _overlays_with_scripts(
    made: Compilation, prepared: Prepared, names: Iterable[str], nothing: Collection[Span]
) -> list[list[tuple[str, ir.Overlay]]]:
    """The overlays for one package with a setting or script that its build may not use, each with
    the variants of *names* that list it."""
    off = _switched_off(made)
    kinds = [kind for kind, warning in _OF_KIND.items() if warning not in off]
    listed: dict[Span, list[tuple[str, ir.Overlay]]] = {}
    for name in names:
        for overlay in prepared.recipes[name].overlays:
            if overlay.relation != "for" or overlay.declared in nothing:
                continue
            if any(kind in kinds for kind, _, _ in watched(overlay.changes)):
                listed.setdefault(overlay.declared, []).append((name, overlay))
    return list(listed.values())


def _packages(
    prepared: Prepared, trials: Trials, asked: Sequence[tuple[str, ir.Overlay]]
) -> Iterator[tuple[tuple[str, ir.Overlay], Outcome | None]]:
    """The outcome of each package that an overlay changes, in one variant."""
    packages = [
        (name, of_package(prepared.recipes[name], overlay.target)) for name, overlay in asked
    ]
    return zip(asked, trials.packages(packages, attributes=None), strict=True)


def _unnamed(
    made: Compilation, prepared: Prepared, derived: dict[str, Derived]
) -> Iterator[tuple[object, Unnamed]]:
    """The names and versions that are not in the names of derivations, except those that a lint
    reports without Nix."""
    reported = {
        label.span
        for one in made.diagnostics
        if one.code == LINTS["name-unreached"]
        for label in one.labels
    }
    for name, one in derived.items():
        for setting in unnamed(prepared.recipes[name], one):
            span = setting.origin.span
            if span not in reported:
                version = one.attributes["version"] if setting.key == "name" else ""
                yield span, Unnamed((name,), setting.key, span, one.name, version)


def _unfit(
    prepared: Prepared, derived: dict[str, Derived], trials: Trials
) -> Iterator[Misfit]:
    """The sources that do not fit the packages which get them, each once; the package of an overlay
    is checked in the first variant that lists it."""
    own: dict[Unfit, list[str]] = {}
    asked: dict[Replaced, list[str]] = {}
    for name, one in derived.items():
        for source in replaced_by(prepared.recipes[name]):
            if source.path:
                asked.setdefault(source, []).append(name)
                continue
            found = unfit(source, one)
            if found is not None:
                own.setdefault(found, []).append(name)
    for found, names in own.items():
        yield Misfit(tuple(names), found)
    packages = [
        (names[0], of_package(prepared.recipes[names[0]], source.path))
        for source, names in asked.items()
    ]
    for (source, names), outcome in zip(asked.items(), trials.packages(packages), strict=True):
        found = unfit(source, outcome) if isinstance(outcome, Derived) else None
        if found is not None:
            yield Misfit(tuple(names), found)


def _fakes(
    prepared: Prepared, trials: Trials, fakes: dict[str, tuple[Fetched, ...]]
) -> Iterator[Fake]:
    """Sources with a fake hash, at the lines of the settings that fetch them."""
    variants: dict[Fetched, list[str]] = {}
    for name in prepared.recipes:
        for fetched in dict.fromkeys(fakes.get(name, ())):
            variants.setdefault(fetched, []).append(name)
    for fetched, several in variants.items():

        def has_it(name: str, recipe: ir.Recipe, fetched: Fetched = fetched) -> bool:
            return fetched in trials.fakes(name, recipe)

        for names, part in trials.blamed(several, has_it):
            package = prepared.recipes[names[0]].package.origin.span
            yield Fake(names, part.span if part is not None else package, fetched)


def _read_in_parts(
    made: Compilation,
    prepared: Prepared,
    run: Callable[[Sequence[Sequence[Job]], Callable[[str], object]], dict[str, Outcome]],
    outcomes: dict[str, Outcome],
) -> dict[str, NixLines]:
    """Nix reads a file as a whole, so a syntax error in one variant, or in code that some share,
    refuses all. Leave out such variants, and those that need them, until Nix can read the rest, and
    correct the *outcomes* of the rest. After some rounds, the rest is not evaluated. The result has
    for each variant left out the map of the file in which Nix refused it."""
    lines = NixLines(made, prepared)
    maps = dict.fromkeys(prepared.recipes, lines)
    rest = prepared
    for number in count(1):
        refused = [outcomes.get(name) for name in rest.recipes]
        first = next((o for o in refused if isinstance(o, RefusedByNix) and o.whole), None)
        if first is None:
            return maps
        told = fault_in(first.text)
        at = [place for place in told.places if place.file == rest.printed]
        owners = lines.of_line(told, at[0].line, rest.needed) if at else set()
        if not owners:
            return maps
        gone = {
            name
            for name, recipe in rest.recipes.items()
            if name in owners or not owners.isdisjoint(needs(recipe, rest.needed))
        }
        left = [one for one in made.variants if one.name in rest.recipes and one.name not in gone]
        if not left:
            return maps
        if number > _MOST_ROUNDS:
            outcomes |= {one.name: RefusedByNix(_NOT_READ, lost=True) for one in left}
            return maps
        rest = prepare(made, left, prepared.folder, f"variants-{number}.nix", moved=prepared.moved)
        lines = NixLines(made, rest)
        maps |= dict.fromkeys(rest.recipes, lines)
        outcomes |= run(rest.groups, str)
    return maps


def _faults(
    prepared: Prepared, outcomes: dict[str, Outcome], lines: dict[str, NixLines]
) -> Iterator[tuple[object, Fault]]:
    """The errors, with one key for the same error at one place; *lines* has the map of each
    variant's file."""
    for name, recipe in prepared.recipes.items():
        outcome = outcomes.get(name)
        if outcome is None or isinstance(outcome, Derived):
            continue
        if outcome.lost:
            fault = Fault((name,), recipe.package.origin.span, (outcome.text,), lost=True)
        else:
            told = fault_in(outcome.text)
            place = told.places[0] if told.places else None
            beside = place is None or place.file.startswith(f"{prepared.within}/")
            where = "" if beside or place is None else f"{place.file}:{place.line}"
            others = tuple(needs(recipe, prepared.needed).values())
            sure = lines[name].named(told, recipe, others) is not None
            span = lines[name].span_of(told, recipe, others)
            fault = Fault((name,), span, _words(told), where, sure=sure or outcome.whole)
        words = tuple([line.replace(name, "") for line in fault.words])
        yield (fault.span, words, fault.lost), fault


def _hidden(
    prepared: Prepared, derived: dict[str, Derived]
) -> Iterator[tuple[object, Hidden]]:
    for name, one in derived.items():
        for missing in not_shown(prepared.recipes[name], one):
            key = (missing.kind, missing.name, missing.value, missing.span)
            yield key, Hidden((name,), missing)


def _idle(prepared: Prepared, asked: Sequence[Asked]) -> Iterator[Idle]:
    """The overlays without which variants are the same."""
    for one in asked:
        listed = prepared.recipes[one.idle[0]].overlays
        overlay = next(overlay for overlay in listed if overlay.declared == one.part.declared)
        idle = set(one.idle)
        names = tuple([name for name in one.variants if name in idle])
        yield Idle(names, overlay, len(one.variants) - len(names))
