"""`tvarc list --by` and `--count`: the variants by the values of axes, or how many there are."""

from __future__ import annotations

from tvarc.cli import exits
from tvarc.cli.session import Session, counted
from tvarc.diagnostics.render_cells import safe
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.light import Sequence
from tvarc.matrix.select import join_pairs
from tvarc.matrix.variants import Variant
from tvarc.plain import json_text, value_data
from tvarc.report.listing import list_text
from tvarc.sema.functions import kind_text
from tvarc.values import show

Group = tuple[str, ...]
"""The value of each axis, as a person reads it; `-` where a variant has no such axis."""


def list_groups(
    session: Session,
    file: str | None,
    selectors: Sequence[str],
    by: str | None,
    *,
    count: bool,
    as_json: bool,
) -> int:
    """List the variants that *selectors* mean in groups *by* axes, whose names are between commas,
    or with *count* how many there are; the exit code."""
    session.compile(file)
    session.stop_on_errors()
    axes = _axes(session, by)
    found = session.select(join_pairs(selectors))
    groups: dict[Group, list[Variant]] = {}
    for variant in found:
        groups.setdefault(tuple(_value(variant, axis) for axis in axes), []).append(variant)
    session.show()
    if as_json:
        data = [_data(axes, variants, count=count) for variants in groups.values()]
        session.console.data(json_text(data if axes else {"count": len(found)}))
    elif not axes:
        session.console.out(f"{len(found)}\n")
    elif count:
        rows = [*groups.items(), (("total", *[""] * (len(axes) - 1)), found)]
        for line in list_text([_row(*values, str(len(many))) for values, many in rows]):
            session.console.out(line)
    else:
        for values, variants in groups.items():
            named = ", ".join(f"{axis} = {one}" for axis, one in zip(axes, values, strict=True))
            session.console.out(f"{safe(named)}: {counted(len(variants), 'variant')}\n")
            for variant in variants:
                session.console.out(f"  {safe(variant.name)}\n")
    return exits.OK


def _axes(session: Session, by: str | None) -> list[str]:
    """The axes that *by* names; ends the command where one is none."""
    made = session.compilation
    matrices = made.resolution.program.matrices if made and made.resolution is not None else ()
    known = list(dict.fromkeys(pick.axis.name for one in matrices for pick in one.axes))
    axes = [axis.strip() for axis in by.split(",")] if by is not None else []
    for axis in dict.fromkeys(axes):
        if axis not in known:
            session.sink.error(
                "E901",
                f"`{axis}` is no axis of a matrix",
                notes=("axes: " + ", ".join(known),) if known else ("there is no matrix",),
                help=did_you_mean(axis, known),
            )
    if session.sink.has_errors:
        session.finish(exits.FAILED)
    return list(dict.fromkeys(axes))


def _value(variant: Variant, axis: str) -> str:
    if axis not in variant.values:
        return "-"
    value = variant.values[axis]
    return kind_text(value) or show(value)


def _row(first: str, *rest: str) -> tuple[str, list[tuple[str, str]]]:
    return first, [(str(number), text) for number, text in enumerate(rest)]


def _data(axes: Sequence[str], variants: Sequence[Variant], *, count: bool) -> dict[str, object]:
    values = variants[0].values
    found: dict[str, object] = {
        "axes": {axis: value_data(values[axis]) for axis in axes if axis in values},
        "count": len(variants),
    }
    return found if count else {**found, "variants": [variant.name for variant in variants]}
