"""The records of a program as text: those that stand by themselves, and the rows of axes."""

from __future__ import annotations

from tvarc.byhand.importing.lookups import Lookups
from tvarc.byhand.importing.names import entry_key
from tvarc.byhand.importing.shapes import Axis, Shape
from tvarc.byhand.importing.statements import Drift, Shared, Statement
from tvarc.light import Mapping, Sequence
from tvarc.values.value import quote


def records(lookups: Lookups, axes: Mapping[str, Axis]) -> list[str]:
    """The declarations of the records that are no rows of axes; *axes* have the order of rows."""
    rows: list[str] = []
    homes = {home: of for (of, _), home in lookups.homes.items()}
    for record, columns in lookups.records().items():
        of = homes[record]
        names = list(dict.fromkeys([name for column in columns.values() for name in column]))
        if len(of) == 1:
            order = {value: number for number, value in enumerate(axes[of[0]].values)}
            names.sort(key=lambda name: order[name])
        rows.append(f"let {record} = {{")
        if record == lookups.shared(of):
            values = [_row(lookups, of, columns, name) for name in names]
        else:
            ((column, texts),) = columns.items()
            values = [_value(lookups, of, column, texts[name]) for name in names]
        rows += [f"{entry_key(key)} = {one}" for key, one in zip(names, values, strict=True)]
        rows += ["}", ""]
    return rows


def axis_of_rows(axis: Axis, lookups: Lookups) -> list[str]:
    """The declaration of an *axis* that has rows."""
    of = (axis.name,)
    columns = lookups.columns.get(of, {})
    rows = [f"{value} {_row(lookups, of, columns, value)}" for value in axis.values]
    return [f"axis {axis.name} {{", *rows, "}", ""]


def axes_of_rows(shared: Shared, axes: Mapping[str, Axis]) -> frozenset[str]:
    """The *axes* that may have rows: those without a table of which a record has all values, each
    with the same columns, where these are names that nothing else has."""
    found: list[str] = []
    for name, axis in axes.items():
        columns = shared.lookups.columns.get((name,), {})
        others = {value for one in axes.values() if one is not axis for value in one.values}
        taken = shared.taken | others | set(shared.lets)
        if (
            axis.table is None
            and columns
            and all(entry_key(value) == value and value not in taken for value in axis.values)
            and all(set(column) == set(axis.values) for column in columns.values())
            and not any(((name,), column) in shared.lookups.plain for column in columns)
        ):
            found.append(name)
    return frozenset(found)


def complete(
    shared: Shared, shape: Shape, found: Sequence[Statement], drift: Sequence[Drift]
) -> None:
    """Give cells with drift an entry in each record that their recipe reads: what stands there does
    not count, but it is looked up."""
    texts = [one.text for one in found] + list(shared.lets.values())
    texts += [row for _, rows in shared.overlays for row in rows]
    for axes, columns in shared.lookups.columns.items():
        if any(axis not in shape.cells[0] for axis in axes):
            continue
        for cell in [cell for one in drift for cell in one.cells]:
            name = "-".join([shape.cells[cell][axis] for axis in axes])
            for column, values in columns.items():
                read = shared.lookups.entry(axes, column)
                if name not in values and any(read in text for text in texts):
                    values[name] = ""


def _row(
    lookups: Lookups,
    axes: tuple[str, ...],
    columns: Mapping[str, Mapping[str, str]],
    name: str,
) -> str:
    """The row *name* of a record of *columns*, which lookups by *axes* read."""
    cells = [
        f"{entry_key(column)} = {_value(lookups, axes, column, values[name])}"
        for column, values in columns.items()
        if name in values
    ]
    return f"{{ {', '.join(cells)} }}"


def _value(lookups: Lookups, axes: tuple[str, ...], column: str, text: str) -> str:
    return text if (axes, column) in lookups.plain else quote(text)
