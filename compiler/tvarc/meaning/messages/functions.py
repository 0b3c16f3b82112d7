"""Messages on functions and their arguments, such as the hash of a source."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

UNKNOWN_FUNCTION: Final = Message(
    "E211",
    "there is no function `{name}`",
    label="unknown function",
    notes=("functions: {known}",),
    help=(DID_YOU_MEAN, "{advice}"),
    edit="{guess}",
)

COMPUTED_PATH: Final = Message(
    "E305",
    "`path` needs a plain string",
    label="differs from variant to variant",
    help='write a `path("…")` for each, and choose: `if … then path("./a") else …`',
)

EMPTY_PATH: Final = Message(
    "E305",
    "`path` names no file",
)

UNKNOWN_ARGUMENT: Final = Message(
    "E211",
    "`{function}` has no argument `{name}`",
    label="unknown argument",
    notes=("{form}",),
    help=(
        "{advice}",
        DID_YOU_MEAN,
    ),
    edit="{guess}",
)

ARGUMENT_TWICE: Final = Message(
    "E211",
    "`{name}` is given twice",
    label="again here",
)

ARGUMENTS_MISSING: Final = Message(
    "E211",
    "`{function}` needs `{missing}`",
    label="argument missing",
    notes=("{form}",),
)

ARGUMENT_OF_NIX: Final = Message(
    "E302",
    "`{function}` needs a value that the compiler knows",
    label="only Nix knows this value",
)

ARGUMENT_OF_OTHER_TYPE: Final = Message(
    "E301",
    "`{name}` of `{function}` is {kind}",
    label="expected {kinds}",
    notes=("{form}",),
)

NO_USE: Final = Message(
    "E305",
    "`{function}` cannot use this value",
    label="{fault}",
)

CALLS_NO_FUNCTION: Final = Message(
    "E301",
    "`call` needs a function of Nix",
    label="this is {kind}",
    help='write `call(pkgs.NAME, …)`, or `call(path("./f.nix"), …)` for a function in a file',
)

CALL_WITHOUT_ARGUMENT: Final = Message(
    "E211",
    "`call` needs an argument for the function",
    label="argument missing",
    help="write named arguments as a record: `call(F, {{ name = value }})`",
)

TOO_MANY_ARGUMENTS: Final = Message(
    "E211",
    "too many arguments for `{function}`",
    label="this argument is one too many",
    notes=("{form}",),
)

ARGUMENT_WITHOUT_NAME: Final = replace(
    TOO_MANY_ARGUMENTS, help="write it with its name: `NAME = value`"
)

UNLOCKED_OF_NIX: Final = Message(
    "E302",
    "`hash = unlocked` needs a source that the compiler knows",
    label="known only when Nix runs",
    notes=("`tvarc lock` can only fetch a source that is written out in the program",),
    help="write its hash",
)

REV_AND_TAG: Final = Message(
    "E703",
    "a GitHub source needs either a `rev` or a `tag`",
    label="both are given",
    help='write `github("owner/name", tag = "v1.0", hash = "sha256-…")`',
)

NO_REV_OR_TAG: Final = replace(REV_AND_TAG, label="neither is given")

HASH_IS_NULL: Final = Message(
    "E701",
    "a source needs its hash",
    label="`hash` is null",
    notes=("Nix does not fetch a source without a hash",),
    help="write `hash = unlocked`, then run `tvarc lock`",
)

NO_HASH: Final = replace(HASH_IS_NULL, label="`hash` missing")
