"""Messages on limits of evaluation."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

TEXT_TOO_LONG: Final = Message(
    "E308",
    "the string is too long",
    label="over {most} characters",
    help="shorten it, or keep it in a file and use `path(…)`",
)

TAKES_TOO_LONG: Final = Message(
    "E308",
    "the evaluation takes too long",
    label="over {most} steps",
    help="shorten it: each `let` that uses another one several times multiplies its size",
)

VALUE_TOO_LARGE: Final = Message(
    "E308",
    "the value is too large",
    label="over {most} elements or {characters} characters",
    help="make it smaller, or keep it in a file and use `path(…)`",
)

TOO_MUCH_TEXT: Final = Message(
    "E308",
    "the evaluation makes too many long strings",
    label="over {most} characters in total",
    help="shorten it: each `let` that uses another one several times multiplies its size",
)

ALL_STEPS: Final = Message(
    "E308",
    "{what} takes too long",
    label="over {most} steps in total for all cells",
    help="it is made for many cells: keep it in a file, or make it smaller",
)

ALL_EVALUATIONS: Final = Message(
    "E308",
    "{what} is evaluated too often",
    label="over {most} evaluations in total for all cells",
    help="a value that reads fewer axes is evaluated less often: read fewer axes here; or select "
    "fewer variants with selectors or `--only`",
)

ALL_TEXT: Final = Message(
    "E308",
    "{what} makes too many long strings",
    label="over {most} characters in total for all cells",
    help="it is made for many cells: keep it in a file, or make it smaller",
)

ALL_VALUES: Final = Message(
    "E308",
    "{what} is too large",
    label="over {most} elements or {characters} characters in total for all cells",
    help="it is made for many cells: keep it in a file, or make it smaller",
)
