"""Messages on states of a program that are compared."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

SHALLOW_CLONE: Final = Message(
    "E911",
    "cannot compare with `{against}`",
    notes=("it is not a file or a folder, and {fault}",),
    help="{advice}",
)

NO_STATE: Final = Message(
    "E911",
    "cannot compare with `{against}`",
    notes=("it is not a file or a folder, and {fault}",),
    help="name a commit, such as HEAD~1, or a folder or file with another state of the program",
)
