"""Messages on the images of variants."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

NO_SET: Final = Message(
    "E507",
    "the images of output `{output}` need one file with all variants",
    label="they take the variants from it",
    help='add `output all: all {{ file = "default.nix" }}`',
)

BAD_VALUE: Final = Message(
    "E403",
    "`{key}` of an image must be {wanted}",
    label="{shown}, for {variant}",
    help="write `{example}",
)
