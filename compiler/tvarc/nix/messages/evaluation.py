"""Messages on Nix itself, which evaluates recipes."""

from __future__ import annotations

from tvarc.light import Final, replace
from tvarc.text.diagnostics.message import Message

NO_FOLDER: Final = Message(
    "E802",
    "there is no temporary folder for the files that Nix reads",
    notes=("{fault}",),
    help="set `TMPDIR` to a writable folder",
)

NO_PATH: Final = Message(
    "E802",
    "Nix cannot read a path with this name",
    notes=("{fault}",),
    help="rename the folder",
)

NOT_WRITTEN: Final = Message(
    "E802",
    "the files that Nix reads cannot be written",
    notes=("{fault}",),
    help="set `TMPDIR` to a writable folder with enough space",
)

NO_NIX: Final = Message(
    "E912",
    "Nix is not installed here",
    notes=("`{program}` is needed for {wants}",),
    help="{advice}",
)

NO_PROGRAM: Final = replace(NO_NIX, title="`{program}`, a program of Nix, is not installed here")
