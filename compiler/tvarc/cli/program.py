"""Which program a command is about."""

# pathlib costs too much at start.
# ruff: noqa: PTH109, PTH112, PTH113, PTH117, PTH118, PTH119, PTH120
from __future__ import annotations

import os

from tvarc.light import Final, suppress

DEFAULT_FILE: Final = "variants.tvar"


def find_source() -> str | None:
    """The nearest `variants.tvar`, in this folder or above, by a path relative to this one."""
    try:
        folder = os.getcwd()
    except OSError:  # it was removed
        return None
    steps: list[str] = []
    while True:
        if os.path.isfile(os.path.join(folder, DEFAULT_FILE)):
            return os.path.join(*steps, DEFAULT_FILE)
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
        steps.append("..")


def program_name(given: str | None) -> str | None:
    """The program that *given* names, a file or a folder with a `variants.tvar`, by its name for
    messages; by default the nearest one, None where there is none."""
    return source_name(given) if given else find_source()


def is_program(word: str) -> bool:
    """Whether *word*, among words that may be others, names a program. It is told by how it is
    spelt, so that no file that comes to be changes what a command means."""
    return word.endswith((".tvar", "/")) or word in (os.curdir, os.pardir)


def source_name(file: str) -> str:
    """The name of *file* for messages: relative, so that output never depends on how it is
    spelt, and not to be taken for a module of the standard library. A folder stands for its
    `variants.tvar`."""
    name = os.path.join(file, DEFAULT_FILE) if os.path.isdir(file) else file
    file = name
    if os.path.isabs(file):
        with suppress(OSError):  # no current folder
            name = os.path.relpath(file)
    while name.startswith("./"):
        name = name[2:].lstrip("/")
    return f"./{name}" if name.startswith("std/") else name


def source_from(file: str, root: str) -> str:
    """*file* as seen from the output folder *root*."""
    if os.path.dirname(file) == root:
        return os.path.basename(file)
    folder = os.path.realpath(os.path.dirname(file))
    return os.path.relpath(os.path.join(folder, os.path.basename(file)), os.path.realpath(root))
