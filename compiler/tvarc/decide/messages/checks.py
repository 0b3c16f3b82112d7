"""Messages on the checks of a program: `require`, `warn`, and declarations without an effect."""

from __future__ import annotations

from tvarc.light import Final, replace
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

NO_SUCH_WARNING: Final = Message(
    "E606",
    "warning `{off}` does not occur",
    label="nothing to silence",
    help="remove this line",
)

UNREAD_NEED: Final = Message(
    "E609",
    "nothing reads `needs.{name}`",
    label="this has no effect",
    help="pass it to the package, `args {{ {name} = needs.{name} }}`, or remove it",
)

_WITHOUT_EFFECT: Final = Message("E601", "this `exclude` drops nothing", label="no cell matches")

DROPS_NOTHING: Final = replace(_WITHOUT_EFFECT, help="remove it, or correct the condition")

APPLIES_TO_NOTHING: Final = replace(
    _WITHOUT_EFFECT,
    notes=("no matrix has all the axes that it names",),
    help="remove it, or correct the condition",
)

MODULE_DROPS_NOTHING: Final = replace(
    _WITHOUT_EFFECT, help="remove it, or give a matrix the axes and values that the module names"
)

UNUSED_OVERLAY: Final = Message(
    "E603",
    "no variant uses overlay `{name}`",
    label="never applied",
    help="list it in a recipe: `overlays += [{name}]`, or remove it",
)

UNUSED_MIXIN: Final = Message(
    "E610",
    "no recipe has mixin `{name}`",
    label="never applied",
    help="give it to a recipe, `recipe NAME with {name} {{ … }}`, or remove it",
)

UNUSED_PATCH: Final = Message(
    "E604",
    "no variant uses patch `{name}`",
    label="never applied",
    help="list it in a recipe: `overlays += [{name}]`, or remove it",
)

HOLDS_FOR_NONE: Final = Message(
    "E602",
    "this condition holds for no variant",
    label="never true",
    notes=("its settings have no effect",),
    help="remove it, or correct the condition",
)

ELSE_FOR_NONE: Final = Message(
    "E602",
    "this `else` applies to no variant",
    label="a condition before it always holds",
    notes=("its settings have no effect",),
    help="remove it, or correct the conditions before it",
)

UNREAD_FLAG: Final = Message(
    "E605",
    "nothing reads flag `{flag}`",
    label="this has no effect",
    help="read it, `when {flag} {{ … }}`, or remove it",
)

UNUSED_INPUT: Final = Message(
    "E608",
    "no variant uses input `{source}`",
    label="never used",
    help='use a file of it, `file({source}, "…")`, or remove it',
)

INCLUDES_NOTHING: Final = Message(
    "E601",
    "this names no cell of the matrix",
    label="includes nothing",
    help="remove it, or correct its condition",
)
