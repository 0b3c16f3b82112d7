"""Nix as the judge of a program: what becomes of its variants when Nix evaluates them, what of them
does not show, and which are one derivation."""

# ruff: noqa: PTH118
# pathlib costs too much at start.
from __future__ import annotations

import os
from collections import Counter
from itertools import count

from tvarc import ir
from tvarc.assembly.together import system_of, together
from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.warning_names import JUDGED
from tvarc.driver import Compilation
from tvarc.elaborate.checks import refuse_idle_silence
from tvarc.judge.evaluate import Derived, Evaluators, Job, Outcome, RefusedByNix, chunks
from tvarc.judge.faults import fault_in
from tvarc.judge.folder import in_lasting_folder
from tvarc.judge.machine import evaluators_here
from tvarc.judge.model import Evaluation, Fault, Hidden, Idle
from tvarc.judge.nix import put_file
from tvarc.judge.not_shown import not_shown
from tvarc.light import TYPE_CHECKING, Callable, Final, Iterator, Sequence, replace
from tvarc.matrix.variants import Variant
from tvarc.programs.evaluation_files import Prepared, judged, needs, prepare
from tvarc.programs.nix_lines import NixLines
from tvarc.source import Span

if TYPE_CHECKING:
    from tvarc.judge.eval_jobs import EvalJobs

_WITHOUT: Final = "without.nix"
_MOST_ROUNDS: Final = 6
"""Of finding out which variants keep Nix from reading the others."""
_HIDDEN, _IDLE, _SAME = JUDGED  # the warnings, by the names that switch them off
_UNREAD: Final = "Nix reads none of them before what it refuses of others is mended"


def evaluated(
    made: Compilation,
    variants: Sequence[Variant],
    side_by_side: int | None,
    sink: Sink,
    note: Callable[[int], object],
    *,
    checks: bool = False,
) -> Evaluation | None:
    """What Nix makes of *variants*, which have no errors; None after reporting that it cannot judge
    here. Of its evaluators so many run *side_by_side*, by default what is good for this machine;
    *note* is called with how many variants are known. Who *checks* may name checkouts of
    inputs, and is told of warnings that are switched off and do not occur."""

    def ask(prepared: Prepared) -> Evaluation:
        found = _evaluate(made, prepared, side_by_side or evaluators_here(), note)
        return _silenced(made, found, sink if checks else Sink())

    wants, help_ = "what variants evaluate to", "`tvarc check` alone needs no Nix"
    return judged(made, variants, ask, sink, wants, help_, checkouts=checks)


def instantiated(
    made: Compilation,
    variants: Sequence[Variant],
    attributes: Sequence[str],
    sink: Sink,
    note: Callable[[int], object],
) -> tuple[Evaluation, dict[str, Derived]] | None:
    """The derivations of *variants*, which have no errors, written to the store, with these
    *attributes* of each; and of the rest what Nix refuses. None and the rest as `evaluated`."""

    def ask(prepared: Prepared) -> tuple[Evaluation, dict[str, Derived]]:
        many = evaluators_here()
        first = _eval_jobs(many)
        derived, found = derivations(
            made, prepared, many, note, attributes=attributes, writes=True, first=first
        )
        return replace(found, without="" if first is None else first.ended), derived

    wants, help_ = "what variants evaluate to", "`tvarc build` alone needs no Nix"
    return judged(made, variants, ask, sink, wants, help_)


def commands(
    made: Compilation, variants: Sequence[Variant], side_by_side: int | None, sink: Sink
) -> tuple[str, list[tuple[list[str], list[str]]]] | None:
    """A new folder, which stays, and the commands that evaluate *variants* by what is in it; each
    with the variants that it is about. None after reporting that there is no such folder."""

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
    made: Compilation, prepared: Prepared, many: int, note: Callable[[int], object]
) -> Evaluation:
    derived, found = derivations(made, prepared, many, note)
    return replace(
        found,
        hidden=tuple(_hidden(prepared, derived)),
        idle=tuple(_idle(made, prepared, derived, many)),
        same=tuple(_same(derived)),
    )


def derivations(
    made: Compilation,
    prepared: Prepared,
    many: int,
    note: Callable[[int], object],
    *,
    attributes: Sequence[str] | None = None,
    writes: bool = False,
    first: EvalJobs | None = None,
) -> tuple[dict[str, Derived], Evaluation]:
    """What evaluators, so *many* side by side, make of each variant, and what they refuse. These
    *attributes* are asked for, all with None; with *writes* derivations are written to the store,
    by *first* as far as it can."""

    def run(groups: Sequence[Sequence[Job]], tell: Callable[[str], object]) -> dict[str, Outcome]:
        evaluators = Evaluators(
            prepared.folder, many, attributes=attributes, writes=writes, first=first
        )
        return evaluators.run(chunks(groups, many), tell)

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
        tuple(_faults(prepared, outcomes, lines)),
    )


def _eval_jobs(many: int) -> EvalJobs | None:
    """`nix-eval-jobs`, if it is here, with so *many* workers."""
    from tvarc.judge.eval_jobs import EvalJobs, installed

    return EvalJobs(many) if installed() else None


def reasons(found: Evaluation) -> dict[str, str]:
    """The variants without a derivation, each with why."""
    return {name: " ".join(one.words) for one in found.faults for name in one.variants}


