"""Messages on what a person asks the standard library."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

UNKNOWN_FACT: Final = Message(
    "E907",
    "the standard library has no {what}",
    notes=("it has {known}",),
    help=DID_YOU_MEAN,
)
