"""Whole commands timed in turn, so that a ratio is taken between runs that stand side by side."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LAUNCHER = Path(__file__).resolve().parent / "launch.py"
_SHOWN = 300


@dataclass(frozen=True, slots=True)
class Run:
    """What one run of a command cost: seconds, seconds, MiB."""

    wall: float
    cpu: float
    peak: float


class Failed(Exception):
    """A command did not do its work; the message says why."""


def nothing(number: int) -> None:
    """What is to be done around a run, where that is nothing."""


@dataclass(frozen=True, slots=True)
class Job:
    """A command to time. `prepare` and `tidy` run around each run, untimed.

    All of these get the number of the round. `check` raises `Failed` when the work of the
    uncounted round was not what it has to be. A process that lives on has a `measure` of its own,
    which gets the number and the limit of seconds, and `close` ends it.
    """

    key: str
    argv: Sequence[str | Path]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    prepare: Callable[[int], None] = nothing
    check: Callable[[int], None] = nothing
    tidy: Callable[[int], None] = nothing
    measure: Callable[[int, float], Run] | None = None
    close: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The counted runs of a job, one for each round; none, and the reason, when it failed."""

    runs: tuple[Run, ...]
    failure: str = ""


def rounds(jobs: Sequence[Job], count: int, limit: float) -> dict[str, Outcome]:
    """One uncounted round, then *count* more. Each runs every job once, in an order that turns.

    A job that fails, or takes longer than *limit* seconds, is not run again.
    """
    runs: dict[str, list[Run]] = {job.key: [] for job in jobs}
    failures: dict[str, str] = {}
    try:
        _all_rounds(jobs, count, limit, runs, failures)
    finally:
        for job in jobs:
            if job.close is not None:
                job.close()
    return {
        job.key: Outcome((), failures[job.key])
        if job.key in failures
        else Outcome(tuple(runs[job.key]))
        for job in jobs
    }


def _all_rounds(
    jobs: Sequence[Job],
    count: int,
    limit: float,
    runs: dict[str, list[Run]],
    failures: dict[str, str],
) -> None:
    """Put the counted *runs* and the *failures* where they belong."""
    for number in range(count + 1):
        turn = number % len(jobs)
        for job in (*jobs[turn:], *jobs[:turn]):
            if job.key in failures:
                continue
            try:
                run = _once(job, number, limit)
            except Failed as failure:
                failures[job.key] = str(failure)
                continue
            if number:
                runs[job.key].append(run)


def _once(job: Job, number: int, limit: float) -> Run:
    job.prepare(number)
    try:
        if job.measure is not None:
            run = job.measure(number, limit)
        else:
            run = timed(job.argv, limit, job.environment, job.folder)
        if number == 0:
            job.check(number)
    finally:
        job.tidy(number)
    return run


def timed(
    command: Sequence[str | Path],
    limit: float,
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Run:
    """Run a command once; `Failed` when it fails or takes longer than *limit* seconds."""
    with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
        result = Path(scratch, "result")
        argv = [sys.executable, "-I", "-S", LAUNCHER, result, *command]
        with subprocess.Popen(
            list(map(str, argv)),
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
            cwd=folder,
            start_new_session=True,
        ) as process:
            try:
                _, printed = process.communicate(timeout=limit)
            except BaseException as reason:
                # Neither the command nor what it started may run on beside the next one.
                os.killpg(process.pid, signal.SIGKILL)
                if isinstance(reason, subprocess.TimeoutExpired):
                    raise Failed(f"over {limit:g} s") from None
                raise
        told = printed.decode(errors="replace").strip()[-_SHOWN:]
        if process.returncode != 0 or not result.exists():
            raise Failed(told or "it could not be started")
        wall, user, system, peak, status = result.read_text(encoding="ascii").split()
    if status != "0":
        raise Failed(f"exit code {status}: {told}")
    return Run(float(wall), float(user) + float(system), int(peak) / 1024)
