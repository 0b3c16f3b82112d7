"""Ask the elaboration of one variant again, and note what each value is made of.

Nothing of this is kept while variants are decided: it is made for the few that are asked about.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES
from tvarc.decide.decide import Deciding
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.lines import TextLine, lines_of
from tvarc.decide.merge import origin_of, rank_of
from tvarc.decide.plan import is_none, own_parts
from tvarc.light import Iterable, Iterator, dataclass, replace, suppress
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.budget import Budget
from tvarc.meaning.evaluation.evaluate import Evaluator
from tvarc.meaning.evaluation.operands import operands
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.source import SourceMap, Span
from tvarc.values.reads import ElementStep, FactRead, Held, NameRead, Reads, Steps
from tvarc.values.value import MISSING, Fact, Missing, RowValue, Value, same


@dataclass(frozen=True, slots=True)
class Written:
    """A write of the program, whose body it stands in, and how deep in the recipe chain."""

    write: hir.Write
    whose: str
    depth: int
    deciding: Deciding

    @property
    def expr(self) -> hir.Expr:
        return self.write.value

    @property
    def rank(self) -> tuple[int, int, bool]:
        return rank_of(self.write, self.depth)

    def standing(self) -> str:
        """`recipe torch's `=``, `recipe torch's `=` under a condition`, and the like."""
        op = self.write.op
        word = {"default": f"default {op}", "force": f"force {op}"}.get(self.write.strength, op)
        under = " under a condition" if self.write.conditions else ""
        return f"{self.whose}'s `{word}`{under}"


class Trace:
    """Answers for one variant of an elaboration; see `tvarc.commands.report.why.Why`."""

    def __init__(
        self, elaboration: Elaboration, variant: Variant, recipe: ir.Recipe, sources: SourceMap
    ) -> None:
        silent = elaboration.silent()
        deciding = silent.deciding(variant)
        used = {overlay.declared for overlay in recipe.overlays}
        self.sources = sources
        self.written: dict[Span, Written] = {}
        for one in (*_overlays(silent, used, deciding), *_settings(silent, deciding)):
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
        self,
        origin: ir.Origin,
        value: Value | Missing = MISSING,
        line: int | None = None,
        path: ir.Path = (),
        nth: int = 0,
    ) -> Reads:
        written = self.written.get(origin.span)
        if written is None:
            return Reads()
        noting = Noting(written.deciding)
        through: list[hir.LetRef] = []
        expr = _inner_expr(written.expr, _keys(written.write, path), through)
        if line is not None:
            lines = self.lines(written, expr)
            noting.look(lines[line].exprs if line < len(lines) else ())
        elif isinstance(value, Missing):
            noting.look((expr,))
        else:
            noting.look((_element_expr(expr, value, nth, written.deciding, through),))
        noting.note(through)
        return noting.reads()

    def rank(self, winner: ir.Origin, loser: ir.Origin) -> str:
        best, other = self.written.get(winner.span), self.written.get(loser.span)
        if best is None or other is None or best.write.span == other.write.span:
            return ""
        op = other.write.op
        over = best.rank > other.rank if op in ("=", "part") else best.depth > other.depth
        return f"{best.standing()} over {other.standing()}" if over else ""

    def line(self, origin: ir.Origin, number: int, path: ir.Path = ()) -> Span:
        written = self.written.get(origin.span)
        if written is None:
            return origin.span
        lines = self.lines(written, _inner_expr(written.expr, _keys(written.write, path), []))
        return lines[number].span if number < len(lines) else origin.span

    def kept_out(self, path: tuple[str, ...]) -> Iterator[tuple[Written, Held]]:
        """What writes the setting *path*, or a part of a script, and is not let in: each with the
        first of its conditions that does not hold."""
        for written in self.written.values():
            if path not in _places(written):
                continue
            for condition in written.write.conditions:
                noting = Noting(written.deciding)
                with suppress(Failed):
                    if noting.evaluator.truth(condition.expr, "when"):
                        continue
                    asked = operands(condition.expr, noting.evaluator.value)
                    pairs = tuple((one.text, one.value) for one in asked)
                    yield written, Held(condition.span, pairs, noting.reads())
                break

    def place(self, origin: ir.Origin, path: ir.Path, steps: Steps) -> Span:
        written = self.written.get(origin.span)
        if written is None:
            return origin.span
        expr, found = written.expr, origin.span
        for step in (*_keys(written.write, path), *steps):
            try:
                piece = _piece(expr, step, written.deciding)
            except Failed:
                break
            if piece is None:
                break
            found, expr = piece
        return found

    def lines(self, written: Written, expr: hir.Expr) -> tuple[TextLine, ...]:
        """The lines of the text that *expr* makes; empty where it cannot be told how."""
        return lines_of(expr, Noting(written.deciding).evaluator, self.sources)

    def added_nothing(self, path: ir.Path) -> Iterator[ir.Origin]:
        """The `+=` to the setting *path* that apply here and have no element."""
        for written in self.written.values():
            write = written.write
            if write.op != "+=" or _place(written) != path:
                continue
            with suppress(Failed):
                if not written.deciding.holds(write.conditions):
                    continue
                if Noting(written.deciding).evaluator.value(write.value) == ():
                    yield origin_of(write)

    def taken_out(self, path: ir.Path) -> Iterator[Written]:
        """The `part … = none` that apply here to *path*, a text or a part of one."""
        for written in self.written.values():
            write = written.write
            if write.part is not None and is_none(write.value) and path in _places(written):
                with suppress(Failed):
                    if self.takes(written):
                        yield written

    def takes(self, written: Written) -> bool:
        """Whether *written*, a `part … = none`, takes something out. Raises Failed."""
        write = written.write
        if write.part is None or not written.deciding.holds(write.conditions):
            return False
        others = [
            other
            for other in self.written.values()
            if other.write.part is not None
            and other.deciding is written.deciding
            and (other.write.path, other.write.part.name) == (write.path, write.part.name)
            and not is_none(other.write.value)
            and other.deciding.holds(other.write.conditions)
        ]
        return all(written.rank > other.rank for other in others) and bool(
            others or write.part.name in own_parts(write.path)
        )


def _path(write: hir.Write) -> tuple[str, ...]:
    """The path of what *write* writes, as `explain` is given it."""
    if write.part is not None:
        return (*write.path, write.part.name or "")
    return ("flags", *write.path[1:]) if write.path[0] == "flag" else write.path


def _place(written: Written) -> ir.Path:
    """The path of what is written, as `explain` is given it: an overlay's name comes first."""
    path = _path(written.write)
    overlay = written.deciding.overlay
    if not overlay:
        return path
    return ("overlays", overlay, *(path[1:] if path[0] == ATTRIBUTES else path))


