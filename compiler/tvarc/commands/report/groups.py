"""What `list --by` shows: variants by their values of some axes, or how many have each of them."""

from __future__ import annotations

from tvarc.commands.report.listing import aligned
from tvarc.light import Iterator, Mapping, Sequence
from tvarc.matrix.variants import Variant, axis_text
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted
from tvarc.values.plain import value_data

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


def group_data(
    axes: Sequence[str], variants: Sequence[Variant], *, count: bool
) -> dict[str, object]:
    """One group as data, with *count* without the names of its variants."""
    values = variants[0].values
    found: dict[str, object] = {
        "axes": {axis: value_data(values[axis]) for axis in axes if axis in values},
        "count": len(variants),
    }
    return found if count else {**found, "variants": [variant.name for variant in variants]}
