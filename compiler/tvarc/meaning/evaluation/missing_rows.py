"""The message on a record or a table without the row that is looked up: it names the row to add,
and is reported once for each record, with all places that look the row up."""

from __future__ import annotations

from tvarc.light import Callable, Iterator, Sequence
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.meaning.evaluation.hash_places import written_at
from tvarc.meaning.evaluation.show import show_expr
from tvarc.text.diagnostics.model import Failed, Sink
from tvarc.text.diagnostics.suggest import guess
from tvarc.text.edits import Edit
from tvarc.text.source import Span
from tvarc.values.value import Record, RowValue, Value, show, show_key

_LONGEST = 300  # letters of a row that a message proposes
_EXAMPLE = 40  # letters of a value that a message shows


def refuse_missing_row(
    expr: hir.Index,
    key: str,
    rows: Record,
    cell: tuple[str, ...],
    value_of: Callable[[hir.Expr], Value],
    sink: Sink,
    column: str = "",
) -> Failed:
    """Report that *rows*, the value of the base of *expr*, have no *key*. *cell* is the note on the
    variants that look it up, and *value_of* evaluates an expression. The row to add has each
    *column* that was reported for it so far."""
    base = expr.base
    table = base.table.name if isinstance(base, hir.Rows) else None
    place = record_place(base, value_of)
    near = guess(key, [known for known, _ in rows])
    cause = missing_from(place or expr.key.span)
    columns = sink.columns.setdefault((cause, key), {})
    if column:
        if column in columns:
            return Failed()
        columns[column] = None
    last = rows.entries[-1][1] if rows.entries else None
    # A row of a table has all its columns.
    shown = list(last.facts if isinstance(last, RowValue) else columns)
    row = _row(key, rows, shown) if place is not None else None
    return sink.refuse(
        msg.values.NO_SUCH_ROW if table else msg.values.NO_SUCH_KEY,
        expr.key.span,
        others=[place] if place is not None else [],
        notes=(*cell, *(_examples(rows, shown) if row else ())),
        lacking=[Edit(place, row)] if place is not None and row is not None else [],
        cause=cause,
        another=bool(column),
        record=table or show_expr(base),
        key=key,
        # A word that the program has in another place is seldom misspelt here.
        guess=near if near.sure or not cell else None,
        row=_shown(row) if row is not None else None,
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


def _row(key: str, rows: Record, columns: Sequence[str]) -> str | None:
    """A row with *key* and these *columns*, or all those of the last of *rows*. Its values are left
    open. None if there is no row to imitate."""
    *_, (_, last) = rows.entries or ((key, None),)
    found = {name: _with(rows, (name,)) for name in columns}
    if isinstance(last, RowValue):
        facts = [f"{show_key(name)} = …" for name in columns]
        return f"{show_key(key)} {{ {', '.join(facts)} }}"
    if found and isinstance(last, Record):
        shape = Record(tuple([(n, one[1][n] if one else None) for n, one in found.items()]))
        return f"{show_key(key)} = {_open(shape)}"
    return f"{show_key(key)} = {_open(last)}"


def _shown(row: str) -> str:
    """As much of *row* as a message shows."""
    return row if len(row) <= _LONGEST else f"{row[: _LONGEST - 3].rstrip()} … }}"


def _with(rows: Record, columns: Sequence[str]) -> tuple[str, dict[str, Value]] | None:
    """The last of *rows* that has all *columns*: its key, and its values."""
    for key, one in reversed(rows.entries):
        if isinstance(one, RowValue):
            found = {name: fact.value for name, fact in one.facts.items()}
        else:
            found = dict(one) if isinstance(one, Record) else {}
        if found and all(column in found for column in columns):
            return key, found
    return None


def _examples(rows: Record, columns: Sequence[str]) -> Iterator[str]:
    """A note with the values of other rows, which show what part of a text each value is."""
    found: dict[str, list[str]] = {}
    whole = _with(rows, columns)
    for name in columns:
        one = whole or _with(rows, (name,))
        if one is not None:
            found.setdefault(one[0], []).append(f"{show_key(name)} = {_short(one[1][name])}")
    if not columns and rows.entries and isinstance(rows.entries[-1][1], str):
        key, value = rows.entries[-1]
        found[key] = [_short(value)]
    if found:
        said = [f"{show_key(key)} has `{', '.join(some)}`" for key, some in found.items()]
        yield f"for example, {'; '.join(said)}"


def _short(value: Value) -> str:
    shown = show(value)
    return shown if len(shown) <= _EXAMPLE else f'{shown[:_EXAMPLE].rstrip()} …"'


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
