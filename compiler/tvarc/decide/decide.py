"""Decide settings: which writes hold for a variant, their values, and how they merge."""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES, OF_PIN, OF_RECIPE, TEST, ground_of
from tvarc.decide import messages as msg
from tvarc.decide.book import Hashes
from tvarc.decide.merge import (
    NOTHING,
    Candidate,
    Merged,
    choose,
    combine,
    origin_of,
    rank_of,
    why_lost,
)
from tvarc.decide.plan import GroupKey, Placed, Plan, group_of, is_none
from tvarc.decide.records import settle
from tvarc.decide.refusals import refuse_attribute, refuse_idle_none, refuse_value
from tvarc.decide.rows import Key, Row, Rows, picker
from tvarc.decide.texts import decide_text
from tvarc.light import (
    TYPE_CHECKING,
    Callable,
    Final,
    Iterable,
    Iterator,
    Literal,
    Protocol,
    Sequence,
    TypeVar,
    cast,
    dataclass,
    field,
    replace,
)
from tvarc.matrix.dependencies import Dependencies, DependencySet
from tvarc.matrix.expand import axis_value, matrix_value, recipe_value
from tvarc.meaning import hir
from tvarc.meaning.budget import Budget, OverBudget, Total, Weight
from tvarc.meaning.declarations.facts import fits
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.evaluation.hash_places import (
    FETCHES,
    SOURCE_ATTRIBUTES,
    attribute_source,
    leaves_hashes,
    locked,
    may_be_open,
    open_hashes,
    says_what,
    unlocked_in,
    written_at,
)
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.values.value import (
    NONE,
    DeclValue,
    Value,
    article,
    show,
    show_short,
)

if TYPE_CHECKING:
    from tvarc.decide.late import Lates
    from tvarc.decide.portions import Piece, Portions
    from tvarc.matrix.variants import Variant
    from tvarc.text.diagnostics.message import Message
    from tvarc.text.source import Span
    from tvarc.values.provenance import Lines, Numbering, Prov
    from tvarc.values.value import Late

REMEMBERED_WEIGHT: Final = 1 << 26
"""The most characters of all values that are cached at once."""
_ELEMENT: Final = 64  # an element uses as much memory as this many characters

REMEMBERED = 1 << 14
"""The most values of a `let`, or decisions of a setting, that are cached at once. A setting with
more of them has a decision for nearly each variant, and such decisions are hardly read again."""


T = TypeVar("T")
U = TypeVar("U")

Quiet = Literal["", "loses", "aside"]
"""The faults of a value that are not reported. `""`: all are reported. `loses`: the value is sure
to lose, so only reads of unset settings are reported. `aside`: the value is evaluated aside from
the decision of its setting, so none is reported."""


class Traces(Protocol):
    """Finds the provenance of decided values (`decide/provenance.py`)."""

    numbering: Numbering

    def evaluator(self, deciding: Deciding, sink: Sink, budget: Budget) -> Evaluator:
        """The evaluator for one variant that records the provenance of values."""

    def late_evaluator(
        self, deciding: Deciding, sink: Sink, budget: Budget, lates: Lates, used: dict[Late, None]
    ) -> Evaluator:
        """The evaluator for a setting that is decided with late parts. It records the values, and
        adds the late parts that it finds to *used*."""

    def in_text(self, deciding: Deciding, expr: hir.Expr) -> Lines:
        """The source lines of the value of *expr* as a part of a text. Raises Failed."""

    def read(self, setting: ir.Setting) -> Prov:
        """The provenance of the value of *setting*, for its readers."""

    def let(self, key: tuple[str, str, Key], evaluator: Evaluator) -> None:
        """Keep the value of the `let` with this key, as *evaluator* has recorded it."""

    def forget(self) -> None:
        """Drop the recorded values of `let`s."""

    def condition(
        self, deciding: Deciding, condition: hir.Condition, evaluator: Evaluator
    ) -> None:
        """Keep the lines of *condition*, as *evaluator* has recorded them."""

    def write(
        self, deciding: Deciding, write: hir.Write, evaluator: Evaluator | None = None
    ) -> Prov:
        """The provenance of the value of *write*, as *evaluator* recorded it. The conditions of
        *write* hold."""

    def reason(self, because: str, span: Span | None) -> str:
        """The reason of a write, with the lines on which it is written."""

    def overlay(self, overlay: hir.OverlayDef) -> Lines:
        """The lines on which *overlay* is declared."""

    def keep_out(self, deciding: Deciding, condition: hir.Condition, path: hir.Path) -> None:
        """Note that *condition* does not hold, so that a write to *path* does not apply."""


