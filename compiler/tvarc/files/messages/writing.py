"""Messages on single files that are not written."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

NOT_WRITTEN: Final = Message("E802", "`{file}` cannot be written: {reason}")

CHANGED_SINCE: Final = Message(
    "E802",
    "`{file}` cannot be written: it was changed since it was read",
    help="run the command again",
)

NO_COPY: Final = Message("E802", "no copy of `{file}` can be written: {reason}")

IN_THE_WAY: Final = Message(
    "E801",
    "`{file}` is in the way: tvarc did not write it",
    help=("move it away, or add `{option}`", "move it away"),
)
