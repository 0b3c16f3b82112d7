"""`tvarc list`: the variants, those that selectors mean."""

from __future__ import annotations

from math import prod

from tvarc.cli import exits
from tvarc.cli.arguments import Arguments, Misused
from tvarc.cli.console import Console
from tvarc.cli.session import Session, run
from tvarc.driver import Compilation
from tvarc.light import TYPE_CHECKING, Sequence
from tvarc.matrix.select import join_pairs
from tvarc.matrix.variants import Variant
from tvarc.plain import json_text

if TYPE_CHECKING:
    from tvarc.programs.missed import Missed


def command(given: Arguments) -> int:
    """List what the selectors mean in each program; the exit code."""
    grouped = given.text("by") is not None or given.flag("count")
    if given.flag("excluded") and grouped:
        raise Misused(
            "it lists dropped cells, by their exclusions: leave out --by and --count", "--excluded"
        )
    if given.flag("markdown") and (grouped or given.flag("excluded") or given.flag("json")):
        raise Misused(
            "it lists variants alone: leave out --excluded, --by, --count and --json", "--markdown"
        )
    programs, selectors = given.programs_and_words()

    def listed(console: Console, program: str | None, missed: Missed | None) -> int:
        def of_program(session: Session) -> int:
            if given.flag("excluded"):
                from tvarc.cli.excluded import list_excluded

                return list_excluded(session, given, program, selectors)
            if grouped:
                from tvarc.cli.groups import list_groups

                return list_groups(session, given, program, selectors)
            return _list(session, given, program, selectors)

        return run(given, of_program, console, missed)

    return given.for_each(programs, listed)


def _list(session: Session, given: Arguments, file: str | None, selectors: Sequence[str]) -> int:
    made = session.compile(file)
    session.stop_on_errors()
    variants = session.select(join_pairs(selectors))
    if given.flag("json"):
        from tvarc.report.listing import variant_data

        rows = [variant_data(one, made.recipe(one), _needs(made, one)) for one in variants]
        session.stop_on_errors()
        session.show()
        session.console.data(json_text(rows))
        return exits.OK
    needs = [_needs(made, one) for one in variants] if made.is_stacked else []
    session.show()
    if given.flag("markdown"):
        from tvarc.report.listing_table import listing_table
        from tvarc.report.markdown import print_markdown

        if variants:
            session.console.out(print_markdown([listing_table(variants, needs)]))
    else:
        from tvarc.report.listing import list_text, variant_row

        for line in list_text(map(variant_row, variants), needs):
            session.console.out(line)
    if not selectors:
        _remark(session, made)
    return exits.OK


def _needs(made: Compilation, variant: Variant) -> dict[str, str]:
    """The variants that *variant* needs, by the names of its needs."""
    if not made.is_stacked:
        return {}
    return {name: needed.name for name, needed in made.stack.direct(variant)}


def _remark(session: Session, made: Compilation) -> None:
    """Nothing is dropped in silence; on stderr, since the list may be read by a program."""
    matrices = made.resolution.program.matrices if made.resolution is not None else ()
    if not matrices:
        from tvarc.programs.nothing_built import without_matrix

        session.console.error(f"`{made.file}` {without_matrix(made)}\n")
    cells = sum(prod(len(pick.values) for pick in matrix.axes) for matrix in matrices)
    dropped = cells - len(made.variants)
    if dropped:
        from tvarc.diagnostics.words import counted

        are = "is" if dropped == 1 else "are"
        session.console.error(
            f"{counted(dropped, 'cell')} {are} dropped: `tvarc list --excluded` says why\n"
        )
