"""Names of variants are unique: two variants with one name are an error."""

from __future__ import annotations

from tvarc.light import Sequence
from tvarc.matrix import messages as msg
from tvarc.matrix.expand import Expansion
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.text.diagnostics.model import Sink
from tvarc.text.source import Span
from tvarc.values.value import show


def check_names(expansion: Expansion, sink: Sink) -> None:
    """Report each pair of matrices that give two variants one name. The message names both
    variants."""
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
        from tvarc.text.diagnostics.words import counted  # names rarely clash

        taker = _takes_over(other, variant)
        sign, written = _plain_text(variant.name)
        sink.report(
            msg.names.SAME_NAME_IN_ONE if other.matrix is variant.matrix else msg.names.SAME_NAME,
            variant.matrix.name_expr.span,
            others=_others(other, variant, taker),
            name=variant.name,
            cell=describe_cell(other),
            other_cell=describe_cell(variant),
            more=counted(len(more), "more pair") if more else None,
            taker=taker.name if taker is not None else None,
            sign=sign,
            written=written,
        )


def _plain_text(name: str) -> tuple[str, str]:
    """The form of the braces in *name* that insert a value in other languages, `{…}` or `${…}`, and
    the text between them. Both are empty if it has none."""
    before, _, rest = name.partition("{")
    written, closed, _ = rest.partition("}")
    if not closed or not written:
        return "", ""
    if written.startswith("%"):  # `{% if C %}…{% endif %}` of a template
        word, _, condition = written.strip("% ").partition(" ")
        inside = rest.partition("}")[2].partition("{")[0]
        choice = f'if {condition.strip()} then "{inside}" else ""'
        return "{% … %}", choice if word == "if" else 'if CONDITION then "…" else ""'
    root, dot, name = written.partition(".")
    written = name if dot and root in ("var", "local", "each") else written
    return "${…}" if before.endswith("$") else "{…}", written


def _takes_over(one: Variant, another: Variant) -> hir.MatrixDef | None:
    """The matrix that inherits its `name` from the other one, if that is the cause of the clash;
    else None."""
    if one.matrix is another.matrix or one.matrix.name_expr.span != another.matrix.name_expr.span:
        return None
    return one.matrix if another.matrix.id in one.matrix.lineage else another.matrix


def _others(
    other: Variant, variant: Variant, taker: hir.MatrixDef | None
) -> list[tuple[Span, str]]:
    """The places of a clash besides the name of *variant*."""
    if taker is not None:
        return [(taker.span, "this inherits its `name`")]
    if other.matrix is variant.matrix:
        return []
    return [(other.matrix.name_expr.span, "this also makes the name")]


def has_pairs(hashes: Sequence[int]) -> bool:
    """Whether two of *hashes* are equal. If none are, the things that they belong to are all
    different."""
    return len(set(hashes)) < len(hashes)


def describe_cell(variant: Variant) -> str:
    cell = ", ".join(f"{axis} = {show(value)}" for axis, value in variant.values.items())
    return f"{variant.matrix.name} ({cell})" if cell else variant.matrix.name
