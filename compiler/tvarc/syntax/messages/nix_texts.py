"""Messages on Nix text: brackets, and values between `{{` and `}}`."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

EMPTY: Final = Message(
    "E104", "this Nix expression is empty", help="write a value, or remove this"
)

UNBALANCED: Final = Message(
    "E104",
    "this Nix expression is not balanced",
    label="{reason}",
    help="write one whole expression: close each bracket, string and comment",
)

FOREIGN: Final = Message("E104", "Nix cannot read this", label="{reason}")

GLUED: Final = Message(
    "E103",
    "a value needs a space around it",
    label="this touches the text next to it: Nix could read one word, or two",
    help="put a space between them; for a part of a name or path, write a string, as in "
    '`pkgs."cudaPackages_{{{{x}}}}"` or `./. + "/{{{{x}}}}"`',
)

BEFORE_DOT: Final = Message(
    "E103",
    "a `.` follows a value",
    label="Nix could read a field of the value here, or an attribute path",
    help="for a field, put the value in parentheses; for an attribute path, write a Nix string: "
    '`"{{{{x}}}}"`',
)

NAME_EXPECTED: Final = Message(
    "E103",
    "Nix expects a name or a set here, not a value",
    label="Nix accepts no value here",
    help="write parameters of a function and names in `let` or `rec` without `{{{{…}}}}`",
)

NOT_CLOSED_AFTER_DOLLAR: Final = Message(
    "E103",
    "an interpolation is not closed",
    label="no `}}}}` follows on this line",
    help="close it with `}}}}`, or write `${{ {{` for a set of Nix",
)

ESCAPE_BEFORE_VALUE: Final = Message(
    "E103",
    "an escape of Nix is directly before a value",
    label="Nix reads `''\\{{` as `{{`",
    help="write `\\{{{{` for the characters `{{{{`, or `''\\\\` for a backslash before a value",
)
