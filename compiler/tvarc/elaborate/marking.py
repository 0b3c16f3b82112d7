"""What a line of source reaches, marked in the pieces that many variants share.

Each piece is decided for one variant of those that share it; what the line reaches of that is
changed, as `reach` does of a whole variant. Printed beside the same pieces unchanged, the lines
that differ are those that are reached.
"""

from __future__ import annotations

from tvarc import ir
from tvarc.elaborate.decide import Deciding
from tvarc.elaborate.elaborate import Elaboration
from tvarc.elaborate.holes import Hole, Holed
from tvarc.elaborate.marks import TWINS, marked_text
from tvarc.elaborate.plan import GroupKey, Plan
from tvarc.elaborate.reach import Place, Reach
from tvarc.elaborate.trace import Trace
from tvarc.light import Sequence
from tvarc.sema import hir
from tvarc.sema.kinds import children
from tvarc.source import SourceMap, Span
from tvarc.values import Value


class Marking:
    """Marks what one line reaches. `whole` says that overlays were reached as a whole in the
    recipe that was marked last."""

    __slots__ = ("heads", "sources", "target", "whole")

    def __init__(self, sources: SourceMap, target: Place, heads: Sequence[Span]) -> None:
        self.sources = sources
        self.target = target
        self.heads = heads
        self.whole = False

    def touches(self, span: Span) -> bool:
        """Whether something at *span* stands on the line."""
        source = self.sources.get(span.file)
        if source is None or span.file != self.target[0]:
            return False
        first, last = source.position(span.start).line, source.position(span.end).line
        return first <= self.target[1] <= last

    def reach(self, elaboration: Elaboration, deciding: Deciding) -> Reach:
        used = {overlay.span for overlay in elaboration.program.overlays}
        trace = Trace.of(elaboration, deciding, used, self.sources)
        return Reach(trace, self.target, self.heads)

    def used(self, elaboration: Elaboration, deciding: Deciding) -> Reach:
        """With the overlays alone that are in effect."""
        used = {overlay.declared for overlay in elaboration.overlays.decide(deciding)}
        trace = Trace.of(elaboration, deciding, used, self.sources)
        return Reach(trace, self.target, self.heads)

    def recipe(self, elaboration: Elaboration, deciding: Deciding, recipe: ir.Recipe) -> ir.Recipe:
        reach = self.reach(elaboration, deciding)
        changed = reach.recipe(recipe)
        self.whole = bool(reach.overlays)
        return changed

    def setting(
        self, elaboration: Elaboration, deciding: Deciding, setting: ir.Setting
    ) -> ir.Setting:
        return self.reach(elaboration, deciding).setting(setting)

    def script(self, elaboration: Elaboration, deciding: Deciding, script: ir.Script) -> ir.Script:
        return self.reach(elaboration, deciding).script(script)

    def overlays(
        self, elaboration: Elaboration, deciding: Deciding, overlays: tuple[ir.Overlay, ...]
    ) -> tuple[tuple[ir.Overlay, ...], list[int]]:
        """The overlays, and the numbers of those that are reached as a whole."""
        reach = self.reach(elaboration, deciding)
        made = reach.listed(overlays, deciding.decide(("overlays", "")))
        return made, reach.overlays

    def text(self, elaboration: Elaboration, deciding: Deciding, expr: hir.Expr, text: str) -> str:
        """The text of a hole, of which *expr* is what is written."""
        reach = self.reach(elaboration, deciding)
        return marked_text(text) if reach.reads_beneath(expr) else text

    def solid(self, plan: Plan) -> set[GroupKey]:
        """The groups that have to do without holes: there a `let` stands on the line, and what
        it is would stand in its place."""
        found: set[GroupKey] = set()
        for group, written in plan.groups.items():
            if any(self._names_let(placed.write.value) for placed in written):
                found.add(group)
        return found

    def _names_let(self, expr: hir.Expr) -> bool:
        if isinstance(expr, hir.LetRef):
            let = expr.target
            return (
                self._on_line(expr.span)
                or self._on_line(let.span)
                or (let.expr is not None and self._names_let(let.expr))
            )
        return not isinstance(expr, hir.Text) and any(map(self._names_let, children(expr)))

    def _on_line(self, span: Span) -> bool:
        source = self.sources.get(span.file)
        return source is not None and self.target == (
            span.file, source.position(span.start).line
        )  # fmt: skip

    def label(self, value: Value, span: Span, elaboration: Elaboration, at: Deciding) -> Value:
        """The value of an axis as the head of a file tells it."""
        return self.reach(elaboration, at).axis(ir.AxisValue("", value, span)).value

    def twins(self, holed: Holed) -> Holed:
        """*holed*, whose holes may be marked as any other letter: then another character stands
        for them."""
        twins = {
            chr(ord(char) - TWINS): Hole(chr(ord(char) - TWINS), hole.expr, hole.axes, hole.whole)
            for char, hole in holed.holes.items()
        }
        return Holed(holed.plan, {**holed.holes, **twins})
