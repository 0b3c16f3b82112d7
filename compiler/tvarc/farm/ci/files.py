"""The files that other systems read: one for each output, as text, and their faults; and the fields
of a workflow: runners, the place of tvarc, and own steps."""

from __future__ import annotations

import posixpath
import re

from tvarc.build import messages as build_msg
from tvarc.build.driver import Compilation
from tvarc.build.manifest.wanted import package_of
from tvarc.farm import messages as msg
from tvarc.farm.ci.by_ledger import BUILD_ID, by_ledger
from tvarc.farm.ci.github import (
    FORMS,
    MOST_OUTPUT,
    MOVES,
    RUNNERS,
    USUAL,
    WORKFLOWS,
    Entry,
    Plan,
    matrix_of,
    output_size,
    reference,
    workflow,
)
from tvarc.farm.ci.lines import Job, Jobs, jobs_of, sealed_lines
from tvarc.farm.ci.publishing import publishing_of
from tvarc.farm.yaml import Yaml, print_yaml
from tvarc.files.output.header import OutputFile, json_seal, sealed_json, sealing
from tvarc.light import TYPE_CHECKING, Final, Iterator, Literal, Mapping, Sequence, dataclass
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.nix.language.printer import print_comment
from tvarc.nix.language.quoting import comment_line
from tvarc.nix.lower.lower import CHANGE_THE_PROGRAM
from tvarc.text.diagnostics.model import Failed, Sink, filled
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.paths import fault_of_file, folded
from tvarc.text.source import Span
from tvarc.values.plain import json_text
from tvarc.values.value import Record, Value, Version, type_name

if TYPE_CHECKING:
    from tvarc.text.diagnostics.message import Message, Text


_LABEL: Final = re.compile(r"[A-Za-z0-9_.:/@=-][A-Za-z0-9_.:/@= -]*")


def entries_of(
    made: Compilation, output: hir.OutputDef | None, variants: Sequence[Variant], jobs: Jobs
) -> list[Entry]:
    """*jobs* of *variants* with the labels of their runners according to *output*. Raises
    Failed."""
    expr = dict(output.fields).get("runners") if output is not None else None
    by_name = {variant.name: variant for variant in variants}
    flox = output is not None and publishing_of(made, output).flox
    found: list[Entry] = []
    for job in jobs.jobs:
        own = _runners(made, expr, by_name[job.variant]) if expr is not None else {}
        runner = _runner(job, own)
        if runner is None:
            raise made.sink.refuse(
                msg.workflows.NO_RUNNER,
                output.span if output is not None else None,
                system=job.system,
                variant=job.variant,
                known=", ".join(RUNNERS),
            )
        package = ""
        if flox:
            package = package_of(made, made.elaboration.deciding(by_name[job.variant]))
        found.append(Entry(job, runner, package))
    return found