def _places(written: Written) -> tuple[ir.Path, ...]:
    """The path of what is written, and that of the text if it is a part of one."""
    place = _place(written)
    return (place,) if written.write.part is None else (place, place[:-1])


def _keys(write: hir.Write, path: ir.Path) -> ir.Path:
    """The steps of *path*, as `explain` takes it, that lead into the value of *write*."""
    own = _path(write)
    if path[:1] == ("overlays",):
        path = path[2:]
        own = own[1:] if own[0] == ATTRIBUTES else own
    return path[len(own) :] if path[: len(own)] == own else ()


class Noting:
    """An environment that evaluates expressions again, to note which facts, settings, `let`s and
    axes they read. Their values have been decided before."""

    def __init__(self, deciding: Deciding) -> None:
        self.deciding = deciding
        self.facts: dict[tuple[str, str, str], FactRead] = {}
        self.settings: dict[hir.Path, hir.SettingRef] = {}
        self.lets: dict[str, tuple[hir.LetDef, Value]] = {}
        self.evaluator = _Evaluator(self)

    def look(self, exprs: Iterable[hir.Expr]) -> None:
        """Note what *exprs* read; those that have no value are reported elsewhere."""
        for expr in exprs:
            try:
                self.evaluator.value(expr)
            except Failed:
                continue

    def note(self, refs: Iterable[hir.LetRef]) -> None:
        """Note the `let`s that were passed through, without what they read in turn."""
        for ref in refs:
            with suppress(Failed):
                self.lets.setdefault(
                    ref.target.id, (ref.target, self.deciding.let(ref, self.evaluator.budget))
                )

    def reads(self) -> Reads:
        settings = tuple(".".join(path) for path in self.settings if path not in _OWN)
        names = [
            NameRead("input" if hir.is_input(let) else "let", let.name, value, _whole(let))
            for let, value in self.lets.values()
        ]
        return Reads(tuple(self.facts.values()), settings, (*self.own(), *names))

    def own(self) -> Iterator[NameRead]:
        """What was read of the names that each variant has."""
        matrix = self.deciding.matrix
        if ("variant",) in self.settings:
            yield NameRead("variant", "variant", self.deciding.variant, matrix.name_expr.span)
        if ("recipe",) in self.settings:
            yield NameRead("recipe", "recipe", matrix.recipe.name, matrix.recipe.span)
        if ("matrix",) in self.settings:
            yield NameRead("matrix", "matrix", matrix.name, matrix.span)

    # --- what expressions may ask for ----------------------------------------------------

    def axis(self, ref: hir.AxisRef) -> Value:
        return self.deciding.axis(ref)

    def setting(self, ref: hir.SettingRef) -> Value:
        self.settings.setdefault(ref.path, ref)
        return self.deciding.setting(ref)

    def let(self, ref: hir.LetRef, budget: Budget) -> Value:
        target = ref.target
        if target.expr is None:
            raise Failed
        known = self.lets.get(target.id)
        if known is None:  # evaluated here, not taken from what is remembered: its reads count
            known = self.lets[target.id] = (target, self.evaluator.value(target.expr))
        return known[1]

    def field(self, ref: hir.FieldRef) -> Value:
        return self.deciding.field(ref)

    def need(self, ref: hir.NeedRef) -> Value:
        return self.deciding.need(ref)

    def link(self, link: hir.Link) -> Value:
        self.look(choice.value for choice in link.choices if not choice.where)
        return self.deciding.link(link)

    def lacks(self, link: hir.Link) -> bool:
        return self.deciding.lacks(link)

    def fact(self, row: RowValue, name: str) -> None:
        fact = row.facts.get(name)
        if fact is not None:
            self.facts.setdefault((row.table, row.name, name), _fact_read(row, name, fact))


