"""Expand: the product of the axes, without the excluded cells. Each remaining cell is a variant
with a name.

Cells are in axis order, and each axis is in its declared order. An exclusion is evaluated once for
each combination of the axes that it reads, not once for each cell.
"""

from __future__ import annotations

from itertools import compress
from math import prod

from tvarc.light import TYPE_CHECKING, Final, Sequence, dataclass, field
from tvarc.matrix import messages as msg
from tvarc.matrix.cells import Grid, Projection, Projections, batches
from tvarc.matrix.dependencies import NOTHING, Dependencies, DependencySet
from tvarc.matrix.truth import OTHERWISE, Truth, Truths
from tvarc.matrix.variants import Built, NamePart, Variants, joined
from tvarc.meaning import hir
from tvarc.meaning.budget import LIMIT_ALL_CELLS, Budget, Total
from tvarc.meaning.evaluation.evaluate import Evaluator, text_help
from tvarc.meaning.evaluation.show import show_expr
from tvarc.meaning.functions import kind_text
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.paths import are_names, fault_of_name
from tvarc.values.value import DeclValue, Value, show, type_name

if TYPE_CHECKING:
    from tvarc.matrix.links import Chosen


@dataclass(slots=True)
class Expansion:
    """The variants of a program, and the number of cells that each exclusion matches."""

    variants: Variants = field(default_factory=Variants)
    matched: dict[int, int] = field(default_factory=dict)
    # The exclusions that apply to each matrix, by its id: its own, and those at top level.
    excludes: dict[str, tuple[hir.Check, ...]] = field(default_factory=dict)
    held: set[int] = field(default_factory=set)  # identities of conditions of exclusions that held
    hashes: list[int] = field(default_factory=list)  # of the variants' names
    # Whether all matrices together have too many cells (E413). Some variants are then missing.
    too_many: bool = False


class CellEnvironment:
    """The axes and `let`s of one cell, for names and exclusions. Each `let` is evaluated once."""

    __slots__ = ("chosen", "failed", "lets", "matrix", "sink", "values")

    def __init__(
        self,
        matrix: hir.MatrixDef,
        values: dict[str, Value],
        sink: Sink,
        chosen: Chosen | None = None,
    ) -> None:
        """*chosen* caches the results of links, for a caller that evaluates many cells of the
        matrix."""
        self.chosen = chosen
        self.matrix = matrix
        self.values = values
        self.sink = sink
        self.lets: dict[str, Value] = {}
        self.failed: tuple[str, ...] = ()  # `let`s that are not evaluated again

    def axis(self, ref: hir.AxisRef) -> Value:
        if ref.axis not in self.values:
            raise missing_axis(ref, self.matrix, self.sink, self.instead(ref))
        return axis_value(ref, self.values, self.matrix, self.sink)

    def instead(self, ref: hir.AxisRef) -> str:
        """The advice for a *ref* to an axis that the matrix lacks."""
        if any(check.span.has(ref.span) for check in self.matrix.excludes):
            return (
                "write the `exclude` at top level, where it applies to the matrices that have the "
                "axis"
            )
        if self.matrix.name_expr.span.has(ref.span):
            return f"give `{self.matrix.name}` a `name` that does not read it"
        return ""

    def setting(self, ref: hir.SettingRef) -> Value:
        if ref.path == ("recipe",):
            return recipe_value(self.matrix.recipe)
        if ref.path == ("matrix",):
            return matrix_value(self.matrix)
        raise self.sink.refuse(msg.cells.READS_SETTING, ref.span, name=".".join(ref.path))

    def let(self, ref: hir.LetRef, budget: Budget) -> Value:
        target = ref.target
        if target.expr is None or target.id in self.failed:
            raise Failed
        if target.id not in self.lets:
            evaluator = Evaluator(self, self.sink, budget=budget)
            try:
                self.lets[target.id] = evaluator.value(target.expr)
            except Failed:
                self.failed += (target.id,)
                raise
        return self.lets[target.id]

    def field(self, ref: hir.FieldRef) -> Value:
        raise Failed

    def need(self, ref: hir.NeedRef) -> Value:
        name = ".".join(("needs", ref.name, *ref.path))
        raise self.sink.refuse(msg.cells.READS_NEED, ref.span, name=name)

    def link(self, link: hir.Link) -> Value:
        """The variant that is needed. If it is not built, the variant that it would be. Null if
        there is none."""
        from tvarc.matrix.links import Following, value_of

        cells = Following(self.matrix, self.values, self, self.sink, self.chosen).cells(link)
        built = [cell for cell in cells if cell.is_built]
        return value_of(link, (built or cells)[0]) if cells else None

    def lacks(self, link: hir.Link) -> bool:
        from tvarc.matrix.links import Following

        following = Following(self.matrix, self.values, self, self.sink, self.chosen)
        return not following.built(link)


