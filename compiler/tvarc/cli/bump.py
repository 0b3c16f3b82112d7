"""`tvarc bump`: one version or commit changed where it is written, what depends on it unlocked."""

from __future__ import annotations

from tvarc.bump.plan import Refused, plan_bump
from tvarc.cli import exits
from tvarc.cli.session import Session
from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.render_cells import safe
from tvarc.light import Mapping, dataclass
from tvarc.output.rewrite import rewrite
from tvarc.plain import json_text
from tvarc.report.bump_report import bump_data, bump_lines


@dataclass(frozen=True, slots=True)
class BumpOptions:
    """`words` are `pin NAME REV`, `input NAME REV` or `NAME VALUE`."""

    file: str | None
    words: tuple[str, ...]
    dry_run: bool
    json: bool = False


def bump(session: Session, options: BumpOptions) -> int:
    """Change one value where it is written; the exit code."""
    made = session.compile(options.file)
    found = session.recipes()
    with session.guarded():
        done = plan_bump(made, found, options.words, dry_run=options.dry_run)
    if isinstance(done, Refused):
        session.sink, session.sources = done.sink, done.sources
        session.finish(exits.FAILED)
    report = done.report
    if report.texts and not options.dry_run:
        _write(session, report.texts)
    session.sink, session.sources = done.warnings, done.sources
    if options.json:
        session.console.data(json_text(bump_data(report)))
    else:
        session.console.remark("".join(f"{safe(line)}\n" for line in bump_lines(report)))
    session.show()
    return exits.OK


def _write(session: Session, texts: Mapping[str, tuple[str, str]]) -> None:
    """Put the new of all *texts* in place; where one file refuses, those before it are as they
    were."""
    session.sink = Sink()
    done: list[str] = []
    for name, (old, new) in texts.items():
        if rewrite(name, old.encode(), new.encode(), session.sink):
            done.append(name)
            continue
        for other in done:
            before, after = texts[other]
            rewrite(other, after.encode(), before.encode(), session.sink)
        session.finish(exits.FAILED)