class Links(Protocol):
    """Follows links to variants and recipes that are needed (`decide/needs.py`)."""

    def follow(self, deciding: Deciding, link: hir.Link) -> Value:
        """The variant that *link* leads to; raises Failed after reporting that there is none."""

    def read(self, deciding: Deciding, ref: hir.NeedRef) -> Value:
        """The value that *ref* reads; raises Failed after reporting."""

    def target(self, deciding: Deciding, value: Value) -> Deciding | None:
        """The settings that *value*, the target of a need, leads to. None if only Nix knows them.
        """

    def setting(self, target: Deciding, path: hir.Path) -> ir.Setting | None:
        """The setting of *target* that a need reads at *path*."""

    def decides_file(self, target: Deciding) -> tuple[tuple[hir.Expr, ...], ir.Pin | None]:
        """The expressions and the pin that decide the paths and names of the files of *target*."""

    def handed_by(self, target: Deciding) -> Iterator[ir.Setting]:
        """The settings that decide which arguments the variant of *target* gets from its needs."""


@dataclass(slots=True)
class Shared:
    """The state that all variants share: cached decisions, the hashes of their sources, and the
    conditions that held for a variant. With `tracing`, decided values carry their source lines."""

    sink: Sink
    reads: Dependencies
    hashes: Hashes = field(default_factory=Hashes)
    held: set[int] = field(default_factory=set)
    rows: Rows = field(default_factory=Rows)
    lets: dict[tuple[str, str, Key], Value] = field(default_factory=dict)
    # The decisions of each group of a plan, by the values of the axes that the group depends on.
    decided: dict[GroupKey, dict[Plan, dict[Key, object]]] = field(
        default_factory=dict
    )

    # The portions of plans, with late parts or without.
    portions: dict[tuple[Plan, bool], Portions[Deciding, object]] = field(default_factory=dict)
    # Whether recipes of a matrix take packages from their caller, by its id. Under "", whether all
    # do.
    of_caller: dict[str, bool] = field(default_factory=dict)

    # The weight of all values since the cache was last dropped, and the weight of all decided
    # values.
    weight: int = 0
    decided_weight: int = 0
    tracing: Traces | None = None
    linking: Callable[[], Links] | None = None  # makes the object that follows links
    # The budget of all evaluations and decisions.
    total: Total = field(init=False)

    def __post_init__(self) -> None:
        self.total = Total(self.sink)

    @property
    def links(self) -> Links:
        assert self.linking is not None
        return self.linking()

    def again(self, decision: Callable[[U], T], of: U, total: Total | None = None) -> T:
        """The result of *decision* on *of*, which was already decided without an error.

        The first decision was charged to the total of all of them. Its result may have been dropped
        from the cache. The second decision is charged to *total*. The default is a new total, which
        always has enough for one decision.
        """
        before, self.total = self.total, total or Total(self.sink)
        try:
            return decision(of)
        finally:
            self.total = before

    def charge(self, evaluations: int, subject: tuple[str, ...], span: Span) -> None:
        """Charge this many *evaluations* to the total. *subject* needs them, and is written at
        *span*. Raises Failed after reporting that the total is spent."""
        before, self.total.subject = self.total.subject, subject
        try:
            self.total.evaluations(evaluations)
        except OverBudget as fault:
            if self.total.to_report(self.sink):
                fault.report(self.sink, span)
            raise Failed from None
        finally:
            self.total.subject = before

    def remember(self, weight: Weight) -> None:
        """Note that a value of this weight will be cached. If all cached values become too heavy,
        the others are dropped, and are decided again if they are read again."""
        more = weight.characters + _ELEMENT * weight.elements
        self.weight += more
        self.decided_weight += more
        if self.weight > REMEMBERED_WEIGHT:
            self.weight = 0
            self.forget_lets()
            for plans in self.decided.values():
                for known in plans.values():
                    known.clear()
            for portions in self.portions.values():
                portions.forget()

    def forget_lets(self) -> None:
        """Drop the values of `let`s, and with tracing their records."""
        self.lets.clear()
        if self.tracing is not None:
            self.tracing.forget()


class _Mark:
    """The result of a decision that failed, or that has not been made."""


_FAILED, _UNDECIDED = _Mark(), _Mark()


