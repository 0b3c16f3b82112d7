"""Evaluate an expression for one variant: known values are computed, Nix values carried along.

Errors are reported once, at the expression; the caller sees `Failed`.
"""

from __future__ import annotations

from tvarc.diagnostics.model import Sink
from tvarc.diagnostics.suggest import did_you_mean
from tvarc.light import Protocol, assert_never
from tvarc.sema import hir
from tvarc.sema.compare import Comparison
from tvarc.sema.failed import Failed
from tvarc.sema.fetched import SourceHashes, call_fetched
from tvarc.sema.formats import SOURCE_FORMATS
from tvarc.sema.functions import SIGNATURES, BadArgument, apply_known, kind_text
from tvarc.sema.value_kinds import article, value_kind
from tvarc.source import Span
from tvarc.values import (
    UNLOCKED,
    Missing,
    NixCall,
    NixRef,
    NixSource,
    NixText,
    NixValue,
    Record,
    RowValue,
    Value,
    Version,
    holds_nix,
    is_nix,
    show,
    type_name,
)

# No build needs values of this size; they would come from texts or lists that double each other.
LIMIT_TEXT = 1 << 20
LIMIT_WHOLE = 1 << 23
LIMIT_LIST = 100_000


class Environment(Protocol):
    """What an expression may ask for. Each raises Failed after reporting."""

    def axis(self, ref: hir.AxisRef) -> Value: ...

    def setting(self, ref: hir.SettingRef) -> Value: ...

    def let(self, ref: hir.LetRef) -> Value: ...

    def field(self, ref: hir.FieldRef) -> Value: ...


