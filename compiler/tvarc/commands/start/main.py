"""The entry point: runs a command and turns whatever happens into an exit code."""

from __future__ import annotations

import gc
import os
import sys

from tvarc import RECURSION_LIMIT
from tvarc.commands.line import exits
from tvarc.commands.line.console import (
    StreamFailed,
    close_streams,
    discard,
    for_people,
    open_streams,
)
from tvarc.commands.line.exits import heed_signals, interrupted
from tvarc.light import TYPE_CHECKING, NoReturn, Sequence, suppress

if TYPE_CHECKING:
    from typer import Typer

_BETWEEN_COLLECTIONS = (200_000, 20, 100)
_COMPLETING = "_TVARC_COMPLETE"


class FolderGone(Exception):
    """The folder in which the command was started no longer exists."""


def process() -> NoReturn:
    """Run the whole process: like `main`, but end immediately. Nothing is left to do, and freeing
    all objects would take a tenth of a short command."""
    try:
        try:
            main()
        except SystemExit as end:
            for stream in (sys.stdout, sys.stderr):
                with suppress(OSError, ValueError, AttributeError):  # closed, refused, or not there
                    stream.flush()
            os._exit(end.code if isinstance(end.code, int) else exits.FAILED)
    except KeyboardInterrupt as fault:  # all is done but to say so
        os._exit(interrupted(fault))


def main() -> NoReturn:
    """Run the command line and exit; see `tvarc.commands.line.exits` for the codes."""
    sys.setrecursionlimit(RECURSION_LIMIT)
    # There are few reference cycles. A search every 700 objects takes a tenth of a short command.
    gc.set_threshold(*_BETWEEN_COLLECTIONS)
    sys.exit(_guarded())


def _guarded() -> int:
    try:
        heed_signals()
        open_streams()
        code = _run()
        close_streams()
    except KeyboardInterrupt as fault:
        code = interrupted(fault)
    except FolderGone:
        code = _ended("error: the current folder is gone: change to another", exits.FAILED)
    except StreamFailed as fault:
        code = _ended(f"error: the output cannot be written: {fault}", exits.FAILED)
    except Exception as bug:
        if os.environ.get(_COMPLETING):
            return exits.FAILED
        from tvarc.commands.start.bug import bug_text

        whole = os.environ.get("TVARC_TRACEBACK") == "1"
        code = _ended(bug_text(bug, whole=whole), exits.BUG)
    return code


def _run() -> int:
    """The exit code of the command."""
    words = sys.argv[1:]
    try:
        if _COMPLETING in os.environ:
            return _library()
        code = _ordinary(words)
        if code is None:
            code = _library()
    except FileNotFoundError as fault:
        # Commands handle errors of given files, so this is an error of the current folder.
        raise FolderGone from fault
    except OSError as fault:
        # Help could not be printed. Commands handle errors of their own output.
        raise StreamFailed(fault.strerror or str(fault)) from fault
    return code


def _ordinary(words: Sequence[str]) -> int | None:
    """The exit code of a command; None if the line is not simple, or misuses the command."""
    from tvarc.commands.line.arguments import Misused, read

    given = read(words)
    try:
        return given.run() if given is not None else None
    except Misused:
        return None


def _library() -> int:
    """The exit code of a command whose line the library reads. The library's report of a wrong line
    quotes the line, so it is escaped like all output."""
    from tvarc.commands.start.app import app, wrong_line

    if _COMPLETING in os.environ:
        _narrow(app)
    try:
        code = app(prog_name="tvarc", standalone_mode=False)
    except SystemExit as end:
        code = end.code
    except Exception as fault:
        wrong = wrong_line(fault)
        if wrong is None:
            raise
        return _ended(*wrong)
    if isinstance(code, int):
        return code
    return exits.OK if code is None else exits.FAILED


def _narrow(app: Typer) -> None:
    """Keep only the command whose words are completed, because preparing all commands takes longer
    than the completion."""
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = line.split()
    beyond = len(words) > 2 or (len(words) == 2 and line[-1:].isspace())
    known = {
        one.name or one.callback.__name__: one for one in app.registered_commands if one.callback
    }
    if beyond and words[1] in known:
        app.registered_commands = [known[words[1]]]


def _ended(text: str, code: int) -> int:
    try:
        if sys.stderr is not None:
            sys.stderr.write(for_people(sys.stderr, text.removesuffix("\n") + "\n"))
            sys.stderr.flush()
    except OSError:
        discard(sys.stderr)
    return code
