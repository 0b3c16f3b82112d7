"""The temporary folder with the files that Nix reads during a command."""

# pathlib costs too much at start.
from __future__ import annotations

import os
from tempfile import TemporaryDirectory, gettempdir, mkdtemp

from tvarc.files.disk import report_unreadable
from tvarc.files.output.leftovers import Held, clear_abandoned
from tvarc.light import Callable, Final, TypeVar
from tvarc.nix import messages as msg
from tvarc.nix.judge.nix import NotInstalled, refuse_missing
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource

T = TypeVar("T")
_PREFIX: Final = "tvarc-nix-"
_KEPT: Final = "tvarc-kept-"  # a folder whose path is printed: no run removes it


def in_folder(asks: Callable[[str], T | None], sink: Sink, wants: str, help_: str) -> T | None:
    """The result of *asks*, which runs Nix on the files that it writes into a new folder. The
    folder is removed afterwards. None after reporting that the folder cannot be made, that the
    system refuses to write to it, or that Nix is missing: *wants* says why Nix is needed, *help_*
    what works without it.
    """
    try:
        clear_abandoned(gettempdir(), _PREFIX)
        made = TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True)
    except OSError as fault:
        _refuse_folder(sink, fault)
        return None
    with made as folder:
        try:
            with Held(folder):
                return asks(folder)
        except NotInstalled:
            refuse_missing(sink, wants, help_)
        except OSError as fault:
            _refuse_content(sink, fault, folder)
    return None


def in_lasting_folder(writes: Callable[[str], T], sink: Sink) -> T | None:
    """The result of *writes*, which writes into a new folder. The folder is kept. None after
    reporting that the folder does not exist, or that the system refuses to write to it."""
    try:
        folder = mkdtemp(prefix=_KEPT)
    except OSError as fault:
        _refuse_folder(sink, fault)
        return None
    try:
        return writes(folder)
    except OSError as fault:
        _refuse_content(sink, fault, folder)
        return None


def _refuse_folder(sink: Sink, fault: OSError) -> None:
    sink.report(msg.evaluation.NO_FOLDER, fault=_reason(fault))


def _refuse_content(sink: Sink, fault: OSError, folder: str) -> None:
    """Report the error that prevents writing the files for Nix into *folder*."""
    file = os.fsdecode(fault.filename) if isinstance(fault.filename, str | bytes) else ""
    if not fault.errno:  # a name that Nix text cannot have
        sink.report(msg.evaluation.NO_PATH, fault=_reason(fault))
    elif not file or f"{os.path.realpath(file)}/".startswith(f"{os.path.realpath(folder)}/"):
        sink.report(msg.evaluation.NOT_WRITTEN, fault=_reason(fault))
    else:
        unreadable = UnreadableSource(file, fault.strerror or str(fault))
        advice = "Nix needs this file: check the path and the permissions"
        report_unreadable(unreadable, sink, advice=advice)


def _reason(fault: OSError) -> str:
    reason = fault.strerror or f"{fault}"
    return f"{fault.filename}: {reason}" if fault.filename else reason
