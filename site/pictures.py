"""Makes the pictures of the README: `python site/pictures.py [FOLDER]`, by default `docs/pictures`.

Each picture of a terminal is a real run, in a pseudo-terminal, of the tvarc of this interpreter.
Its text stays text, and its colours follow the light or the dark of the reader. The same tvarc
makes the same bytes, so a test can tell that a picture is out of date.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tvarc.commands.shown.html import Markup, element

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
PROGRAM = "variants.tvar"
MATRIX = "matrix.svg"

COLUMN = 8.43  # pixels of a letter
LINE = 19  # pixels of a line
MARGIN = 14
LINES = 50  # of the terminal
COLOUR = re.compile(r"\x1b\[([0-9;]*)m")
OTHER = re.compile(r"\x1b\[[0-9;?]*[A-HJKSTfhl]")
STYLE = """
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  fill: #1f2328; white-space: pre }
rect { fill: #f6f8fa; stroke: #d0d7de }
.prompt { fill: #6e7781 }
.typed, .c1 { font-weight: 700 }
.c2 { fill: #59636e }
.c31 { fill: #cf222e }
.c32 { fill: #1a7f37 }
.c33 { fill: #9a6700 }
.c34, .c94 { fill: #0969da }
.c35 { fill: #8250df }
.c36 { fill: #1b7c83 }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  rect { fill: #161b22; stroke: #30363d }
  .prompt { fill: #9198a1 }
  .c2 { fill: #9198a1 }
  .c31 { fill: #ff7b72 }
  .c32 { fill: #3fb950 }
  .c33 { fill: #d29922 }
  .c34, .c94 { fill: #58a6ff }
  .c35 { fill: #bc8cff }
  .c36 { fill: #39c5cf }
}
"""

Line = list[tuple[str, str]]
"""Pieces of text, each with the class of its colour."""


@dataclass(frozen=True, slots=True)
class Session:
    """Commands that are typed one after the other, below *program*. `unseen` runs before them."""

    name: str
    title: str
    columns: int
    program: str
    steps: tuple[str, ...]
    unseen: str = "true"


def sessions() -> list[Session]:
    """The pictures of terminals. The small program is the one that the README shows."""
    small = small_program()
    large = (ROOT / PROGRAM).read_text(encoding="utf-8")
    mistake = 'exclude gpu == sm68 because "no host has one"'
    return [
        Session(
            "build", "tvarc build writes 44 recipes, and a second run has nothing to do", 84,
            large, ("tvarc build", "tvarc build", "tvarc list sm103"),
        ),
        Session(
            "explain", "tvarc explain shows where a value comes from, why, and what it replaced",
            92, small, ("tvarc explain sm120 attrs.ninjaFlags",),
        ),
        Session(
            "error", "An error with its place, and the name that was probably meant", 84, large,
            ("tvarc check",), f"echo {shlex.quote(mistake)} >> {PROGRAM}",
        ),
    ]  # fmt: skip


def small_program() -> str:
    """The first program of the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    return readme.partition("```tvar\n")[2].partition("```")[0]


def printed(command: str, folder: Path, columns: int) -> str:
    """What *command* prints in a terminal of so many *columns*, with its colours."""
    kept = {key: os.environ[key] for key in ("HOME", "PYTHONPATH") if key in os.environ}
    environment = {
        **kept,
        "PATH": f"{folder.parent / 'bin'}:{os.environ['PATH']}",
        "TERM": "xterm-256color",
        "LC_ALL": "C.UTF-8",
        "TVARC_NO_CACHE": "1",
    }
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, columns, 0, 0))
    process = subprocess.Popen(
        ["/bin/sh", "-c", command],
        cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs,
    )  # fmt: skip
    os.close(theirs)
    read = b"".join(read_all(ours))
    os.close(ours)
    process.wait()
    text = read.decode("utf-8").replace("\r\n", "\n")
    return OTHER.sub("", re.sub(r"[^\n]*\r", "", text))


def read_all(terminal: int) -> Iterator[bytes]:
    """The bytes of *terminal*. Linux reports its end as an error."""
    while True:
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:
            return
        if not data:
            return
        yield data


def coloured(line: str) -> Line:
    """*line* in pieces of one colour each."""
    pieces: Line = []
    at, colour = 0, ""
    for found in COLOUR.finditer(line):
        pieces.append((line[at : found.start()], colour))
        at = found.end()
        codes = [code for code in found[1].split(";") if code not in ("", "0")]
        colour = " ".join(f"c{code}" for code in codes)
    pieces.append((line[at:], colour))
    return [(text, colour) for text, colour in pieces if text]


def lines_of(session: Session, scratch: Path) -> list[Line]:
    """What the terminal shows of *session*."""
    folder, programs = scratch / "program", scratch / "bin"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    programs.mkdir(exist_ok=True)
    tvarc = programs / "tvarc"
    tvarc.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m tvarc "$@"\n')
    tvarc.chmod(0o755)
    (folder / PROGRAM).write_text(session.program, encoding="utf-8")
    printed(session.unseen, folder, session.columns)
    shown: list[Line] = []
    for step in session.steps:
        shown.append([("$ ", "prompt"), (step, "typed")])
        text = printed(step, folder, session.columns).rstrip("\n")
        shown += [coloured(line) for line in text.split("\n")]
        shown.append([])
    return shown[:-1]


def svg(session: Session, lines: list[Line]) -> str:
    """The picture of *lines*."""
    width = round(session.columns * COLUMN + 2 * MARGIN)
    height = len(lines) * LINE + 2 * MARGIN
    drawn = [
        piece
        for row, line in enumerate(lines)
        for piece in pieces(line, MARGIN + LINE * row + LINE - 5)
    ]
    picture = element(
        "svg",
        element("title", session.title),
        element("style", Markup(STYLE)),
        element(
            "rect", x=".5", y=".5", width=str(width - 1), height=str(height - 1), rx="8"
        ),
        *drawn,
        xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {width} {height}", width=str(width),
        role="img", aria_label=session.title,
    )  # fmt: skip
    return f"{picture.text}\n"


def pieces(line: Line, base: int) -> Iterator[Markup]:
    """The texts of *line*. Each has its length, so that columns stay columns in any font."""
    column = 0
    for text, colour in line:
        words = text.strip(" ")
        if words:
            lead = len(text) - len(text.lstrip(" "))
            yield element(
                "text", words, class_=colour, x=f"{MARGIN + (column + lead) * COLUMN:.1f}",
                y=str(base), textLength=f"{len(words) * COLUMN:.1f}",
            )  # fmt: skip
        column += len(text)


def make(folder: Path) -> None:
    """Writes each picture into *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for session in sessions():
            text = svg(session, lines_of(session, Path(scratch)))
            (folder / f"{session.name}.svg").write_text(text, encoding="utf-8")
        shutil.copy(ROOT / PROGRAM, scratch)
        command = [sys.executable, "-m", "tvarc", "report", "--svg", MATRIX]
        subprocess.run(command, cwd=scratch, check=True, capture_output=True)
        shutil.copy(Path(scratch) / MATRIX, folder)


if __name__ == "__main__":
    make(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURES)
