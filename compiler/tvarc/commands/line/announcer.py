"""The progress messages of a long command."""

from __future__ import annotations

import sys

from tvarc.commands.line.session import Session
from tvarc.light import dataclass, suppress
from tvarc.text.diagnostics.render_cells import safe


@dataclass(frozen=True, slots=True, eq=False)
class Announcer:
    """Prints each step immediately, because the next one may take minutes. If stdout is for a
    program, the steps go to stderr.
    """

    session: Session
    as_json: bool

    def __call__(self, text: str) -> None:
        """Names in *text* may contain any character."""
        console = self.session.console
        lines = "".join(f"{safe(line)}\n" for line in text.splitlines())
        if self.as_json:
            console.error(lines)
        else:
            console.remark(lines, whole=True)
        if sys.stdout is not None and not sys.stdout.closed:
            with suppress(OSError):
                sys.stdout.flush()
