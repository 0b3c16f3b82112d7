"""Expand: axes times axes, less the exclusions; each remaining cell is a variant with a name.

Cells come in axis order, each axis in declared order. An exclusion is evaluated once for each
combination of the axes that it reads, not once a cell.
"""

from __future__ import annotations

from array import array
from itertools import compress
from math import prod

from tvarc.diagnostics.model import Sink
from tvarc.light import Sequence, dataclass, field
from tvarc.matrix.cells import Grid, Projection, Projections, batches
from tvarc.matrix.drops import Exclusion
from tvarc.matrix.reads import NOTHING, Reads, ReadsOf
from tvarc.matrix.variants import Built, NamePart, Variants, joined
from tvarc.sema import hir
from tvarc.sema.evaluate import Evaluator
from tvarc.sema.failed import Failed
from tvarc.sema.functions import kind_text
from tvarc.values import DeclValue, Value, show, type_name


@dataclass(slots=True)
class Expansion:
    """The variants of a program, and how many cells each exclusion matches."""

    variants: Variants = field(default_factory=Variants)
    matched: dict[int, int] = field(default_factory=dict)
    # The exclusions that apply to each matrix, its own and those at top level, by its id.
    excludes: dict[str, tuple[hir.Check, ...]] = field(default_factory=dict)
    held: set[int] = field(default_factory=set)  # ids of the conditions of exclusions that held
    hashes: array[int] = field(default_factory=lambda: array("q"))  # of the variants' names


class CellEnvironment:
    """What names and exclusions may read: axes and `let`s of one cell."""

    __slots__ = ("matrix", "sink", "values")

    def __init__(self, matrix: hir.MatrixDef, values: dict[str, Value], sink: Sink) -> None:
        self.matrix = matrix
        self.values = values
        self.sink = sink

    def axis(self, ref: hir.AxisRef) -> Value:
        return axis_value(ref, self.values, self.matrix, self.sink)

    def setting(self, ref: hir.SettingRef) -> Value:
        if ref.path == ("recipe",):
            return recipe_value(self.matrix.recipe)
        if ref.path == ("matrix",):
            return DeclValue("matrix", self.matrix.name, self.matrix.id)
        self.sink.error(
            "E302",
            f"`{'.'.join(ref.path)}` is decided later",
            ref.span,
            "not known when cells are named and dropped",
            help="read axes and `let`s here; `require` may read settings",
        )
        raise Failed

    def let(self, ref: hir.LetRef) -> Value:
        if ref.target.expr is None:
            raise Failed
        return Evaluator(self, self.sink).value(ref.target.expr)

    def field(self, ref: hir.FieldRef) -> Value:
        raise Failed


def recipe_value(recipe: hir.RecipeDef) -> DeclValue:
    return DeclValue("recipe", recipe.name, recipe.id, tuple(r.id for r in recipe.chain()))


def axis_value(
    ref: hir.AxisRef, values: dict[str, Value], matrix: hir.MatrixDef, sink: Sink
) -> Value:
    """The value of the axis that *ref* reads; raises Failed when *matrix* has none that fits."""
    if ref.axis not in values:
        raise missing_axis(ref, matrix, sink)
    value = values[ref.axis]
    if ref.table is not None and getattr(value, "table", "") != ref.table.origin:
        pick = next(pick for pick in matrix.axes if pick.axis.name == ref.axis)
        sink.error(
            "E301",
            f"axis `{ref.axis}` of matrix `{matrix.name}` is not of table `{ref.table.name}`",
            ref.span,
            f"expects values of `{ref.table.name}`",
            others=((pick.axis.span, f"holds {type_name(value)}"),),
            help=f"`axis {ref.axis} = {ref.table.name}[…]`, or give your axis another name",
        )
        raise Failed
    return value


def missing_axis(ref: hir.AxisRef, matrix: hir.MatrixDef, sink: Sink) -> Failed:
    """Reports that *matrix* lacks the axis that *ref* reads."""
    have = ", ".join(pick.axis.name for pick in matrix.axes)
    kind = "variant" if matrix.single else "matrix"
    sink.error(
        "E304",
        f"{kind} `{matrix.name}` has no axis `{ref.axis}`",
        ref.span,
        "read here",
        others=((matrix.span, f"has {have}" if have else "has no axes"),),
        help=f"add the axis (`{_axes_with(ref.axis, matrix)}`), or move this into a recipe of "
        "matrices that have it",
    )
    return Failed()


