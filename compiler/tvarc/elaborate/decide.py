"""Decide settings: which writes hold for a variant, their values, and how they merge."""

from __future__ import annotations

from tvarc import ir
from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.elaborate.merge import (
    EMPTY,
    NOTHING,
    OWN,
    Candidate,
    Ground,
    choose,
    combine,
    strength_of,
)
from tvarc.elaborate.plan import GroupKey, Placed, Plan, group_of
from tvarc.elaborate.records import settle
from tvarc.elaborate.scripts import decide_script, script_text
from tvarc.light import Callable, Iterable, TypeVar, cast, dataclass, field
from tvarc.lock.book import Hashes
from tvarc.matrix.expand import axis_value, recipe_value
from tvarc.matrix.reads import ReadsOf
from tvarc.sema import hir
from tvarc.sema.evaluate import Evaluator
from tvarc.sema.facts import fits
from tvarc.sema.failed import Failed
from tvarc.sema.scope import BLOCKS
from tvarc.values import NONE, DeclValue, NixCall, Record, Value, show, type_name

GROUNDS: dict[str, Ground] = {
    "config": EMPTY,
    "overlays": EMPTY,
    "args": NOTHING,
    "flag": NOTHING,
    "package": NOTHING,
    "pin": NOTHING,
}


REMEMBERED = 1 << 14
"""So many values of a `let` or decisions of a setting are remembered at once: what has more would
fill the memory with what is not asked for again."""


@dataclass(slots=True)
class Shared:
    """What all variants share: remembered decisions, the hashes of what they fetch, and which
    conditions ever held."""

    sink: Sink
    reads: ReadsOf
    hashes: Hashes = field(default_factory=Hashes)
    held: set[int] = field(default_factory=set)
    lets: dict[tuple[str, str, tuple[Value, ...]], Value] = field(default_factory=dict)
    # What was decided of a group of a plan, by the values of the axes that it depends on.
    decided: dict[tuple[Plan, GroupKey], dict[tuple[Value, ...], object]] = field(
        default_factory=dict
    )


class _Mark:
    """Stands for a decision that failed, or that has not been made."""


_FAILED, _UNDECIDED = _Mark(), _Mark()
T = TypeVar("T")


