"""Recipes that a person wrote or edited where those of variants go: whether they build the same."""

# ruff: noqa: PTH100, PTH113, PTH118
# pathlib costs too much at start.
from __future__ import annotations

import os
import re

from tvarc.build.assembly.together import system_of
from tvarc.build.driver import Compilation
from tvarc.commands.audit.files import Output
from tvarc.commands.evaluation.evaluate import derivations, reasons
from tvarc.commands.evaluation.files import Prepared, judged, needs
from tvarc.doing import Doing
from tvarc.files.disk import read_plain
from tvarc.files.output.header import Ownership, inspect_bytes
from tvarc.light import (
    Final,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
    assert_never,
    dataclass,
    replace,
)
from tvarc.matrix.variants import Variant
from tvarc.nix.ir import Path
from tvarc.nix.judge.equivalence import Equivalence, equivalence
from tvarc.nix.judge.evaluate import (
    Caller,
    Derived,
    Evaluators,
    Job,
    Outcome,
    RefusedByNix,
    chunks,
)
from tvarc.nix.judge.faults import NixPlace, fault_in
from tvarc.nix.judge.model import Evaluation, Fault
from tvarc.nix.judge.nix import as_text
from tvarc.nix.lower.lower import stem_of
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Source, Span, UnreadableSource

Refused = tuple[tuple[Source, Fault], ...]

_LARGEST: Final = 16 << 20
_CALLERS: Final[tuple[Caller, ...]] = ("top", "cross", "marker")
_MODULES: Final = "python3Packages"
_LACKS: Final = "called without required argument"
_WORD: Final = re.compile(r"[\w'-]+|.")


@dataclass(frozen=True, slots=True)
class ByHand:
    """A file with the path of a variant's recipe: its path for messages, its path on disk, and its
    source under the name that a person gave; or why it cannot be read. `beside` are the files of
    all recipes by their names, if they are not in the places of their variants."""

    path: str
    file: str
    variant: Variant
    source: Source
    unread: str = ""
    beside: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class ComparedByHand:
    """The comparison of files with their variants, and the results of Nix for the variants.
    `refused` are the files that Nix refuses, each with the reason."""

    files: tuple[Equivalence, ...]
    variants: Evaluation
    refused: Refused


def in_outputs(outputs: Iterable[Output]) -> Iterator[ByHand]:
    """The hand-written files in the folders of *outputs*."""
    for output in outputs:
        for cell, variant in output.cells:
            yield from _looked_at(os.path.join(output.folder, cell.path), cell.path, variant)


def in_build(made: Compilation, variants: Sequence[Variant], root: str) -> Iterator[ByHand]:
    """The hand-written files that have the paths of the recipes of *variants* in a build below
    *root*."""
    for variant in variants:
        recipe = made.recipe(variant)
        for _, path in recipe.files if recipe is not None else ():
            yield from _looked_at(os.path.join(root, path), path, variant)


def in_folder(
    made: Compilation, folder: str, files: Sequence[str], names: Sequence[str]
) -> Iterator[ByHand]:
    """The *files* of a *folder*, whoever wrote them, each with the variant of its name."""
    of_name = {one.name: one for one in made.variants}
    placed = {
        name: os.path.abspath(os.path.join(folder, path))
        for path, name in zip(files, names, strict=True)
    }
    for path, name in zip(files, names, strict=True):
        if name in of_name:
            file = os.path.join(folder, path)
            for one in _looked_at(file, path, of_name[name], ours=True):
                yield replace(one, beside=placed)


def _looked_at(file: str, path: str, variant: Variant, *, ours: bool = False) -> Iterator[ByHand]:
    """The recipe in *file*, unless tvarc wrote it; with *ours* that too."""
    if os.path.isfile(file):
        try:
            data = read_plain(file, file, _LARGEST)
        except (OSError, UnreadableSource) as fault:
            reason = fault.reason if isinstance(fault, UnreadableSource) else fault.strerror
            yield ByHand(path, os.path.abspath(file), variant, Source(file, ""), f"{reason}")
            return
        if data.strip(b"\0") and (ours or inspect_bytes(data) is not Ownership.OURS):
            source = Source(file, data.decode("utf-8", "replace"))
            yield ByHand(path, os.path.abspath(file), variant, source)


