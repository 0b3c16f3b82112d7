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

NO_RELEASE: Final = Message(
    "E704",
    "`{name}` is not a supported release of nixpkgs",
    label="{why}",
    help="{advice}",
)

NO_HASH: Final = Message("E701", "`{name}` is not an SRI hash", label="{why}", help="{advice}")

NO_COMMIT: Final = Message("E702", "`{name}` is not a commit", label="{why}", help="{advice}")

NO_ADDRESS: Final = Message("E703", "`{name}` is not an address", label="{why}", help="{advice}")

NO_REPOSITORY: Final = Message(
    "E703", "`{name}` is not `owner/name`", label="{why}", help="{advice}"
)

NO_PATH: Final = Message("E703", "`{name}` is not a relative path", label="{why}", help="{advice}")

NO_DATE: Final = Message("E704", "`{name}` is not a date", label="{why}", help="{advice}")
