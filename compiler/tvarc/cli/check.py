"""`tvarc check`: every variant decided, everything told, nothing written."""

from __future__ import annotations

from tvarc.cli import exits
from tvarc.cli.session import Session, counted


def check(session: Session, file: str | None) -> int:
    made = session.compile(file)
    if made.variants:
        session.demand_output()
    for _ in made.stream():
        pass
    session.show()
    session.console.remark(f"{counted(len(made.variants), 'variant')}, {session.counts()}\n")
    return exits.FAILED if session.sink.has_errors else exits.OK
