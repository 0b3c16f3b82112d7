"""What fills the holes of texts: for each combination of what a hole depends on its text."""

from __future__ import annotations

from tvarc.assembly.present import Present
from tvarc.assembly.templates import fills
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.holes import Hole
from tvarc.matrix.cells import Projection
from tvarc.matrix.variants import Variant
from tvarc.sema import hir
from tvarc.sema.failed import Failed
from tvarc.sema.functions import kind_text
from tvarc.values import DeclValue, RowValue, Version


class Fillings:
    """What fills the holes in the texts of some variants of a matrix."""

    __slots__ = ("_elaboration", "_present")

    def __init__(self, elaboration: Elaboration, present: Present) -> None:
        self._elaboration = elaboration.silent()
        self._present = present

    def refuses(self, expr: hir.Expr, whole: bool) -> bool:
        """Whether *expr* has no text for the first cell, and so perhaps for none."""
        first = Variant(self._present.built, self._present.cells[0], "-")
        return self._text(expr, first, whole=whole) is None

    def of(self, hole: Hole) -> tuple[Projection, dict[int, str]] | None:
        """The texts of *hole*, which is not the variant's name; None where one has none."""
        assert hole.expr is not None
        projection = self._present.projection(hole.axes)
        texts: dict[int, str] = {}
        for key, variant in self._present.variants(projection):
            text = self._text(hole.expr, variant, whole=hole.whole)
            if text is None:
                return None
            texts[key] = text
        return projection, texts

    def _text(self, expr: hir.Expr, variant: Variant, *, whole: bool) -> str | None:
        try:
            value = self._elaboration.deciding(variant).evaluator().value(expr)
        except Failed:
            return None
        if whole and not isinstance(value, str | Version | RowValue | DeclValue):
            return None
        text = kind_text(value)
        return text if text is not None and fills(text) else None
