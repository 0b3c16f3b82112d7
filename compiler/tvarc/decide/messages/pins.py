"""Messages on pins and their platforms."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

CONFIG_WITHOUT_PIN: Final = Message(
    "E506",
    "`config` needs a pin",
    label="set here",
    notes=("with `pin = none`, the caller chooses and configures nixpkgs",),
    help="remove the setting, or choose a pin",
)

_NO_PIN: Final = Message("E506", "recipe `{recipe}` has no pin", label="`pin` missing")

NO_PIN_CHOSEN: Final = replace(
    _NO_PIN, notes=("there are several pins: {names}",), help="write `pin = NAME` in the recipe"
)

NO_PIN_HERE: Final = replace(
    _NO_PIN,
    other="set here, if its condition holds",
    notes=("no condition of a `pin` holds {cell}",),
    help="add these variants to one of the conditions; or write `pin = NAME` without a condition, "
    "for all variants that no `when` mentions",
)

NO_PIN_DECLARED: Final = replace(
    _NO_PIN,
    notes=("the program declares no pin",),
    help='declare one: `pin nixpkgs {{ github = "NixOS/nixpkgs", rev = "COMMIT" }}`; or write `pin '
    "= none` in the recipe, then the caller passes the packages",
)

NO_PLATFORM: Final = Message(
    "E507",
    "`crossSystem` of pin `{pin}` does not name a platform",
    label="`system` or `config` missing",
    notes=("only `localSystem` has a default: the platform of the caller",),
    help='write `system = "aarch64-linux"`, or `config = "aarch64-unknown-linux-gnu"`',
)

BAD_PIN: Final = Message(
    "E301",
    "`pin` must be the name of a pin, or `none`",
    label="this is {kind}",
    help="declare one, `pin NAME {{ … }}`, and write its name",
)

BAD_PLATFORM: Final = Message(
    "E301",
    "`{key}` of a platform must be a string",
    label="this is {kind}",
)
