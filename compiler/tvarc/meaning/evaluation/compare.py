"""Comparisons of known values. Comparing values of different kinds is an error."""

from __future__ import annotations

from tvarc.light import TYPE_CHECKING, Collection, Final, Iterator, assert_never, dataclass
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.evaluation.show import brief, show_expr
from tvarc.meaning.evaluation.value_kinds import value_kind
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.values.value import (
    NONE,
    DeclValue,
    Missing,
    Record,
    RowValue,
    Value,
    Version,
    holds_nix,
    is_version,
    show_short,
    type_name,
)

if TYPE_CHECKING:
    from tvarc.text.edits import Edit


@dataclass(slots=True, eq=False)
class Comparison:
    """Evaluates comparisons. Values that cannot be compared are reported, and Failed is raised."""

    sink: Sink

    def holds(self, left: Value, right: Value, expr: hir.Compare) -> bool:
        """The result of `expr.op` for its two sides."""
        for side, value in ((expr.left, left), (expr.right, right)):
            if holds_nix(value):
                raise self.sink.refuse(msg.comparisons.COMPARES_NIX, side.span)
        match expr.op:
            case "==" | "!=":
                self._comparable(left, right, expr)
                return equal(left, right) is (expr.op == "==")
            case "in" | "not in":
                return self._within(left, right, expr) is (expr.op == "in")
            case "is" | "is not":
                return self._lineage(left, right, expr) is (expr.op == "is")
            case "<" | "<=" | ">" | ">=":
                order = self._order(left, right, expr)
                match expr.op:
                    case "<":
                        return order < 0
                    case "<=":
                        return order <= 0
                    case ">":
                        return order > 0
                    case _:
                        return order >= 0
            case _:
                assert_never(expr.op)

    def _comparable(self, left: Value, right: Value, expr: hir.Compare) -> None:
        if left is None or right is None:
            return
        if isinstance(left, RowValue) and isinstance(right, RowValue):
            alike = left.table == right.table
        else:
            alike = type(left) is type(right)
        if not alike:
            raise self._unlike(left, right, expr)

    def _unlike(self, left: Value, right: Value, expr: hir.Compare) -> Failed:
        return self.sink.refuse(
            msg.comparisons.DIFFERENT_TYPES,
            expr.left.span,
            others=[expr.right.span],
            edits=(
                *as_the_other(expr.left, value_kind(right)),
                *as_the_other(expr.right, value_kind(left)),
            ),
            kind=type_name(left),
            other_kind=type_name(right),
            left=show_short(left),
            right=show_short(right),
            advice=in_names_help(show_expr(expr.left), isinstance(expr.right, hir.ListOf))
            if expr.op in ("in", "not in") and isinstance(left, RowValue) and isinstance(right, str)
            else _compare_help(left, right, expr),
        )

    def _within(self, left: Value, right: Value, expr: hir.Compare) -> bool:
        if isinstance(right, str) and isinstance(left, str):
            return left in right
        if isinstance(right, Record) and isinstance(left, str | RowValue):
            key = left.name if isinstance(left, RowValue) else left
            return not isinstance(right.get(key), Missing)
        if isinstance(right, Record):
            raise refuse_no_key(expr, type_name(left), self.sink)
        if not isinstance(right, tuple):
            raise self.sink.refuse(
                msg.comparisons.NO_LIST,
                expr.right.span,
                op=expr.op,
                kind=type_name(right),
                advice=one_value_help(expr),
            )
        if (
            type(left) in _SCALARS
            and is_uniform(right)
            and (not right or type(right[0]) is type(left))
        ):
            return left in right
        for item in right:
            self._comparable(left, item, expr)
        return any(equal(left, item) for item in right)

    def _lineage(self, left: Value, right: Value, expr: hir.Compare) -> bool:
        if isinstance(left, DeclValue) and isinstance(right, DeclValue) and left.kind == right.kind:
            return right.id in left.lineage or left.id == right.id
        if NONE in (left, right):
            sides = [side for side in (left, right) if side is not NONE]
            if all(isinstance(side, DeclValue) and side.kind == "pin" for side in sides):
                return not sides  # with `none` there is no pin
        raise self.sink.refuse(msg.comparisons.IS_ON_VALUE, expr.span)

    def _order(self, left: Value, right: Value, expr: hir.Compare) -> int:
        if isinstance(left, Version) and isinstance(right, Version):
            return left.compare(right)
        if type(left) is type(right):
            if isinstance(left, int) and not isinstance(left, bool) and isinstance(right, int):
                return (left > right) - (left < right)
            if isinstance(left, float) and isinstance(right, float):
                return (left > right) - (left < right)
            if isinstance(left, str) and isinstance(right, str):
                return (left > right) - (left < right)
            raise self.sink.refuse(
                msg.comparisons.NO_ORDER, expr.span, kind=type_name(left), op=expr.op
            )
        raise self._unlike(left, right, expr)


FLOAT_HELP: Final = "write a float with `float`: `float(1.5)`"
_SCALARS: Final = frozenset((str, int, bool))


