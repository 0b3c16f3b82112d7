"""`tvarc list --excluded`: the cells that exclusions drop, each with the reasons."""

from __future__ import annotations

from math import prod

from tvarc.commands.line import exits
from tvarc.commands.line.session import Session
from tvarc.commands.programs.selecting import dropped_meant
from tvarc.commands.shown.excluded import Cause, DropReason, cause_of, reason_of
from tvarc.light import Callable, Iterable, Iterator, Mapping, Sequence, dataclass
from tvarc.matrix.exclusion_eval import Dropped, DroppedCell
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import axis_text
from tvarc.text.diagnostics.render_cells import cell_width, safe
from tvarc.text.source import SourceMap
from tvarc.values.plain import json_rows
from tvarc.values.value import Value


@dataclass(frozen=True, slots=True)
class _Cell:
    """A dropped cell: its name and axis values, and the causes by their number from 0, each with
    the values that it has here, `text = value`."""

    columns: tuple[str, ...]
    reasons: tuple[tuple[int, tuple[str, ...]], ...]


def list_excluded(
    session: Session, file: str | None, selectors: Sequence[str], *, as_json: bool
) -> int:
    """Print the dropped cells, those that *selectors* mean; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    matrices = dropped_meant(made, join_pairs(selectors), session.sink, session.missed)
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    session.show()
    if as_json:
        for text in json_rows(
            _result(cell, made.sources) for one in matrices for cell in one.cells()
        ):
            session.console.data(text)
        return exits.OK
    empty = True
    for one in matrices:
        for number, line in enumerate(_dropped_text(one, made.sources)):
            session.console.prose(line if number or empty else f"\n{line}")
            empty = False
    if empty:
        session.console.remark("no cell is dropped\n")
    return exits.OK


def _dropped_text(dropped: Dropped, sources: SourceMap) -> Iterator[str]:
    """The lines on the dropped cells of one matrix."""
    name = dropped.matrix.name
    causes = [cause_of(check, sources) for check in dropped.excludes]
    number = {id(check): i for i, check in enumerate(dropped.excludes)}
    total = prod(len(pick.values) for pick in dropped.matrix.axes)

    def head(count: int) -> str:
        if dropped.chosen is not None:
            return f"{name}: {count} dropped {'cell' if count == 1 else 'cells'}"
        return f"{name}: {count} of {total} {'cell' if total == 1 else 'cells'} dropped"

    def cells() -> Iterator[_Cell]:
        for cell in dropped.cells():
            values = map(axis_text, cell.variant.values.values())
            reasons = [(number[id(r.check)], r.texts()) for r in cell.reasons]
            yield _Cell((cell.variant.name or "-", *values), tuple(reasons))

    return _excluded_text(head, causes, cells)


def _excluded_text(
    head: Callable[[int], str], causes: Sequence[Cause], cells: Callable[[], Iterable[_Cell]]
) -> Iterator[str]:
    """Lines, each ended by a newline: a heading made of the number of cells, the causes that drop
    any of them, and a line a cell. *cells* is iterated twice, so that none has to be kept.
    """
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


def _line(cell: _Cell, widths: Sequence[int], shown: dict[int, int]) -> str:
    columns = [safe(text) for text in cell.columns]
    padded = [
        text + " " * (width - cell_width(text)) for text, width in zip(columns, widths, strict=True)
    ]
    reasons = [
        " ".join([f"[{shown[number]}]", *([safe(", ".join(values))] if values else [])])
        for number, values in cell.reasons
    ]
    return "  " + "  ".join([*padded, *reasons]) + "\n"


@dataclass(frozen=True, slots=True)
class Result:
    """A dropped cell, with the reasons."""

    name: str | None
    matrix: str
    recipe: str
    axes: Mapping[str, Value]
    reasons: tuple[DropReason, ...]


def _result(cell: DroppedCell, sources: SourceMap) -> Result:
    """A dropped cell for a program."""
    matrix = cell.variant.matrix
    return Result(
        name=cell.variant.name or None,
        matrix=matrix.name,
        recipe=matrix.recipe.name,
        axes=cell.variant.values,
        reasons=tuple(reason_of(reason, sources) for reason in cell.reasons),
    )
