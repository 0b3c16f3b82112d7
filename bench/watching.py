"""A process that lives on, and writes files after each edit: what one edit costs it."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from bench.timing import Failed, Run

SETTLED = 0.2
"""Seconds after an event, in which the process frees memory. That is a cost of the edit, too."""


class Watching:
    """`tvarc watch --json`, called by *argv*. The system must have Linux's `/proc`."""

    def __init__(self, argv: Sequence[str | Path], environment: Mapping[str, str]) -> None:
        self._argv = list(map(str, argv))
        self._environment = {**os.environ, **environment}
        self._process: subprocess.Popen[str] | None = None
        self._lines: queue.Queue[str] = queue.Queue()

    def start(self) -> None:
        """Start the process, which builds once."""
        if not Path("/proc/self/schedstat").exists():
            raise Failed("only Linux says what a process has cost that goes on")
        self._process = subprocess.Popen(
            self._argv, env=self._environment, stdout=subprocess.PIPE, text=True
        )
        threading.Thread(target=self._read, args=(self._process,), daemon=True).start()
        self._event(300)
        time.sleep(SETTLED)

    def run(self, edit: Callable[[], object], limit: float) -> Run:
        """What *edit* costs, until its files are written; the time has the pause of the watch."""
        before = self._cpu()
        began = time.perf_counter()
        edit()
        self._event(limit)
        wall = time.perf_counter() - began
        time.sleep(SETTLED)
        return Run(wall, self._cpu() - before, self._peak())

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def _read(self, process: subprocess.Popen[str]) -> None:
        for line in process.stdout or ():
            self._lines.put(line)

    def _event(self, limit: float) -> None:
        try:
            event = json.loads(self._lines.get(timeout=limit))
        except queue.Empty:
            raise Failed(f"over {limit:g} s") from None
        if event["event"] != "written":
            raise Failed(f"the watch says {event['event']}")

    def _cpu(self) -> float:
        """The seconds of CPU of the process so far, of all its threads."""
        assert self._process is not None
        tasks = Path(f"/proc/{self._process.pid}/task").glob("*/schedstat")
        return sum(int(one.read_text(encoding="ascii").split()[0]) for one in tasks) / 1e9

    def _peak(self) -> float:
        assert self._process is not None
        text = Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii")
        (peak,) = [line.split()[1] for line in text.splitlines() if line.startswith("VmHWM:")]
        return int(peak) / 1024
