"""The picture of a matrix: the built cells, the dropped cells with their reasons, and the place of
each cell. The page and the SVG draw the same picture. This module decides what both show: the
title, the order of values, which axes are rows and which are columns, and the names of the reasons.
"""

from __future__ import annotations

import re
from itertools import accumulate

from tvarc.commands.shown.excluded import Cause, cause_of
from tvarc.light import Final, Iterable, Iterator, Literal, Mapping, Sequence, dataclass, replace
from tvarc.matrix.exclusion_eval import Dropped
from tvarc.matrix.variants import Variant, axis_text
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap
from tvarc.values.plain import Data, Json
from tvarc.values.row_facts import text_fact
from tvarc.values.value import Value

MOST_DROPPED: Final = 20_000
"""The greatest number of dropped cells in a picture. If there are more, it has only their
number."""

MATRIX: Final = ""
"""The name of the additional axis of matrices, for two matrices that have cells with the same
values."""

NO_VALUE: Final = -1
"""The number that means no value, for an axis that a matrix lacks."""

HUES: Final = (28, 265, 205, 335, 52, 180, 2, 235, 300, 88, 220, 15)
"""The colours of reasons and of values, as hues, in the order in which they are used. Green is for
built cells."""

_MOST_COLUMNS: Final = 90
_MOST_TITLE: Final = 160

Change = Literal["", "new", "changed", "renamed", "gone"]


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis and its values, in the order in which they are shown. A label is empty if it adds
    nothing to the value."""

    name: str
    values: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell. `values` has the number of its value for each axis of the picture; `reasons` are
    the numbers of the causes that drop it, each with the values that it read. A cell that was built
    only in the other state has neither reasons nor a variant: its change is `gone`."""

    OPTIONAL = ("reasons", "change", "state")

    name: str
    matrix: int
    values: tuple[int, ...]
    reasons: tuple[tuple[int, str], ...] = ()
    change: Change = ""
    state: Json = None
    """The state of the variant in a build."""

    @property
    def is_built(self) -> bool:
        return not self.reasons and self.change != "gone"


@dataclass(frozen=True, slots=True)
class Counted:
    """An exclusion, and how many cells it drops."""

    KEYS = (("cause", ""),)

    cause: Cause
    count: int


@dataclass(frozen=True, slots=True)
class Against:
    """The new, removed and changed variants since the state that the user calls `label`, by name.
    `gone` has variants of that state. `blocks` has the differences: each block has the names of
    `variants` and the `changes` that they share."""

    label: str
    changes: Mapping[str, Change]
    gone: Sequence[Variant]
    blocks: Sequence[Data]


