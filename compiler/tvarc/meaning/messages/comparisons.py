"""Messages on comparisons."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

NO_ORDER: Final = Message(
    "E303",
    "{kind} cannot be compared with `{op}`",
    help=(
        "`<`, `<=`, `>` and `>=` compare versions, integers and strings: for a row, name one of "
        "its fields"
    ),
)

COMPARES_NIX: Final = Message(
    "E302",
    "a comparison uses a value that only Nix knows",
    label="known only when Nix runs",
    help="compare axes, flags or facts",
)

NO_LIST: Final = Message(
    "E301",
    "`{op}` needs a list on its right side",
    label="this is {kind}",
    help="{advice}",
)

IS_ON_VALUE: Final = Message(
    "E303",
    "`is` works only on `recipe`, `matrix` and `pin`",
    help="write `recipe is NAME` or `pin is none`; use `==` to compare values",
)

KEY_IS_NO_TEXT: Final = Message(
    "E301",
    "`{op}` looks for a key of a record, and a key is a string",
    label="this is {kind}",
    other="the record",
    help="write `{text} {op} {right}`",
)

_ITSELF: Final = Message("E212", "`{text}` is compared with itself", label="always {always}")

AXIS_WITH_ITSELF: Final = replace(
    _ITSELF, help="compare it with a value, such as `{text} == {first}`"
)

WITH_ITSELF: Final = replace(_ITSELF, help="compare it with one of its possible values")

DIFFERENT_TYPES: Final = Message(
    "E303",
    "{kind} and {other_kind} cannot be compared",
    label="is {left}",
    other="is {right}",
    notes=("values of different types are never equal and have no order",),
    help="{advice}",
)