def _silenced(made: Compilation, found: Evaluation, sink: Sink) -> Evaluation:
    """*found* without the warnings that the program switches off. One that does not occur is an
    error, where all variants could be evaluated."""
    assert made.resolution is not None
    program = made.resolution.program
    occurs = {_HIDDEN: found.hidden, _IDLE: found.idle, _SAME: found.same}
    whole = len(found.derivations) == len(made.variants)
    for off in program.warn_off:
        if whole and off.span.file == program.file and not occurs.get(off.name, True):
            refuse_idle_silence(off, sink)
    silenced = {off.name for off in program.warn_off}
    return replace(
        found,
        hidden=() if _HIDDEN in silenced else found.hidden,
        idle=() if _IDLE in silenced else found.idle,
        same=() if _SAME in silenced else found.same,
    )


def _same(derived: dict[str, Derived]) -> Iterator[tuple[str, ...]]:
    by_path: dict[str, list[str]] = {}
    for name, one in derived.items():
        by_path.setdefault(one.path, []).append(name)
    return (tuple(names) for names in by_path.values() if len(names) > 1)


def _read_in_parts(
    made: Compilation,
    prepared: Prepared,
    run: Callable[[Sequence[Sequence[Job]], Callable[[str], object]], dict[str, Outcome]],
    outcomes: dict[str, Outcome],
) -> dict[str, NixLines]:
    """Nix reads a file as a whole, so that what is no Nix in one variant, or in what some share,
    refuses all: these are left out, with those that need them, until Nix can read the rest, of
    which the *outcomes* are put right; after some rounds the rest is not evaluated. By the name of
    each variant, the map of the file in which it was refused."""
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
            outcomes |= {one.name: RefusedByNix(_UNREAD, lost=True) for one in left}
            return maps
        rest = prepare(made, left, prepared.folder, f"variants-{number}.nix", moved=prepared.moved)
        lines = NixLines(made, rest)
        maps |= dict.fromkeys(rest.recipes, lines)
        outcomes |= run(rest.groups, str)
    return maps


def _faults(
    prepared: Prepared, outcomes: dict[str, Outcome], lines: dict[str, NixLines]
) -> Iterator[Fault]:
    """What is wrong, each once for all variants of which Nix says the same at one place; *lines*
    has for each the map of its file."""
    found: dict[object, Fault] = {}
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
            others = needs(recipe, prepared.needed).values()
            fault = Fault((name,), lines[name].span_of(told, recipe, others), told.words, where)
        key = (fault.span, tuple([line.replace(name, "") for line in fault.words]), fault.lost)
        first = found.get(key)
        found[key] = fault if first is None else replace(first, variants=(*first.variants, name))
    return iter(found.values())


def _hidden(prepared: Prepared, derived: dict[str, Derived]) -> Iterator[Hidden]:
    found: dict[object, Hidden] = {}
    for name, one in derived.items():
        for missing in not_shown(prepared.recipes[name], one):
            key = (missing.kind, missing.name, missing.value, missing.span)
            first = found.get(key)
            names = (name,) if first is None else (*first.variants, name)
            found[key] = Hidden(names, missing if first is None else first.found)
    return iter(found.values())


def _idle(
    made: Compilation, prepared: Prepared, derived: dict[str, Derived], side_by_side: int
) -> Iterator[Idle]:
    """The overlays without which variants are the same. Where one of those that share a nixpkgs is
    another without it, the overlay is taken to do something for all of them."""
    asked = [
        (overlay, [name for name in names if name in derived])
        for overlay, names in prepared.overlays
    ]
    first = _without(made, prepared, [(o, n[:1]) for o, n in asked if n], derived, side_by_side)
    again = [(o, n[1:]) for o, n in asked if n and (id(o), n[0]) in first]
    more = _without(made, prepared, [(o, n) for o, n in again if n], derived, side_by_side)
    found: dict[Span, Idle] = {}
    for overlay, names in asked:
        same = tuple([name for name in names if (id(overlay), name) in first | more])
        if same:
            known = found.setdefault(overlay.declared, Idle((), overlay))
            found[overlay.declared] = replace(known, variants=(*known.variants, *same))
    listing = Counter(overlay.declared for overlay, names in asked for _ in names)
    for span, one in found.items():
        yield replace(one, others=listing[span] - len(one.variants))


def _without(
    made: Compilation,
    prepared: Prepared,
    asked: Sequence[tuple[ir.Overlay, Sequence[str]]],
    derived: dict[str, Derived],
    side_by_side: int,
) -> set[tuple[int, str]]:
    """The pairs of an overlay, by its id, and a variant that is the same without it."""
    recipes: list[ir.Recipe] = []
    beside: dict[str, ir.Recipe] = {}  # what they need of others
    meant: dict[str, tuple[int, str]] = {}
    for overlay, names in asked:
        for name in names:
            recipe = prepared.recipes[name]
            others = tuple([one for one in recipe.overlays if one.declared != overlay.declared])
            alone = f"without {len(meant)}"  # which no variant is called
            recipes.append(replace(recipe, variant=alone, overlays=others))
            beside |= needs(recipe, prepared.needed)
            meant[alone] = (id(overlay), name)
    if not recipes:
        return set()
    whole = together([*recipes, *beside.values()], prepared.source, made.file)
    path = os.path.join(prepared.folder, _WITHOUT)
    put_file(path, whole.text.encode())
    kind: Final = "called" if whole.called else "alone"
    groups = [
        [
            Job(name, path, system_of(prepared.recipes[meant[name][1]]), name, kind)
            for name in names
            if name in meant
        ]
        for names in whole.groups
    ]
    outcomes = Evaluators(prepared.folder, side_by_side).run(chunks(groups, side_by_side))
    return {
        pair
        for alone, pair in meant.items()
        if isinstance(outcome := outcomes.get(alone), Derived)
        and outcome.path == derived[pair[1]].path
    }
