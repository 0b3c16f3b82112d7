"""The files that other systems read: one of each output, as text, and their faults."""

from __future__ import annotations

import posixpath

from tvarc.build import messages as build_msg
from tvarc.build.driver import Compilation
from tvarc.farm import messages as msg
from tvarc.farm.ci.github import MOST_OUTPUT, WORKFLOWS, Plan, matrix_of, output_size, workflow
from tvarc.farm.ci.lines import jobs_of, sealed_lines
from tvarc.farm.ci.steps import demand_reference, entries_of, steps_of
from tvarc.farm.yaml import print_yaml
from tvarc.files.output.header import json_seal, sealed_json, sealing
from tvarc.files.output.model import OutputFile
from tvarc.light import Iterator
from tvarc.meaning import hir
from tvarc.nix.language.printer import print_comment
from tvarc.nix.language.quoting import comment_line
from tvarc.nix.lower.lower import CHANGE_THE_PROGRAM
from tvarc.text.diagnostics.model import Failed
from tvarc.text.paths import fault_of_file, folded
from tvarc.values.plain import json_text


def workflows_of(made: Compilation) -> list[hir.OutputDef]:
    """The outputs of the program that are workflows of GitHub."""
    return [one for one in made.job_outputs if one.form == "github"]


def files_of(made: Compilation, program: str = "") -> list[OutputFile]:
    """The files of all outputs of the program for other systems. A workflow calls the program
    *program*, by default the name of its file. If there are faults, they are reported and no file
    is returned.
    """
    assert made.resolution is not None
    before = len(made.sink)
    taken: dict[str, tuple[hir.OutputDef, hir.Expr]] = {}
    found: list[OutputFile] = []
    for output in made.job_outputs:
        for key, expr, path in _paths(output):
            _refuse_file(made, output, key, expr, path)
            first = taken.setdefault(folded(path), (output, expr))
            if first[1] is not expr:
                _refuse_shared(made, output, expr, path, first)
        if len(made.sink) == before:
            try:
                found += _files(made, output, program or posixpath.basename(made.file))
            except Failed:
                continue
    return found if len(made.sink) == before else []


def _paths(output: hir.OutputDef) -> Iterator[tuple[str, hir.Expr, str]]:
    """The fields that name files, and the paths in them."""
    yield "file", output.file, output.one_file
    expr = dict(output.fields).get("matrix")
    if isinstance(expr, hir.Const) and isinstance(expr.value, str):
        yield "matrix", expr, expr.value


def _files(made: Compilation, output: hir.OutputDef, program: str) -> Iterator[OutputFile]:
    path = output.one_file
    match output.form:
        case "jobs":
            data = sealed_lines(jobs_of(made, made.variants, output), origin(made))
            yield OutputFile(path, data.decode())
        case _:
            yield from _of_github(made, output, path, program)


def origin(made: Compilation) -> str:
    """The sentence in a file that names the program it was made from."""
    name = comment_line(posixpath.basename(made.file))
    program = made.resolution.program if made.resolution is not None else None
    matrices = ", ".join(one.name for one in program.matrices) if program is not None else ""
    return f"Made by tvarc from {name}: matrix {matrices}."


# --- what is wrong with files -----------------------------------------------------------------


def _refuse_file(
    made: Compilation, output: hir.OutputDef, key: str, expr: hir.Expr, path: str
) -> None:
    is_workflow = output.form == "github" and key == "file"
    endings: tuple[str, ...]
    if is_workflow:
        endings, example = (".yml", ".yaml"), f"{WORKFLOWS}build.yml"
    elif output.form == "github":
        endings, example = (".json",), ".github/matrix.json"
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
    ids: set[str] = set()
    before = steps_of(made, output, "before", ids)
    after = steps_of(made, output, "after", ids)
    tree = workflow(
        Plan(path, program, output.name, called, jobs.built, len(entries), source, before, after)
    )
    lines = [
        f"Builds the variants of {comment_line(program)}: those that changed since the last commit"
        " of which all were built.",
        origin(made),
        CHANGE_THE_PROGRAM,
    ]
    head = "".join(f"{print_comment(line)}\n" for line in lines).encode()
    yield OutputFile(path, sealing(1)(head, print_yaml(tree).encode()).decode())
    for key, _, other in _paths(output):
        if key == "matrix":
            data = matrix_of(entries, json_seal(origin(made)))
            yield OutputFile(other, sealed_json(json_text(data).encode()).decode())