def recipe_value(recipe: hir.RecipeDef) -> DeclValue:
    return DeclValue("recipe", recipe.name, recipe.id, tuple(r.id for r in recipe.chain()))


def matrix_value(matrix: hir.MatrixDef) -> DeclValue:
    return DeclValue("matrix", matrix.name, matrix.id, matrix.lineage)


def axis_value(
    ref: hir.AxisRef, values: dict[str, Value], matrix: hir.MatrixDef, sink: Sink
) -> Value:
    """The value of the axis that *ref* reads. Raises Failed after reporting that *matrix* has no
    such axis, or values of another table."""
    if ref.axis not in values:
        raise missing_axis(ref, matrix, sink)
    value = values[ref.axis]
    if ref.table is not None and getattr(value, "table", "") != ref.table.origin:
        pick = next(pick for pick in matrix.axes if pick.axis.name == ref.axis)
        raise sink.refuse(
            msg.cells.OTHER_TABLE,
            ref.span,
            others=[pick.axis.span],
            axis=ref.axis,
            matrix=matrix.name,
            table=ref.table.name,
            kind=type_name(value),
        )
    return value


_MOVE: Final = "move this into a recipe whose matrices have it"


def missing_axis(
    ref: hir.AxisRef, matrix: hir.MatrixDef, sink: Sink, instead: str = _MOVE
) -> Failed:
    """Report that *matrix* lacks the axis that *ref* reads. *instead* is the advice for a user who
    does not want to add the axis."""
    return sink.refuse(
        msg.cells.NO_AXIS,
        ref.span,
        others=[matrix.span],
        cause=f"{matrix.id} without {ref.axis}",
        kind="variant" if matrix.single else "matrix",
        matrix=matrix.name,
        axis=ref.axis,
        has=", ".join(pick.axis.name for pick in matrix.axes) or "no axes",
        axes=_axes_with(ref.axis, matrix),
        instead=instead,
    )


def _axes_with(axis: str, matrix: hir.MatrixDef) -> str:
    if matrix.single:
        return f"axes = {axis}[VALUE]"
    return f"axes = {' * '.join([*(pick.axis.name for pick in matrix.axes), axis])}"


def expand(program: hir.Program, sink: Sink) -> Expansion:
    """All variants of *program*, in the order of its matrices."""
    reads = Dependencies()
    expansion = Expansion()
    total = Total(sink)
    matrices: Sequence[hir.MatrixDef] = program.matrices
    if program.stacked:
        from tvarc.meaning.declarations.needs import in_order

        matrices = in_order(matrices, program.recipes)
    for matrix in matrices:
        Expander(matrix, program, reads, expansion, sink, total).run()
    if program.stacked:
        expansion.variants.sort(program.matrices)
    return expansion


def exclusions_of(
    matrix: hir.MatrixDef, program: hir.Program, reads: Dependencies
) -> tuple[hir.Check, ...]:
    """The exclusions that apply to *matrix*: its own, and those at top level."""
    own = [c for c in matrix.excludes if c.through is None or reads.check(c).fit(matrix)]
    of_files = [c for file in matrix.files for c in program.excludes_of.get(file, ())]
    others = (*dict.fromkeys(of_files), *program.excludes)
    return (*own, *[c for c in others if reads.check(c).fit(matrix)])


