"""The meaning of the ids of sources: the list at the head of the module of a row.

There `# Sources:` begins a list of `# ID description`; a description may continue on further lines.
Above a table, `# As of 2026-11-22.` is the day when it was last compared with its sources. Rows
that a program adds to a table have the day written above them, and not the table's.
"""

from __future__ import annotations

import re
from datetime import date

from tvarc.text.source import SourceMap, Span
from tvarc.values.row_facts import texts_fact
from tvarc.values.value import RowValue

_ENTRY = re.compile(r"#   (\S+) {2,}(\S.*)")
_MORE = re.compile(r"# {6,}(\S.*)")
_FACTS = re.compile(r"^(?:# As of (\d{4}-\d{2}-\d{2})\.\n)?facts\s", re.MULTILINE)


def as_of(span: Span, sources: SourceMap) -> date | None:
    """The day when the table or the row at *span* was last compared with its sources, as written
    above its `facts`; None if nothing is written there.
    """
    source = sources.get(span.file)
    heads = _FACTS.finditer(source.text) if source is not None else ()
    dates = [one[1] for one in heads if one.start() <= span.start]
    return date.fromisoformat(dates[-1]) if dates and dates[-1] else None


def listed_sources(text: str) -> dict[str, str]:
    """The description of each id, in the order of the list; empty if there is no list."""
    found: dict[str, str] = {}
    last = ""
    for line in text.partition("# Sources:\n")[2].splitlines():
        entry, more = _ENTRY.fullmatch(line), _MORE.fullmatch(line)
        if entry is not None:
            last = entry[1]
            found[last] = entry[2]
        elif more is not None and last:
            found[last] += f" {more[1]}"
        else:
            break
    return found


def named_sources(row: RowValue, sources: SourceMap) -> list[tuple[str, str]]:
    """The ids in the field `sources` of *row*, each with its description; empty if nothing
    describes it.
    """
    ids = texts_fact(row, "sources") or ()
    source = sources.get(row.span.file)
    known = listed_sources(source.text) if source is not None and ids else {}
    return [(id, known.get(id, "")) for id in ids]
