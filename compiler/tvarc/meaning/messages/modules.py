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
    help=(
        "write `use {library}`, without quotes",
        'the name of a module ends in `.tvar`, such as `use "./shared.tvar"`',
    ),
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

ADDRESS: Final = Message(
    "E203",
    "a module is not read from an address",
    label="an address",
    notes=("a program says which content it wants: by a commit or a hash",),
    help=(
        'declare the repository, `input recipes {{ github = "owner/name", rev = "…", hash = '
        'unlocked }}`, and write `use "FILE.tvar" from recipes`'
    ),
)

UNKNOWN_INPUT: Final = Message(
    "E201",
    "this file has no input `{name}`",
    label="unknown input",
    help=(
        DID_YOU_MEAN,
        'declare it in this file: `input {name} {{ github = "owner/name", rev = "…", hash = '
        "unlocked }}`",
    ),
    edit="{guess}",
)

OUTSIDE_INPUT: Final = Message(
    "E203",
    "`{path}` is outside of the input `{name}`",
    label="leads out of the input",
    notes=("the lock states the content of the input, and of nothing next to it",),
    help="write a path inside the input, relative to the file that has the `use`",
)

PATH_IN_NIX: Final = Message(
    "E302",
    "Nix text in a module of an input cannot name files",
    label="names `{path}`",
    notes=("Nix would look for it next to the recipe, and not in the input",),
    help='write `path("{path}")` in a value next to the Nix text',
)

COMPUTED_INPUT: Final = Message(
    "E305",
    "`{field}` of the input `{name}` needs a plain string",
    label="computed",
    notes=("modules are taken from this input, before anything is computed",),
    help="write the text itself, in quotes",
)

INPUT_NOT_READ: Final = Message(
    "E213",
    "input `{name}` is not {state}",
    label="a module is taken from it",
    other="declared here",
    notes=("{source}", "this command fetches nothing"),
    help="run `tvarc lock`, or name a checkout: `--input {name}=PATH`",
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

NEEDS_OTHER_PROGRAM: Final = Message(
    "E110",
    "a file can only need a version of tvarc",
    label="`{name}` is another program",
    help="write `language 1 with tvarc >= 0.1`",
)

BAD_VERSION: Final = Message(
    "E110",
    "`{version}` is not a version of tvarc",
    label="unknown version",
    help="write numbers with dots: `language 1 with tvarc >= 0.1`",
)

NEWER_TVARC: Final = Message(
    "E110",
    "this file needs tvarc {version} or later",
    label="this is tvarc {own}",
    help="use a newer tvarc",
)
