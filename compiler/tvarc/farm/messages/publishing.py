"""Messages on images of variants, and on the places to which a workflow publishes."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

_PLACES: Final = "`publish` of an output must be a record of places"
_PLACE: Final = 'write `publish = {{ store = {{ to = "s3://my-cache" }} }}`'

NO_RECORD: Final = Message("E403", _PLACES, label="this is {kind}", help=_PLACE)

UNKNOWN_PLACE: Final = replace(
    NO_RECORD,
    label="there is no place `{place}`",
    notes=("places: {known}",),
    help=(DID_YOU_MEAN, _PLACE),
)

PLACE_NO_RECORD: Final = replace(NO_RECORD, label="`{place}` must be a record, this is {kind}")

UNKNOWN_FIELD: Final = Message(
    "E403",
    "`{place}` of `publish` has no field `{key}`",
    label="unknown field",
    notes=("fields: {known}",),
    help=(DID_YOU_MEAN, "leave the field out"),
)

BAD_VALUE: Final = Message(
    "E403",
    "`{key}` of the place `{place}` must be {wanted}",
    label="{label}",
    notes=("{more}",),
)

NO_LIST: Final = Message(
    "E403",
    "`secrets` of the place `{place}` must be a list of names",
    label="this is {kind}",
    help='write `secrets = ["AWS_ACCESS_KEY_ID"]`',
)

BAD_SECRET: Final = Message(
    "E403",
    "`{name}` cannot be a secret of the place `{place}`",
    label="{reason}",
    help="give the secret another name in the settings of the repository, and write that",
)

NO_FIELD: Final = Message(
    "E507",
    "the place `{place}` of `publish` lacks `{key}`",
    label="`{key}` missing",
    help="add `{key} = …` to `{place}`",
)

NO_PACKAGES: Final = Message(
    "E507",
    "output `{output}` cannot publish with Flox",
    label="Flox publishes the packages in `.flox/pkgs`",
    help='add `output flox {{ file = ".flox/pkgs/{{{{variant}}}}.nix" }}`',
)

NO_SET_OF_IMAGES: Final = Message(
    "E507",
    "the images of output `{output}` need one file with all variants",
    label="they take the variants from it",
    help='add `output all: all {{ file = "default.nix" }}`',
)

BAD_IMAGE: Final = Message(
    "E403",
    "`{key}` of an image must be {wanted}",
    label="{shown}, for {variant}",
    notes=("{more}",),
    help="write {example}",
)

SAME_IMAGE: Final = Message(
    "E402",
    "output `{output}` makes two images with the same name and tag",
    label="this must differ between variants",
    notes=("{cell} and {other_cell}", "also for {more}"),
    help="write every axis that differs between them into the `tag` or the `name`",
)
