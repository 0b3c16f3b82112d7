"""`tvarc why-not`: the reasons why each matrix lacks a cell, and the smallest change that adds
it.
"""

from __future__ import annotations

import sys

from tvarc.build.whynot import Absence, Repair, answers, exclusions_of, missing_values
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import has_colour, terminal_width
from tvarc.commands.line.session import Session, run
from tvarc.commands.shown.excluded import Cause, DropReason, cause_of, reason_of
from tvarc.light import Final, Iterator, Literal, Mapping, Sequence, dataclass
from tvarc.matrix.exclusion_eval import Reason
from tvarc.matrix.query import Standing, WantedCell, name_at
from tvarc.matrix.repair import EditKind, Step, apply
from tvarc.matrix.variants import axis_text
from tvarc.text.diagnostics.render_cells import safe, wrap
from tvarc.text.diagnostics.render_style import Piece, Style, paint
from tvarc.text.source import SourceMap
from tvarc.values.plain import Count, Ordinal, Place, json_text, place_of
from tvarc.values.value import RowValue, Value

_WIDEST: Final = 120
_NARROWEST: Final = 60
LISTED: Final = 6


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
        session.console.data(json_text([result_of(one, made.sources) for one in found]))
    else:
        out = sys.stdout
        texts = [answer_of(one, made.sources, made.file) for one in found]
        text = whynot_text(texts, colour=has_colour(out), width=terminal_width(out))
        session.console.out(text)
    return exits.OK


Row = list[Piece]


@dataclass(frozen=True, slots=True)
class Missing:
    """A value that a matrix does not take; `table` is the one that has it, perhaps empty."""

    value: str
    axis: str
    standing: Literal["listed", "sliced off", "unlisted"]
    table: str
    place: str


@dataclass(frozen=True, slots=True)
class Excluding:
    """An exclusion that drops some of the cells, how many, and how many other cells it drops: all
    of them, and those that nothing else drops."""

    cause: Cause
    operands: tuple[str, ...]
    count: int
    others: int
    alone: int


