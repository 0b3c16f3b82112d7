"""Finds the programs and the lines that the user names."""

# pathlib costs too much at start.
# ruff: noqa: PTH109, PTH112, PTH113, PTH117, PTH118, PTH119, PTH120
from __future__ import annotations

import os
import stat

from tvarc.light import TYPE_CHECKING, Final, Sequence, suppress

if TYPE_CHECKING:
    from tvarc.build.driver import Compilation
    from tvarc.commands.programs.below import LeftOut
    from tvarc.text.diagnostics.model import Sink
    from tvarc.values.provenance import Place

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
    messages. Without *given* it is the nearest program; None if there is none."""
    return source_name(given) if given else find_source()


def demand_program(given: str | None, sink: Sink) -> str | None:
    """Like `program_name`; None after reporting that there is none."""
    name = program_name(given)
    if name is not None and not (given and os.path.isdir(given) and not os.path.lexists(name)):
        return name
    from tvarc.commands import messages as msg

    if name is None:
        sink.report(msg.programs.NO_PROGRAM, file=DEFAULT_FILE)
    else:
        sink.report(msg.programs.NO_PROGRAM_IN_FOLDER, file=DEFAULT_FILE, folder=given)
    return None


def is_program(word: str) -> bool:
    """Whether *word*, among words of other kinds, names a program. Only its spelling decides, so a
    new file never changes what a command means."""
    return word.endswith((".tvar", "/")) or word in (os.curdir, os.pardir)


def source_name(file: str) -> str:
    """The name of the program *file* for messages, see `file_name`. A folder stands for its
    `variants.tvar`."""
    return file_name(os.path.join(file, DEFAULT_FILE) if os.path.isdir(file) else file)


def file_name(file: str) -> str:
    """The name of *file* for messages: relative, so that output does not depend on the spelling,
    and different from the name of any module of the standard library."""
    name = file
    if os.path.isabs(file):
        with suppress(OSError):  # no current folder
            name = os.path.relpath(file)
    while name.startswith("./"):
        name = name[2:].lstrip("/")
    return f"./{name}" if name.startswith("std/") else name


def source_from(file: str, root: str) -> str:
    """The path of *file* relative to the output folder *root*."""
    if os.path.dirname(file) == root:
        return os.path.basename(file)
    folder = os.path.realpath(os.path.dirname(file))
    return os.path.relpath(os.path.join(folder, os.path.basename(file)), os.path.realpath(root))


def programs_named(words: Sequence[str]) -> list[str]:
    """The named programs, each once, in their order."""
    found: dict[str, str] = {}
    for word in words:
        name = source_name(word)
        found.setdefault(os.path.realpath(name), name)
    return list(found.values())


def programs_below(words: Sequence[str], left: LeftOut, sink: Sink) -> list[str]:
    """The named programs, and all `variants.tvar` in and below the named folders, by default below
    the current one: in the order of folders and names. Files that git ignores count as well, so a
    checkout and an archive of it have the same programs.
    """
    from tvarc.commands.programs.below import sources_below

    found: list[str] = []
    for word in words or (os.curdir,):
        if not os.path.isdir(word):
            found.append(word)
            continue
        before = left.count
        below = sources_below(word, _is_default, left, sink)
        found += below
        if not below and not sink.has_errors:
            from tvarc.commands import messages as msg

            sink.report(
                msg.programs.NO_PROGRAM_BELOW,
                file=DEFAULT_FILE,
                where="this folder" if word == os.curdir else f"`{word}`",
                left_out=left.told("program") if left.count > before else "",
            )
    return programs_named(found)


def _is_default(entry: os.DirEntry[str]) -> bool:
    """Whether *entry* is a program by its name, and not a link."""
    return entry.name == DEFAULT_FILE and stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode)


# --- the lines that a person names ------------------------------------------------------------


_DIGITS: Final = 18
_BEYOND: Final = 10**_DIGITS
"""A line number that is larger than that of any file."""


def split_place(word: str) -> tuple[str, int] | None:
    """`FILE:LINE`, the line from 1; None for any other word."""
    file, _, line = word.rpartition(":")
    if not file or not line.isdecimal():
        return None
    number = int(line) if len(line) <= _DIGITS else _BEYOND
    return (file, number) if number else None


def recipe_place(words: Sequence[str]) -> tuple[str, int] | None:
    """The line of a recipe that *words* name as `FILE.nix:LINE`, perhaps with a column after it, as
    Nix prints it; None for other words."""
    if len(words) != 1:
        return None
    place = split_place(words[0].rstrip(":"))
    if place is not None and not place[0].endswith(".nix"):
        place = split_place(place[0])
    return place if place is not None and place[0].endswith(".nix") else None


def line_named(made: Compilation, name: str, line: int, sink: Sink) -> Place | None:
    """Line number *line* of the file *name*, which is a name as in spans. None after reporting that
    the program lacks that line."""
    assert made.graph is not None
    known = [*made.graph.modules, *made.graph.data_files()]
    asked = name if name in known else source_name(name)
    if asked not in known:
        same = [one for one in known if made.loader.identity(one) == made.loader.identity(asked)]
        if not same:
            from tvarc.commands import messages as msg
            from tvarc.text.diagnostics.suggest import guess

            sink.report(
                msg.programs.FILE_NOT_READ,
                file=name,
                known=", ".join([f"`{one}`" for one in known]),
                guess=guess(name, known),
            )
            return None
        asked = same[0]
    source = made.sources.get(asked)
    count = len(source.line_starts()) if source is not None else 0
    if line > count:
        from tvarc.commands import messages as msg

        sink.report(msg.programs.NO_LINE, file=name, line=line_words(line), last=count)
        return None
    return (asked, line)


def line_words(line: int) -> str:
    """Line number *line* of a file, in words."""
    return f"line {line}" if line < _BEYOND else "such line"
