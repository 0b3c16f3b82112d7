"""`tvarc list --excluded`: the cells that exclusions drop, each with the reasons."""

from __future__ import annotations

from tvarc.commands.line import exits
from tvarc.commands.line.session import Session
from tvarc.commands.programs.selecting import dropped_meant
from tvarc.commands.shown.excluded import cell_data, dropped_text
from tvarc.light import Sequence
from tvarc.matrix.pairs import join_pairs
from tvarc.values.plain import json_rows


def list_excluded(
    session: Session, file: str | None, selectors: Sequence[str], *, as_json: bool
) -> int:
    """Print the dropped cells, those that *selectors* mean; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    matrices = dropped_meant(made, join_pairs(selectors), session.sink, session.missed)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    session.show()
    if as_json:
        for text in json_rows(
            cell_data(cell, made.sources) for one in matrices for cell in one.cells()
        ):
            session.console.data(text)
        return exits.OK
    empty = True
    for one in matrices:
        for number, line in enumerate(dropped_text(one, made.sources)):
            session.console.prose(line if number or empty else f"\n{line}")
            empty = False
    if empty:
        session.console.remark("no cell is dropped\n")
    return exits.OK
