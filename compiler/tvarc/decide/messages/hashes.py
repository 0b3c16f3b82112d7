"""Messages on hashes of sources."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

TWO_HASHES: Final = Message(
    "E942",
    "{source} has two hashes",
    label="{label}",
    notes=(
        "known: {first}\nnew:   {second}",
        "one address has one content: either the content changed, or one hash is a mistake",
    ),
    help=(
        "find out why; if the new hash is right, remove the old one from {lock}, or replace "
        "it in the source with `hash = unlocked`, then run `tvarc lock`"
    ),
)

NOT_LOCKED: Final = Message(
    "E941",
    "{name} is not locked",
    label="{lock} has no hash for it",
    notes=("`--locked` needs a known hash for every source",),
    help=(
        'the library has it: write `hash = "{known}"`; or run `tvarc lock`, and commit {lock}',
        "run `tvarc lock`, and commit {lock}",
    ),
)

UNLOCKED_WITHOUT_SOURCE: Final = Message(
    "E302",
    "`unlocked` needs a source that the compiler knows",
    label="the source of this hash is not known",
    notes=("`tvarc lock` uses the `src` next to this hash, and there is none",),
    help="write the hash, or write `src = …` next to it",
)

UNLOCKED_OF_NIX: Final = replace(
    UNLOCKED_WITHOUT_SOURCE, notes=("`{key}` is known only when Nix runs",), help="write the hash"
)

FAKE_UNTIL_LOCKED: Final = Message(
    "W002",
    "{name} is built with a fake hash",
    label="{lock} has no hash for it",
    notes=("Nix will refuse the download, and print the hash that it found",),
    help=(
        'the library has it: write `hash = "{known}"`; or run `tvarc lock`, or `tvarc lock '
        "--from-log FILE` on what Nix printed",
        "run `tvarc lock`, or `tvarc lock --from-log FILE` on what Nix printed",
    ),
)

FAKE_NOT_LOCKED: Final = Message(
    "E941",
    "{name} is not locked",
    label="no content has this hash",
    notes=("Nix will refuse the download, and print the hash that it found",),
    help=(
        "write `{unlocked}` in its place and run `tvarc lock`, or write the right hash",
        "write the right hash, which Nix prints; `tvarc lock` finds only the hashes of `github`, "
        "`url` and `call`",
    ),
)

FAKE: Final = replace(
    FAKE_UNTIL_LOCKED,
    label="no content has this hash",
    help=(
        "write `{unlocked}` in its place and run `tvarc lock`, or write the right hash",
        "write the right hash, which Nix prints; `tvarc lock` finds only the hashes of `github`, "
        "`url` and `call`",
    ),
)
