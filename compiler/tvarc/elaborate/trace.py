"""Ask the elaboration of one variant again, and note what each value is made of.

Nothing of this is kept while variants are decided: it is made for the few that are asked about.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.diagnostics.model import Sink
from tvarc.elaborate.decide import Deciding
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.lines import TextLine, lines_of
from tvarc.elaborate.merge import strength_of
from tvarc.light import Iterable, Iterator, dataclass
from tvarc.matrix.variants import Variant
from tvarc.sema import hir
from tvarc.sema.evaluate import Evaluator
from tvarc.sema.failed import Failed
from tvarc.sema.operands import operands
from tvarc.source import SourceMap, Span
from tvarc.traced import FactRead, Held, Reads
from tvarc.values import MISSING, Missing, RowValue, Value, same


@dataclass(frozen=True, slots=True)
class Written:
    """A write of the program, whose body it stands in, and how deep in the recipe chain."""

    write: hir.Write | hir.PartWrite
    whose: str
    depth: int
    deciding: Deciding

    @property
    def expr(self) -> hir.Expr | None:
        return self.write.text if isinstance(self.write, hir.PartWrite) else self.write.value

    @property
    def rank(self) -> tuple[int, int, bool]:
        return (strength_of(self.write.strength), self.depth, bool(self.write.conditions))

    def standing(self) -> str:
        """`recipe torch's `=``, `recipe torch's `=` under a condition`, and the like."""
        op = self.write.op if isinstance(self.write, hir.Write) else "part"
        word = {"default": f"default {op}", "force": f"force {op}"}.get(self.write.strength, op)
        under = " under a condition" if self.write.conditions else ""
        return f"{self.whose}'s `{word}`{under}"


class Trace:
    """Answers for one variant of an elaboration; see `tvarc.traced.Why`."""

    def __init__(
        self, elaboration: Elaboration, variant: Variant, recipe: ir.Recipe, sources: SourceMap
    ) -> None:
        silent = elaboration.silent()
        silent.shared.hashes = elaboration.shared.hashes
        self.sources = sources
        self.deciding = silent.deciding(variant)
        self.written: dict[Span, Written] = {}
        for one in (*_overlays(silent, recipe, self.deciding), *_settings(silent, self.deciding)):
            self.written.setdefault(one.write.span, one)

    def conditions(self, origin: ir.Origin) -> tuple[Held, ...]:
        written = self.written.get(origin.span)
        if written is None:
            return ()
        found: list[Held] = []
        for condition in written.write.conditions:
            noting = Noting(written.deciding)
            asked = operands(condition.expr, noting.evaluator.value)
            pairs = tuple((one.text, one.value) for one in asked)
            found.append(Held(condition.span, pairs, noting.reads()))
        return tuple(found)

    def reads(
        self, origin: ir.Origin, value: Value | Missing = MISSING, line: int | None = None
    ) -> Reads:
        written = self.written.get(origin.span)
        if written is None or written.expr is None:
            return Reads()
        noting = Noting(written.deciding)
        if line is not None:
            lines = self.lines(written)
            noting.look(lines[line].exprs if line < len(lines) else ())
        elif isinstance(value, Missing):
            noting.look((written.expr,))
        else:
            noting.look((element_expr(written.expr, value, written.deciding),))
        return noting.reads()

    def rank(self, winner: ir.Origin, loser: ir.Origin) -> str:
        best, other = self.written.get(winner.span), self.written.get(loser.span)
        if best is None or other is None or best.write.span == other.write.span:
            return ""
        op = other.write.op if isinstance(other.write, hir.Write) else "="
        over = best.rank > other.rank if op == "=" else best.depth > other.depth
        return f"{best.standing()} over {other.standing()}" if over else ""

    def line(self, origin: ir.Origin, number: int) -> Span:
        written = self.written.get(origin.span)
        lines = self.lines(written) if written is not None else ()
        return lines[number].span if number < len(lines) else origin.span

    def lines(self, written: Written) -> tuple[TextLine, ...]:
        """The lines of a text; empty where it cannot be told how it is made."""
        if written.expr is None:
            return ()
        evaluator = Noting(written.deciding).evaluator
        return lines_of(written.expr, evaluator, self.sources)


def element_expr(expr: hir.Expr, value: Value, deciding: Deciding) -> hir.Expr:
    """What in *expr* makes the element *value* of its list; all of it where that is not plain."""
    if isinstance(expr, hir.LetRef) and expr.target.expr is not None:
        return element_expr(expr.target.expr, value, deciding)
    if not isinstance(expr, hir.ListOf):
        return expr
    evaluator = deciding.evaluator(Sink())
    for item in expr.items:
        inner = item.value if isinstance(item, hir.Spread) else item
        try:
            made = evaluator.value(inner)
        except Failed:
            continue
        several = isinstance(item, hir.Spread) and isinstance(made, tuple)
        if any(same(one, value) for one in (made if several else (made,))):  # type: ignore[union-attr]
            return inner
    return expr


class Noting:
    """The environment of one look at an expression: what its values come from is noted."""

    def __init__(self, deciding: Deciding) -> None:
        self.deciding = deciding
        self.facts: dict[tuple[str, str, str], FactRead] = {}
        self.settings: dict[hir.Path, hir.SettingRef] = {}
        self.lets: dict[str, tuple[hir.LetDef, Value]] = {}
        # What was evaluated, without what it is within; and the rows that were read as themselves.
        self.spans: list[Span] = []
        self.axes: dict[str, Value] = {}
        self.evaluator = _Evaluator(self)

    def look(self, exprs: Iterable[hir.Expr]) -> None:
        """Note what *exprs* read; those that have no value are reported elsewhere."""
        for expr in exprs:
            try:
                self.evaluator.value(expr)
            except Failed:
                continue

    def reads(self) -> Reads:
        names = tuple(".".join(path) for path in self.settings)
        return Reads(tuple(self.facts.values()), names)

    # --- what expressions may ask for ----------------------------------------------------

    def axis(self, ref: hir.AxisRef) -> Value:
        return self.deciding.axis(ref)

    def setting(self, ref: hir.SettingRef) -> Value:
        self.settings.setdefault(ref.path, ref)
        return self.deciding.setting(ref)

    def let(self, ref: hir.LetRef) -> Value:
        target = ref.target
        if target.expr is None:
            raise Failed
        known = self.lets.get(target.id)
        if known is None:  # evaluated here, not taken from what is remembered: its reads count
            known = self.lets[target.id] = (target, self.evaluator.value(target.expr))
        return known[1]

    def field(self, ref: hir.FieldRef) -> Value:
        return self.deciding.field(ref)

    def fact(self, row: RowValue, name: str) -> None:
        fact = row.facts.get(name)
        if fact is None:
            return
        sources, mark = row.facts.get("sources"), row.facts.get("mark")
        listed = sources.value if sources is not None and isinstance(sources.value, tuple) else ()
        self.facts.setdefault(
            (row.table, row.name, name),
            FactRead(
                row.table.rpartition("::")[2],
                row.name,
                name,
                fact.value,
                fact.span,
                tuple(one for one in listed if isinstance(one, str)),
                mark.value if mark is not None and isinstance(mark.value, str) else "",
            ),
        )


_LEAVES = (
    hir.Const, hir.Text, hir.AxisRef, hir.LetRef, hir.SettingRef, hir.Member, hir.NixRoot,
    hir.NixCode,
)  # fmt: skip


class _Evaluator(Evaluator):
    __slots__ = ("noting",)

    def __init__(self, noting: Noting) -> None:
        super().__init__(noting, Sink(), noting.deciding.shared.hashes)
        self.noting = noting

    def value(self, expr: hir.Expr) -> Value:
        if isinstance(expr, _LEAVES):
            self.noting.spans.append(expr.span)
        if isinstance(expr, hir.Member) and isinstance(expr.base, hir.AxisRef):
            # A fact of it is read, not which one it is.
            return self.member(self.noting.axis(expr.base), expr.name, expr.name_span)
        found = super().value(expr)
        if isinstance(expr, hir.AxisRef):
            self.noting.axes[expr.axis] = found
        return found

    def member(self, base: Value, name: str, span: Span) -> Value:
        if isinstance(base, RowValue):
            self.noting.fact(base, name)
        return super().member(base, name, span)


def _settings(elaboration: Elaboration, deciding: Deciding) -> Iterator[Written]:
    """What is written for a variant: by its recipes, its matrix, its pin, the command line."""
    plan, matrix = deciding.plan, deciding.matrix
    chain = matrix.recipe.chain()
    names = {depth: f"recipe {recipe.name}" for depth, recipe in enumerate(chain, start=1)}
    names[len(chain) + 1] = f"{'variant' if matrix.single else 'matrix'} {matrix.name}"
    for group in plan.groups.values():
        for placed in group:
            whose = names.get(placed.depth, "the command line")
            yield Written(placed.write, whose, placed.depth, deciding)
    for parts in plan.scripts.values():
        for part in parts:
            yield Written(part.write, names[part.depth], part.depth, deciding)
    for flag, depth in plan.flags.values():
        write = hir.Write(
            ("flag", flag.name), "=", flag.default, "default", (), flag.because, flag.layer,
            flag.span,
        )  # fmt: skip
        yield Written(write, names[depth], depth, deciding)
    try:
        pin = elaboration.pins.get(deciding.pin_id() or "")
    except Failed:
        pin = None
    for write in (*pin.fields.values(), *pin.config) if pin is not None else ():
        yield Written(write, f"pin {pin.name if pin is not None else ''}", 0, deciding)


def _overlays(elaboration: Elaboration, recipe: ir.Recipe, deciding: Deciding) -> Iterator[Written]:
    """What the overlays in effect write."""
    used = {overlay.declared for overlay in recipe.overlays}
    for overlay in elaboration.program.overlays:
        if overlay.span not in used:
            continue
        plan = elaboration.overlays.plan(overlay, deciding.matrix)
        inner = Deciding(
            plan, deciding.shared, deciding.matrix, deciding.variant, deciding.values, overlay.name
        )
        whose = f"{'patch' if overlay.patch else 'overlay'} {overlay.name}"
        for group in plan.groups.values():
            for placed in group:
                yield Written(placed.write, whose, placed.depth, inner)
        for parts in plan.scripts.values():
            for part in parts:
                yield Written(part.write, whose, part.depth, inner)
