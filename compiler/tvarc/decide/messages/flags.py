"""Messages on flags of recipes."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NOT_ALLOWED: Final = Message(
    "E301",
    "flag `{name}` must be one of {allowed}",
    label="this is {value}",
    other="declared here",
    help=(DID_YOU_MEAN, "write {choices}"),
)

NO_NULL: Final = Message(
    "E301",
    "flag `{name}` must be {type}",
    label="this is {value}",
    other="declared here",
    help="write a value; to allow null, declare `flag {name}: {type}? = null`",
)

WRONG_TYPE: Final = replace(NO_NULL, help="write {a_value}, or declare another type")

NO_TRUTH: Final = replace(NO_NULL, help="write `true` or `false`")

UNKNOWN_FLAG: Final = Message(
    "E201",
    "recipe `{recipe}` has no flag `{name}`",
    label="{kind} `{overlay}`, listed here, reads it",
    notes=("an overlay reads the flags of the recipe that lists it",),
    help=(
        DID_YOU_MEAN,
        "declare it in the recipe, `flag {name}: … = …`, or remove the {kind} from the list",
    ),
)
