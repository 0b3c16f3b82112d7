"""Messages on patches."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

UNKNOWN_FIELD: Final = Message(
    "E210",
    "a patch has no field `{name}`",
    label="unknown field",
    notes=("fields: {known}",),
    help=(
        "{advice}",
        DID_YOU_MEAN,
        "remove it, or write one of these fields",
    ),
    edit="{guess}",
)

URL_AND_FILE: Final = Message(
    "E208",
    "a patch needs either a `url` or a `file`",
    label="both are given",
    help='write `url = "https://…"` and `hash = unlocked`, or `file = path("./a.patch")`',
)

NO_URL_OR_FILE: Final = replace(URL_AND_FILE, label="neither is given")

URL_WITHOUT_HASH: Final = Message(
    "E208",
    "a patch with a `url` needs a hash",
    label="`hash` missing",
    notes=("Nix does not fetch a file without a hash",),
    help="write `hash = unlocked`, then run `tvarc lock`",
)

ONLY_FIELDS: Final = Message(
    "E209",
    "a patch can only contain fields",
    label="not allowed here",
    help="write `field = value`",
)