class Evaluator:
    """Evaluates in one environment; `sink` takes what goes wrong. `hashes` knows those of sources;
    without it no source can be unlocked."""

    __slots__ = ("env", "hashes", "sink")

    def __init__(self, env: Environment, sink: Sink, hashes: SourceHashes | None = None) -> None:
        self.env = env
        self.sink = sink
        self.hashes = hashes

    def fail(
        self,
        code: str,
        title: str,
        span: Span,
        label: str = "",
        *,
        notes: tuple[str, ...] = (),
        help: str = "",
    ) -> Failed:
        self.sink.error(code, title, span, label, notes=notes, help=help)
        return Failed()

    def truth(self, expr: hir.Expr, what: str) -> bool:
        """The value of a condition; `what` names it in messages (`exclude`, `when`)."""
        value = self.value(expr)
        if isinstance(value, bool):
            return value
        if is_nix(value):
            raise self.fail(
                "E302",
                f"`{what}` asks for something that only Nix knows",
                expr.span,
                "known when Nix runs, not before",
                help="decide on axes, flags and facts",
            )
        raise self.fail(
            "E301", f"`{what}` needs true or false", expr.span, f"this is {type_name(value)}"
        )

    def value(self, expr: hir.Expr) -> Value:
        match expr:
            case hir.Const():
                return expr.value
            case hir.Text():
                return self.text(expr)
            case hir.AxisRef():
                return self.env.axis(expr)
            case hir.LetRef():
                return self.env.let(expr)
            case hir.SettingRef():
                return self.env.setting(expr)
            case hir.FieldRef():
                return self.env.field(expr)
            case hir.NixRoot():
                return NixRef(expr.name)
            case hir.NixCode():
                return NixSource(expr.text)
            case hir.Member():
                return self.member(self.value(expr.base), expr.name, expr.name_span)
            case hir.Index():
                return self.index(expr)
            case hir.ListOf():
                return self.items(expr)
            case hir.RecordOf():
                return self.record(expr)
            case hir.Not():
                return not self.truth(expr.operand, "not")
            case hir.Compare():
                return self.compare(expr)
            case hir.Logic():
                left = self.truth(expr.left, expr.op)
                if left is (expr.op == "or"):
                    return left
                return self.truth(expr.right, expr.op)
            case hir.If():
                chosen = expr.then if self.truth(expr.condition, "if") else expr.otherwise
                return self.value(chosen)
            case hir.Apply():
                return self.apply(expr)
            case hir.Broken():
                raise Failed
            case _:
                assert_never(expr)

    def text(self, expr: hir.Text) -> Value:
        parts: list[str | NixValue] = []
        for part in expr.parts:
            if isinstance(part, str):
                parts.append(part)
                continue
            value = self.value(part)
            known = kind_text(value)
            if known is not None:
                parts.append(known)
            elif isinstance(value, NixText):
                parts.extend(value.parts)
            elif is_nix(value):
                parts.append(value)
            elif isinstance(value, tuple) and holds_nix(value):
                parts.append(NixCall("join", (("list", value), ("separator", " "))))
            else:
                raise self.fail(
                    "E301",
                    f"{type_name(value)} has no text",
                    part.span,
                    f"is {show(value)[:60]}",
                    notes=(
                        "strings hold text, integers, versions, axis values and lists of these",
                    ),
                    help='choose a text: `{{if … then "a" else "b"}}`',
                )
        if sum(len(part) for part in parts if isinstance(part, str)) > LIMIT_TEXT:
            raise self.fail(
                "E305",
                "the text is too long",
                expr.span,
                f"over {LIMIT_TEXT} characters",
                help="interpolations that repeat each other grow without end",
            )
        if all(isinstance(part, str) for part in parts):
            return "".join(part for part in parts if isinstance(part, str))
        return self.bounded(NixText(_merged(parts)), expr.span)

    def member(self, base: Value, name: str, span: Span) -> Value:
        match base:
            case RowValue():
                fact = base.facts.get(name)
                if fact is not None:
                    return fact.value
                raise self.fail(
                    "E207",
                    f"`{base.name}` has no field `{name}`",
                    span,
                    "unknown field",
                    notes=_known_fields(base),
                    help=did_you_mean(name, base.facts),
                )
            case Record():
                value = base.get(name)
                if not isinstance(value, Missing):
                    return value
                keys = [key for key, _ in base]
                raise self.fail(
                    "E207",
                    f"the record has no key `{name}`",
                    span,
                    "unknown key",
                    help=did_you_mean(name, keys),
                )
            case NixRef():
                return NixRef(base.root, (*base.attributes, name))
            case NixCall() | NixSource():
                return NixCall("select", (("value", base), ("attribute", name)))
            case _:
                raise self.fail(
                    "E301",
                    f"{type_name(base)} has no fields",
                    span,
                    "no such field",
                    help=_axis_field_help(base),
                )

    def index(self, expr: hir.Index) -> Value:
        base, key = self.value(expr.base), self.value(expr.key)
        if isinstance(key, RowValue):
            key = key.name
        if is_nix(key):
            raise self.fail(
                "E302",
                "an attribute is chosen by text that the compiler knows",
                expr.key.span,
                "known to Nix only",
            )
        if isinstance(base, tuple) and isinstance(key, int) and not isinstance(key, bool):
            if 0 <= key < len(base):
                return base[key]
            raise self.fail(
                "E305",
                f"the list has no element {key}",
                expr.key.span,
                f"it has {len(base)}, counted from 0",
            )
        if not isinstance(key, str):
            raise self.fail(
                "E301", f"{type_name(key)} chooses nothing", expr.key.span, "expected a string"
            )
        return self.member(base, key, expr.key.span)

    def items(self, expr: hir.ListOf) -> Value:
        found: list[Value] = []
        for item in expr.items:
            if not isinstance(item, hir.Spread):
                found.append(self.value(item))
                continue
            value = self.value(item.value)
            if not isinstance(value, tuple):
                raise self.fail(
                    "E301", "`...` spreads a list", item.span, f"this is {type_name(value)}"
                )
            found.extend(value)
        return self.bounded(tuple(found), expr.span)

    def bounded(self, value: Value, span: Span) -> Value:
        """*value*, unless it holds more than any build needs: lists of lists double quickly."""
        if is_oversized(value):
            raise self.fail(
                "E305",
                "the value is too large",
                span,
                f"over {LIMIT_LIST} elements or {LIMIT_WHOLE} characters",
                help="lists and records that repeat each other grow without end",
            )
        return value

    def record(self, expr: hir.RecordOf) -> Value:
        tree: dict[str, object] = {}
        for path, value in expr.entries:
            node = tree
            for step in path[:-1]:
                inner = node.setdefault(step, {})
                if not isinstance(inner, dict):
                    raise self.fail("E202", f"`{step}` is written twice", value.span)
                node = inner
            if path[-1] in node:
                raise self.fail(
                    "E202", f"`{'.'.join(path)}` is written twice", value.span, "again here"
                )
            node[path[-1]] = _Leaf(self.value(value))
        return self.bounded(_record_of(tree), expr.span)

    def compare(self, expr: hir.Compare) -> bool:
        left, right = self.value(expr.left), self.value(expr.right)
        return Comparison(self.sink).holds(left, right, expr)

    def apply(self, expr: hir.Apply) -> Value:
        arguments = tuple((name, self.value(argument)) for name, argument in expr.arguments)
        signature = SIGNATURES[expr.function]
        kinds = {parameter.name: parameter.kinds for parameter in signature.parameters}
        for (name, value), (_, argument) in zip(arguments, expr.arguments, strict=True):
            if holds_nix(value):
                if not signature.nix:
                    raise self.fail(
                        "E302",
                        f"`{expr.function}` works on what the compiler knows",
                        argument.span,
                        "known to Nix only",
                    )
            elif not _accepts(kinds[name], value):
                raise self.fail(
                    "E301",
                    f"`{name}` of `{expr.function}` is {type_name(value)}",
                    argument.span,
                    "expected " + " or ".join(map(article, kinds[name])),
                    notes=(signature.show(),),
                )
        self.check_formats(expr, arguments)
        if expr.function in ("github", "url"):
            return self.source(expr, arguments)
        if any(holds_nix(value) for _, value in arguments):
            return NixCall(expr.function, arguments)
        try:
            return apply_known(expr.function, arguments)
        except BadArgument as fault:
            raise self.fail(
                "E305", f"`{expr.function}` cannot do this", expr.span, str(fault)
            ) from None

    def source(self, expr: hir.Apply, arguments: tuple[tuple[str, Value], ...]) -> NixCall:
        """A source with its hash: that which it states, or that which is known of it."""
        call = NixCall(expr.function, arguments)
        stated = call.argument("hash")
        what = call_fetched(call)
        if stated == UNLOCKED and (what is None or self.hashes is None):
            raise self.fail(
                "E302",
                "a source that only Nix knows cannot be unlocked",
                expr.span,
                "known when Nix runs, not before",
                notes=("the lock has sources by what they are",),
                help="state its hash",
            )
        if what is None or self.hashes is None or not (stated == UNLOCKED or _is_text(stated)):
            return call
        known = stated if isinstance(stated, str) else None
        place = next(value.span for name, value in expr.arguments if name == "hash")
        found = self.hashes.of(what, known, place, self.sink)
        rest = tuple((key, found if key == "hash" else value) for key, value in arguments)
        return NixCall(expr.function, rest)

    def check_formats(self, expr: hir.Apply, arguments: tuple[tuple[str, Value], ...]) -> None:
        """A source that Nix would refuse is refused here, at the argument."""
        if expr.function not in ("github", "url"):
            return
        names = [name for name, _ in arguments]
        if expr.function == "github" and ("rev" in names) == ("tag" in names):
            raise self.fail(
                "E703",
                "a GitHub source has a `rev` or a `tag`",
                expr.span,
                "one of them, not both" if "rev" in names else "neither is given",
                help='`github("owner/name", tag = "v1.0", hash = "sha256-…")`',
            )
        if dict(arguments).get("hash") is None:
            raise self.fail(
                "E701",
                "a source needs its hash",
                expr.span,
                "`hash` is null" if "hash" in names else "`hash` missing",
                notes=("Nix refuses to fetch it without",),
                help="`hash = unlocked`, and `tvarc lock` finds it out",
            )
        for (name, value), (_, argument) in zip(arguments, expr.arguments, strict=True):
            known = SOURCE_FORMATS.get(name)
            if known is None or not isinstance(value, str):
                continue
            if known.refuse(name, value, argument.span, self.sink):
                raise Failed


