"""Messages on the needs of variants."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NO_NEEDED_VARIANT: Final = Message(
    "E408",
    "`{link}` does not have the needed variant",
    label="not built",
    help='build that variant; or drop the cells that need it: `needs … or exclude because "…"`',
)

UNKNOWN_NEED: Final = Message(
    "E201",
    "`needs.{ref}` is not defined",
    label="unknown need",
    help=(
        DID_YOU_MEAN,
        "write `needs {ref} = …` in recipe `{recipe}`",
    ),
    edit="{guess}",
)

NEED_OF_OTHER_VARIANTS: Final = Message(
    "E201",
    "`needs.{ref}` is not defined",
    label="not needed by this variant",
    notes=("a `when` decides whether `{variant}` has this need",),
    help=(
        DID_YOU_MEAN,
        "write `needs {ref} = …` in recipe `{recipe}`, outside of the `when`",
    ),
)

_WRONG_NEED: Final = Message(
    "E301",
    "`needs {name}` must be a matrix, a recipe or a Nix value",
    help="write `needs x = MATRIX[AXIS where …]`, `needs x = RECIPE` or "
    "`needs x = call(file(INPUT, …), {{}})`",
)

BAD_NEED: Final = replace(_WRONG_NEED, label="this is {kind}")

SOURCE_AS_NEED: Final = replace(_WRONG_NEED, label="a source")

NOT_SET_IN_NEED: Final = Message(
    "E201",
    "`{name}` of `needs.{need}` is not known",
    label="`{variant}` does not set it, or sets only a part of it",
    help="to let Nix read it, write `needs.{need}.{last}`",
)

NEED_OF_NIX: Final = Message(
    "E302",
    "`{name}` of `needs.{need}` is not known",
    label="this need is a Nix value, and only Nix knows it",
    help="to let Nix read it, write `needs.{need}.{last}`",
)
