"""`tvarc why-not`: why there is no such cell, and the smallest change that would admit it."""

from __future__ import annotations

import sys

from tvarc.build.whynot import answers
from tvarc.commands.cli import exits
from tvarc.commands.cli.arguments import Arguments, Misused
from tvarc.commands.cli.console import has_colour, terminal_width
from tvarc.commands.cli.session import Session, run
from tvarc.commands.report.whynot import absence_data, answer_of, whynot_text
from tvarc.light import Sequence
from tvarc.values.plain import json_text


def command(given: Arguments) -> int:
    """Answer for each matrix that the words may mean a cell of; the exit code."""
    file, words = given.program_and_words()
    if not words:
        raise Misused(f"name a cell of `{file}`", "VALUE|AXIS=VALUE")
    return run(given, lambda session: _why_not(session, given, file, words))


def _why_not(session: Session, given: Arguments, file: str | None, words: Sequence[str]) -> int:
    made = session.compile(file)
    session.stop_on_errors()
    found = answers(made, words, session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    session.show()
    if given.flag("json"):
        rows = [absence_data(one, made.sources) for one in found]
        session.console.data(json_text(rows))
    else:
        out = sys.stdout
        texts = [answer_of(one, made.sources, made.file) for one in found]
        text = whynot_text(texts, colour=has_colour(out), width=terminal_width(out))
        session.console.out(text)
    return exits.OK