def _fact_read(row: RowValue, name: str, fact: Fact) -> FactRead:
    table = row.table.rpartition("::")[2]
    if fact.shadowed is not None:  # what the row says of its sources is not said of this one
        old = _fact_read(row, name, fact.shadowed)
        return FactRead(
            table, row.name, name, fact.value, fact.span, shadowed=old, because=fact.because
        )
    if fact.span.file != row.span.file:  # added by another module, of which the same holds
        return FactRead(table, row.name, name, fact.value, fact.span)
    sources, mark = row.facts.get("sources"), row.facts.get("mark")
    listed = sources.value if sources is not None and isinstance(sources.value, tuple) else ()
    return FactRead(
        table,
        row.name,
        name,
        fact.value,
        fact.span,
        tuple(one for one in listed if isinstance(one, str)),
        mark.value if mark is not None and isinstance(mark.value, str) else "",
        because=fact.because,
    )


def _whole(let: hir.LetDef) -> Span:
    """From the name of *let* to the end of its value."""
    end = let.expr.span.end if let.expr is not None else let.span.end
    return Span(let.span.file, let.span.start, end)


_OWN = (("variant",), ("recipe",), ("matrix",))


class _Evaluator(Evaluator):
    __slots__ = ("noting",)

    def __init__(self, noting: Noting) -> None:
        super().__init__(noting, Sink(), noting.deciding.shared.hashes)
        self.noting = noting

    def value(self, expr: hir.Expr) -> Value:
        if isinstance(expr, hir.Member) and isinstance(expr.base, hir.AxisRef):
            # A fact of it is read, not which one it is.
            return self.member(self.noting.axis(expr.base), expr.name, expr.name_span)
        return super().value(expr)

    def member(self, base: Value, name: str, span: Span) -> Value:
        if isinstance(base, RowValue):
            self.noting.fact(base, name)
        return super().member(base, name, span)


