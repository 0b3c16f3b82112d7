"""This machine, and how it is asked: the only place that reads files and runs programs."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

from tvarc.light import Protocol, Sequence, dataclass

_TIMEOUT = 15.0  # seconds; a driver that has to be woken takes some
_MOST = 8 << 20  # bytes of /proc/cpuinfo; large hosts have 2 MiB


@dataclass(frozen=True, slots=True)
class Ran:
    """What came of a program. `fault` is a clause for a person: why there is no output."""

    output: str = ""
    fault: str = ""


class Machine(Protocol):
    """What describing a host asks of a machine."""

    def system(self) -> str:
        """The operating system as `uname -s` has it."""

    def arch(self) -> str:
        """The kind of CPU as `uname -m` has it."""

    def read(self, path: str) -> str | None:
        """The text of a file; None when there is none to read."""

    def run(self, command: Sequence[str]) -> Ran:
        """What *command* prints; never raises."""


class ThisMachine:
    """The machine that runs this program."""

    __slots__ = ()

    def system(self) -> str:
        return platform.system()

    def arch(self) -> str:
        return platform.machine()

    def read(self, path: str) -> str | None:
        try:
            with Path(path).open(encoding="utf-8", errors="replace") as file:
                return file.read(_MOST)
        except OSError:
            return None

    def run(self, command: Sequence[str]) -> Ran:
        program = command[0]
        try:
            done = subprocess.run(
                list(command),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_TIMEOUT,
                check=False,
                env={**os.environ, "LC_ALL": "C"},
            )
        except FileNotFoundError:
            return Ran(fault=f"there is no {program}")
        except subprocess.TimeoutExpired:
            return Ran(fault=f"{program} did not answer within {_TIMEOUT:.0f} seconds")
        except OSError as fault:
            return Ran(fault=f"{program} cannot be run: {fault.strerror}")
        output = done.stdout.decode("utf-8", "replace")
        if done.returncode != 0:
            said = (done.stderr.decode("utf-8", "replace") or output).strip().splitlines()
            why = f": {said[0][:160]}" if said else ""
            return Ran(fault=f"{program} failed{why}")
        return Ran(output)
