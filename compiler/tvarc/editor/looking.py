"""The variant whose values an editor shows: the chosen one, or one that the place is for."""

from __future__ import annotations

from tvarc.build.assembly.outputs import OutputFiles
from tvarc.build.driver import Compilation
from tvarc.decide.plan import Plan
from tvarc.decide.trace import Trace
from tvarc.light import Final, Iterator
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.nix import ir
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import Value

_TRIED: Final = 400
"""The most variants that are tried, of all parts of the matrices."""


class Looking:
    """Evaluates expressions of one compiled program, and reports nothing."""

    __slots__ = ("_elaboration", "_made")

    def __init__(self, made: Compilation) -> None:
        """*made* must have a resolution."""
        self._made = made
        self._elaboration = made.silent()

    def plan(self, matrix: hir.MatrixDef) -> Plan:
        """The writes and the conditions that apply to the variants of *matrix*."""
        return self._elaboration.plan(matrix)

    def recipe(self, variant: Variant) -> ir.Recipe | None:
        """The recipe of *variant*; None if it has an error."""
        outputs = OutputFiles(self._made.outputs, Sink())
        return self._elaboration.variant(variant, outputs.of)

    def trace(self, variant: Variant, recipe: ir.Recipe) -> Trace:
        """The answers about *variant*, which has this *recipe*."""
        return Trace(self._elaboration, variant, recipe, self._made.sources)

    def value(self, expr: hir.Expr, variant: Variant) -> Value:
        """The value of *expr* in *variant*. Raises Failed."""
        deciding = self._elaboration.deciding(variant)
        deciding.quiet = "aside"
        return deciding.evaluator(Sink()).value(expr)

    def variant(self, chosen: str, file: str, offset: int) -> Variant | None:
        """The variant with the name *chosen*. If there is none, the first one that has the
        declaration at *offset* of *file*, and for which the conditions around that place hold.
        None if the program has no variants."""
        variants = self._made.variants
        named = next((one for one in variants if one.name == chosen), None) if chosen else None
        if named is not None or not variants:
            return named
        around = list(self._around(file, offset))
        owner = around[0] if around else None
        name = owner.name.text if isinstance(owner, ast.Recipe | ast.Matrix | ast.Variant) else ""
        spans = [item.condition.span for item in around if isinstance(item, ast.When)]
        conditions = [one for one in self.conditions() if one.span in spans]
        best: Variant | None = None
        for variant in variants[:: max(1, len(variants) // _TRIED)]:
            matrix = variant.matrix
            names = (matrix.name, *[one.name for one in matrix.recipe.chain()])
            if name and name not in names:
                continue
            best = best or variant
            if all(self._holds(one, variant) for one in conditions):
                return variant
        return best or variants[0]

    def _around(self, file: str, offset: int) -> Iterator[ast.Item]:
        """The items around *offset* of *file*, the outermost first. Not those of an `else`."""
        graph = self._made.graph
        module = graph.modules.get(file) if graph is not None else None
        items = module.tree.items if module is not None else ()
        while True:
            inner = next((one for one in items if one.span.start <= offset <= one.span.end), None)
            if inner is None:
                return
            yield inner
            items = getattr(inner, "body", ())

    def conditions(self) -> Iterator[hir.Condition]:
        """The conditions of all recipes and matrices."""
        assert self._made.resolution is not None
        program = self._made.program
        for recipe in program.recipes:
            yield from recipe.layer.conditions
        for matrix in program.matrices:
            yield from matrix.layers[-1].conditions

    def _holds(self, condition: hir.Condition, variant: Variant) -> bool:
        try:
            return self.value(condition.expr, variant) is True
        except Failed:
            return False
