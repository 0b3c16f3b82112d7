"""`tvarc jobs`: the variants that other systems build, from which output, and with `--eval` their
derivations."""

from __future__ import annotations

import os
import posixpath

from tvarc.build.assembly.together import system_of
from tvarc.build.diff.contents import NamedFiles, holds
from tvarc.build.diff.programs import compare_programs
from tvarc.build.diff.states import State, open_state
from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.commands.evaluation.evaluate import evaluated
from tvarc.commands.evaluation.text import report_evaluation
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.programs.selecting import may_be_evaluated
from tvarc.doing import Doing, each
from tvarc.farm.ci.files import entries_of
from tvarc.farm.ci.github import matrix_of
from tvarc.farm.ci.lines import Jobs, job_lines, jobs_of
from tvarc.farm.ledger import known_to
from tvarc.light import Callable, Final, Iterator, Mapping, Sequence, dataclass, replace, suppress
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.nix import ir
from tvarc.nix.judge.named_files import reads_elsewhere
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.diagnostics.words import counted_long
from tvarc.text.source import UnreadableSource
from tvarc.values.plain import json_text

_NIX_TEXT: Final = 'nix"'
"""The beginning of any text in Nix."""


@in_session
def command(session: Session, given: Arguments) -> int:
    """Print the jobs of the selected variants; the exit code."""
    file, selectors = given.program_and_words()
    if given.flag("eval") and given.text("form") == "github":
        raise Misused("a matrix has no derivations: it works only with --as lines", "--eval")
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
    if given.flag("missing"):
        results = known_to(made)
        variants = [one for one in variants if not results.standing(one).is_good]
        session.stop_on_errors()
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
        text = json_text(matrix_of(entries_of(made, output, variants, jobs)), indent=None)
    session.end_on_errors()
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
        may_be_evaluated(made, variants)
        session.stop_on_errors()
        with Doing("evaluating", len(variants), "variants") as progress:
            found = judged(made, variants, jobs, session.sink, progress)
        if found is None:
            session.finish(exits.UNJUDGED)
        jobs, derivations = found.jobs, found.derivations
    session.show()
    for line in job_lines(jobs, derivations):
        session.console.data(line)
    return exits.FAILED if session.sink.has_errors else exits.OK


@dataclass(frozen=True, slots=True)
class Changed:
    """The variants that changed since another state. If that state cannot be compared, these are
    all variants, and `why_all` is a clause with the reason."""

    variants: Sequence[Variant]
    why_all: str = ""


def changed_since(
    made: Compilation,
    variants: Sequence[Variant],
    against: str,
    sink: Sink,
    output: hir.OutputDef | None = None,
) -> Changed | None:
    """The *variants* that changed since the state *against*: new ones, those that differ or need
    one that differs, and those that *output* left out in that state, so that they were never built.
    None after reporting that the state does not exist."""
    state = open_state(made, against, sink)
    if state is None:
        return None
    if state.made.expansion is None or state.made.sink.has_errors:
        return Changed(variants, f"the program does not exist or has errors in `{against}`")
    found = compare_programs(state.made, made, state.made.variants, made.variants)
    if made.sink.has_errors:
        return None
    if found is None:
        return Changed(variants, f"the program has errors in `{against}`")
    names = {
        *found.changed,
        *found.added.variants,
        *(one.after for one in found.renamed),
        *(name for name, _ in found.through),
        *_with_other_files(made, state),
        *_left_out_there(state, output),
    }
    if made.is_stacked:
        names |= made.stack.needing(names, made.variants).keys()
    return Changed([one for one in variants if one.name in names])


def _left_out_there(state: State, output: hir.OutputDef | None) -> Iterator[str]:
    """The variants of *state* that the output of the same name leaves out there."""
    others = state.made.program.jobs if output is not None else ()
    for other in others:
        if output is None or (other.name, other.form) != (output.name, output.form):
            continue
        if "only" in dict(other.fields):
            with suppress(Failed):
                jobs = jobs_of(state.made, state.made.variants, other).jobs
                built = {job.variant for job in jobs}
                yield from (one.name for one in state.made.variants if one.name not in built)


