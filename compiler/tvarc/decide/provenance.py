"""The provenance of the values of expressions.

An elaboration with a `Tracing` evaluates with `LineRecorder`s, and its decisions have provenance,
`values.provenance.Prov`. Without a `Tracing`, this module is not used.
"""

from __future__ import annotations

from tvarc.decide.lines import SourceLines, is_bare
from tvarc.decide.plan import GroupKey, Plan, group_of
from tvarc.decide.recorder import LetKey, Recorder, Traced
from tvarc.decide.rows import Key
from tvarc.light import (
    TYPE_CHECKING,
    Final,
    Iterable,
    Sequence,
    assert_never,
    dataclass,
    suppress,
)
from tvarc.meaning import hir
from tvarc.meaning.budget import Budget, Weight
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.evaluation.kinds import children, walk
from tvarc.meaning.functions import kind_text
from tvarc.nix import ir
from tvarc.nix.language.indentation import sole_least
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.source import Span
from tvarc.values.provenance import NOWHERE, Lines, Numbering, Prov, Run, Tagged
from tvarc.values.value import (
    NONE,
    Late,
    Missing,
    NixCall,
    NixText,
    Record,
    RowValue,
    Value,
    is_nix,
)

if TYPE_CHECKING:
    from tvarc.decide.decide import Deciding
    from tvarc.decide.late import Lates
    from tvarc.meaning.names.load import ModuleGraph


@dataclass(frozen=True, slots=True)
class Withheld:
    """A condition that does not hold, its source lines, and the path of the writes that it keeps
    out."""

    condition: Span
    lines: Lines
    path: hir.Path


_RUNS: Final = 16  # recording this many pieces of a text takes as long as an evaluation

_Kept = dict[tuple[Span, hir.Path], Withheld]
"""The writes that are kept out in one decision of a setting."""


