"""`tvarc who`: which variants and which emitted lines a line of source reaches."""

from __future__ import annotations

from tvarc.cli import exits
from tvarc.cli.session import Session
from tvarc.impact.line_impact import line_impact
from tvarc.light import Sequence
from tvarc.matrix.boxes import Universe, cell_of
from tvarc.plain import json_text
from tvarc.programs.line_named import BEYOND, DIGITS, line_named
from tvarc.report.who import who_data, who_text


def split_place(word: str) -> tuple[str, int] | None:
    """`FILE:LINE`, the line from 1; None for any other word."""
    file, _, line = word.rpartition(":")
    if not file or not line.isdecimal():
        return None
    number = int(line) if len(line) <= DIGITS else BEYOND
    return (file, number) if number else None


def who(
    session: Session,
    file: str | None,
    place: tuple[str, int],
    only: Sequence[str],
    *,
    whole: bool,
    as_json: bool,
) -> int:
    """Print what *place* reaches, with *whole* each variant by its name; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    target = line_named(made, *place, session.sink)
    if target is None:
        session.finish(exits.FAILED)
    variants = session.select(only)
    with session.guarded():
        answer = line_impact(made, variants, target)
    session.stop_on_errors()
    if as_json:
        session.console.data(json_text(who_data(answer)))
    else:
        universe = Universe([cell_of(one) for one in variants])
        session.console.out(who_text(answer, universe, whole=whole))
    session.show()
    return exits.OK
