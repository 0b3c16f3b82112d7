"""`tvarc why-not`: the reasons why each matrix lacks a cell, and the smallest change that adds
it.
"""

from __future__ import annotations

import sys

from tvarc.build.whynot import Absence, Repair, answers, exclusions_of, missing_values
from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments, Misused
from tvarc.commands.line.console import has_colour, terminal_width
from tvarc.commands.line.session import Session, in_session
from tvarc.commands.shown.excluded import DropReason, cause_of, reason_of
from tvarc.light import Final, Iterator, Mapping, Sequence, dataclass
from tvarc.matrix.exclusion_eval import Reason
from tvarc.matrix.query import Agreement, Choice, Standing, WantedCell, Wish, name_at
from tvarc.matrix.repair import Step, apply
from tvarc.matrix.variants import axis_text
from tvarc.meaning.hir import AxisPick
from tvarc.text.diagnostics.render_cells import safe, wrap
from tvarc.text.diagnostics.render_style import Piece, Style, painted
from tvarc.text.source import SourceMap, Span
from tvarc.values.plain import Count, Ordinal, json_text
from tvarc.values.value import RowValue, Value

_WIDEST: Final = 120
_NARROWEST: Final = 60
LISTED: Final = 6


@in_session
def command(session: Session, given: Arguments) -> int:
    """Answer for each matrix that may have the cell that the words mean; the exit code."""
    file, words = given.program_and_words()
    if not words:
        raise Misused(f"name a cell of `{file}`", "VALUE|AXIS=VALUE")
    made = session.compile(file)
    session.stop_on_errors()
    found = answers(made, words, session.sink)
    session.end_on_errors()
    session.show()
    if given.flag("json"):
        results = [result_of(one, made.sources) for one in found]
        session.console.data(json_text(results, made.sources))
    else:
        out = sys.stdout
        text = whynot_text(
            found, made.sources, made.file, colour=has_colour(out), width=terminal_width(out)
        )
        session.console.out(text)
    return exits.OK


Row = list[Piece]


def whynot_text(
    found: Sequence[Absence], sources: SourceMap, file: str, *, colour: bool, width: int
) -> str:
    """The findings about the program *file* as text: a block for each matrix. Matrices that do not
    fit the words come last, with a line each.
    """
    page = _Page(min(max(width, _NARROWEST), _WIDEST), sources, file)
    rows: list[Row] = []
    ordered = sorted(found, key=lambda one: bool(one.wish.strange))
    for number, one in enumerate(ordered):
        if number and not (one.wish.strange and ordered[number - 1].wish.strange):
            rows.append([])
        rows += page.answer(one)
    return painted(rows, colour=colour)


