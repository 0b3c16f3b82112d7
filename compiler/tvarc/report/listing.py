"""What `list` shows: a variant a line, its axis values in columns."""

from __future__ import annotations

from tvarc import ir
from tvarc.diagnostics.render_cells import cell_width, safe
from tvarc.light import Iterable, Iterator, Mapping, Sequence
from tvarc.matrix.variants import Variant, axis_text
from tvarc.plain import value_data

Row = tuple[str, Sequence[tuple[str, str]]]
"""The name of a variant, and the name and value of each of its axes."""


def variant_row(variant: Variant) -> Row:
    return variant.name, [(axis, axis_text(value)) for axis, value in variant.values.items()]


def variant_data(
    variant: Variant, recipe: ir.Recipe | None, needs: Mapping[str, str]
) -> dict[str, object]:
    """A variant as data. *recipe* is what is decided of it, if it can be, and *needs* are the names
    of the variants that it needs."""
    return {
        "name": variant.name,
        "matrix": variant.matrix.name,
        "recipe": variant.matrix.recipe.name,
        "axes": {axis: value_data(value) for axis, value in variant.values.items()},
        "needs": dict(needs) if recipe is not None else {},
        "files": dict(recipe.files) if recipe is not None else {},
    }


def list_text(rows: Iterable[Row], needs: Sequence[Mapping[str, str]] = ()) -> Iterator[str]:
    """One line a row, ended by a newline; a variant without some axis has `-` there. At its end
    stands what it *needs*, where any of them does."""
    rows = list(rows)
    axes = list(dict.fromkeys(axis for _, values in rows for axis, _ in values))
    table = [_cells(name, values, axes) for name, values in rows]
    for cells, needed in zip(table, needs, strict=False):
        cells.append(" ".join([f"{name}={safe(one)}" for name, one in needed.items()]))
    widths = [max(map(cell_width, column)) for column in zip(*table, strict=True)]
    for cells in table:
        yield _line(cells, widths)


def _cells(name: str, values: Iterable[tuple[str, str]], axes: Iterable[str]) -> list[str]:
    known = dict(values)
    return [safe(name), *(safe(known.get(axis, "-")) for axis in axes)]


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (
        cell + " " * (width - cell_width(cell)) for cell, width in zip(cells, widths, strict=True)
    )
    return "  ".join(padded).rstrip(" ") + "\n"
