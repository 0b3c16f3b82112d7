"""The paths of output files, for many variants at once."""

from __future__ import annotations

from tvarc.build.assembly.outputs import why_no_recipe
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.plan import group_of
from tvarc.light import Callable, Iterable, Sequence
from tvarc.matrix.cells import Batch
from tvarc.matrix.present import NotShareable, Present
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.functions import kind_text
from tvarc.text.diagnostics.model import Failed
from tvarc.text.paths import are_names

Texts = Callable[[Batch, Sequence[str]], Sequence[str]]


class Paths:
    """The path of each variant's file of one output. Raises NotShareable where one cannot be
    told."""

    __slots__ = ("_parts",)

    def __init__(self, output: hir.OutputDef, elaboration: Elaboration, present: Present) -> None:
        expr = output.file
        parts = expr.parts if isinstance(expr, hir.Text) else (expr,)
        self._parts = [_part(part, elaboration, present, whole=part is expr) for part in parts]

    def texts(self, batch: Batch, names: Sequence[str]) -> list[str]:
        """The paths of the cells of *batch*, which have these names."""
        columns = [part(batch, names) for part in self._parts]
        return list(map("".join, zip(*columns, strict=True)))

    def check(self, paths: Sequence[str]) -> Iterable[str]:
        """The folders of *paths*, each once; raises NotShareable for a path that no recipe can
        have."""
        parts = [path.rpartition("/") for path in paths]
        folders = {part[0]: path for part, path in zip(parts, paths, strict=True)}
        if any(why_no_recipe(path) is not None for path in folders.values()):
            raise NotShareable
        if not all(path.endswith(".nix") for path in paths):
            raise NotShareable
        if not are_names([last[: -len(".nix")] for _, _, last in parts]):
            raise NotShareable
        return folders


def _part(
    part: str | hir.Expr, elaboration: Elaboration, present: Present, *, whole: bool
) -> Texts:
    if isinstance(part, str):
        return lambda batch, _: [part] * len(batch.cells)
    if isinstance(part, hir.SettingRef) and part.path == ("variant",):
        return lambda _, names: names

    def text(variant: Variant) -> str:
        try:
            value = elaboration.deciding(variant).evaluator().value(part)
        except Failed:
            raise NotShareable from None
        found = kind_text(value) if not whole or isinstance(value, str) else None
        if found is None:
            raise NotShareable
        return found

    reads = elaboration.shared.reads
    found = reads.expr(part)
    plan = elaboration.plan(present.built.matrix)
    axes, name_dependent = plan.transitive_dependencies(map(group_of, found.settings), reads)
    if name_dependent:
        built = present.built
        return lambda batch, names: [
            text(Variant(built, cell, name)) for cell, name in zip(batch.cells, names, strict=True)
        ]
    projection = present.projection(axes | found.axes)
    texts = {key: text(variant) for key, variant in present.variants(projection)}
    return lambda batch, _: [texts[key] for key in projection.keys(batch)]
