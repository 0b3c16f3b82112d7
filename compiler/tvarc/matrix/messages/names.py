"""Messages on the names of variants."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

SLASH_IN_NAME: Final = Message(
    "E403",
    "{name} cannot be the name of a variant",
    label="this makes the name",
    notes=(
        "a variant has the name of a file, and this name {fault}",
        "also for {more} more of its names",
    ),
    help='replace that character, such as with `{{{{replace(…, "/", "-")}}}}`',
)

BAD_NAME: Final = replace(
    SLASH_IN_NAME, help="write a name of at most 200 bytes, with visible characters only"
)

SAME_NAME: Final = Message(
    "E402",
    "two variants have the name `{name}`",
    label="this makes the name",
    notes=("{cell} and {other_cell}", "also for {more}"),
    help=(
        "write a different `name` in `{taker}`",
        "`{sign}` is plain text here; to insert a value, write `{{{{{written}}}}}`",
        "write a different `name` in one of them",
    ),
)

SAME_NAME_IN_ONE: Final = replace(
    SAME_NAME,
    help=(
        "`{sign}` is plain text here; to insert a value, write `{{{{{written}}}}}`",
        "write every axis that differs between them into the `name`",
    ),
)

NAME_IS_NO_TEXT: Final = Message(
    "E301", "a name must be a string", label="this is {value}", help="{advice}"
)

NAME_IS_NO_STRING: Final = replace(NAME_IS_NO_TEXT, help='write `name = "{{{{{expr}}}}}"`')
