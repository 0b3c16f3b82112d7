"""Messages on parts of texts and scripts."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

_NO_PART: Final = Message("E503", "{path} has no part `{anchor}`", label="unknown part")

NO_NEIGHBOUR: Final = replace(
    _NO_PART,
    notes=("parts: {parts}",),
    help=(
        DID_YOU_MEAN,
        "name a part that exists: `{placement} {known}`",
    ),
    edit="{guess}",
)

ONLY_PART: Final = replace(_NO_PART, help="there is no other part: remove `{placement} {anchor}`")

NO_SUCH_PART: Final = Message(
    "E502",
    "{path} has no part `{key}`",
    label="nothing to remove",
    help="correct the name, or remove this line",
)

PART_IS_NO_TEXT: Final = Message(
    "E301",
    "a part of {path} must be a string",
    label="this is {kind}: {value}",
)
