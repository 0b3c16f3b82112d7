"""The temporary folder with the files that Nix reads during a command."""

# pathlib costs too much at start.
# ruff: noqa: PTH118, PTH208
from __future__ import annotations

import fcntl
import os
import shutil
import time
from tempfile import TemporaryDirectory, gettempdir, mkdtemp

from tvarc.files.disk import report_unreadable
from tvarc.light import Callable, Final, TypeVar, own_user, suppress
from tvarc.nix import messages as msg
from tvarc.nix.judge.nix import NotInstalled, refuse_missing
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource

T = TypeVar("T")
_PREFIX: Final = "tvarc-nix-"
_NEW: Final = 10  # seconds that a run may take from making a folder to holding it
_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_KEPT: Final = "tvarc-kept-"  # folders whose path is printed: no run removes them


def in_folder(asks: Callable[[str], T | None], sink: Sink, wants: str, help_: str) -> T | None:
    """The result of *asks*, which runs Nix on files that it writes into a new folder. The folder is
    removed afterwards.

    None after a report: the folder cannot be made, the system refuses to write to it, or Nix is
    missing. *wants* says why Nix is needed, and *help_* what works without it.
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


def clear_abandoned(folder: str, prefix: str) -> None:
    """Remove the abandoned folders of this user in *folder* whose names begin with *prefix*. A
    folder is abandoned if no run has `Held` it for a while: the run that made it was killed.
    Folders that cannot be removed stay."""
    with suppress(OSError):
        for name in [name for name in os.listdir(folder) if name.startswith(prefix)]:
            path = os.path.join(folder, name)
            with suppress(OSError):
                handle = os.open(path, _FOLDER)
                try:
                    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    here = os.fstat(handle)
                    if here.st_uid == own_user() and time.time() - here.st_mtime > _NEW:
                        shutil.rmtree(path, ignore_errors=True)
                finally:
                    os.close(handle)


class Held:
    """While this is entered, no other run regards *folder* as abandoned."""

    __slots__ = ("_folder", "_handle")

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._handle = -1

    def __enter__(self) -> None:
        self._handle = os.open(self._folder, _FOLDER)
        with suppress(OSError):  # on a file system without locks, only the age decides
            fcntl.flock(self._handle, fcntl.LOCK_SH)

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)


def in_lasting_folder(writes: Callable[[str], T], sink: Sink) -> T | None:
    """The result of *writes*, which writes into a new folder that is kept. None after a report: the
    folder does not exist, or the system refuses to write to it."""
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
