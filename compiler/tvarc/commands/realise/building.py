"""The display of running builds for a person: a line for each that begins or ends, or on a terminal
a table of those that run, below the lines of those that have ended.
"""

from __future__ import annotations

import sys
from time import monotonic

from tvarc.commands.line.announcer import Announcer
from tvarc.commands.line.console import clear, has_colour, is_terminal
from tvarc.commands.realise.result import build_line, build_row, standing_line
from tvarc.farm.realise.model import Build, State
from tvarc.light import TYPE_CHECKING, Mapping, Sequence, suppress

if TYPE_CHECKING:
    from rich.live import Live
    from rich.table import Table

_BETWEEN = 0.25  # seconds between two looks of the table
_AROUND = 4  # lines of a terminal that are no rows: the head, the caption, and two free lines


def watcher(announce: Announcer, variants: Mapping[str, Sequence[str]], total: int) -> Lines | Rows:
    """Shows each build. *variants* has the names of the variants of each derivation, and *total* is
    the number of builds."""
    if not announce.as_json and is_terminal(sys.stdout) and is_terminal(sys.stderr):
        with suppress(ImportError):  # it does without a table
            return Rows(announce, variants, total)
    return Lines(announce, variants)


class Lines:
    """Prints each build in a line, when it begins and when it ends."""

    def __init__(self, announce: Announcer, variants: Mapping[str, Sequence[str]]) -> None:
        self._announce = announce
        self._variants = variants

    def build(self, build: Build) -> None:
        self._announce(build_line(build, self._variants.get(build.derivation, ())))

    def tick(self) -> None:
        pass

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        pass


class Rows:
    """Shows the builds that run in a table: variant, state, machine, time."""

    def __init__(
        self, announce: Announcer, variants: Mapping[str, Sequence[str]], total: int
    ) -> None:
        """Raises ImportError."""
        from rich.console import Console
        from rich.live import Live

        self._announce = announce
        self._variants = variants
        self._total = total
        self._running: dict[str, Build] = {}
        self._ended: dict[str, Build] = {}
        self._next = 0.0
        self._live: Live = Live(
            console=Console(stderr=True), auto_refresh=False, transient=True, redirect_stdout=False
        )

    def build(self, build: Build) -> None:
        if build.state is State.RUNNING:
            self._running[build.derivation] = build
        else:
            self._running.pop(build.derivation, None)
            self._ended[build.derivation] = build
            line = build_line(build, self._variants.get(build.derivation, ()))
            self._live.update(self._table(monotonic()), refresh=True)  # it moves below the line
            self._live.console.print(line, markup=False, highlight=False, soft_wrap=True)
        self._next = 0.0

    def tick(self) -> None:
        now = monotonic()
        if now >= self._next:
            self._next = now + _BETWEEN
            self._live.update(self._table(now), refresh=True)

    def _table(self, now: float) -> Table:
        from rich.table import Table
        from rich.text import Text

        head, caption = ("bold", "dim") if has_colour(sys.stderr) else ("", "")
        table = Table(
            "variant", "state", "machine", "time", box=None, caption_justify="left",
            caption=standing_line(self._running.values(), self._ended, self._variants, self._total),
            header_style=head, caption_style=caption,
        )  # fmt: skip
        most = max(1, self._live.console.size.height - _AROUND)
        for build in list(self._running.values())[:most]:
            row = build_row(build, self._variants.get(build.derivation, ()), now)
            table.add_row(*map(Text, row))
        return table

    def __enter__(self) -> Rows:
        clear()
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # the terminal is gone
            self._live.stop()
