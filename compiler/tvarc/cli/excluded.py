"""`tvarc list --excluded`: the cells that exclusions drop, each with the reasons."""

from __future__ import annotations

import json
from itertools import chain
from math import prod

from tvarc.cli import exits
from tvarc.cli.session import Session, counted
from tvarc.diagnostics.model import Sink
from tvarc.driver import Compilation
from tvarc.light import Iterable, Iterator, Sequence
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.exclusion_eval import DroppedCell, dropped_cells
from tvarc.matrix.select import DROPPED, join_pairs, select
from tvarc.matrix.variants import Variant
from tvarc.plain import value_data
from tvarc.report.excluded import Cell, cause_of, excluded_text, reason_data
from tvarc.sema import hir
from tvarc.sema.functions import kind_text
from tvarc.source import SourceMap
from tvarc.values import Value, show

_LISTED = 6


def list_excluded(
    session: Session, file: str | None, selectors: Sequence[str], *, as_json: bool
) -> int:
    """Print the dropped cells, those that *selectors* mean; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    matrices = [_Matrix(matrix, made) for matrix in _matrices(made)]
    if selectors:
        _choose(session, made, matrices, join_pairs(selectors))
    session.show()
    if as_json:
        rows = (_data(cell, made.sources) for one in matrices for cell in one.cells())
        for text in _json(rows):
            session.console.data(text)
        return exits.OK
    empty = True
    for one in matrices:
        for number, line in enumerate(one.text()):
            session.console.out(line if number or empty else f"\n{line}")
            empty = False
    if empty:
        session.console.remark("no cell is dropped\n")
    return exits.OK


def _matrices(made: Compilation) -> tuple[hir.MatrixDef, ...]:
    assert made.resolution is not None
    return made.resolution.program.matrices


def _choose(
    session: Session, made: Compilation, matrices: Sequence[_Matrix], selectors: Sequence[str]
) -> None:
    """Keep of *matrices* what *selectors* mean; ends the command when one means nothing."""
    resolution = made.resolution
    assert resolution is not None
    cells = list(chain.from_iterable(one.cells() for one in matrices))
    variants = [cell.variant for cell in cells]

    def selected(texts: Sequence[str], among: Sequence[Variant], sink: Sink) -> list[Variant]:
        sources = made.sources if sink is session.sink else SourceMap()
        return select(texts, resolution, among, sources, sink, made.loader.join, DROPPED)

    missed, chosen_texts = session.missed, list[str]()
    if missed is not None:
        missed.asked += 1
    with session.guarded():
        for text in selectors:
            sink = Sink() if missed is not None else session.sink
            if not selected((text,), variants, Sink()):
                built = selected((text,), made.variants, Sink())
                if built:
                    _not_dropped(text, built, sink)
                else:
                    selected((text,), variants, sink)
            if missed is None or missed.note(text, sink, SourceMap()):
                chosen_texts.append(text)
        if session.sink.has_errors:
            session.finish(exits.FAILED)
        found = selected(chosen_texts, variants, session.sink) if chosen_texts else ()
        chosen = set(map(id, found))
    cells = [cell for cell in cells if id(cell.variant) in chosen]
    for one in matrices:
        one.chosen = [cell for cell in cells if cell.variant.matrix is one.matrix]


def _not_dropped(text: str, built: Sequence[Variant], sink: Sink) -> None:
    names = ", ".join(variant.name for variant in built[:_LISTED])
    sink.error(
        "E901",
        f"no dropped cell is selected by `{text}`",
        notes=(f"what it selects is built: {names}{' …' if len(built) > _LISTED else ''}",),
        help="`tvarc list` shows every variant",
    )


class _Matrix:
    """The dropped cells of one matrix: made anew each time they are asked for, unless some of
    them were chosen."""

    __slots__ = ("chosen", "excludes", "made", "matrix", "reads")

    def __init__(self, matrix: hir.MatrixDef, made: Compilation) -> None:
        assert made.expansion is not None
        self.matrix = matrix
        self.made = made
        self.excludes = made.expansion.excludes.get(matrix.id, ())
        self.reads = Dependencies()
        self.chosen: list[DroppedCell] | None = None

    def cells(self) -> Iterable[DroppedCell]:
        if self.chosen is not None:
            return self.chosen
        return dropped_cells(self.matrix, self.excludes, self.reads)

    def text(self) -> Iterator[str]:
        sources = self.made.sources
        causes = [cause_of(check, sources) for check in self.excludes]
        number = {id(check): i for i, check in enumerate(self.excludes)}
        total = prod(len(pick.values) for pick in self.matrix.axes)

        def head(count: int) -> str:
            if self.chosen is not None:
                return f"{self.matrix.name}: {counted(count, 'dropped cell')}"
            return f"{self.matrix.name}: {count} of {counted(total, 'cell')} dropped"

        def cells() -> Iterator[Cell]:
            for cell in self.cells():
                values = [kind_text(v) or show(v) for v in cell.variant.values.values()]
                reasons = [(number[id(r.check)], r.texts()) for r in cell.reasons]
                yield Cell((cell.variant.name or "-", *values), tuple(reasons))

        return excluded_text(head, causes, cells)


def _data(cell: DroppedCell, sources: SourceMap) -> dict[str, object]:
    matrix = cell.variant.matrix
    values: dict[str, Value] = cell.variant.values
    return {
        "name": cell.variant.name or None,
        "matrix": matrix.name,
        "recipe": matrix.recipe.name,
        "axes": {axis: value_data(value) for axis, value in values.items()},
        "reasons": [reason_data(reason, sources) for reason in cell.reasons],
    }


def _json(rows: Iterable[dict[str, object]]) -> Iterator[str]:
    """*rows* as one list, as `json.dumps` indents it, a row after another."""
    before = "[\n"
    for row in rows:
        lines = json.dumps(row, indent=2).splitlines()
        yield before + "\n".join(f"  {line}" for line in lines)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"
