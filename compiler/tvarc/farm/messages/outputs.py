"""Messages on the files of outputs for other systems."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

SAME_FILE: Final = Message(
    "E402",
    "outputs `{first}` and `{output}` have the same file",
    label="`{path}`",
    other="here too",
    help="give one of them another file",
)

FILE_TWICE: Final = Message(
    "E402",
    "output `{output}` has the same file twice",
    label="`{path}`",
    other="here too",
    help="give one of them another file",
)