def is_oversized(value: Value) -> bool:
    """Whether *value* holds more than LIMIT_LIST elements or LIMIT_WHOLE characters, all
    levels together. The walk ends at the limit: shared parts are counted each time."""
    waiting: list[Value] = [value]
    elements = characters = 0
    while waiting:
        item = waiting.pop()
        elements += 1
        if isinstance(item, str):
            characters += len(item)
        elif isinstance(item, tuple):
            waiting.extend(item)
        elif isinstance(item, Record):
            waiting.extend(inner for _, inner in item)
        elif isinstance(item, NixCall):
            waiting.extend(inner for _, inner in item.arguments)
        elif isinstance(item, NixText):
            waiting.extend(item.parts)
        if elements > LIMIT_LIST or characters > LIMIT_WHOLE:
            return True
    return False


class _Leaf:
    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


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
    """Neighbouring texts joined, empty ones dropped."""
    merged: list[str | NixValue] = []
    for part in parts:
        if part == "":
            continue
        if merged and isinstance(part, str) and isinstance(merged[-1], str):
            merged[-1] += part
        else:
            merged.append(part)
    return tuple(merged)


def _is_text(value: Value | Missing) -> bool:
    return isinstance(value, str)


def _accepts(kinds: tuple[str, ...], value: Value) -> bool:
    return "any" in kinds or value_kind(value) in kinds


def _known_fields(row: RowValue) -> tuple[str, ...]:
    return ("it has " + ", ".join(f"`{name}`" for name in row.facts),) if row.facts else ()


def _axis_field_help(base: Value) -> str:
    if isinstance(base, Version | str | int) and not isinstance(base, bool):
        return "values with fields are rows: `axis a { v { field = … } }`, or a `facts` table"
    return ""
