"""A progress bar, for a person who has been waiting for a while."""

from __future__ import annotations

import sys
from time import monotonic

from tvarc.cli.console import Console, is_terminal
from tvarc.diagnostics.model import Format
from tvarc.light import TYPE_CHECKING, suppress

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

_PATIENCE = 1.0  # seconds
_BETWEEN = 0.05


class Progress:
    """Called with how many of *total* are done; shows itself on a terminal after a second."""

    __slots__ = ("_bar", "_next", "_noun", "_task", "_total", "_wanted")

    def __init__(self, console: Console, total: int, noun: str = "recipes") -> None:
        self._wanted = console.format is Format.TEXT and is_terminal(sys.stderr)
        self._total = total
        self._noun = noun
        self._next = monotonic() + _PATIENCE
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __call__(self, done: int) -> None:
        if not self._wanted:
            return
        now = monotonic()
        if now < self._next:
            return
        self._next = now + _BETWEEN
        if self._bar is None:
            try:
                self._start()
            except ImportError:  # it does without a bar
                self._wanted = False
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=done)

    def _start(self) -> None:
        from rich.console import Console as RichConsole
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn(self._noun),
            BarColumn(),
            MofNCompleteColumn(),
            console=RichConsole(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task("", total=self._total)
        self._bar.start()

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            with suppress(OSError):  # the terminal is gone
                self._bar.stop()
