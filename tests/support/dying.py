"""Processes that die, and disks that are full, at one of the operations on the disk."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from typing import NoReturn

KILLED = 77
CHANGING = (
    "open", "write", "close", "replace", "link", "unlink", "mkdir", "rmdir", "fchmod", "fsync",
)  # fmt: skip


class Dying:
    """The module `os`, in which the process dies before the change with number *at*."""

    def __init__(self, at: int, also: tuple[str, ...] = ()) -> None:
        self.left = at
        self.changing = (*CHANGING, *also)

    def __getattr__(self, name: str) -> object:
        real = getattr(os, name)
        if name not in self.changing:
            return real

        def call(*args: object, **named: object) -> object:
            self.left -= 1
            if self.left == 0:
                if name == "write":  # half of it is written
                    real(args[0], args[1][:100])  # type: ignore[index]
                os._exit(KILLED)
            return real(*args, **named)

        return call


class Full:
    """The module `os`, in which what takes room fails from the call with number *at* on."""

    def __init__(self, at: int) -> None:
        self.left = at

    def __getattr__(self, name: str) -> object:
        real = getattr(os, name)
        if name not in ("write", "mkdir", "link", "rename", "replace"):
            return real

        def call(*args: object, **named: object) -> object:
            self.left -= 1
            if self.left <= 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(*args, **named)

        return call


def forked(run: Callable[[], object]) -> int:
    """Call *run* in a process of its own; how that ended, as `os.waitpid` tells."""
    child = os.fork()
    if not child:
        end(run)
    return os.waitpid(child, 0)[1]


def end(run: Callable[[], object]) -> NoReturn:
    try:
        run()
    except BaseException:
        os._exit(1)
    os._exit(0)
