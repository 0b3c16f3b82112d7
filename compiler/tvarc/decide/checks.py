"""Checks on decided variants: `require`, `warn`, and declarations without an effect."""

from __future__ import annotations

from tvarc.decide import messages as msg
from tvarc.decide.decide import Deciding
from tvarc.light import Iterable, Sequence, dataclass, field
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.expand import Expansion
from tvarc.meaning import hir
from tvarc.meaning.budget import COST_OF_CHECK
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.warning_names import JUDGED
from tvarc.text.source import ElseSpan
from tvarc.values.value import show

LISTED = 6


@dataclass(slots=True)
class Finding:
    """A check that fails for some variants. `operands` are the values of its operands in the first
    one."""

    check: hir.Check
    operands: tuple[str, ...]
    count: int = 0
    first: list[str] = field(default_factory=list)  # the first few variants

    def add(self, names: Sequence[str]) -> None:
        self.count += len(names)
        self.first += names[: LISTED - len(self.first)]


class Checks:
    """Runs checks variant by variant and reports each once."""

    __slots__ = ("findings", "fitting", "off", "reads", "silenced")

    def __init__(self, off: tuple[hir.WarnOff, ...], reads: Dependencies) -> None:
        self.findings: dict[int, Finding] = {}
        self.off = {item.name for item in off}
        self.silenced: set[str] = set()
        # The checks at top level whose axes a matrix has, by the id of the matrix.
        self.fitting: dict[str, list[hir.Check]] = {}
        self.reads = reads

    def begin(self) -> None:
        """Drop all findings, before all checks are run again."""
        self.findings.clear()
        self.silenced.clear()

    def run(
        self, own: Iterable[hir.Check], anywhere: Iterable[hir.Check], deciding: Deciding
    ) -> None:
        """Run the checks of the variant's recipe, *own*. Also run the checks of *anywhere* whose
        axes are all in the matrix."""
        for check in (*own, *self.fits(anywhere, deciding.matrix)):
            if self.fails(check, deciding):
                self.found(check, deciding, (deciding.variant,))

    def fits(self, anywhere: Iterable[hir.Check], matrix: hir.MatrixDef) -> list[hir.Check]:
        """The checks at top level whose axes are all in *matrix*."""
        fitting = self.fitting.get(matrix.id)
        if fitting is None:
            fitting = [check for check in anywhere if self.reads.check(check).fit(matrix)]
            self.fitting[matrix.id] = fitting
        return fitting

    def fails(self, check: hir.Check, deciding: Deciding) -> bool:
        """Whether *check* fails, so that it is reported. False also if its evaluation failed, which
        is already reported."""
        try:
            if not deciding.holds(check.conditions):
                return False
            shared = deciding.shared
            shared.charge(COST_OF_CHECK, shared.total.subject, check.expr.span)
            held = deciding.evaluator().truth(check.expr, check.kind)
        except Failed:
            return False
        if held is (check.kind == "require"):
            return False
        if check.kind == "warn" and check.name in self.off:
            self.silenced.add(check.name)
            return False
        return True

    def found(self, check: hir.Check, deciding: Deciding, names: Sequence[str]) -> None:
        """Note that *check* fails for the variants with these *names*. *deciding* is the first of
        them."""
        finding = self.findings.get(id(check))
        if finding is None:
            finding = self.findings[id(check)] = Finding(
                check, operand_values(check.expr, deciding)
            )
        finding.add(names)

    def report(self, sink: Sink) -> None:
        if not self.findings:
            return
        from tvarc.text.diagnostics.words import counted

        for found in self.findings.values():
            check, count = found.check, found.count
            listed = ", ".join(found.first) + (" …" if count > LISTED else "")
            reason = f": {check.because}" if check.because else ""
            where = f"in {found.first[0]}: " if count > 1 else ""
            warning = check.kind == "warn"
            sink.report(
                msg.checks.HOLDS if warning else msg.checks.NOT_MET,
                check.span,
                notes=[where + operand for operand in found.operands],
                name=check.name,
                reason=reason,
                count=counted(count, "variant"),
                listed=listed,
            )


def operand_values(expr: hir.Expr, deciding: Deciding) -> tuple[str, ...]:
    """`text = value` for each operand of a condition, in order, without duplicates."""
    from tvarc.meaning.evaluation.operands import operands  # only a message needs it

    found = operands(expr, deciding.evaluator(Sink()).value)
    return tuple(f"{one.text} = {show(one.value)[:100]}" for one in found)


@dataclass(frozen=True, slots=True)
class Effects:
    """The declarations with an effect on variants.

    - `held`: the conditions that held for a variant, and `read`: the flags that were read, both by
      identity.
    - `used`: the ids of overlays in effect.
    - `silenced`: the names of warnings that are off and would have been reported.
    - `inputs`: the names of inputs whose files are used.
    - `unread`: the needs that nothing reads.
    """

    held: set[int]
    read: set[int]
    used: set[str]
    silenced: set[str]
    inputs: set[str]
    unread: Sequence[hir.Write]


