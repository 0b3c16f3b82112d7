"""Messages on numbers, versions, types and reasons."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

NUMBER_TOO_LARGE: Final = Message(
    "E104",
    "the number is too large",
    label="more than 18 digits",
    help="if you mean a string, write it in quotes",
)

LEADING_ZERO: Final = Message(
    "E104",
    "a number begins with a zero",
    help='write `{number}`, or `"{text}"` if you mean a string',
)

SIGNED_VERSION: Final = Message(
    "E104",
    "only an integer has a sign",
    help='write `"{text}"` if you mean a string, or `float("{text}")` for a float',
)

PART_TOO_LARGE: Final = Message(
    "E104",
    "a part of this version is too large",
    label="more than 18 digits",
    help="if you mean a string, write it in quotes",
)

LETTER_IN_VERSION: Final = Message(
    "E104",
    "a version contains a letter",
    label="without quotes only digits and dots are allowed",
    help='write `version("{shown}")`',
    edit='version("{whole}")',
)

NO_NUMBER: Final = Message(
    "E104",
    "`{shown}` is neither a number nor a name",
    label="a name begins with a letter or `_`",
    help=(
        'write `{number}`, or `"{shown}"` if you mean a string',
        'write `"{shown}"` if you mean a string',
    ),
)

UNKNOWN_TYPE: Final = Message(
    "E101",
    "unknown type",
    label="only `one_of` takes values in parentheses",
    help='write `one_of("a", "b")`',
)

NO_REASON: Final = Message(
    "E101",
    "`because` gives no reason",
    label="this string is empty",
    help="write the reason: the message shows it",
)
