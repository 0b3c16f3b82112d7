"""The message on a record or a table without the row that is looked up: it names the row to add,
and is reported once for each record, with all places that look the row up."""

from __future__ import annotations

from tvarc.light import Callable
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.evaluation.hash_places import written_at
from tvarc.meaning.evaluation.show import show_expr
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.edits import Edit
from tvarc.text.source import Span
from tvarc.values.value import Record, RowValue, Value, show_key

_LONGEST = 90  # letters of a row that a message proposes


def refuse_missing_row(
    expr: hir.Index,
    key: str,
    rows: Record,
    cell: tuple[str, ...],
    value_of: Callable[[hir.Expr], Value],
    sink: Sink,
) -> Failed:
    """Report that *rows*, the value of the base of *expr*, have no *key*. *cell* is the note on the
    variants that look it up, and *value_of* evaluates an expression."""
    base = expr.base
    table = base.table.name if isinstance(base, hir.Rows) else None
    place = record_place(base, value_of)
    near = guess(key, [known for known, _ in rows])
    row = _row(key, rows) if place is not None else None
    return sink.refuse(
        msg.values.NO_SUCH_ROW if table else msg.values.NO_SUCH_KEY,
        expr.key.span,
        others=[place] if place is not None else [],
        notes=cell,
        lacking=[Edit(place, row)] if place is not None and row is not None else [],
        cause=missing_from(place or expr.key.span),
        record=table or show_expr(base),
        key=key,
        # A word that the program has in another place is seldom misspelt here.
        guess=near if near.sure or not cell else None,
        row=row,
        tested=show_expr(base) if cell else None,
    )


def record_place(base: hir.Expr, value_of: Callable[[hir.Expr], Value]) -> Span | None:
    """The place to add a row or a key to the value of *base*: the record or the table in the
    program that it names. None if there is none."""
    if isinstance(base, hir.Rows):
        return None if base.table.origin.startswith("std/") else base.table.span
    place = written_at(base, (), value_of)
    return None if place == base.span else place


def missing_from(place: Span) -> str:
    """The cause for everything that one place lacks in any variant, so that one message reports it.
    """
    return f"lacks {place.file}:{place.start}"


def _row(key: str, rows: Record) -> str | None:
    """A row with *key* in the form of the last of *rows*. Its values are left open. None if there
    is no row to imitate."""
    *_, (_, last) = rows.entries or ((key, None),)
    if isinstance(last, RowValue):
        facts = [f"{show_key(name)} = …" for name in last.facts]
        written = f"{show_key(key)} {{ {', '.join(facts)} }}"
    else:
        written = f"{show_key(key)} = {_open(last)}"
    return written if len(written) <= _LONGEST else f"{written[: _LONGEST - 3].rstrip()} … }}"


def _open(value: Value) -> str:
    """The form of *value* without its content."""
    match value:
        case str():
            return '"…"'
        case Record():
            keys = [f"{show_key(name)} = {_open(one)}" for name, one in value]
            return f"{{ {', '.join(keys)} }}"
        case tuple():
            return "[…]"
        case _:
            return "…"
