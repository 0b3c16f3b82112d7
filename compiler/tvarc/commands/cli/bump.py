"""`tvarc bump`: one version or commit changed where it is written, what depends on it unlocked."""

from __future__ import annotations

from tvarc.build.bump.plan import Refused, plan_bump
from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments, Misused
from tvarc.commands.cli.session import Session, run
from tvarc.commands.programs.locking import lock_known
from tvarc.commands.report.bump_report import bump_data, bump_lines
from tvarc.files.output.rewrite import rewrite_all
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.render_cells import safe
from tvarc.values.plain import json_text


def command(given: Arguments) -> int:
    """Change one value where it is written; the exit code."""
    file, words = given.program_and_words(folders=False)
    commit = len(words) == 3 and words[0] in ("pin", "input")
    of_axis = len(words) == 4 and words[0] == "axis"
    if len(words) != 2 and not commit and not of_axis:
        raise Misused(
            "write `bump NAME VALUE`, `bump TABLE.ROW.FACT VALUE`, `bump axis NAME OLD NEW`, "
            "`bump pin NAME REV` or `bump input NAME REV`"
        )
    return run(given, lambda session: _bump(session, given, file, tuple(words)))


def _bump(session: Session, given: Arguments, file: str | None, words: tuple[str, ...]) -> int:
    dry_run = given.flag("dry_run")
    made = session.compile(file)
    found = session.recipes()
    done = plan_bump(made, found, words, dry_run=dry_run)
    if isinstance(done, Refused):
        session.sink, session.sources = done.sink, done.sources
        session.finish(exits.FAILED)
    report = done.report
    if not dry_run:
        session.sink = Sink()
        # An unused entry of the lock does no harm.
        if done.after is not None and report.locked:
            lock_known(done.after, report.locked, session.sink)
        if session.sink.has_errors or not rewrite_all(report.texts, session.sink):
            session.finish(exits.FAILED)
    session.sink, session.sources = done.warnings, done.sources
    if given.flag("json"):
        session.console.data(json_text(bump_data(report)))
    else:
        lines = "".join(f"{safe(line)}\n" for line in bump_lines(report))
        session.console.remark(lines, whole=True)
    session.show()
    return exits.OK
