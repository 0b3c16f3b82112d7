"""The entry point: runs a command and turns whatever happens into an exit code."""

from __future__ import annotations

import os
import sys
import traceback

from tvarc.cli import exits
from tvarc.cli.console import StreamFailed, close_streams, discard, open_streams

_RECURSION = 20_000
_COMPLETING = "_TVARC_COMPLETE"


class FolderGone(Exception):
    """The folder that the command was started in does not exist any more."""


def main() -> None:
    """Run the command line and exit; see `tvarc.cli.exits` for the codes."""
    # What a person may nest is bounded by the parser; this is room for what the stages make of it.
    sys.setrecursionlimit(_RECURSION)
    sys.exit(_guarded())


def _guarded() -> int:
    try:
        open_streams()
        code = _run()
        close_streams()
    except KeyboardInterrupt:
        code = exits.INTERRUPTED
    except FolderGone:
        code = _told("error: the current folder is gone: change to another", exits.FAILED)
    except StreamFailed as fault:
        code = _told(f"error: the output cannot be written: {fault}", exits.FAILED)
    except Exception as bug:
        if os.environ.get(_COMPLETING):
            return exits.FAILED
        code = _told(_bug_text(bug), exits.BUG)
    return code


def _run() -> int:
    """The exit code of the command; the library that reads the arguments ends by SystemExit."""
    from tvarc.cli.app import app

    try:
        app(prog_name="tvarc")
    except FileNotFoundError as fault:
        # Commands handle the files that they are given; what is left is the folder itself.
        raise FolderGone from fault
    except OSError as fault:
        # Help that could not be printed: commands handle their own output.
        raise StreamFailed(fault.strerror or str(fault)) from fault
    except SystemExit as end:
        if isinstance(end.code, int):
            return end.code
        return exits.OK if end.code is None else exits.FAILED
    return exits.OK


def _told(text: str, code: int) -> int:
    try:
        if sys.stderr is not None:
            sys.stderr.write(text + "\n")
            sys.stderr.flush()
    except OSError:
        discard(sys.stderr)
    return code


def _bug_text(bug: Exception) -> str:
    if os.environ.get("TVARC_TRACEBACK") == "1":
        return "".join(traceback.format_exception(bug)).rstrip("\n")
    from tvarc.diagnostics.render_cells import safe

    kind = type(bug).__name__
    what = f"{kind}: {bug}" if str(bug) else kind
    frames = traceback.extract_tb(bug.__traceback__)
    where = ""
    if frames:
        place = "/".join(frames[-1].filename.rsplit("/", 2)[-2:])
        where = f" ({place}, line {frames[-1].lineno})"
    return (
        f"internal error: {safe(what)[:500]}{where}\n"
        "This is a fault of tvarc, not of your program: please report it, with the program and the "
        "command.\nTVARC_TRACEBACK=1 in the environment shows where it happened."
    )
