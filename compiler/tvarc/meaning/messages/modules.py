"""Messages on files and modules that are read."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

MERGE_CONFLICTS: Final = Message(
    "E913",
    "`{file}` has merge conflicts",
    label="from here",
    other="and here",
    notes=("if a string must contain such marks, indent them, or write a one-line string",),
    help=(
        "keep what is right from both sides and remove the marks; do not merge recipes by hand: "
        "`tvarc build` writes them again"
    ),
)

NUL_CHARACTER: Final = Message(
    "E107",
    "the file contains a NUL character",
    label="NUL character",
    notes=("strings of Nix and of the shell cannot contain it",),
    help="save the file as plain UTF-8 text",
)

IMPORT_OF_LIBRARY: Final = Message(
    "E203",
    "the standard library can only import its own modules",
)

NO_MODULE: Final = Message(
    "E203",
    "`{path}` is not a .tvar file",
    label="not a module",
    help='the name of a module ends in `.tvar`, such as `use "./shared.tvar"`',
)

ABSOLUTE_PATH: Final = Message(
    "E203",
    "`{path}` is an absolute path",
    label="exists only on this machine",
    notes=("other users of this program do not have this file",),
    help=(
        "write a path relative to this file: `use {relative}`",
        'write a path relative to this file, such as `use "../shared.tvar"`',
    ),
    edit="{relative}",
)

UNKNOWN_MODULE: Final = Message(
    "E203",
    "there is no module `{name}`",
    label="unknown module",
    notes=("the standard library has {known}",),
    help=(
        DID_YOU_MEAN,
        'to use a module of your own, write its path: `use "./name.tvar"`',
    ),
    edit="{guess}",
)

IMPORT_CIRCLE: Final = Message(
    "E204",
    "modules import each other",
    label="this closes the cycle",
    notes=("{ring}",),
    help="move what both need into a third module",
)

LANGUAGE_TWICE: Final = Message(
    "E110",
    "the language is stated twice",
    label="again here",
    other="stated here",
    help="remove this line",
)

LANGUAGE_NOT_FIRST: Final = Message(
    "E110",
    "`language` must be the first line",
    label="after other declarations",
    other="the first declaration",
    help="make it the first line of the file",
)

UNKNOWN_LANGUAGE: Final = Message(
    "E110",
    "there is no language {number}",
    label="this version reads language {newest}",
    help="write `language {newest}`",
    edit="language {newest}",
)

NEWER_LANGUAGE: Final = Message(
    "E110",
    "there is no language {number} in this version of tvarc",
    label="this version reads language {newest}",
    help="use a newer tvarc, or write the file in language {newest} and begin it with `language "
    "{newest}`",
)
