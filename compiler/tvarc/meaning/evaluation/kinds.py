"""Properties of an expression that are known without deciding a variant: its kind, its possible
values (all branches of its conditions, and the values of named `let`s), and the expressions in
it."""

from __future__ import annotations

from tvarc.light import Final, Iterable, Iterator, dataclass
from tvarc.meaning import hir
from tvarc.meaning.functions import SIGNATURES
from tvarc.values.value import (
    RowValue,
    Value,
    value_kind,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind with the name that `value_kind` gives it; `any` if it is not known.

    `table` belongs to `row`. `element` belongs to `list`, and to the `record` of a table's rows.
    """

    name: str
    table: hir.Table | None = None
    origin: str = ""
    element: Kind | None = None

    def show(self) -> str:
        if self.name == "row" and self.table is not None:
            return f"a value of {self.table.name}"
        return _SHOWN.get(self.name, f"a {self.name}")


_SHOWN = {
    "bool": "true or false",
    "int": "an integer",
    "null": "null",
    "none": "none",
    "unlocked": "`unlocked`",
    "nix": "a value that only Nix knows",
    "overlay": "an overlay",
    "row": "an axis value",
}

ANY = Kind("any")


def of_value(value: Value) -> Kind:
    if isinstance(value, RowValue):
        return Kind("row", origin=value.table)
    if isinstance(value, tuple):
        kinds = {of_value(item).name for item in value}
        return Kind("list", element=of_value(value[0]) if len(kinds) == 1 else None)
    return Kind(value_kind(value))


def of_type(declared: hir.FieldType) -> Kind:
    if declared.optional:
        return ANY
    element = of_type(declared.element) if declared.element else None
    return Kind(declared.kind, element=element)


def kind_of(expr: hir.Expr) -> Kind:
    """The kind of *expr*; `any` if only evaluation finds it."""
    match expr:
        case hir.Const():
            return of_value(expr.value)
        case hir.Text():
            return Kind("string")
        case hir.AxisRef():
            return Kind("row", expr.table, expr.table.origin) if expr.table else ANY
        case hir.LetRef():
            return let_kind(expr.target)
        case hir.Rows():
            return Kind("record", element=Kind("row", expr.table, expr.table.origin))
        case hir.NixRoot() | hir.NixCode() | hir.NeedRef(path=()):
            return Kind("nix")
        case hir.Lacks():
            return Kind("bool")
        case hir.Member():
            base = kind_of(expr.base)
            if base.name == "nix":
                return base
            if base.table is not None and expr.name in base.table.fields:
                return of_type(base.table.fields[expr.name])
            return ANY
        case hir.Index():
            base = kind_of(expr.base)
            return base if base.name == "nix" else (base.element or ANY)
        case hir.Each():
            return kind_of(expr.items)
        case hir.ListOf():
            kinds = [kind_of(item) for item in expr.items if not isinstance(item, hir.Spread)]
            alike = len({kind.name for kind in kinds}) == 1
            return Kind("list", element=kinds[0] if alike else None)
        case hir.RecordOf():
            return Kind("record")
        case hir.Not() | hir.Compare() | hir.Logic():
            return Kind("bool")
        case hir.If():
            then, otherwise = kind_of(expr.then), kind_of(expr.otherwise)
            return then if then == otherwise else ANY
        case hir.Apply():
            result = SIGNATURES[expr.function].result
            if any(mentions_nix(argument) for _, argument in expr.arguments):
                return Kind("nix")
            return Kind(result)
        case _:
            return ANY


def let_kind(let: hir.LetDef) -> Kind:
    """The kind of a `let`. It is cached when the value is resolved."""
    if let.expr is None:
        return ANY
    known = let.known.get("kind")
    if not isinstance(known, Kind):
        known = let.known["kind"] = kind_of(let.expr)
    return known


def let_mentions_nix(let: hir.LetDef) -> bool:
    """Whether only Nix knows the value of a `let`. It is cached when the value is resolved."""
    if let.expr is None:
        return False
    known = let.known.get("nix")
    if not isinstance(known, bool):
        known = let.known["nix"] = mentions_nix(let.expr) is not None
    return known


def mentions_nix(expr: hir.Expr) -> hir.Expr | None:
    """The first part of *expr* that only Nix knows; None if there is none."""
    if kind_of_root(expr):
        return expr
    for inner in children(expr):
        found = mentions_nix(inner)
        if found is not None:
            return found
    return None


def kind_of_root(expr: hir.Expr) -> bool:
    match expr:
        case hir.NixRoot() | hir.NixCode():
            return True
        case hir.NeedRef():
            return not expr.path
        case hir.Apply():
            return SIGNATURES[expr.function].result == "nix"
        case hir.Member() | hir.Index():
            return kind_of_root(expr.base)
        case hir.LetRef():
            return let_mentions_nix(expr.target)
        case _:
            return False


def walk(exprs: Iterable[hir.Expr], *, lets: bool = False) -> Iterator[hir.Expr]:
    """*exprs* and all expressions in them, in source order. With *lets*, also the value of each
    named `let`, once."""
    waiting = list(exprs)
    waiting.reverse()
    seen: set[str] = set()
    while waiting:
        expr = waiting.pop()
        yield expr
        if lets and isinstance(expr, hir.LetRef):
            target = expr.target
            if target.expr is not None and target.id not in seen:
                seen.add(target.id)
                waiting.append(target.expr)
        else:
            waiting.extend(reversed(children(expr)))


# Half of all expressions are of these kinds. The other kinds are tested one after the other.
_WITHOUT: Final = frozenset((hir.Const, hir.AxisRef))


def children(expr: hir.Expr) -> tuple[hir.Expr, ...]:
    """The expressions directly in *expr*. A reference has none."""
    if type(expr) in _WITHOUT:
        return ()
    match expr:
        case hir.Text():
            return tuple(part for part in expr.parts if not isinstance(part, str))
        case hir.NixCode():
            values = [part.value for part in expr.parts if not isinstance(part, str)]
            return (*values, *expr.needs)
        case hir.Member():
            return (expr.base,)
        case hir.Index():
            return (expr.base, expr.key)
        case hir.Each():
            condition = () if expr.condition is None else (expr.condition,)
            return (expr.items, expr.source, *condition)
        case hir.ListOf():
            return tuple(i.value if isinstance(i, hir.Spread) else i for i in expr.items)
        case hir.RecordOf():
            return tuple(value for _, value in expr.entries)
        case hir.Not():
            return (expr.operand,)
        case hir.Compare() | hir.Logic():
            return (expr.left, expr.right)
        case hir.If():
            return (expr.condition, expr.then, expr.otherwise)
        case hir.Apply():
            return tuple(value for _, value in expr.arguments)
        case hir.Link():
            return tuple(choice.value for choice in expr.choices)
        case hir.Lacks():
            return (expr.link,)
        case _:
            return ()


def behind(expr: hir.Expr) -> hir.Expr:
    """The expression of the `let` that *expr* names, through any number of `let`s. *expr* itself if
    it names no `let`, or if the `let` is not resolved yet."""
    seen: set[int] = set()
    while isinstance(expr, hir.LetRef) and id(expr.target) not in seen:
        seen.add(id(expr.target))
        if expr.target.expr is None:
            break
        expr = expr.target.expr
    return expr


def outcomes(expr: hir.Expr, *, within: bool = False) -> Iterator[tuple[hir.Expr, hir.Expr]]:
    """Every expression that may be the value of *expr*, whatever its conditions.

    Each has the place to mark: itself, or for the value of a `let` the name in *expr* that leads
    there. With *within*, the elements of lists and records are returned instead of these.
    """
    waiting: list[tuple[hir.Expr, hir.Expr]] = [(expr, expr)]
    seen: set[int] = set()
    while waiting:
        node, place = waiting.pop()
        inner: tuple[hir.Expr, ...] = ()
        match node:
            case hir.If():
                inner = (node.then, node.otherwise)
            case hir.LetRef() if node.target.expr is not None:
                if id(node.target) not in seen:  # the first place that leads there is enough
                    seen.add(id(node.target))
                    waiting.append((node.target.expr, place))
                continue
            case hir.ListOf() if within:
                inner = tuple(i.value if isinstance(i, hir.Spread) else i for i in node.items)
            case hir.RecordOf() if within:
                inner = tuple(value for _, value in node.entries)
            case _:
                yield node, place
                continue
        own = place is node  # otherwise all of it is behind a `let`
        waiting += [(one, one if own else place) for one in reversed(inner)]
