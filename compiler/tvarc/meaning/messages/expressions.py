"""Messages on expressions of a source."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

STAR_ON_VALUES: Final = Message(
    "E209",
    "`*` works only on axes",
    label="not a value",
    help="use it in a matrix: `axes = gpu * isa`",
)

NO_TRUTH: Final = Message(
    "E301",
    "`{what}` needs true or false",
    label="this is {kind}",
    help=(
        "write the whole comparison again: `{again}`",
        "for a value that may be null, write `if {choice} != null then {choice} else {default}`",
        "write `{axis} == {expr}`, or a value for each axis: `{cells}`",
        "write `{axis} == {expr}`",
        "compare it: `{expr} == {row}`, or read a field",
        "compare it: `{expr} == {value}`",
        "write `{entries}`, without braces",
        "write a comparison",
    ),
)

READS_NIX: Final = Message(
    "E302",
    "{what} reads a value that only Nix knows",
    label="known only when Nix runs",
    notes=("the compiler decides variants, names and conditions before Nix runs",),
    help="use axes, flags or facts here",
)

UNKNOWN_FIELD: Final = Message(
    "E207",
    "`{owner}` has no field `{name}`",
    label="unknown field",
    notes=("its fields: {fields}",),
    help=(DID_YOU_MEAN, "write one of these fields"),
    edit="{guess}",
)

PICKS_SEVERAL: Final = Message(
    "E209",
    "only `axis` and `axes` can pick several values",
    help="write one expression in the brackets",
)

NIX_IN_NIX: Final = Message(
    "E302",
    "in Nix text, `{{{{…}}}}` needs a value that the compiler knows",
    label="known only when Nix runs",
    notes=("the compiler writes the value into the Nix text",),
    help="{advice}",
)
