"""The message about a row or a field that an axis lacks, with the row that was probably meant. Only
errors need this file, so it is loaded when there is one.
"""

from __future__ import annotations

from tvarc.light import Final
from tvarc.meaning import hir
from tvarc.meaning import messages as msg
from tvarc.text.diagnostics.model import Sink
from tvarc.text.diagnostics.suggest import Guess, guess
from tvarc.values.value import RowValue, Value, Version, show

_LISTED: Final = 12


def fields_of_one_row(
    rows: dict[str, RowValue], fields: dict[str, hir.FieldType], sink: Sink
) -> set[str]:
    """Report each field that only one of several rows has: it may be misspelt. Returns these
    fields, and those that they were probably meant to be."""
    found: set[str] = set()
    for key in fields if len(rows) > 2 else ():
        having = [row for row in rows.values() if key in row.facts]
        if len(having) != 1:
            continue
        row = having[0]
        lacking = [other for other in fields if other not in row.facts]
        near = Guess(lacking[0]) if len(lacking) == 1 else guess(key, lacking)
        sink.report(
            msg.tables.FIELD_OF_ONE_ROW,
            row.facts[key].span,
            row=row.name,
            name=key,
            rest=len(rows) - 1,
            guess=near,
        )
        found |= {key, near.word}
    return found


def listed_names(names: list[str]) -> str:
    """*names*, cut if they are many."""
    return ", ".join(names[:_LISTED]) + (" …" if len(names) > _LISTED else "")


def having_fact(values: tuple[Value, ...], wanted: Value | str) -> str:
    """Advice to write the row that has *wanted* as a fact, such as a capability or a product. Empty
    if no row has it."""
    text = _plain(wanted if isinstance(wanted, str) else show(wanted))
    rows = [row for row in values if isinstance(row, RowValue)]
    for key in rows[0].facts if rows else ():
        for row in rows:
            value = row.facts[key].value if key in row.facts else None
            for one in value if isinstance(value, tuple) else (value,):
                if isinstance(one, (str, Version)) and _plain(show(one)) == text:
                    verb = "has" if isinstance(value, tuple) else "is"
                    return f"write `{row.name}`: its `{key}` {verb} {show(one)}"
    return ""


def _plain(text: str) -> str:
    """*text* without case, blanks and marks between its words; a dot separates numbers."""
    return "".join([letter for letter in text.lower() if letter.isalnum() or letter == "."])