def idle(
    program: hir.Program,
    expansion: Expansion,
    conditions: Sequence[hir.Condition],
    flags: Sequence[hir.FlagDef],
    effects: Effects,
    sink: Sink,
) -> None:
    """Report declarations of the entry file that have no effect on any variant. *conditions* and
    *flags* are those of recipes and overlays."""
    if not program.matrices:
        return  # a library: the programs that use it decide what has an effect
    idle_exclusions(program, expansion, sink)
    written = (*program.conditions, *conditions)
    _idle_conditions([one for one in written if one.span.file == program.file], effects, sink)
    _idle_overlays(program, effects, sink)
    _idle_mixins(program, sink)
    _idle_flags([one for one in flags if one.span.file == program.file], effects, sink)
    _idle_inputs(program, effects, sink)
    _idle_needs([one for one in effects.unread if one.span.file == program.file], sink)
    _idle_silences(program, effects, sink)


def _idle_conditions(conditions: Sequence[hir.Condition], effects: Effects, sink: Sink) -> None:
    for condition in conditions:
        if id(condition) not in effects.held:
            behind = isinstance(condition.span, ElseSpan)
            sink.report(
                msg.checks.ELSE_FOR_NONE if behind else msg.checks.HOLDS_FOR_NONE, condition.span
            )


def _idle_overlays(program: hir.Program, effects: Effects, sink: Sink) -> None:
    for overlay in program.overlays:
        if overlay.span.file == program.file and overlay.id not in effects.used:
            sink.report(
                msg.checks.UNUSED_PATCH if overlay.patch else msg.checks.UNUSED_OVERLAY,
                overlay.span,
                name=overlay.name,
            )


def _idle_mixins(program: hir.Program, sink: Sink) -> None:
    own = [one for one in program.recipes if one.noun == "mixin" and one.span.file == program.file]
    used = {link.id for recipe in program.recipes for link in recipe.chain()[:-1]} if own else ()
    for mixin in own:
        if mixin.id not in used:
            sink.report(msg.checks.UNUSED_MIXIN, mixin.span, name=mixin.name)


def _idle_flags(flags: Sequence[hir.FlagDef], effects: Effects, sink: Sink) -> None:
    for flag in flags:
        if id(flag) not in effects.read:
            sink.report(msg.checks.UNREAD_FLAG, flag.span, flag=flag.name)


def _idle_inputs(program: hir.Program, effects: Effects, sink: Sink) -> None:
    for source in program.inputs:
        if source.span.file == program.file and source.name not in effects.inputs:
            sink.report(msg.checks.UNUSED_INPUT, source.span, source=source.name)


def _idle_needs(unread: Sequence[hir.Write], sink: Sink) -> None:
    for write in unread:
        name = write.path[1]
        sink.report(msg.checks.UNREAD_NEED, write.span, name=name)


def _idle_silences(program: hir.Program, effects: Effects, sink: Sink) -> None:
    for off in program.warn_off:
        if (
            off.span.file == program.file
            and off.name not in effects.silenced
            and off.name not in JUDGED
        ):
            refuse_idle_silence(off, sink)


def refuse_idle_silence(off: hir.WarnOff, sink: Sink) -> None:
    """Report that the warning that *off* silences does not occur."""
    sink.report(msg.checks.NO_SUCH_WARNING, off.span, off=off.name)


def idle_exclusions(program: hir.Program, expansion: Expansion, sink: Sink) -> None:
    """Report the exclusions of the entry file that drop nothing. Those of a module are reported
    together, because a library may exclude cells that this program does not have."""
    lines: dict[hir.Check | hir.ExcludeModule, list[hir.Check]] = {}
    for check in (*program.excludes, *(c for m in program.matrices for c in m.excludes)):
        if not check.need:  # a need may exist today and be missing later
            lines.setdefault(check.through or check, []).append(check)
    for line, checks in lines.items():
        if line.span.file != program.file:
            continue
        if isinstance(line, hir.Check) and line.includes:
            for one in line.includes:
                if id(one) not in expansion.held:
                    sink.report(msg.checks.INCLUDES_NOTHING, one.span)
            continue
        if any(expansion.matched.get(id(check)) for check in checks):
            continue
        from tvarc.meaning.evaluation.foreign_values import axes_of, foreign_in

        applies = any(id(check) in expansion.matched for check in checks)
        if isinstance(line, hir.ExcludeModule):
            sink.report(
                msg.checks.MODULE_DROPS_NOTHING,
                line.span,
                notes=[_idle_note(line.module, len(checks), applies=applies)],
            )
            continue
        never = [
            f"`{one.axis}` is never `{one.name}`: {one.told}"
            for one in foreign_in(line.expr, axes_of(program.matrices))
        ]
        sink.report(
            msg.checks.DROPS_NOTHING if applies else msg.checks.APPLIES_TO_NOTHING,
            line.span,
            notes=never,
        )


def _idle_note(module: str, count: int, *, applies: bool) -> str:
    if count == 1:
        why = "does not hold for any cell" if applies else "names axes that no matrix has"
        return f"the only exclusion of `{module}` {why}"
    what = f"of the {count} exclusions of `{module}`"
    return f"none {what} holds for any cell" if applies else f"no matrix has the axes of any {what}"
