"""Keeps the output of builders: a file for each derivation, and one for Nix's own messages."""

# ruff: noqa: PTH103, PTH104, PTH118, PTH123
# pathlib costs too much at start.
from __future__ import annotations

import errno
import fcntl
import os
import stat
from time import monotonic

from tvarc.files.output.folders import reason_of
from tvarc.light import Final, Mapping, TextIO
from tvarc.nix.judge.derivation import name_of

_OF_NIX: Final = "nix.log"
_LONGEST: Final = 150
"""Characters of the name of a file; systems take 255 bytes."""
_BETWEEN: Final = 0.5
"""Seconds between two writes of added lines to the files. Writing each line would take most of the
time of following a build."""


class Logs:
    """The logs of one run, in a folder that may have those of earlier runs, which are kept with a
    number in their name. A full disk does not end a build: `fault` says why a log is incomplete.
    `name` is the folder as it was given. While another run writes to it, a folder below it is used,
    such as `run-2`.
    """

    def __init__(self, folder: str, variants: Mapping[str, str]) -> None:
        """*variants* names the derivations that are variants. Raises OSError if the folder cannot
        be written to."""
        self.fault = ""
        self._variants = variants
        self._open: dict[str, TextIO] = {}
        self._next = 0.0  # the time of the next write to the files
        self.name, self._lock = folder, _locked(folder)
        number = 1
        while self._lock is None:
            number += 1
            self.name = os.path.join(folder, f"run-{number}")
            self._lock = _locked(self.name)
        self.folder = os.path.abspath(self.name)  # noqa: PTH100

    def __del__(self) -> None:
        handle = getattr(self, "_lock", None)
        if handle is not None:
            os.close(handle)

    def path(self, derivation: str) -> str:
        """The path of the log of *derivation*, if it is built."""
        name = self._variants.get(derivation)
        stored = derivation.rpartition("/")[2]
        if name is None:
            name = f"{name_of(derivation).removesuffix('.drv')}-{stored[:8]}"
            file = f"{name.replace('/', '_')[:_LONGEST]}.log"
        elif len(name) > _LONGEST or f"{name}.log" == _OF_NIX:
            file = f"{name[:_LONGEST]}-{stored[:8]}.log"
        else:
            file = f"{name}.log"
        return os.path.join(self.folder, file.replace("/", "_"))

    def begin(self, derivation: str) -> None:
        self._begin(derivation, self.path(derivation))

    def add(self, derivation: str, text: str) -> None:
        """A line of the builder of *derivation*."""
        file = self._open.get(derivation)
        if file is None:
            return
        try:
            file.write(f"{text}\n")
            if monotonic() >= self._next:
                self.flush()
        except (OSError, ValueError) as fault:
            self._failed(fault)

    def flush(self) -> None:
        """Write the added lines to the files. `add` does this from time to time."""
        self._next = monotonic() + _BETWEEN
        for file in self._open.values():
            try:
                file.flush()
            except (OSError, ValueError) as fault:
                self._failed(fault)

    def append(self, derivation: str, text: str) -> None:
        """Add *text*, which came after the builder of *derivation* ended."""
        try:
            with open(self.path(derivation), "a", encoding="utf-8") as file:
                file.write(f"{text}\n")
        except OSError as fault:
            self._failed(fault)

    def say(self, text: str) -> None:
        """A line of Nix itself."""
        if _OF_NIX not in self._open:
            self._begin(_OF_NIX, os.path.join(self.folder, _OF_NIX))
        self.add(_OF_NIX, text)

    def end(self, derivation: str) -> None:
        file = self._open.pop(derivation, None)
        if file is not None:
            self._close(file)

    def close(self) -> None:
        for file in self._open.values():
            self._close(file)
        self._open.clear()

    def _begin(self, key: str, path: str) -> None:
        try:
            put_aside(path)
            self._open[key] = open(  # noqa: SIM115
                path, "w", encoding="utf-8", errors="backslashreplace"
            )
        except OSError as fault:
            self._failed(fault)

    def _close(self, file: TextIO) -> None:
        try:
            file.close()
        except OSError as fault:
            self._failed(fault)

    def _failed(self, fault: Exception) -> None:
        reason = reason_of(fault) if isinstance(fault, OSError) else str(fault)
        self.fault = self.fault or reason


def _locked(folder: str) -> int | None:
    """A handle of *folder*, which is made if it is missing. While the handle is open, no other run
    gets one. None if another run has it. Raises OSError if the folder cannot be written to."""
    os.makedirs(folder, exist_ok=True)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), folder)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except OSError:
        pass  # a file system without locks
    return handle


def put_aside(path: str) -> None:
    """Add an unused number to the name of the file at *path*, from an earlier run or a user. An
    empty file may be overwritten. Raises OSError.
    """
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        return
    if stat.S_ISREG(there.st_mode) and not there.st_size:
        return
    stem, dot, ending = path.rpartition(".")
    number = 1
    while os.path.lexists(f"{stem}.{number}{dot}{ending}"):
        number += 1
    os.rename(path, f"{stem}.{number}{dot}{ending}")