class Expander:
    def __init__(
        self,
        matrix: hir.MatrixDef,
        program: hir.Program,
        reads: Dependencies,
        expansion: Expansion,
        sink: Sink,
        total: Total,
    ) -> None:
        self.total = total
        self.matrix = matrix
        self.reads = reads
        self.chosen: Chosen | None = None
        if program.stacked:
            from tvarc.matrix.links import Chosen

            self.chosen = Chosen(reads)
        self.expansion = expansion
        self.sink = sink
        self.positions = {pick.axis.name: i for i, pick in enumerate(matrix.axes)}
        self.projections = Projections(Grid([len(pick.values) for pick in matrix.axes]))
        self.truths = Truths(matrix, self.projections, reads, self.asked)
        self.bad_names: list[str] = []
        # The number of cells of this matrix that each exclusion drops, by its identity. An
        # exclusion of a matrix that is extended applies to both.
        self.drops: dict[int, int] = {}
        # Whether a name or an exclusion has failed. Then a matrix without cells is not reported,
        # too.
        self.failed = False
        self.excludes = exclusions_of(matrix, program, reads)
        expansion.excludes[matrix.id] = self.excludes

    def run(self) -> None:
        cells = prod(len(pick.values) for pick in self.matrix.axes)
        if cells > self.matrix.limit:
            self.too_many(cells)
            return
        if not self.total.cells(cells):
            self.too_many_together(cells)
            return
        if self.matrix.single and cells > 1:
            self.sink.report(
                msg.cells.VARIANT_OF_MANY_CELLS,
                self.matrix.span,
                matrix=self.matrix.name,
                cells=cells,
            )
            return
        parts = self.name_parts()
        remaining = self.remaining()
        whole = joined(parts, self.projections, len(remaining))
        built = Built(self.matrix, self.projections, self.named(remaining, whole), parts, whole)
        self.expansion.variants.add(built)
        if not (self.failed or self.bad_names) and built.cells:
            self.matrix.built.append(built.cells)  # otherwise its cells are not known
        self.report_names()
        if cells and not built.cells and not (self.failed or self.bad_names):
            self.empty(cells)  # an axis without values is already reported

    def too_many(self, cells: int) -> None:
        factors = " × ".join(f"{len(p.values)} {p.axis.name}" for p in self.matrix.axes)
        self.sink.report(
            msg.cells.TOO_MANY_CELLS,
            self.matrix.span,
            matrix=self.matrix.name,
            cells=cells,
            limit=self.matrix.limit,
            factors=factors,
        )

    def too_many_together(self, cells: int) -> None:
        if self.expansion.too_many:
            return
        self.expansion.too_many = True
        self.sink.report(
            msg.cells.TOO_MANY_CELLS_TOGETHER,
            self.matrix.span,
            cells=cells,
            limit=LIMIT_ALL_CELLS,
        )

    def empty(self, cells: int) -> None:
        dropping = [(c.span, f"drops {self.drops.get(id(c), 0)} of {cells}") for c in self.excludes]
        self.sink.report(
            msg.cells.ALL_EXCLUDED if cells > 1 else msg.cells.ONLY_CELL_EXCLUDED,
            self.matrix.span,
            others=dropping,
            matrix=self.matrix.name,
            cells=cells,
        )

    def projection(self, reads: DependencySet) -> Projection:
        """The projection on the axes in *reads*. A value with these reads has one result for each
        of its combinations."""
        return self.projections.on([i for name, i in self.positions.items() if name in reads.axes])

    def remaining(self) -> Sequence[int]:
        """The cells that no exclusion drops, in order."""
        grid = self.projections.grid
        matched = self.expansion.matched
        dropped = 0
        for check in self.excludes if grid.cells else ():
            drops = Exclusion(check, self).truth()
            matched[id(check)] = matched.get(id(check), 0) + drops.count
            self.drops[id(check)] = drops.count
            if drops.count:
                dropped |= drops.cells()
        for check in self.excludes:
            matched.setdefault(id(check), 0)
        kept = dropped.to_bytes(grid.cells, "little").translate(OTHERWISE)
        return list(compress(range(grid.cells), kept))

    def environment(self, indices: tuple[int, ...], sink: Sink | None = None) -> CellEnvironment:
        values = {p.axis.name: p.values[i] for p, i in zip(self.matrix.axes, indices, strict=True)}
        return CellEnvironment(
            self.matrix, values, self.sink if sink is None else sink, self.chosen
        )

    def asked(self, expr: hir.Expr, indices: tuple[int, ...]) -> Value:
        """The value of a part of an exclusion. Nothing is reported. Raises Failed."""
        silent = Sink()
        environment = self.environment(indices, silent)
        found = Evaluator(environment, silent, budget=Budget(self.total)).value(expr)
        if len(silent):
            raise Failed
        return found

    # --- names ---------------------------------------------------------------------------

    def name_parts(self) -> list[NamePart]:
        """The parts of the name: literal text, and values, which no selector may cut."""
        expr, parts = self.matrix.name_expr, self.matrix.name_parts
        if parts == (expr,):
            whole = self.projection(self.reads.expr(expr))
            return [NamePart(whole, False, lambda cells: [*map(self.whole_name, cells)])]
        return [self.name_part(part) for part in parts]

    def name_part(self, part: str | hir.Expr) -> NamePart:
        if isinstance(part, str):
            return NamePart(self.projection(NOTHING), False, lambda cells: [part] * len(cells))
        return NamePart(
            self.projection(self.reads.expr(part)),
            True,
            lambda cells: [self.name_text(part, cell) for cell in cells],
        )

    def whole_name(self, cell: int) -> str | None:
        expr = self.matrix.name_expr
        evaluator = self.evaluator(cell)
        try:
            value = evaluator.value(expr)
            if not isinstance(value, str):
                raise self.sink.refuse(
                    msg.names.NAME_IS_NO_STRING,
                    expr.span,
                    value=show(value),
                    expr=show_expr(expr),
                )
        except Failed:
            return None
        return value

    def name_text(self, part: hir.Expr, cell: int) -> str | None:
        """The string of a value in the name; None after reporting that it has none."""
        evaluator = self.evaluator(cell)
        try:
            value = evaluator.value(part)
            text = kind_text(value)
            if text is None:
                raise self.sink.refuse(
                    msg.names.NAME_IS_NO_TEXT,
                    part.span,
                    value=show(value),
                    advice=text_help(value, part),
                )
        except Failed:
            return None
        return text

    def evaluator(self, cell: int) -> Evaluator:
        environment = self.environment(self.projections.grid.indices(cell))
        self.total.subject = ("name",)
        return Evaluator(environment, self.sink, budget=Budget(self.total))

    def named(self, cells: Sequence[int], parts: list[NamePart]) -> Sequence[int]:
        """The members of *cells* whose name is a valid name of a file. Others are reported."""
        good: list[int] = []
        for batch in batches(self.projections.grid, cells):
            columns = [part.texts(batch) for part in parts]
            if any(None in column for column in columns):
                self.failed = True
            else:
                names = list(map("".join, zip(*columns, strict=True)))
                if are_names(names):
                    good.extend(batch.cells)
                    self.expansion.hashes.extend(map(hash, names))
                    continue
            for cell, texts in zip(batch.cells, zip(*columns, strict=True), strict=True):
                if None in texts:
                    continue
                name = "".join(texts)
                if fault_of_name(name) is None:
                    good.append(cell)
                    self.expansion.hashes.append(hash(name))
                else:
                    self.bad_names.append(name)
        return good

    def report_names(self) -> None:
        """Report all invalid names of this matrix in one message."""
        if not self.bad_names:
            return
        name = self.bad_names[0]
        self.sink.report(
            msg.names.SLASH_IN_NAME if "/" in name else msg.names.BAD_NAME,
            self.matrix.name_expr.span,
            name=show(name)[:80],
            fault=fault_of_name(name),
            more=len(self.bad_names) - 1 or None,
        )


