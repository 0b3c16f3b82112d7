"""Messages on texts with a fixed form, such as versions and hashes."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

NO_VERSION: Final = Message(
    "E301",
    "`{name}` must be a version",
    label="this is {kind}",
    help="write it without quotes, such as `release = 25.11`",
)

NO_STRING: Final = Message(
    "E301",
    "`{name}` must be a string",
    label="this is {kind}",
)