@dataclass(frozen=True, slots=True, eq=False)
class _Page:
    width: int
    sources: SourceMap
    file: str

    def answer(self, found: Absence) -> Iterator[Row]:
        wish = found.wish
        if wish.strange:
            yield from self.not_meant(wish)
            return
        built, absent = len(found.built), len(found.absent)
        if not absent:
            head = "the variant exists" if built == 1 else "the variants exist"
        elif built:
            head = f"{built:,} of {built + absent:,} cells are built"
        elif absent == 1:
            head = "no such variant"
        else:
            head = f"none of these {absent:,} cells is built"
        yield [(safe(f"{wish.matrix.name}: {head}"), Style.TITLE)]
        asked = [
            f"{axis} = {' or '.join([axis_text(one.value) for one in choices])}"
            for axis, choices in wish.choices.items()
        ]
        if asked:
            yield from self.wrapped(", ".join(asked), 2, Style.FAINT)
        for let in wish.lets:
            place = self.sources.locate(let.span)
            if let.holds:
                yield from self.wrapped(f"{let.name} is {let.value}: {place}", 2, Style.FAINT)
                continue
            yield []
            yield from self.wrapped(
                f"{let.name} is {let.value} for all variants, not {let.asked}: change "
                f"`let {let.name}` ({place}), or make it an axis", 2,
            )  # fmt: skip
        if built:
            yield from self.wrapped(f"built: {_first(found, found.built)}", 2)
        if absent and built:
            yield from self.wrapped(f"not built: {_first(found, found.absent)}", 2)
        for choice, pick, _ in missing_values(found):
            yield []
            yield from self.wrapped(self.missing(choice, pick), 2)
        for reason, count in exclusions_of(found):
            yield []
            yield from self.exclusion(found, reason, count)
        if absent:
            yield []
            yield from self.changes(found)

    def not_meant(self, wish: Wish) -> Iterator[Row]:
        """One or two lines that say why the words cannot mean a cell of the matrix."""
        axes = ", ".join([pick.axis.name for pick in wish.matrix.axes])
        its = f"its axes are {axes}" if axes else "it has no axes"
        told = [f"it has no axis or value {', '.join(wish.strange)}; {its}"]
        for let in wish.lets:
            if not let.holds:
                place = self.sources.locate(let.span)
                told.append(f"{let.name} is {let.value} for all variants, not {let.asked}: {place}")
        head = f"{wish.matrix.name}: "
        first, *rest = wrap("; ".join(told), self.width - len(head))
        yield [(safe(head), Style.TITLE), (first, Style.PLAIN)]
        for row in rest:
            yield [("  " + row, Style.PLAIN)]

    def missing(self, choice: Choice, pick: AxisPick) -> str:
        """The reasons why the matrix does not have a value."""
        value, axis = axis_text(choice.value), pick.axis
        if choice.standing == "sliced off":
            place = self.sources.locate(pick.span)
            return f"`{value}` is in axis `{axis.name}`, but this matrix does not take it: {place}"
        has = ""
        if axis.table is not None and isinstance(choice.value, RowValue):
            has = f", but table `{axis.table.name}` has it"
        return f"`{value}` is not in axis `{axis.name}`{has}: {self.sources.locate(axis.span)}"

    def exclusion(self, found: Absence, reason: Reason, count: int) -> Iterator[Row]:
        """An exclusion that drops *count* of the cells, and how many others it drops."""
        cause = cause_of(reason.check, self.sources)
        several = len(found.absent) > 1
        of_these = f" ({count} of these cells)" if several else ""
        because = f": {cause.because}" if cause.because else ""
        yield from self.wrapped(f"excluded{of_these}{because}", 2)
        yield from self.wrapped(f"{cause.place}: {cause.text}", 6)
        if cause.brought_in:
            yield from self.wrapped(f"brought in by {cause.brought_in}", 6)
        operands = [*reason.texts(everything=True), *self.beneath(found, reason)]
        if operands:
            first = "in the first cell, " if several and count > 1 else ""
            yield from self.wrapped(f"{first}{', '.join(operands)}", 6)
        for one in reason.operands:
            if one.corrected is not None:
                place = self.sources.locate(one.corrected)
                yield from self.wrapped(f"the program corrects {one.text}: {place}", 6)
        others, alone = found.others[id(reason.check)]
        dropped = "it drops no other cell"
        if others:
            dropped = f"it drops {others:,} other {'cell' if others == 1 else 'cells'}"
        if alone != others:
            only = f"{alone:,} of them" if alone else "none of them"
            dropped += f"; {only} only for this reason"
        yield from self.wrapped(dropped, 6, Style.FAINT)

    def beneath(self, found: Absence, reason: Reason) -> Iterator[str]:
        """The reasons why the target of a need does not exist."""
        for one in found.beneath.get(id(reason.check), ()):
            cause = cause_of(one.check, self.sources)
            because = f"{cause.because}, " if cause.because else ""
            yield f"since {because}{cause.place}: {cause.text}"

    def changes(self, found: Absence) -> Iterator[Row]:
        repair = found.repair
        if repair is None:
            yield from self.wrapped(
                "tvarc found no change of an axis or an exclusion that adds it", 2
            )
            return
        if not repair.name:
            yield from self.wrapped("tvarc found no change that adds it; the closest one is:", 2)
            for step in repair.steps:
                yield from self.edit(step)
            for fault in repair.faults:
                yield from self.wrapped(f"with it, the program has an error: {fault}", 4)
            return
        named = f" that adds {repair.name}" if len(found.absent) > 1 else ""
        yield from self.wrapped(f"the smallest change{named}:", 2, Style.TITLE)
        for step in repair.steps:
            yield from self.edit(step)
        yield from self.comes(repair, "it adds")
        for file in dict.fromkeys([step.edit.span.file for step in repair.steps]):
            if file != self.file:
                yield from self.wrapped(
                    f"`{file}` is imported: other programs that use it change, too", 4
                )
        if found.instead is not None:
            yield from self.comes(found.instead, "removing the exclusion would add")

    def edit(self, step: Step) -> Iterator[Row]:
        """The present and the changed line of *step*; all lines if it changes several."""
        edit, sources = step.edit, self.sources
        source = sources.get(edit.span.file)
        assert source is not None
        first = source.position(edit.span.start).line
        last = source.position(max(edit.span.end - 1, edit.span.start)).line
        before = [source.line(number) for number in range(first, last + 1)]
        gone = source.text[edit.span.start : edit.span.end].count("\n")
        count = len(before) + edit.text.count("\n") - gone
        after = apply((step,), sources)[edit.span.file].split("\n")[first - 1 : first - 1 + count]
        yield from self.wrapped(f"{sources.locate(edit.span)}: {step.what}", 4)
        for sign, texts in (("- ", before), ("+ ", after)):
            for text in texts:
                yield [(" " * 6 + sign + safe(text.strip()), Style.PLAIN)]

    def comes(self, repair: Repair, verb: str) -> Iterator[Row]:
        """Further effects of a change."""
        others = repair.others
        also = "nothing else" if not others else f"{len(others):,} more: {_few(others)}"
        yield from self.wrapped(f"{verb} {also}", 4, Style.FAINT)
        if repair.lost:
            text = f"and removes {len(repair.lost):,}: {_few(repair.lost)}"
            yield from self.wrapped(text, 4, Style.FAINT)
        for fault in repair.faults:
            yield from self.wrapped(f"the new variant has an error: {fault}", 4)

    def wrapped(self, text: str, indent: int, style: Style = Style.PLAIN) -> Iterator[Row]:
        for row in wrap(text, self.width - indent):
            yield [(" " * indent + row, style)]


