"""Reads the lock beside a program, if there is one."""

from __future__ import annotations

from tvarc.build import messages as msg
from tvarc.decide.lock import EMPTY, LOCK_NAME, Lock
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import SourceLoader, SourceMap, UnreadableSource


def read_lock(file: str, loader: SourceLoader, sources: SourceMap, sink: Sink) -> Lock:
    """The lock beside the program *file*; an empty one if there is none. Faults are E943."""
    name = loader.join(file, LOCK_NAME)
    try:
        source = loader.read(name)
    except UnreadableSource as fault:
        if fault.missing:
            return EMPTY
        sink.report(msg.locks.UNREADABLE, name=name, reason=fault.reason)
        return Lock({}, broken=True)
    # A program without a lock does not wait for its reader.
    from tvarc.build.lock.reader import parse_lock

    sources.add(source)
    return parse_lock(source, sink)
