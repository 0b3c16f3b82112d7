"""The replacement of a comparison of values of different kinds, in words and as an edit. Only
errors need this file, so it is loaded when there is one.
"""

from __future__ import annotations

from tvarc.light import Collection, Final, Iterator
from tvarc.meaning import hir
from tvarc.meaning.evaluation.show import brief, show_expr
from tvarc.text.edits import Edit
from tvarc.values.value import RowValue, Value, Version, is_version

FLOAT_HELP: Final = "write a float with `float`: `float(1.5)`"


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


def compare_help(left: Value, right: Value, expr: hir.Compare) -> str:
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
