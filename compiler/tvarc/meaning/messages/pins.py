"""Messages on pins."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

UNKNOWN_BLOCK: Final = Message(
    "E210",
    "a pin has no block `{name}`",
    label="unknown block",
    notes=("blocks: {known}",),
    help=(DID_YOU_MEAN, "remove it, or write one of these blocks"),
    edit="{guess}",
)

FIELDS_MISSING: Final = Message(
    "E208",
    "pin `{name}` needs `{missing}`",
    label="fields missing",
    help=(
        'write `github = "NixOS/nixpkgs"` and `rev = "…"`, or `url = "https://…"`, or `path = '
        '"../nixpkgs"`'
    ),
)

RELEASE_MISSING: Final = Message(
    "E208",
    "pin `{name}` needs `release`",
    label="a date alone is not enough",
    notes=(
        (
            "several releases of nixpkgs are maintained at the same time, so a date alone does not "
            "show which packages there are"
        ),
    ),
    help="write the `release` as well, or remove the `date`",
)

COMPUTED_PATH: Final = Message(
    "E305",
    "`path` of a pin needs a plain string",
    label="differs from variant to variant",
    help="write one pin for each, and choose between them: `pin = if C then p else q`",
)

NO_NIXPKGS: Final = Message(
    "E703",
    "there is no nixpkgs at `{text}`",
    label="this leads to `{file}`",
    notes=("{reason}",),
    help=(
        "write a path relative to the folder of this `.tvar` file; it must name the folder that "
        "contains `default.nix`"
    ),
)

UNKNOWN_FIELD: Final = Message(
    "E210",
    "a pin has no field `{name}`",
    label="unknown field",
    notes=(
        "fields: {known}",
        "blocks: {blocks}",
    ),
    help=(DID_YOU_MEAN, "remove it, or write one of these fields or blocks"),
    edit="{guess}",
)

ONLY_FIELDS: Final = Message(
    "E209",
    "a pin can only contain fields and blocks",
    label="not allowed here",
    help="write `field = value`; the value can be an `if`; `when` is allowed only in {blocks}",
)
