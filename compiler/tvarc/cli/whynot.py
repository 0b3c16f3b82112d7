"""`tvarc why-not`: why there is no such cell, and the smallest change that would admit it."""

from __future__ import annotations

import json
import shlex
import sys

from tvarc.cli import exits
from tvarc.cli.admitting import Admission, removal, smallest_change
from tvarc.cli.console import has_colour, terminal_width
from tvarc.cli.excluded import cause_of, operand_texts, reason_data
from tvarc.cli.session import Session
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.driver import Compilation
from tvarc.light import Iterator, Sequence, dataclass, field
from tvarc.matrix.admit import Edit, apply
from tvarc.matrix.dropped import Reason, dropped_cells, dropped_reasons
from tvarc.matrix.expand import is_attribute_name
from tvarc.matrix.reads import ReadsOf
from tvarc.matrix.select import is_pairs
from tvarc.matrix.variants import Unbuilt
from tvarc.matrix.wanted import Choice, Vocabulary, WantedCell, Wish, name_at, wanted_cells
from tvarc.plain import Data, Json, place_data, value_data
from tvarc.report.whynot import (
    LISTED,
    Answer,
    Cells,
    Change,
    ChangedLine,
    Excluding,
    Missing,
    whynot_text,
)
from tvarc.sema import hir
from tvarc.sema.functions import kind_text
from tvarc.values import RowValue, show


@dataclass(slots=True)
class Found:
    """What there is to say of one matrix. `cell` is the one that takes the least to admit."""

    wish: Wish
    vocabulary: Vocabulary
    built: list[WantedCell] = field(default_factory=list)
    absent: list[WantedCell] = field(default_factory=list)
    cell: WantedCell | None = None
    change: Admission | None = None
    instead: Admission | None = None


