"""`tvarc list` with `--by`, `--count` or `--excluded`: groups of variants, how many there are, or
the cells that exclusions drop."""

from __future__ import annotations

from math import prod

from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.session import Session
from tvarc.commands.listing.text import aligned
from tvarc.commands.programs.selecting import axes_named, dropped_meant
from tvarc.commands.shown.excluded import Cause, DropReason, cause_of, reason_of
from tvarc.light import Iterator, Mapping, Sequence, dataclass
from tvarc.matrix.exclusion_eval import Dropped, DroppedCell
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import Variant, axis_text
from tvarc.text.diagnostics.render_cells import cell_width, safe
from tvarc.text.diagnostics.words import counted
from tvarc.text.source import SourceMap
from tvarc.values.plain import ABSENT, Absent, Count, Ordinal, json_rows, json_text
from tvarc.values.value import Value


def list_groups(
    session: Session,
    given: Arguments,
    file: str | None,
    selectors: Sequence[str],
    *,
    as_json: bool,
) -> int:
    """List the variants that *selectors* mean in groups, or how many there are; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    axes = axes_named(made, given.text("by"), session.sink)
    session.end_on_errors()
    found = session.select(join_pairs(selectors))
    groups = in_groups(found, axes)
    count = given.flag("count")
    session.show()
    if as_json:
        result = [group_of(axes, variants, count=count) for variants in groups.values()]
        session.console.data(json_text(result if axes else Total(len(found))))
    elif not axes:
        session.console.out(f"{len(found)}\n")
    else:
        for line in groups_text(axes, groups, count=count):
            session.console.out(line)
    return exits.OK


@dataclass(frozen=True, slots=True)
class Total:
    """How many variants there are."""

    count: Count


@dataclass(frozen=True, slots=True)
class VariantGroup:
    """The variants that agree on some axes."""

    axes: Mapping[str, Value]
    """Their values of these axes; an axis that they do not have has no key."""
    count: Ordinal
    variants: tuple[str, ...] | Absent
    """Their names; without them with `--count`."""


Group = tuple[str, ...]
"""The value of each axis, as a person reads it; `-` where a variant has no such axis."""

Groups = Mapping[Group, Sequence[Variant]]


def in_groups(variants: Sequence[Variant], axes: Sequence[str]) -> Groups:
    """*variants* by their values of *axes*, in the order of the first of each group."""
    groups: dict[Group, list[Variant]] = {}
    for variant in variants:
        groups.setdefault(tuple(_value(variant, axis) for axis in axes), []).append(variant)
    return groups


def groups_text(axes: Sequence[str], groups: Groups, *, count: bool) -> Iterator[str]:
    """The lines on each group, or with *count* a table of how many there are."""
    if count:
        total = sum(map(len, groups.values()))
        rows = [*((values, len(many)) for values, many in groups.items())]
        rows.append((("total", *[""] * (len(axes) - 1)), total))
        yield from aligned([*map(safe, values), str(number)] for values, number in rows)
        return
    for values, variants in groups.items():
        named = ", ".join(f"{axis} = {one}" for axis, one in zip(axes, values, strict=True))
        yield f"{safe(named)}: {counted(len(variants), 'variant')}\n"
        for variant in variants:
            yield f"  {safe(variant.name)}\n"


def _value(variant: Variant, axis: str) -> str:
    return axis_text(variant.values[axis]) if axis in variant.values else "-"


def group_of(axes: Sequence[str], variants: Sequence[Variant], *, count: bool) -> VariantGroup:
    """One group as a result, with *count* without the names of its variants."""
    values = variants[0].values
    return VariantGroup(
        {axis: values[axis] for axis in axes if axis in values},
        len(variants),
        ABSENT if count else tuple([variant.name for variant in variants]),
    )


def list_excluded(
    session: Session, file: str | None, selectors: Sequence[str], *, as_json: bool
) -> int:
    """Print the dropped cells, those that *selectors* mean; the exit code."""
    made = session.compile(file)
    session.stop_on_errors()
    matrices = dropped_meant(made, join_pairs(selectors), session.sink, session.missed)
    session.end_on_errors()
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
    that drop any of them, and a line for each cell. The cells are computed twice, so that none has
    to be kept in memory."""
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