class Tracing:
    """The source lines of declarations in a traced elaboration, and the recorded values of `let`s.
    """

    def __init__(self, graph: ModuleGraph, numbering: Numbering) -> None:
        self.numbering = numbering
        # By the plan, the setting and the axes that it depends on, and then by the values of these
        # axes: a setting has one decision for each combination of them.
        self._withheld: dict[tuple[Plan, GroupKey, frozenset[str]], dict[Key, _Kept]] = {}
        self.lets: dict[LetKey, Traced] = {}
        self._openings: dict[str, Lines] = {}
        self._heads: dict[Span, Lines] = {}
        self._targets: dict[Span, Lines] = {}
        for module in graph.modules.values():
            self._find_heads(module.tree.items, 0)

    def _find_heads(self, items: Iterable[ast.Item], lines: Lines) -> None:
        for item in items:
            self._heads[item.span] = lines
            if isinstance(item, ast.Overlay | ast.Patch):
                self._targets[item.span] = self._steps(item.target)
            match item:
                case ast.Block() | ast.Script() | ast.When():
                    self._find_heads(item.body, lines | self.numbering.first(item.span))
                    if isinstance(item, ast.When) and item.otherwise is not None:
                        word = self.numbering.first(item.otherwise.span)
                        self._find_heads(item.otherwise.body, lines | word)
                case (
                    ast.Recipe()
                    | ast.Matrix()
                    | ast.Variant()
                    | ast.Overlay()
                    | ast.Patch()
                    | ast.Pin()
                    | ast.Output()
                ):
                    self._find_heads(item.body, lines)
                case _:
                    pass

    def _steps(self, target: Iterable[ast.Key | ast.ComputedKey]) -> Lines:
        """The lines of the steps of a target that are not computed."""
        found = 0
        for step in target:
            if isinstance(step, ast.Key):
                found |= self.numbering.lines(step.span)
        return found

    def heads(self, span: Span) -> Lines:
        """The lines on which the blocks around the item at *span* begin."""
        return self._heads.get(span, 0)

    def overlay(self, overlay: hir.OverlayDef) -> Lines:
        """The lines on which *overlay* is declared: its name, its target, and how it changes the
        set."""
        found = self.numbering.first(overlay.span) | self._targets.get(overlay.span, 0)
        return found if overlay.via is None else found | self.numbering.lines(overlay.via.span)

    def leaf_lines(self, expr: hir.Expr) -> Lines:
        """The lines that contain a part of the value of *expr*, as it is written there."""
        match expr:
            case hir.Text() | hir.Const() | hir.NixCode() if self.bare_fence(expr.span):
                return self.numbering.lines(expr.span) & ~self.numbering.first(expr.span)
            case hir.ListOf() | hir.RecordOf() | hir.Apply() | hir.If():
                found = 0
                for child in children(expr):
                    found |= self.leaf_lines(child)
                return found
            case _:
                return self.numbering.lines(expr.span)

    def bare_fence(self, span: Span) -> bool:
        """Whether a text over several lines begins at *span*, with nothing of it on the first line.
        """
        source = self.numbering.sources.get(span.file)
        if source is None:
            return False
        return is_bare(source.text[span.start : span.end])

    def opens(self, span: Span, expr: hir.Expr | None) -> Lines:
        """The first line of *span*, if nothing of *expr* is on it."""
        first = self.numbering.first(span)
        return 0 if expr is not None and first & self.leaf_lines(expr) else first

    def keep_out(self, deciding: Deciding, condition: hir.Condition, path: hir.Path) -> None:
        """Note that *condition* does not hold, so that a write to *path* does not apply."""
        lines = self.asked(deciding, condition) | self.numbering.first(condition.span)
        plan, group = deciding.plan, deciding.open[-1] if deciding.open else ("", "")
        axes = plan.dependencies(group, deciding.shared.reads)
        if deciding.late is not None and deciding.lates is not None:
            axes = deciding.lates.axes[group]
        known = self._withheld.setdefault((plan, group, axes), {})
        found = known.setdefault(deciding.key(axes), {})
        found[condition.span, path] = Withheld(condition.span, lines, path)

    def withheld(self, deciding: Deciding, overlays: Sequence[Plan]) -> tuple[Withheld, ...]:
        """The writes that are kept out of the variant of *deciding* and of its overlays, which have
        the plans *overlays*."""
        found: _Kept = {}
        for (plan, _, axes), known in self._withheld.items():
            if plan is deciding.plan or plan in overlays:
                found.update(known.get(deciding.key(axes), {}))
        return tuple(found.values())

    def reason(self, because: str, span: Span | None) -> str:
        """The reason of a write, with its lines."""
        if not because or span is None:
            return because
        return Tagged(because, self.numbering.lines(span), 0)

    def evaluator(self, deciding: Deciding, sink: Sink, budget: Budget) -> LineRecorder:
        """The evaluator that records the provenance for one variant."""
        return LineRecorder(deciding, self, sink, budget)

    def late_evaluator(
        self, deciding: Deciding, sink: Sink, budget: Budget, lates: Lates, used: dict[Late, None]
    ) -> LateRecorder:
        """The evaluator that records the provenance of a setting with late parts. These are added
        to *used*."""
        made = LateRecorder(deciding, self, sink, budget)
        made.lates, made.used = lates, used
        return made

    def in_text(self, deciding: Deciding, expr: hir.Expr) -> Lines:
        """The source lines of the value of *expr* as a part of a text. Raises Failed."""
        recorder = LineRecorder(deciding, self, Sink(), Budget(deciding.shared.total))
        recorder.value(expr)
        found = 0
        for _, lines in _runs(recorder.last):
            found |= lines
        return found

    def of(self, deciding: Deciding, expr: hir.Expr) -> Prov:
        """The provenance of *expr*, which was already evaluated. Raises Failed if it has no value.
        """
        recorder = LineRecorder(deciding, self, Sink())
        recorder.value(expr)
        return recorder.last.prov

    def let(self, key: LetKey, evaluator: Evaluator) -> None:
        """Keep the value of the `let` with this key, as *evaluator* recorded it, for as long as the
        value itself is cached."""
        assert isinstance(evaluator, LineRecorder)
        self.lets[key] = evaluator.last

    def condition(
        self, deciding: Deciding, condition: hir.Condition, evaluator: Evaluator
    ) -> None:
        """Keep the source lines of *condition*, as *evaluator* recorded them."""
        assert isinstance(evaluator, LineRecorder)
        if deciding.asked is None:
            deciding.asked = {}
        deciding.asked[id(condition)] = evaluator.last.prov.all

    def asked(self, deciding: Deciding, condition: hir.Condition) -> Lines:
        """The source lines of *condition*. If *deciding* has not evaluated it, it is evaluated now.
        """
        known = deciding.asked.get(id(condition)) if deciding.asked is not None else None
        return known if known is not None else self.of(deciding, condition.expr).all

    def forget(self) -> None:
        """Drop the recorded values of `let`s. They are recorded again when they are read again."""
        self.lets.clear()

    def opening(self, let: hir.LetDef) -> Lines:
        """The first line of *let*, if nothing of its value is on it."""
        known = self._openings.get(let.id)
        if known is None:
            known = self._openings[let.id] = self.opens(let.span, let.expr)
        return known

    def axis(self, deciding: Deciding, ref: hir.AxisRef) -> Lines:
        """The lines on which the value of an axis is declared."""
        value = deciding.axis(ref)
        if isinstance(value, RowValue):
            return self.numbering.lines(value.span)
        found = 0
        for pick in deciding.matrix.axes:
            if pick.axis.name == ref.axis:
                found |= self.numbering.lines(pick.axis.span)
        return found

    def setting(self, deciding: Deciding, ref: hir.SettingRef) -> Prov:
        """The provenance of the value of a setting."""
        match ref.path:
            case ("variant",):
                return self.of(deciding, deciding.matrix.name_expr).flat()
            case ("recipe",):
                return Prov(self.numbering.first(deciding.matrix.recipe.span))
            case ("matrix",):
                return Prov(self.numbering.first(deciding.matrix.span))
            case ("flag", _) if deciding.lister is not None:
                return self.setting(deciding.lister, ref)
            case _:
                setting = deciding.decide(group_of(ref.path), ref)
                return self.read(setting) if setting is not None else NOWHERE  # the only pin

    def read(self, setting: ir.Setting) -> Prov:
        """The provenance of the value of *setting*, for its readers."""
        if setting.prov is None:
            return NOWHERE
        if setting.parts:  # a removed part reaches all lines; any other part, only its own
            return Prov(ir.part_heads(setting.taken), None, setting.prov.rope)
        return setting.prov.under(setting.prov.head)

    def write(
        self, deciding: Deciding, write: hir.Write, evaluator: Evaluator | None = None
    ) -> Prov:
        """The provenance of the value of *write*, as *evaluator* recorded it. Its conditions reach
        all lines of the value."""
        prov = (
            evaluator.last.prov
            if isinstance(evaluator, LineRecorder)
            else self.of(deciding, write.value)
        )
        opens = self.heads(write.span)
        for condition in write.conditions:
            opens |= self.asked(deciding, condition)
        first = self.opens(write.span, write.value)
        lines = opens | first
        if not first:  # a line with a part of the value does more than open the setting
            opens &= ~self.numbering.first(write.span)
        elif write.part is None:  # the line of a part does not name the setting
            opens = lines
        return prov.under(lines).headed(self.numbering.first(write.span) | lines, opens)