def compared_by_nix(
    made: Compilation, files: Sequence[ByHand], sink: Sink
) -> ComparedByHand | None:
    """The comparison of each of *files* with its variant; None after reporting that Nix cannot run.
    The derivations are written to the store, so that differences can be found. If Nix refuses a
    file or a variant, the others are still compared. Files that are equal at the top level are
    compared from the other callers of nixpkgs, too. A file that takes an argument which the top
    level lacks is compared from the Python modules of nixpkgs if these have it.
    """
    readable = [one for one in files if not one.unread]
    names = {one.variant.name for one in readable}
    variants = [one for one in made.variants if one.name in names]

    def ask(
        prepared: Prepared,
    ) -> tuple[dict[str, Outcome], Evaluation, Refused, dict[str, Path]]:
        recipes = prepared.recipes
        with Doing("evaluating", len(prepared.recipes), "recipes") as step:
            derived, found = derivations(made, prepared, 1, step, attributes=(), writes=True)
        jobs = {_name(one): _job(one, prepared) for one in readable}
        outcomes = Evaluators(prepared.folder, 1, writes=True).run(chunks([[*jobs.values()]], 1))
        without = {name: RefusedByNix(why, lost=True) for name, why in reasons(found).items()}
        known = {**without, **derived, **outcomes}
        elsewhere = [
            job for one in readable for job in _elsewhere(one, jobs[_name(one)], known, prepared)
        ]
        others = Evaluators(prepared.folder, 1, writes=True, tries=True)
        known |= others.run(chunks([elsewhere], 1))
        refused = tuple(
            (one.source, _fault(one, outcome, prepared))
            for one in readable
            if isinstance(outcome := outcomes.get(_name(one)), RefusedByNix)
            and not _is_member(_name(one), known)
        )
        faults = [
            replace(fault, variants=variants)
            for fault in found.faults
            if (variants := tuple([one for one in fault.variants if not _is_member(one, known)]))
        ]
        found = replace(found, faults=tuple(faults))
        return known, found, refused, {name: one.scope_path for name, one in recipes.items()}

    # The written derivations are compared: both fetch their inputs.
    wants = "comparing the derivations of recipes"
    help_ = "install Nix: only Nix can compare derivations"
    known = judged(made, variants, ask, sink, wants, help_)
    if known is None:
        return None
    outcomes, found, refused, scopes = known
    compared = tuple([_compared(one, outcomes, scopes.get(one.variant.name, ())) for one in files])
    return ComparedByHand(compared, found, refused)


def _job(one: ByHand, prepared: Prepared) -> Job:
    """The evaluation of the file of *one* at the top level."""
    recipe = prepared.recipes[one.variant.name]
    beside = tuple(_beside(one, prepared))
    system, scope = system_of(recipe), recipe.scope_path
    return Job(_name(one), one.file, system, None, "foreign", beside, scope)


def _is_member(name: str, outcomes: Mapping[str, Outcome]) -> bool:
    """Whether Nix evaluates the job *name* as a Python module."""
    return isinstance(outcomes.get(_from("top", name)), Derived)


def _elsewhere(
    one: ByHand, job: Job, outcomes: Mapping[str, Outcome], prepared: Prepared
) -> Iterator[Job]:
    """The evaluations of *one* and of its variant from the other callers, or from all callers as a
    Python module: *job* evaluates it at the top level. With a pin, a recipe takes no more than the
    system from its caller."""
    name = one.variant.name
    outcome, made = outcomes.get(_name(one)), outcomes.get(name)
    if prepared.recipes[name].pin is not None:
        return
    callers = _CALLERS[1:]
    if isinstance(outcome, RefusedByNix) and _LACKS in outcome.text and not job.scope:
        job, callers = replace(job, members=_MODULES), _CALLERS
    elif not (
        isinstance(outcome, Derived) and isinstance(made, Derived) and outcome.path == made.path
    ):
        return
    variant = replace(
        job, name=name, file=prepared.path, attribute=name, kind="called", siblings=()
    )
    for caller in callers:
        for each in (job, variant):
            yield replace(each, name=_from(caller, each.name), caller=caller, marks=one.file)


