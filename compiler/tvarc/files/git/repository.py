"""Where files are in the repository that they belong to, without asking git."""

# pathlib costs too much at start.
# ruff: noqa: PTH109, PTH118, PTH120
from __future__ import annotations

import os


def path_in_repository(file: str) -> str:
    """The path of *file*, which is relative to the current folder, from the top of the repository
    that this is in; as it is where there is no such file, no repository, or it is outside."""
    if not os.path.lexists(file):  # a text of the command line, or a module of the library
        return file
    try:
        here = os.getcwd()
    except OSError:
        return file
    top = top_of(here)
    path = os.path.relpath(os.path.normpath(os.path.join(here, file)), top) if top else ""
    return file if not path or path == os.pardir or path.startswith("../") else path


def top_of(folder: str) -> str:
    """The nearest of the absolute *folder* and those above it that has a `.git`, which in a
    worktree or a submodule is a file; empty for none. To ask git itself takes longer than all
    else."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return folder
