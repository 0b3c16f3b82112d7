"""A file that a run writes beside recipes: whole or not at all, and over none of another."""

# ruff: noqa: PTH107, PTH118
from __future__ import annotations

import os
import stat

from tvarc.files import messages as msg
from tvarc.files.disk import read_plain
from tvarc.files.output.atomic import put_one
from tvarc.files.output.folders import reason_of
from tvarc.files.output.leftovers import clear_leftovers
from tvarc.light import Callable, suppress
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource

_LARGEST = 1 << 30


def write_beside(
    folder: str,
    name: str,
    data: bytes,
    is_ours: Callable[[bytes], bool],
    sink: Sink,
    *,
    force: bool,
) -> bool:
    """Make the file *name* in *folder*, which is there, hold *data*; whether that changed it.

    One that is no plain file is never replaced, and one that *is_ours* does not know only with
    *force*: E801 goes to *sink*, and E802 where the system refuses.
    """
    shown = os.path.join(folder, name)
    try:
        path = os.path.realpath(folder)
        whole = os.path.join(path, name)
        try:
            old = os.lstat(whole)
        except FileNotFoundError:
            old = None
        if old is not None:
            known = read_plain(whole, whole, _LARGEST) if stat.S_ISREG(old.st_mode) else None
            if known == data:
                return False
            if known is None or not (force or is_ours(known)):
                option = None if known is None else "--force"
                sink.report(msg.paths.IN_THE_WAY, file=shown, option=option)
                return False
        clear_leftovers(path)
        put_one(path, name, data, old)
    except (OSError, UnreadableSource) as fault:
        sink.report(msg.paths.NOT_WRITTEN, file=shown, reason=_reason(fault))
        return False
    return True


def _reason(fault: OSError | UnreadableSource) -> str:
    return fault.reason if isinstance(fault, UnreadableSource) else reason_of(fault).lower()


def write_new(path: str, data: bytes, sink: Sink) -> None:
    """Write the file *path*, in a folder that is there. One of that name stays as it is, which is
    reported."""
    folder, name = os.path.split(path)
    write_beside(folder or ".", name, data, _is_ours, sink, force=False)


def take_back(path: str) -> None:
    """Remove the file *path*, which this run has written, if it came so far."""
    with suppress(OSError):
        os.remove(path)


def _is_ours(_: bytes) -> bool:
    return False
