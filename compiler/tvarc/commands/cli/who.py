"""`tvarc who`: the variants and recipe lines that a source line affects."""

from __future__ import annotations

from tvarc.build.impact.line_impact import line_impact
from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments, Misused
from tvarc.commands.cli.session import Session, run
from tvarc.commands.programs.find import DEFAULT_FILE
from tvarc.commands.programs.line_named import line_named, split_place
from tvarc.commands.report.who import who_data, who_text
from tvarc.matrix.boxes import Universe, cell_of
from tvarc.values.plain import json_text


def command(given: Arguments) -> int:
    """Print what a source line affects, with `--all` each variant by its name; the exit code."""
    programs, rest = given.programs_and_words()
    words = rest or programs
    place = split_place(words[0]) if len(words) == 1 else None
    file = given.one_program(programs if rest else ())
    if place is None:
        written = " ".join(words)
        if written.isdecimal():
            raise Misused(f"write the file of line {written}: `{file or DEFAULT_FILE}:{written}`")
        raise Misused(f"`{written}` is not a line of a file", "FILE:LINE")
    return run(given, lambda session: _who(session, given, file, place))


def _who(session: Session, given: Arguments, file: str | None, place: tuple[str, int]) -> int:
    made = session.compile(file)
    session.stop_on_errors()
    target = line_named(made, *place, session.sink)
    if target is None:
        session.finish(exits.FAILED)
    variants = session.select(given.words("only"))
    answer = line_impact(made, variants, target)
    session.stop_on_errors()
    if given.flag("json"):
        session.console.data(json_text(who_data(answer)))
    else:
        universe = Universe([cell_of(one) for one in variants])
        session.console.prose(who_text(answer, universe, whole=given.flag("all")))
    session.show()
    return exits.OK
