"""Access to this machine: the only place that reads files and runs programs."""

from __future__ import annotations

import os
import platform
import selectors
import signal
import subprocess
import time
from contextlib import suppress

from tvarc.doing import Doing
from tvarc.files.disk import read_plain
from tvarc.light import Protocol, Sequence, dataclass
from tvarc.text.source import UnreadableSource

TIMEOUT = 10.0  # seconds; an idle driver needs some of them to start, for each GPU
_GRACE = 0.5  # seconds until a killed program has ended; one that waits for its driver never ends
MOST_READ = 8 << 20  # bytes of a file; /proc/cpuinfo of large hosts has 2 MiB
_MOST_PRINTED = 1 << 20  # bytes of a program's output
# The folders of these programs, in case PATH lacks them.
ALSO = ("/usr/sbin", "/run/current-system/sw/bin", "/usr/lib/wsl/lib")


@dataclass(frozen=True, slots=True)
class Ran:
    """The result of a program: the output that it printed, and `fault`, a clause for the user that
    says why the rest is missing. `missing` is set if there is no such program.
    """

    output: str = ""
    fault: str = ""
    missing: bool = False


class Machine(Protocol):
    """The operations of a machine that a description of a host needs."""

    def system(self) -> str:
        """The operating system as `uname -s` has it."""

    def arch(self) -> str:
        """The kind of CPU as `uname -m` has it."""

    def read(self, path: str) -> str | None:
        """The text of a file; None if it cannot be read."""

    def run(self, command: Sequence[str]) -> Ran:
        """The output of *command*; never raises."""


class ThisMachine:
    """The machine that runs this program."""

    __slots__ = ()

    def system(self) -> str:
        return platform.system()

    def arch(self) -> str:
        return platform.machine()

    def read(self, path: str) -> str | None:
        try:
            data = read_plain(path, path, MOST_READ)
        except (OSError, UnreadableSource, ValueError):
            return None
        if len(data) == MOST_READ:
            data = data.rpartition(b"\n")[0]  # half a line would describe half a CPU
        return data.decode("utf-8", "replace")

    def run(self, command: Sequence[str]) -> Ran:
        program = command[0]
        places = os.pathsep.join((os.environ.get("PATH", os.defpath), *ALSO))
        try:
            started = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "LC_ALL": "C", "PATH": places},
                start_new_session=True,
            )
        except FileNotFoundError:
            return Ran(fault=f"there is no {program}", missing=True)
        except OSError as fault:
            return Ran(fault=f"{program} cannot be run: {fault.strerror}")
        try:
            with Doing(f"asking {program}"):
                return _listen(started, program)
        finally:
            _end(started)


def _listen(started: subprocess.Popen[bytes], program: str) -> Ran:
    """The output of *started* until it ends, takes too long or prints too much."""
    assert started.stdout is not None and started.stderr is not None
    out, err = bytearray(), bytearray()
    end = time.monotonic() + TIMEOUT
    fault = f"{program} did not answer within {TIMEOUT:g} seconds"

    def printed() -> str:
        return out.decode("utf-8", "replace")

    with selectors.DefaultSelector() as selector:
        selector.register(started.stdout, selectors.EVENT_READ, out)
        selector.register(started.stderr, selectors.EVENT_READ, err)
        while selector.get_map():
            ready = selector.select(max(end - time.monotonic(), 0))
            if not ready or time.monotonic() >= end:
                return Ran(printed(), fault)
            for key, _ in ready:
                data = os.read(key.fd, 1 << 16)
                key.data.extend(data)
                if not data:
                    selector.unregister(key.fileobj)
            if len(out) + len(err) > _MOST_PRINTED:
                return Ran(fault=f"{program} prints without end")
    try:
        code = started.wait(max(end - time.monotonic(), 0))
    except subprocess.TimeoutExpired:
        return Ran(printed(), fault)
    if code == 0:
        return Ran(printed())
    said = err.decode("utf-8", "replace").strip() or printed().strip()
    why = f": {said.splitlines()[0][:160]}" if said else f" with code {code}"
    return Ran(printed(), f"{program} failed{why}")


def _end(started: subprocess.Popen[bytes]) -> None:
    """Stop *started* and its children if it still runs, and wait only a short time for them."""
    for stream in (started.stdout, started.stderr):
        if stream is not None:
            stream.close()
    if started.poll() is None:
        with suppress(OSError):
            os.killpg(started.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        started.wait(_GRACE)
