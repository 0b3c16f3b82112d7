"""Messages on overlays."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NO_PYTHON_SET: Final = Message(
    "E301",
    "`via = extensions` works only for sets of Python packages",
    label="`{name}` is not one",
    help="write another `via`: `scope` (`.overrideScope`), `extend` (`.extend`) or `update` (`//`)",
)

CHANGES_NOTHING: Final = Message(
    "E507",
    "overlay `{name}` changes nothing",
    label="empty",
    help="write `name = value` in its braces, or remove it",
)

EMPTY_PACKAGE: Final = Message(
    "E210",
    "the name of a package is empty",
    label="empty",
)

UNKNOWN_BLOCK: Final = Message(
    "E210",
    "an overlay has no block `{name}`",
    label="unknown block",
    help=(
        DID_YOU_MEAN,
        (
            "write attributes without a block; an overlay `for` one package can have the blocks "
            "{known}"
        ),
    ),
    edit="{guess}",
)

VIA_WITHOUT_SET: Final = Message(
    "E210",
    "`via` works only for a package set",
    label="this overlay changes no package set",
)

BAD_VIA: Final = Message(
    "E301",
    "`via` must be extensions, override, scope, extend or update",
    label="unknown form",
    help=DID_YOU_MEAN,
    edit="{guess}",
)

ONLY_ATTRIBUTES: Final = Message(
    "E209",
    "an overlay can only set attributes",
    label="not allowed here",
    help="write `name = value`",
)
