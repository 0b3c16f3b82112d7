"""Values for all variants of a matrix, each once for each combination of the axes that decide it.
"""

from __future__ import annotations

from tvarc.light import Callable, Final, Iterable, Sequence, dataclass
from tvarc.matrix.cells import Projection
from tvarc.matrix.present import Present

# A table with more values is not reduced to fewer axes.
_MOST_NARROWED: Final = 2048


@dataclass(slots=True, eq=False)
class Table:
    """A value for each combination of the axes of `projection` that a variant has."""

    projection: Projection
    values: dict[int, object]

    def distinct(self) -> list[object]:
        """The values, without equal objects."""
        return list({id(value): value for value in self.values.values()}.values())


def constant(present: Present, value: object) -> Table:
    """The table with one *value* for all variants."""
    return Table(present.built.projections.on(()), {0: value})


def same_table(made: Table, before: Table) -> Table:
    """The table *before* if *made* has the same objects for the same axes; else *made*."""
    is_same = (
        made.projection.axes == before.projection.axes
        and len(made.values) == len(before.values)
        and all(before.values.get(key, made) is value for key, value in made.values.items())
    )
    return before if is_same else made


def each(present: Present, tables: Sequence[Table], make: Callable[..., object]) -> Table:
    """The table of the results of *make*, which gets a value of each of *tables*. It is called once
    for each tuple of objects."""
    projection = present.built.projections.on(axes_of(tables))
    keys = present.keys(projection)
    if not tables:
        return Table(projection, dict.fromkeys(keys, make()))
    columns = _columns(present, tables, projection)
    same = list(zip(*[map(id, column) for column in columns], strict=True))
    distinct = dict(zip(same, zip(*columns, strict=True), strict=True))
    known = {ids: make(*row) for ids, row in distinct.items()}
    return Table(projection, dict(zip(keys, map(known.__getitem__, same), strict=True)))


def combined(present: Present, tables: Sequence[Table], make: Callable[..., object]) -> Table:
    """The result of `each`, without the axes that it does not depend on."""
    return narrowed(present, each(present, tables, make))


def _columns(
    present: Present, tables: Sequence[Table], projection: Projection
) -> list[list[object]]:
    """The values of each of *tables*, for each combination of *projection*."""
    batch = present.batch(projection)
    return [list(map(table.values.__getitem__, table.projection.keys(batch))) for table in tables]


def narrowed(present: Present, table: Table) -> Table:
    """*table* without the axes on which its values do not depend. Values are compared by identity.
    """
    for axis in table.projection.axes:
        keys = present.keys(table.projection)
        if len(keys) > _MOST_NARROWED:
            break
        rest = present.built.projections.on([one for one in table.projection.axes if one != axis])
        values: dict[int, object] = {}
        places = rest.keys(present.batch(table.projection))
        for place, key in zip(places, keys, strict=True):
            if values.setdefault(place, table.values[key]) is not table.values[key]:
                break
        else:
            table = Table(rest, values)
    return table


def axes_of(tables: Iterable[Table]) -> set[int]:
    """The places of all axes that decide *tables*."""
    return {axis for table in tables for axis in table.projection.axes}
