"""Runs the programs of tests on this machine, outside of the sandbox of Nix."""

# pathlib costs too much at start.
# ruff: noqa: PTH102, PTH118
from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from time import monotonic

from tvarc.farm.realise.logs import Logs
from tvarc.farm.realise.model import Build, State
from tvarc.light import suppress
from tvarc.nix.judge.nix import begin, printed


def run(program: str, derivation: str, logs: Logs) -> Build:
    """The result of *program*, the output of *derivation*, as that of a build. It runs in an empty
    folder, with the environment of this process, since drivers are found by it. Its temporary files
    are removed with that folder. Its output goes to the log of the derivation.

    The build is lost if the program cannot be started, as where Nix has its store in a folder.

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
        # What the program leaves may print for as long as it likes.
        for data in printed(process, at_end=lambda: _kill(process)):
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
            _kill(one)
            one.wait()


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill all that *process* has begun. It has a group of processes of its own."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
