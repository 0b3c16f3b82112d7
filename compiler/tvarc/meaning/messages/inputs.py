"""Messages on inputs, and on the places that inputs and pins state."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

_WRITE: Final = (
    'write `github = "owner/name"`, `rev = "…"` and `hash = unlocked`; or a `url` and its '
    '`hash`; or `path = "../checkout"`'
)

NO_FIELD: Final = Message(
    "E209",
    "an input can only contain fields",
    label="not a field",
    help=_WRITE,
)

UNKNOWN_FIELD: Final = Message(
    "E210",
    "an input has no field `{name}`",
    label="unknown field",
    notes=("fields: {fields}",),
    help=(DID_YOU_MEAN, "remove it, or write one of these fields"),
    edit="{guess}",
)

NO_ONE_PLACE: Final = Message(
    "E209",
    "{what} needs one `github`, `url` or `path`",
    label="several are given",
)

FIELD_BESIDE_PATH: Final = Message(
    "E209",
    "{what} with a `path` cannot have `{name}`",
    label="not allowed here",
    other="the folder is used as it is",
    help="remove `{name}`, or write a `github` or a `url` instead of the `path`",
)

COMPUTED_PATH: Final = Message(
    "E305",
    "`path` of an input needs a plain string",
    label="differs from variant to variant",
    help="write one input for each, and choose between them: `if C then a else b`",
)

NO_INPUT: Final = Message(
    "E703",
    "`{text}` cannot be an input",
    label="this leads to `{file}`",
    notes=("{reason}",),
    help=(
        "write a path relative to the folder of this `.tvar` file; it must be a folder that "
        "everyone with this repository has"
    ),
)

NO_SOURCE: Final = Message(
    "E208", "input `{name}` has no source", label="fields missing", help=_WRITE
)

FIELD_MISSING: Final = Message(
    "E208", "input `{name}` needs `{missing}`", label="field missing", help=_WRITE
)

NO_HASH: Final = replace(
    FIELD_MISSING,
    notes=("without a hash, the input could change without notice",),
    help="write `hash = unlocked`, then run `tvarc lock`",
)

FIELDS_MISSING: Final = replace(
    FIELD_MISSING,
    label="fields missing",
    notes=("without a hash, the input could change without notice",),
)
