"""Messages on the checks of a program: `require` and `warn`."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

HOLDS: Final = Message(
    "W001",
    "{name}{reason}",
    label="this holds",
    notes=("for {count}: {listed}",),
    help='change these variants, or write `warn {name} = off because "…"`',
    name="{name}",
)

NOT_MET: Final = Message(
    "E405",
    "a requirement is not met{reason}",
    label="does not hold",
    notes=("for {count}: {listed}",),
    help="change the settings, or drop these cells with `exclude`",
)
