"""Runs the programs of tests on this machine, outside of the sandbox of Nix."""

# pathlib costs too much at start.
# ruff: noqa: PTH102, PTH118, PTH123, PTH208
from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from time import monotonic

from tvarc.farm.realise.logs import Logs
from tvarc.farm.realise.model import Build, State
from tvarc.light import Iterator, suppress
from tvarc.nix.judge.nix import begin, printed


def run(program: str, derivation: str, logs: Logs) -> Build:
    """The result of *program*, the output of *derivation*, as that of a build. It runs in an empty
    folder, with the environment of this process, which locates drivers. Its temporary files are
    removed with that folder. Its output goes to the log of the derivation.

    The build is lost if the program cannot be started, for example if Nix has its store in a
    folder.

    The test ends with the program: processes that the program leaves in the background are killed.
    So are all of its processes if a signal ends tvarc.
    """
    build = Build(derivation, "", monotonic())
    logs.begin(derivation)
    try:
        with tempfile.TemporaryDirectory(prefix="tvarc-test-") as folder:
            _run(program, folder, build, logs)
    finally:
        logs.end(derivation)
    build.ended = monotonic()
    return build


def _run(program: str, folder: str, build: Build, logs: Logs) -> None:
    """Run *program* below *folder*, and note its result in *build*."""
    place, temporary = (os.path.join(folder, name) for name in ("work", "tmp"))
    os.mkdir(place)
    os.mkdir(temporary)
    begun: list[subprocess.Popen[bytes]] = []
    build.state = State.FAILED
    try:
        process = begin(
            [program], subprocess.PIPE, begun, subprocess.STDOUT,
            cwd=place, env={**os.environ, "TMPDIR": temporary}, start_new_session=True,
        )  # fmt: skip
        # Background processes of the program may print for any time.
        for data in printed(process, at_end=lambda: _kill(process, temporary)):
            if data:
                line = data.decode("utf-8", "backslashreplace").rstrip("\r\n")
                logs.add(build.derivation, line)
                build.prints(line)
            else:
                logs.flush()
        code = process.wait()
    except OSError as fault:
        build.state = State.LOST
        build.words = f"`{program}`: {fault.strerror}"
    else:
        build.words = f"the test ended with exit code {code}"
        if code < 0:
            build.words = f"the test was killed by signal {-code}"
        if not code:
            build.state = State.BUILT
    finally:
        for one in begun:
            _kill(one, temporary)
            one.wait()


def _kill(process: subprocess.Popen[bytes], temporary: str) -> None:
    """Kill all processes that *process* has started. It has a process group of its own. Processes
    that left the group still have *temporary* as their TMPDIR, which can only be read on Linux."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    for pid in _with_variable(f"TMPDIR={temporary}"):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _with_variable(text: str) -> Iterator[int]:
    """The processes that began with the variable *text* in their environment."""
    with suppress(OSError):
        for name in os.listdir("/proc"):
            with suppress(OSError, ValueError):
                with open(f"/proc/{int(name)}/environ", "rb") as file:
                    variables = file.read().split(b"\0")
                if text.encode() in variables:
                    yield int(name)
