"""Checks on decided variants: `require`, `warn`, and what touches nothing."""

from __future__ import annotations

from tvarc.decide.decide import Deciding
from tvarc.light import Iterable, Sequence, dataclass, field
from tvarc.matrix.dependencies import Dependencies
from tvarc.matrix.expand import Expansion
from tvarc.meaning import hir
from tvarc.meaning.evaluation.operands import operands
from tvarc.text.diagnostics.model import Diagnostic, Failed, Label, Severity, Sink
from tvarc.text.diagnostics.warning_names import JUDGED
from tvarc.values.value import show

LISTED = 6


@dataclass(slots=True)
class Finding:
    """A check that fails for some variants: the values of its operands in the first of them."""

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
        # Of the checks at top level, those that each matrix has the axes of.
        self.fitting: dict[str, list[hir.Check]] = {}
        self.reads = reads

    def run(
        self, own: Iterable[hir.Check], anywhere: Iterable[hir.Check], deciding: Deciding
    ) -> None:
        """The checks of the variant's recipe (*own*), and of *anywhere* those of which it has
        all the axes."""
        for check in (*own, *self.fits(anywhere, deciding.matrix)):
            if self.fails(check, deciding):
                self.found(check, deciding, (deciding.variant,))

    def fits(self, anywhere: Iterable[hir.Check], matrix: hir.MatrixDef) -> list[hir.Check]:
        """Of the checks at top level those of which *matrix* has all the axes."""
        fitting = self.fitting.get(matrix.id)
        if fitting is None:
            fitting = [check for check in anywhere if self.reads.check(check).fit(matrix)]
            self.fitting[matrix.id] = fitting
        return fitting

    def fails(self, check: hir.Check, deciding: Deciding) -> bool:
        """Whether there is something to report; what fails to be evaluated has been."""
        try:
            if not deciding.holds(check.conditions):
                return False
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
        """Note that *check* fails for the variants with these *names*, *deciding* the first."""
        finding = self.findings.get(id(check))
        if finding is None:
            finding = self.findings[id(check)] = Finding(
                check, operand_values(check.expr, deciding)
            )
        finding.add(names)

    def report(self, sink: Sink) -> None:
        for found in self.findings.values():
            check, count = found.check, found.count
            listed = ", ".join(found.first) + (" …" if count > LISTED else "")
            reason = f": {check.because}" if check.because else ""
            where = f"in {found.first[0]}: " if count > 1 else ""
            values = [where + operand for operand in found.operands]
            notes = (f"for {count} variant{'s' if count > 1 else ''}: {listed}", *values)
            if check.kind == "warn":
                sink.add(
                    Diagnostic(
                        "W001",
                        f"{check.name}{reason}",
                        (Label(check.span, "this holds", True),),
                        notes,
                        f'change these variants, or write `warn {check.name} = off because "…"`',
                        Severity.WARNING,
                        check.name,
                    )
                )
            else:
                sink.add(
                    Diagnostic(
                        "E405",
                        f"a requirement is not met{reason}",
                        (Label(check.span, "does not hold", True),),
                        notes,
                        "change the settings, or drop these cells with `exclude`",
                    )
                )


def operand_values(expr: hir.Expr, deciding: Deciding) -> tuple[str, ...]:
    """`text = value` for each thing that a condition asks about, in order, each once."""
    found = operands(expr, deciding.evaluator(Sink()).value)
    return tuple(f"{one.text} = {show(one.value)[:100]}" for one in found)


@dataclass(frozen=True, slots=True)
class Effects:
    """What had an effect on variants: the conditions that `held` for one and the flags that
    something read, by identity; the ids of overlays that are `used`; the warnings that were
    `silenced`, and had something to warn of; the `inputs` that files were taken of. `unread` are
    the needs that nothing reads."""

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
    """Report what the entry file declares and no variant is touched by; *conditions* and *flags*
    are those of recipes and overlays."""
    if not program.matrices:
        return  # a library: its users say what it is for
    idle_exclusions(program, expansion, sink)
    written = (*program.conditions, *conditions)
    _idle_conditions([one for one in written if one.span.file == program.file], effects, sink)
    _idle_overlays(program, effects, sink)
    _idle_flags([one for one in flags if one.span.file == program.file], effects, sink)
    _idle_inputs(program, effects, sink)
    _idle_needs([one for one in effects.unread if one.span.file == program.file], sink)
    _idle_silences(program, effects, sink)


