"""Explains the values of one variant: their reads, and the places of their pieces.

When a command inspects a write, the write is evaluated once with a `Recorder`, and all answers come
from that record. Nothing is recorded while variants are decided without tracing.
"""

from __future__ import annotations

from tvarc.blocks import ATTRIBUTES
from tvarc.decide.decide import Deciding
from tvarc.decide.elaborate import Elaboration
from tvarc.decide.lines import lines_of
from tvarc.decide.merge import origin_of, rank_of
from tvarc.decide.plan import GroupKey, is_none, own_parts
from tvarc.decide.recorder import LetKey, Recorder, Traced
from tvarc.light import Iterable, Iterator, dataclass, replace, suppress
from tvarc.matrix.variants import Variant
from tvarc.meaning import hir
from tvarc.meaning.evaluation.kinds import children
from tvarc.meaning.evaluation.operands import operands
from tvarc.nix import ir
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.source import SourceMap, Span
from tvarc.values.provenance import joined
from tvarc.values.reads import ElementStep, FactRead, Held, NameRead, Reads, Steps
from tvarc.values.value import MISSING, Fact, Missing, Record, RowValue, Value, same


@dataclass(frozen=True, slots=True)
class Written:
    """A write of the program. `whose` is the declaration that contains it. `depth` is the depth of
    its recipe in the chain."""

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


_KnownPiece = tuple[Traced, str | ElementStep, tuple[Span, Traced] | None]


