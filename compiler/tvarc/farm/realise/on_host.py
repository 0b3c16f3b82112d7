"""Runs the programs of tests on this machine, outside of the sandbox of Nix."""

from __future__ import annotations

import subprocess
import tempfile
from time import monotonic

from tvarc.farm.realise.logs import Logs
from tvarc.farm.realise.model import Build, State
from tvarc.light import Final

_TAIL: Final = 100
"""The last lines of a program that are kept."""


def run(program: str, derivation: str, logs: Logs) -> Build:
    """The result of *program*, the output of *derivation*, as that of a build. It runs in an empty
    folder, with the environment of this process, since drivers are found by it. Its output goes to
    the log of the derivation."""
    build = Build(derivation, "", monotonic())
    logs.begin(derivation)
    with tempfile.TemporaryDirectory(prefix="tvarc-test-") as folder:
        try:
            process = subprocess.Popen(
                [program], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="backslashreplace",
            )  # fmt: skip
        except OSError as fault:
            build.words = f"cannot run `{program}`: {fault.strerror}"
            code = 1
        else:
            with process:
                assert process.stdout is not None
                for line in process.stdout:
                    logs.add(derivation, line.rstrip("\n"))
                    build.tail = [*build.tail[1 - _TAIL :], line.rstrip("\n")]
                code = process.wait()
            build.words = f"the test ended with exit code {code}"
    logs.end(derivation)
    build.ended = monotonic()
    build.state = State.FAILED if code else State.BUILT
    return build
