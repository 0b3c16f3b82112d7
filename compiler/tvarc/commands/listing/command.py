"""`tvarc list`: the variants, or those that selectors select."""

from __future__ import annotations

import sys

from tvarc.build.driver import Compilation
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import Console, is_terminal, terminal_width
from tvarc.commands.line.session import Session, run
from tvarc.commands.programs.nothing_built import not_built
from tvarc.light import TYPE_CHECKING, Sequence, assert_never, cast
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import Variant
from tvarc.values.plain import json_rows

if TYPE_CHECKING:
    from tvarc.commands.listing.columns import Form
    from tvarc.commands.listing.text import Listing
    from tvarc.commands.programs.missed import Missed


def command(given: Arguments) -> int:
    """List the selected variants of each program; the exit code."""
    grouped = given.text("by") is not None or given.flag("count")
    form = _form(given)
    if given.flag("excluded") and grouped:
        raise Misused(
            "it lists dropped cells, by their exclusions: leave out --by and --count", "--excluded"
        )
    if grouped or given.flag("excluded"):
        _demand_variants_alone(given, form)
    programs, selectors = given.programs_and_words()

    def listed(console: Console, program: str | None, missed: Missed | None) -> int:
        def of_program(session: Session) -> int:
            if given.flag("excluded"):
                from tvarc.commands.listing.groups import list_excluded

                return list_excluded(session, program, selectors, as_json=form == "json")
            if grouped:
                from tvarc.commands.listing.groups import list_groups

                return list_groups(session, given, program, selectors, as_json=form == "json")
            return _list(session, program, selectors, form, given.text("columns"))

        return run(given, of_program, console, missed)

    return given.for_each(programs, listed, as_json=form == "json")


def _form(given: Arguments) -> Form:
    """The format of the list."""
    named = given.text("form")
    form = cast("Form", named) if named in ("markdown", "csv") else "text"
    if not given.flag("json"):
        return form
    if form != "text":
        raise Misused("it prints no JSON: leave out --json", "--format")
    return "json"


def _demand_variants_alone(given: Arguments, form: Form) -> None:
    """Raise Misused for an option of a list of variants in another kind of list."""
    others = "leave out --excluded, --by and --count"
    if form not in ("text", "json"):
        raise Misused(f"it lists only variants: {others}", "--format")
    if given.text("columns") is not None:
        raise Misused(f"only variants have columns: {others}", "--columns")


def _list(
    session: Session, file: str | None, selectors: Sequence[str], form: Form, columns: str | None
) -> int:
    from tvarc.commands.listing.columns import default_columns, listing_of

    made = session.compile(file)
    session.stop_on_errors()
    variants = session.select(join_pairs(selectors))
    if form == "text" and columns is None and _draw(session, made, variants, selectors):
        return exits.OK
    if columns is None:
        chosen = default_columns(made, variants, form)
    else:
        from tvarc.commands.listing.columns_named import columns_named

        chosen = columns_named(made, columns)
    session.end_on_errors()
    listing = listing_of(chosen, variants)
    session.stop_on_errors()
    session.show()
    _print(session.console, listing, form)
    if not selectors and form != "json":
        _remark(session, made)
    return exits.OK


def _print(console: Console, listing: Listing, form: Form) -> None:
    match form:
        case "json":
            from tvarc.commands.listing.text import listing_data

            for text in json_rows(listing_data(listing)):
                console.data(text)
        case "csv":
            from tvarc.commands.listing.text import csv_text

            console.file(csv_text(listing))
        case "markdown":
            from tvarc.commands.listing.text import listing_table
            from tvarc.commands.shown.markdown import print_markdown

            if listing.rows:
                console.file(print_markdown([listing_table(listing)]))
        case "text":
            from tvarc.commands.listing.text import listing_text

            width = terminal_width(sys.stdout) if is_terminal(sys.stdout) else 0
            for line in listing_text(listing, width):
                console.out(line)
        case _:
            assert_never(form)


def _draw(
    session: Session, made: Compilation, variants: Sequence[Variant], selectors: Sequence[str]
) -> bool:
    """Draw a grid if the output is a terminal and two axes have several values. Returns whether it
    was drawn."""
    if session.missed is not None or not is_terminal(sys.stdout):
        return False
    from tvarc.commands.listing.text import grid_lines, grid_of

    grid = grid_of(made, variants, join_pairs(selectors))
    lines = grid_lines(grid, terminal_width(sys.stdout)) if grid is not None else []
    if not lines:
        return False
    session.show()
    for line in lines:
        session.console.out(line)
    if not selectors:
        _remark(session, made)
    return True


def _remark(session: Session, made: Compilation) -> None:
    """Report the number of dropped cells, on stderr because a program may read the list."""
    for line in not_built(made):
        session.console.error(f"{line}\n")
