"""`tvarc report`: the matrix of a program as one page to look at."""

# pathlib costs too much at start.
# ruff: noqa: PTH112
from __future__ import annotations

import os

from tvarc.cli import exits
from tvarc.cli.arguments import Arguments, Misused
from tvarc.cli.session import Session, run
from tvarc.diagnostics.words import counted
from tvarc.light import Final, Sequence
from tvarc.matrix.select import join_pairs
from tvarc.output.beside import write_beside
from tvarc.programs.build_states import build_states
from tvarc.programs.matrix_page import matrix_data
from tvarc.report.matrix_page import gone_line, is_page, matrix_page

_STDOUT: Final = "-"
_MOST: Final = 20_000
"""Variants on a page: a thousand of them are 4 MB and take a browser a twentieth of a second."""


def command(given: Arguments) -> int:
    """Write the page of what the words name; the exit code."""
    file, selectors = given.program_and_words()
    out = given.text("html") or ""
    if not out or os.path.isdir(out):
        raise Misused("a file is wanted for the page, or `-` for the output", "--html")
    return run(given, lambda session: _report(session, given, file, selectors, out))


def _report(
    session: Session, given: Arguments, file: str | None, selectors: Sequence[str], out: str
) -> int:
    made = session.compile(file)
    session.demand_matrix()
    session.stop_on_errors()
    variants = session.select(join_pairs(selectors))
    if len(variants) > _MOST:
        session.sink.error(
            "E902",
            f"these are {len(variants)} variants, and a page has room for {_MOST}",
            help="say which: `tvarc report SELECTOR… --html FILE`",
        )
        session.finish(exits.FAILED)
    recipes = {one.variant: one for one in made.stream()}
    session.stop_on_errors()
    report = given.text("builds")
    states = build_states(report, session.sink) if report is not None else {}
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    data = matrix_data(made, variants, recipes, states, dropped=not selectors)
    page = matrix_page(data)
    gone = states.keys() - {one.name for one in made.variants}
    if out == _STDOUT:
        session.console.file(page)
        session.show(closing=gone_line(gone, report))
        return exits.OK
    folder, name = os.path.split(out)
    changed = write_beside(
        folder or ".", name, page.encode(), is_page, session.sink, force=given.flag("force")
    )
    session.show(closing=gone_line(gone, report))
    if session.sink.has_errors:
        return exits.FAILED
    what = counted(len(variants), "variant")
    session.console.remark(f"{out}: {what}, {'written' if changed else 'as it was'}\n")
    return exits.OK
