"""The second reading of expressions: not what their value is, but what it was made of.

`Evaluator` stays as it is, and does nothing for this. A `Tracing` is given to an elaboration when
that is made; what it decides carries where it comes from (`provenance.model.Prov`).
"""

from __future__ import annotations

from tvarc.decide.lines import SourceLines, is_bare
from tvarc.decide.plan import GroupKey, Plan, group_of
from tvarc.light import TYPE_CHECKING, Iterable, Mapping, assert_never, dataclass, suppress
from tvarc.meaning import hir
from tvarc.meaning.budget import Budget
from tvarc.meaning.evaluation.kinds import children, walk
from tvarc.meaning.functions import kind_text
from tvarc.nix import ir
from tvarc.nix.language.indentation import sole_least
from tvarc.syntax import ast
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.source import Span
from tvarc.values.provenance import NOWHERE, Lines, Numbering, Prov, Run, Tagged
from tvarc.values.value import Missing, NixCall, NixText, Record, RowValue, Value, is_nix

if TYPE_CHECKING:
    from tvarc.decide.decide import Deciding
    from tvarc.meaning.names.load import ModuleGraph


@dataclass(frozen=True, slots=True)
class Withheld:
    """A condition that does not hold, what it was made of, and what it keeps out."""

    condition: Span
    lines: Lines
    path: hir.Path


_Kept = dict[tuple[Span, hir.Path], Withheld]
"""What is kept out of one decision of a setting."""


class Tracing:
    """What an elaboration that is traced knows of its sources, and remembers of `let`s."""

    def __init__(self, graph: ModuleGraph, numbering: Numbering) -> None:
        self.numbering = numbering
        # By the plan and the setting, and then by the values of the axes that this depends on: one
        # variant has one decision of a setting, and is not compared with those of all the others.
        self._withheld: dict[tuple[Plan, GroupKey], dict[tuple[int, ...], _Kept]] = {}
        self.lets: dict[tuple[str, str, tuple[int, ...]], Prov] = {}
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
        """The lines of the steps of a target that are no expressions."""
        found = 0
        for step in target:
            if isinstance(step, ast.Key):
                found |= self.numbering.lines(step.span)
        return found

    def heads(self, span: Span) -> Lines:
        """The lines on which the blocks begin that the item at *span* stands in."""
        return self._heads.get(span, 0)

    def overlay(self, overlay: hir.OverlayDef) -> Lines:
        """The lines on which *overlay* is declared: its name, and what it changes, by which way."""
        found = self.numbering.first(overlay.span) | self._targets.get(overlay.span, 0)
        return found if overlay.via is None else found | self.numbering.lines(overlay.via.span)

    def leaf_lines(self, expr: hir.Expr) -> Lines:
        """The lines on which something of the value of *expr* stands, as it is written there."""
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
        """Whether at *span* a text over several lines begins, and nothing of it on its line."""
        source = self.numbering.sources.get(span.file)
        if source is None:
            return False
        return is_bare(source.text[span.start : span.end])

    def opens(self, span: Span, expr: hir.Expr | None) -> Lines:
        """The first line of *span*, where nothing of *expr* stands on that."""
        first = self.numbering.first(span)
        return 0 if expr is not None and first & self.leaf_lines(expr) else first

    def keep_out(self, deciding: Deciding, condition: hir.Condition, path: hir.Path) -> None:
        """Note that *condition* does not hold, and keeps a write to *path* out."""
        lines = Tracer(deciding, self).of(condition.expr).all
        lines |= self.numbering.first(condition.span)
        plan, group = deciding.plan, deciding.open[-1] if deciding.open else ("", "")
        key = deciding.key(plan.dependencies(group, deciding.shared.reads))
        known = self._withheld.setdefault((plan.owner(group), group), {})
        known.setdefault(key, {})[condition.span, path] = Withheld(condition.span, lines, path)

    def withheld(self, deciding: Deciding, overlays: Mapping[str, Plan]) -> tuple[Withheld, ...]:
        """What is kept out of the variant of *deciding*, or of its *overlays*, by name."""
        found: _Kept = {}
        for (plan, group), known in self._withheld.items():
            of = deciding.plan if plan.lister is None else plan
            if plan.lister is None and deciding.plan.owner(group) is not plan:
                continue
            if plan.lister is not None and plan not in overlays.values():
                continue
            key = deciding.key(of.dependencies(group, deciding.shared.reads))
            found.update(known.get(key, {}))
        return tuple(found.values())

    def reason(self, because: str, span: Span | None) -> str:
        """The reason of a write, with the lines on which it stands."""
        if not because or span is None:
            return because
        return Tagged(because, self.numbering.lines(span), 0)

    def write(self, deciding: Deciding, write: hir.Write) -> Prov:
        """What the value of *write* was made of; the conditions that let it in reach all of it."""
        tracer = Tracer(deciding, self)
        prov = tracer.of(write.value)
        opens = self.heads(write.span)
        for condition in write.conditions:
            opens |= tracer.of(condition.expr).all
        first = self.opens(write.span, write.value)
        lines = opens | first
        if write.part is None:  # the line of a part does not name the setting
            opens = lines
        return prov.under(lines).headed(self.numbering.first(write.span) | lines, opens)


