"""The path of a program's workflow in a repository, and the name of the program there."""

# pathlib costs too much at start.
# ruff: noqa: PTH118, PTH120, PTH119
from __future__ import annotations

import os

from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.farm.ci.files import workflows_of
from tvarc.farm.ci.github import WORKFLOWS
from tvarc.files.git.repository import top_of
from tvarc.light import dataclass
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Sink


@dataclass(frozen=True, slots=True)
class WorkflowPlace:
    """A workflow calls the program `program`: that is its path from the top of the repository.
    `tops` are the tops that were found, by the real folders from which they were looked for."""

    program: str
    tops: dict[str, str]


def place_of_workflows(made: Compilation, root: str, sink: Sink) -> WorkflowPlace:
    """Where workflows land that are written to the output folder *root*. Reports those that GitHub
    would not find there, and those that would not find their program."""
    folder = os.path.realpath(os.path.dirname(made.file))
    program = os.path.join(folder, os.path.basename(made.file))
    root = os.path.realpath(root)
    tops = {one: top_of(one) for one in (root, folder)}
    top, own = tops[root], tops[folder]
    for output in workflows_of(made):
        if top and top != root:
            _refuse_unseen(output, root, top, sink)
        elif top and own != top:
            _refuse_apart(output, program, top, sink)
    # Nothing is known of a folder that is in no repository: it may become one, or be copied.
    name = os.path.relpath(program, top or own or root)
    return WorkflowPlace(os.path.basename(program) if name.startswith("../") else name, tops)


def _refuse_unseen(output: hir.OutputDef, root: str, top: str, sink: Sink) -> None:
    place = os.path.relpath(os.path.join(root, output.one_file), top)
    sink.report(
        msg.outputs.WORKFLOW_UNSEEN,
        output.file.span,
        output=output.name,
        place=place,
        folder=WORKFLOWS,
        top=os.path.relpath(top),
    )


def _refuse_apart(output: hir.OutputDef, program: str, top: str, sink: Sink) -> None:
    sink.report(
        msg.outputs.WORKFLOW_APART,
        output.file.span,
        output=output.name,
        top=os.path.relpath(top),
        program=os.path.relpath(program),
    )