class Trace:
    """Answers about one variant; see `tvarc.commands.shown.data.Why`. The elaboration has already
    decided the variant without an error. Values are evaluated again, so nothing is reported."""

    def __init__(
        self, elaboration: Elaboration, variant: Variant, recipe: ir.Recipe, sources: SourceMap
    ) -> None:
        self._deciding = elaboration.deciding(variant)
        self._deciding.quiet = "aside"
        self._elaboration = elaboration
        self._recipe = recipe
        self.sources = sources
        self._lets: dict[LetKey, Traced] = {}
        self._traced: dict[Span, Traced | None] = {}
        self._written: dict[Span, Written] = {}
        # By the identities of a value and a step. Both are kept, so the identities stay unique.
        self._pieces: dict[tuple[int, int], _KnownPiece] = {}

    @property
    def written(self) -> dict[Span, Written]:
        """All writes for the variant, by their spans."""
        if not self._written:
            of, deciding = self._elaboration, self._deciding
            used = {overlay.declared for overlay in self._recipe.overlays}
            for one in (*_overlays(of, used, deciding), *_settings(of, deciding)):
                self._written.setdefault(one.write.span, one)
        return self._written

    def setting(self, group: GroupKey) -> ir.Setting:
        """The setting of *group*, without late parts. The variant must have it; it may be unset."""
        setting = self._deciding.change(group)
        assert setting is not None
        return setting

    def key(self, axes: frozenset[str]) -> object:
        """The combination of values of *axes* that the variant has."""
        return self._deciding.key(axes)

    def axes_of_reads(self, origins: Iterable[ir.Origin]) -> frozenset[str] | None:
        """The axes that decide the result of `reads` for the writes at *origins*, except for the
        name of the variant. None if a setting decides it."""
        found: set[str] = set()
        reads = self._elaboration.shared.reads
        for origin in origins:
            written = self.written.get(origin.span)
            for expr in _noting([written.expr] if written is not None else []):
                own = reads.expr(expr)
                if own.settings:
                    return None
                found |= own.axes
        return frozenset(found)

    def conditions(self, origin: ir.Origin) -> tuple[Held, ...]:
        written = self.written.get(origin.span)
        if written is None:
            return ()
        return tuple([
            _held(condition, self.recorder(written.deciding))
            for condition in written.write.conditions
        ])

    def reads(
        self,
        origin: ir.Origin,
        value: Value | Missing = MISSING,
        line: int | None = None,
        path: ir.Path = (),
        nth: int = 0,
    ) -> Reads:
        written = self.written.get(origin.span)
        traced = self.traced(written) if written is not None else None
        if written is None or traced is None:
            return Reads()
        through: list[Traced] = []
        piece = _inner(traced, _keys(written.write, path), through)
        if line is not None:
            lines = lines_of(piece, self.sources)
            noted = Noted(lines[line].values if line < len(lines) else ())
        elif isinstance(value, Missing):
            noted = Noted((piece,))
        else:
            noted = Noted((_element(piece, value, nth, through),))
        noted.passed(through)
        return noted.reads(written.deciding)

    def recorder(self, deciding: Deciding) -> Recorder:
        """The recording evaluator for a plan of the variant."""
        return Recorder(deciding, self._lets, Sink())

    def traced(self, written: Written) -> Traced | None:
        """The value of *written*, recorded once. None if it has no value."""
        span = written.write.span
        if span not in self._traced:
            recorder = self.recorder(written.deciding)
            with suppress(Failed):
                recorder.value(written.expr)
            self._traced[span] = recorder.last if recorder.parts else None
        return self._traced[span]

    def rank(self, winner: ir.Origin, loser: ir.Origin) -> str:
        best, other = self.written.get(winner.span), self.written.get(loser.span)
        if best is None or other is None or best.write.span == other.write.span:
            return ""
        op = other.write.op
        over = best.rank > other.rank if op in ("=", "part") else best.depth > other.depth
        return f"{best.standing()} over {other.standing()}" if over else ""

    def line(self, origin: ir.Origin, number: int, path: ir.Path = ()) -> Span:
        written = self.written.get(origin.span)
        traced = self.traced(written) if written is not None else None
        if written is None or traced is None:
            return origin.span
        lines = lines_of(_inner(traced, _keys(written.write, path), []), self.sources)
        return lines[number].span if number < len(lines) else origin.span

    def kept_out(self, path: tuple[str, ...]) -> Iterator[tuple[Written, Held]]:
        """The writes to the setting *path*, or to a part of a script, that do not apply. Each has
        its first condition that does not hold."""
        for written in self.written.values():
            if path not in _places(written):
                continue
            for condition in written.write.conditions:
                recorder = self.recorder(written.deciding)
                with suppress(Failed):
                    if recorder.truth(condition.expr, "when"):
                        continue
                    yield written, _held(condition, recorder)
                break

    def place(self, origin: ir.Origin, path: ir.Path, steps: Steps) -> Span:
        written = self.written.get(origin.span)
        traced = self.traced(written) if written is not None else None
        if written is None or traced is None:
            return origin.span
        found = origin.span
        for step in (*_keys(written.write, path), *steps):
            key = (id(traced), id(step))
            known = self._pieces.get(key)
            if known is None:  # elements of one list share these pieces
                known = self._pieces[key] = (traced, step, _piece(traced, step))
            if known[2] is None:
                break
            found, traced = known[2]
        return found

    def added_nothing(self, path: ir.Path) -> Iterator[ir.Origin]:
        """The `+=` to the setting *path* that apply here and add no element."""
        for written in self.written.values():
            write = written.write
            if write.op != "+=" or _place(written) != path:
                continue
            with suppress(Failed):
                if not written.deciding.holds(write.conditions):
                    continue
                traced = self.traced(written)
                if traced is not None and traced.value == ():
                    yield origin_of(write)

    def taken_out(self, path: ir.Path) -> Iterator[Written]:
        """The `part … = none` that apply here to *path*, which is a text or a part of one."""
        for written in self.written.values():
            write = written.write
            if write.part is not None and is_none(write.value) and path in _places(written):
                with suppress(Failed):
                    if self.takes(written):
                        yield written

    def takes(self, written: Written) -> bool:
        """Whether *written*, a `part … = none`, removes a part. Raises Failed."""
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


