"""What `list --markdown` shows: the variants as a table, such as a README has."""

from __future__ import annotations

from tvarc.light import Mapping, Sequence
from tvarc.matrix.variants import Variant, axis_text
from tvarc.report.markdown import Code, Inline, Line, Table, Text
from tvarc.row_facts import text_fact
from tvarc.values import Value


def listing_table(variants: Sequence[Variant], needs: Sequence[Mapping[str, str]]) -> Table:
    """A row for each of *variants*, at least one, with its axis values by the names of the axes,
    and what it *needs* where any of them does."""
    axes = list(dict.fromkeys(axis for variant in variants for axis in variant.values))
    named = list(dict.fromkeys(name for one in needs for name in one))
    head = ("variant", *axes, *[f"needs {name}" for name in named])
    rows: list[tuple[Line, ...]] = []
    for number, variant in enumerate(variants):
        needed = needs[number] if needs else {}
        rows.append(
            (
                _code(variant.name),
                *[_value(variant.values[axis]) if axis in variant.values else () for axis in axes],
                *[_code(needed[name]) if name in needed else () for name in named],
            )
        )
    return Table(tuple([(Text(word),) for word in head]), tuple(rows))


def _code(text: str) -> Line:
    return (Code(text),) if text else ()


def _value(value: Value) -> Line:
    """A value by its name, and by what its row calls it where it says that."""
    label = text_fact(value, "label")
    name: tuple[Inline, ...] = _code(axis_text(value))
    return (*name, Text(f" {label}")) if label else name
