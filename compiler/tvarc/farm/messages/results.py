"""Messages on the ledger of results."""

from __future__ import annotations

from tvarc.light import Final
from tvarc.text.diagnostics.message import Message

NO_RESULT: Final = Message(
    "E918",
    "`{where}` is not a result of a run",
    notes=("{reason}",),
    help="remove the line, and run `tvarc realise --record` for what it was about",
)

NEWER: Final = Message(
    "E918",
    "`{where}` is a result of a newer tvarc",
    notes=("it has version {version} of results, and this tvarc reads version {known}",),
    help="use the tvarc that wrote it",
)

CONFLICT: Final = Message(
    "E918",
    "`{where}` has a conflict of git",
    help=(
        "remove the lines that begin with `<<<<<<<`, `|||||||`, `=======` and `>>>>>>>`, and keep "
        "all others: the results of both sides are results",
    ),
    notes=("git merges ledgers without conflicts by `/{name} merge=union` in `.gitattributes`",),
)

CANNOT_READ: Final = Message(
    "E918",
    "cannot read results from `{file}`",
    notes=("{reason}",),
    help="remove the file, or bring back the one of the last commit",
)

_WRITABLE: Final = "make the folder writable, and free disk space if there is none"

NOT_WRITTEN: Final = Message(
    "E802",
    "the results of the run cannot be written to `{file}`",
    notes=("{reason}",),
    help=f"{_WRITABLE}; or run it without `--record`",
)

NOT_RECORDED: Final = Message(
    "W316",
    "the results of this run are not recorded in `{file}`",
    notes=("{reason}",),
    help=_WRITABLE,
)
