"""Columns: for each of many cells its fragment of a text, looked up by what it depends on."""

from __future__ import annotations

from tvarc.light import Callable, Iterator, Sequence, dataclass
from tvarc.matrix.cells import Batch, Projection, Projections

# Of the cells, one in so many is worth a fragment of its own, made of several fragments.
_WORTH = 32
_FEW = 64
_LARGEST = 1 << 21  # bytes that such fragments may take together

Making = Callable[[Batch, Sequence[str]], list[bytes]]
"""Makes the fragments of some cells, of which the names are given, one by one."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Fragments that depend on some axes."""

    projection: Projection
    texts: dict[int, bytes]


class Names:
    """The variant's name as a fragment."""


@dataclass(frozen=True, slots=True, eq=False)
class Made:
    """Fragments that are made for each cell."""

    make: Making


Column = bytes | Table | Names | Made


def merged(
    columns: Sequence[Column],
    projections: Projections,
    present: Callable[[Projection], list[int]],
    cells: int,
) -> list[Column]:
    """*columns*, neighbours that depend on few axes together put into one."""
    most = max(_FEW, cells // _WORTH)
    found: list[Column] = []
    run: list[bytes | Table] = []
    axes: frozenset[int] = frozenset()
    length = 0
    for column in columns:
        if isinstance(column, Names | Made):
            found += _joined(run, axes, projections, present)
            found.append(column)
            run, axes, length = [], frozenset(), 0
            continue
        own = frozenset(column.projection.axes) if isinstance(column, Table) else frozenset()
        size = projections.on(axes | own).size
        length += _length(column)
        if run and (size > most or size * length > _LARGEST):
            found += _joined(run, axes, projections, present)
            run, axes, length = [], frozenset(), _length(column)
        run.append(column)
        axes |= own
    return found + _joined(run, axes, projections, present)


def _length(column: bytes | Table) -> int:
    if isinstance(column, bytes):
        return len(column)
    return max(map(len, column.texts.values()), default=0)


def _joined(
    run: list[bytes | Table],
    axes: frozenset[int],
    projections: Projections,
    present: Callable[[Projection], list[int]],
) -> list[Column]:
    """One column for all of *run*."""
    if not axes:
        text = b"".join([c if isinstance(c, bytes) else c.texts[0] for c in run])
        return [text] if text else []
    projection = projections.on(axes)
    keys = present(projection)
    batch = Batch(projections.grid, projection.cells(keys))
    parts = [
        [column] * len(keys)
        if isinstance(column, bytes)
        else [column.texts[key] for key in column.projection.keys(batch)]
        for column in run
    ]
    if len(parts) == 1:
        return [run[0]]
    joined = map(b"".join, zip(*parts, strict=True))
    return [Table(projection, dict(zip(keys, joined, strict=True)))]


def rows(
    columns: Sequence[Column], batch: Batch, names: Sequence[str]
) -> Iterator[tuple[bytes, ...]]:
    """The fragments of each cell of *batch*, in the order of the columns."""
    count = len(batch.cells)
    keys: dict[tuple[int, ...], list[int]] = {}
    lists: list[Sequence[bytes]] = []
    encoded: list[bytes] = []
    for column in columns:
        match column:
            case bytes():
                lists.append([column] * count)
            case Names():
                encoded = encoded or [name.encode() for name in names]
                lists.append(encoded)
            case Made():
                lists.append(column.make(batch, names))
            case Table():
                axes = column.projection.axes
                if axes not in keys:
                    keys[axes] = column.projection.keys(batch)
                texts = column.texts
                lists.append([texts[key] for key in keys[axes]])
    return zip(*lists, strict=True)