class Deciding:
    """The settings of one variant, decided by one plan. It is also the environment of its
    expressions.

    For the plan of an overlay, `overlay` is its name, and *lister* has the settings of the recipe
    that lists it. An overlay is decided before these settings. It can read the flags and the needs
    of the recipe.
    """

    __slots__ = (
        "asked", "cell", "failed", "late", "lates", "lister", "matrix", "open", "overlay", "plan",
        "quiet", "row", "shared", "variant",
    )  # fmt: skip

    def __init__(
        self,
        plan: Plan,
        shared: Shared,
        matrix: hir.MatrixDef,
        variant: str,
        cell: Variant | dict[str, Value],
        row: Row,
        overlay: str = "",
        lister: Deciding | None = None,
    ) -> None:
        """The variant of *matrix* with the name *variant* and the values of *cell*. *row* has the
        numbers of these values."""
        self.lister = lister
        self.overlay = overlay
        self.plan = plan
        self.shared = shared
        self.matrix = matrix
        self.variant = variant
        self.cell = cell
        self.row = row
        self.open: list[GroupKey] = []
        # With tracing: the lines of each condition that was evaluated, by its identity.
        self.asked: dict[int, Lines] | None = None
        # Which faults of the value that is being evaluated are not reported. This does not apply to
        # a setting that the value reads: other values read it, too, so its faults are always
        # reported.
        self.quiet: Quiet = ""
        # The `let`s whose value failed, each with which of its faults were not reported.
        self.failed: tuple[tuple[str, Quiet], ...] = ()
        # The late parts of the plan's texts, if texts may have them, and the late parts of the
        # setting that is being decided.
        self.lates: Lates | None = None
        self.late: dict[Late, None] | None = None

    @property
    def values(self) -> dict[str, Value]:
        """The value of each axis. Callers do not change it."""
        return self.cell if isinstance(self.cell, dict) else self.cell.values

    def within(self, plan: Plan, overlay: str) -> Deciding:
        """The settings of the overlay with this name and *plan*, in this recipe, which lists it."""
        return Deciding(
            plan, self.shared, self.matrix, self.variant, self.cell, self.row, overlay, self
        )

    @property
    def sink(self) -> Sink:
        """The sink for faults of the value that is being evaluated."""
        return Sink() if self.quiet else self.shared.sink

    @property
    def _sink_of_reads(self) -> Sink:
        """The sink for the fault that this value reads a setting without a value."""
        return Sink() if self.quiet == "aside" else self.shared.sink

    # --- what expressions may read -------------------------------------------------------

    def axis(self, ref: hir.AxisRef) -> Value:
        return axis_value(ref, self.values, self.matrix, self.sink)

    def let(self, ref: hir.LetRef, budget: Budget) -> Value:
        target = ref.target
        if target.expr is None:
            raise Failed
        reads = self.shared.reads.let(target)
        if reads.settings:
            return self._of_let(target, target.expr, self.evaluator(budget=budget))
        key = self.let_key(target, reads)
        known = self.shared.lets
        if key not in known:
            evaluator = self.recorder()
            value = self._of_let(target, target.expr, evaluator)
            weight = Weight()
            weight.add(value, evaluator.budget)
            self.shared.remember(weight)
            if len(known) >= REMEMBERED:
                self.shared.forget_lets()
            known[key] = value
            if self.shared.tracing is not None:
                self.shared.tracing.let(key, evaluator)
        return known[key]

    def _of_let(self, let: hir.LetDef, expr: hir.Expr, evaluator: Evaluator) -> Value:
        """The value of *let*, whose expression is *expr*. One that failed is not evaluated again in
        this variant: of `let`s that each name the one before twice, that would double the steps
        each time."""
        of = (let.id, self.quiet)
        if of in self.failed:
            raise Failed
        try:
            return evaluator.value(expr)
        except Failed:
            self.failed += (of,)
            raise

    def let_key(self, let: hir.LetDef, reads: DependencySet) -> tuple[str, str, Key]:
        """The key of the value of *let*. Variants that agree on what it *reads* have the same key.
        """
        return (let.id, self.matrix.id, self.key(reads.axes))

    def field(self, ref: hir.FieldRef) -> Value:
        raise Failed

    def need(self, ref: hir.NeedRef) -> Value:
        if self.lister is not None:
            return self.lister.need(ref)
        return self.shared.links.read(self, ref)

    def link(self, link: hir.Link) -> Value:
        return self.shared.links.follow(self, link)

    def lacks(self, link: hir.Link) -> bool:
        from tvarc.matrix.links import Following

        return not Following(self.matrix, self.values, self, self.sink).built(link)

    def setting(self, ref: hir.SettingRef) -> Value:
        match ref.path:
            case ("variant",):
                return self.variant
            case ("recipe",):
                return recipe_value(self.matrix.recipe)
            case ("matrix",):
                return matrix_value(self.matrix)
            case ("flag", _) if self.lister is not None:
                return self.lister.setting(ref)
            case _ if self.overlay:
                raise self.shared.sink.refuse(
                    msg.reads.READ_IN_OVERLAY,
                    ref.span,
                    overlay=self.overlay,
                    name=".".join(ref.path),
                )
            case ("pin",) if (
                self.decide(("pin", ""), ref) is None and len(self.plan.pin_blocks) == 1
            ):
                only = next(iter(self.plan.pin_blocks))
                return DeclValue("pin", only.rpartition("::")[2], only)
            case _:
                return self.read(ref)

    def read(self, ref: hir.SettingRef) -> Value:
        setting = self.decide(group_of(ref.path), ref)
        if setting is None:
            raise self.not_set(ref)
        return self.read_value(setting, ref)

    def read_value(self, setting: ir.Setting, ref: hir.SettingRef) -> Value:
        elements = setting.elements or ()
        if setting.extends and setting.parts:
            raise self._sink_of_reads.refuse(msg.reads.WHOLE_SCRIPT, ref.span, key=setting.key)
        if setting.extends or setting.head is not None or any(one.spread for one in elements):
            name = ".".join(ref.path)
            raise self._sink_of_reads.refuse(msg.reads.WHOLE_VALUE, ref.span, name=name)
        return setting.value

    def not_set(self, ref: hir.SettingRef) -> Failed:
        name = ".".join(ref.path)
        group = group_of(ref.path)
        none = self.settled(group) if group in self.plan.groups else None
        known = [f"{block}.{key}" if key else block for block, key in self.plan.groups]
        self._sink_of_reads.report(
            msg.reads.UNSET,
            ref.span,
            others=[none.origin.span] if none is not None else [],
            name=name,
            guess=guess(name, known),
            key=ref.path[1] if ref.path[0] == ATTRIBUTES else None,
        )
        return Failed()

    # --- deciding ------------------------------------------------------------------------

    def evaluator(self, sink: Sink | None = None, budget: Budget | None = None) -> Evaluator:
        return Evaluator(
            self,
            self.sink if sink is None else sink,
            self.shared.hashes,
            budget or Budget(self.shared.total),
        )

    def recorder(self, sink: Sink | None = None) -> Evaluator:
        """The evaluator for a value that is cached. With tracing, it records the value's
        provenance."""
        tracing = self.shared.tracing
        if tracing is None:
            return self.evaluator(sink)
        sink = self.sink if sink is None else sink
        return tracing.evaluator(self, sink, Budget(self.shared.total))

    def text_evaluator(self, sink: Sink | None = None) -> Evaluator:
        """The evaluator for a value of the setting that is being decided. It may have late
        parts."""
        if self.late is None or self.lates is None:
            return self.recorder(sink)
        sink = self.sink if sink is None else sink
        budget = Budget(self.shared.total)
        if self.shared.tracing is not None:
            return self.shared.tracing.late_evaluator(self, sink, budget, self.lates, self.late)
        from tvarc.decide.late import LateEvaluator

        made = LateEvaluator(self, sink, self.shared.hashes, budget)
        made.deciding, made.lates, made.used = self, self.lates, self.late
        return made

    def evaluated(self, evaluator: Evaluator, expr: hir.Expr, quiet: Quiet) -> Value:
        """The value of *expr*. *quiet* names the faults that are not reported. Raises Failed."""
        before, self.quiet = self.quiet, quiet
        try:
            return evaluator.value(expr)
        finally:
            self.quiet = before

    def key(self, axes: frozenset[str]) -> Key:
        """The combination of values of *axes* that the variant has."""
        picks = self.plan.picks
        pick = picks.get(axes)
        if pick is None:
            places = [place for place, name in enumerate(self.plan.axes) if name in axes]
            pick = picks[axes] = picker(places)
        return pick(self.row)

    def enter(self, group: GroupKey, ref: hir.SettingRef | None) -> None:
        """Note that *group* is being decided. Raises Failed after reporting a circle."""
        if group in self.open:
            ring = [*self.open[self.open.index(group) :], group]
            span = ref.span if ref is not None else self.matrix.span
            raise self.shared.sink.refuse(
                msg.reads.CIRCLE, span, group=_shown(group), ring=" → ".join(map(_shown, ring))
            )
        self.open.append(group)

    def decide(self, group: GroupKey, ref: hir.SettingRef | None = None) -> ir.Setting | None:
        """The setting of *group*. None if nothing sets it, or if it is unset. Raises Failed."""
        setting = self.settled(group, ref)
        return None if setting is not None and is_unset(setting) else setting

    def settled(self, group: GroupKey, ref: hir.SettingRef | None = None) -> ir.Setting | None:
        """The setting of *group*. Its value is `none` if it is unset. Raises Failed."""
        return self.once(
            group, ref, lambda: self.flag(group[1]) if group[0] == "flag" else self.whole(group)
        )

    def whole(self, group: GroupKey) -> ir.Setting | None:
        """The setting of *group*. If the recipe has structured attributes, its attributes are
        marked so."""
        setting = self.group(group)
        if setting is None or group[0] != ATTRIBUTES or STRUCTURED not in self.plan.groups:
            return setting
        return replace(setting, structured=True)

    def once(self, group: GroupKey, ref: hir.SettingRef | None, decision: Callable[[], T]) -> T:
        """The result of *decision*, which is made once for all variants with the same values on
        the axes that *group* depends on.

        A decision that failed fails again, and reports nothing. A group is always decided the same
        way, so the cached result has the type that the caller expects.
        """
        decided = self.shared.decided.setdefault(group, {}).setdefault(self.plan, {})
        key = self.key(self.plan.dependencies(group, self.shared.reads))
        return self._once(group, ref, decision, decided, key)

    def _once(
        self,
        group: GroupKey,
        ref: hir.SettingRef | None,
        decision: Callable[[], T],
        decided: dict[Key, object],
        key: Key,
        late: dict[Late, None] | None = None,
    ) -> T:
        known = decided.get(key, _UNDECIDED)
        if known is _FAILED:
            raise Failed
        if known is not _UNDECIDED:
            return cast("T", known)
        self.enter(group, ref)
        late, self.late = self.late, late
        made: T | _Mark = _FAILED
        quiet, self.quiet = self.quiet, ""
        total = self.shared.total
        subject, total.subject = total.subject, group
        try:
            made = decision()
            return made
        finally:
            self.late = late
            self.quiet = quiet
            total.subject = subject
            self.open.pop()
            if len(decided) >= REMEMBERED:
                decided.clear()
            # A decision that fails because its budget is spent may succeed with another budget.
            if made is not _FAILED or not total.is_spent:
                decided[key] = made

    # --- late parts ----------------------------------------------------------------------

    @property
    def is_spent(self) -> bool:
        """Whether the budget of all evaluations is spent. A decision may then fail without a fault.
        """
        return self.shared.total.is_spent

    def portions(
        self,
        pieces: Callable[[Deciding], Sequence[Piece]],
        whole: Callable[[Sequence[object]], object],
    ) -> Portions[Deciding, object]:
        """The portions of the plan. The first call makes them: *pieces* returns the pieces of a
        recipe, and *whole* joins them."""
        key = (self.plan, self.lates is not None)
        known = self.shared.portions.get(key)
        if known is None:
            from tvarc.decide.portions import Portions

            known = self.shared.portions[key] = Portions(
                self.plan, self.shared.reads, self.lates, pieces(self), whole
            )
        return known

    def change(self, group: GroupKey, late: dict[Late, None] | None = None) -> ir.Setting | None:
        """A setting, which may be unset. Its late parts are added to *late*. Without *late*, it is
        decided without late parts. Raises Failed."""
        if late is None or self.lates is None or group not in self.lates.axes:
            return self.settled(group)
        setting, used = self.late_decided(group, self.lates, lambda: self.whole(group))
        late.update(dict.fromkeys(used))
        return setting

    def late_setting(
        self, ref: hir.SettingRef, used: dict[Late, None]
    ) -> tuple[Value, Prov | None]:
        """The value of a setting with late parts, and its provenance, if that is traced. The late
        parts are added to *used*. Raises Failed."""
        assert self.lates is not None
        group = group_of(ref.path)
        setting, more = self.late_decided(group, self.lates, lambda: self.whole(group))
        used.update(dict.fromkeys(more))
        if setting is None or is_unset(setting):
            raise self.not_set(ref)
        tracing = self.shared.tracing
        prov = None if tracing is None else tracing.read(setting)
        return self.read_value(setting, ref), prov

    def late_decided(
        self, group: GroupKey, lates: Lates, decision: Callable[[], T]
    ) -> tuple[T, tuple[Late, ...]]:
        """The result of *decision* on *group* with late parts, and these parts. It is decided once
        for all variants that agree on the rest of the value."""
        used: dict[Late, None] = {}
        decided = lates.decided.setdefault(group, {})
        key = self.key(lates.axes[group])
        return self._once(group, None, lambda: (decision(), tuple(used)), decided, key, used)

    def fills(self, late_parts: Sequence[Late]) -> dict[Late, str]:
        """The texts for *late_parts*. Parts that this variant cannot fill in are
        missing."""
        assert self.lates is not None
        return self.lates.texts(late_parts, self)

    def filled(self, late_parts: Sequence[Late]) -> dict[Lines, Lines]:
        """The provenance of the texts for *late_parts*, by the bits of the parts. Empty without
        tracing."""
        assert self.lates is not None
        return {} if self.shared.tracing is None else self.lates.lines(late_parts, self)

    def lines_of(self, expr: hir.Expr) -> Lines:
        """The source lines of the value of *expr* as a part of a text. Raises Failed."""
        assert self.shared.tracing is not None
        return self.shared.tracing.in_text(self, expr)

    def placed(self, group: GroupKey) -> list[Placed]:
        """The writes of *group*. The writes of the variant's pin are first."""
        own = self.plan.groups.get(group, [])
        if group[0] not in OF_PIN or not self.plan.pin_blocks:
            return own
        pin = self.pin_id()
        writes = self.plan.pin_blocks.get(pin, ()) if pin else ()
        return [Placed(w, 0) for w in writes if group_of(w.path) == group] + own

    def pin_id(self) -> str | None:
        """The id of the variant's pin: the pin that it names, or the only pin of the program."""
        chosen = self.decide(("pin", ""))
        if chosen is not None:
            return chosen.value.id if isinstance(chosen.value, DeclValue) else None
        return next(iter(self.plan.pin_blocks)) if len(self.plan.pin_blocks) == 1 else None

    def pin_keys(self, block: str) -> list[str]:
        """The keys of a block of the pin, followed by the keys that recipes add to it."""
        pin = self.pin_id() if self.plan.pin_blocks else None
        writes = self.plan.pin_blocks.get(pin, ()) if pin else ()
        keys = [write.path[1] for write in writes if write.path[0] == block]
        return list(dict.fromkeys([*keys, *self.plan.keys(block)]))

    def group(self, group: GroupKey) -> ir.Setting | None:
        written = self.placed(group)
        if group in self.plan.part_order:
            return self.text(group, written)
        width = 2 if group[1] else 1
        found = self.candidates(written)
        if not found:
            return None
        path = group if group[1] else (group[0],)
        for write, candidate in found:
            if candidate.value is NONE and group[0] in OF_RECIPE:
                refuse_idle_none(write, candidate, self.plan, self.shared.sink)
        keyed = [(write.path[width:], candidate) for write, candidate in found]
        made = settle(path, keyed, ground_of(group[0]), self.shared.sink)
        if group[0] == TEST and made.value is not NONE:
            from tvarc.decide.tests import refuse_test

            refuse_test(made, self.shared.sink)
        return made

    def text(self, group: GroupKey, written: list[Placed]) -> ir.Setting | None:
        """The text in parts of *group*. A whole value shadows the parts that rank below it. A whole
        value next to parts that it does not shadow is an error, unless it is a default or `none`.
        Raises Failed after reporting."""
        others = [placed for placed in written if placed.write.part is None]
        found = self.candidates(others)
        order = self.plan.part_order[group]
        changed = next((w for w, c in found if w.path != group or c.op != "="), None)
        base: Candidate | None = None
        merged: Merged | None = None
        if found and changed is None:
            for write, candidate in found:
                if candidate.value is NONE:
                    refuse_idle_none(write, candidate, self.plan, self.shared.sink)
            merged = choose(group, [candidate for _, candidate in found], self.shared.sink)
            base = merged.base
        above = (base.strength, base.depth) if base is not None else (0, 0)
        kept = [
            one
            for one in written
            if one.write.part is not None and rank_of(one.write, one.depth)[:2] >= above
        ]
        weight = Weight()
        text = decide_text(group, kept, order, self, weight)
        self.shared.remember(weight)
        if text is not None and (changed is not None or self._is_beside(base)):
            write = changed or next(w for w, c in found if c is base)
            raise self.shared.sink.refuse(
                msg.merging.PARTS_AND_VALUE,
                write.span,
                others=[text.origin.span],
                name=".".join(group),
                op=write.op,
            )
        if changed is not None:
            keyed = [(write.path[len(group) :], candidate) for write, candidate in found]
            return settle(group, keyed, ground_of(group[0]), self.shared.sink)
        lost = [*merged.shadowed] if merged is not None else []
        if base is not None:
            lost += self.lost_parts([one for one in written if one not in kept], base)
        if text is None:
            if base is None:
                return None
            return ir.Setting(
                group, base.value, base.origin, base.because, tuple(lost), prov=base.prov
            )
        if self.plan.of_package and text.value is not NONE:
            first = next(one.write for one in kept if one.write.span == text.origin.span)
            refuse_attribute(first, text.value, self.shared.hashes, self.shared.sink)
        if base is not None:
            why = ir.BEGUN_ANEW if base.value is NONE else "it was a default"
            lost.append(ir.Shadowed("=", base.value, base.origin, why, base.prov))
        return replace(text, shadowed=(*text.shadowed, *lost))

    def _is_beside(self, base: Candidate | None) -> bool:
        return base is not None and base.value is not NONE and base.strength > 0

    def lost_parts(self, written: list[Placed], base: Candidate) -> Iterable[ir.Shadowed]:
        """The parts among *written* whose conditions hold and that *base* shadows."""
        weight = Weight()
        for placed in written:
            write = placed.write
            if write.part is None or is_none(write.value) or not self.lets_in(write):
                continue
            evaluator = self.recorder(Sink())
            try:
                value = self.evaluated(evaluator, write.value, "loses")
            except Failed:
                continue
            try:
                weight.add(value, evaluator.budget)
            except OverBudget as fault:
                raise self.evaluator().over(fault, write.value.span) from None
            part = Candidate("part", value, *rank_of(placed.write, placed.depth), origin_of(write))
            prov = self.prov(write, evaluator)
            yield ir.Shadowed("part", value, part.origin, why_lost(part, base), prov)
        self.shared.remember(weight)

    def holds(self, conditions: tuple[hir.Condition, ...]) -> bool:
        return self.fails(conditions) is None

    def fails(self, conditions: tuple[hir.Condition, ...]) -> hir.Condition | None:
        """The first of *conditions* that does not hold. Raises Failed after reporting."""
        tracing = self.shared.tracing
        for condition in conditions:
            evaluator = self.recorder()
            holds = evaluator.truth(condition.expr, "when")
            if tracing is not None:
                tracing.condition(self, condition, evaluator)
            if not holds:
                return condition
            self.shared.held.add(id(condition))
        return None

    def lets_in(self, write: hir.Write) -> bool:
        """Whether all conditions of *write* hold. Raises Failed after reporting."""
        if not write.conditions:
            return True
        failing = self.fails(write.conditions)
        if failing is not None and self.shared.tracing is not None:
            self.shared.tracing.keep_out(self, failing, self.place(write))
        return failing is None

    def candidates(self, written: Iterable[Placed]) -> list[tuple[hir.Write, Candidate]]:
        """The writes whose conditions hold, with their values. A value that is sure to lose may
        fail."""
        holding = [placed for placed in written if self.lets_in(placed.write)]
        if not holding:
            return []  # a decision that evaluates nothing is never refused by the budget
        best: dict[hir.Path, tuple[int, int, bool]] = {}
        for placed in holding:
            if placed.write.op == "=":
                rank = rank_of(placed.write, placed.depth)
                best[placed.write.path] = max(best.get(placed.write.path, rank), rank)
        found: list[tuple[hir.Write, Candidate]] = []
        weights = (Weight(), Weight())  # of values that may stay, and of values sure to lose
        failed = False  # the other values are evaluated so that their faults are reported, too
        for placed in holding:
            write = placed.write
            top = best.get(write.path)
            loses = top is not None and (
                rank_of(placed.write, placed.depth) < top
                if write.op == "="
                else top[0] > 0 and placed.depth < top[1]
            )
            evaluator = self.text_evaluator(Sink() if loses else None)
            try:
                value = self.evaluated(evaluator, write.value, "loses" if loses else "")
            except Failed:
                failed = failed or not loses
                continue
            try:
                weights[loses].add(value, evaluator.budget)
            except OverBudget as fault:
                raise self.evaluator().over(fault, write.value.span) from None
            if not loses:
                self.tell_fakes(write, value)
            if write.path[0] == ATTRIBUTES and leaves_hashes(write.value, write.path[1:]):
                value = self.locked(write, value)
            refuse_value(write, value, self.shared.sink)
            if self.plan.of_package:
                refuse_attribute(write, value, self.shared.hashes, self.shared.sink)
            found.append(
                (
                    write,
                    Candidate(
                        write.op,
                        value,
                        *rank_of(write, placed.depth),
                        origin_of(write),
                        self.because(write),
                        self.prov(write, evaluator),
                        write.value,
                    ),
                )
            )
        if failed:
            raise Failed
        for weight in weights:
            self.shared.remember(weight)
            try:
                self.shared.total.decided(weight)
            except OverBudget as fault:
                raise self.evaluator().over(fault, holding[-1].write.value.span) from None
        return found

    def locked(self, write: hir.Write, value: Value) -> Value:
        """*value*, the value of an attribute, with the hashes that it leaves to the lock filled in.
        The lock finds each hash by the source of the package in this variant. Raises Failed after
        reporting."""
        if not any(True for _ in unlocked_in(value, write.path[1:])):
            return value
        source = next(filter(None, map(self.decide, SOURCE_ATTRIBUTES)), None)
        if source is None or not says_what(source.value):
            raise self.shared.sink.refuse(
                msg.hashes.UNLOCKED_WITHOUT_SOURCE
                if source is None
                else msg.hashes.UNLOCKED_OF_NIX,
                write.value.span,
                key=source.key if source is not None else None,
            )
        package = self.decide(("package", "")) if self.plan.of_package else None
        name = show(package.value) if package is not None else f"overlay {self.overlay}"

        def found(steps: ir.Path) -> Value:
            what = attribute_source(steps, name, source.value, self.shared.hashes.seen)
            place = self.written_at(write.value, steps[len(write.path) - 1 :])
            return self.shared.hashes.of(what, None, place, self.shared.sink)

        return locked(value, write.path[1:], found)

    def tell_fakes(self, write: hir.Write, value: Value) -> None:
        """Report the hashes in *value*, the value of *write*, that no content has."""
        block, steps = write.path[0], write.path[1:]
        if block not in FETCHES or not may_be_open(value, steps):
            return
        for one in open_hashes(value, steps):
            place = self.written_at(write.value, one.steps[len(steps) :])
            by_lock = block == ATTRIBUTES and one.may_be_unlocked
            name = one.describe(f"`{'.'.join((block, *one.steps))}`")
            self.shared.hashes.fake(name, place, self.shared.sink, by_lock=by_lock)

    def written_at(self, expr: hir.Expr, steps: ir.Path = ()) -> Span:
        """The place where the value that *steps* lead to in *expr* is written."""
        return written_at(expr, steps, self.evaluator().value)

    def prov(self, write: hir.Write, evaluator: Evaluator) -> Prov | None:
        """The provenance of the value of *write*, as *evaluator* recorded it. The conditions of
        *write* hold. None without tracing."""
        tracing = self.shared.tracing
        return tracing.write(self, write, evaluator) if tracing is not None else None

    def because(self, write: hir.Write) -> str:
        tracing = self.shared.tracing
        return (
            write.because if tracing is None else tracing.reason(write.because, write.because_span)
        )

    def place(self, write: hir.Write) -> ir.Path:
        """The path of the setting of *write*. In an overlay it begins with the overlay's name."""
        path = write.path
        if not self.overlay:
            return path
        return ("overlays", self.overlay, *(path[1:] if path[0] == ATTRIBUTES else path))

    # --- flags ---------------------------------------------------------------------------

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
            raise sink.refuse(
                _misfit(flag, setting.value),
                setting.origin.span,
                others=[flag.span] if flag.span != setting.origin.span else [],
                name=name,
                value=show_short(setting.value),
                allowed=allowed,
                guess=guess(str(setting.value), map(str, flag.type.allowed)),
                choices=" or ".join(f"`{show(one)}`" for one in flag.type.allowed[:5]),
                type=flag.type.show(),
                a_value=article(flag.type.kind),
            )
        return setting


def is_unset(setting: ir.Setting) -> bool:
    """Whether *setting* is in a block and is `none`. Then it is not emitted."""
    return setting.value is NONE and setting.path[0] in OF_RECIPE


def _misfit(flag: hir.FlagDef, value: Value) -> Message:
    """The message on *value*, which is not allowed for *flag*."""
    if flag.type.allowed:
        return msg.flags.NOT_ALLOWED
    if value is None or value is NONE:
        return msg.flags.NO_NULL
    return msg.flags.NO_TRUTH if flag.type.kind == "bool" else msg.flags.WRONG_TYPE


STRUCTURED: Final = (ATTRIBUTES, "__structuredAttrs")


def _shown(group: GroupKey) -> str:
    return f"{group[0]}.{group[1]}" if group[1] else group[0]