class Tracer:
    """What the values of expressions were made of, in one variant. Their values are known to be
    there: whoever asks has evaluated them."""

    __slots__ = ("deciding", "numbering", "tracing")

    def __init__(self, deciding: Deciding, tracing: Tracing) -> None:
        self.deciding = deciding
        self.tracing = tracing
        self.numbering = tracing.numbering

    def value(self, expr: hir.Expr) -> Value:
        return self.deciding.evaluator(Sink(), Budget()).value(expr)

    def of(self, expr: hir.Expr) -> Prov:
        """What *expr* was made of. Raises Failed where it has no value."""
        lines = self.numbering.lines
        match expr:
            case hir.Const():
                if isinstance(expr.value, str):
                    return self.text((expr.value,), expr.span)
                return Prov(lines(expr.span))
            case hir.Text():
                return self.text(expr.parts, expr.span)
            case hir.NixCode():
                parts = tuple([p if isinstance(p, str) else p.value for p in expr.parts])
                return self.text(parts, expr.span, nix=True)
            case hir.AxisRef():
                return Prov(lines(expr.span) | self.axis(expr))
            case hir.LetRef():
                return self.let(expr).under(lines(expr.span))
            case hir.SettingRef():
                return self.setting(expr).under(lines(expr.span))
            case hir.Member():
                return self.member(expr)
            case hir.Index():
                return self.index(expr)
            case hir.ListOf():
                return self.items(expr)
            case hir.RecordOf():
                return self.record(expr)
            case hir.Not():
                return Prov(self.of(expr.operand).all | self.numbering.first(expr.span))
            case hir.Compare():
                return Prov(self.compared(expr))
            case hir.Logic():
                left = self.of(expr.left).all
                if self.value(expr.left) is (expr.op == "or"):
                    return Prov(left)
                return Prov(left | self.of(expr.right).all)
            case hir.If():
                chosen = expr.then if self.value(expr.condition) is True else expr.otherwise
                return self.of(chosen).under(self.of(expr.condition).all)
            case hir.Apply():
                return self.applied(expr)
            case hir.NeedRef():
                return self.need(expr)
            case hir.Link():
                return self.link(expr)
            case hir.NixRoot() | hir.FieldRef() | hir.Rows() | hir.Lacks():
                return Prov(lines(expr.span))
            case hir.Broken():
                raise Failed
            case _:
                assert_never(expr)

    def axis(self, ref: hir.AxisRef) -> Lines:
        """Where the value of an axis is declared."""
        value = self.deciding.axis(ref)
        if isinstance(value, RowValue):
            return self.numbering.lines(value.span)
        found = 0
        for pick in self.deciding.matrix.axes:
            if pick.axis.name == ref.axis:
                found |= self.numbering.lines(pick.axis.span)
        return found

    # --- texts ---------------------------------------------------------------------------

    def text(self, parts: tuple[str | hir.Expr, ...], span: Span, *, nix: bool = False) -> Prov:
        """That of a text piece by piece; of *nix* text with one piece for each value in it."""
        places = SourceLines(span, self.numbering.sources)
        bit = self.numbering.line
        rope: list[Run] = []
        for part in parts:
            if not isinstance(part, str):
                rope += ((None, self.of(part).all),) if nix else self.interpolated(part)
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
            least = sole_least(parts)
            if least is not None:
                own |= bit(span.file, places.number(least))
            if isinstance(parts[-1], str) and parts[-1].endswith("\n"):
                # The fence is on a line of its own, and so the last line of the text has an end.
                rope.insert(-1, (0, bit(span.file, places.line)))
        return Prov(own, None, tuple(rope))

    def interpolated(self, part: hir.Expr) -> Iterable[Run]:
        """The pieces of a value within a text."""
        value, prov = self.value(part), self.of(part)
        if isinstance(value, str | NixText) and prov.rope is not None:
            return prov.runs(value) or ((0, prov.all),)
        if isinstance(value, NixText):
            return prov.runs(value)
        known = None if is_nix(value) else kind_text(value)
        return ((None if known is None else len(known), prov.all),)

    # --- what is looked up ---------------------------------------------------------------

    def let(self, ref: hir.LetRef) -> Prov:
        target = ref.target
        if target.expr is None:
            raise Failed
        reads = self.deciding.shared.reads.let(target)
        key = (target.id, self.deciding.matrix.id, self.deciding.key(reads.axes))
        known = self.tracing.lets.get(key) if not reads.settings else None
        if known is None:
            known = self.of(target.expr).under(self.tracing.opens(target.span, target.expr))
            if not reads.settings:
                self.tracing.lets[key] = known
        return known

    def setting(self, ref: hir.SettingRef) -> Prov:
        deciding, lines = self.deciding, self.numbering.first
        match ref.path:
            case ("variant",):
                return self.of(deciding.matrix.name_expr).flat()
            case ("recipe",):
                return Prov(lines(deciding.matrix.recipe.span))
            case ("matrix",):
                return Prov(lines(deciding.matrix.span))
            case ("flag", _) if deciding.lister is not None:
                return Tracer(deciding.lister, self.tracing).setting(ref)
            case _:
                setting = deciding.decide(group_of(ref.path), ref)
                if setting is None or setting.prov is None:
                    return NOWHERE  # the only pin
                if setting.parts:  # a part that is removed reaches all lines, another only its own
                    return Prov(ir.part_heads(setting.taken), None, setting.prov.rope)
                return setting.prov.under(setting.prov.head)

    def member(self, expr: hir.Member) -> Prov:
        lines = self.numbering.lines
        base, prov = self.value(expr.base), self.of(expr.base)
        if isinstance(base, RowValue):
            fact = base.facts.get(expr.name)
            if fact is None:
                raise Failed
            if isinstance(expr.base, hir.AxisRef):  # the row itself is not what was asked for
                return Prov(lines(expr.span) | lines(fact.span))
            return Prov(lines(expr.span) | lines(fact.span) | prov.all)
        if isinstance(base, Record):
            keys = [key for key, _ in base]
            return prov.item(keys.index(expr.name)).under(lines(expr.name_span))
        return Prov(prov.all | lines(expr.span))

    def index(self, expr: hir.Index) -> Prov:
        base, key = self.value(expr.base), self.value(expr.key)
        prov, lines = self.of(expr.base), self.of(expr.key).all
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
        found = self.of(expr.left).all | self.of(expr.right).all
        if isinstance(expr.right, hir.Rows):
            # Whether a row is there: where it stands, or else its table.
            left = self.value(expr.left)
            row = expr.right.table.rows.get(kind_text(left) or "")
            found |= self.numbering.lines(row.span if row is not None else expr.right.table.span)
        return found

    # --- what is needed ------------------------------------------------------------------

    def need(self, ref: hir.NeedRef) -> Prov:
        """What *ref* names, or reads of what another program's recipe decides."""
        own = Prov(self.numbering.lines(ref.span))
        deciding = self.deciding.lister or self.deciding
        setting = deciding.decide(("needs", ref.name))
        if not ref.path or setting is None or setting.prov is None:
            return own
        found = setting.prov.all | setting.prov.head
        links = deciding.shared.links
        target = links.target(deciding, setting.value)
        if target is not None and ref.path == ("variant",):
            found |= Tracer(target, self.tracing).of(target.matrix.name_expr).all
        elif target is not None:
            read = links.setting(target, ref.path)
            if read is not None and read.prov is not None:
                found |= read.prov.all | read.prov.head
        return own.under(found)

    def link(self, link: hir.Link) -> Prov:
        """Which variant it is: what says so in brackets, the values of this cell, and the name, the
        files and the pin of the variant."""
        found = self.numbering.lines(link.span)
        for one in link.choices:
            found |= self.chosen(one, link)
        for pick in self.deciding.matrix.axes:
            if pick.axis.name in link.shared:
                found |= self.axis(hir.AxisRef(pick.axis.name, None, link.span))
        links = self.deciding.shared.links
        target = links.target(self.deciding, self.deciding.link(link))
        if target is not None:
            within = Tracer(target, self.tracing)
            exprs, pin = links.decides_file(target)
            for expr in (target.matrix.name_expr, *exprs):
                found |= self.numbering.lines(expr.span) | within.of(expr).all
            choice = target.decide(("pin", ""))
            if choice is not None and choice.prov is not None:
                found |= choice.prov.all | choice.prov.head
            found |= pin.prov.chosen if pin is not None and pin.prov is not None else 0
            for setting in () if link.by_argument else links.handed_by(target):
                found |= setting.prov.all | setting.prov.head if setting.prov is not None else 0
        return Prov(found)

    def chosen(self, choice: hir.AxisChoice, link: hir.Link) -> Lines:
        """What says the value of an axis: facts of its rows among that."""
        found = self.numbering.lines(choice.span)
        fields: set[str] = set()
        for expr in walk([choice.value]):
            if isinstance(expr, hir.FieldRef):
                fields.add(expr.name)
                continue
            with suppress(Failed):
                found |= self.of(expr).all
        for matrix in link.targets:
            for pick in matrix.axes:
                for value in pick.values if pick.axis.name == choice.axis else ():
                    if isinstance(value, RowValue):
                        found |= self.numbering.lines(value.span)
                        for name in fields & set(value.facts):
                            found |= self.numbering.lines(value.facts[name].span)
        return found

    # --- what is put together ------------------------------------------------------------

    def items(self, expr: hir.ListOf) -> Prov:
        found: list[Prov] = []
        head = 0  # what spreads nothing here stands on no line of its own
        for item in expr.items:
            if not isinstance(item, hir.Spread):
                found.append(self.of(item))
                continue
            value, prov = self.value(item.value), self.of(item.value)
            own = self.tracing.opens(item.span, item.value)
            count = len(value) if isinstance(value, tuple) else 0
            found += [prov.item(number).under(own) for number in range(count)]
            if not count:
                head |= prov.all | own
        own = self.tracing.opens(expr.span, expr) if found else self.numbering.lines(expr.span)
        return Prov(own, tuple(found), None, head)

    def record(self, expr: hir.RecordOf) -> Prov:
        entries = [(path, self.of(value)) for path, value in expr.entries]
        own = self.tracing.opens(expr.span, expr) if entries else self.numbering.lines(expr.span)
        return Prov(own, _entries(entries))

    def applied(self, expr: hir.Apply) -> Prov:
        value = self.value(expr)
        made = [self.of(argument) for _, argument in expr.arguments]
        same = isinstance(value, NixCall) and value.function == expr.function
        if same and expr.function != "input":  # of which the address is one, however it is written
            return Prov(self.tracing.opens(expr.span, expr), tuple(made))
        found = self.numbering.first(expr.span)
        for one in made:
            found |= one.all
        return Prov(found)


def _entries(entries: list[tuple[hir.Path, Prov]]) -> tuple[Prov, ...]:
    """Those of a record's keys, in the order in which they are first written."""
    inner: dict[str, list[tuple[hir.Path, Prov]]] = {}
    whole: dict[str, Prov] = {}
    for path, prov in entries:
        if len(path) == 1:
            whole[path[0]] = prov
        inner.setdefault(path[0], []).append((path[1:], prov))
    return tuple(
        [whole[key] if key in whole else Prov(0, _entries(one)) for key, one in inner.items()]
    )
