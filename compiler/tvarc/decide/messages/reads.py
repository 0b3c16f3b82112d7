"""Messages on settings that are read."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

UNSET: Final = Message(
    "E201",
    "nothing sets `{name}`",
    label="not set in this variant",
    other="unset here",
    help=(
        DID_YOU_MEAN,
        "for the package's own value, write `old.{key}`",
    ),
    edit="{guess}",
)

WHOLE_SCRIPT: Final = Message(
    "E302",
    "only Nix knows the whole script `{key}`",
    label="it begins with the package's own script",
)

WHOLE_VALUE: Final = Message(
    "E302",
    "only Nix knows the whole value of `{name}`",
    label="part of it is the package's own value",
    help="write your part of the value as a `let`, and use the `let` in both places",
)

CIRCLE: Final = Message(
    "E205",
    "`{group}` depends on itself",
    label="depends on its own value",
    notes=("{ring}",),
    help="give one of them a value that does not depend on the others",
)

READ_IN_OVERLAY: Final = Message(
    "E302",
    "overlay `{overlay}` cannot read `{name}`",
    label="this is a setting of the recipe",
    notes=("overlays change nixpkgs before the recipe takes its package from it",),
    help="use axes, plain `let`s or flags of the recipe",
)
