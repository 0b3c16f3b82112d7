"""Places on which a build depends: the place of a workflow in a repository, and folders and
checkouts of inputs."""

# pathlib costs too much at start.
# ruff: noqa: PTH118, PTH119, PTH120
from __future__ import annotations

import os
import shlex

from tvarc.build.driver import Compilation
from tvarc.commands import messages as msg
from tvarc.farm.ci.files import workflows_of
from tvarc.farm.ci.github import WORKFLOWS
from tvarc.files.git.program import GitFailed
from tvarc.files.git.repository import top_of
from tvarc.files.git.tracking import is_tracked
from tvarc.light import Iterable, dataclass
from tvarc.meaning import hir
from tvarc.meaning.hir import Const, LetDef, folder_of
from tvarc.nix import ir
from tvarc.nix.language.printer import print_expr
from tvarc.nix.language.syntax import (
    NixApply,
    NixAttrs,
    NixBinding,
    NixExpr,
    NixIdent,
    NixPath,
    NixSelect,
)
from tvarc.nix.lower.values import INPUT
from tvarc.nix.taken_inputs import inputs_of
from tvarc.text.diagnostics.model import Sink
from tvarc.values.value import PathValue


@dataclass(frozen=True, slots=True)
class WorkflowPlace:
    """`program` is the path by which a workflow calls the program, from the top of the repository.
    `tops` are the tops of repositories, by the real folders from which they were found."""

    program: str
    tops: dict[str, str]


def place_of_workflows(made: Compilation, root: str, sink: Sink) -> WorkflowPlace:
    """The place of workflows that are written to the output folder *root*. Reports workflows that
    GitHub would not find there, and workflows that would not find their program."""
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
    # Nothing is known about a folder outside of repositories: it may become one, or be copied.
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


def telling_nix(made: Compilation, recipes: Iterable[ir.Recipe | None], root: str) -> str:
    """A note on how to use the checkouts of this run in Nix, because recipes do not name them. The
    command is for the first of *recipes*, below *root*, that takes files from a checkout."""
    names = ", ".join(made.replaced)
    told = _nix_words(made, recipes, root)
    if not told:
        return f"no recipe uses a file of {names}"
    return f"the recipes still fetch {names}; to use files of the checkout in its place: `{told}`"


def _nix_words(made: Compilation, recipes: Iterable[ir.Recipe | None], root: str) -> str:
    """The note on checkouts; empty if no recipe takes a file from one."""
    for recipe in recipes:
        taken = [name for name in inputs_of(recipe) if name in made.replaced] if recipe else []
        if recipe is None or not taken:
            continue
        file = os.path.join(root, recipe.files[0][1])
        folders = {f"{name}{INPUT}": NixPath(made.replaced[name]) for name in taken}
        if recipe.pin is not None:
            words = ["nix-build", file]
            for name, folder in folders.items():
                words += ["--arg", name, print_expr(folder)]
            return shlex.join(words)
        bindings = tuple(NixBinding((name,), folder) for name, folder in folders.items())
        called: NixExpr = NixSelect(NixIdent("pkgs"), (*recipe.scope_path, "callPackage"))
        for argument in (NixPath(file), NixAttrs(bindings)):
            called = NixApply(called, argument)
        return print_expr(called)
    return ""


def refuse_unshared(made: Compilation, sink: Sink) -> None:
    """Report inputs that another copy of this repository would not have: folders in it that git
    does not track."""
    for source, path in _unshared(made):
        sink.report(msg.outputs.UNTRACKED_INPUT, path.span, name=source.name)


def _unshared(made: Compilation) -> list[tuple[LetDef, Const]]:
    """The inputs with a `path` in the repository of the program that git does not track, each with
    its path."""
    inputs = made.program.inputs
    home = os.path.dirname(made.file) or os.curdir
    found: list[tuple[LetDef, Const]] = []
    for one in inputs:
        path = folder_of(one)
        if path is None or not isinstance(path.value, PathValue):
            continue
        try:
            known = is_tracked(made.loader.identity(path.value.file), home)
        except GitFailed:
            return []  # not known
        if not known:
            found.append((one, path))
    return found
