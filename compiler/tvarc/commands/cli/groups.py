"""`tvarc list --by` and `--count`: the variants by the values of axes, or how many there are."""

from __future__ import annotations

from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments
from tvarc.commands.cli.session import Session
from tvarc.commands.programs.selecting import axes_named
from tvarc.commands.report.groups import group_data, groups_text, in_groups
from tvarc.light import Sequence
from tvarc.matrix.pairs import join_pairs
from tvarc.values.plain import json_text


def list_groups(
    session: Session,
    given: Arguments,
    file: str | None,
    selectors: Sequence[str],
    *,
    as_json: bool,
) -> int:
    """List the variants that *selectors* mean in groups, or how many there are; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    axes = axes_named(made, given.text("by"), session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    found = session.select(join_pairs(selectors))
    groups = in_groups(found, axes)
    count = given.flag("count")
    session.show()
    if as_json:
        data = [group_data(axes, variants, count=count) for variants in groups.values()]
        session.console.data(json_text(data if axes else {"count": len(found)}))
    elif not axes:
        session.console.out(f"{len(found)}\n")
    else:
        for line in groups_text(axes, groups, count=count):
            session.console.out(line)
    return exits.OK