def _few(names: Sequence[str], count: int = 0) -> str:
    """The first of *names*, and how many more there are; *count* is how many if not all are
    given.
    """
    more = (count or len(names)) - LISTED
    return ", ".join(names[:LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _first(found: Absence, cells: Sequence[WantedCell]) -> str:
    return _few(_named(found, cells[:LISTED]), len(cells))


def _named(found: Absence, cells: Sequence[WantedCell]) -> tuple[str, ...]:
    return tuple(name_at(found.vocabulary, cell.values) for cell in cells)


# --- JSON -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MissingValue:
    """A value that the matrix does not take."""

    KEYS = (("place", ""),)

    axis: str
    value: Value
    standing: Standing
    cells: Ordinal
    place: Span


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
class Result:
    """The answer for one matrix."""

    matrix: str
    axes: Mapping[str, tuple[Value, ...]]
    """The values that were asked for."""
    strange: tuple[str, ...]
    """The words that mean nothing in this matrix."""
    lets: tuple[Agreement, ...]
    built: tuple[str, ...]
    absent: tuple[str, ...]
    """The names of the cells that are not built; empty where one has none."""
    missing: tuple[MissingValue, ...]
    exclusions: tuple[Exclusion, ...]
    change: Repair | None
    instead: Repair | None
    """The result of removing the condition that `change` narrows."""


def result_of(found: Absence, sources: SourceMap) -> Result:
    """The findings for a program."""
    wish = found.wish
    return Result(
        matrix=wish.matrix.name,
        axes={axis: tuple(one.value for one in chosen) for axis, chosen in wish.choices.items()},
        strange=tuple(wish.strange),
        lets=tuple(wish.lets),
        built=_named(found, found.built),
        absent=_named(found, found.absent),
        missing=tuple(
            MissingValue(
                choice.axis,
                choice.value,
                choice.standing,
                count,
                pick.span if choice.standing == "sliced off" else pick.axis.span,
            )
            for choice, pick, count in missing_values(found)
        ),
        exclusions=tuple(
            Exclusion(reason_of(reason, sources), count, *found.others[id(reason.check)])
            for reason, count in exclusions_of(found)
        ),
        change=found.repair,
        instead=found.instead,
    )