def _held(condition: hir.Condition, recorder: Recorder) -> Held:
    """*condition* with its operands, and with all that *recorder* has read."""
    asked = operands(condition.expr, recorder.value)
    pairs = tuple((one.text, one.value) for one in asked)
    return Held(condition.span, pairs, Noted(recorder.parts).reads(recorder.deciding))


def _noting(exprs: Iterable[hir.Expr]) -> Iterator[hir.Expr]:
    """The expressions in *exprs* whose reads depend on axes. Reads of an axis or a setting by its
    name are the same for all variants, and are left out."""
    for expr in exprs:
        match expr:
            case hir.Const() | hir.AxisRef() | hir.SettingRef():
                pass
            case hir.Text() | hir.ListOf() | hir.RecordOf():
                yield from _noting(children(expr))
            case hir.Apply() if not any(True for _ in _noting(children(expr))):
                pass
            case _:
                yield expr


def _path(write: hir.Write) -> tuple[str, ...]:
    """The path of the setting that *write* writes, in the form that `explain` takes."""
    if write.part is not None:
        return (*write.path, write.part.name or "")
    return ("flags", *write.path[1:]) if write.path[0] == "flag" else write.path


def _place(written: Written) -> ir.Path:
    """The path of the setting, in the form that `explain` takes: it begins with an overlay's name.
    """
    path = _path(written.write)
    overlay = written.deciding.overlay
    if not overlay:
        return path
    return ("overlays", overlay, *(path[1:] if path[0] == ATTRIBUTES else path))


def _places(written: Written) -> tuple[ir.Path, ...]:
    """The path of the setting. For a part of a text, also the path of the text."""
    place = _place(written)
    return (place,) if written.write.part is None else (place, place[:-1])


def _keys(write: hir.Write, path: ir.Path) -> ir.Path:
    """The steps of *path*, in the form that `explain` takes, that lead into the value of *write*.
    """
    own = _path(write)
    if path[:1] == ("overlays",):
        path = path[2:]
        own = own[1:] if own[0] == ATTRIBUTES else own
    return path[len(own) :] if path[: len(own)] == own else ()


class Noted:
    """The facts, settings and `let`s that recorded values read, with their values at that time."""

    def __init__(self, several: Iterable[Traced]) -> None:
        self.facts: dict[tuple[str, str, str], FactRead] = {}
        self.settings: dict[hir.Path, None] = {}
        self.lets: dict[str, tuple[hir.LetDef, Value]] = {}
        for one in several:
            self.add(one)

    def add(self, one: Traced) -> None:
        """Note the reads of *one* and of its parts."""
        if isinstance(one.expr, hir.LetRef) and one.expr.target.id in self.lets:
            return
        for part in one.parts:
            self.add(part)
        match one.expr:
            case hir.LetRef(target=target):
                self.lets[target.id] = (target, one.value)
            case hir.SettingRef(path=path):
                self.settings.setdefault(path)
            case _:
                pass
        if one.fact is not None:
            row, name, fact = one.fact
            self.facts.setdefault((row.table, row.name, name), _fact_read(row, name, fact))

    def passed(self, lets: Iterable[Traced]) -> None:
        """Note *lets*, through which a value came to its place, and the conditions that let it in.
        What the `let`s read is not noted."""
        for one in lets:
            if isinstance(one.expr, hir.LetRef):
                target = one.expr.target
                self.lets.setdefault(target.id, (target, one.value))
            else:
                self.add(one)

    def reads(self, deciding: Deciding) -> Reads:
        """The noted reads, for the variant of *deciding*."""
        settings = tuple(".".join(path) for path in self.settings if path not in _OWN)
        names = [
            NameRead("input" if hir.is_input(let) else "let", let.name, value, _whole(let))
            for let, value in self.lets.values()
        ]
        return Reads(tuple(self.facts.values()), settings, (*self._own(deciding), *names))

    def _own(self, deciding: Deciding) -> Iterator[NameRead]:
        """The noted reads of the names that every variant has."""
        matrix = deciding.matrix
        if ("variant",) in self.settings:
            yield NameRead("variant", "variant", deciding.variant, matrix.name_expr.span)
        if ("recipe",) in self.settings:
            yield NameRead("recipe", "recipe", matrix.recipe.name, matrix.recipe.span)
        if ("matrix",) in self.settings:
            yield NameRead("matrix", "matrix", matrix.name, matrix.span)


