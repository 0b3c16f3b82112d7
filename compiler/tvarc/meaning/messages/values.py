"""Messages on values that are computed."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

SET_IN_TEXT: Final = Message(
    "E301",
    "`{name}` cannot be written in a string",
    label="it is a set",
    help="write one of its keys: `{{{{{name}.NAME}}}}`",
)

NO_TEXT: Final = Message(
    "E301",
    "{kind} cannot be written in a string",
    label="is {value}",
    notes=(
        "a string can contain other strings, numbers, versions, axis values and lists of these",
    ),
    help="{advice}",
)

ATTRIBUTE_IS_NO_TEXT: Final = Message(
    "E307",
    "the name of an attribute must be a string",
    label="this is {kind}",
    help="use a string, a version or an axis value in an attribute path",
)

NO_KEY: Final = Message(
    "E207",
    "the record has no key `{name}`",
    label="unknown key",
    other="this record",
    help=(DID_YOU_MEAN, "add this key to the record"),
    edit="{guess}",
)

NO_FIELDS: Final = Message(
    "E301",
    "{kind} has no fields",
    label="no such field",
    help="{advice}",
)

NAME_OF_NIX: Final = Message(
    "E302",
    "the name of an attribute must be known to the compiler",
    label="only Nix knows this value",
)

NO_ELEMENT: Final = Message(
    "E305",
    "the list has no element {key}",
    label="it has {count}, and the first is element 0",
    help=("the last is element {last}", "it is empty"),
)

_SELECTS_NOTHING: Final = Message("E301", "{kind} cannot select an element", help="{advice}")

NO_NUMBER: Final = replace(_SELECTS_NOTHING, label="expected an integer")

NO_NAME: Final = replace(_SELECTS_NOTHING, label="expected a string")

SPREAD_OF_NO_LIST: Final = Message(
    "E301",
    "`...` needs a list",
    label="this is {kind}",
)

EACH_OF_NO_LIST: Final = Message(
    "E301",
    "`for` needs a list",
    label="this is {kind}",
    help="write a list after `in`: `[… for x in [A, B]]`",
)

STEP_TWICE: Final = Message(
    "E202",
    "`{step}` is written twice",
)

DECLARATION_IN_NIX: Final = Message(
    "E307",
    "{kind} cannot be written in Nix",
    label="is {value}",
    notes=("Nix has strings, numbers, booleans, null, lists, sets and paths",),
    help='for its name, write a string, `"{{{{{name}}}}}"`; for a package of nixpkgs, write '
    "`pkgs.NAME`",
)

NONE_IN_NIX: Final = replace(DECLARATION_IN_NIX, help="for null in Nix, write `null`")

UNLOCKED_IN_NIX: Final = replace(DECLARATION_IN_NIX, help="write the hash")

NO_SUCH_KEY: Final = Message(
    "E207",
    "the record `{record}` has no key `{key}`",
    label="unknown key",
    other="add a row here",
    help=(
        DID_YOU_MEAN,
        "add `{row}` to `{record}`, or test first whether it exists: `… in {tested}`",
        "add `{row}` to `{record}`",
        "test first whether it exists: `… in {tested}`",
    ),
)

NO_SUCH_ROW: Final = replace(
    NO_SUCH_KEY, title="table `{record}` has no row `{key}`", label="unknown row"
)

_NOT_FOR_NIX: Final = Message(
    "E306", "{noun} cannot be a value for Nix", label="`{written}` is {noun}", help="{advice}"
)

DECLARATION_FOR_NIX: Final = replace(_NOT_FOR_NIX)

BUILD_FOR_NIX: Final = replace(
    _NOT_FOR_NIX,
    notes=("to use the build of another recipe, write `needs NAME = …` and then `needs.NAME`",),
)
