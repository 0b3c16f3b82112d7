"""Messages on files that cannot be read."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

UNREADABLE: Final = Message(
    "E106", "cannot read `{file}`", label="{label}", notes=("{reason}",), help="{advice}"
)

NOT_UTF8: Final = Message(
    "E107", "cannot read `{file}`", label="{label}", notes=("{reason}",), help="{advice}"
)

TOO_LARGE: Final = Message(
    "E108", "cannot read `{file}`", label="{label}", notes=("{reason}",), help="{advice}"
)