def _settings(elaboration: Elaboration, deciding: Deciding) -> Iterator[Written]:
    """What is written for a variant: by its recipes, its matrix, its pin, the command line."""
    plan, matrix = deciding.plan, deciding.matrix
    chain = matrix.recipe.chain()
    names = {depth: f"recipe {recipe.name}" for depth, recipe in enumerate(chain, start=1)}
    kind = "variant" if matrix.single else "matrix"
    for depth, layer in enumerate(matrix.layers, start=len(chain) + 1):
        names[depth] = f"{kind} {layer.name}"
    for group in plan.groups.values():
        for placed in group:
            whose = names.get(placed.depth, "the command line")
            yield Written(placed.write, whose, placed.depth, deciding)
    for flag, depth in plan.flags.values():
        write = hir.Write(
            ("flag", flag.name), "=", flag.default, "default", (), flag.because, flag.layer,
            flag.span,
        )  # fmt: skip
        yield Written(write, names[depth], depth, deciding)
    for output in elaboration.program.outputs:
        span = output.file.span
        names_file = hir.Write(
            ("files", output.name), "=", output.file, "normal", (), "", output.name, span
        )
        yield Written(names_file, f"output {output.name}", 0, deciding)
    try:
        pin = elaboration.pins.get(deciding.pin_id() or "")
    except Failed:
        pin = None
    for write in (*pin.fields.values(), *pin.blocks) if pin is not None else ():
        yield Written(write, f"pin {pin.name if pin is not None else ''}", 0, deciding)


def _overlays(elaboration: Elaboration, used: set[Span], deciding: Deciding) -> Iterator[Written]:
    """What the overlays in effect write."""
    for overlay in elaboration.program.overlays:
        if overlay.span not in used:
            continue
        plan = elaboration.overlays.plan(overlay, deciding.matrix)
        inner = deciding.within(plan, overlay.name)
        whose = f"{'patch' if overlay.patch else 'overlay'} {overlay.name}"
        for group in plan.groups.values():
            for placed in group:
                yield Written(placed.write, whose, placed.depth, inner)


# --- which part of an expression makes a part of its value ------------------------------------


def _element_expr(
    expr: hir.Expr, value: Value, nth: int, deciding: Deciding, through: list[hir.LetRef]
) -> hir.Expr:
    """What in *expr* makes the element *value* of its list, of equal ones the *nth*; all of it
    where that is not plain. The `let`s by which it comes there are added to *through*."""
    if isinstance(expr, hir.LetRef) and expr.target.expr is not None:
        through.append(expr)
        return _element_expr(expr.target.expr, value, nth, deciding, through)
    if not isinstance(expr, hir.ListOf):
        return expr
    item, nth = _item_of(expr, value, nth, deciding)
    if isinstance(item, hir.Spread):
        return _element_expr(item.value, value, nth, deciding, through)
    return item


def _piece(
    expr: hir.Expr, step: str | ElementStep, deciding: Deciding
) -> tuple[Span, hir.Expr] | None:
    """Where in *expr* the entry or element of its value is written that *step* leads to, and what
    is written there; None where it is not written by itself."""
    opened = _opened(expr, deciding)
    if isinstance(step, str):
        entry = _entry_expr(opened, step, [])
        if isinstance(entry, hir.RecordOf) and entry.span == opened.span:
            # Of `{ a.b = 1, a.c = 2 }` the entry `a` begins where the first of them does.
            return (entry.entries[0][1].span, entry) if entry is not opened else None
        return (entry.span, entry) if entry is not opened else None
    if not isinstance(opened, hir.ListOf):
        return None
    item, nth = _item_of(opened, step.value, step.nth, deciding)
    if item is opened:
        return None
    if not isinstance(item, hir.Spread):
        return item.span, item
    # What a list puts in stands where that list is written, if it is, or else where it is put in.
    inner = _piece(item.value, ElementStep(step.value, nth), deciding)
    return inner if inner is not None else (item.span, item.value)


