"""Names of variants are their own: two variants with one name are an error."""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.light import Sequence
from tvarc.matrix.expand import Expansion
from tvarc.matrix.variants import Variant
from tvarc.values import show


def check_names(expansion: Expansion, sink: Sink) -> None:
    """Two variants with one name are an error that names both."""
    if not has_pairs(expansion.hashes):
        return
    first: dict[str, Variant] = {}
    clashes: dict[tuple[str, str], list[tuple[Variant, Variant]]] = {}
    for variant in expansion.variants:
        other = first.setdefault(variant.name, variant)
        if other is not variant:
            pair = (other.matrix.id, variant.matrix.id)
            clashes.setdefault(pair, []).append((other, variant))
    for (other, variant), *more in clashes.values():
        alike = f"and {len(more)} more pairs like this"
        sink.error(
            "E402",
            f"two variants are called `{variant.name}`",
            variant.matrix.name_expr.span,
            "makes this name",
            others=((other.matrix.name_expr.span, "and this one"),)
            if other.matrix is not variant.matrix
            else (),
            notes=(
                f"{describe_cell(other)} and {describe_cell(variant)}",
                *([alike] if more else ()),
            ),
            help="name every axis that tells them apart",
        )


def has_pairs(hashes: Sequence[int]) -> bool:
    """Whether two of *hashes* are equal: if none are, what they are of is all different."""
    return len(set(hashes)) < len(hashes)


def describe_cell(variant: Variant) -> str:
    cell = ", ".join(f"{axis} = {show(value)}" for axis, value in variant.values.items())
    return f"{variant.matrix.name} ({cell})" if cell else variant.matrix.name