def _idle_conditions(conditions: Sequence[hir.Condition], effects: Effects, sink: Sink) -> None:
    for condition in conditions:
        if id(condition) not in effects.held:
            sink.error(
                "E602",
                "this condition holds for no variant",
                condition.span,
                "never true",
                notes=("the settings in its braces have no effect",),
                help="remove it, or correct the condition",
            )


def _idle_overlays(program: hir.Program, effects: Effects, sink: Sink) -> None:
    for overlay in program.overlays:
        if overlay.span.file == program.file and overlay.id not in effects.used:
            kind, code = ("patch", "E604") if overlay.patch else ("overlay", "E603")
            sink.error(
                code,
                f"no variant uses {kind} `{overlay.name}`",
                overlay.span,
                "never applied",
                help=f"list it in a recipe: `overlays += [{overlay.name}]`, or remove it",
            )


def _idle_flags(flags: Sequence[hir.FlagDef], effects: Effects, sink: Sink) -> None:
    for flag in flags:
        if id(flag) not in effects.read:
            sink.error(
                "E605",
                f"nothing reads flag `{flag.name}`",
                flag.span,
                "this has no effect",
                help=f"read it, `when {flag.name} {{ … }}`, or remove it",
            )


def _idle_inputs(program: hir.Program, effects: Effects, sink: Sink) -> None:
    for source in program.inputs:
        if source.span.file == program.file and source.name not in effects.inputs:
            sink.error(
                "E608",
                f"no variant uses input `{source.name}`",
                source.span,
                "never used",
                help=f'use a file of it, `file({source.name}, "…")`, or remove it',
            )


def _idle_needs(unread: Sequence[hir.Write], sink: Sink) -> None:
    for write in unread:
        name = write.path[1]
        sink.error(
            "E609",
            f"nothing reads `needs.{name}`",
            write.span,
            "this has no effect",
            help=f"pass it to the package, `args {{ {name} = needs.{name} }}`, or remove it",
        )


def _idle_silences(program: hir.Program, effects: Effects, sink: Sink) -> None:
    for off in program.warn_off:
        if (
            off.span.file == program.file
            and off.name not in effects.silenced
            and off.name not in JUDGED
        ):
            refuse_idle_silence(off, sink)


def refuse_idle_silence(off: hir.WarnOff, sink: Sink) -> None:
    """Report that the warning which *off* silences does not occur."""
    sink.error(
        "E606",
        f"warning `{off.name}` does not occur",
        off.span,
        "nothing to silence",
        help="remove this line",
    )


def idle_exclusions(program: hir.Program, expansion: Expansion, sink: Sink) -> None:
    """Report the exclusions of the entry file that drop nothing; those of a module together, since
    a library may speak of more than one program has."""
    lines: dict[hir.Check | hir.ExcludeModule, list[hir.Check]] = {}
    for check in (*program.excludes, *(c for m in program.matrices for c in m.excludes)):
        if not check.need:  # what it needs may be there today
            lines.setdefault(check.through or check, []).append(check)
    for line, checks in lines.items():
        if line.span.file != program.file:
            continue
        if any(expansion.matched.get(id(check)) for check in checks):
            continue
        from tvarc.meaning.evaluation.foreign_values import axes_of, foreign_in

        applies = any(id(check) in expansion.matched for check in checks)
        if isinstance(line, hir.ExcludeModule):
            notes: tuple[str, ...] = (_idle_note(line.module, len(checks), applies=applies),)
            help = "remove it, or give a matrix the axes and values that the module names"
        else:
            notes = () if applies else ("no matrix has all the axes that it names",)
            notes += tuple(
                f"`{one.axis}` is never `{one.name}`: {one.told}"
                for one in foreign_in(line.expr, axes_of(program.matrices))
            )
            help = "remove it, or correct the condition"
        sink.error(
            "E601",
            "this `exclude` drops nothing",
            line.span,
            "no cell matches",
            notes=notes,
            help=help,
        )


def _idle_note(module: str, count: int, *, applies: bool) -> str:
    if count == 1:
        why = "does not hold for any cell" if applies else "names axes that no matrix has"
        return f"the only exclusion of `{module}` {why}"
    what = f"of the {count} exclusions of `{module}`"
    return f"none {what} holds for any cell" if applies else f"no matrix has the axes of any {what}"