class Deciding:
    """The settings of one variant under one plan; also what its expressions may read.

    `overlay` names the overlay that the plan is of: it is made before the recipe's settings
    are, and cannot read them.
    """

    __slots__ = ("matrix", "open", "overlay", "plan", "shared", "values", "variant")

    def __init__(
        self,
        plan: Plan,
        shared: Shared,
        matrix: hir.MatrixDef,
        variant: str,
        values: dict[str, Value],
        overlay: str = "",
    ) -> None:
        self.overlay = overlay
        self.plan = plan
        self.shared = shared
        self.matrix = matrix
        self.variant = variant
        self.values = values
        self.open: list[GroupKey] = []

    @property
    def sink(self) -> Sink:
        return self.shared.sink

    # --- what expressions may read -------------------------------------------------------

    def axis(self, ref: hir.AxisRef) -> Value:
        return axis_value(ref, self.values, self.matrix, self.shared.sink)

    def let(self, ref: hir.LetRef) -> Value:
        target = ref.target
        if target.expr is None:
            raise Failed
        reads = self.shared.reads.let(target)
        if reads.settings:
            return self.evaluator().value(target.expr)
        key = (target.id, self.matrix.id, self.key(reads.axes))
        known = self.shared.lets
        if key not in known:
            value = self.evaluator().value(target.expr)
            if len(known) >= REMEMBERED:
                known.clear()
            known[key] = value
        return known[key]

    def field(self, ref: hir.FieldRef) -> Value:
        raise Failed

    def setting(self, ref: hir.SettingRef) -> Value:
        match ref.path:
            case ("variant",):
                return self.variant
            case ("recipe",):
                return recipe_value(self.matrix.recipe)
            case ("matrix",):
                return DeclValue("matrix", self.matrix.name, self.matrix.id)
            case _ if self.overlay:
                self.shared.sink.error(
                    "E302",
                    f"overlay `{self.overlay}` cannot read `{'.'.join(ref.path)}`",
                    ref.span,
                    "a setting of the recipe",
                    notes=("overlays change nixpkgs before the recipe takes its package",),
                    help="read axes and plain `let`s",
                )
                raise Failed
            case ("script", name):
                return self.read_script(name, ref)
            case _:
                return self.read(ref)

    def read(self, ref: hir.SettingRef) -> Value:
        setting = self.decide(group_of(ref.path), ref)
        if setting is None:
            raise self.unset(ref)
        if setting.extends or setting.head is not None:
            self.shared.sink.error(
                "E302",
                f"`{'.'.join(ref.path)}` is known to Nix only in part",
                ref.span,
                "added to the package's own value",
                help="read the value where it is written, through a `let`",
            )
            raise Failed
        return setting.value

    def unset(self, ref: hir.SettingRef) -> Failed:
        name = ".".join(ref.path)
        known = [f"{block}.{key}" if key else block for block, key in self.plan.groups]
        self.shared.sink.error(
            "E201",
            f"nothing sets `{name}`",
            ref.span,
            "not set for this variant",
            help=did_you_mean(name, known)
            or (
                f"the package's own value is `old.{ref.path[1]}`" if ref.path[0] == "attrs" else ""
            ),
        )
        return Failed()

    def read_script(self, name: str, ref: hir.SettingRef) -> Value:
        script = self.script(name)
        if script is None:
            raise self.unset(ref)
        text = script_text(script)
        if text is None:
            self.shared.sink.error(
                "E302",
                f"script `{name}` is known to Nix only in part",
                ref.span,
                "begins with the package's own script",
            )
            raise Failed
        return text

    # --- deciding ------------------------------------------------------------------------

    def evaluator(self, sink: Sink | None = None) -> Evaluator:
        return Evaluator(self, sink or self.shared.sink, self.shared.hashes)

    def key(self, axes: Iterable[str]) -> tuple[Value, ...]:
        return tuple([value for name, value in self.values.items() if name in axes])

    def enter(self, group: GroupKey, ref: hir.SettingRef | None) -> None:
        """Note that *group* is being decided; a circle is an error that prints it."""
        if group in self.open:
            ring = [*self.open[self.open.index(group) :], group]
            span = ref.span if ref is not None else self.matrix.span
            self.shared.sink.error(
                "E205",
                f"`{_shown(group)}` is defined by itself",
                span,
                "needs its own value",
                notes=(" → ".join(map(_shown, ring)),),
                help="give one of them a value of its own",
            )
            raise Failed
        self.open.append(group)

    def decide(self, group: GroupKey, ref: hir.SettingRef | None = None) -> ir.Setting | None:
        """The setting of *group*, or None when nothing sets it. Raises Failed."""
        return self.once(
            group, ref, lambda: self.flag(group[1]) if group[0] == "flag" else self.group(group)
        )

    def once(self, group: GroupKey, ref: hir.SettingRef | None, decision: Callable[[], T]) -> T:
        """*decision*, made once for all variants that agree on what *group* depends on.

        What failed fails again, in silence. One group is always decided the same way, so what
        was remembered is of the type that is asked for.
        """
        decided = self.shared.decided.setdefault((self.plan.owner(group), group), {})
        key = self.key(self.plan.depends(group, self.shared.reads))
        known = decided.get(key, _UNDECIDED)
        if known is _FAILED:
            raise Failed
        if known is not _UNDECIDED:
            return cast("T", known)
        self.enter(group, ref)
        made: T | _Mark = _FAILED
        try:
            made = decision()
            return made
        finally:
            self.open.pop()
            if len(decided) >= REMEMBERED:
                decided.clear()
            decided[key] = made

    def placed(self, group: GroupKey) -> list[Placed]:
        """The writes of *group*, those of the variant's pin before all others."""
        own = self.plan.groups.get(group, [])
        if group[0] != "config" or not self.plan.pin_config:
            return own
        pin = self.pin_id()
        config = self.plan.pin_config.get(pin, ()) if pin else ()
        return [Placed(w, 0) for w in config if group_of(w.path) == group] + own

    def pin_id(self) -> str | None:
        """The id of the variant's pin: the one it names, or the only one."""
        chosen = self.decide(("pin", ""))
        if chosen is not None:
            return chosen.value.id if isinstance(chosen.value, DeclValue) else None
        return next(iter(self.plan.pin_config)) if len(self.plan.pin_config) == 1 else None

    def config_keys(self) -> list[str]:
        """Keys of `config`, the pin's before those that recipes add."""
        pin = self.pin_id() if self.plan.pin_config else None
        keys = [write.path[1] for write in self.plan.pin_config.get(pin, ())] if pin else []
        return list(dict.fromkeys([*keys, *self.plan.keys("config")]))

    def group(self, group: GroupKey) -> ir.Setting | None:
        written = self.placed(group)
        width = 2 if group[1] else 1
        found = self.candidates(written)
        if not found:
            return None
        path = group if group[1] else (group[0],)
        keyed = [(write.path[width:], candidate) for write, candidate in found]
        return settle(path, keyed, GROUNDS.get(group[0], OWN), self.shared.sink)

    def holds(self, conditions: tuple[hir.Condition, ...]) -> bool:
        for condition in conditions:
            if not self.evaluator().truth(condition.expr, "when"):
                return False
            self.shared.held.add(id(condition))
        return True

    def candidates(self, written: Iterable[Placed]) -> list[tuple[hir.Write, Candidate]]:
        """The writes that hold, with their values. A value that is sure to lose may fail."""
        holding = [placed for placed in written if self.holds(placed.write.conditions)]
        best: dict[hir.Path, tuple[int, int, bool]] = {}
        for placed in holding:
            if placed.write.op == "=":
                rank = _rank(placed)
                best[placed.write.path] = max(best.get(placed.write.path, rank), rank)
        found: list[tuple[hir.Write, Candidate]] = []
        for placed in holding:
            write = placed.write
            top = best.get(write.path)
            loses = top is not None and (
                _rank(placed) < top if write.op == "=" else top[0] > 0 and placed.depth < top[1]
            )
            try:
                value = self.evaluator(Sink() if loses else None).value(write.value)
            except Failed:
                if loses:
                    continue
                raise
            self.check_value(write, value)
            found.append(
                (
                    write,
                    Candidate(
                        write.op,
                        value,
                        strength_of(write.strength),
                        placed.depth,
                        bool(write.conditions),
                        origin_of(write),
                        write.because,
                    ),
                )
            )
        return found

    def check_value(self, write: hir.Write, value: Value) -> None:
        """Refuse values that mean something elsewhere only. Raises Failed after reporting."""
        sink = self.shared.sink
        if write.op != "-=" and _selects(value):
            sink.error(
                "E305",
                "`pname(…)` says what to remove",
                write.value.span,
                "not a value",
                help="it stands after `-=`",
            )
            raise Failed
        if write.path[0] == "env" and isinstance(value, tuple | Record):
            sink.error(
                "E301",
                "an environment variable holds text",
                write.value.span,
                f"this is {type_name(value)}",
                help='join a list: `join(list, " ")`',
            )
            raise Failed
        if write.path[0] in BLOCKS and value == NONE:
            sink.error(
                "E301",
                "`none` is no value for Nix",
                write.value.span,
                "not a value",
                help="`null` is Nix's null; to leave a setting as it is, do not write it",
            )
            raise Failed

    # --- flags and scripts ---------------------------------------------------------------

    def flag(self, name: str) -> ir.Setting | None:
        declared = self.plan.flags.get(name)
        if declared is None:
            return None
        flag, depth = declared
        default = hir.Write(
            ("flag", name), "=", flag.default, "default", (), flag.because, flag.layer, flag.span
        )
        found = self.candidates([Placed(default, depth), *self.plan.groups.get(("flag", name), ())])
        sink = self.shared.sink
        setting = combine(
            ("flag", name), choose(("flag", name), [c for _, c in found], sink), NOTHING, sink
        )
        if not fits(setting.value, flag.type):
            allowed = ", ".join(map(show, flag.type.allowed))
            sink.error(
                "E301",
                f"flag `{name}` is {f'one of {allowed}' if allowed else flag.type.show()}",
                setting.origin.span,
                f"this is {show(setting.value)[:60]}",
                others=((flag.span, "declared here"),) if flag.span != setting.origin.span else (),
                help=did_you_mean(str(setting.value), map(str, flag.type.allowed)),
            )
            raise Failed
        return setting

    def script(self, name: str) -> ir.Script | None:
        """The script *name* of this variant; None when no part of it is there."""
        parts = self.plan.scripts.get(name)
        if parts is None:
            return None
        order = self.plan.part_order[name]
        return self.once(("script", name), None, lambda: decide_script(name, parts, order, self))


def origin_of(write: hir.Write | hir.PartWrite) -> ir.Origin:
    return ir.Origin(write.span, write.layer, tuple(c.span for c in write.conditions))


def _rank(placed: Placed) -> tuple[int, int, bool]:
    return (strength_of(placed.write.strength), placed.depth, bool(placed.write.conditions))


def _selects(value: Value) -> bool:
    if isinstance(value, tuple):
        return any(map(_selects, value))
    return isinstance(value, NixCall) and value.function == "pname"


def _shown(group: GroupKey) -> str:
    return f"{group[0]}.{group[1]}" if group[1] else group[0]