def _opened(expr: hir.Expr, deciding: Deciding) -> hir.Expr:
    """What is written for the value of *expr*: by the `let` that it names, in the branch that is
    taken, as the entry of a record."""
    while True:
        match expr:
            case hir.LetRef() if expr.target.expr is not None:
                expr = expr.target.expr
            case hir.If():
                holds = deciding.evaluator(Sink()).value(expr.condition) is True
                expr = expr.then if holds else expr.otherwise
            case hir.Member():
                base = _opened(expr.base, deciding)
                entry = _entry_expr(base, expr.name, [])
                if entry is base:
                    return expr
                expr = entry
            case hir.Index():
                chosen = _chosen(expr, deciding)
                if chosen is None:
                    return expr
                expr = chosen
            case _:
                return expr


def _chosen(expr: hir.Index, deciding: Deciding) -> hir.Expr | None:
    """The source of the element or the entry that *expr* chooses; None if that is not
    written by itself."""
    evaluator = deciding.evaluator(Sink())
    base, key = _opened(expr.base, deciding), evaluator.value(expr.key)
    if isinstance(key, str):
        entry = _entry_expr(base, key, [])
        return entry if entry is not base else None
    while isinstance(base, hir.ListOf) and isinstance(key, int):
        inner: hir.Expr | None = None
        for item in base.items:
            if not isinstance(item, hir.Spread):
                if key == 0:
                    return item
                key -= 1
                continue
            several = evaluator.value(item.value)
            count = len(several) if isinstance(several, tuple) else 0
            if key < count:
                inner = item.value
                break
            key -= count
        if inner is None:
            return None
        base = _opened(inner, deciding)
    return None


def _item_of(
    expr: hir.ListOf, value: Value, nth: int, deciding: Deciding
) -> tuple[hir.Expr | hir.Spread, int]:
    """The item of a list that gives it the element *value*, of equal ones the *nth*, and which of
    those that the item gives it is; the list where none is found to."""
    evaluator = deciding.evaluator(Sink())
    for item in expr.items:
        inner = item.value if isinstance(item, hir.Spread) else item
        try:
            made = evaluator.value(inner)
        except Failed:
            continue
        several = made if isinstance(item, hir.Spread) and isinstance(made, tuple) else (made,)
        count = sum(same(one, value) for one in several)
        if nth < count:
            return item, nth
        nth -= count
    return expr, 0


def _entry_expr(expr: hir.Expr, key: str, through: list[hir.LetRef]) -> hir.Expr:
    """What gives *key* in a record that *expr* writes; *expr* itself where that is not plain. The
    `let`s by which it comes there are added to *through*."""
    inner = expr
    passed: list[hir.LetRef] = []
    while isinstance(inner, hir.LetRef) and inner.target.expr is not None:
        passed.append(inner)
        inner = inner.target.expr
    if not isinstance(inner, hir.RecordOf):
        return expr
    found = [(path[1:], value) for path, value in inner.entries if path[0] == key]
    whole = [value for path, value in found if not path]
    if not found or (whole and len(found) > 1):
        return expr
    through += passed
    return whole[0] if whole else replace(inner, entries=tuple(found))


def _inner_expr(expr: hir.Expr, keys: Iterable[str], through: list[hir.LetRef]) -> hir.Expr:
    """What gives the entry under *keys*, as `_entry_expr` for one."""
    for key in keys:
        expr = _entry_expr(expr, key, through)
    return expr