def _compared(one: ByHand, outcomes: Mapping[str, Outcome], scope: Path) -> Equivalence:
    """The comparison from each caller, until one of them shows a difference. Beside the top level,
    a file that Nix refuses from a caller is not compared from it."""
    variant = one.variant.name
    if one.unread:
        return Equivalence(one.path, variant, equal=False, unknown=f"the file: {one.unread}")
    known = equivalence(one.path, variant, outcomes.get(_name(one)), outcomes.get(variant))
    if _is_member(_name(one), outcomes):
        scope, made = (_MODULES,), outcomes.get(_from("top", variant))
        known = equivalence(one.path, variant, outcomes.get(_from("top", _name(one))), made)
    callers = [_words("top", scope)]
    for caller in _CALLERS[1:]:
        by_hand = outcomes.get(_from(caller, _name(one)))
        if known.equal and isinstance(by_hand, Derived):
            made = outcomes.get(_from(caller, variant))
            known = equivalence(one.path, variant, by_hand, made)
            callers.append(_words(caller, scope))
    return replace(known, callers=tuple(callers))


def _words(caller: Caller, scope: Path) -> str:
    """From where *caller* calls a recipe of the package set *scope*, in words."""
    match caller:
        case "top":
            return f"in {'.'.join(scope)} of nixpkgs" if scope else "at the top level of nixpkgs"
        case "cross":
            return f"in {'.'.join(('pkgsCross', 'aarch64-multiplatform', *scope))} of nixpkgs"
        case "marker":
            within = f"{'.'.join(scope)}, and " if scope else ""
            return f"with {within}another package for each argument of the file"
        case _:
            assert_never(caller)


def _fault(one: ByHand, outcome: RefusedByNix, prepared: Prepared) -> Fault:
    """The error of Nix in the file of *one*: at the place that Nix reports, or at the place in the
    file that led there; if there is none, at the beginning."""
    variants, beginning = (one.variant.name,), Span(one.source.file, 0, 0)
    if outcome.lost:
        return Fault(variants, beginning, (outcome.text,), lost=True)
    told = fault_in(outcome.text)
    names = {as_text(one.file), as_text(os.path.realpath(one.file))}
    own = next((place for place in told.places if place.file in names), None)
    first = told.places[0] if told.places else None
    beside = first is None or first is own or first.file.startswith(f"{prepared.within}/")
    where = "" if beside or first is None else f"{first.file}:{first.line}"
    span = beginning if own is None else _span(one.source, own)
    return Fault(variants, span, told.words, where)


def _span(source: Source, place: NixPlace) -> Span:
    """The word at *place*, or the character. Nix counts the bytes of a line."""
    starts = source.line_starts()
    line = source.line(place.line) if place.line <= len(starts) else ""
    column = len(line.encode()[: place.column - 1].decode("utf-8", "ignore"))
    start = starts[min(place.line, len(starts)) - 1] + column
    found = _WORD.match(line, column)
    return Span(source.file, start, start + (found.end() - column if found else 0))


def _beside(one: ByHand, prepared: Prepared) -> Iterator[tuple[str, str]]:
    """The files of the needs of *one*'s variant, by their names as packages: an argument with such
    a name gets that file."""
    recipe = prepared.recipes[one.variant.name]
    if one.beside is not None:
        for other in needs(recipe, prepared.needed).values():
            name = stem_of(other.files[0][1])
            if name in one.beside:
                yield name, one.beside[name]
        return
    for output, path in recipe.files:
        if one.file.endswith(f"/{path}"):
            root = one.file.removesuffix(path)
            for other in needs(recipe, prepared.needed).values():
                file = dict(other.files)[output]
                if os.path.isfile(os.path.join(root, file)):
                    yield stem_of(file), os.path.join(root, file)
            return


def _name(one: ByHand) -> str:
    """The name of its job, which no variant has."""
    return f"file {as_text(one.file)}"


def _from(caller: Caller, name: str) -> str:
    """The name of the job *name* from another caller, or as a Python module."""
    return f"{caller} {name}"