class Exclusion:
    """One `exclude`, evaluated once for each combination of the axes that it reads."""

    __slots__ = ("check", "expander")

    def __init__(self, check: hir.Check, expander: Expander) -> None:
        self.check = check
        self.expander = expander

    def truth(self) -> Truth:
        """The cells that it drops."""
        self.expander.total.subject = ("exclude",)
        found = self.by_parts()
        if found is not None:
            return found
        truths = self.expander.truths
        projection = truths.projection(self.expander.reads.check(self.check).axes)
        dropped = bytes([self.evaluate(indices) for indices in truths.combinations(projection)])
        return Truth(projection, dropped)

    def by_parts(self) -> Truth | None:
        """The result of `truth`, with each part of the conditions evaluated separately. None if a
        part has no value: the whole may not read it, or must report it."""
        truths, held = self.expander.truths, self.expander.expansion.held
        alive: Truth | None = None
        for condition in self.check.conditions:
            holds = truths.of(condition.expr)
            if holds is None:
                return None
            alive = holds if alive is None else truths.all([alive, holds])
            if 1 not in alive.table:
                return alive
            held.add(id(condition))
        for one in self.check.includes:
            names = truths.of(one.expr)
            if names is None:
                return None
            if 1 in names.table:
                held.add(id(one))
        drops = truths.of(self.check.expr)
        return drops if drops is None or alive is None else truths.all([alive, drops])

    def evaluate(self, indices: tuple[int, ...]) -> bool:
        environment = self.expander.environment(indices)
        evaluator = Evaluator(environment, self.expander.sink, budget=Budget(self.expander.total))
        try:
            for condition in self.check.conditions:
                if not evaluator.truth(condition.expr, "when"):
                    return False
                self.expander.expansion.held.add(id(condition))
            for one in self.check.includes:
                if evaluator.truth(one.expr, "include"):
                    self.expander.expansion.held.add(id(one))
            return evaluator.truth(self.check.expr, "exclude")
        except Failed:
            self.expander.failed = True
            return False
