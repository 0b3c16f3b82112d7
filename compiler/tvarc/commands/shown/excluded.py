"""What `list --excluded` shows: the dropped cells of a matrix under the reasons for them."""

from __future__ import annotations

from math import prod

from tvarc.commands.shown.data import span_text
from tvarc.light import Callable, Iterable, Iterator, Sequence, dataclass
from tvarc.matrix.exclusion_eval import Dropped, DroppedCell, Exclusion, Reason
from tvarc.matrix.variants import axis_text
from tvarc.text.diagnostics.render_cells import cell_width, safe
from tvarc.text.source import SourceMap
from tvarc.values.plain import Data, place_data, value_data


@dataclass(frozen=True, slots=True)
class Cause:
    """An exclusion as it is written, its `file:line`, and its reason, perhaps empty. `brought_in`
    is the line that brought in an exclusion of a module, with its place."""

    text: str
    place: str
    because: str
    brought_in: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """A dropped cell: its name and axis values, and the causes by their number from 0, each with
    the values that it has here, `text = value`."""

    columns: tuple[str, ...]
    reasons: tuple[tuple[int, tuple[str, ...]], ...]


def dropped_text(dropped: Dropped, sources: SourceMap) -> Iterator[str]:
    """The lines on the dropped cells of one matrix."""
    name = dropped.matrix.name
    causes = [cause_of(check, sources) for check in dropped.excludes]
    number = {id(check): i for i, check in enumerate(dropped.excludes)}
    total = prod(len(pick.values) for pick in dropped.matrix.axes)

    def head(count: int) -> str:
        if dropped.chosen is not None:
            return f"{name}: {count} dropped {'cell' if count == 1 else 'cells'}"
        return f"{name}: {count} of {total} {'cell' if total == 1 else 'cells'} dropped"

    def cells() -> Iterator[Cell]:
        for cell in dropped.cells():
            values = map(axis_text, cell.variant.values.values())
            reasons = [(number[id(r.check)], r.texts()) for r in cell.reasons]
            yield Cell((cell.variant.name or "-", *values), tuple(reasons))

    return excluded_text(head, causes, cells)


def excluded_text(
    head: Callable[[int], str], causes: Sequence[Cause], cells: Callable[[], Iterable[Cell]]
) -> Iterator[str]:
    """Lines, each ended by a newline: a heading made of the number of cells, the causes that drop
    any of them, and a line a cell. *cells* is asked twice, so that none has to be kept."""
    widths: list[int] = []
    counts = [0] * len(causes)
    total = 0
    for cell in cells():
        sizes = [cell_width(safe(text)) for text in cell.columns]
        widths = list(map(max, widths, sizes)) if widths else sizes
        for number, _ in cell.reasons:
            counts[number] += 1
        total += 1
    if not total:
        return
    yield f"{safe(head(total))}\n"
    shown = {number: i for i, number in enumerate((n for n, c in enumerate(counts) if c), 1)}
    margin = len(f"[{len(shown)}] ")
    for number, label in shown.items():
        yield from _cause(causes[number], f"[{label}] ", counts[number], margin)
    yield "\n"
    for cell in cells():
        yield _line(cell, widths, shown)


def _cause(cause: Cause, label: str, count: int, margin: int) -> Iterator[str]:
    cells = "1 cell" if count == 1 else f"{count} cells"
    because = f": {safe(cause.because)}" if cause.because else ""
    yield f"  {label:<{margin}}{cells}{because}\n"
    indent = " " * (margin + 2)
    yield f"{indent}{safe(cause.place)}: {safe(cause.text)}\n"
    if cause.brought_in:
        yield f"{indent}brought in by {safe(cause.brought_in)}\n"


def _line(cell: Cell, widths: Sequence[int], shown: dict[int, int]) -> str:
    columns = [safe(text) for text in cell.columns]
    padded = [
        text + " " * (width - cell_width(text)) for text, width in zip(columns, widths, strict=True)
    ]
    reasons = [
        " ".join([f"[{shown[number]}]", *([safe(", ".join(values))] if values else [])])
        for number, values in cell.reasons
    ]
    return "  " + "  ".join([*padded, *reasons]) + "\n"


def cause_of(check: Exclusion, sources: SourceMap) -> Cause:
    """An exclusion for a person."""
    text = f"exclude {span_text(check.expr.span, sources)}"
    if check.need:
        text = f"needs {check.need} = {span_text(check.expr.span, sources)} or exclude"
    for condition in reversed(check.conditions):
        text = f"when {span_text(condition.span, sources)} {{ {text} }}"
    through = ""
    if check.through is not None:
        place = sources.locate(check.through.span)
        through = f"{place}: exclude {check.through.module}"
    return Cause(text, sources.locate(check.span), check.because, through)


def reason_data(reason: Reason, sources: SourceMap) -> Data:
    """A reason as data, with the place of its exclusion."""
    check, line = reason.check, reason.check.through
    return {
        "because": check.because,
        "condition": span_text(check.expr.span, sources),
        "when": [span_text(condition.span, sources) for condition in check.conditions],
        "operands": {one.text: value_data(one.value) for one in reason.operands},
        **place_data(check.span, sources),
        "through": {"module": line.module, **place_data(line.span, sources)} if line else None,
    }


def cell_data(cell: DroppedCell, sources: SourceMap) -> Data:
    """A dropped cell as data, with the reasons."""
    matrix = cell.variant.matrix
    return {
        "name": cell.variant.name or None,
        "matrix": matrix.name,
        "recipe": matrix.recipe.name,
        "axes": {axis: value_data(value) for axis, value in cell.variant.values.items()},
        "reasons": [reason_data(reason, sources) for reason in cell.reasons],
    }
