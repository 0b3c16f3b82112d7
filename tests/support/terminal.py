"""tvarc on a pseudo-terminal: what it writes, when, and what then stands on the screen."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyte

from support.command import ROOT

_ROWS = 200
_CODE = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])")


@dataclass
class Seen:
    """What a process wrote to its terminal, piece by piece with the seconds since its start, and
    to a pipe if its stdout was one."""

    code: int
    pieces: list[tuple[float, str]]
    piped: str = ""
    width: int = 80

    @property
    def text(self) -> str:
        """All of it, control codes too."""
        return "".join(piece for _, piece in self.pieces)

    @property
    def plain(self) -> str:
        """All of it without colours."""
        return _CODE.sub("", self.text).replace("\r\n", "\n")

    @property
    def screen(self) -> list[str]:
        """The rows that are left in the end, as a terminal of that width has them. Of codes, only
        those for erasing within a row, going up and colours may be there, and whether the cursor
        is shown."""
        assert {code[2] for code in _CODE.finditer(self.text)} <= {*"KAmhl"}
        screen = pyte.Screen(self.width, _ROWS)
        pyte.Stream(screen).feed(self.text)
        rows = "\n".join(row.rstrip() for row in screen.display).rstrip()
        return rows.split("\n") if rows else []


def on_terminal(
    *words: str,
    cwd: Path,
    width: int = 80,
    env: Mapping[str, str] | None = None,
    pipe: bool = False,
    program: str = "from tvarc.commands.start.main import process; process()",
) -> Seen:
    """Run tvarc with *words* on a terminal of *width* cells; with *pipe* its stdout is a pipe.
    *program* is the Python code that runs it."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    inherited = {key: value for key, value in os.environ.items() if key not in _LEFT_OUT}
    began = time.monotonic()
    running = subprocess.Popen(
        [sys.executable, "-c", program, *words],
        cwd=cwd,
        env={**inherited, "PYTHONPATH": str(ROOT / "compiler"), "TERM": "xterm", **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if pipe else theirs,
        stderr=theirs,
        close_fds=True,
    )
    os.close(theirs)
    pieces: list[tuple[float, str]] = []
    piped = b""
    sources = {ours, *([running.stdout.fileno()] if running.stdout is not None else [])}
    while sources:
        for source in select.select(list(sources), [], [], 60)[0]:
            try:
                data = os.read(source, 1 << 16)
            except OSError:  # the other side of the terminal is closed
                data = b""
            if not data:
                sources.discard(source)
            elif source == ours:
                pieces.append((time.monotonic() - began, data.decode("utf-8", "replace")))
            else:
                piped += data
    code = running.wait()
    os.close(ours)
    if running.stdout is not None:
        running.stdout.close()
    return Seen(code, pieces, piped.decode(), width)


_LEFT_OUT = ("NO_COLOR", "COLUMNS", "LINES", "CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")