def is_uniform(value: Value) -> bool:
    """Whether *value* is compared as a whole, such as strings, integers, and lists of these. Other
    lists are compared element by element, by the rules of each kind."""
    if not isinstance(value, tuple | Record):
        return True
    if isinstance(value, Record):
        return False
    kinds = set(map(type, value))
    return len(kinds) <= 1 and _SCALARS.issuperset(kinds)


def equal(left: Value, right: Value) -> bool:
    """Equality of the language. Versions are compared by their parts, records by their keys in any
    order, and other values by value."""
    if isinstance(left, Version) and isinstance(right, Version):
        return left.compare(right) == 0
    if isinstance(left, tuple) and isinstance(right, tuple):
        if is_uniform(left) and is_uniform(right):
            return left == right and (not left or type(left[0]) is type(right[0]))
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, Record) and isinstance(right, Record):
        mine, theirs = dict(left.entries), dict(right.entries)
        return mine.keys() == theirs.keys() and all(equal(mine[k], theirs[k]) for k in mine)
    return type(left) is type(right) and left == right


def refuse_no_key(expr: hir.Compare, kind: str, sink: Sink) -> Failed:
    """Report that the left side of *expr*, whose *kind* messages name, is no key of the record on
    its right."""
    written = show_expr(expr.left)
    match kind:
        case "true or false":
            text = f'"{{{{if {written} then "a" else "b"}}}}"'
        case "an integer" | "a version":
            text = f'"{{{{{written}}}}}"'
        case _:
            text = '"…"'
    sink.report(
        msg.comparisons.KEY_IS_NO_TEXT,
        expr.left.span,
        others=[expr.right.span],
        op=expr.op,
        kind=kind,
        text=text,
        right=brief(expr.right),
    )
    return Failed()


def one_value_help(expr: hir.Compare) -> str:
    """The advice for `in` with a right side that contains no values."""
    op = "==" if expr.op == "in" else "!="
    one, another = brief(expr.right), brief(expr.left)
    if isinstance(expr.right, hir.Const):
        one, another = another, one
    return f"to compare with one value, write `{one} {op} {another}`"


def in_names_help(written: str, listed: bool) -> str:
    """The advice if the axis *written* is searched for in a list of strings. *listed* says that the
    list is written in this place."""
    text = f'"{{{{{written}}}}}"'
    if listed:
        return (
            "write the values in the list without quotes, or compare the name as a string: "
            f"`{text}`"
        )
    return (
        f"compare the name as a string: `{text} in …`; or write the values in the list without "
        "quotes"
    )


def as_the_other(side: hir.Expr, kind: str, rows: Collection[str] = ()) -> Iterator[Edit]:
    """The edit that makes the literal *side* a value of the *kind* of the other side, which may be
    a row with a name in *rows*. None if it is no literal, or has no such form."""
    from tvarc.text.edits import Edit

    match side.value if isinstance(side, hir.Const) else None:
        case str() as text if (
            (kind == "version" and is_version(text))
            or (kind == "int" and text.isascii() and text.isdigit())
            or (kind == "bool" and text in ("true", "false"))
            or text in rows
        ):
            yield Edit(side.span, text)
        case int() as number if kind == "version":
            yield Edit(side.span, f"{number}.0")
        case _:
            pass


def version_help(text: hir.Expr) -> str:
    """The advice if *text*, which makes a string, is compared with a version."""
    return f"make a version of the string: `version({brief(text)})`"


def bare_help(quoted: str, choice: bool) -> str:
    """The advice if the string *quoted* is compared with a number. With *choice*, it is compared
    with true or false."""
    if choice:
        bare = quoted if quoted in ("true", "false") else "true"
        return f"write true and false without quotes: `{bare}`"
    if quoted.isascii() and quoted.isdigit():
        return f"write a number without quotes: `{quoted}`"
    return 'to turn a number into a string, write `"{{…}}"`'


def _compare_help(left: Value, right: Value, expr: hir.Compare) -> str:
    kinds = {type(left), type(right)}
    text = expr.left if isinstance(left, str) else expr.right
    quoted = left if isinstance(left, str) else right if isinstance(right, str) else ""
    if isinstance(text, hir.Text):  # other variants have another value
        quoted = brief(text)
    if kinds == {Version, str}:
        if isinstance(text, hir.Const):
            return f"write a version without quotes: `{quoted}`"
        number = expr.right if text is expr.left else expr.left
        if isinstance(number, hir.Const) and not isinstance(text, hir.Text):
            return f'the other side is a string: write this in quotes, `"{show_expr(number)}"`'
        return version_help(text)
    if kinds <= {bool, int, str} and quoted:
        return bare_help(quoted, bool in kinds)
    if float in kinds and kinds <= {float, int, Version}:
        return FLOAT_HELP
    if kinds == {Version, int}:
        return "write a version with a dot: `13.0`, not `13`"
    if RowValue in kinds:
        row = left if isinstance(left, RowValue) else right
        assert isinstance(row, RowValue)
        if row.facts:
            return (
                f"compare one of its fields, such as `.{next(iter(row.facts))}`, or a name without "
                f"quotes"
            )
        return "write the name of one of its values, without quotes"
    return ""
