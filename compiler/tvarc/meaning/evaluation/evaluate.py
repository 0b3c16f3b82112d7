"""Evaluate an expression for one variant. Known values are computed, and Nix values are passed on.

Errors are reported once, at the expression. The caller gets `Failed`.
"""

from __future__ import annotations

from tvarc.blocks import SETS
from tvarc.light import Final, Iterable, Mapping, Protocol, assert_never, dataclass
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.budget import LIMIT_TEXT, Budget, OverBudget, Weight, too_long
from tvarc.meaning.evaluation.compare import Comparison, is_uniform
from tvarc.meaning.evaluation.fetched import Fetched, SourceHashes, call_fetched, fetched, tarball
from tvarc.meaning.evaluation.formats import INPUT_FORMATS, SOURCE_FORMATS, is_open
from tvarc.meaning.evaluation.formless import (
    declaration_in,
    named_value,
    names_as_text,
    nothing_in,
    refuse,
)
from tvarc.meaning.evaluation.hash_places import (
    called_source,
    hash_bound_by,
    locked,
    open_hashes,
    stated_in,
    text_source,
    written_at,
)
from tvarc.meaning.evaluation.kinds import walk
from tvarc.meaning.evaluation.show import brief, show_expr
from tvarc.meaning.functions import SIGNATURES, BadArgument, apply_known, kind_text
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.source import Span
from tvarc.values.value import (
    MISSING,
    UNLOCKED,
    DeclValue,
    Missing,
    NixCall,
    NixPart,
    NixRef,
    NixSource,
    NixText,
    NixValue,
    NoneValue,
    PathValue,
    Record,
    RowValue,
    UnlockedValue,
    Value,
    Version,
    article,
    holds_nix,
    is_nix,
    show,
    show_short,
    type_name,
    value_kind,
)

_NIX_IN_NIX: Final = (
    "write it in Nix, without the braces: `pkgs.zlib`, or `${pkgs.zlib}` in a string"
)
_INPUT_IN_NIX: Final = (
    "Nix text cannot name an input: instead of Nix text, write `call(file(…), { … })`, or a "
    'string, `"{{file(…)}}/bin"`'
)


def nix_in_nix(expr: hir.Expr) -> str:
    """The code to write in Nix text for *expr*, which only Nix knows."""
    while isinstance(expr, hir.LetRef) and expr.target.expr is not None:
        expr = expr.target.expr
    of_input = isinstance(expr, hir.Apply) and expr.function in ("file", "input", "call")
    return _INPUT_IN_NIX if of_input else _NIX_IN_NIX


class Environment(Protocol):
    """The names that an expression may read. Each method raises Failed after reporting.

    A `let` that is not cached is charged to its reader.
    """

    def axis(self, ref: hir.AxisRef) -> Value: ...

    def setting(self, ref: hir.SettingRef) -> Value: ...

    def let(self, ref: hir.LetRef, budget: Budget) -> Value: ...

    def field(self, ref: hir.FieldRef) -> Value: ...

    def need(self, ref: hir.NeedRef) -> Value: ...

    def link(self, link: hir.Link) -> Value: ...

    def lacks(self, link: hir.Link) -> bool: ...


@dataclass(frozen=True, slots=True)
class Element:
    """The current element of a list, its number in the list, and the data that a recorder keeps of
    the list."""

    value: Value
    number: int
    of: object = None


NO_ELEMENTS: Final[Mapping[str, Element]] = {}

# The attributes of any package that are sets.
_SETS = ((), *[(name,) for name in SETS])


