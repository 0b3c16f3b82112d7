"""Cells that a user names, whether they exist or not. Their values may be in an axis, or only in
the table behind it."""

from __future__ import annotations

from itertools import product
from math import prod

from tvarc.light import Iterator, Literal, Sequence, dataclass, field
from tvarc.matrix import messages as msg
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.exclusion_eval import (
    Reason,
    Tables,
    effort_of_reasons,
    evaluator_at,
    reason_at,
)
from tvarc.matrix.pairs import is_pairs
from tvarc.matrix.variants import axis_text
from tvarc.meaning import hir
from tvarc.meaning.budget import Total
from tvarc.meaning.functions import kind_text
from tvarc.nix.language.quoting import is_identifier
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span
from tvarc.values.value import RowValue, Value, Version, is_version

_MOST_DIGITS = 20
_LITTLE_EFFORT = 5_000  # of less effort, reasons are not counted

Standing = Literal["listed", "sliced off", "unlisted"]
"""Whether the matrix uses a value (`listed`), only its axis lists it (`sliced off`), or neither."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value that the user named, and its axis."""

    axis: str
    value: Value
    standing: Standing


@dataclass(frozen=True, slots=True)
class Agreement:
    """A pair that names a `let`: its value for all variants, and whether it is the value that the
    user named."""

    SHOWN = ("name", "asked", "value", "span")
    KEYS = (("span", ""),)

    name: str
    asked: str
    value: str
    holds: bool
    span: Span


