"""Programs of tests that run on this machine: how each ends, and what it leaves."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from support.command import ROOT
from support.effort import writes
from tvarc.farm.realise.logs import Logs
from tvarc.farm.realise.model import Build, State
from tvarc.farm.realise.on_host import run

DERIVATION = "/nix/store/00000000000000000000000000000000-hello-test-here.drv"


def program(tmp_path: Path, script: str) -> str:
    file = tmp_path / "program"
    file.write_text(f"#!/bin/sh\nset -e\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
    return str(file)


def ran(tmp_path: Path, script: str) -> Build:
    return run(program(tmp_path, script), DERIVATION, Logs(str(tmp_path / "logs"), {}))


def lives(pid: int) -> bool:
    """Whether the process *pid* runs on. A zombie does not, and one that is killed may take a
    moment."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return False
        if state == "Z":
            return False
        time.sleep(0.05)
    return True


def test_a_program_ends_with_its_exit_code(tmp_path: Path) -> None:
    build = ran(tmp_path, "echo one; printf two; exit 3")
    assert (build.state, build.tail) == (State.FAILED, ["one", "two"])
    assert build.words == "the test ended with exit code 3"


def test_what_steers_a_terminal_is_only_in_the_log(tmp_path: Path) -> None:
    link = r"\033]8;;https://gcc.gnu.org\007-Wformat\033]8;;\007"
    build = ran(tmp_path, rf"printf '\033[01m\033[Ksum.c:11:\033[m\033[K {link}\n'")
    assert build.last() == ["sum.c:11: -Wformat"]
    (log,) = (tmp_path / "logs").iterdir()
    assert "\033[01m" in log.read_text(encoding="utf-8")


def test_a_program_that_prints_a_lot_is_not_slowed(tmp_path: Path) -> None:
    """To write each line to the log costs more than all else."""
    lines, before = 20_000, writes()
    build = ran(tmp_path, f"seq 1 {lines}")
    assert build.state is State.BUILT and build.tail[-1] == f"{lines}"
    assert writes() - before < lines // 10
    (log,) = (tmp_path / "logs").iterdir()
    assert log.read_text(encoding="utf-8").count("\n") == lines


def test_a_program_that_is_killed(tmp_path: Path) -> None:
    build = ran(tmp_path, "kill -9 $$")
    assert (build.state, build.words) == (State.FAILED, "the test was killed by signal 9")


@pytest.mark.parametrize("left", ["sleep 30", "yes", "(trap '' HUP TERM; exec setsid sleep 30)"])
def test_what_runs_in_the_background_ends_with_the_program(tmp_path: Path, left: str) -> None:
    pid = tmp_path / "pid"
    build = ran(tmp_path, f"{left} & echo $! > {pid}; sleep 0.2")
    assert build.state is State.BUILT and build.seconds(0) < 10
    assert not lives(int(pid.read_text()))


def test_temporary_files_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    monkeypatch.setattr("tempfile.tempdir", None)
    build = ran(tmp_path, 'ls -A; mktemp; mkdir "$TMPDIR/more"')
    assert build.state is State.BUILT
    (made,) = build.tail  # the folder was empty
    assert made.startswith(str(temporary)) and list(temporary.iterdir()) == []


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_program_with_all_that_it_began(
    tmp_path: Path, asked: signal.Signals
) -> None:
    pid = tmp_path / "pid"
    words = [program(tmp_path, f"sleep 44 & echo $! > {pid}\nwait"), str(tmp_path / "logs")]
    code = f"""
import signal, sys
from tvarc.commands.line.exits import heed_signals, interrupted
from tvarc.farm.realise.logs import Logs
from tvarc.farm.realise.on_host import run
signal.signal(signal.SIGINT, signal.SIG_DFL)  # as `start/entry.py` does
heed_signals()
try:
    run(sys.argv[1], {DERIVATION!r}, Logs(sys.argv[2], {{}}))
except KeyboardInterrupt as fault:
    sys.exit(interrupted(fault))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "compiler")}
    process = subprocess.Popen([sys.executable, "-c", code, *words], env=environment)
    while not (pid.exists() and pid.read_text()):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(asked)
    assert process.wait(timeout=20) == 128 + asked
    assert not lives(int(pid.read_text()))