class Evaluator:
    """Evaluates in one environment. Faults go to `sink`. `hashes` finds the hashes of sources;
    without it, no source may be unlocked. All evaluations of one object share one budget."""

    __slots__ = ("bound", "budget", "env", "hashes", "sink")

    def __init__(
        self,
        env: Environment,
        sink: Sink,
        hashes: SourceHashes | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.env = env
        self.sink = sink
        self.hashes = hashes
        self.budget = budget or Budget()
        self.bound = NO_ELEMENTS

    def truth(self, expr: hir.Expr, what: str) -> bool:
        """The value of a condition. *what* names it in messages (`exclude`, `when`)."""
        value = self.value(expr)
        if isinstance(value, bool):
            return value
        if is_nix(value):
            raise self.sink.refuse(msg.expressions.READS_NIX, expr.span, what=f"`{what}`")
        raise self.sink.refuse(
            msg.expressions.NO_TRUTH,
            expr.span,
            what=what,
            kind=type_name(value),
            expr=brief(expr),
            row=None,
            value=show(value) if isinstance(value, str | int | Version | RowValue) else None,
            entries=None,
            again=None,
            choice=None,
            default=None,
            axis=None,
            cells=None,
        )

    def over(self, fault: OverBudget, span: Span) -> Failed:
        """Report that the evaluation at *span* exceeds its budget. For the budget of all
        evaluations, only the first time."""
        if fault.total is not None and not fault.total.to_report(self.sink):
            return Failed()
        return fault.report(self.sink, span)

    def value(self, expr: hir.Expr) -> Value:
        """The value of *expr*. Raises Failed after reporting."""
        if type(expr) is hir.Const:
            return expr.value
        try:
            self.budget.step()
            return self._value(expr)
        except OverBudget as fault:
            raise self.over(fault, expr.span) from None

    def _value(self, expr: hir.Expr) -> Value:
        match expr:  # the most frequent first
            case hir.AxisRef():
                return self.env.axis(expr)
            case hir.Member():
                try:
                    base = self.value(expr.base)
                except Failed:
                    if type(expr.base) is hir.Index:
                        self.row_of(expr.base, expr.name)
                    raise
                if type(base) is RowValue:
                    fact = base.facts.get(expr.name)
                    if fact is not None and not fact.wrong:
                        return fact.value
                return self.member(base, expr.name, expr.name_span, expr.base)
            case hir.Compare():
                return self.compare(expr)
            case hir.ListOf():
                return self.items(expr)
            case hir.Apply():
                return self.apply(expr)
            case hir.Text():
                return self.text(expr)
            case hir.Const():
                return expr.value
            case hir.LetRef():
                return self.env.let(expr, self.budget)
            case hir.SettingRef():
                return self.env.setting(expr)
            case hir.FieldRef():
                bound = self.bound.get(expr.name)
                return self.env.field(expr) if bound is None else bound.value
            case hir.Rows():
                return Record(tuple(expr.table.rows.items()))
            case hir.NeedRef():
                return self.env.need(expr)
            case hir.Link():
                return self.env.link(expr)
            case hir.Lacks():
                return self.lacks(expr.link)
            case hir.NixRoot():
                return NixRef(expr.name)
            case hir.NixCode():
                return self.nix(expr)
            case hir.Index():
                return self.index(expr)
            case hir.Each():
                return self.each(expr)
            case hir.RecordOf():
                return self.record(expr)
            case hir.Not():
                return not self.truth(expr.operand, "not")
            case hir.Logic():
                left = self.truth(expr.left, expr.op)
                if left is (expr.op == "or"):
                    return left
                return self.truth(expr.right, expr.op)
            case hir.If():
                chosen = expr.then if self.truth(expr.condition, "if") else expr.otherwise
                return self.value(chosen)
            case hir.Broken():
                raise Failed
            case _:
                assert_never(expr)

    def lacks(self, expr: hir.Expr) -> bool:
        """Whether the target of a need is missing."""
        while isinstance(expr, hir.If):
            expr = expr.then if self.truth(expr.condition, "if") else expr.otherwise
        return isinstance(expr, hir.Link) and self.env.lacks(expr)

    def text(self, expr: hir.Text) -> Value:
        parts: list[str | NixValue] = []
        length = 0
        failed = False  # the other parts are evaluated so that their faults are reported, too
        for part in expr.parts:
            if isinstance(part, str):
                length += len(part)
                parts.append(part)
                continue
            try:
                value = self.value(part)
            except Failed:
                failed = True
                continue
            known = kind_text(value)
            if known is not None:
                length += len(known)
                if length > LIMIT_TEXT:
                    raise too_long()
                parts.append(known)
            elif isinstance(value, NixText):
                self.budget.elements(len(parts) + len(value.parts))
                length += sum([len(inner) for inner in value.parts if isinstance(inner, str)])
                parts.extend(value.parts)
            elif isinstance(value, NixRef) and value.root == "old" and value.attributes in _SETS:
                raise self.no_text_of_set(value, part.span)
            elif is_nix(value):
                parts.append(value)
            elif isinstance(value, tuple) and holds_nix(value) and nothing_in(value) is None:
                parts.append(NixCall("join", (("list", names_as_text(value)), ("separator", " "))))
            else:
                raise self.no_text(value, part.span)
        if failed:
            raise Failed
        self.budget.text(length)
        if all(isinstance(part, str) for part in parts):
            return "".join(part for part in parts if isinstance(part, str))
        made = NixText(_merged(parts))
        Weight().add(made, self.budget)
        return made

    def no_text_of_set(self, ref: NixRef, span: Span) -> Failed:
        name = ".".join((ref.root, *ref.attributes))
        return self.sink.refuse(msg.values.SET_IN_TEXT, span, name=name)

    def no_text(self, value: Value, span: Span) -> Failed:
        return self.sink.refuse(
            msg.values.NO_TEXT,
            span,
            kind=type_name(value),
            value=show_short(value),
            advice=text_help(value),
        )

    def nix(self, expr: hir.NixCode) -> Value:
        parts: list[str | NixPart] = []
        failed = False
        for need in expr.needs:
            try:
                self.env.need(need)
            except Failed:
                failed = True
        bound: list[int] = []  # the parts that are hashes of fetchers
        before = ""
        for index, part in enumerate(expr.parts):
            if isinstance(part, str):
                before = part
                parts.append(part)
                continue
            by_lock = part.place == "code" and bool(hash_bound_by(before))
            if by_lock:
                bound.append(index)
            try:
                parts.append(self.nix_part(part, by_lock=by_lock))
            except Failed:
                failed = True
        if failed:
            raise Failed
        made = NixSource(tuple(parts))
        if any(not isinstance(part, str) for part in parts):
            self.budget.nix()
        Weight().add(made, self.budget)
        return self.locked_text(made, bound, expr) if bound else made

    def locked_text(self, made: NixSource, bound: Iterable[int], expr: hir.NixCode) -> NixSource:
        """*made*, the value of *expr*, with the hashes that its parts *bound* leave to the lock."""
        hashes, parts = self.hashes, list(made.parts)
        for index in bound if hashes is not None else ():
            part, written = made.parts[index], expr.parts[index]
            assert hashes is not None and isinstance(part, NixPart)
            assert isinstance(written, hir.NixInterpolation)
            source = text_source(made, index, hashes.seen)
            place = written_at(written.value, (), self.value)
            if part.value == UNLOCKED:
                found = hashes.of(source, None, place, self.sink)
                parts[index] = NixPart(found, part.place, part.dollar)
            elif isinstance(part.value, str) and is_open(part.value):
                hashes.fake(source.describe(), place, self.sink)
            elif isinstance(part.value, str):
                hashes.states(source, part.value, place, self.sink)
        return NixSource(tuple(parts), made.folder)

    def nix_part(self, inner: hir.NixInterpolation, *, by_lock: bool) -> NixPart:
        """A value in Nix text. In a string it must have a text, and in code a literal. *by_lock*
        says that it may be `unlocked`."""
        value = self.value(inner.value)
        if by_lock and value == UNLOCKED:
            return NixPart(value, inner.place, inner.dollar)
        span = inner.value.span
        if holds_nix(value):
            raise self.sink.refuse(msg.expressions.NIX_IN_NIX, span, advice=nix_in_nix(inner.value))
        match inner.place:
            case "code":
                without = _without_literal(value)
                if not isinstance(without, Missing):
                    raise self.sink.refuse(
                        msg.values.DECLARATION_IN_NIX
                        if isinstance(without, DeclValue)
                        else msg.values.NONE_IN_NIX
                        if isinstance(without, NoneValue)
                        else msg.values.UNLOCKED_IN_NIX,
                        span,
                        kind=type_name(without),
                        value=show_short(without),
                        name=show(without),
                    )
            case "attribute":
                if not isinstance(value, str | Version | RowValue):
                    raise self.sink.refuse(
                        msg.values.ATTRIBUTE_IS_NO_TEXT, span, kind=type_name(value)
                    )
                value = kind_text(value)
            case "string" | "block" | "line":
                text = kind_text(value)
                if text is None:
                    raise self.no_text(value, span)
                value = text
            case _:
                assert_never(inner.place)
        return NixPart(value, inner.place, inner.dollar)

    def member(self, base: Value, name: str, span: Span, written: hir.Expr) -> Value:
        """The member *name* of *base*, which is the value of *written*."""
        match base:
            case RowValue():
                fact = base.facts.get(name)
                if fact is not None:
                    if fact.wrong:
                        raise Failed
                    return fact.value
                raise self.sink.refuse(
                    msg.expressions.UNKNOWN_FIELD,
                    span,
                    cause=f"lacks {span.file}:{span.start}",
                    owner=base.name,
                    name=name,
                    fields=", ".join(f"`{known}`" for known in base.facts),
                    guess=guess(name, base.facts),
                )
            case Record():
                value = base.get(name)
                if not isinstance(value, Missing):
                    return value
                from tvarc.meaning.evaluation.missing_rows import missing_from, record_place

                place = record_place(written, self.value)
                raise self.sink.refuse(
                    msg.values.NO_KEY,
                    span,
                    others=[place] if place is not None else [],
                    notes=self.cell_of(written),
                    cause=missing_from(place) if place is not None else "",
                    name=name,
                    guess=guess(name, [key for key, _ in base]),
                )
            case NixRef():
                return NixRef(base.root, (*base.attributes, name))
            case NixCall() | NixSource():
                return NixCall("select", (("value", base), ("attribute", name)))
            case _:
                raise self.sink.refuse(
                    msg.values.NO_FIELDS, span, kind=type_name(base), advice=_field_help(base, name)
                )

    def index(self, expr: hir.Index) -> Value:
        base, key = self.value(expr.base), self.value(expr.key)
        if isinstance(key, RowValue):
            key = key.name
        if is_nix(key):
            raise self.sink.refuse(msg.values.NAME_OF_NIX, expr.key.span)
        if isinstance(base, tuple) and isinstance(key, int) and not isinstance(key, bool):
            if 0 <= key < len(base):
                return base[key]
            raise self.sink.refuse(
                msg.values.NO_ELEMENT,
                expr.key.span,
                notes=self.cell_of(expr.key),
                cause=f"lacks {expr.key.span.file}:{expr.key.span.start}",
                key=key,
                count=len(base),
                last=len(base) - 1 if base else None,
            )
        if not isinstance(key, str):
            raise self.sink.refuse(
                msg.values.NO_NUMBER if isinstance(base, tuple) else msg.values.NO_NAME,
                expr.key.span,
                kind=type_name(key),
                advice=_choosing_help(base, key, expr),
            )
        if isinstance(base, Record) and isinstance(base.get(key), Missing):
            from tvarc.meaning.evaluation.missing_rows import refuse_missing_row

            cell = self.cell_of(expr.key)
            raise refuse_missing_row(expr, key, base, cell, self.value, self.sink)
        return self.member(base, key, expr.key.span, expr.base)

    def row_of(self, expr: hir.Index, column: str) -> None:
        """After *expr* has failed: if it has no row, report that *column* of the row is read."""
        base, key = self.value(expr.base), self.value(expr.key)
        key = key.name if isinstance(key, RowValue) else key
        if isinstance(base, Record) and isinstance(key, str) and isinstance(base.get(key), Missing):
            from tvarc.meaning.evaluation.missing_rows import refuse_missing_row

            cell = self.cell_of(expr.key)
            refuse_missing_row(expr, key, base, cell, self.value, self.sink, column)

    def cell_of(self, expr: hir.Expr) -> tuple[str, ...]:
        """The note that restricts a message on *expr* to some variants. Empty if it holds for all.
        """
        cell = ", ".join(f"{axis} is {show(value)}" for axis, value in self.axes_in(expr))
        return (f"where {cell}",) if cell else ()

    def axes_in(self, expr: hir.Expr) -> list[tuple[str, Value]]:
        """The axes that *expr* reads, also through `let`s, with their values in this cell."""
        found: dict[str, Value] = {}
        for inner in walk([expr], lets=True):
            if isinstance(inner, hir.AxisRef):
                found[inner.axis] = self.env.axis(inner)
        return list(found.items())

    def items(self, expr: hir.ListOf) -> Value:
        found: list[Value] = []
        weight = Weight()
        failed = False
        for item in expr.items:
            if not isinstance(item, hir.Spread):
                try:
                    made = self.value(item)
                except Failed:
                    failed = True
                    continue
                weight.add(made, self.budget)
                found.append(made)
                continue
            value = self.value(item.value)
            if not isinstance(value, tuple):
                raise self.sink.refuse(
                    msg.values.SPREAD_OF_NO_LIST, item.span, kind=type_name(value)
                )
            weight.add(value, self.budget)
            found.extend(value)
        if failed:
            raise Failed
        return tuple(found)

    def each(self, expr: hir.Each) -> Value:
        source = self.value(expr.source)
        if not isinstance(source, tuple):
            if is_nix(source):
                raise self.sink.refuse(msg.expressions.READS_NIX, expr.source.span, what="`for`")
            kind = type_name(source)
            raise self.sink.refuse(msg.values.EACH_OF_NO_LIST, expr.source.span, kind=kind)
        outer, found, weight = self.bound, list[Value](), Weight()
        try:
            for number, value in enumerate(source):
                self.budget.step()
                self.bound = {**outer, expr.name: self.element(value, number)}
                if expr.condition is None or self.truth(expr.condition, "if"):
                    made = self.value(expr.items)
                    assert isinstance(made, tuple)
                    weight.add(made, self.budget)
                    found += made
        finally:
            self.bound = outer
        return tuple(found)

    def element(self, value: Value, number: int) -> Element:
        """The data for the current element. The list is already evaluated."""
        return Element(value, number)

    def record(self, expr: hir.RecordOf) -> Value:
        tree: dict[str, object] = {}
        weight = Weight()
        for path, value in expr.entries:
            node = tree
            for step in path[:-1]:
                inner = node.setdefault(step, {})
                if not isinstance(inner, dict):
                    raise self.sink.refuse(msg.values.STEP_TWICE, value.span, step=step)
                node = inner
            if path[-1] in node:
                name = ".".join(path)
                raise self.sink.refuse(msg.declarations.WRITTEN_TWICE, value.span, name=name)
            made = self.value(value)
            weight.characters += sum([len(step) for step in path])
            weight.add(made, self.budget)
            node[path[-1]] = _Leaf(made)
        return _record_of(tree)

    def compare(self, expr: hir.Compare) -> bool:
        left, right = self.value(expr.left), self.value(expr.right)
        if isinstance(left, tuple | Record) or isinstance(right, tuple | Record):
            for side in (left, right):  # elements are compared one by one
                weight = Weight()
                weight.add(side, self.budget)
                if not is_uniform(side):  # this takes much longer
                    self.budget.step(weight.elements)
        return Comparison(self.sink).holds(left, right, expr)

    def apply(self, expr: hir.Apply) -> Value:
        arguments = tuple((name, self.value(argument)) for name, argument in expr.arguments)
        signature = SIGNATURES[expr.function]
        for (name, value), (_, argument) in zip(arguments, expr.arguments, strict=True):
            declared = declaration_in(value)
            if declared is not None:
                refuse((expr.function, name), named_value(declared), argument.span, self.sink)
                raise Failed
            kinds = signature.kinds(name)
            if holds_nix(value):
                if not signature.nix:
                    raise self.sink.refuse(
                        msg.functions.ARGUMENT_OF_NIX, argument.span, function=expr.function
                    )
            elif "any" not in kinds and value_kind(value) not in kinds:
                raise self.sink.refuse(
                    msg.functions.ARGUMENT_OF_OTHER_TYPE,
                    argument.span,
                    name=name,
                    function=expr.function,
                    kind=type_name(value),
                    kinds=" or ".join(map(article, kinds)),
                    form=signature.show(),
                )
        self.check_formats(expr, arguments)
        if expr.function in ("github", "url"):
            return self.source(expr, arguments)
        match expr.function:
            case "call":
                return self.called(expr, arguments)
            case "input":
                return self.input(expr, arguments)
            case "file":
                return self.file(expr, arguments)
        if any(holds_nix(value) for _, value in arguments):
            return NixCall(expr.function, arguments)
        try:
            return apply_known(expr.function, arguments, self.budget)
        except BadArgument as fault:
            raise self.sink.refuse(
                msg.functions.NO_USE, expr.span, function=expr.function, fault=str(fault)
            ) from None

    def called(self, expr: hir.Apply, arguments: tuple[tuple[str, Value], ...]) -> NixCall:
        """The call of a Nix function with the written arguments."""
        (_, function), (_, place) = arguments[0], expr.arguments[0]
        if not isinstance(function, NixRef | NixSource | NixCall | PathValue):
            raise self.sink.refuse(
                msg.functions.CALLS_NO_FUNCTION, place.span, kind=type_name(function)
            )
        if len(arguments) == 1:
            raise self.sink.refuse(msg.functions.CALL_WITHOUT_ARGUMENT, expr.span)
        from tvarc.meaning.evaluation.nix_files import refuse_no_nix

        if refuse_no_nix(function, place.span, self.hashes, self.sink):
            raise Failed
        return self.locked_call(NixCall("call", arguments), expr)

    def locked_call(self, call: NixCall, expr: hir.Apply) -> NixCall:
        """*call*, which *expr* makes, with the hashes that its arguments leave to the lock."""
        hashes, sink = self.hashes, self.sink
        if hashes is None:
            return call
        sources: list[Fetched] = []
        filled: list[tuple[str, Value]] = []
        for (key, value), (_, written) in zip(call.arguments[1:], expr.arguments[1:], strict=True):

            def place(steps: hir.Path, written: hir.Expr = written) -> Span:
                return written_at(written, steps, self.value)

            def found(steps: hir.Path, written: hir.Expr = written) -> Value:
                sources.append(called_source(call, steps, hashes.seen))
                return hashes.of(sources[-1], None, place(steps, written), sink)

            for one in open_hashes(value, ()):
                name = called_source(call, one.steps or (one.word,), hashes.seen).describe()
                name = one.describe(name) if one.steps else name
                hashes.fake(name, place(one.steps), sink, by_lock=one.may_be_unlocked)
            for steps, text in stated_in(value, ()):
                if not is_open(text):
                    source = called_source(call, steps, hashes.seen)
                    hashes.states(source, text, place(steps), sink)
            filled.append((key, locked(value, (), found)))
        if not sources:
            return call
        made = NixCall("call", (call.arguments[0], *filled))
        for source in sources:
            hashes.fetches(source, made)
        return made

    def input(self, expr: hir.Apply, arguments: tuple[tuple[str, Value], ...]) -> NixCall:
        """Another repository with its hash: the stated hash, or else the known one."""
        given = dict(arguments)
        if self.hashes is not None:
            self.hashes.met(str(given["name"]))
        if "path" in given:
            return NixCall("input", arguments)
        places = dict(expr.arguments)
        for name, known in INPUT_FORMATS.items():
            if name not in given or (name == "hash" and given[name] == UNLOCKED):
                continue
            if known.refuse(name, given[name], places[name].span, self.sink):
                raise Failed
        url = given["url"] if "url" in given else tarball(str(given["github"]), str(given["rev"]))
        what = fetched("tarball", {"url": url})
        assert what is not None
        found = given["hash"]
        if self.hashes is not None:
            stated = found if isinstance(found, str) else None
            found = self.hashes.of(what, stated, places["hash"].span, self.sink)
        rev = (("rev", given["rev"]),) if "rev" in given else ()
        return NixCall("input", (("name", given["name"]), ("url", url), *rev, ("hash", found)))

    def file(self, expr: hir.Apply, arguments: tuple[tuple[str, Value], ...]) -> NixCall:
        """A file of an input."""
        (_, source), (_, file) = arguments
        (_, source_at), (_, file_at) = expr.arguments
        if not isinstance(source, NixCall) or source.function != "input":
            raise self.sink.refuse(
                msg.files.FILE_WITHOUT_INPUT,
                source_at.span,
                kind=type_name(source),
                form=SIGNATURES["file"].show(),
            )
        if not isinstance(file, str):
            raise self.sink.refuse(msg.files.FILE_OF_NIX, file_at.span)
        steps = file.split("/")
        if not file.isprintable() or not {"", ".", ".."}.isdisjoint(steps):
            raise self.sink.refuse(
                msg.files.OUTSIDE_THE_INPUT if file else msg.files.EMPTY_FILE,
                file_at.span,
                file=show(file),
            )
        if self.hashes is not None:
            name, declared = str(source.argument("name")), source.argument("path")
            folder = declared.file if isinstance(declared, PathValue) else ""
            folder = self.hashes.checkout(name, folder)
            reason = self.hashes.lacks(folder, file) if folder else ""
            if reason:
                raise self.sink.refuse(
                    msg.files.NOT_IN_INPUT,
                    file_at.span,
                    notes=self.cell_of(file_at),
                    name=name,
                    file=file,
                    reason=reason,
                    folder=folder,
                )
        return NixCall("file", arguments)

    def source(self, expr: hir.Apply, arguments: tuple[tuple[str, Value], ...]) -> NixCall:
        """A source with its hash: the stated hash, or else the known one."""
        call = NixCall(expr.function, arguments)
        stated = call.argument("hash")
        what = call_fetched(call)
        if stated == UNLOCKED and (what is None or self.hashes is None):
            raise self.sink.refuse(msg.functions.UNLOCKED_OF_NIX, expr.span)
        if self.hashes is None:
            return call
        written = next(value for name, value in expr.arguments if name == "hash")
        place = written_at(written, (), self.value)
        if isinstance(stated, NixRef | NixSource):
            for _ in open_hashes(stated, ("hash",)):
                name = what.describe() if what is not None else f"`hash` of `{expr.function}`"
                self.hashes.fake(name, place, self.sink)
        if what is None or not (stated == UNLOCKED or isinstance(stated, str)):
            return call
        known = stated if isinstance(stated, str) else None
        found = self.hashes.of(what, known, place, self.sink)
        rest = tuple((key, found if key == "hash" else value) for key, value in arguments)
        return NixCall(expr.function, rest)

    def check_formats(self, expr: hir.Apply, arguments: tuple[tuple[str, Value], ...]) -> None:
        """Report a source that Nix would refuse, at its argument."""
        if expr.function not in ("github", "url"):
            return
        names = [name for name, _ in arguments]
        if expr.function == "github" and ("rev" in names) == ("tag" in names):
            raise self.sink.refuse(
                msg.functions.REV_AND_TAG if "rev" in names else msg.functions.NO_REV_OR_TAG,
                expr.span,
            )
        if dict(arguments).get("hash") is None:
            raise self.sink.refuse(
                msg.functions.HASH_IS_NULL if "hash" in names else msg.functions.NO_HASH, expr.span
            )
        for (name, value), (_, argument) in zip(arguments, expr.arguments, strict=True):
            known = SOURCE_FORMATS.get(name)
            if known is None or not isinstance(value, str):
                continue
            if known.refuse(name, value, argument.span, self.sink):
                raise Failed


def text_help(value: Value, written: hir.Expr | None = None) -> str:
    """The code to write for *value*, which has no text. *written* is its expression."""
    match value:
        case bool():
            asked = show_expr(written) if isinstance(written, hir.AxisRef) else "…"
            return f'choose between two strings: `{{{{if {asked} then "a" else "b"}}}}`'
        case PathValue():
            return (
                'make the file the whole value of an attribute, `NAME = path("…")`: '
                "a script then reads it as `$NAME`"
            )
        case Record():
            return "write one of its keys: `{{….NAME}}`"
        case UnlockedValue():
            return "write the hash here: the lock cannot give a hash to a text"
        case _:
            return 'choose between two strings: `{{if … then "a" else "b"}}`'


def _without_literal(value: Value) -> Value | Missing:
    """*value*, if it is a name of the language itself; else MISSING."""
    if isinstance(value, DeclValue | NoneValue | UnlockedValue):
        return value
    if isinstance(value, tuple | Record):
        for item in value if isinstance(value, tuple) else (item for _, item in value):
            found = _without_literal(item)
            if not isinstance(found, Missing):
                return found
    return MISSING


@dataclass(slots=True, eq=False)
class _Leaf:
    value: Value


def _record_of(tree: dict[str, object]) -> Record:
    entries: list[tuple[str, Value]] = []
    for key, node in tree.items():
        if isinstance(node, _Leaf):
            entries.append((key, node.value))
        else:
            assert isinstance(node, dict)
            entries.append((key, _record_of(node)))
    return Record(tuple(entries))


def _merged(parts: list[str | NixValue]) -> tuple[str | NixValue, ...]:
    """*parts* with neighbouring texts joined, and without empty ones."""
    merged: list[str | NixValue] = []
    for part in parts:
        if part == "":
            continue
        if merged and isinstance(part, str) and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return tuple(merged)


def _choosing_help(base: Value, key: Value, expr: hir.Index) -> str:
    """The advice if *key* selects nothing from *base*."""
    of, written = brief(expr.base), brief(expr.key)
    if isinstance(base, tuple):
        return f"write the number of the element; the first is `{of}[0]`"
    match key:
        case bool():
            return f'use a string: `{of}["{{{{if {written} then "a" else "b"}}}}"]`'
        case int() | Version():
            return f'use a string: `{of}["{{{{{written}}}}}"]`'
        case _:
            return "write a string in the brackets"


def _field_help(base: Value, name: str) -> str:
    if isinstance(base, DeclValue) and base.kind == "pin":
        return f"for a package of its nixpkgs, write `pkgs.{name}`"
    if isinstance(base, Version | str | int) and not isinstance(base, bool):
        return "only rows have fields: write `axis a { v { field = … } }`, or a `facts` table"
    return ""
