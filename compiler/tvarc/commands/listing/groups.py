"""`tvarc list --by` and `--count`: the variants by the values of some axes, or how many there
are."""

from __future__ import annotations

from tvarc.commands.line import exits
from tvarc.commands.line.arguments import Arguments
from tvarc.commands.line.session import Session
from tvarc.commands.listing.text import aligned
from tvarc.commands.programs.selecting import axes_named
from tvarc.light import Iterator, Mapping, Sequence, dataclass
from tvarc.matrix.pairs import join_pairs
from tvarc.matrix.variants import Variant, axis_text
from tvarc.text.diagnostics.render_cells import safe
from tvarc.text.diagnostics.words import counted
from tvarc.values.plain import ABSENT, Absent, Count, Ordinal, json_text
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
    if session.sink.has_errors:
        session.finish(exits.FAILED)
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
