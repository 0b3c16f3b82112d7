"""`tvarc fmt`: sources in the one layout of the language."""

from __future__ import annotations

import sys

from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments, Misused
from tvarc.commands.cli.session import Session, run
from tvarc.commands.programs.below import LeftOut
from tvarc.commands.programs.formatting import (
    STDIN,
    Formatted,
    formatted,
    not_formatted,
    sources_meant,
    summary,
)
from tvarc.commands.report.unified_diff import difference
from tvarc.files.output.rewrite import rewrite


def command(given: Arguments) -> int:
    """Format files, or with `--check` and `--diff` report what would change; the exit code."""
    files = (*given.words("programs"), *given.words("file"))
    if STDIN in files and len(files) > 1:
        raise Misused("`-` cannot be combined with files")
    if files == (STDIN,):
        return run(given, lambda session: _stream(session, given))
    return run(given, lambda session: _files(session, given, files))


def _files(session: Session, given: Arguments, files: tuple[str, ...]) -> int:
    check, diff = given.flag("check"), given.flag("diff")
    left = LeftOut(given.words("exclude"))
    names = sources_meant(files, left, session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    outcomes: dict[str, Formatted | None] = {}
    for name in names:
        made = formatted(name, session.sources, session.sink, session.cache)
        if made is not None and made.differs:
            if diff:
                _show(session, made)
            elif not check and not _rewrite(session, name, made):
                made = None
        outcomes[name] = made
    other = [name for name, made in outcomes.items() if made is not None and made.differs]
    if check and other:
        session.sink.add(not_formatted(other))
    session.show()
    told = left.told("file")
    if not (check or diff) or (check and not other):
        session.console.remark(f"{summary(outcomes, check=check)}{f', {told}' if told else ''}\n")
    elif told:
        session.console.error(f"{told}\n")
    if None in outcomes.values():
        return exits.FAILED
    return exits.STALE if check and other else exits.OK


def _rewrite(session: Session, name: str, made: Formatted) -> bool:
    return rewrite(name, made.source.text.encode(), made.text.encode(), session.sink)


def _stream(session: Session, given: Arguments) -> int:
    """From stdin to stdout."""
    check = given.flag("check")
    made = formatted(STDIN, session.sources, session.sink, session.cache)
    if made is None:
        session.finish(exits.FAILED)
    if check and made.differs:
        session.sink.add(not_formatted([made.source.file]))
    session.show()
    # What is no source in UTF-8 is of no use, whatever the terminal's own encoding is.
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(encoding="utf-8", newline="")
    if given.flag("diff"):
        _show(session, made)
    elif not check:
        session.console.file(made.text)
    return exits.STALE if check and made.differs else exits.OK


def _show(session: Session, made: Formatted) -> None:
    """The differences: for `patch` to the last byte, for a terminal without control characters."""
    session.console.file(difference(made.source.file, made.source.text, made.text))