def _fact_read(row: RowValue, name: str, fact: Fact) -> FactRead:
    table = row.table.rpartition("::")[2]
    if fact.shadowed is not None:  # the row's sources are not those of a corrected fact
        old = _fact_read(row, name, fact.shadowed)
        return FactRead(
            table, row.name, name, fact.value, fact.span, shadowed=old, because=fact.because
        )
    if fact.span.file != row.span.file:  # by another module: the row's sources are not its own
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
    """The span from the name of *let* to the end of its value."""
    end = let.expr.span.end if let.expr is not None else let.span.end
    return Span(let.span.file, let.span.start, end)


_OWN = (("variant",), ("recipe",), ("matrix",))


def _settings(elaboration: Elaboration, deciding: Deciding) -> Iterator[Written]:
    """The writes for a variant: those of its recipes, its matrix, its pin, and the command line."""
    plan, matrix = deciding.plan, deciding.matrix
    chain = matrix.recipe.chain()
    names = {depth: f"{recipe.noun} {recipe.name}" for depth, recipe in enumerate(chain, start=1)}
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
        names_file = hir.plain_write(("files", output.name), output.file, output.name, span)
        yield Written(names_file, f"output {output.name}", 0, deciding)
    try:
        pin = elaboration.pins.get(deciding.pin_id() or "")
    except Failed:
        pin = None
    for write in (*pin.fields.values(), *pin.blocks) if pin is not None else ():
        yield Written(write, f"pin {pin.name if pin is not None else ''}", 0, deciding)


def _overlays(elaboration: Elaboration, used: set[Span], deciding: Deciding) -> Iterator[Written]:
    """The writes of the overlays in effect."""
    for overlay in elaboration.program.overlays:
        if overlay.span not in used:
            continue
        plan = elaboration.overlays.plan(overlay, deciding.matrix)
        inner = deciding.within(plan, overlay.name)
        inner.quiet = "aside"
        whose = f"{'patch' if overlay.patch else 'overlay'} {overlay.name}"
        for group in plan.groups.values():
            for placed in group:
                yield Written(placed.write, whose, placed.depth, inner)


# --- which part of a value is which piece of it ----------------------------------------------


def _element(one: Traced, value: Value, nth: int, through: list[Traced]) -> Traced:
    """The origin of an element in *one*, a list: the *nth* element that equals *value*. *one*
    itself if it is no plain list. The `let`s on the way are added to *through*."""
    if isinstance(one.expr, hir.LetRef):
        through.append(one)
        return _element(one.parts[0], value, nth, through)
    found = _item_of(one, value, nth)
    if found is None:
        return one
    item, made, nth = found
    if isinstance(one.expr, hir.Each):
        beside = zip(one.parts, one.parts[1:], strict=False)
        conditions = [asked for asked, part in beside if part is made]
        through += conditions if one.expr.condition is not None else ()
    return _element(made, value, nth, through) if isinstance(item, hir.Spread) else made


def _piece(one: Traced, step: str | ElementStep) -> tuple[Span, Traced] | None:
    """The place and the expression of the entry or element of *one* that *step* leads to. None if
    it is not written separately."""
    opened = _opened(one)
    if isinstance(step, str):
        entry = _entry(opened, step, [])
        if entry is opened:
            return None
        if isinstance(entry.expr, hir.RecordOf) and entry.expr.span == opened.expr.span:
            # In `{ a.b = 1, a.c = 2 }`, the entry `a` begins at the first of its keys.
            return (entry.expr.entries[0][1].span, entry)
        return (entry.expr.span, entry)
    found = _item_of(opened, step.value, step.nth)
    if found is None:
        return None
    item, made, nth = found
    if not isinstance(item, hir.Spread):
        return item.span, made
    # A spread element is in the list that contains it, or else at the spread.
    inner = _piece(made, ElementStep(step.value, nth))
    return inner if inner is not None else (item.span, made)


