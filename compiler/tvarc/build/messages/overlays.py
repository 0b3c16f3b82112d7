"""Messages on overlays with `until`."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import DID_YOU_MEAN, Message

NO_PIN_TO_OVERTAKE: Final = Message(
    "E505",
    "no variant has a pin `{name}` and an overlay with `until`",
    notes=("pins: {names}",),
    help=DID_YOU_MEAN,
)

NO_COMMIT_OR_FOLDER: Final = Message(
    "E702",
    "`{wanted}` is neither a commit nor a folder",
    notes=("{why}",),
    help="{advice}",
)

PIN_OF_FOLDER: Final = Message(
    "E505",
    "pin `{pin}` does not name a commit",
    label="this is a folder",
    help="write a folder with another nixpkgs: `--pin {pin}=../nixpkgs`",
)

PIN_WITHOUT_COMMIT: Final = replace(PIN_OF_FOLDER, label="this address names no commit")

NO_VERSIONS: Final = Message(
    "E944",
    "Nix cannot find the versions of packages",
    notes=("{words}",),
    help="name a commit of the pinned repository, or a folder with a nixpkgs, with `--pin`",
)
