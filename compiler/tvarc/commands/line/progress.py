"""The progress line of a terminal, shown once a command has run for a second."""

from __future__ import annotations

import sys

# `threading` takes longer to load than many commands run.
from _thread import allocate_lock, start_new_thread
from time import monotonic

from tvarc.commands.line import console
from tvarc.doing import innermost
from tvarc.light import Final, suppress

PATIENCE: Final = 1.0
"""Seconds without any output after which the line appears."""
_BETWEEN: Final = 0.1  # seconds between two updates of the line
_ERASE: Final = "\r\x1b[K"


class Progress:
    """In this context, the last line of the terminal of stderr shows the current step. It is erased
    before any other output, and returns after another second."""

    __slots__ = ("_next", "_over", "_shown", "_writing")

    def __init__(self) -> None:
        self._over = allocate_lock()  # free when the command has ended
        self._writing = allocate_lock()
        self._next = 0.0  # when the line may appear
        self._shown = ""

    def __enter__(self) -> Progress:
        self._next = monotonic() + PATIENCE
        self._over.acquire()
        console.before_output = self.erase
        start_new_thread(self._watch, ())
        return self

    def __exit__(self, *_: object) -> None:
        console.before_output = None
        self._over.release()
        self.erase()

    def erase(self) -> None:
        """Erase the line: something is printed now."""
        with self._writing:
            self._next = monotonic() + PATIENCE
            self._show("")

    def _watch(self) -> None:
        wait = PATIENCE
        while not self._over.acquire(timeout=wait):
            wait = _BETWEEN
            with self._writing:
                if monotonic() >= self._next and self._over.locked():
                    self._show(_line())

    def _show(self, line: str) -> None:
        if line == self._shown:
            return
        self._shown = line
        with suppress(OSError, ValueError):  # the terminal is gone
            sys.stderr.write(f"{_ERASE}{line}")
            sys.stderr.flush()


def _line() -> str:
    """The current step and, if it takes long, its seconds."""
    work = innermost()
    if work is None:
        return ""
    seconds = int(monotonic() - work.began)
    width = console.terminal_width(sys.stderr)
    return _cut(f"{work} ({seconds} s)" if seconds > 1 else f"{work}", width - 1)


def _cut(text: str, width: int) -> str:
    """*text* on one line of at most *width* cells, because a wrapped line cannot be erased."""
    from tvarc.text.diagnostics.render_cells import cell_width, safe

    text = safe(text)
    if cell_width(text) <= width:
        return text
    while text and cell_width(text) >= width:
        text = text[:-1]
    return f"{text}…" if width > 0 else ""
