"""`tvarc why-not`: why there is no such cell, and the smallest change that would admit it."""

from __future__ import annotations

import json
import sys

from tvarc.cli import exits
from tvarc.cli.console import has_colour, terminal_width
from tvarc.cli.session import Session
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.light import Sequence
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.query import Vocabulary, Wish
from tvarc.matrix.select import is_pairs
from tvarc.nix.quoting import is_attribute_name
from tvarc.report.whynot import absence_data, answer_of, whynot_text
from tvarc.sema.functions import kind_text
from tvarc.values import show
from tvarc.whynot import look_up


def why_not(session: Session, file: str | None, words: Sequence[str], *, as_json: bool) -> int:
    """Answer for each matrix that *words* may mean a cell of; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    assert made.resolution is not None and made.expansion is not None
    pairs, runs = _parsed(words)
    reads = Dependencies()
    lets = made.resolution.scope.lets
    matrices = made.resolution.program.matrices
    vocabularies = [Vocabulary(matrix, lets, reads) for matrix in matrices]
    wishes = [one.read(pairs, runs) for one in vocabularies]
    _stop_on_strange(session, wishes, vocabularies)
    with session.guarded():
        found = [look_up(made, *both, reads) for both in zip(wishes, vocabularies, strict=True)]
    session.show()
    if as_json:
        rows = [absence_data(one, made.sources) for one in found]
        session.console.data(json.dumps(rows, indent=2) + "\n")
    else:
        out = sys.stdout
        answers = [answer_of(one, made.sources, made.file) for one in found]
        text = whynot_text(answers, colour=has_colour(out), width=terminal_width(out))
        session.console.out(text)
    return exits.OK


def _parsed(words: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
    """The pairs and the runs among *words*."""
    pairs: list[tuple[str, str]] = []
    runs: list[str] = []
    for word in words:
        for one in word.replace(",", " ").split():
            if is_pairs(one):
                name, _, value = one.partition("=")
                pairs.append((name, value))
            else:
                runs.append(one)
    return pairs, runs


def _stop_on_strange(
    session: Session, wishes: Sequence[Wish], vocabularies: Sequence[Vocabulary]
) -> None:
    """A word that means nothing in any matrix is an error."""
    sink = session.sink
    if not wishes:
        sink.error("E901", "there is no matrix", help="`matrix` declares one")
    axes = dict.fromkeys(p.axis.name for w in wishes for p in w.matrix.axes)
    for word in wishes[0].strange if wishes else ():
        if not all(word in wish.strange for wish in wishes):
            continue
        name, pair, value = word.partition("=")
        called = {one.axis_called(name) for one in vocabularies} & axes.keys()
        if pair and called:
            _unknown_value(session, called.pop(), value, wishes)
            continue
        if pair:
            sink.error(
                "E901",
                f"there is no axis `{name}`",
                notes=(f"axes: {', '.join(axes)}",) if axes else (),
                help=did_you_mean(name, axes),
            )
            continue
        known = dict.fromkeys(text for one in vocabularies for text in one.by_text)
        sink.error(
            "E901",
            f"no axis and no table of one has `{word}`",
            notes=(f"axes: {', '.join(axes)}",) if axes else (),
            help=did_you_mean(word, known) or "`tvarc facts` shows what the library has",
        )
    if sink.has_errors:
        session.finish(exits.FAILED)


def _unknown_value(session: Session, axis: str, value: str, wishes: Sequence[Wish]) -> None:
    """A value that an axis cannot list, since no row of its table is called so."""
    picks = [p for w in wishes for p in w.matrix.axes if p.axis.name == axis]
    table = next((pick.axis.table for pick in picks if pick.axis.table is not None), None)
    listed = [kind_text(v) or show(v) for pick in picks for v in pick.axis.values or ()]
    if table is None:
        notes: tuple[str, ...] = (f"it has {', '.join(dict.fromkeys(listed))}",)
        session.sink.error("E901", f"axis `{axis}` cannot list `{value}`", notes=notes)
        return
    fields = ", ".join(f"{n} = …" for n, kind in table.fields.items() if not kind.optional)
    own = table.span == picks[0].axis.span
    axes = {pick.axis.name for wish in wishes for pick in wish.matrix.axes}
    named = is_attribute_name(value) and value not in axes  # no row is called like an axis
    row = f"`{value if named else 'NAME'} {{ {fields} }}`"
    session.sink.error(
        "E901",
        f"`{value}` is no value of axis `{axis}`, and table `{table.name}` has no such row",
        table.span,
        "declared here",
        notes=(f"axis `{axis}` has {', '.join(dict.fromkeys(listed))}",) if listed else (),
        help=did_you_mean(value, table.rows)
        or (f"add a row: {row}" if own else f"`facts {table.name} += {{ … }}` adds a row: {row}"),
    )