def _axes_with(axis: str, matrix: hir.MatrixDef) -> str:
    if matrix.single:
        return f"axes = {axis}[VALUE]"
    return f"axes = {' * '.join([*(pick.axis.name for pick in matrix.axes), axis])}"


def expand(program: hir.Program, sink: Sink) -> Expansion:
    """All variants of *program*, in the order of its matrices."""
    reads = ReadsOf()
    expansion = Expansion()
    for matrix in program.matrices:
        Expander(matrix, program, reads, expansion, sink).run()
    return expansion


class Expander:
    def __init__(
        self,
        matrix: hir.MatrixDef,
        program: hir.Program,
        reads: ReadsOf,
        expansion: Expansion,
        sink: Sink,
    ) -> None:
        self.matrix = matrix
        self.reads = reads
        self.expansion = expansion
        self.sink = sink
        self.positions = {pick.axis.name: i for i, pick in enumerate(matrix.axes)}
        self.projections = Projections(Grid([len(pick.values) for pick in matrix.axes]))
        own = [c for c in matrix.excludes if c.through is None or reads.check(c).fit(matrix)]
        others = (*program.excludes_of.get(matrix.span.file, ()), *program.excludes)
        top = [c for c in others if reads.check(c).fit(matrix)]
        self.bad_names: list[str] = []
        # Whether a name or an exclusion has failed: then no cells mean nothing more.
        self.failed = False
        self.excludes = (*own, *top)
        expansion.excludes[matrix.id] = self.excludes

    def run(self) -> None:
        cells = prod(len(pick.values) for pick in self.matrix.axes)
        if cells > self.matrix.limit:
            self.too_many(cells)
            return
        if self.matrix.single and cells > 1:
            self.sink.error(
                "E404",
                f"variant `{self.matrix.name}` has {cells} cells",
                self.matrix.span,
                "a variant is one cell",
                help="pick one value of each axis, or write a `matrix`",
            )
            return
        parts = self.name_parts()
        remaining = self.remaining()
        whole = joined(parts, self.projections, len(remaining))
        built = Built(self.matrix, self.projections, self.named(remaining, whole), parts, whole)
        self.expansion.variants.add(built)
        self.report_names()
        if not built.cells and not (self.failed or self.bad_names):
            self.empty(cells)

    def too_many(self, cells: int) -> None:
        factors = " × ".join(f"{len(p.values)} {p.axis.name}" for p in self.matrix.axes)
        self.sink.error(
            "E404",
            f"matrix `{self.matrix.name}` has {cells:,} cells",
            self.matrix.span,
            f"over its limit of {self.matrix.limit:,}",
            notes=(factors,),
            help="pick fewer values, or raise the limit: `limit = …` in the matrix",
        )

    def empty(self, cells: int) -> None:
        dropping = [
            (c.span, f"drops {self.expansion.matched.get(id(c), 0)} of {cells}")
            for c in self.excludes
        ]
        self.sink.error(
            "E401",
            f"matrix `{self.matrix.name}` is empty",
            self.matrix.span,
            f"all {cells} cells are excluded",
            others=dropping,
            help="loosen an exclusion, or remove the matrix",
        )

    def projection(self, reads: Reads) -> Projection:
        """What is evaluated once for each combination of the axes that *reads* holds."""
        return self.projections.on([i for name, i in self.positions.items() if name in reads.axes])

    def remaining(self) -> Sequence[int]:
        """The cells that no exclusion drops, in order."""
        grid = self.projections.grid
        matched = self.expansion.matched
        dropped = 0
        for check in self.excludes if grid.cells else ():
            test = Exclusion(check, self)
            drops = test.table()
            count = drops.count(1) * (grid.cells // len(drops))
            matched[id(check)] = matched.get(id(check), 0) + count
            if count:
                dropped |= int.from_bytes(grid.spread(test.projection.axes, drops), "little")
        for check in self.excludes:
            matched.setdefault(id(check), 0)
        kept = dropped.to_bytes(grid.cells, "little").translate(_OTHERWISE)
        return array("L", compress(range(grid.cells), kept))

    def environment(self, indices: tuple[int, ...], sink: Sink | None = None) -> CellEnvironment:
        values = {p.axis.name: p.values[i] for p, i in zip(self.matrix.axes, indices, strict=True)}
        return CellEnvironment(self.matrix, values, self.sink if sink is None else sink)

    # --- names ---------------------------------------------------------------------------

    def name_parts(self) -> list[NamePart]:
        """The name in parts: literal text, and values that no selector may cut."""
        expr = self.matrix.name_expr
        if not isinstance(expr, hir.Text):
            return [NamePart(self.projection(self.reads.expr(expr)), False, self.whole_name)]
        return [self.name_part(part) for part in expr.parts]

    def name_part(self, part: str | hir.Expr) -> NamePart:
        if isinstance(part, str):
            return NamePart(self.projection(NOTHING), False, lambda _: part)
        return NamePart(
            self.projection(self.reads.expr(part)), True, lambda cell: self.name_text(part, cell)
        )

    def whole_name(self, cell: int) -> str | None:
        expr = self.matrix.name_expr
        evaluator = self.evaluator(cell)
        try:
            value = evaluator.value(expr)
            if not isinstance(value, str):
                raise evaluator.fail(
                    "E301", "a name is a string", expr.span, f"this is {show(value)}"
                )
        except Failed:
            return None
        return value

    def name_text(self, part: hir.Expr, cell: int) -> str | None:
        """The text of a value in the name; None after reporting that it has none."""
        evaluator = self.evaluator(cell)
        try:
            value = evaluator.value(part)
            text = kind_text(value)
            if text is None:
                raise evaluator.fail(
                    "E301", "a name is made of text", part.span, f"this is {show(value)}"
                )
        except Failed:
            return None
        return text

    def evaluator(self, cell: int) -> Evaluator:
        environment = self.environment(self.projections.grid.indices(cell))
        return Evaluator(environment, self.sink)

    def named(self, cells: Sequence[int], parts: list[NamePart]) -> Sequence[int]:
        """Those of *cells* that have a name, and one that can be an attribute and a file."""
        good = array("L")
        for batch in batches(self.projections.grid, cells):
            columns = [part.texts(batch) for part in parts]
            if any(None in column for column in columns):
                self.failed = True
            else:
                names = list(map("".join, zip(*columns, strict=True)))
                if are_attribute_names(names):
                    good.extend(batch.cells)
                    self.expansion.hashes.extend(map(hash, names))
                    continue
            for cell, texts in zip(batch.cells, zip(*columns, strict=True), strict=True):
                if None in texts:
                    continue
                name = "".join(texts)
                if is_attribute_name(name):
                    good.append(cell)
                    self.expansion.hashes.append(hash(name))
                else:
                    self.bad_names.append(name)
        return good

    def report_names(self) -> None:
        """One message for all names of this matrix that cannot be one."""
        if not self.bad_names:
            return
        name = self.bad_names[0]
        span = self.matrix.name_expr.span
        help = "letters, digits, `-` and `_`, beginning with a letter or `_`"
        if "." in name:
            help = "a dot would split the Nix attribute: print versions as `{{under(cuda)}}`"
        more = len(self.bad_names) - 1
        alike = (f"and {more} more of its names",) if more else ()
        self.sink.error(
            "E403",
            f"{show(name)[:80]} cannot be a variant's name",
            span,
            "makes this name",
            notes=("names become Nix attributes and file names", *alike),
            help=help,
        )


NIX_KEYWORDS = frozenset(
    {"if", "then", "else", "assert", "with", "let", "in", "rec", "inherit", "or"}
)


def is_attribute_name(name: str) -> bool:
    """Whether *name* can be a bare Nix attribute and the stem of a file: ASCII, no dot."""
    plain = name.replace("-", "").replace("_", "")
    return (
        bool(name)
        and len(name) <= 200
        and name.isascii()
        and (plain.isalnum() or not plain)
        and (name[0].isalpha() or name[0] == "_")
        and name not in NIX_KEYWORDS
    )


def are_attribute_names(names: Sequence[str]) -> bool:
    """Whether each of *names* is one: they are looked at all together."""
    if not names or "" in names:
        return False
    together = "".join(names)
    plain = together.replace("-", "").replace("_", "")
    return (
        together.isascii()
        and (plain.isalnum() or not plain)
        and "".join([name[0] for name in names]).replace("_", "a").isalpha()
        and max(map(len, names)) <= 200
        and NIX_KEYWORDS.isdisjoint(names)
    )


# Turns the bytes 0 and 1 round.
_OTHERWISE = bytes([1]) + bytes(255)
