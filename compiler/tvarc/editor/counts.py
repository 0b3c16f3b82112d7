"""Counts the variants that the declarations of a program make, and those that a condition or an
exclusion matches."""

from __future__ import annotations

from math import prod

from tvarc.build.driver import Compilation
from tvarc.decide.plan import group_of
from tvarc.editor.looking import Looking
from tvarc.light import Final, Iterator, dataclass
from tvarc.matrix.cells import Projection, batches
from tvarc.matrix.dependencies import NOTHING, Dependencies
from tvarc.matrix.present import Present
from tvarc.matrix.variants import Built, Variant
from tvarc.meaning import hir
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Failed
from tvarc.text.source import Span

_MOST: Final = 2_000
"""A condition with more combinations of values than this is not counted."""


@dataclass(frozen=True, slots=True)
class Produced:
    """A declaration, and the variants that it makes. `cells` are those of the matrix, with those
    that are dropped; 0 for a recipe."""

    name: str
    span: Span
    variants: int
    cells: int


@dataclass(frozen=True, slots=True)
class Hits:
    """The `hits` of a condition among `all` variants, or of an exclusion among `all` cells. The
    condition ends with `span`."""

    span: Span
    kind: str
    hits: int
    all: int


def produced(made: Compilation) -> Iterator[Produced]:
    """The matrices, the variants and the recipes of *made*, which is expanded."""
    if made.expansion is None:
        return
    recipes: dict[str, tuple[hir.RecipeDef, int]] = {}
    for built in made.expansion.variants.built:
        matrix, count = built.matrix, len(built.cells)
        yield Produced(matrix.name, matrix.span, count, _cells(matrix))
        for recipe in matrix.recipe.chain():
            known = recipes.get(recipe.id, (recipe, 0))[1]
            recipes[recipe.id] = (recipe, known + count)
    for recipe, count in recipes.values():
        yield Produced(recipe.name, recipe.span, count, 0)


def made_of(made: Compilation, name: str) -> Iterator[Variant]:
    """The variants that the matrix, the variant or the recipe *name* makes."""
    for one in made.variants:
        if name in (one.matrix.name, *[recipe.name for recipe in one.matrix.recipe.chain()]):
            yield one


class Counting:
    """Counts the matches of the conditions and the exclusions of one compiled program."""

    __slots__ = ("_conditions", "_looking", "_made", "_reads")

    def __init__(self, made: Compilation, looking: Looking) -> None:
        self._made = made
        self._looking = looking
        self._reads = Dependencies()
        self._conditions = {one.span: one for one in looking.conditions()}

    def hits(self, items: tuple[ast.Item, ...]) -> Iterator[Hits]:
        """The matches of each `when` and each `exclude` of *items*, at all depths."""
        yield from self._hits(items, ())

    def _hits(
        self, items: tuple[ast.Item, ...], around: tuple[hir.Condition, ...]
    ) -> Iterator[Hits]:
        for item in items:
            inner = around
            if isinstance(item, ast.Exclude):
                yield from self._dropped(item)
            elif isinstance(item, ast.When):
                condition = self._conditions.get(item.condition.span)
                if condition is not None:
                    inner = (*around, condition)
                    yield from self._admitted(inner)
                yield from self._hits(item.body, inner)
                if item.otherwise is not None:
                    yield from self._hits(item.otherwise.body, around)
                continue
            yield from self._hits(ast.items_in(item), inner)

    def _dropped(self, item: ast.Exclude) -> Iterator[Hits]:
        expansion = self._made.expansion
        assert expansion is not None
        checks: dict[int, hir.Check] = {}
        cells = 0
        for built in expansion.variants.built:
            for check in expansion.excludes.get(built.matrix.id, ()):
                if check.span == item.span:
                    checks[id(check)] = check
                    cells += _cells(built.matrix)
        if checks:
            hits = sum(expansion.matched.get(one, 0) for one in checks)
            yield Hits(item.condition.span, "cells", hits, cells)

    def _admitted(self, conditions: tuple[hir.Condition, ...]) -> Iterator[Hits]:
        """The variants for which all *conditions* hold, among those with the declaration."""
        expansion = self._made.expansion
        assert expansion is not None
        hits = variants = 0
        for built in expansion.variants.built:
            plan = self._looking.plan(built.matrix)
            if not built.cells or conditions[-1] not in plan.conditions:
                continue
            found = self._held(built, conditions)
            if found is None:
                return
            hits += found
            variants += len(built.cells)
        if variants:
            yield Hits(conditions[-1].span, "variants", hits, variants)

    def _held(self, built: Built, conditions: tuple[hir.Condition, ...]) -> int | None:
        """The number of cells of *built* for which all *conditions* hold; None if they have too
        many combinations, or no value in one of them."""
        reads = NOTHING
        for one in conditions:
            reads |= self._reads.expr(one.expr)
        plan = self._looking.plan(built.matrix)
        groups = map(group_of, reads.settings)
        axes, _ = plan.transitive_dependencies(groups, self._reads)
        present = Present(built, built.cells)
        projection = present.projection(axes | reads.axes)
        if present.many(axes | reads.axes) > _MOST:
            return None
        try:
            holding = {
                key
                for key, variant in present.variants(projection)
                if all(self._looking.value(one.expr, variant) is True for one in conditions)
            }
        except Failed:
            return None
        return sum(key in holding for key in _keys(built, projection))


def _keys(built: Built, projection: Projection) -> Iterator[int]:
    for batch in batches(built.grid, built.cells):
        yield from projection.keys(batch)


def _cells(matrix: hir.MatrixDef) -> int:
    return prod(len(pick.values) for pick in matrix.axes)
