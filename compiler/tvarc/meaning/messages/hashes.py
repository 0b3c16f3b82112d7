"""Messages on hashes and sources of expressions."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

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

NO_REV_OR_TAG: Final = Message(
    "E703",
    "a GitHub source needs either a `rev` or a `tag`",
    label="neither is given",
    help='write `github("owner/name", tag = "v1.0", hash = "sha256-…")`',
)

HASH_IS_NULL: Final = Message(
    "E701",
    "a source needs its hash",
    label="`hash` is null",
    notes=("Nix does not fetch a source without a hash",),
    help="write `hash = unlocked`, then run `tvarc lock`",
)

NO_HASH: Final = Message(
    "E701",
    "a source needs its hash",
    label="`hash` missing",
    notes=("Nix does not fetch a source without a hash",),
    help="write `hash = unlocked`, then run `tvarc lock`",
)