@dataclass(frozen=True, slots=True)
class ChangedLine:
    what: str
    place: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """A change that admits `name`, which is empty where the program refuses it; the variants
    that it admits besides, those that it loses, and the errors that there are then. `imported`
    are files that it changes and other programs may use as well."""

    name: str
    lines: tuple[ChangedLine, ...]
    others: tuple[str, ...]
    lost: tuple[str, ...]
    faults: tuple[str, ...]
    imported: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cells:
    """Some cells, and the names of the first of them."""

    count: int
    names: tuple[str, ...]

    def text(self) -> str:
        more = self.count - len(self.names)
        return ", ".join(self.names) + (f" and {more:,} more" if more else "")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer for one matrix. `lets` are name, requested value, actual value, whether these
    agree, and the place.
    """

    matrix: str
    asked: tuple[tuple[str, tuple[str, ...]], ...]
    strange: tuple[str, ...]
    lets: tuple[tuple[str, str, str, bool, str], ...]
    axes: tuple[str, ...]
    built: Cells
    absent: Cells
    missing: tuple[Missing, ...]
    excluding: tuple[Excluding, ...]
    change: Change | None
    instead: Change | None

    @property
    def fits(self) -> bool:
        """Whether the words mean cells of this matrix."""
        return not self.strange


def whynot_text(answers: Sequence[Answer], *, colour: bool, width: int) -> str:
    """A block for each matrix; those that the words do not fit have a line each, last."""
    page = _Page(min(max(width, _NARROWEST), _WIDEST))
    rows: list[Row] = []
    ordered = sorted(answers, key=lambda answer: not answer.fits)
    for number, answer in enumerate(ordered):
        if number and (answer.fits or ordered[number - 1].fits):
            rows.append([])
        rows += page.answer(answer)
    return "".join(f"{paint(row, colour=colour)}\n" for row in rows)


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    width: int

    def answer(self, answer: Answer) -> Iterator[Row]:
        if not answer.fits:
            yield from self.not_meant(answer)
            return
        asked = ", ".join(f"{axis} = {' or '.join(values)}" for axis, values in answer.asked)
        built, absent = answer.built.count, answer.absent.count
        if not absent:
            head = "the variant exists" if built == 1 else "the variants exist"
        elif built:
            head = f"{built:,} of {built + absent:,} cells are built"
        elif absent == 1:
            head = "no such variant"
        else:
            head = f"none of these {absent:,} cells is built"
        yield [(safe(f"{answer.matrix}: {head}"), Style.TITLE)]
        if asked:
            yield from self.wrapped(asked, 2, Style.FAINT)
        for name, wanted, value, agrees, place in answer.lets:
            if agrees:
                yield from self.wrapped(f"{name} is {value}: {place}", 2, Style.FAINT)
                continue
            yield []
            yield from self.wrapped(
                f"{name} is {value} for all variants, not {wanted}: change `let {name}` "
                f"({place}), or make it an axis", 2,
            )  # fmt: skip
        if built:
            yield from self.wrapped(f"built: {answer.built.text()}", 2)
        if absent and built:
            yield from self.wrapped(f"not built: {answer.absent.text()}", 2)
        for missing in answer.missing:
            yield []
            yield from self.wrapped(_missing(missing), 2)
        several = absent > 1
        for one in answer.excluding:
            yield []
            yield from self.exclusion(one, several=several)
        if absent:
            yield []
            yield from self.changes(answer)

    def not_meant(self, answer: Answer) -> Iterator[Row]:
        """Why no cell of a matrix can be meant, on a line or two."""
        axes = f"its axes are {', '.join(answer.axes)}" if answer.axes else "it has no axes"
        told = (
            [f"it has no axis or value {', '.join(answer.strange)}; {axes}"]
            if answer.strange
            else []
        )
        for name, asked, value, agrees, place in answer.lets:
            if not agrees:
                told.append(f"{name} is {value} for all variants, not {asked}: {place}")
        head = f"{answer.matrix}: "
        first, *rest = wrap("; ".join(told), self.width - len(head))
        yield [(safe(head), Style.TITLE), (first, Style.PLAIN)]
        for row in rest:
            yield [("  " + row, Style.PLAIN)]

    def exclusion(self, one: Excluding, *, several: bool) -> Iterator[Row]:
        cause = one.cause
        count = f" ({one.count} of these cells)" if several else ""
        because = f": {cause.because}" if cause.because else ""
        yield from self.wrapped(f"excluded{count}{because}", 2)
        yield from self.wrapped(f"{cause.place}: {cause.text}", 6)
        if cause.brought_in:
            yield from self.wrapped(f"brought in by {cause.brought_in}", 6)
        if one.operands:
            first = "in the first cell, " if several and one.count > 1 else ""
            yield from self.wrapped(f"{first}{', '.join(one.operands)}", 6)
        if one.others:
            alone = f"; {_only(one)} only for this reason" if one.alone != one.others else ""
            yield from self.wrapped(
                f"it drops {one.others:,} other {_cells(one.others)}{alone}", 6, Style.FAINT
            )
        else:
            yield from self.wrapped("it drops no other cell", 6, Style.FAINT)

    def changes(self, answer: Answer) -> Iterator[Row]:
        change = answer.change
        if change is None:
            yield from self.wrapped(
                "tvarc found no change of an axis or an exclusion that adds it", 2
            )
            return
        if not change.name:
            yield from self.wrapped("tvarc found no change that adds it; the closest one is:", 2)
            for line in change.lines:
                yield from self.edit(line)
            for fault in change.faults:
                yield from self.wrapped(f"with it, the program has an error: {fault}", 4)
            return
        named = f" that adds {change.name}" if answer.absent.count > 1 else ""
        yield from self.wrapped(f"the smallest change{named}:", 2, Style.TITLE)
        for line in change.lines:
            yield from self.edit(line)
        yield from self.comes(change, "it adds", 4)
        for file in change.imported:
            yield from self.wrapped(
                f"`{file}` is imported: other programs that use it change, too", 4
            )
        if answer.instead is not None:
            yield from self.comes(answer.instead, "removing the exclusion would add", 4)

    def edit(self, line: ChangedLine) -> Iterator[Row]:
        yield from self.wrapped(f"{line.place}: {line.what}", 4)
        for sign, texts in (("- ", line.before), ("+ ", line.after)):
            for text in texts:
                yield [(" " * 6 + sign + safe(text.strip()), Style.PLAIN)]

    def comes(self, change: Change, verb: str, indent: int) -> Iterator[Row]:
        """Further effects of a change."""
        others = change.others
        also = "nothing else" if not others else f"{len(others):,} more: {_few(others)}"
        yield from self.wrapped(f"{verb} {also}", indent, Style.FAINT)
        if change.lost:
            text = f"and removes {len(change.lost):,}: {_few(change.lost)}"
            yield from self.wrapped(text, indent, Style.FAINT)
        for fault in change.faults:
            yield from self.wrapped(f"the new variant has an error: {fault}", indent)

    def wrapped(self, text: str, indent: int, style: Style = Style.PLAIN) -> Iterator[Row]:
        for row in wrap(text, self.width - indent):
            yield [(" " * indent + row, style)]


def _few(names: Sequence[str]) -> str:
    more = len(names) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _cells(count: int) -> str:
    return "cell" if count == 1 else "cells"


def _only(one: Excluding) -> str:
    """The number of other cells that only this rule drops."""
    return f"{one.alone:,} of them" if one.alone else "none of them"


def _missing(one: Missing) -> str:
    match one.standing:
        case "sliced off":
            has = f"is in axis `{one.axis}`, but this matrix does not take it"
            return f"`{one.value}` {has}: {one.place}"
        case _:
            has = f", but table `{one.table}` has it" if one.table else ""
            return f"`{one.value}` is not in axis `{one.axis}`{has}: {one.place}"


# --- the findings --------------------------------------------------------------------------------


def _named(found: Absence, cells: Sequence[WantedCell]) -> tuple[str, ...]:
    return tuple(name_at(found.vocabulary, cell.values) for cell in cells)


def _beneath(found: Absence, reason: Reason, sources: SourceMap) -> Iterator[str]:
    """Why the target of a need does not exist."""
    for one in found.beneath.get(id(reason.check), ()):
        cause = cause_of(one.check, sources)
        because = f"{cause.because}, " if cause.because else ""
        yield f"since {because}{cause.place}: {cause.text}"


def answer_of(found: Absence, sources: SourceMap, file: str) -> Answer:
    """The text of the findings for a person, in the program *file*."""
    wish = found.wish
    missing: list[Missing] = []
    for choice, pick, _ in missing_values(found):
        text = axis_text(choice.value)
        table = pick.axis.table
        behind = table.name if table is not None and isinstance(choice.value, RowValue) else ""
        where = pick.span if choice.standing == "sliced off" else pick.axis.span
        missing.append(
            Missing(text, pick.axis.name, choice.standing, behind, sources.locate(where))
        )
    excluding = tuple(
        Excluding(
            cause_of(reason.check, sources),
            (*reason.texts(everything=True), *_beneath(found, reason, sources)),
            count,
            *found.others[id(reason.check)],
        )
        for reason, count in exclusions_of(found)
    )
    asked = tuple(
        (axis, tuple(axis_text(one.value) for one in choices))
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
        _change(found.repair, sources, file) if found.repair is not None else None,
        _change(found.instead, sources, file) if found.instead is not None else None,
    )


def _change(repair: Repair, sources: SourceMap, file: str) -> Change:
    return Change(
        repair.name,
        tuple(_changed_line(step, sources) for step in repair.steps),
        repair.others,
        repair.lost,
        repair.faults,
        tuple(
            dict.fromkeys(one.edit.span.file for one in repair.steps if one.edit.span.file != file)
        ),
    )


def _changed_line(step: Step, sources: SourceMap) -> ChangedLine:
    """The line of *step* as it would be; all lines if it changes several."""
    edit = step.edit
    source = sources.get(edit.span.file)
    assert source is not None
    first = source.position(edit.span.start).line
    last = source.position(max(edit.span.end - 1, edit.span.start)).line
    after = apply((step,), sources)[edit.span.file].split("\n")
    before = tuple(source.line(number) for number in range(first, last + 1))
    gone = source.text[edit.span.start : edit.span.end].count("\n")
    count = len(before) + edit.text.count("\n") - gone
    place = sources.locate(edit.span)
    return ChangedLine(step.what, place, before, tuple(after[first - 1 : first - 1 + count]))


# --- JSON ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AgreedLet:
    """A `let` that the words name, its value in the words, and the value that it has."""

    KEYS = (("place", ""),)

    name: str
    asked: str
    value: str
    place: Place


@dataclass(frozen=True, slots=True)
class MissingValue:
    """A value that the matrix does not take."""

    KEYS = (("place", ""),)

    axis: str
    value: Value
    standing: Standing
    cells: Ordinal
    place: Place


@dataclass(frozen=True, slots=True)
class Exclusion:
    """An exclusion that drops any of the absent cells."""

    KEYS = (("reason", ""),)

    reason: DropReason
    cells: Ordinal
    """How many of the absent cells it drops."""
    others: Count
    """How many other cells of the matrix."""
    others_alone: Count
    """How many of those nothing else drops."""


@dataclass(frozen=True, slots=True)
class Replacement:
    """Replace the characters from `start` to `end` by `text`."""

    KEYS = (("place", ""),)

    kind: EditKind
    place: Place
    start: Count
    """In characters of the file, from 0."""
    end: Count
    text: str


@dataclass(frozen=True, slots=True)
class TriedChange:
    """A change that was tried."""

    variant: str
    """What it admits; empty where the program has errors then."""
    edits: tuple[Replacement, ...]
    others: tuple[str, ...]
    """The variants that it admits besides."""
    lost: tuple[str, ...]
    errors: tuple[str, ...]
    """The errors after the change."""


@dataclass(frozen=True, slots=True)
class Result:
    """The answer for one matrix."""

    matrix: str
    axes: Mapping[str, tuple[Value, ...]]
    """The values that were asked for."""
    strange: tuple[str, ...]
    """The words that mean nothing in this matrix."""
    lets: tuple[AgreedLet, ...]
    built: tuple[str, ...]
    absent: tuple[str, ...]
    """The names of the cells that are not built; empty where one has none."""
    missing: tuple[MissingValue, ...]
    exclusions: tuple[Exclusion, ...]
    change: TriedChange | None
    instead: TriedChange | None
    """The result of removing the condition that `change` narrows."""


def result_of(found: Absence, sources: SourceMap) -> Result:
    """The findings for a program."""
    wish = found.wish
    return Result(
        matrix=wish.matrix.name,
        axes={axis: tuple(one.value for one in chosen) for axis, chosen in wish.choices.items()},
        strange=tuple(wish.strange),
        lets=tuple(
            AgreedLet(a.name, a.asked, a.value, place_of(a.span, sources)) for a in wish.lets
        ),
        built=_named(found, found.built),
        absent=_named(found, found.absent),
        missing=tuple(
            MissingValue(
                choice.axis,
                choice.value,
                choice.standing,
                count,
                place_of(pick.span if choice.standing == "sliced off" else pick.axis.span, sources),
            )
            for choice, pick, count in missing_values(found)
        ),
        exclusions=tuple(
            Exclusion(reason_of(reason, sources), count, *found.others[id(reason.check)])
            for reason, count in exclusions_of(found)
        ),
        change=_tried(found.repair, sources),
        instead=_tried(found.instead, sources),
    )


def _tried(repair: Repair | None, sources: SourceMap) -> TriedChange | None:
    if repair is None:
        return None
    edits = [
        Replacement(
            step.kind,
            place_of(step.edit.span, sources),
            step.edit.span.start,
            step.edit.span.end,
            step.edit.text,
        )
        for step in repair.steps
    ]
    return TriedChange(repair.name, tuple(edits), repair.others, repair.lost, repair.faults)