class LineRecorder(Recorder):
    """Records the source lines of each value, joined from those of its parts."""

    __slots__ = ("numbering", "tracing")

    def __init__(
        self, deciding: Deciding, tracing: Tracing, sink: Sink, budget: Budget | None = None
    ) -> None:
        super().__init__(deciding, tracing.lets, sink, budget)
        self.tracing = tracing
        self.numbering = tracing.numbering

    def let(self, key: LetKey, inner: hir.Expr) -> Traced:
        """The value of the `let` with this key, as it was recorded when it was evaluated."""
        return self.lets[key]

    def prov(self, expr: hir.Expr, value: Value) -> Prov:
        """The provenance of *value*, the value of *expr*. Its parts are in `parts`. Raises Failed.
        """
        lines, parts = self.numbering.lines, self.parts
        match expr:
            case hir.Const():
                if isinstance(expr.value, str):
                    return self.text_prov((expr.value,), expr.span)
                return Prov(lines(expr.span))
            case hir.Text():
                return self.text_prov(expr.parts, expr.span)
            case hir.NixCode():
                return self.text_prov(expr.parts, expr.span, nix=True)
            case hir.AxisRef():
                return Prov(lines(expr.span) | self.tracing.axis(self.deciding, expr))
            case hir.LetRef():
                opening = self.tracing.opening(expr.target)
                return parts[0].prov.under(opening | lines(expr.span))
            case hir.SettingRef():
                return self.tracing.setting(self.deciding, expr).under(lines(expr.span))
            case hir.Member():
                return self.member_prov(expr)
            case hir.Index():
                return self.index_prov(expr)
            case hir.Each():
                return self.each_prov(expr)
            case hir.ListOf():
                return self.list_prov(expr)
            case hir.RecordOf():
                return self.record_prov(expr)
            case hir.Not():
                return Prov(parts[0].prov.all | self.numbering.first(expr.span))
            case hir.Compare():
                return Prov(self.compared(expr))
            case hir.Logic():  # the second operand only if the first one does not decide
                return Prov(_all(parts))
            case hir.If():
                condition, chosen = parts
                return chosen.prov.under(condition.prov.all)
            case hir.Apply():
                return self.applied(expr, value)
            case hir.NeedRef():
                return self.needed(expr)
            case hir.Link():
                return self.linked(expr, value)
            case hir.FieldRef(name) if name in self.bound:
                return parts[0].prov.item(self.bound[name].number).under(lines(expr.span))
            case hir.NixRoot() | hir.FieldRef() | hir.Rows() | hir.Lacks():
                return Prov(lines(expr.span))
            case hir.Broken():
                raise Failed
            case _:
                assert_never(expr)

    # --- texts ---------------------------------------------------------------------------

    def text_prov(
        self, written: Sequence[str | hir.Expr | hir.NixInterpolation], span: Span, *,
        nix: bool = False,
    ) -> Prov:  # fmt: skip
        """The provenance of a text, piece by piece. A *nix* text has one piece for each value in
        it."""
        places = SourceLines(span, self.numbering.sources)
        bit = self.numbering.line
        rope: list[Run] = []
        values = iter(self.parts)
        for part in written:
            if not isinstance(part, str):
                inner = next(values)
                rope += ((None, inner.prov.all),) if nix else _runs(inner)
                continue
            for number, piece in enumerate(part.split("\n")):
                if number:
                    rope.append((1, bit(span.file, places.line)))
                    places.next()
                if piece:
                    rope.append((len(piece), bit(span.file, places.line)))
        own = self.numbering.first(span) if self.tracing.bare_fence(span) else 0
        if not rope:
            return Prov(own | self.numbering.lines(span), None, ())
        if places.fenced:
            least = sole_least(written)
            if least is not None:
                own |= bit(span.file, places.number(least))
            if isinstance(written[-1], str) and written[-1].endswith("\n"):
                # The fence is on a line of its own, so the last line of the text has an end.
                rope.insert(-1, (0, bit(span.file, places.line)))
        if len(rope) >= _RUNS:
            shared, weight = self.deciding.shared, Weight()
            weight.elements = len(rope)
            shared.remember(weight)
            shared.total.asks(len(rope) // _RUNS)
        return Prov(own, None, tuple(rope))

    # --- what is looked up ---------------------------------------------------------------

    def member_prov(self, expr: hir.Member) -> Prov:
        lines, (of,) = self.numbering.lines, self.parts
        if isinstance(of.value, RowValue):
            fact = of.value.facts.get(expr.name)
            if fact is None:
                raise Failed
            if isinstance(expr.base, hir.AxisRef):  # the row itself is not read
                return Prov(lines(expr.span) | lines(fact.span))
            return Prov(lines(expr.span) | lines(fact.span) | of.prov.all)
        if isinstance(of.value, Record):
            keys = [key for key, _ in of.value]
            return of.prov.item(keys.index(expr.name)).under(lines(expr.name_span))
        return Prov(of.prov.all | lines(expr.span))

    def index_prov(self, expr: hir.Index) -> Prov:
        of, by = self.parts
        base, key, prov, lines = of.value, by.value, of.prov, by.prov.all
        if isinstance(base, tuple) and isinstance(key, int):
            return prov.item(key).under(lines)
        if isinstance(key, RowValue):
            key = key.name
        if not isinstance(key, str):
            raise Failed
        if isinstance(base, RowValue):
            return Prov(prov.all | lines | self.numbering.lines(base.facts[key].span))
        if isinstance(base, Record):
            found = base.get(key)
            if isinstance(found, Missing):
                raise Failed
            if isinstance(expr.base, hir.Rows) and isinstance(found, RowValue):
                return Prov(prov.all | lines | self.numbering.lines(found.span))
            return prov.item([one for one, _ in base].index(key)).under(lines)
        return Prov(prov.all | lines)

    def compared(self, expr: hir.Compare) -> Lines:
        left, _ = self.parts
        found = _all(self.parts)
        if isinstance(expr.right, hir.Rows):
            # The row decides the comparison if it exists; otherwise the table does.
            row = expr.right.table.rows.get(kind_text(left.value) or "")
            found |= self.numbering.lines(row.span if row is not None else expr.right.table.span)
        return found

    # --- what is needed ------------------------------------------------------------------

    def needed(self, ref: hir.NeedRef) -> Prov:
        """The provenance of the need that *ref* names, or of the value that it reads from the
        needed recipe."""
        own = Prov(self.numbering.lines(ref.span))
        deciding = self.deciding.lister or self.deciding
        setting = deciding.decide(("needs", ref.name))
        if not ref.path or setting is None or setting.prov is None:
            return own
        found = setting.prov.all | setting.prov.head
        links = deciding.shared.links
        target = links.target(deciding, setting.value)
        if target is not None and ref.path == ("variant",):
            found |= self.tracing.of(target, target.matrix.name_expr).all
        elif target is not None:
            read = links.setting(target, ref.path)
            if read is not None and read.prov is not None:
                found |= read.prov.all | read.prov.head
        return own.under(found)

    def linked(self, link: hir.Link, value: Value) -> Prov:
        """The provenance of a link: the choices in its brackets, the values of this cell, and the
        name, the files and the pin of the variant."""
        tracing = self.tracing
        found = self.numbering.lines(link.span)
        for one in link.choices:
            found |= self.chosen(one, link)
        found |= _all(self.parts)
        for pick in self.deciding.matrix.axes:
            if pick.axis.name in link.shared:
                axis = hir.AxisRef(pick.axis.name, None, link.span)
                found |= tracing.axis(self.deciding, axis)
        links = self.deciding.shared.links
        target = links.target(self.deciding, value)
        if target is not None:
            exprs, pin = links.decides_file(target)
            for expr in (target.matrix.name_expr, *exprs):
                found |= self.numbering.lines(expr.span) | tracing.of(target, expr).all
            choice = target.decide(("pin", ""))
            if choice is not None and choice.prov is not None:
                found |= choice.prov.all | choice.prov.head
            found |= pin.prov.chosen if pin is not None and pin.prov is not None else 0
            for setting in () if link.by_argument else links.handed_by(target):
                found |= setting.prov.all | setting.prov.head if setting.prov is not None else 0
        return Prov(found)

    def chosen(self, choice: hir.AxisChoice, link: hir.Link) -> Lines:
        """The lines that decide the value of an axis, and the facts of its rows that the choice
        reads."""
        found = self.numbering.lines(choice.span)
        fields: set[str] = set()
        for expr in walk([choice.value]) if choice.where else ():
            if isinstance(expr, hir.FieldRef):
                fields.add(expr.name)
                continue
            with suppress(Failed):
                found |= self.tracing.of(self.deciding, expr).all
        for matrix in link.targets:
            for pick in matrix.axes:
                for value in pick.values if pick.axis.name == choice.axis else ():
                    if isinstance(value, RowValue):
                        found |= self.numbering.lines(value.span)
                        for name in fields & set(value.facts):
                            found |= self.numbering.lines(value.facts[name].span)
        return found

    # --- what is put together ------------------------------------------------------------

    def each_prov(self, expr: hir.Each) -> Prov:
        """The provenance of a list with `for`. An element has the lines of its source element and
        those of the condition. Source elements that make no element are on no line, so they become
        head lines."""
        source, *others = self.parts
        found: list[Prov] = []
        left_out = 0 if source.value else source.prov.all
        number, asked = -1, 0
        for part in others:
            if part.expr is not expr.items:
                asked = part.prov.all
            if part.expr is not expr.items or expr.condition is None:
                number += 1
            own = asked | source.prov.item(number).all
            if part.expr is expr.items:
                count = len(part.value) if isinstance(part.value, tuple) else 0
                found += [part.prov.item(one).under(own) for one in range(count)]
                left_out |= 0 if count else own | part.prov.all
            elif not part.value:
                left_out |= own
        return Prov(0, tuple(found), None, left_out)

    def list_prov(self, expr: hir.ListOf) -> Prov:
        found: list[Prov] = []
        head = 0  # items that add no element are on no line
        for item, made in zip(expr.items, self.parts, strict=True):
            if not isinstance(item, hir.Spread):
                found.append(made.prov)
                continue
            own = self.tracing.opens(item.span, item.value)
            count = len(made.value) if isinstance(made.value, tuple) else 0
            if isinstance(item.value, hir.Each):
                own, head = 0, head | made.prov.head
            found += [made.prov.item(number).under(own) for number in range(count)]
            if not count:
                head |= made.prov.all | own
        own = self.tracing.opens(expr.span, expr) if found else self.numbering.lines(expr.span)
        return Prov(own, tuple(found), None, head)

    def record_prov(self, expr: hir.RecordOf) -> Prov:
        pairs = zip(expr.entries, self.parts, strict=True)
        entries = [(path, made.prov) for (path, _), made in pairs]
        own = self.tracing.opens(expr.span, expr) if entries else self.numbering.lines(expr.span)
        return Prov(own, _entries(entries))

    def applied(self, expr: hir.Apply, value: Value) -> Prov:
        same = isinstance(value, NixCall) and value.function == expr.function
        if same and expr.function != "input":  # an address has one form for all inputs
            made = tuple([one.prov for one in self.parts])
            return Prov(self.tracing.opens(expr.span, expr), made)
        return Prov(self.numbering.first(expr.span) | _all(self.parts))


class LateRecorder(LineRecorder):
    """Records the values of a setting that is decided with late parts. These are added to *used*.
    """

    __slots__ = ("lates", "used")

    lates: Lates
    used: dict[Late, None]

    def evaluated(self, expr: hir.Expr) -> tuple[Value, Prov]:
        place = self.lates.place(expr)
        return self._placed(expr, place) if place is not None else super().evaluated(expr)

    def _placed(self, expr: hir.Expr, place: Late | hir.Expr) -> tuple[Value, Prov]:
        """The value of *expr*, and its provenance. *place* is evaluated in its place."""
        if isinstance(place, Late):
            self.used[place] = None
            bit = self.lates.bits[place]
            if self.lates.exprs[place] is None:  # the name of the variant
                bit |= self.numbering.lines(expr.span)
            return NixText((place,)), Prov(bit)
        if isinstance(place, hir.SettingRef):
            value, prov = self.deciding.late_setting(place, self.used)
            return value, (prov or NOWHERE).under(self.numbering.lines(expr.span))
        return self.value(place), self.prov(expr, NONE)


def _runs(part: Traced) -> tuple[Run, ...]:
    """The pieces of a value that is part of a text."""
    value, prov = part.value, part.prov
    if isinstance(value, str | NixText) and prov.rope is not None:
        return prov.runs(value) or ((0, prov.all),)
    if isinstance(value, NixText):
        return prov.runs(value)
    known = None if is_nix(value) else kind_text(value)
    return ((None if known is None else len(known), prov.all),)


def _all(parts: Iterable[Traced]) -> Lines:
    found = 0
    for one in parts:
        found |= one.prov.all
    return found


def _entries(entries: list[tuple[hir.Path, Prov]]) -> tuple[Prov, ...]:
    """The provenance of each key of a record, in the order of the first writes."""
    inner: dict[str, list[tuple[hir.Path, Prov]]] = {}
    whole: dict[str, Prov] = {}
    for path, prov in entries:
        if len(path) == 1:
            whole[path[0]] = prov
        inner.setdefault(path[0], []).append((path[1:], prov))
    return tuple(
        [whole[key] if key in whole else Prov(0, _entries(one)) for key, one in inner.items()]
    )
