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
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from support.command import ROOT

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
        """The rows that are left in the end, as a terminal of that width has them."""
        screen = _Screen(self.width)
        screen.write(self.text)
        return screen.lines()


@dataclass
class _Screen:
    """As much of a terminal as is needed: cells, colours without effect, erasing within a row,
    carriage returns, going up, and wrapping."""

    width: int
    rows: list[list[str]] = field(default_factory=lambda: [[]])
    row: int = 0
    column: int = 0

    def write(self, text: str) -> None:
        at = 0
        while at < len(text):
            code = _CODE.match(text, at)
            if code is None:
                self._put(text[at])
                at += 1
                continue
            at = code.end()
            match code.group(2):
                case "K":
                    del self.rows[self.row][0 if code.group(1) == "2" else self.column :]
                case "A":
                    self.row = max(self.row - int(code.group(1) or 1), 0)
                case "m" | "h" | "l":  # colours, and whether the cursor is shown
                    pass
                case _:
                    raise AssertionError(code.group())

    def _put(self, char: str) -> None:
        if char == "\n":
            self._down()
        elif char == "\r":
            self.column = 0
        elif unicodedata.combining(char):
            self.rows[self.row][self.column - 1] += char
        else:
            cells = 2 if unicodedata.east_asian_width(char) in "WF" else 1
            if self.column + cells > self.width:
                self._down()
                self.column = 0
            row = self.rows[self.row]
            row += [" "] * (self.column + cells - len(row))
            row[self.column : self.column + cells] = [char, *[""] * (cells - 1)]
            self.column += cells

    def _down(self) -> None:
        self.row += 1
        if self.row == len(self.rows):
            self.rows.append([])

    def lines(self) -> list[str]:
        lines = ["".join(row).rstrip() for row in self.rows]
        while lines and not lines[-1]:
            lines.pop()
        return lines


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
