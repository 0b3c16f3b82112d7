"""What the ids of sources stand for: the list at the head of the module that a row stands in."""

from __future__ import annotations

from tvarc.hosts.rows import texts_fact
from tvarc.report.sources import listed_sources
from tvarc.source import SourceMap
from tvarc.values import RowValue


def named_sources(row: RowValue, sources: SourceMap) -> list[tuple[str, str]]:
    """The ids in the field `sources` of *row* and what each is, empty where nothing tells."""
    ids = texts_fact(row, "sources") or ()
    source = sources.get(row.span.file)
    known = listed_sources(source.text) if source is not None and ids else {}
    return [(id, known.get(id, "")) for id in ids]
