"""`tvarc stale`: overlays that the pinned nixpkgs makes unnecessary, by their own `until`."""

from __future__ import annotations

from tvarc.build.overtaken import answers, waiting_in, without_pin
from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments
from tvarc.commands.cli.session import Session, run
from tvarc.commands.report.stale_report import stale_data, stale_lines
from tvarc.text.diagnostics.render_cells import safe
from tvarc.values.plain import json_text


def command(given: Arguments) -> int:
    """Hold each `until` of the program against the nixpkgs that is pinned, or that `--pin` names;
    the exit code."""
    file = given.program()
    return run(given, lambda session: _stale(session, given, file))


def _stale(session: Session, given: Arguments, file: str | None) -> int:
    session.compile(file)
    recipes = session.recipes()
    found = answers(waiting_in(recipes), given.words("pin"), session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    unpinned = without_pin(recipes)
    if given.flag("json"):
        session.console.data(json_text(stale_data(found, unpinned, session.sources)))
    else:
        lines = stale_lines(found, unpinned, session.sources)
        session.console.prose("".join(f"{safe(line)}\n" for line in lines))
    session.show()
    return exits.STALE if any(answer.overtaken for answer in found) else exits.OK