@dataclass(frozen=True, slots=True)
class Picture:
    """The whole picture. `rows` and `columns` name axes, the outermost first. `dropped` is the
    number of dropped cells; the first of them are in `cells`."""

    program: str
    title: str
    subject: str
    axes: tuple[Axis, ...]
    matrices: tuple[str, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    causes: tuple[Counted, ...]
    dropped: int
    summary: str
    against: Against | None = None

    def key(self, cell: Cell, axes: Iterable[str]) -> tuple[int, ...]:
        """The numbers of the values of *cell* for *axes*."""
        at = {axis.name: place for place, axis in enumerate(self.axes)}
        return tuple([cell.matrix if a == MATRIX else cell.values[at[a]] for a in axes])

    def keys(self, axes: Sequence[str]) -> list[tuple[int, ...]]:
        """The rows or columns for *axes*. Those without a value for an axis come last."""
        found = {self.key(cell, axes) for cell in self.cells}
        return sorted(found, key=lambda key: [(number == NO_VALUE, number) for number in key])

    def text(self, axis: str, number: int) -> tuple[str, str]:
        """A value of *axis* with its label."""
        if axis == MATRIX:
            return self.matrices[number], ""
        if number == NO_VALUE:
            return f"no {axis}", ""
        found = next(one for one in self.axes if one.name == axis)
        return found.values[number], found.labels[number]

    def data(self, states: Mapping[str, Json]) -> Mapping[str, object]:
        """The picture as data for the script of a page; *states* has the states of variants in a
        build."""
        cells = [
            replace(one, state=states.get(one.name)) if one.is_built else one for one in self.cells
        ]
        return {
            "program": self.program,
            "axes": self.axes,
            "matrices": self.matrices,
            "rows": self.rows,
            "columns": self.columns,
            "against": self.against.label if self.against is not None else None,
            "changes": self.against.blocks if self.against is not None else (),
            "dropped": self.dropped,
            "hues": HUES,
            "causes": self.causes,
            "cells": cells,
        }


def picture(
    program: str,
    sources: SourceMap,
    variants: Sequence[Variant],
    dropped: Sequence[Dropped] | None,
    against: Against | None = None,
) -> Picture:
    """The picture of *variants* of the file *program*, and of the cells that are *dropped*: None if
    selectors chose the variants, because then dropped cells are not requested."""
    cells = _Cells(sources, against.changes if against is not None else {})
    for variant in variants:
        cells.built(variant)
    for one in dropped or ():
        cells.dropped(one)
    for variant in against.gone if against is not None else ():
        cells.gone(variant)
    axes, found = cells.all()
    matrices = tuple(cells.matrices)
    rows, columns = _layout(axes, [(cell.matrix, cell.values) for cell in found])
    subject = f"{program} \N{MIDDLE DOT} {'; '.join(cells.matrices.values())}"
    return Picture(
        program, _title(program, sources), subject, axes,
        matrices, rows, columns, found, tuple(cells.causes()), cells.count,
        _summary(len(variants), cells.count if dropped is not None else None, against), against,
    )  # fmt: skip


class _Cells:
    """Gathers cells, whose values are numbered when all are known."""

    def __init__(self, sources: SourceMap, changes: Mapping[str, Change]) -> None:
        self.sources = sources
        self.changes = changes
        self.matrices: dict[str, str] = {}
        self.values: dict[str, dict[str, str]] = {}
        self.seen: set[int] = set()
        self.found: dict[tuple[str, ...], tuple[str, dict[str, str], Cell]] = {}
        self.excludes: dict[int, Cause] = {}
        self.counts: dict[Cause, int] = {}
        self.count = 0

    def built(self, variant: Variant) -> None:
        change = self.changes.get(variant.name, "")
        self._add(variant, Cell(variant.name, 0, (), change=change))

    def dropped(self, dropped: Dropped) -> None:
        for check in dropped.excludes:
            # The exclusions of several matrices may be one line of the program.
            cause = self.excludes[id(check)] = cause_of(check, self.sources)
            self.counts.setdefault(cause, 0)
        numbers = {cause: number for number, cause in enumerate(self.counts)}
        for cell in dropped.cells():
            self.count += 1
            told = {self.excludes[id(one.check)]: ", ".join(one.texts()) for one in cell.reasons}
            for cause in told:
                self.counts[cause] += 1
            if self.count <= MOST_DROPPED:
                reasons = tuple([(numbers[cause], text) for cause, text in told.items()])
                self._add(cell.variant, Cell(cell.variant.name, 0, (), reasons))

    def gone(self, variant: Variant) -> None:
        """A variant of another state; if its cell is dropped now, that cell is the one."""
        known = self.found.get(self._key(variant))
        if known is None:
            self._add(variant, Cell(variant.name, 0, (), change="gone"))
        elif known[2].reasons:
            cell = Cell(variant.name, 0, (), known[2].reasons, "gone")
            self.found[self._key(variant)] = (known[0], known[1], cell)

    def all(self) -> tuple[tuple[Axis, ...], tuple[Cell, ...]]:
        """The axes, and the cells with the numbers of their values."""
        used: dict[str, set[str]] = {}
        for _, values, _ in self.found.values():
            for name, text in values.items():
                used.setdefault(name, set()).add(text)
        axes: list[Axis] = []
        for name, labels in self.values.items():
            shown = in_order([text for text in labels if text in used[name]])
            axes.append(Axis(name, tuple(shown), tuple([labels[text] for text in shown])))
        numbers = [{text: n for n, text in enumerate(axis.values)} for axis in axes]
        matrices = {name: number for number, name in enumerate(self.matrices)}
        placed = list(accumulate([count > 0 for count in self.counts.values()], initial=0))
        found: list[Cell] = []
        for matrix, values, cell in self.found.values():
            own = [
                number[values[axis.name]] if axis.name in values else NO_VALUE
                for axis, number in zip(axes, numbers, strict=True)
            ]
            reasons = tuple([(placed[number], text) for number, text in cell.reasons])
            found.append(Cell(cell.name, matrices[matrix], tuple(own), reasons, cell.change))
        return tuple(axes), tuple(found)

    def causes(self) -> Iterator[Counted]:
        """The exclusions that drop a cell, in the order of declaration, each with the number of its
        cells."""
        yield from [Counted(cause, count) for cause, count in self.counts.items() if count]

    def _key(self, variant: Variant) -> tuple[str, ...]:
        values = variant.values.items()
        return (variant.matrix.name, *[f"{axis}={axis_text(value)}" for axis, value in values])

    def _add(self, variant: Variant, cell: Cell) -> None:
        matrix = variant.matrix
        if id(matrix) not in self.seen:
            self.seen.add(id(matrix))
            self._declare(variant)
        values = {axis: axis_text(value) for axis, value in variant.values.items()}
        self.found[self._key(variant)] = (matrix.name, values, cell)

    def _declare(self, variant: Variant) -> None:
        """Take the values of the axes of its matrix, in the order in which they are declared."""
        matrix = variant.matrix
        axes = " \N{MULTIPLICATION SIGN} ".join([pick.axis.name for pick in matrix.axes])
        self.matrices.setdefault(matrix.name, f"{matrix.name}: {matrix.recipe.name} by {axes}")
        for pick in matrix.axes:
            known = self.values.setdefault(pick.axis.name, {})
            for value in pick.values:
                text = axis_text(value)
                known.setdefault(text, _label(text, value))


def _label(text: str, value: Value) -> str:
    label = text_fact(value, "label") or ""
    return "" if label.lower() == text.lower() else label


def in_order(values: Iterable[str]) -> list[str]:
    """*values* in the order of the picture. Values with the same beginning are sorted by their
    numbers, `sm100` before `sm103` and `3.9` before `3.13`. Others are in the order of their
    declaration."""
    listed = list(values)
    pieces = [re.split(r"(\d+)", text) for text in listed]
    if len({one[0] for one in pieces}) > 1 or any(len(one) < 2 for one in pieces):
        return listed
    # Texts are at even places and numbers at odd ones.
    keys = [[(int(one), "") if n % 2 else (0, one) for n, one in enumerate(row)] for row in pieces]
    return [text for _, text in sorted(zip(keys, listed, strict=True))]


def _layout(
    axes: Sequence[Axis], cells: Sequence[tuple[int, tuple[int, ...]]]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which axes are rows and which are columns: the longest one is a row, the next one a column,
    and each other one a column within it as long as there is room. Each cell, a matrix and values,
    has a place of its own then."""
    many = {axis.name: len(axis.values) for axis in axes}
    taken = [one for one in many if many[one] > 1] or [*many][:1]

    def apart(*, matrix: bool) -> bool:
        """Whether no two cells have the same place."""
        at = [number for number, axis in enumerate(axes) if axis.name in taken]
        places = {(own if matrix else 0, *[values[n] for n in at]) for own, values in cells}
        return len(places) == len(cells)

    beside = not apart(matrix=False)
    if beside and not apart(matrix=True):
        taken = [*many]  # another state of a matrix may lack an axis
    sized = sorted(taken, key=lambda one: -many[one])
    rows, columns, wide = sized[:1], [], 1
    for name in sized[1:]:
        if wide * many[name] <= _MOST_COLUMNS:
            columns.append(name)
            wide *= many[name]
        else:
            rows.append(name)
    return ((MATRIX, *rows) if beside else tuple(rows)), tuple(columns)


def _title(program: str, sources: SourceMap) -> str:
    """The comment at the head of *program*, or else its name."""
    source = sources.get(program)
    said: list[str] = []
    for line in source.text.split("\n") if source is not None else ():
        if not line.startswith("#") or not line.strip("# "):
            break
        said.append(line.lstrip("#").strip())
    text = " ".join(said).rstrip(".")
    first, _, _ = text.partition(". ")
    title = text if len(text) <= _MOST_TITLE else first
    return title if 0 < len(title) <= _MOST_TITLE else program


def _summary(built: int, dropped: int | None, against: Against | None) -> str:
    if dropped is None:
        text = counted(built, "variant")
    elif dropped == 0:
        all_of_them = f"All {built} combinations are variants"
        text = all_of_them if built > 1 else "The one combination is a variant"
    else:
        are = "is" if dropped == 1 else "are"
        text = f"{built} of {built + dropped} combinations are variants; {dropped} {are} dropped"
    if against is None:
        return text
    kinds = [*against.changes.values(), *["gone"] * len(against.gone)]
    told = [f"{kinds.count(kind)} {kind}" for kind in ("new", "gone", "changed", "renamed")]
    shown = [one for one in told if not one.startswith("0 ")] or ["nothing changed"]
    return f"{text}. Against {against.label}: {', '.join(shown)}"