def _with_other_files(made: Compilation, state: State) -> Iterator[str]:
    """The variants whose named files have other contents than in *state*: their recipes only name
    the files, and are the same."""
    own = (source.text for source in made.sources if not source.file.startswith("std/"))
    if not made.named and not any(_NIX_TEXT in text for text in own):
        return  # then no recipe has to be decided
    files = ChangedFiles(state, posixpath.dirname(made.file))
    for variant in each("compiling", made.variants, len(made.variants), "variants"):
        recipe = made.recipe(variant)
        if recipe is not None and files.reached_by(recipe):
            yield variant.name


def output_named(
    made: Compilation, name: str | None, form: hir.OutputForm, sink: Sink
) -> hir.OutputDef | None:
    """The output *name* of this form, by default the first; None if there is none. A name without
    an output is reported."""
    known = {one.name: one for one in made.program.jobs if one.form == form}
    if name is None:
        return next(iter(known.values()), None)
    if name not in known:
        told = "there is no output of that form"
        if known:
            told = f"outputs of that form: {', '.join(known)}"
        near = guess(name, known)
        sink.report(msg.selection.NO_OUTPUT, name=name, form=form, known=told, guess=near)
    return known.get(name)


@dataclass(frozen=True, slots=True)
class Judged:
    """*jobs* as Nix evaluates them, and the derivations by variant and system."""

    jobs: Jobs
    derivations: dict[tuple[str, str], str]


def judged(
    made: Compilation,
    variants: Sequence[Variant],
    jobs: Jobs,
    sink: Sink,
    note: Callable[[int], object],
) -> Judged | None:
    """The results of Nix for *jobs*, which belong to *variants*; None after reporting that Nix
    cannot run. Refused variants are reported."""
    wanted = {job.variant for job in jobs.jobs}
    chosen = [one for one in variants if one.name in wanted]
    found = evaluated(made, chosen, None, sink, note)
    if found is None:
        return None
    report_evaluation(found, sink)
    systems: dict[str, str] = {}
    for variant in chosen:
        recipe = made.recipe(variant)
        if recipe is not None:
            systems[variant.name] = system_of(recipe)
    named = tuple([replace(job, system=job.system or systems[job.variant]) for job in jobs.jobs])
    return Judged(
        Jobs(jobs.built, named),
        {(name, systems[name]): path for name, path in found.derivations.items()},
    )


# --- what has changed since -------------------------------------------------------------------


class ChangedFiles:
    """The files that recipes of a program reach, compared with those of *state*. A build writes the
    recipes below the folder *base*. A file that several recipes name is read once.
    """

    __slots__ = ("_changed", "_named", "_state")

    def __init__(self, state: State, base: str) -> None:
        self._state = state
        self._named = NamedFiles(base)
        self._changed: dict[str, bool] = {}

    def reached_by(self, recipe: ir.Recipe) -> bool:
        """Whether one of the files of *recipe* is changed, or may have changed."""
        if reads_elsewhere(recipe) and self._state.is_commit:
            return True
        # If all files that are reached are unchanged, the other state reaches the same files.
        return any(
            self._differs(file) or (elsewhere and self._state.is_commit)
            for file, elsewhere in self._named.reached(recipe)
        )

    def _differs(self, file: str) -> bool:
        known = self._changed.get(file)
        if known is None:
            known = self._changed[file] = self._is_other(file)
        return known

    def _is_other(self, file: str) -> bool:
        try:
            wanted = self._state.contents(file)
        except UnreadableSource as fault:
            # A recipe may also name a file that is in neither state.
            return os.path.lexists(file) or not fault.missing
        try:
            return not holds(file, file, wanted)
        except UnreadableSource:
            return True
