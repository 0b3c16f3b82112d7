"""The paths of files in their repository, without running git."""

# pathlib costs too much at start.
# ruff: noqa: PTH109, PTH118, PTH120
from __future__ import annotations

import os


def path_in_repository(file: str) -> str:
    """The path of *file* from the top of the repository of the current folder, to which *file* is
    relative. It is unchanged if the file is missing or outside, or if there is no repository."""
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
    """The absolute *folder*, or the nearest folder above it, that has a `.git` (a file in a
    worktree or a submodule); empty if there is none. Running git would take longer than the rest of
    a command."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return folder
