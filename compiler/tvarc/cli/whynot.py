"""`tvarc why-not`: why there is no such cell, and the smallest change that would admit it."""

from __future__ import annotations

import json
import sys

from tvarc.cli import exits
from tvarc.cli.arguments import Arguments, Misused
from tvarc.cli.console import has_colour, terminal_width
from tvarc.cli.session import Session, run
from tvarc.light import Sequence
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.query import Vocabulary, of_matrices, pairs_and_runs, report_strange
from tvarc.report.whynot import absence_data, answer_of, whynot_text
from tvarc.whynot import look_up


def command(given: Arguments) -> int:
    """Answer for each matrix that the words may mean a cell of; the exit code."""
    file, words = given.program_and_words()
    if not words:
        raise Misused(f"a cell of `{file}` is wanted", "VALUE|AXIS=VALUE")
    return run(given, lambda session: _why_not(session, given, file, words))


def _why_not(session: Session, given: Arguments, file: str | None, words: Sequence[str]) -> int:
    made = session.compile(file)
    session.stop_on_errors()
    assert made.resolution is not None and made.expansion is not None
    pairs, runs = pairs_and_runs(words)
    reads = Dependencies()
    lets = made.resolution.scope.lets
    matrices = made.resolution.program.matrices
    vocabularies = [Vocabulary(matrix, lets, reads) for matrix in matrices]
    vocabularies, runs = of_matrices(vocabularies, runs)
    wishes = [one.read(pairs, runs) for one in vocabularies]
    report_strange(wishes, vocabularies, session.sink)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    with session.guarded():
        found = [look_up(made, *both, reads) for both in zip(wishes, vocabularies, strict=True)]
    session.show()
    if given.flag("json"):
        rows = [absence_data(one, made.sources) for one in found]
        session.console.data(json.dumps(rows, indent=2) + "\n")
    else:
        out = sys.stdout
        answers = [answer_of(one, made.sources, made.file) for one in found]
        text = whynot_text(answers, colour=has_colour(out), width=terminal_width(out))
        session.console.out(text)
    return exits.OK
