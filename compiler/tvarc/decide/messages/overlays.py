"""Messages on overlays and their changes."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

OVERLAY_CIRCLE: Final = Message(
    "E205",
    "`{name}` depends on itself",
    label="this uses `{package}`",
    other="this overlay changes `{changed}` with `{name}`",
    notes=("{ring}",),
    help="in the overlay, use `prev.NAME` and not the need; or let the need use another package",
)

NO_SUCH_PACKAGE: Final = Message(
    "E314",
    "`{own}` has no package `{written}`",
    label="not found",
    notes=(
        "`until` looks for the package in the set that the overlay changes, so this means "
        "pkgs.{own}.{written}; begin with `pkgs` for a path from the top of nixpkgs",
    ),
    help="write `until {name} >= {version}`",
)

NO_VERSION: Final = Message(
    "E301",
    "`until` needs a version",
    label="this is {kind}",
    help="write it without quotes, such as `until sympy >= 1.13.1`",
)

NO_OVERLAY: Final = Message(
    "E301",
    "{value} is not an overlay",
    label="this is {kind}",
    help="write a list of the names of overlays and patches",
)

APPLIED_TWICE: Final = Message(
    "E202",
    "`{value}` is applied twice",
    label="again here",
    other="first here",
    help="list it once",
)

EMPTY_TARGET: Final = Message(
    "E301",
    "the target of {kind} `{overlay}` must be a name",
    label="this is empty",
    notes=("{cell}",),
    help="write a string or an axis value in the brackets",
)

BAD_TARGET: Final = replace(EMPTY_TARGET, label="this is {found}")

_NOT_A_LIST: Final = Message("E301", "`overlays` must be a list", label="this is {kind}")

NO_LIST: Final = replace(
    _NOT_A_LIST, help=("write `[{declared}]`", "write a list of the names of overlays and patches")
)

NO_OVERLAYS: Final = replace(_NOT_A_LIST, help="for no overlays, write `[]`")
