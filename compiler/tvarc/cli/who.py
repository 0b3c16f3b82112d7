"""`tvarc who`: which variants and which emitted lines a line of source reaches."""

from __future__ import annotations

from tvarc.cli import exits
from tvarc.cli.session import Session
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.driver import Compilation
from tvarc.impact.line_impact import line_impact
from tvarc.light import Final, Sequence
from tvarc.matrix.boxes import MATRIX, Universe, axis_text
from tvarc.matrix.variants import Variant
from tvarc.plain import json_text
from tvarc.programs.find import source_name
from tvarc.provenance.model import Place
from tvarc.report.who import who_data, who_text

_DIGITS: Final = 18
_BEYOND: Final = 10**_DIGITS  # no file has as many lines


def split_place(word: str) -> tuple[str, int] | None:
    """`FILE:LINE`, the line from 1; None for any other word."""
    file, _, line = word.rpartition(":")
    if not file or not line.isdecimal():
        return None
    number = int(line) if len(line) <= _DIGITS else _BEYOND
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
    target = _target(session, made, place)
    variants = session.select(only)
    with session.guarded():
        answer = line_impact(made, variants, target)
    session.stop_on_errors()
    if as_json:
        session.console.data(json_text(who_data(answer)))
    else:
        universe = Universe([_cell(one) for one in variants])
        session.console.out(who_text(answer, universe, whole=whole))
    session.show()
    return exits.OK


def _target(session: Session, made: Compilation, place: tuple[str, int]) -> Place:
    """The line that is meant, as spans name its file; ends the command when there is none."""
    assert made.graph is not None
    name, line = place
    known = list(made.graph.modules)
    asked = name if name in known else source_name(name)
    if asked not in known:
        same = [one for one in known if made.loader.identity(one) == made.loader.identity(asked)]
        if not same:
            session.sink.error(
                "E904", f"the program does not read `{name}`",
                notes=(f"it reads {', '.join(f'`{one}`' for one in known)}",),
                help=did_you_mean(name, known),
            )  # fmt: skip
            session.finish(exits.FAILED)
        asked = same[0]
    source = made.sources.get(asked)
    count = len(source.line_starts()) if source is not None else 0
    if line > count:
        which = f"line {line}" if line < _BEYOND else "such line"
        session.sink.error("E904", f"`{name}` has no {which}", notes=(f"it has {count}",))
        session.finish(exits.FAILED)
    return (asked, line)


def _cell(variant: Variant) -> dict[str, str]:
    """The axis values of a variant as they are typed, and its matrix."""
    cell = {axis: axis_text(value) for axis, value in variant.values.items()}
    cell.setdefault(MATRIX, variant.matrix.name)
    return cell
