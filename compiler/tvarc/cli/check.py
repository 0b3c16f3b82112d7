"""`tvarc check`: every variant decided, everything told, nothing written."""

# pathlib costs too much at start.
# ruff: noqa: PTH119
from __future__ import annotations

import os

from tvarc.cli import exits
from tvarc.cli.session import Session, counted
from tvarc.light import Sequence


def check(session: Session, file: str | None, inputs: Sequence[str] = ()) -> int:
    made = session.compile(file, inputs=inputs)
    session.demand_matrix(library=True)
    if made.variants:
        session.demand_output()
    # Files are not made before their text is asked for; an error wants each variant looked at.
    source = os.path.basename(made.file)
    everything = made.stream() if session.sink.has_errors else made.files(source, collections=True)
    for _ in everything:
        pass
    session.show()
    none = made.resolution is not None and not made.resolution.program.matrices
    looked = "no variant to check" if none else counted(len(made.variants), "variant")
    session.console.remark(f"{looked}, {session.counts()}\n")
    return exits.FAILED if session.sink.has_errors else exits.OK