def _runner(job: Job, own: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """The labels of the runner for *job*: by a required feature, or by its system."""
    by_feature = (own[one] for one in job.features if one in own)
    system = job.system or USUAL
    return next(by_feature, None) or own.get(system) or RUNNERS.get(system)


def _runners(made: Compilation, expr: hir.Expr, variant: Variant) -> Mapping[str, tuple[str, ...]]:
    """The value of *expr* for *variant*: labels by system or feature. Raises Failed."""
    value = made.elaboration.deciding(variant).evaluator().value(expr)
    wrong = "" if isinstance(value, Record) else f"this is {type_name(value)}"
    found: dict[str, tuple[str, ...]] = {}
    for key, labels in value if isinstance(value, Record) else ():
        several = labels if isinstance(labels, tuple) else (labels,)
        texts = tuple([one for one in several if isinstance(one, str) and _LABEL.fullmatch(one)])
        if not texts or len(texts) != len(several):
            wrong = f"`{key}` has no label of a runner"
        found[key] = texts
    if wrong:
        raise made.sink.refuse(
            msg.workflows.BAD_RUNNERS, expr.span, wrong=wrong, variant=variant.name
        )
    return found

_DOES: Final = ("uses", "run")
_KEYS: Final = (
    "name", "id", "if", *_DOES, "with", "env", "shell", "working-directory", "continue-on-error",
    "timeout-minutes",
)  # fmt: skip
"""The keys of a step: those of GitHub's syntax for workflows."""
_NESTED: Final = ("with", "env")
_EXPRESSION: Final = "${{"


def demand_reference(made: Compilation, output: hir.OutputDef) -> str:
    """The place from which the workflow of *output* gets tvarc. Raises Failed after reporting that
    there is none."""
    expr = dict(output.fields).get("tvarc")
    value = expr.value if isinstance(expr, hir.Const) else None
    found = reference(value) if isinstance(value, str) else None
    if found is not None:
        return found
    if expr is None:
        raise made.sink.refuse(
            msg.workflows.NO_REFERENCE, output.span, output=output.name, forms=FORMS
        )
    raise made.sink.refuse(
        msg.workflows.BAD_REFERENCE, expr.span, output=output.name, moves=MOVES, forms=FORMS
    )


def steps_of(
    made: Compilation, output: hir.OutputDef, key: Literal["before", "after"], ids: set[str]
) -> tuple[Yaml, ...]:
    """The steps that *output* has before or after each build. *ids* are those of other steps of the
    job; new ids are added. Raises Failed after reporting."""
    expr = dict(output.fields).get(key)
    if expr is None or not made.variants:
        return ()
    value = made.elaboration.deciding(made.variants[0]).evaluator().value(expr)
    steps = _Steps(key, expr.span, made.sink, ids)
    if not isinstance(value, tuple):
        raise steps.refused(msg.workflows.NO_STEPS, kind=type_name(value))
    return tuple([steps.step(one) for one in value])


@dataclass(frozen=True, slots=True)
class _Steps:
    """The steps of the list *key* at *span*. *ids* are those of all previous steps of the job."""

    key: str
    span: Span
    sink: Sink
    ids: set[str]

    def step(self, step: Value) -> Yaml:
        """*step* for the workflow. Raises Failed after reporting that GitHub would not accept
        it."""
        if not isinstance(step, Record):
            raise self.refused(msg.workflows.STEP_NO_RECORD, kind=type_name(step))
        given = dict(step.entries)
        for name, value in step:
            if name not in _KEYS:
                near = guess(name, _KEYS)
                raise self.refused(msg.workflows.UNKNOWN_KEY, name=name, guess=near)
            if name in _NESTED and isinstance(value, Record):
                texts = [one for _, one in value]
            elif name in _NESTED:
                raise self.refused(msg.workflows.VALUE_NO_RECORD, name=name)
            else:
                texts = [value]
            if not all(isinstance(one, str | int | Version) for one in texts):
                raise self.refused(msg.workflows.VALUE_NO_STRING, name=name)
        if sum(name in given for name in _DOES) != 1:
            raise self.refused(msg.workflows.STEP_WITHOUT_WORK)
        self._demand_values(given)
        return _yaml(step)

    def _demand_values(self, given: dict[str, Value]) -> None:
        """Refuse values for which GitHub would refuse the whole workflow after a push."""
        name = given.get("id")
        if name is not None:
            if not isinstance(name, str) or not _is_id(name):
                raise self.refused(msg.workflows.BAD_ID)
            if name in self.ids:
                raise self.refused(msg.workflows.SAME_ID, name=name)
            self.ids.add(name)
        minutes, goes_on = given.get("timeout-minutes", 1), given.get("continue-on-error", True)
        if isinstance(minutes, bool) or (isinstance(minutes, str) and _EXPRESSION not in minutes):
            raise self.refused(msg.workflows.BAD_TIMEOUT)
        if not isinstance(goes_on, bool) and not (
            isinstance(goes_on, str) and _EXPRESSION in goes_on
        ):
            raise self.refused(msg.workflows.BAD_CONTINUE)

    def refused(self, message: Message, **fields: Text) -> Failed:
        """Report *message*; the exception to raise."""
        self.sink.add(filled(message, self.span, {"key": self.key, **fields}))
        return Failed()


def _is_id(name: str) -> bool:
    rest = name.replace("-", "a").replace("_", "a")
    return name.isascii() and rest.isalnum() and not name[0].isdigit() and name[0] != "-"


def _yaml(value: Value) -> Yaml:
    match value:
        case Record():
            return {key: _yaml(one) for key, one in value}
        case Version():
            return value.text
        case str() | int():
            return value
        case _:
            raise AssertionError(value)


def workflows_of(made: Compilation) -> list[hir.OutputDef]:
    """The outputs of the program that are workflows of GitHub."""
    return [one for one in made.program.jobs if one.form == "github"]


def files_of(made: Compilation, program: str = "", source: str = "") -> list[OutputFile]:
    """The files of all outputs of the program for other systems. A workflow calls the program
    *program*. *source* is the path of its file from the output folder. Both are the name of the
    file by default. If there are faults, they are reported and no file is returned.
    """
    before = len(made.sink)
    sets = made.program.collections
    taken = {folded(one.one_file): (one, one.file) for one in sets}
    found: list[OutputFile] = []
    for output in made.program.jobs:
        faults = len(made.sink)
        for key, expr, path in _paths(output):
            _refuse_file(made, output, key, expr, path)
            first = taken.setdefault(folded(path), (output, expr))
            if first[1] is not expr:
                _refuse_shared(made, output, expr, path, first)
        if len(made.sink) == faults:
            try:
                name = posixpath.basename(made.file)
                found += _files(made, output, program or name, source or name)
            except Failed:
                continue
    return found if len(made.sink) == before else []


def _paths(output: hir.OutputDef) -> Iterator[tuple[str, hir.Expr, str]]:
    """The fields that name files, and the paths in them."""
    yield "file", output.file, output.one_file
    expr = dict(output.fields).get("matrix")
    if isinstance(expr, hir.Const) and isinstance(expr.value, str):
        yield "matrix", expr, expr.value


def _files(
    made: Compilation, output: hir.OutputDef, program: str, source: str
) -> Iterator[OutputFile]:
    path = output.one_file
    match output.form:
        case "jobs":
            data = sealed_lines(jobs_of(made, made.variants, output), origin(made))
            yield OutputFile(path, data.decode())
        case "image":
            from tvarc.farm.ci.images import images_file

            head = "For each variant: `oci` is an image for containers, `squashfs` one for uenv."
            body = images_file(made, output, source)
            yield OutputFile(path, _sealed((head, origin(made), CHANGE_THE_PROGRAM), body))
        case _:
            yield from _of_github(made, output, path, program)


def origin(made: Compilation) -> str:
    """The sentence in a file that names the program it was made from."""
    name = comment_line(posixpath.basename(made.file))
    matrices = ", ".join(one.name for one in made.program.matrices)
    return f"Made by tvarc from {name}: matrix {matrices}."


# --- faults of files -----------------------------------------------------------------


def _refuse_file(
    made: Compilation, output: hir.OutputDef, key: str, expr: hir.Expr, path: str
) -> None:
    is_workflow = output.form == "github" and key == "file"
    endings: tuple[str, ...]
    if is_workflow:
        endings, example = (".yml", ".yaml"), f"{WORKFLOWS}build.yml"
    elif output.form == "github":
        endings, example = (".json",), ".github/matrix.json"
    elif output.form == "image":
        endings, example = (".nix",), "images.nix"
    else:
        endings, example = (".jsonl", ".json"), "jobs.jsonl"
    wrong = fault_of_file(path, endings)
    if wrong is None and is_workflow and posixpath.dirname(path) + "/" != WORKFLOWS:
        wrong = f"is not in `{WORKFLOWS}`, where GitHub looks for workflows"
    if wrong is not None:
        made.sink.report(
            build_msg.outputs.BAD_FILE,
            expr.span,
            output=output.name,
            path=path[:80],
            wrong=wrong,
            help=f'write `{key} = "{example}"`',
        )


def _refuse_shared(
    made: Compilation,
    output: hir.OutputDef,
    expr: hir.Expr,
    path: str,
    first: tuple[hir.OutputDef, hir.Expr],
) -> None:
    other, place = first
    if other is output:
        made.sink.report(
            msg.workflows.FILE_TWICE, expr.span, others=[place.span], output=output.name, path=path
        )
    else:
        made.sink.report(
            build_msg.outputs.SAME_FILE,
            expr.span,
            others=[place.span],
            first=other.name,
            output=output.name,
            one_file=path,
        )


def _sealed(lines: Sequence[str], body: str) -> str:
    """*body* below a head of *lines* and the digest of both."""
    head = "".join(f"{print_comment(line)}\n" for line in lines)
    return sealing(1)(head.encode(), body.encode()).decode()


# --- GitHub -----------------------------------------------------------------------------------


def _of_github(
    made: Compilation, output: hir.OutputDef, path: str, program: str
) -> Iterator[OutputFile]:
    jobs = jobs_of(made, made.variants, output)
    entries = entries_of(made, output, made.variants, jobs)
    size = output_size(entries)
    if size > MOST_OUTPUT:
        raise made.sink.refuse(
            msg.workflows.TOO_MANY_JOBS,
            output.span,
            output=output.name,
            count=len(entries),
            size=size,
            most=MOST_OUTPUT,
        )
    several = len(workflows_of(made)) > 1
    called = f"{program}, {output.name}" if several else program
    source = demand_reference(made, output)
    published = publishing_of(made, output)
    ledger = by_ledger(output, jobs, program, source, made.sink)
    ids = set() if ledger is None else {BUILD_ID}
    tree = workflow(
        Plan(
            path,
            program,
            output.name,
            called,
            jobs.built,
            len(entries),
            source,
            (*published.before, *steps_of(made, output, "before", ids)),
            (*published.after, *steps_of(made, output, "after", ids)),
            published.flox,
            ledger,
        )
    )
    which = "that changed since the last commit of which all were built"
    if ledger is not None:
        which = f"without a good result in the ledger on the branch {ledger.branch}"
    lines = [
        f"Builds the variants of {comment_line(program)}: those {which}.",
        origin(made),
        CHANGE_THE_PROGRAM,
    ]
    yield OutputFile(path, _sealed(lines, print_yaml(tree)))
    for key, _, other in _paths(output):
        if key == "matrix":
            data = matrix_of(entries, json_seal(origin(made)))
            yield OutputFile(other, sealed_json(json_text(data).encode()).decode())
