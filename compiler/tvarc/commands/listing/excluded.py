"""`tvarc list --excluded`: the cells that exclusions drop, each with the reasons."""

from __future__ import annotations

from math import prod

from tvarc.commands.line import exits
from tvarc.commands.line.session import Session
from tvarc.commands.programs.selecting import dropped_meant
from tvarc.commands.shown.excluded import Cause, DropReason, cause_of, reason_of
from tvarc.light import Iterator, Mapping, Sequence, dataclass
from tvarc.matrix.exclusion_eval import Dropped, DroppedCell
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import axis_text
from tvarc.text.diagnostics.render_cells import cell_width, safe
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap
from tvarc.values.plain import json_rows
from tvarc.values.value import Value


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
        found = (_result(cell, made.sources) for one in matrices for cell in one.cells())
        for text in json_rows(found, made.sources):
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
    """The lines on the dropped cells of one matrix, each ended by a newline: a heading, the causes
    that drop any of them, and a line for each cell. The cells are made twice, so that none has to
    be kept."""
    widths: list[int] = []
    counts = dict.fromkeys(map(id, dropped.excludes), 0)
    total = 0
    for cell in dropped.cells():
        sizes = list(map(cell_width, _columns(cell)))
        widths = list(map(max, widths, sizes)) if widths else sizes
        for reason in cell.reasons:
            counts[id(reason.check)] += 1
        total += 1
    if not total:
        return
    cells = prod(len(pick.values) for pick in dropped.matrix.axes)
    head = f"{total} of {counted(cells, 'cell')} dropped"
    if dropped.chosen is not None:
        head = f"{total} dropped {'cell' if total == 1 else 'cells'}"
    yield f"{safe(f'{dropped.matrix.name}: {head}')}\n"
    causes = [check for check in dropped.excludes if counts[id(check)]]
    labels = {id(check): f"[{number}]" for number, check in enumerate(causes, 1)}
    margin = len(f"[{len(causes)}] ")
    for check in causes:
        yield from _cause(
            cause_of(check, sources), f"{labels[id(check)]} ", counts[id(check)], margin
        )
    yield "\n"
    for cell in dropped.cells():
        yield _line(cell, widths, labels)


def _columns(cell: DroppedCell) -> list[str]:
    """The name and the axis values of *cell*."""
    values = map(axis_text, cell.variant.values.values())
    return [safe(text) for text in (cell.variant.name or "-", *values)]


def _cause(cause: Cause, label: str, count: int, margin: int) -> Iterator[str]:
    cells = "1 cell" if count == 1 else f"{count} cells"
    because = f": {safe(cause.because)}" if cause.because else ""
    yield f"  {label:<{margin}}{cells}{because}\n"
    indent = " " * (margin + 2)
    yield f"{indent}{safe(cause.place)}: {safe(cause.text)}\n"
    if cause.brought_in:
        yield f"{indent}brought in by {safe(cause.brought_in)}\n"


def _line(cell: DroppedCell, widths: Sequence[int], labels: Mapping[int, str]) -> str:
    padded = [
        text + " " * (width - cell_width(text))
        for text, width in zip(_columns(cell), widths, strict=True)
    ]
    reasons: list[str] = []
    for reason in cell.reasons:
        values = safe(", ".join(reason.texts()))
        reasons.append(" ".join(filter(None, (labels[id(reason.check)], values))))
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