@dataclass(slots=True)
class Wish:
    """The meaning of words in one matrix. `choices` has the chosen values by axis, and `lets` the
    pairs that name a `let`. `strange` has the words without a meaning here. `named` has the words
    that are in the name of every variant of the matrix."""

    matrix: hir.MatrixDef
    choices: dict[str, list[Choice]] = field(default_factory=dict)
    lets: list[Agreement] = field(default_factory=list)
    strange: list[str] = field(default_factory=list)
    named: list[str] = field(default_factory=list)

    @property
    def is_listed(self) -> bool:
        """Whether the words are values that the matrix uses, one for each named axis, and nothing
        else."""
        return (
            bool(self.choices)
            and not self.strange
            and not self.lets
            and all(
                len(chosen) == 1 and chosen[0].standing == "listed"
                for chosen in self.choices.values()
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class WantedCell:
    """A cell that the user named. `new` are its values that the matrix does not use."""

    values: dict[str, Value]
    new: tuple[Choice, ...]
    reasons: tuple[Reason, ...]

    @property
    def built(self) -> bool:
        return not self.new and not self.reasons


class Vocabulary:
    """The words that name axis values of one matrix."""

    __slots__ = ("by_text", "constant", "lets", "matrix", "reads")

    def __init__(
        self, matrix: hir.MatrixDef, lets: dict[str, hir.LetDef], reads: Dependencies
    ) -> None:
        self.matrix = matrix
        self.lets = lets
        self.reads = reads
        self.by_text: dict[str, dict[str, Choice]] = {}
        self.constant: set[str] = set()
        segments = self.segments()
        for pick in matrix.axes:
            for choice in _choices(pick):
                for text in self.texts(choice, segments):
                    self.by_text.setdefault(text, {}).setdefault(choice.axis, choice)

    def segments(self) -> list[tuple[frozenset[str], list[str | hir.Expr]]]:
        """The parts of the name between its dashes, each with the axes that it reads. Words of
        parts that read none are added to `constant`."""
        parts = self.matrix.name_parts
        segments: list[list[str | hir.Expr]] = [[]]
        for part in parts:
            if not isinstance(part, str):
                segments[-1].append(part)
                continue
            first, *rest = part.split("-")
            segments[-1].append(first)
            segments += [[text] for text in rest]
        found: list[tuple[frozenset[str], list[str | hir.Expr]]] = []
        for segment in segments:
            read = [self.reads.expr(part).axes for part in segment if not isinstance(part, str)]
            axes = frozenset().union(*read)
            if axes:
                found.append((axes, segment))
            else:
                text = self.text(segment, {})
                self.constant.update(text.split("-") if text else ())
        return found

    def text(self, segment: Sequence[str | hir.Expr], values: dict[str, Value]) -> str | None:
        evaluator = evaluator_at(self.matrix, values)
        found: list[str] = []
        for part in segment:
            if isinstance(part, str):
                found.append(part)
                continue
            try:
                text = kind_text(evaluator.value(part))
            except Failed:
                return None
            if text is None:
                return None
            found.append(text)
        return "".join(found)

    def texts(
        self, choice: Choice, segments: list[tuple[frozenset[str], list[str | hir.Expr]]]
    ) -> Iterator[str]:
        """The forms in which a user may type a value: its name, its form in names of variants, and
        its version."""
        yield axis_text(choice.value)
        for axes, segment in segments:
            if axes == {choice.axis}:
                text = self.text(segment, {choice.axis: choice.value})
                if text:
                    yield text
        if isinstance(choice.value, RowValue):
            version = choice.value.facts.get("version")
            if version is not None and isinstance(version.value, Version):
                yield version.value.text

    # --- words ----------------------------------------------------------------------------

    def read(self, pairs: Sequence[tuple[str, str]], runs: Sequence[str]) -> Wish:
        wish = Wish(self.matrix)
        for name, text in pairs:
            self.pair(name, text, wish)
        for run in runs:
            self.run(run, wish)
        return wish

    def pair(self, name: str, text: str, wish: Wish) -> None:
        choice = self.by_text.get(text, {}).get(self.axis_called(name)) or self.plain(name, text)
        if choice is not None:
            wish.choices.setdefault(choice.axis, []).append(choice)
            return
        agreement = self.let(name, text)
        if agreement is not None:
            wish.lets.append(agreement)
        else:
            wish.strange.append(f"{name}={text}")

    def axis_called(self, name: str) -> str:
        """The axis *name*. If there is none, the only axis with values of a table of that name:
        `cuda` for one of `cuda-toolkit`."""
        if any(pick.axis.name == name for pick in self.matrix.axes) or name in self.lets:
            return name
        tables = [
            pick.axis.name
            for pick in self.matrix.axes
            if pick.axis.table is not None and f"{pick.axis.table.name}-".startswith(f"{name}-")
        ]
        return tables[0] if len(tables) == 1 else name

    def plain(self, name: str, text: str) -> Choice | None:
        """The value *text* of an axis of plain values, which it could list; else None."""
        for pick in self.matrix.axes:
            if pick.axis.name == name and pick.axis.values:
                value = like(pick.axis.values[0], text)
                return Choice(name, value, "unlisted") if value is not None else None
        return None

    def let(self, name: str, text: str) -> Agreement | None:
        let = self.lets.get(name)
        if let is None or let.expr is None or self.reads.let(let).axes:
            return None
        try:
            value = evaluator_at(self.matrix, {}).value(let.expr)
        except Failed:
            return None
        shown = axis_text(value)
        return Agreement(name, text, shown, shown == text, let.span)

    def run(self, run: str, wish: Wish) -> None:
        """Read *run* step by step. Each step is a value, or a word that is in every name. The
        longest match counts."""
        steps = run.split("-")
        start = 0
        while start < len(steps):
            for end in range(len(steps), start, -1):
                text = "-".join(steps[start:end])
                choice = self.free(text, wish)
                if choice is not None:
                    wish.choices.setdefault(choice.axis, []).append(choice)
                    break
            else:
                end = start + 1
                known = steps[start] in self.constant
                (wish.named if known else wish.strange).append(steps[start])
            start = end

    def free(self, text: str, wish: Wish) -> Choice | None:
        """The value that *text* names. An axis without a chosen value comes first, and a listed
        value first among those."""
        found = self.by_text.get(text, {})
        open_axes = [axis for axis in found if axis not in wish.choices]
        listed = [axis for axis in open_axes if found[axis].standing == "listed"]
        for axis in (*listed, *open_axes, *found):
            return found[axis]
        return None


def like(value: Value, text: str) -> Value | None:
    """*text* as a value of the same kind as *value*. None if *value* is not plain, or if *text* is
    no such value."""
    match value:
        case bool():
            return None
        case Version() if is_version(text):
            return Version(text)
        case str():
            return text
        case int() if len(text) < _MOST_DIGITS and text.isascii():
            return int(text) if text.removeprefix("-").isdigit() else None
        case _:
            return None


def _choices(pick: hir.AxisPick) -> Iterator[Choice]:
    """The values that *pick* uses, then the other values of its axis, then the other rows of the
    axis's table."""
    axis = pick.axis
    name = axis.name
    for value in pick.values:
        yield Choice(name, value, "listed")
    for value in axis.values or ():
        if not any(value is one for one in pick.values):
            yield Choice(name, value, "sliced off")
    for row in axis.table.rows.values() if axis.table is not None else ():
        if not any(row is one or row == one for one in axis.values or ()):
            yield Choice(name, row, "unlisted")


def may_be_asked(
    wish: Wish, excludes: tuple[hir.Check, ...], reads: Dependencies, total: Total, sink: Sink
) -> bool:
    """Whether *total* has enough budget for the reasons of all cells that *wish* means. Otherwise
    it is reported."""
    cells = prod([len(wish.choices.get(one.axis.name) or one.values) for one in wish.matrix.axes])
    most = sum([effort_of_reasons(check, cells) for check in excludes])
    if most > _LITTLE_EFFORT:
        most = min(most, Tables(wish.matrix, excludes, reads).effort_of_reasons())
    if total.asks(most):
        return True
    total.report_spent(sink, msg.cells.TOO_MANY_REASONS, wish.matrix.span, wish.matrix.name)
    return False


def wanted_cells(
    wish: Wish, excludes: tuple[hir.Check, ...], reads: Dependencies
) -> Iterator[WantedCell]:
    """The cells that *wish* means, in axis order. An axis that it does not name has all its values.
    """
    columns = [
        wish.choices.get(pick.axis.name)
        or [Choice(pick.axis.name, value, "listed") for value in pick.values]
        for pick in wish.matrix.axes
    ]
    places = [{id(value): i for i, value in enumerate(p.values)} for p in wish.matrix.axes]
    tables = Tables(wish.matrix, excludes, reads)
    for choices in product(*columns):
        values = {choice.axis: choice.value for choice in choices}
        new = tuple([choice for choice in choices if choice.standing != "listed"])
        if new:
            found = [reason_at(check, wish.matrix, values) for check in excludes]
            reasons = tuple([reason for reason in found if reason is not None])
        else:
            pairs = zip(places, choices, strict=True)
            reasons = tables.reasons(tuple([some[id(one.value)] for some, one in pairs]))
        yield WantedCell(values, new, reasons)


def name_at(vocabulary: Vocabulary, values: dict[str, Value]) -> str:
    """The name of the variant with these values; empty if it has none."""
    return vocabulary.text(vocabulary.matrix.name_parts, values) or ""


# --- words as they are typed ------------------------------------------------------------------


def pairs_and_runs(words: Sequence[str]) -> tuple[list[tuple[str, str]], list[str]]:
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


def of_matrices(
    vocabularies: Sequence[Vocabulary], runs: Sequence[str]
) -> tuple[list[Vocabulary], list[str]]:
    """The vocabularies of the matrices that *runs* name, or all if they name none. With them, the
    words of *runs* that name no matrix. A word that is also a value names the value, as in any
    selector."""
    names = {one.matrix.name for one in vocabularies}
    named = [
        run for run in runs if run in names and not any(run in v.by_text for v in vocabularies)
    ]
    chosen = [one for one in vocabularies if not named or one.matrix.name in named]
    return chosen, [run for run in runs if run not in named]


def report_strange(wishes: Sequence[Wish], vocabularies: Sequence[Vocabulary], sink: Sink) -> None:
    """Report each word that has no meaning in any matrix."""
    if not wishes:
        sink.report(msg.selectors.NO_MATRIX)
    axes = dict.fromkeys(p.axis.name for w in wishes for p in w.matrix.axes)
    for word in wishes[0].strange if wishes else ():
        if not all(word in wish.strange for wish in wishes):
            continue
        name, pair, value = word.partition("=")
        called = {one.axis_called(name) for one in vocabularies} & axes.keys()
        if pair and called:
            _unknown_value(called.pop(), value, wishes, sink)
            continue
        if pair:
            sink.report(
                msg.selectors.UNKNOWN_AXIS,
                name=name,
                axes=", ".join(axes),
                guess=guess(name, axes),
            )
            continue
        known = dict.fromkeys(text for one in vocabularies for text in one.by_text)
        sink.report(
            msg.selectors.UNKNOWN_WORD,
            word=word,
            axes=", ".join(axes),
            guess=guess(word, known),
        )


def _unknown_value(axis: str, value: str, wishes: Sequence[Wish], sink: Sink) -> None:
    """Report a value that an axis cannot list: it is no row of the axis's table."""
    picks = [p for w in wishes for p in w.matrix.axes if p.axis.name == axis]
    table = next((pick.axis.table for pick in picks if pick.axis.table is not None), None)
    listed = [axis_text(v) for pick in picks for v in pick.axis.values or ()]
    if table is None:
        sink.report(
            msg.selectors.UNKNOWN_VALUE_OF_LIST,
            axis=axis,
            value=value,
            values=", ".join(dict.fromkeys(listed)),
        )
        return
    fields = ", ".join(f"{n} = …" for n, kind in table.fields.items() if not kind.optional)
    own = table.span == picks[0].axis.span
    axes = {pick.axis.name for wish in wishes for pick in wish.matrix.axes}
    named = is_identifier(value) and value not in axes  # no row has the name of an axis
    row = f"`{value if named else 'NAME'} {{ {fields} }}`"
    sink.report(
        msg.selectors.UNKNOWN_VALUE_OF_OWN_TABLE if own else msg.selectors.UNKNOWN_VALUE_OF_TABLE,
        table.span,
        value=value,
        axis=axis,
        table=table.name,
        values=", ".join(dict.fromkeys(listed)),
        guess=guess(value, table.rows),
        row=row,
    )
