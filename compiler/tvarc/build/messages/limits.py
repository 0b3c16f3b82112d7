"""Messages on questions that take too long."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

TOO_MANY_MAPS: Final = Message(
    "E308",
    "`{name}` has too many cells to map them one by one",
    label="over {most} evaluations in total for all cells",
    help="select fewer variants with `--only`",
)

TOO_MANY_DIFFERENCES: Final = Message(
    "E308",
    "the two states have too many differences to compare them",
    label="over {most} evaluations in total for all cells",
    help="compare fewer variants, by selectors",
)
