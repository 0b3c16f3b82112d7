"""Messages on a line of a recipe."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

UNREADABLE: Final = Message("E909", "cannot read `{path}`", notes=("{reason}",))

FOREIGN: Final = Message(
    "E909",
    "tvarc did not write `{path}`",
    notes=("it has no digest of tvarc in its first lines",),
    help="name a recipe that `tvarc build` wrote",
)

EDITED: Final = Message(
    "E909",
    "`{path}` was changed since tvarc wrote it",
    notes=("its lines are not the lines that tvarc wrote",),
    help="move the change into the program, then run `tvarc build --adopt`, which keeps a copy",
)

NO_PROGRAM: Final = Message(
    "E909",
    "there is no `{name}` in the folder of `{path}` or any above it",
    notes=("the first lines of the recipe say that this program made it",),
    help="name the program: `--file FILE`",
)

PROGRAM_HAS_ERRORS: Final = Message(
    "E909", "`{program}` has errors", help="run `tvarc check {program}` to see them"
)

PROGRAM_TOO_LARGE: Final = Message(
    "E909", "the program of `{path}` is too large for this machine"
)

OUT_OF_DATE: Final = Message(
    "E909",
    "`{path}` is out of date: `{program}` makes another recipe now",
    notes=("the program changed since, or the recipe was built with `--flag` or `--set`",),
    help="run `tvarc build {program}`",
)

NO_LINE: Final = Message(
    "E909", "`{file}` has no {line}", notes=("the last one is {last}",)
)