def why_not(session: Session, file: str | None, words: Sequence[str], *, as_json: bool) -> int:
    """Answer for each matrix that *words* may mean a cell of; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    assert made.resolution is not None and made.expansion is not None
    pairs, runs = _parsed(words)
    reads = ReadsOf()
    lets = made.resolution.scope.lets
    matrices = made.resolution.program.matrices
    vocabularies = [Vocabulary(matrix, lets, reads) for matrix in matrices]
    wishes = [one.read(pairs, runs) for one in vocabularies]
    _stop_on_strange(session, wishes, vocabularies)
    found = [Found(*both) for both in zip(wishes, vocabularies, strict=True)]
    with session.guarded():
        for one in found:
            _look(one, made, reads)
    session.show()
    if as_json:
        rows = [_data(one, made, reads) for one in found]
        session.console.data(json.dumps(rows, indent=2) + "\n")
    else:
        out = sys.stdout
        answers = [_answer(one, made, reads) for one in found]
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


# --- looking -----------------------------------------------------------------------------------


def _look(found: Found, made: Compilation, reads: ReadsOf) -> None:
    wish = found.wish
    if wish.strange:
        return
    others = [one for one in wish.lets if not one.holds]
    assert made.expansion is not None
    excludes = made.expansion.excludes.get(wish.matrix.id, ())
    for cell in wanted_cells(wish, excludes, reads):
        (found.built if cell.built and not others else found.absent).append(cell)
    if not found.absent:
        return
    lines = {id(c): len({id(r.check.through or r.check) for r in c.reasons}) for c in found.absent}
    found.cell = min(
        found.absent, key=lambda cell: (len(cell.new) + lines[id(cell)], len(cell.reasons))
    )
    found.change = smallest_change(made, wish.matrix, found.cell, reads, others)
    change = found.change
    if change is not None and not others and any(edit.kind == "narrow" for edit in change.edits):
        found.instead = removal(made, wish.matrix, found.cell, reads)


def _missing(found: Found) -> list[tuple[Choice, hir.AxisPick, int]]:
    """Values that are asked for and not taken, and how many of the cells have each."""
    picks = {pick.axis.name: pick for pick in found.wish.matrix.axes}
    counts: dict[tuple[str, str], tuple[Choice, int]] = {}
    for cell in found.absent:
        for choice in cell.new:
            key = (choice.axis, kind_text(choice.value) or show(choice.value))
            counts[key] = (choice, counts.get(key, (choice, 0))[1] + 1)
    return [(choice, picks[choice.axis], count) for choice, count in counts.values()]


def _excluding(found: Found) -> list[tuple[Reason, int]]:
    """The exclusions that drop any of the cells, each with how many, as in the first."""
    first: dict[int, Reason] = {}
    counts: dict[int, int] = {}
    for cell in found.absent:
        for reason in cell.reasons:
            first.setdefault(id(reason.check), reason)
            counts[id(reason.check)] = counts.get(id(reason.check), 0) + 1
    return [(reason, counts[key]) for key, reason in first.items()]


def _others(found: Found, made: Compilation, reads: ReadsOf) -> dict[int, tuple[int, int]]:
    """For each exclusion that drops one of the cells: how many other cells of the matrix it
    drops, and how many of those nothing else drops."""
    assert made.expansion is not None
    matrix = found.wish.matrix
    excludes = made.expansion.excludes.get(matrix.id, ())
    wanted = {id(reason.check) for reason, _ in _excluding(found)}
    asked = {tuple(map(id, cell.values.values())) for cell in found.absent}
    counts = dict.fromkeys(wanted, (0, 0))
    if not wanted:
        return counts
    values = [[id(value) for value in pick.values] for pick in matrix.axes]
    for indices, reasons in dropped_reasons(matrix, excludes, reads):
        if tuple([some[i] for some, i in zip(values, indices, strict=True)]) in asked:
            continue
        for reason in reasons:
            if id(reason.check) in counts:
                every, alone = counts[id(reason.check)]
                counts[id(reason.check)] = (every + 1, alone + (len(reasons) == 1))
    return counts


# --- answers -----------------------------------------------------------------------------------


def _named(found: Found, cells: Sequence[WantedCell]) -> tuple[str, ...]:
    return tuple(name_at(found.vocabulary, cell.values) for cell in cells)


def _answer(found: Found, made: Compilation, reads: ReadsOf) -> Answer:
    sources = made.sources
    wish = found.wish
    missing: list[Missing] = []
    for choice, pick, _ in _missing(found):
        text = kind_text(choice.value) or show(choice.value)
        table = pick.axis.table
        behind = table.name if table is not None and isinstance(choice.value, RowValue) else ""
        where = pick.span if choice.standing == "sliced off" else pick.axis.span
        missing.append(
            Missing(text, pick.axis.name, choice.standing, behind, sources.locate(where))
        )
    others = _others(found, made, reads)
    excluding = tuple(
        Excluding(
            cause_of(reason.check, sources),
            operand_texts(reason, everything=True),
            count,
            *others[id(reason.check)],
        )
        for reason, count in _excluding(found)
    )
    asked = tuple(
        (axis, tuple(kind_text(one.value) or show(one.value) for one in choices))
        for axis, choices in wish.choices.items()
    )
    return Answer(
        wish.matrix.name,
        asked,
        tuple(wish.strange),
        tuple((a.name, a.asked, a.value, a.holds, sources.locate(a.span)) for a in wish.lets),
        tuple(pick.axis.name for pick in wish.matrix.axes),
        Cells(len(found.built), _named(found, found.built[:LISTED])),
        Cells(len(found.absent), _named(found, found.absent[:LISTED])),
        tuple(missing),
        excluding,
        _change(found.change, made) if found.change is not None else None,
        _change(found.instead, made) if found.instead is not None else None,
    )


def _change(change: Admission, made: Compilation) -> Change:
    return Change(
        change.name,
        tuple(_changed_line(edit, made) for edit in change.edits),
        change.others,
        change.lost,
        change.faults,
        tuple(dict.fromkeys(one.span.file for one in change.edits if one.span.file != made.file)),
    )


def _changed_line(edit: Edit, made: Compilation) -> ChangedLine:
    """The line of *edit* as it would be; all of them where it goes over several."""
    source = made.sources.get(edit.span.file)
    assert source is not None
    first = source.position(edit.span.start).line
    last = source.position(max(edit.span.end - 1, edit.span.start)).line
    after = apply((edit,), made.sources)[edit.span.file].split("\n")
    before = tuple(source.line(number) for number in range(first, last + 1))
    gone = source.text[edit.span.start : edit.span.end].count("\n")
    count = len(before) + edit.text.count("\n") - gone
    place = made.sources.locate(edit.span)
    return ChangedLine(edit.what, place, before, tuple(after[first - 1 : first - 1 + count]))


# --- JSON --------------------------------------------------------------------------------------


def _data(found: Found, made: Compilation, reads: ReadsOf) -> Data:
    sources = made.sources
    wish = found.wish
    others = _others(found, made, reads)
    missing: list[Json] = [
        {
            "axis": choice.axis,
            "value": value_data(choice.value),
            "standing": choice.standing,
            "cells": count,
            **place_data(pick.span if choice.standing == "sliced off" else pick.axis.span, sources),
        }
        for choice, pick, count in _missing(found)
    ]
    exclusions: list[Json] = [
        {
            **reason_data(reason, sources),
            "cells": count,
            "others": others[id(reason.check)][0],
            "others_alone": others[id(reason.check)][1],
        }
        for reason, count in _excluding(found)
    ]
    return {
        "matrix": wish.matrix.name,
        "axes": {
            axis: [value_data(one.value) for one in choices]
            for axis, choices in wish.choices.items()
        },
        "strange": list(wish.strange),
        "lets": [
            {"name": a.name, "asked": a.asked, "value": a.value, **place_data(a.span, sources)}
            for a in wish.lets
        ],
        "built": list(_named(found, found.built)),
        "absent": list(_named(found, found.absent)),
        "missing": missing,
        "exclusions": exclusions,
        "change": _change_data(found.change, made),
        "instead": _change_data(found.instead, made),
    }


def _change_data(change: Admission | None, made: Compilation) -> Json:
    if change is None:
        return None
    return {
        "variant": change.name,
        "edits": [
            {
                "kind": edit.kind,
                **place_data(edit.span, made.sources),
                "start": edit.span.start,
                "end": edit.span.end,
                "text": edit.text,
            }
            for edit in change.edits
        ],
        "others": list(change.others),
        "lost": list(change.lost),
        "errors": list(change.faults),
    }


class WhyNotCommands:
    """For the name of a file the command that says why there is no such variant.

    Knows the cells that exclusions drop by the names that they would have, from the first
    time that it is asked on."""

    __slots__ = ("_file", "_known", "_made")

    def __init__(self, made: Compilation, file: str | None) -> None:
        """*file* is the program as it was given on the command line, None for the usual one."""
        self._made = made
        self._file = file
        self._known: dict[str, Unbuilt] | None = None

    def command(self, package: str) -> str:
        """What to run for the dropped cell that the name *package* holds; empty for none."""
        if self._known is None:
            self._known = dict(self._names())
        words = package.replace(".", "-").split("-")
        found = ""
        for start in range(len(words) if self._known else 0):
            for end in range(start + 1, len(words) + 1):
                name = "-".join(words[start:end])
                if len(name) > len(found) and name in self._known:
                    found = name
        return self._spelt(self._known[found]) if found else ""

    def _names(self) -> Iterator[tuple[str, Unbuilt]]:
        made = self._made
        if made.expansion is None or made.resolution is None:
            return
        reads = ReadsOf()
        for matrix in made.resolution.program.matrices:
            for cell in dropped_cells(matrix, made.expansion.excludes.get(matrix.id, ()), reads):
                if cell.variant.name:
                    yield cell.variant.name, cell.variant

    def _spelt(self, variant: Unbuilt) -> str:
        pairs = [
            f"{axis}={kind_text(value) or show(value)}" for axis, value in variant.values.items()
        ]
        # A value with a blank or a quote cannot be part of a pair: the name has to do.
        words = pairs if all(map(is_pairs, pairs)) else [variant.name]
        if self._file is not None:
            words += ["--file", self._file]
        return " ".join(["tvarc why-not", *map(shlex.quote, words)])
