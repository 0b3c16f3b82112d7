"""`tvarc check`: every variant decided, everything told, nothing written."""

# pathlib costs too much at start.
# ruff: noqa: PTH119
from __future__ import annotations

import os

from tvarc.cli import exits
from tvarc.cli.arguments import Arguments
from tvarc.cli.console import Console
from tvarc.cli.session import Session, run
from tvarc.diagnostics.words import counted
from tvarc.light import TYPE_CHECKING, Sequence

if TYPE_CHECKING:
    from tvarc.programs.missed import Missed


def command(given: Arguments) -> int:
    """Check each program; the exit code."""

    def checked(console: Console, program: str | None, missed: Missed | None) -> int:
        return run(
            given, lambda session: _check(session, program, given.words("input")), console, missed
        )

    return given.for_each(given.words("programs"), checked)


def _check(session: Session, file: str | None, inputs: Sequence[str]) -> int:
    session.tells_fake_hashes = True
    made = session.compile(file, inputs=inputs)
    session.demand_matrix(library=True)
    if made.variants:
        session.demand_output()
    # Files are not made before their text is asked for; an error wants each variant looked at.
    source = os.path.basename(made.file)
    everything = made.stream() if session.sink.has_errors else made.files(source, collections=True)
    for _ in everything:
        pass
    if made.manifests and not session.sink.has_errors:
        from tvarc.manifest.wanted import asked

        with session.guarded():
            asked(made, made.variants)
    session.show()
    none = made.resolution is not None and not made.resolution.program.matrices
    looked = "no variant to check" if none else counted(len(made.variants), "variant")
    session.console.remark(f"{looked}, {session.counts()}\n")
    return exits.FAILED if session.sink.has_errors else exits.OK
