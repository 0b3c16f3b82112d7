"""Puts new text in the place of a source that a person wrote."""

# ruff: noqa: PTH116
from __future__ import annotations

import errno
import os

from tvarc.files import messages as msg
from tvarc.files.disk import read_plain
from tvarc.files.output.atomic import put_one
from tvarc.files.output.folders import reason_of
from tvarc.files.output.leftovers import clear_leftovers
from tvarc.light import Mapping
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import UnreadableSource


def rewrite(file: str, before: bytes, after: bytes, sink: Sink) -> bool:
    """Make *file*, which held *before* when it was read, hold *after*; whether it does.

    A link is followed; owner, permissions and extended attributes stay. Of several hard links the
    others keep what they have. The file is wholly old or wholly new at any time.
    E802 goes to *sink* when the system refuses, or when the file is not *before* any more.
    """
    path = os.path.realpath(file)
    folder, name = os.path.split(path)
    try:
        old = os.stat(path)
        if not os.access(path, os.W_OK):  # its folder would let it be replaced all the same
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        unchanged = read_plain(path, file, len(before) + 1) == before
        if unchanged:
            clear_leftovers(folder)
            put_one(folder, name, after, old)
    except OSError as fault:
        sink.report(msg.paths.NOT_WRITTEN, file=file, reason=reason_of(fault).lower())
        return False
    except UnreadableSource as fault:
        sink.report(msg.paths.NOT_WRITTEN, file=file, reason=fault.reason)
        return False
    if not unchanged:
        sink.report(msg.paths.CHANGED_SINCE, file=file)
    return unchanged


def rewrite_all(texts: Mapping[str, tuple[str, str]], sink: Sink) -> bool:
    """Put the new of all *texts* in place of the old; where one file refuses, those before it are
    as they were, and the answer is False."""
    done: list[str] = []
    for name, (old, new) in texts.items():
        if rewrite(name, old.encode(), new.encode(), sink):
            done.append(name)
            continue
        for other in done:
            before, after = texts[other]
            rewrite(other, after.encode(), before.encode(), sink)
        return False
    return True
