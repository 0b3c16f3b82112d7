"""What the ids of sources stand for: the list at the head of the module that a row stands in.

There `# Sources:` begins a list of `#   ID  what it is`, each perhaps going on in further lines.
Above a table stands `# As of 2026-11-22.`: when it was last held against its sources.
"""

from __future__ import annotations

import re
from datetime import date

from tvarc.hosts.rows import texts_fact
from tvarc.sema import hir
from tvarc.source import SourceMap
from tvarc.values import RowValue

_ENTRY = re.compile(r"#   (\S+) {2,}(\S.*)")
_MORE = re.compile(r"# {6,}(\S.*)")


_AS_OF = re.compile(r"^# As of (\d{4}-\d{2}-\d{2})\.\nfacts (\S+) \(", re.MULTILINE)


def as_of(table: hir.Table, sources: SourceMap) -> date | None:
    """When *table* was last held against its sources; None where its module does not say."""
    source = sources.get(table.span.file)
    found = _AS_OF.finditer(source.text) if source is not None else ()
    dates = {one[2]: one[1] for one in found}
    return date.fromisoformat(dates[table.name]) if table.name in dates else None


def listed_sources(text: str) -> dict[str, str]:
    """What each id stands for, in the order of the list; empty where there is none."""
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
    """The ids in the field `sources` of *row* and what each is, empty where nothing tells."""
    ids = texts_fact(row, "sources") or ()
    source = sources.get(row.span.file)
    known = listed_sources(source.text) if source is not None and ids else {}
    return [(id, known.get(id, "")) for id in ids]
