"""Messages on strings: escapes, and values between `{{` and `}}`."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

_UNKNOWN_ESCAPE: Final = "unknown escape in a string"

VALUE_NOT_KNOWN: Final = Message(
    "E103",
    "{what} cannot hold an interpolation",
    label="its value is not known while the file is read",
    help="write the words out",
)

EMPTY: Final = Message(
    "E103",
    "an interpolation is empty",
    help="name a value, or write `\\{{{{` for the characters `{{{{`",
)

TOO_DEEP: Final = Message(
    "E109",
    "nested too deeply",
    label="more than {most} levels",
    help="give the inner part a name with `let`",
)

NOT_CLOSED: Final = Message(
    "E103",
    "an interpolation is not closed",
    label="no `}}}}` follows on this line",
    help="close it with `}}}}`, or write `\\{{{{` for the characters `{{{{`",
)

NOT_CLOSED_IN_STRING: Final = replace(NOT_CLOSED, label="no `}}}}` follows", help="add `}}}}`")

_ESCAPE: Final = Message("E103", _UNKNOWN_ESCAPE)

UNKNOWN_ESCAPE: Final = replace(
    _ESCAPE,
    label="{shown} has no meaning",
    help='escapes are `\\n`, `\\t`, `\\r`, `\\"`, `\\\\`, `\\u{{…}}` and `\\{{{{`; write `\\\\` '
    "for a backslash",
)

VALUE_AS_ESCAPE: Final = replace(
    _ESCAPE, label="`\\(` has no meaning", help="to insert a value, write `{{{{NAME}}}}`"
)

CODE_POINT_WITHOUT_BRACES: Final = replace(
    _ESCAPE, label="`\\u` has no meaning", help="write the code point in braces: `\\u{{2013}}`"
)

ESCAPED_BRACE: Final = replace(
    _ESCAPE, label="`\\{{` has no meaning", help="a single `{{` needs no backslash", edit="{{"
)

NO_CHARACTER: Final = Message(
    "E103",
    "this is not a character",
    label="a string cannot contain this code point",
    help="write `\\u{{…}}` with one to six hexadecimal digits, from 1 to 10FFFF, without D800 to "
    "DFFF",
)