def _opened(one: Traced) -> Traced:
    """The expression behind *one*: the value of the `let` that it names, the branch that is taken,
    or the entry of a record."""
    while True:
        match one.expr:
            case hir.LetRef():
                one = one.parts[0]
            case hir.If():
                one = one.parts[1]
            case hir.Member(name=name):
                base = _opened(one.parts[0])
                entry = _entry(base, name, [])
                if entry is base:
                    return one
                one = entry
            case hir.Index():
                chosen = _chosen(one)
                if chosen is None:
                    return one
                one = chosen
            case _:
                return one


def _chosen(one: Traced) -> Traced | None:
    """The record of the element or the entry that *one*, an index, selects. None if this is not
    written separately."""
    base, key = _opened(one.parts[0]), one.parts[1].value
    if isinstance(key, str):
        entry = _entry(base, key, [])
        return entry if entry is not base else None
    while isinstance(base.expr, hir.ListOf) and isinstance(key, int):
        inner: Traced | None = None
        for item, made in zip(base.expr.items, base.parts, strict=True):
            if not isinstance(item, hir.Spread):
                if key == 0:
                    return made
                key -= 1
                continue
            count = len(made.value) if isinstance(made.value, tuple) else 0
            if key < count:
                inner = made
                break
            key -= count
        if inner is None:
            return None
        base = _opened(inner)
    return None


def _item_of(
    one: Traced, value: Value, nth: int
) -> tuple[hir.Expr | hir.Spread, Traced, int] | None:
    """The item of *one*, a list, that makes the *nth* element that equals *value*. With it, the
    item's value, and the number of the element among the equal ones that the item makes. None if
    there is no such item."""
    pairs: Iterable[tuple[hir.Expr | hir.Spread, Traced]] = ()
    if isinstance(one.expr, hir.ListOf):
        pairs = zip(one.expr.items, one.parts, strict=False)
    elif isinstance(one.expr, hir.Each):
        made_by = [made for made in one.parts if made.expr is one.expr.items]
        pairs = [(hir.Spread(one.expr.items, made.expr.span), made) for made in made_by]
    for item, made in pairs:
        several = made.value if isinstance(item, hir.Spread) else (made.value,)
        count = sum(same(each, value) for each in several) if isinstance(several, tuple) else 0
        if nth < count:
            return item, made, nth
        nth -= count
    return None


def _entry(one: Traced, key: str, through: list[Traced]) -> Traced:
    """The origin of *key* in *one*, a record. *one* itself if it is no plain record. The `let`s on
    the way are added to *through*."""
    inner = one
    passed: list[Traced] = []
    while isinstance(inner.expr, hir.LetRef):
        passed.append(inner)
        inner = inner.parts[0]
    expr, value = inner.expr, inner.value
    if not isinstance(expr, hir.RecordOf) or not isinstance(value, Record):
        return one
    pairs = zip(expr.entries, inner.parts, strict=True)
    found = [(path[1:], made) for (path, _), made in pairs if path[0] == key]
    whole = [made for path, made in found if not path]
    if not found or (whole and len(found) > 1):
        return one
    through += passed
    if whole:
        return whole[0]
    written = replace(expr, entries=tuple([(path, made.expr) for path, made in found]))
    parts = tuple([made for _, made in found])
    of_key = value.get(key)
    assert not isinstance(of_key, Missing)
    return Traced(written, of_key, joined([made.prov for made in parts]), parts)


def _inner(one: Traced, keys: Iterable[str], through: list[Traced]) -> Traced:
    """The origin of the entry that *keys* lead to, as `_entry` finds it for one key."""
    for key in keys:
        one = _entry(one, key, through)
    return one
